package provider

import (
	"encoding/json"
	"fmt"
	"regexp"
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

// What a user of dataplatform_service_scaling sees. A run on an organization changes the
// idle timeout alone: no replica starts or stops for it.

// idleTimeout is an idle timeout above that of a service.
func idleTimeout(s *subject, more int) int {
	s.t.Helper()
	number, _ := s.before["idleTimeoutMinutes"].(json.Number)
	minutes, err := number.Int64()
	if err != nil {
		s.t.Skipf("service %s returns no idleTimeoutMinutes", s.id)
	}
	return int(minutes) + more
}

func idleTimeoutConfig(s *subject, minutes int) string {
	return scalingConfig(s.id, fmt.Sprintf("  idle_timeout_minutes = %d", minutes))
}

// Without an import block, Terraform creates the resource: the plan has what the
// configuration sets, and the rest is known after apply. Then it is changed like any
// other, and destroying it changes nothing on the platform.
func TestAccServiceScalingAdoption(t *testing.T) {
	p := newManagement(t)
	s := p.service()
	first, second := idleTimeout(s, 5), idleTimeout(s, 10)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: p.providers(),
		Steps: []resource.TestStep{
			{
				Config: p.provider() + idleTimeoutConfig(s, first),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(thisScaling, plancheck.ResourceActionCreate),
					plancheck.ExpectKnownValue(thisScaling, tfjsonpath.New("idle_timeout_minutes"), knownvalue.Int64Exact(int64(first))),
					plancheck.ExpectUnknownValue(thisScaling, tfjsonpath.New("num_replicas")),
					plancheck.ExpectUnknownValue(thisScaling, tfjsonpath.New("name")),
				}},
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(thisScaling, tfjsonpath.New("service_id"), knownvalue.StringExact(s.id)),
					statecheck.ExpectKnownValue(thisScaling, tfjsonpath.New("idle_timeout_minutes"), knownvalue.Int64Exact(int64(first))),
					statecheck.ExpectKnownValue(thisScaling, tfjsonpath.New("name"), returned(s.before["name"])),
				},
				PostApplyFunc: p.received(fmt.Sprintf(`{"idleTimeoutMinutes": %d}`, first)),
			},
			{
				Config: p.provider() + idleTimeoutConfig(s, second),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(thisScaling, plancheck.ResourceActionUpdate),
					plancheck.ExpectKnownValue(thisScaling, tfjsonpath.New("name"), returned(s.before["name"])),
				}},
				PostApplyFunc: p.received(fmt.Sprintf(`{"idleTimeoutMinutes": %d}`, second)),
			},
			{
				Config:  p.provider() + idleTimeoutConfig(s, second),
				Destroy: true,
				PostApplyFunc: func() {
					if p.fake != nil {
						p.fake.wantWrites()
					}
					if got := s.now()["idleTimeoutMinutes"]; fmt.Sprint(got) != fmt.Sprint(second) {
						t.Errorf("after the destroy the platform has an idle timeout of %v, want %d", got, second)
					}
				},
			},
		},
	})
}

// returned is a value of the platform's, which may be missing from its responses.
func returned(value any) knownvalue.Check {
	if value == nil {
		return knownvalue.Null()
	}
	return knownvalue.StringExact(fmt.Sprint(value))
}

// An import block shows what it would change, and the next plan is empty although the
// block is still there.
func TestAccServiceScalingImportBlock(t *testing.T) {
	p := newManagement(t)
	s := p.service()
	minutes := idleTimeout(s, 5)
	config := p.provider() + idleTimeoutConfig(s, minutes) + fmt.Sprintf("import {\n  to = %s\n  id = %q\n}\n", thisScaling, s.id)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: p.providers(),
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_5_0)},
		Steps: []resource.TestStep{
			{
				Config: config,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(thisScaling, plancheck.ResourceActionUpdate),
					plancheck.ExpectKnownValue(thisScaling, tfjsonpath.New("idle_timeout_minutes"), knownvalue.Int64Exact(int64(minutes))),
					plancheck.ExpectKnownValue(thisScaling, tfjsonpath.New("name"), returned(s.before["name"])),
				}},
				PostApplyFunc: p.received(fmt.Sprintf(`{"idleTimeoutMinutes": %d}`, minutes)),
			},
			{
				Config: config,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(thisScaling, plancheck.ResourceActionNoop),
				}},
				PostApplyFunc: p.received(),
			},
		},
	})
}

// An import by the command reads, and has what the resource has: with either form of the
// ID, in any letter case.
func TestAccServiceScalingImport(t *testing.T) {
	p := newManagement(t)
	s := p.service()
	config := p.provider() + scalingConfig(s.id, "")
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: p.providers(),
		Steps: []resource.TestStep{
			{Config: config, PostApplyFunc: p.received()},
			{
				ResourceName: thisScaling, ImportState: true, ImportStateId: s.id,
				ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "service_id",
			},
			{
				ResourceName: thisScaling, ImportState: true, ImportStateId: strings.ToUpper(p.organizationSettings["organization_id"]) + "/" + s.id,
				ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "service_id",
			},
			{Config: config, PlanOnly: true, PostApplyFunc: p.received()},
		},
	})
}

