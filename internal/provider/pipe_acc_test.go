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

// What a user of dataplatform_pipe sees. A run on an organization changes the name of a
// pipe alone: a change to its source would need its credentials.

func renamedConfig(service string, s *subject, name string) string {
	return fmt.Sprintf("resource \"dataplatform_pipe\" \"this\" {\n  service_id = %q\n  pipe_id    = %q\n  name       = %q\n}\n", service, s.id, name)
}

// otherName is a name that a pipe does not have.
func otherName(s *subject, suffix string) string {
	return fmt.Sprintf("%v (terraform-acc%s)", s.before["name"], suffix)
}

// Without an import block, Terraform creates the resource. A rename then leaves known what
// it cannot change, and destroying the resource leaves the pipe as it is.
func TestAccPipeAdoption(t *testing.T) {
	eachPipe(t, func(p *testPlatform, service string, s *subject) {
		first, second := otherName(s, ""), otherName(s, " 2")
		resource.Test(p.t, resource.TestCase{
			ProtoV6ProviderFactories: p.providers(),
			Steps: []resource.TestStep{
				{
					Config: p.provider() + renamedConfig(service, s, first),
					ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
						plancheck.ExpectResourceAction(thisPipe, plancheck.ResourceActionCreate),
						plancheck.ExpectKnownValue(thisPipe, tfjsonpath.New("name"), knownvalue.StringExact(first)),
						plancheck.ExpectUnknownValue(thisPipe, tfjsonpath.New("source")),
						plancheck.ExpectUnknownValue(thisPipe, tfjsonpath.New("settings")),
					}},
					ConfigStateChecks: []statecheck.StateCheck{
						statecheck.ExpectKnownValue(thisPipe, tfjsonpath.New("name"), knownvalue.StringExact(first)),
					},
					PostApplyFunc: p.received(fmt.Sprintf(`{"name": %q}`, first)),
				},
				{
					Config: p.provider() + renamedConfig(service, s, second),
					ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
						plancheck.ExpectResourceAction(thisPipe, plancheck.ResourceActionUpdate),
						plancheck.ExpectUnknownValue(thisPipe, tfjsonpath.New("updated_at")),
						plancheck.ExpectKnownValue(thisPipe, tfjsonpath.New("created_at"), returned(s.before["createdAt"])),
					}},
					PostApplyFunc: p.received(fmt.Sprintf(`{"name": %q}`, second)),
				},
				{
					Config:  p.provider() + renamedConfig(service, s, second),
					Destroy: true,
					PostApplyFunc: func() {
						if p.fake != nil {
							p.fake.wantWrites()
						}
						if got := s.now()["name"]; got != second {
							p.t.Errorf("after the destroy the pipe is named %q, want %q", got, second)
						}
					},
				},
			},
		})
	})
}

// An import by the command reads, and has what the resource has: with either form of the ID.
func TestAccPipeImport(t *testing.T) {
	eachPipe(t, func(p *testPlatform, service string, s *subject) {
		id := service + "/" + s.id
		config := p.provider() + fmt.Sprintf("resource \"dataplatform_pipe\" \"this\" {\n  service_id = %q\n  pipe_id    = %q\n}\n", service, s.id)
		byCommand := resource.TestStep{
			ResourceName: thisPipe, ImportState: true, ImportStateId: id, ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "pipe_id",
		}
		ofOrganization := byCommand
		ofOrganization.ImportStateId = p.organizationSettings["organization_id"] + "/" + id
		resource.Test(p.t, resource.TestCase{
			ProtoV6ProviderFactories: p.providers(),
			Steps: []resource.TestStep{
				{Config: config, PostApplyFunc: p.received()},
				byCommand,
				ofOrganization,
				{Config: config, PlanOnly: true, PostApplyFunc: p.received()},
			},
		})
	})
}

// The identity of the resource names organization, service and pipe, and imports it as the
// ID does.
func TestAccPipeIdentity(t *testing.T) {
	eachPipe(t, func(p *testPlatform, service string, s *subject) {
		resource.Test(p.t, resource.TestCase{
			ProtoV6ProviderFactories: p.providers(),
			TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_12_0)},
			Steps: []resource.TestStep{
				{
					Config: p.provider() + fmt.Sprintf("resource \"dataplatform_pipe\" \"this\" {\n  service_id = %q\n  pipe_id    = %q\n}\n", service, s.id),
					ConfigStateChecks: []statecheck.StateCheck{
						statecheck.ExpectIdentity(thisPipe, map[string]knownvalue.Check{
							"organization_id": knownvalue.StringExact(p.organizationSettings["organization_id"]),
							"service_id":      knownvalue.StringExact(service),
							"pipe_id":         knownvalue.StringExact(s.id),
						}),
					},
					PostApplyFunc: p.received(),
				},
				{ResourceName: thisPipe, ImportState: true, ImportStateKind: resource.ImportBlockWithResourceIdentity},
				{ResourceName: thisPipe, ImportState: true, ImportStateKind: resource.ImportBlockWithID, ImportStateId: service + "/" + s.id},
			},
		})
	})
}

