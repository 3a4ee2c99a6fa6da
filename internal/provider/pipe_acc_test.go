package provider

import (
	"fmt"
	"testing"
)

// What a user of dataplatform_pipe, and of the data source, sees.

func TestAccPipeAdoption(t *testing.T) { eachPipe(t, (*subject).testAdoption) }

func TestAccPipeImport(t *testing.T) { eachPipe(t, (*subject).testImport) }

// Every pipe can be read, of whatever kind.
func TestAccPipeDataSource(t *testing.T) {
	eachPipe(t, func(s *subject) {
		arguments := fmt.Sprintf("service_id = %q\npipe_id = %q", s.ids[0][1], s.id)
		s.wantData("dataplatform_pipe", arguments, object{"name": s.before["name"], "state": s.before["state"]})
	})
}
