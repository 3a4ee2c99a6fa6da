package provider

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// args are arguments as a configuration has them: strings, bools, ints,
// []string, map[string]string, args, []args, and unknown.
type args map[string]any

// unknown is a value that is known only after an apply.
var unknown = struct{}{}

// with returns the arguments with others over them; nil takes one away.
func (a args) with(more args) args {
	all := args{}
	for _, some := range []args{a, more} {
		for name, value := range some {
			if all[name] = value; value == nil {
				delete(all, name)
			}
		}
	}
	return all
}

// hcl writes the arguments as a configuration has them.
func (a args) hcl() string {
	var b strings.Builder
	for _, name := range sortedKeys(a) {
		fmt.Fprintf(&b, "  %s = %s\n", name, hclOf(a[name]))
	}
	return b.String()
}

func hclOf(value any) string {
	switch v := value.(type) {
	case string:
		return fmt.Sprintf("%q", v)
	case expression:
		return string(v)
	case []string:
		return "[" + strings.Join(quoted(v), ", ") + "]"
	case map[string]string:
		var members []string
		for _, name := range sortedKeys(v) {
			members = append(members, fmt.Sprintf("%s = %q", name, v[name]))
		}
		return "{ " + strings.Join(members, ", ") + " }"
	case []args:
		var elements []string
		for _, element := range v {
			elements = append(elements, hclOf(element))
		}
		return "[" + strings.Join(elements, ", ") + "]"
	case args:
		return "{\n" + v.hcl() + "}"
	default:
		return fmt.Sprint(v)
	}
}

func quoted(all []string) []string {
	var q []string
	for _, s := range all {
		q = append(q, fmt.Sprintf("%q", s))
	}
	return q
}

func sortedKeys[V any](m map[string]V) []string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// value gives arguments the type of a schema.
func (a args) value(typ tftypes.Type) tftypes.Value { return valueOf(a, typ) }

