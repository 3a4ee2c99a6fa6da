package provider

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"
)

// What a user sees of every adopted object. Each noun runs these tests.

// address is that of the resource.
func (s *subject) address() string {
	return map[string]string{"service": thisScaling, "pipe": thisPipe}[s.noun]
}

// config is the provider and the resource, with a value of the field that tests change, if any.
func (s *subject) config(values ...any) string {
	kind, name, _ := strings.Cut(s.address(), ".")
	text := fmt.Sprintf("%sresource %q %q {\n", s.provider(), kind, name)
	for _, id := range s.ids {
		text += fmt.Sprintf("  %s = %q\n", id[0], id[1])
	}
	for _, value := range values {
		text += fmt.Sprintf("  %s = %s\n", snake(s.field), toJSON(s.t, value))
	}
	return text + "}\n"
}

func (s *subject) importID() string {
	parts := []string{}
	for _, id := range s.ids {
		parts = append(parts, id[1])
	}
	return strings.Join(parts, "/")
}

// sent is a PostApplyFunc: the fake was sent a value of the field that tests change.
func (s *subject) sent(value any) func() { return s.received(toJSON(s.t, object{s.field: value})) }

// plans are the checks of a plan that comes to an action, and to a value of that field.
func (s *subject) plans(action plancheck.ResourceActionType, value any, more ...plancheck.PlanCheck) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: append(more,
		plancheck.ExpectResourceAction(s.address(), action),
		plancheck.ExpectKnownValue(s.address(), tfjsonpath.New(snake(s.field)), exactly(value)),
	)}
}

// keeps expects a plan to leave known what the change cannot touch.
func (s *subject) keeps() plancheck.PlanCheck {
	return plancheck.ExpectKnownValue(s.address(), tfjsonpath.New(snake(s.kept)), exactly(s.before[s.kept]))
}

// exactly is a value of the platform's, which may be missing from its responses.
func exactly(value any) knownvalue.Check {
	switch value := value.(type) {
	case nil:
		return knownvalue.Null()
	case int:
		return knownvalue.Int64Exact(int64(value))
	default:
		return knownvalue.StringExact(fmt.Sprint(value))
	}
}

// testAdoption creates the resource, as Terraform does without an import block: the plan has
// what the configuration sets, and the rest is known after apply. Then drift is corrected, a
// change leaves known what it cannot touch, and destroying changes nothing on the platform.
func (s *subject) testAdoption() {
	first, drifted, last := s.others[0], s.others[1], s.others[2]
	resource.Test(s.t, resource.TestCase{
		ProtoV6ProviderFactories: providers(s.t),
		Steps: []resource.TestStep{
			{
				Config:            s.config(first),
				ConfigPlanChecks:  s.plans(plancheck.ResourceActionCreate, first, plancheck.ExpectUnknownValue(s.address(), tfjsonpath.New(snake(s.kept)))),
				ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue(s.address(), tfjsonpath.New(snake(s.kept)), exactly(s.before[s.kept]))},
				PostApplyFunc:     s.sent(first),
			},
			{
				PreConfig: func() {
					s.patch(drifted)
					if s.fake != nil {
						s.fake.ResetJournal()
					}
				},
				Config:           s.config(first),
				ConfigPlanChecks: s.plans(plancheck.ResourceActionUpdate, first),
				PostApplyFunc:    s.sent(first),
			},
			{
				Config:           s.config(last),
				ConfigPlanChecks: s.plans(plancheck.ResourceActionUpdate, last, s.keeps()),
				PostApplyFunc:    s.sent(last),
			},
			{
				Config:  s.config(last),
				Destroy: true,
				PostApplyFunc: func() {
					if s.fake != nil {
						s.fake.wantWrites()
					}
					if got := s.now()[s.field]; fmt.Sprint(got) != fmt.Sprint(last) {
						s.t.Errorf("after the destroy, %s is %v, want %v", s.field, got, last)
					}
				},
			},
		},
	})
}

// testImport imports by the command, with either form of the ID, in any letter case: that reads, and has what the
// resource has.
func (s *subject) testImport() {
	imported := func(id string) resource.TestStep {
		return resource.TestStep{
			ResourceName: s.address(), ImportState: true, ImportStateId: id, ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: s.ids[len(s.ids)-1][0],
		}
	}
	resource.Test(s.t, resource.TestCase{
		ProtoV6ProviderFactories: providers(s.t),
		Steps: []resource.TestStep{
			{Config: s.config(), PostApplyFunc: s.received()},
			imported(s.importID()),
			imported(strings.ToUpper(s.settings["organization_id"]) + "/" + s.importID()),
			{Config: s.config(), PlanOnly: true, PostApplyFunc: s.received()},
		},
	})
}

// testIdentity imports by an import block, with the identity that the resource has, or with the ID.
func (s *subject) testIdentity() {
	block := func(kind resource.ImportStateKind, id string) resource.TestStep {
		return resource.TestStep{ResourceName: s.address(), ImportState: true, ImportStateKind: kind, ImportStateId: id, ImportPlanChecks: resource.ImportPlanChecks{
			PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan(), s.keeps()},
		}}
	}
	resource.Test(s.t, resource.TestCase{
		ProtoV6ProviderFactories: providers(s.t),
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_12_0)},
		Steps: []resource.TestStep{
			{Config: s.config(), ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectIdentity(s.address(), s.identity())}, PostApplyFunc: s.received()},
			block(resource.ImportBlockWithResourceIdentity, ""),
			block(resource.ImportBlockWithID, s.importID()),
		},
	})
}

// identity is what names the resource.
func (s *subject) identity() map[string]knownvalue.Check {
	identity := map[string]knownvalue.Check{"organization_id": knownvalue.StringExact(s.settings["organization_id"])}
	for _, id := range s.ids {
		identity[id[0]] = knownvalue.StringExact(id[1])
	}
	return identity
}

// wantData reads a data source, and wants values of the platform's in it.
func (o *organization) wantData(name, arguments string, want map[string]any, more ...statecheck.StateCheck) {
	o.t.Helper()
	address := "data." + name + ".this"
	for attribute, value := range want {
		more = append(more, statecheck.ExpectKnownValue(address, tfjsonpath.New(attribute), exactly(value)))
	}
	resource.Test(o.t, resource.TestCase{
		ProtoV6ProviderFactories: providers(o.t),
		Steps: []resource.TestStep{{
			Config: fmt.Sprintf("%sdata %q \"this\" {\n%s\n}\n", o.provider(), name, arguments), ConfigStateChecks: more, PostApplyFunc: o.received(),
		}},
	})
}
