package provider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
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

// mapping is a table mapping in a configuration.
func mapping(table string, excluded string) string {
	return fmt.Sprintf(`{ source_schema_name = "public", source_table = %[1]q, target_table = %[1]q, excluded_columns = %[2]s }`, table, excluded)
}

// Table mappings are a set: what is not in it is removed, what is new is added, and what
// changes is both. The plan of an import shows each.
func TestAccPipeTableMappings(t *testing.T) {
	f := newFixture(t)
	received := f.organization().received
	config := func(mappings ...string) string {
		return f.provider() + fmt.Sprintf("import {\n  to = %s\n  id = %q\n}\n", thisPipe, mockplatform.ServiceID+"/"+mockplatform.PostgresPipeID) +
			pipeConfig(mockplatform.PostgresPipeID, "source = { postgres = { table_mappings = ["+strings.Join(mappings, ", ")+"] } }")
	}
	inState := func(tables ...string) statecheck.StateCheck {
		var checks []knownvalue.Check
		for _, table := range tables {
			checks = append(checks, knownvalue.ObjectPartial(map[string]knownvalue.Check{"target_table": knownvalue.StringExact(table)}))
		}
		return statecheck.ExpectKnownValue(thisPipe, tfjsonpath.New("source").AtMapKey("postgres").AtMapKey("table_mappings"), knownvalue.SetExact(checks))
	}
	const leads = `{ source_schema_name = "sales", source_table = "leads", target_table = "sales_leads", excluded_columns = ["notes"] }`
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: providers(t),
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_5_0)},
		Steps: []resource.TestStep{
			{ // the mapping of customers is not in the configuration, and that of orders is new
				Config: config(mapping("addresses", "[]"), leads, mapping("orders", `["card"]`)),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(thisPipe, plancheck.ResourceActionUpdate),
				}},
				ConfigStateChecks: []statecheck.StateCheck{inState("addresses", "sales_leads", "orders")},
				PostApplyFunc: received(`{"source": {"postgres": {
  "tableMappingsToRemove": [{"sourceSchemaName": "public", "sourceTable": "customers", "targetTable": "customers"}],
  "tableMappingsToAdd": [{"sourceSchemaName": "public", "sourceTable": "orders", "targetTable": "orders", "excludedColumns": ["card"], "useCustomSortingKey": false, "sortingKeys": []}]}}}`),
			},
			{ // first removed, then added again with another list
				Config:            config(mapping("addresses", "[]"), leads, mapping("orders", `["card", "iban"]`)),
				ConfigStateChecks: []statecheck.StateCheck{inState("addresses", "sales_leads", "orders")},
				PostApplyFunc: received(
					`{"source": {"postgres": {"tableMappingsToRemove": [{"sourceSchemaName": "public", "sourceTable": "orders", "targetTable": "orders"}]}}}`,
					`{"source": {"postgres": {"tableMappingsToAdd": [{"sourceSchemaName": "public", "sourceTable": "orders", "targetTable": "orders", "excludedColumns": ["card", "iban"], "useCustomSortingKey": false, "sortingKeys": []}]}}}`),
			},
			{ // the order of a set is no change
				Config: config(mapping("orders", `["iban", "card"]`), mapping("addresses", "[]"), leads),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(thisPipe, plancheck.ResourceActionNoop),
				}},
				PostApplyFunc: received(),
			},
		},
	})
}
