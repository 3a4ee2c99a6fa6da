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
)

// What a user of dataplatform_service_scaling sees. A run on an organization changes the
// idle timeout alone: no replica starts or stops for it.

// idleTimeout is an idle timeout above that of a service.
func idleTimeout(s *subject, more int) int {
	s.t.Helper()
	minutes, err := numberOf(s.before["idleTimeoutMinutes"])
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
