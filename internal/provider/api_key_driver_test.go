package provider

import (
	"maps"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
)

// args are arguments as a configuration has them: strings, bools, numbers, []string,
// map[string]string, args, []args, and unknown.
type args map[string]any

// unknown is a value that is known only after an apply.
var unknown = struct{}{}

var plainKey = args{"name": "n", "roles": []string{"admin"}}

// with returns the arguments with others over them; nil takes one away.
func (a args) with(more args) args {
	all := maps.Clone(a)
	for name, value := range more {
		if all[name] = value; value == nil {
			delete(all, name)
		}
	}
	return all
}

// valueOf gives arguments the type of a schema.
func valueOf(v any, typ tftypes.Type) tftypes.Value {
	switch v := v.(type) {
	case struct{}:
		return tftypes.NewValue(typ, tftypes.UnknownValue)
	case args:
		members := map[string]tftypes.Value{}
		for name, member := range typ.(tftypes.Object).AttributeTypes {
			members[name] = valueOf(v[name], member)
		}
		for name := range v {
			if _, ok := members[name]; !ok {
				panic("no attribute " + name)
			}
		}
		return tftypes.NewValue(typ, members)
	case map[string]string:
		members := map[string]tftypes.Value{}
		for name, member := range v {
			members[name] = tftypes.NewValue(tftypes.String, member)
		}
		return tftypes.NewValue(typ, members)
	case []string:
		elements := []tftypes.Value{}
		for _, element := range v {
			elements = append(elements, tftypes.NewValue(tftypes.String, element))
		}
		return tftypes.NewValue(typ, elements)
	case []args:
		elements := []tftypes.Value{}
		for _, element := range v {
			elements = append(elements, valueOf(element, typ.(tftypes.Set).ElementType))
		}
		return tftypes.NewValue(typ, elements)
	default:
		return tftypes.NewValue(typ, v)
	}
}

// diagnoses are diagnostics, each as its summary and its detail.
type diagnoses struct{ errors, warnings []string }

func diagnosed(diagnostics []*tfprotov6.Diagnostic) diagnoses {
	var all diagnoses
	for _, d := range diagnostics {
		all.add(d.Severity == tfprotov6.DiagnosticSeverityError, d.Summary+": "+d.Detail)
	}
	return all
}

func (all *diagnoses) add(isError bool, text string) {
	if isError {
		all.errors = append(all.errors, text)
	} else {
		all.warnings = append(all.warnings, text)
	}
}

func (all diagnoses) and(more diagnoses) diagnoses {
	return diagnoses{append(all.errors, more.errors...), append(all.warnings, more.warnings...)}
}

func (all diagnoses) String() string {
	return "errors: " + strings.Join(all.errors, "\n") + "\nwarnings: " + strings.Join(all.warnings, "\n")
}

const keyType = "dataplatform_api_key"

// keyDriver is a block for one key, on the fixture's clock.
type keyDriver struct {
	*testing.T
	played
	settings args
}

// newKeyDriver has a provider with further settings.
func (f *fixture) newKeyDriver(t *testing.T, settings args) *keyDriver {
	t.Helper()
	return &keyDriver{t, f.play(keyType), f.settings(settings)}
}

// reset forgets the key.
func (d *keyDriver) reset() { d.played = d.fixture.play(keyType) }

// configured sets the configuration, and starts a provider, as Terraform does for each
// plan and for each apply.
func (d *keyDriver) configured(config args) server {
	d.Helper()
	d.block.Config = d.value(valueOf(config, d.state.Type()))
	return d.startWith(d.settings)
}

// planned is a plan after a refresh.
func (d *keyDriver) planned(config args) *result {
	d.Helper()
	c := d.block.Plan(d.configured(config))
	return d.tell(&result{change: c}, c.Prior)
}

// apply plans and applies. What is unknown in the first configuration has to
// be known in the second, which is the same if omitted.
func (d *keyDriver) apply(config args, known ...args) *result {
	d.Helper()
	return d.carryOut(d.planned(config), append(known, config)[0])
}

// carryOut applies a plan, which may be old.
func (d *keyDriver) carryOut(p *result, config args) *result {
	d.Helper()
	d.block.Apply(d.configured(config), p.change)
	return d.tell(p, d.block.State)
}

// destroy plans the destruction and carries it out, without a refresh.
func (d *keyDriver) destroy() (planned, applied diagnoses) {
	d.Helper()
	d.block.Config = cty.NullVal(d.block.Schema.Type)
	p := d.tell(&result{change: d.block.PlanOnly(d.startWith(d.settings))}, d.block.State)
	planned, p.change.Report = p.diagnoses, terraformtest.Report{}
	d.block.Apply(d.startWith(d.settings), p.change)
	return planned, d.tell(p, d.block.State).diagnoses
}

// get is a string or a flag of the state, or "null".
func (d *keyDriver) get(name string) string {
	value := d.state.At(name)
	switch {
	case value.IsNull():
		return "null"
	case value.Type().Is(tftypes.String):
		return value.Text()
	default:
		return keyRules.Describe("", value)
	}
}

// wantNone fails unless a plan keeps the key and says nothing.
func (d *keyDriver) wantNone(config args) {
	d.Helper()
	if p := d.planned(config); p.action != "none" || len(p.warnings) > 0 {
		d.Errorf("the plan is not empty: %s because of %v\n%s", p.action, p.replaces, p.diagnoses)
	}
}

// wantStored fails unless the state has the newest key.
func (d *keyDriver) wantStored() {
	d.Helper()
	keys := d.fixture.Keys()
	if newest := keys[len(keys)-1]["result"].(mockplatform.Document); d.get("key_secret") != newest["keySecret"] {
		d.Errorf("the state doesn't have the key that was created: %s", d.state)
	}
}