// The identity of the resource names organization and service, and imports it as the ID
// does.
func TestAccServiceScalingIdentity(t *testing.T) {
	p := newManagement(t)
	s := p.service()
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: p.providers(),
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_12_0)},
		Steps: []resource.TestStep{
			{
				Config: p.provider() + scalingConfig(s.id, ""),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectIdentity(thisScaling, map[string]knownvalue.Check{
						"organization_id": knownvalue.StringExact(p.organizationSettings["organization_id"]),
						"service_id":      knownvalue.StringExact(s.id),
					}),
					statecheck.ExpectIdentityValueMatchesState(thisScaling, tfjsonpath.New("service_id")),
				},
				PostApplyFunc: p.received(),
			},
			{ResourceName: thisScaling, ImportState: true, ImportStateKind: resource.ImportBlockWithResourceIdentity},
			{ResourceName: thisScaling, ImportState: true, ImportStateKind: resource.ImportBlockWithID, ImportStateId: s.id},
		},
	})
}

// What somebody changed in the console is planned back where the configuration sets it.
func TestAccServiceScalingDrift(t *testing.T) {
	p := newManagement(t)
	s := p.service()
	managed, drifted := idleTimeout(s, 5), idleTimeout(s, 10)
	config := p.provider() + idleTimeoutConfig(s, managed)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: p.providers(),
		Steps: []resource.TestStep{
			{Config: config, PostApplyFunc: p.received(fmt.Sprintf(`{"idleTimeoutMinutes": %d}`, managed))},
			{
				PreConfig: func() {
					s.patch(object{"idleTimeoutMinutes": drifted})
					if p.fake != nil {
						p.fake.ResetJournal()
					}
				},
				Config: config,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(thisScaling, plancheck.ResourceActionUpdate),
				}},
				PostApplyFunc: p.received(fmt.Sprintf(`{"idleTimeoutMinutes": %d}`, managed)),
			},
		},
	})
}

// An argument that leaves the configuration leaves the value on the platform as it is.
// From then on it is not managed: a change in the console is read, and not planned back.
// Another service is another object: the first is left as it is.
func TestAccServiceScalingRemovalAndReplacement(t *testing.T) {
	f := newFixture(t)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: f.providers(),
		Steps: []resource.TestStep{
			{
				Config:        f.provider() + scalingConfig(mockplatform.ServiceID, "num_replicas = 4\nmax_total_memory_gb = 72"),
				PostApplyFunc: f.received(`{"numReplicas": 4, "maxTotalMemoryGb": 72}`),
			},
			{ // only a change of the total moves the memory of a replica
				PreConfig: func() {
					f.UpdateService(mockplatform.ServiceID, func(doc mockplatform.Document) { doc["numReplicas"] = 7 })
				},
				Config: f.provider() + scalingConfig(mockplatform.ServiceID, "max_total_memory_gb = 96"),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectUnknownValue(thisScaling, tfjsonpath.New("max_replica_memory_gb")),
					plancheck.ExpectKnownValue(thisScaling, tfjsonpath.New("num_replicas"), knownvalue.Int64Exact(7)),
				}},
				PostApplyFunc: f.received(`{"maxTotalMemoryGb": 96}`),
			},
			{
				Config: f.provider() + scalingConfig(mockplatform.FullServiceID, "idle_scaling = true"),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(thisScaling, plancheck.ResourceActionDestroyBeforeCreate),
				}},
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(thisScaling, tfjsonpath.New("name"), knownvalue.StringExact("ledger-us")),
				},
				PostApplyFunc: f.received(`{"idleScaling": true}`),
			},
		},
	})
}

// Values outside of the documented limits are errors of the plan, and so is a service that
// does not exist.
func TestAccServiceScalingLimits(t *testing.T) {
	f := newFixture(t)
	step := func(id, arguments, says string) resource.TestStep {
		return resource.TestStep{Config: f.provider() + scalingConfig(id, arguments), PlanOnly: true, ExpectError: regexp.MustCompile(says)}
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: f.providers(),
		Steps: []resource.TestStep{
			step(mockplatform.ServiceID, `num_replicas = 21`, `num_replicas must be between 1 and 20, got 21`),
			step(mockplatform.ServiceID, `idle_timeout_minutes = 4`, `idle_timeout_minutes must be`),
			step(mockplatform.ServiceID, "min_total_memory_gb = 72\nmax_total_memory_gb = 48", `Minimum memory exceeds maximum`),
			step("events-eu", ``, `must be a UUID`),
			step("29999999-0000-4000-8000-000000000009", ``, `There is no service`),
		},
	})
	f.wantWrites()
}
