package provider

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// What a user of dataplatform_pipe, and of the data source, sees.

func TestAccPipeAdoption(t *testing.T) { eachPipe(t, (*subject).testAdoption) }

func TestAccPipeImport(t *testing.T) { eachPipe(t, (*subject).testImport) }

func TestAccPipeIdentity(t *testing.T) { eachPipe(t, (*subject).testIdentity) }

// Every pipe can be read, of whatever kind.
func TestAccPipeDataSource(t *testing.T) {
	const this = "data.dataplatform_pipe.this"
	eachPipe(t, func(s *subject) {
		resource.Test(s.t, resource.TestCase{
			ProtoV6ProviderFactories: providers(s.t),
			Steps: []resource.TestStep{{
				Config: s.provider() + fmt.Sprintf("data \"dataplatform_pipe\" \"this\" {\n  service_id = %q\n  pipe_id    = %q\n}\n", s.ids[0][1], s.id),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(this, tfjsonpath.New("name"), exactly(s.before["name"])),
					statecheck.ExpectKnownValue(this, tfjsonpath.New("state"), exactly(s.before["state"])),
				},
				PostApplyFunc: s.received(),
			}},
		})
	})
}

// Table mappings are a set: what is not in it is removed, what is new is added, and what
// changes is both. The plan of an import shows each.
func TestAccPipeTableMappings(t *testing.T) {
	f := newFixture(t)
	received := f.organization().received
	config := func(all ...string) string {
		return f.provider() + fmt.Sprintf("import {\n  to = %s\n  id = %q\n}\n", thisPipe, mockplatform.ServiceID+"/"+mockplatform.PostgresPipeID) +
			onePipe("this", mockplatform.PostgresPipeID, mappings(all...))
	}
	orders := func(excluded string) string { return wanted("public.orders", "orders", "excluded_columns = "+excluded) }
	comesTo := func(action plancheck.ResourceActionType) resource.ConfigPlanChecks {
		return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(thisPipe, action)}}
	}
	const removesOrders = `"tableMappingsToRemove": [{"sourceSchemaName": "public", "sourceTable": "orders", "targetTable": "orders"}]`
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: providers(t),
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_5_0)},
		Steps: []resource.TestStep{
			{ // the mapping of customers is not in the configuration, and that of orders is new
				Config:           config(addressesMapping, leadsMapping, orders(`["card"]`)),
				ConfigPlanChecks: comesTo(plancheck.ResourceActionUpdate),
				PostApplyFunc: received(`{"source": {"postgres": {
  "tableMappingsToRemove": [{"sourceSchemaName": "public", "sourceTable": "customers", "targetTable": "customers"}],
  "tableMappingsToAdd": [` + mappingJSON("orders", "orders", `["card"]`) + `]}}}`),
			},
			{ // first removed, then added again with another list
				Config: config(addressesMapping, leadsMapping, orders(`["card", "iban"]`)),
				PostApplyFunc: received(
					`{"source": {"postgres": {`+removesOrders+`}}}`,
					`{"source": {"postgres": {"tableMappingsToAdd": [`+mappingJSON("orders", "orders", `["card", "iban"]`)+`]}}}`),
			},
			{ // the order of a set is no change
				Config:           config(orders(`["iban", "card"]`), addressesMapping, leadsMapping),
				ConfigPlanChecks: comesTo(plancheck.ResourceActionNoop),
				PostApplyFunc:    received(),
			},
		},
	})
}
