package conn_test

import (
	"errors"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
)

// The error of something else than a request becomes a sentence.
func TestDetail(t *testing.T) {
	t.Parallel()
	if got := conn.Detail(errors.New("écrire failed")); got != "Écrire failed." {
		t.Error(got)
	}
}