// A pipe that was renamed in the console is planned back.
func TestAccPipeDrift(t *testing.T) {
	eachPipe(t, func(p *testPlatform, service string, s *subject) {
		name := otherName(s, "")
		config := p.provider() + renamedConfig(service, s, name)
		resource.Test(p.t, resource.TestCase{
			ProtoV6ProviderFactories: p.providers(),
			Steps: []resource.TestStep{
				{Config: config, PostApplyFunc: p.received(fmt.Sprintf(`{"name": %q}`, name))},
				{
					PreConfig: func() {
						s.patch(object{"name": otherName(s, " drifted")})
						if p.fake != nil {
							p.fake.ResetJournal()
						}
					},
					Config: config,
					ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
						plancheck.ExpectResourceAction(thisPipe, plancheck.ResourceActionUpdate),
						plancheck.ExpectKnownValue(thisPipe, tfjsonpath.New("name"), knownvalue.StringExact(name)),
					}},
					PostApplyFunc: p.received(fmt.Sprintf(`{"name": %q}`, name)),
				},
			},
		})
	})
}

// pipeImport is an import block for a pipe of the seed.
func pipeImport(id string) string {
	return fmt.Sprintf("import {\n  to = %s\n  id = %q\n}\n", thisPipe, mockplatform.ServiceID+"/"+id)
}

// Credentials are sent when their version changes, and with every change of the source. The
// plan and the state never have them.
func TestAccPipeCredentials(t *testing.T) {
	f := newFixture(t)
	config := func(role, secret string, version int) string {
		return f.provider() + pipeConfig(mockplatform.CloudStreamPipeID, fmt.Sprintf(`
  source             = { cloud_stream = { iam_role = %q } }
  source_credentials = { cloud_stream = { access_key_id = "loader", secret_key_wo = %q, secret_key_wo_version = %d } }`, role, secret, version))
	}
	credentials := tfjsonpath.New("source_credentials").AtMapKey("cloud_stream")
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: f.providers(),
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_11_0)},
		Steps: []resource.TestStep{
			{
				Config: config("role:sensor-reader", "hush-1", 1),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(thisPipe, credentials, knownvalue.ObjectExact(map[string]knownvalue.Check{
						"access_key_id": knownvalue.StringExact("loader"), "secret_key_wo": knownvalue.Null(), "secret_key_wo_version": knownvalue.Int64Exact(1),
					})),
				},
				PostApplyFunc: f.received(`{"source": {"cloudStream": {"accessKey": {"accessKeyId": "loader", "secretKey": "hush-1"}}}}`),
			},
			{ // another secret without another version is not noticed
				Config: config("role:sensor-reader", "hush-2", 1),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(thisPipe, plancheck.ResourceActionNoop),
				}},
				PostApplyFunc: f.received(),
			},
			{
				Config: config("role:sensor-reader", "hush-2", 2),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(thisPipe, plancheck.ResourceActionUpdate),
					plancheck.ExpectKnownValue(thisPipe, credentials.AtMapKey("secret_key_wo_version"), knownvalue.Int64Exact(2)),
				}},
				PostApplyFunc: f.received(`{"source": {"cloudStream": {"accessKey": {"accessKeyId": "loader", "secretKey": "hush-2"}}}}`),
			},
		},
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
	config := func(mappings ...string) string {
		return f.provider() + pipeImport(mockplatform.PostgresPipeID) +
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
		ProtoV6ProviderFactories: f.providers(),
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_5_0)},
		Steps: []resource.TestStep{
			{ // the mapping of customers is not in the configuration, and that of orders is new
				Config: config(mapping("addresses", "[]"), leads, mapping("orders", `["card"]`)),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(thisPipe, plancheck.ResourceActionUpdate),
				}},
				ConfigStateChecks: []statecheck.StateCheck{inState("addresses", "sales_leads", "orders")},
				PostApplyFunc: f.received(`{"source": {"postgres": {
  "tableMappingsToRemove": [{"sourceSchemaName": "public", "sourceTable": "customers", "targetTable": "customers"}],
  "tableMappingsToAdd": [{"sourceSchemaName": "public", "sourceTable": "orders", "targetTable": "orders", "excludedColumns": ["card"], "useCustomSortingKey": false, "sortingKeys": []}]}}}`),
			},
			{ // first removed, then added again with another list
				Config:            config(mapping("addresses", "[]"), leads, mapping("orders", `["card", "iban"]`)),
				ConfigStateChecks: []statecheck.StateCheck{inState("addresses", "sales_leads", "orders")},
				PostApplyFunc: f.received(
					`{"source": {"postgres": {"tableMappingsToRemove": [{"sourceSchemaName": "public", "sourceTable": "orders", "targetTable": "orders"}]}}}`,
					`{"source": {"postgres": {"tableMappingsToAdd": [{"sourceSchemaName": "public", "sourceTable": "orders", "targetTable": "orders", "excludedColumns": ["card", "iban"], "useCustomSortingKey": false, "sortingKeys": []}]}}}`),
			},
			{ // the order of a set is no change
				Config: config(mapping("orders", `["iban", "card"]`), mapping("addresses", "[]"), leads),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(thisPipe, plancheck.ResourceActionNoop),
				}},
				PostApplyFunc: f.received(),
			},
		},
	})
}
