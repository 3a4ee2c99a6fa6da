package provider

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// What a user of dataplatform_pipe, and of the data source, sees.

func TestAccPipeAdoption(t *testing.T) { eachPipe(t, (*subject).testAdoption) }

func TestAccPipeImport(t *testing.T) { eachPipe(t, (*subject).testImport) }

func TestAccPipeIdentity(t *testing.T) { eachPipe(t, (*subject).testIdentity) }

// The ID of another pipe replaces the resource: that pipe is adopted, and the first one keeps what it has.
func TestAccPipeReplacement(t *testing.T) {
	f := newFixture(t)
	pipe := func(id string) string {
		return f.provider() + onePipe("this", id, "settings = { engine_max_threads = 3 }")
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: providers(t),
		Steps: []resource.TestStep{
			{Config: pipe(mockplatform.KafkaPipeID), PostApplyFunc: func() { f.wantWrites(`{"settings": {"engine_max_threads": 3}}`) }},
			{
				Config: pipe(mockplatform.PostgresPipeID),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectNonEmptyPlan(),
					plancheck.ExpectResourceAction(thisPipe, plancheck.ResourceActionDestroyBeforeCreate),
					plancheck.ExpectKnownValue(thisPipe, tfjsonpath.New("pipe_id"), knownvalue.StringExact(mockplatform.PostgresPipeID)),
				}},
				ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue(thisPipe, tfjsonpath.New("name"), exactly(f.Pipe(mockplatform.PostgresPipeID)["name"]))},
				PostApplyFunc:     func() { f.wantWrites(`{"settings": {"engine_max_threads": 3}}`) },
			},
		},
	})
}

// Every pipe can be read, of whatever kind.
func TestAccPipeDataSource(t *testing.T) {
	eachPipe(t, func(s *subject) {
		arguments := fmt.Sprintf("service_id = %q\npipe_id = %q", s.ids[0][1], s.id)
		s.wantData("dataplatform_pipe", arguments, object{"name": s.before["name"], "state": s.before["state"]})
	})
}