func valueOf(v any, typ tftypes.Type) tftypes.Value {
	switch v := v.(type) {
	case nil:
		return tftypes.NewValue(typ, nil)
	case struct{}:
		return tftypes.NewValue(typ, tftypes.UnknownValue)
	case args:
		members := map[string]tftypes.Value{}
		for name, memberType := range typ.(tftypes.Object).AttributeTypes {
			members[name] = valueOf(v[name], memberType)
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
		var elements []tftypes.Value
		for _, element := range v {
			elements = append(elements, tftypes.NewValue(tftypes.String, element))
		}
		return tftypes.NewValue(typ, elements)
	case []args:
		var elements []tftypes.Value
		for _, element := range v {
			elements = append(elements, element.value(typ.(tftypes.Set).ElementType))
		}
		return tftypes.NewValue(typ, elements)
	default:
		return tftypes.NewValue(typ, v)
	}
}

const keyType = "dataplatform_api_key"

func keyObject(t *testing.T) tftypes.Object {
	return apiKeySchema().Type().TerraformType(t.Context()).(tftypes.Object)
}

// keyDriver plays Terraform's part for one key over the protocol, in this process and
// on the fixture's clock: for tables that are too long for a terraform of each row's
// own. TestAPIKeyChanges, TestAPIKeyIsNotStranded and TestAPIKeyLife hold what it does
// against the real one.
type keyDriver struct {
	t        *testing.T
	fixture  *fixture
	settings args
	server   tfprotov6.ProviderServer
	typ      tftypes.Object
	state    tftypes.Value
	private  []byte
	// deposed is an old key that the apply of a replacement left behind.
	deposed tftypes.Value
	// createFirst is create_before_destroy.
	createFirst bool
}

// newKeyDriver configures a provider of its own, with further settings.
func (f *fixture) newKeyDriver(t *testing.T, settings args) *keyDriver {
	t.Helper()
	typ := keyObject(t)
	d := &keyDriver{
		t: t, fixture: f, typ: typ, state: tftypes.NewValue(typ, nil), deposed: tftypes.NewValue(typ, nil),
		settings: args{
			"base_url": f.url, "organization_id": mockplatform.OrganizationID,
			"key_id": "demo-key-id", "key_secret": "demo-key-secret", "retry_timeout": "5s",
		}.with(settings),
	}
	d.walk()
	return d
}

// walk begins a walk of Terraform, with a provider of its own.
func (d *keyDriver) walk() {
	d.t.Helper()
	d.server = serverOf(&dataplatformProvider{version: "test", now: d.fixture.now})
	schemas, err := d.server.GetProviderSchema(d.t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	d.must(err)
	config := d.settings.value(schemas.Provider.ValueType())
	configured, err := d.server.ConfigureProvider(d.t.Context(), &tfprotov6.ConfigureProviderRequest{Config: d.dynamic(config)})
	d.must(err)
	if all := diagnosed(configured.Diagnostics); len(all.errors) > 0 {
		d.t.Fatal(all.errors)
	}
}

// diagnoses are diagnostics, each as its summary and its detail.
type diagnoses struct{ errors, warnings []string }

func diagnosed(diagnostics []*tfprotov6.Diagnostic) diagnoses {
	var all diagnoses
	for _, d := range diagnostics {
		text := d.Summary + ": " + d.Detail
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			all.errors = append(all.errors, text)
		} else {
			all.warnings = append(all.warnings, text)
		}
	}
	return all
}

func (all diagnoses) and(more diagnoses) diagnoses {
	return diagnoses{append(all.errors, more.errors...), append(all.warnings, more.warnings...)}
}

func (all diagnoses) String() string {
	return "errors: " + strings.Join(all.errors, "\n") + "\nwarnings: " + strings.Join(all.warnings, "\n")
}

func (d *keyDriver) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

func (d *keyDriver) dynamic(value tftypes.Value) *tfprotov6.DynamicValue {
	d.t.Helper()
	dynamic, err := tfprotov6.NewDynamicValue(value.Type(), value)
	d.must(err)
	return &dynamic
}

func (d *keyDriver) undynamic(dynamic *tfprotov6.DynamicValue) tftypes.Value {
	d.t.Helper()
	if dynamic == nil {
		return d.null()
	}
	value, err := dynamic.Unmarshal(d.typ)
	d.must(err)
	return value
}

func (d *keyDriver) null() tftypes.Value { return tftypes.NewValue(d.typ, nil) }

func (d *keyDriver) validate(config args) diagnoses {
	d.t.Helper()
	resp, err := d.server.ValidateResourceConfig(d.t.Context(), &tfprotov6.ValidateResourceConfigRequest{TypeName: keyType, Config: d.dynamic(config.value(d.typ))})
	d.must(err)
	return diagnosed(resp.Diagnostics)
}

func (d *keyDriver) refresh() diagnoses {
	d.t.Helper()
	if d.state.IsNull() {
		return diagnoses{}
	}
	resp, err := d.server.ReadResource(d.t.Context(), &tfprotov6.ReadResourceRequest{TypeName: keyType, CurrentState: d.dynamic(d.state), Private: d.private})
	d.must(err)
	d.state, d.private = d.undynamic(resp.NewState), resp.Private
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

// planned is a plan after a refresh. Terraform plans a replacement a second time as a
// creation, with the private state that was planned, and shows only the errors of it.
func (d *keyDriver) planned(config args) keyPlan {
	d.t.Helper()
	d.walk()
	d.refresh()
	return d.plan(config)
}

// plan is a plan without a refresh.
func (d *keyDriver) plan(config args) keyPlan {
	d.t.Helper()
	p := d.change(config.value(d.typ), d.state, d.private)
	p.diagnoses = d.validate(config).and(p.diagnoses)
	switch {
	case len(p.errors) > 0:
	case d.state.IsNull():
		p.action = "create"
	case len(p.replaces) > 0:
		second := d.change(config.value(d.typ), d.null(), p.private)
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
	d.t.Helper()
	proposed := config
	if !config.IsNull() {
		attributes := apiKeySchema().Attributes
		proposed = tfvalue.Of(config).Map(func(name string, written tfvalue.Value) tfvalue.Value {
			if written.IsNull() && attributes[name].IsComputed() {
				return tfvalue.Of(prior).At(name)
			}
			return written
		}).Value
	}
	resp, err := d.server.PlanResourceChange(d.t.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: keyType, PriorState: d.dynamic(prior), ProposedNewState: d.dynamic(proposed), Config: d.dynamic(config), PriorPrivate: private,
	})
	d.must(err)
	p := keyPlan{diagnoses: diagnosed(resp.Diagnostics), planned: d.undynamic(resp.PlannedState), private: resp.PlannedPrivate}
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
	d.t.Helper()
	return d.carryOut(d.planned(config), append(known, config)[0])
}

// carryOut applies a plan: the destruction within a replacement at its time,
// and the plan once more before it is carried out.
func (d *keyDriver) carryOut(p keyPlan, config args) keyPlan {
	d.t.Helper()
	if p.action == "error" || p.action == "none" {
		return p
	}
	d.walk()
	if !d.deposed.IsNull() {
		p.diagnoses = p.and(d.applied(d.deposed, d.null(), d.null(), nil))
		d.deposed = d.null()
	}
	old, oldPrivate := d.state, d.private
	if p.action == "replace" {
		if d.state, d.private = d.null(), nil; !d.createFirst {
			p.diagnoses = p.and(d.applied(old, d.null(), d.null(), oldPrivate))
		}
	}
	again := d.change(config.value(d.typ), d.state, d.private)
	p.diagnoses = p.and(d.validate(config)).and(again.diagnoses)
	if len(again.replaces) > 0 {
		d.t.Errorf("inconsistent final plan: %s was planned, and now a replacement for %v", p.action, again.replaces)
	}
	if len(p.errors) > 0 {
		if p.action == "replace" && d.createFirst {
			d.deposed = old // Terraform doesn't bring it back
		}
		return p
	}
	p.diagnoses = p.and(d.applied(d.state, again.planned, config.value(d.typ), again.private))
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
	d.t.Helper()
	resp, err := d.server.ApplyResourceChange(d.t.Context(), &tfprotov6.ApplyResourceChangeRequest{
		TypeName: keyType, PriorState: d.dynamic(prior), PlannedState: d.dynamic(planned), Config: d.dynamic(config), PlannedPrivate: private,
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
			d.t.Errorf("inconsistent result after apply: %s is %s, and was planned as %s", name, got, value)
		}
	}
	return all
}

// destroy plans the destruction and carries it out.
func (d *keyDriver) destroy() (planned, applied diagnoses) {
	d.t.Helper()
	d.walk()
	d.refresh()
	planned = d.change(d.null(), d.state, d.private).diagnoses
	d.walk()
	applied = d.applied(d.state, d.null(), d.null(), d.private)
	d.reset()
	return planned, applied
}

// get is a string of the state, or "null".
func (d *keyDriver) get(name string) string {
	value := tfvalue.Of(d.state).At(name)
	if value.IsNull() {
		return "null"
	}
	if value.Type().Is(tftypes.String) {
		return value.Text()
	}
	return keyRules.Describe("", value)
}

// reset forgets the key.
func (d *keyDriver) reset() { d.state, d.private = d.null(), nil }
