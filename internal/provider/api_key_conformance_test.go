package provider

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// keyStep is one plan of a key, and its apply.
type keyStep struct {
	key         args // nil destroys
	defaultLast bool // create_before_destroy is false
	planAt      int  // hours after the beginning
	applyAt     int
	rejected    bool // the API rejects a creation
	late        args // what the apply has in place of the key, of which the plan knew nothing
}

// What the driver does in place of Terraform is what Terraform does: the same
// calls in the same order, with the same outcome, and the same key in the end.
func TestAPIKeyDriver(t *testing.T) {
	t.Parallel()
	later := lasting.with(args{"early_renewal_hours": 20})
	other := lasting.with(args{"rotation_triggers": map[string]string{"a": "1"}})
	fixed := func(hours int) args { return plainKey.with(args{"expire_at": date(hours)}) }
	for name, steps := range map[string][]keyStep{
		"life":                          {{key: lasting}, {key: lasting}, {key: later}, {key: later, planAt: 79, applyAt: 79}, {key: later, planAt: 80, applyAt: 80}, {}},
		"default order":                 {{key: lasting, defaultLast: true}, {key: other, defaultLast: true}, {key: other, defaultLast: true, planAt: 95, applyAt: 99}, {}},
		"new key first":                 {{key: lasting}, {key: other}, {key: other, planAt: 95, applyAt: 99}, {}},
		"rejected":                      {{key: lasting, rejected: true}, {key: lasting}, {}},
		"rejected, new key first":       {{key: lasting}, {key: other, rejected: true}, {key: other}},
		"rejected, default order":       {{key: lasting, defaultLast: true}, {key: other, defaultLast: true, rejected: true}, {key: other, defaultLast: true}},
		"expires in between":            {{key: fixed(10), applyAt: 10}, {key: fixed(20), planAt: 10, applyAt: 10}},
		"expires in between, replacing": {{key: fixed(10)}, {key: fixed(20), planAt: 5, applyAt: 20}, {key: fixed(10), planAt: 6, applyAt: 6}},
		"known late":                    {{key: lasting, late: lasting}, {key: lasting.with(args{"name": "n", "roles": expression("late")}), late: lasting.with(args{"roles": []string{"developer"}})}},
		"known late and wrong":          {{key: lasting}, {key: lasting.with(args{"roles": expression("late")}), late: lasting.with(args{"roles": []string{"owner"}})}, {key: lasting}},
		"wrong":                         {{key: lasting.with(args{"validity_hours": 0})}, {key: lasting}, {key: lasting.with(args{"validity_hours": 5})}, {key: fixed(1), planAt: 2, applyAt: 2}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			now := f.clocked()
			d := f.newKeyDriver(t, nil)
			d.drive(now, steps)
			driven := len(f.Keys())
			s := f.session(f.provider())
			s.drive(now, steps)
			if diff := cmp.Diff(telling(s.calls()), telling(d.calls)); diff != "" {
				t.Errorf("terraform (-) and the driver (+) differ:\n%s", diff)
			}
			if got := len(f.Keys()) - driven; got != driven {
				t.Errorf("the driver created %d keys, terraform %d", driven, got)
			}
			var held string
			for _, key := range s.workspace.keys() {
				held = key.name + " " + key.expiry
			}
			holds := ""
			if !d.state.IsNull() {
				holds = d.get("name") + " " + d.get("expire_at")
			}
			if holds != held {
				t.Errorf("the driver holds %q, terraform %q", holds, held)
			}
		})
	}
}

// telling omits validations that find nothing: how often it validates is
// Terraform's own affair, and differs from version to version.
func telling(calls []string) []string {
	return slices.DeleteFunc(slices.Clone(calls), func(call string) bool { return strings.HasSuffix(call, ": validate") })
}

func (d *keyDriver) drive(now *clock, steps []keyStep) {
	var last args
	for _, step := range steps {
		now.at(step.planAt, 0)
		if step.key == nil {
			d.destroy(last)
			continue
		}
		last = step.key
		d.createFirst = !step.defaultLast
		key, known := step.key, step.key
		if step.late != nil {
			known = step.late
			key = args{}
			for name, value := range step.key {
				if value == expression("late") {
					value = unknown
				}
				key[name] = value
			}
		}
		if step.rejected {
			d.fixture.Inject(mockplatform.Fault{Operation: mockplatform.CreateKey, Status: 403})
		}
		p := d.planned(key)
		now.at(step.applyAt, 0)
		if p.action != "error" && p.action != "none" {
			d.carryOut(d.t.Context(), p, known)
		}
		d.fixture.ClearFaults()
	}
}

func (s *session) drive(now *clock, steps []keyStep) {
	const late = "resource \"terraform_data\" \"late%d\" {\n  input = %s\n}\n"
	for i, step := range steps {
		now.at(step.planAt, 0)
		config, plan := s.provider(), []string{"plan", "-out=plan"}
		switch {
		case step.key == nil:
			plan = append(plan, "-destroy")
		case step.late == nil:
			config += keyBlock("this", !step.defaultLast, step.key)
		default:
			key := args{}
			for name, value := range step.key {
				if value == expression("late") {
					config += fmt.Sprintf(late, i, hclOf(step.late[name]))
					value = expression(fmt.Sprintf("terraform_data.late%d.output", i))
				}
				key[name] = value
			}
			config += keyBlock("this", !step.defaultLast, key)
		}
		if step.key != nil {
			s.file("main.tf", config)
		}
		if step.rejected {
			s.Inject(mockplatform.Fault{Operation: mockplatform.CreateKey, Status: 403})
		}
		out, ok := s.terraform(plan...)
		now.at(step.applyAt, 0)
		if ok && !strings.Contains(out, "No changes.") {
			s.terraform("apply", "plan")
		}
		s.ClearFaults()
	}
}
