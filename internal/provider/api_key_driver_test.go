package provider

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
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

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

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

// keyDriver plays Terraform's part for one key over the protocol, in this process and
// on the fixture's clock, and checks what Terraform would call an error in the provider.
// TestAPIKeyLife and TestAPIKeyReplacement hold what it does against the real one.
type keyDriver struct {
	*testing.T
	fixture  *fixture
	settings args
	server   tfprotov6.ProviderServer
	typ      tftypes.Type
	state    tftypes.Value
	private  []byte
	// createFirst is create_before_destroy.
	createFirst bool
}

// newKeyDriver configures a provider of its own, with further settings.
func (f *fixture) newKeyDriver(t *testing.T, settings args) *keyDriver {
	t.Helper()
	d := &keyDriver{
		T: t, fixture: f, typ: apiKeySchema().Type().TerraformType(t.Context()),
		settings: args{
			"base_url": f.url, "organization_id": mockplatform.OrganizationID,
			"key_id": "demo-key-id", "key_secret": "demo-key-secret", "retry_timeout": "5s",
		}.with(settings),
	}
	d.reset()
	d.walk()
	return d
}

// reset forgets the key.
func (d *keyDriver) reset() { d.state, d.private = d.null(), nil }

// walk begins a walk of Terraform, with a provider of its own.
func (d *keyDriver) walk() {
	d.Helper()
	d.server = serverOf(&dataplatformProvider{version: "test", now: d.fixture.now})
	configured, err := d.server.ConfigureProvider(d.Context(), &tfprotov6.ConfigureProviderRequest{Config: dynamic(d.T, providerConfig(d.settings))})
	if err != nil || len(configured.Diagnostics) > 0 {
		d.Fatal(err, diagnosed(configured.Diagnostics))
	}
}

func (d *keyDriver) must(err error) {
	d.Helper()
	if err != nil {
		d.Fatal(err)
	}
}

func (d *keyDriver) undynamic(dynamic *tfprotov6.DynamicValue) tftypes.Value {
	d.Helper()
	if dynamic == nil {
		return d.null()
	}
	value, err := dynamic.Unmarshal(d.typ)
	d.must(err)
	return value
}

func (d *keyDriver) null() tftypes.Value { return tftypes.NewValue(d.typ, nil) }

func (d *keyDriver) validate(config args) diagnoses {
	d.Helper()
	resp, err := d.server.ValidateResourceConfig(d.Context(), &tfprotov6.ValidateResourceConfigRequest{TypeName: keyType, Config: dynamic(d.T, valueOf(config, d.typ))})
	d.must(err)
	return diagnosed(resp.Diagnostics)
}

// keyPlan is what a plan comes to: "create", "update", "replace", "none" or,
// of a plan that failed, "error".
type keyPlan struct {
	diagnoses
	action   string
	replaces []string
	planned  tftypes.Value
	private  []byte
}

// planned is a plan after a refresh.
func (d *keyDriver) planned(config args) keyPlan {
	d.Helper()
	d.walk()
	if !d.state.IsNull() {
		resp, err := d.server.ReadResource(d.Context(), &tfprotov6.ReadResourceRequest{TypeName: keyType, CurrentState: dynamic(d.T, d.state), Private: d.private})
		d.must(err)
		d.state, d.private = d.undynamic(resp.NewState), resp.Private
	}
	return d.plan(config)
}

// plan is a plan without a refresh. Terraform plans a replacement a second time as a
// creation, with the private state that was planned, and shows only the errors of it.
func (d *keyDriver) plan(config args) keyPlan {
	d.Helper()
	p := d.change(valueOf(config, d.typ), d.state, d.private)
	p.diagnoses = d.validate(config).and(p.diagnoses)
	switch {
	case len(p.errors) > 0:
	case d.state.IsNull():
		p.action = "create"
	case len(p.replaces) > 0:
		second := d.change(valueOf(config, d.typ), d.null(), p.private)
		second.action, second.replaces, second.warnings = "replace", p.replaces, p.warnings
		p = second
	case p.planned.Equal(d.state):
		p.action = "none"
	default:
		p.action = "update"
	}
	if len(p.errors) > 0 {
		p.action = "error"
	}
	return p
}

