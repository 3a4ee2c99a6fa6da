package provider

import (
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// What the API document leaves open is found out about each object that a variable names.
// A run on an organization prints the answers when it ends.
func TestAccOpenQuestions(t *testing.T) {
	t.Run("services", func(t *testing.T) {
		p := newManagement(t)
		findingsOfRun().read(p.organization, "service", p.services())
		s := p.service()
		if p.fake != nil {
			findingsOfRun().about(s)
		}
		findingsOfRun().aboutErrors(p.organization, s.id)
	})
	t.Run("pipes", func(t *testing.T) {
		eachPipe(t, func(p *testPlatform, service string, s *subject) {
			if p.fake != nil {
				findingsOfRun().about(s)
			}
			findingsOfRun().aboutErrors(p.organization, service)
		})
	})
	t.Run("alert", func(t *testing.T) {
		p := newPlatform(t)
		findingsOfRun().read(p.organization, "alert", alertPath(p.variable(alertVariable, mockplatform.AlertID)))
	})
}