// change is one call to plan a change. What the configuration omits is proposed as the
// prior state has it.
func (d *keyDriver) change(config, prior tftypes.Value, private []byte) keyPlan {
	d.Helper()
	attributes, proposed := apiKeySchema().Attributes, config
	if !config.IsNull() {
		proposed = tfvalue.Of(config).Map(func(name string, written tfvalue.Value) tfvalue.Value {
			if written.IsNull() && attributes[name].IsComputed() {
				return tfvalue.Of(prior).At(name)
			}
			return written
		}).Value
	}
	resp, err := d.server.PlanResourceChange(d.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: keyType, PriorState: dynamic(d.T, prior), ProposedNewState: dynamic(d.T, proposed), Config: dynamic(d.T, config), PriorPrivate: private,
	})
	d.must(err)
	p := keyPlan{diagnoses: diagnosed(resp.Diagnostics), planned: d.undynamic(resp.PlannedState), private: resp.PlannedPrivate}
	for name, planned := range tfvalue.Of(p.planned).Members() {
		written, before := tfvalue.Of(config).At(name), tfvalue.Of(prior).At(name)
		free, kept := written.IsNull() && attributes[name].IsComputed(), !before.IsNull() && planned.Equal(before)
		if len(p.errors) == 0 && !free && !planned.Equal(written) && (!kept || written.IsNull()) {
			d.Errorf("invalid plan: %s is planned as %s, and is configured as %s", name, planned, written)
		}
	}
	for _, path := range resp.RequiresReplace {
		name := string(path.Steps()[0].(tftypes.AttributeName))
		if !tfvalue.Of(p.planned).At(name).Equal(tfvalue.Of(prior).At(name)) { // Terraform overlooks the others
			p.replaces = append(p.replaces, name)
		}
	}
	slices.Sort(p.replaces)
	return p
}

// apply plans and applies. What is unknown in the first configuration has to
// be known in the second, which is the same if omitted.
func (d *keyDriver) apply(config args, known ...args) keyPlan {
	d.Helper()
	return d.carryOut(d.planned(config), append(known, config)[0])
}

// carryOut applies a plan: the destruction within a replacement at its time,
// and the plan once more before it is carried out.
func (d *keyDriver) carryOut(p keyPlan, config args) keyPlan {
	d.Helper()
	if p.action == "error" || p.action == "none" {
		return p
	}
	d.walk()
	old, oldPrivate := d.state, d.private
	if p.action == "replace" {
		d.reset()
		if !d.createFirst {
			p.diagnoses = p.and(d.applied(old, d.null(), d.null(), oldPrivate))
		}
	}
	again := d.change(valueOf(config, d.typ), d.state, d.private)
	p.diagnoses = p.and(d.validate(config)).and(again.diagnoses)
	if len(again.replaces) > 0 {
		d.Errorf("inconsistent final plan: %s was planned, and now a replacement for %v", p.action, again.replaces)
	}
	if len(p.errors) > 0 {
		return p // after an error in this plan Terraform doesn't bring the old key back
	}
	p.diagnoses = p.and(d.applied(d.state, again.planned, valueOf(config, d.typ), again.private))
	switch {
	case p.action == "replace" && d.createFirst && len(p.errors) > 0:
		d.state, d.private = old, oldPrivate
	case p.action == "replace" && d.createFirst:
		// Terraform plans the destruction of what it deposed once more.
		p.diagnoses = p.and(d.change(d.null(), old, oldPrivate).diagnoses).and(d.applied(old, d.null(), d.null(), oldPrivate))
	}
	return p
}

// applied is one call to apply a change. A destruction leaves d's state alone.
func (d *keyDriver) applied(prior, planned, config tftypes.Value, private []byte) diagnoses {
	d.Helper()
	resp, err := d.server.ApplyResourceChange(d.Context(), &tfprotov6.ApplyResourceChangeRequest{
		TypeName: keyType, PriorState: dynamic(d.T, prior), PlannedState: dynamic(d.T, planned), Config: dynamic(d.T, config), PlannedPrivate: private,
	})
	d.must(err)
	all, state := diagnosed(resp.Diagnostics), d.undynamic(resp.NewState)
	if planned.IsNull() {
		return all
	}
	if len(all.errors) == 0 || !state.IsNull() {
		d.state, d.private = state, resp.Private
	}
	for name, value := range tfvalue.Of(planned).Members() {
		if got := tfvalue.Of(d.state).At(name); len(all.errors) == 0 && value.IsFullyKnown() && !got.Equal(value) {
			d.Errorf("inconsistent result after apply: %s is %s, and was planned as %s", name, got, value)
		}
	}
	return all
}

// destroy plans the destruction and carries it out.
func (d *keyDriver) destroy() (planned, applied diagnoses) {
	d.Helper()
	d.walk()
	planned = d.change(d.null(), d.state, d.private).diagnoses
	d.walk()
	applied = d.applied(d.state, d.null(), d.null(), d.private)
	d.reset()
	return planned, applied
}

// get is a string or a flag of the state, or "null".
func (d *keyDriver) get(name string) string {
	value := tfvalue.Of(d.state).At(name)
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
