package provider

import (
	"context"
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
	case struct{}:
		panic("a configuration can't spell an unknown value")
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

// keyDriver plays Terraform's part for one key over the protocol, in this
// process and on the fixture's clock: for tables that are too long for a
// terraform of each row's own. TestAPIKeyDriver holds it against the real one,
// call by call.
type keyDriver struct {
	t        *testing.T
	fixture  *fixture
	settings args
	// unconfigured is what Terraform validates with.
	unconfigured, server tfprotov6.ProviderServer
	typ                  tftypes.Object
	state                tftypes.Value
	private              []byte
	// deposed is an old key that the apply of a replacement left behind.
	deposed tftypes.Value
	// createFirst is create_before_destroy.
	createFirst bool
	calls       []string
}

// newKeyDriver configures a provider of its own, with further settings.
func (f *fixture) newKeyDriver(t *testing.T, settings args) *keyDriver {
	t.Helper()
	typ := keyObject(t)
	d := &keyDriver{
		t:            t,
		fixture:      f,
		unconfigured: f.freshServer(),
		typ:          typ,
		state:        tftypes.NewValue(typ, nil),
		deposed:      tftypes.NewValue(typ, nil),
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
	d.server = d.fixture.freshServer()
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
		return tftypes.NewValue(d.typ, nil)
	}
	value, err := dynamic.Unmarshal(d.typ)
	d.must(err)
	return value
}

const keyType = apiKeyType

// called keeps a line for a call as the recordingServer does.
func (d *keyDriver) called(call string, about *tfprotov6.DynamicValue, diagnostics []*tfprotov6.Diagnostic) {
	d.t.Helper()
	name := tfvalue.Of(d.undynamic(about)).At("name").Text()
	d.calls = append(d.calls, callLine(name, call, diagnostics))
}

// validate is what every command of Terraform begins with: what is written in
// the configuration is known, on a provider that is not configured.
func (d *keyDriver) validate(config args) diagnoses { return d.validateOn(d.unconfigured, config) }

func (d *keyDriver) validateOn(server tfprotov6.ProviderServer, config args) diagnoses {
	d.t.Helper()
	req := &tfprotov6.ValidateResourceConfigRequest{TypeName: keyType, Config: d.dynamic(config.value(d.typ))}
	resp, err := server.ValidateResourceConfig(d.t.Context(), req)
	d.must(err)
	d.called("validate", req.Config, resp.Diagnostics)
	return diagnosed(resp.Diagnostics)
}

func (d *keyDriver) refresh() diagnoses {
	d.t.Helper()
	if d.state.IsNull() {
		return diagnoses{}
	}
	req := &tfprotov6.ReadResourceRequest{TypeName: keyType, CurrentState: d.dynamic(d.state), Private: d.private}
	resp, err := d.server.ReadResource(d.t.Context(), req)
	d.must(err)
	d.called("read", req.CurrentState, resp.Diagnostics)
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

// plan makes a plan as Terraform does: it validates once more, on the configured
// provider, and plans a replacement a second time as a creation, with the
// private state that was planned, of which it shows the errors alone.
func (d *keyDriver) plan(config args) keyPlan {
	d.t.Helper()
	if all := d.validateOn(d.server, config); len(all.errors) > 0 {
		return keyPlan{diagnoses: all, action: "error"}
	}
	p := d.change(config.value(d.typ), d.state, d.private)
	switch {
	case len(p.errors) > 0:
		p.action = "error"
	case d.state.IsNull():
		p.action = "create"
	case len(p.replaces) > 0:
		second := d.change(config.value(d.typ), d.null(), p.private)
		second.action, second.replaces, second.warnings = "replace", p.replaces, p.warnings
		if p = second; len(p.errors) > 0 {
			p.action = "error"
		}
	case p.planned.Equal(d.state):
		p.action = "none"
	default:
		p.action = "update"
	}
	return p
}

func (d *keyDriver) null() tftypes.Value { return tftypes.NewValue(d.typ, nil) }

func (d *keyDriver) change(config, prior tftypes.Value, private []byte) keyPlan {
	d.t.Helper()
	proposed := config
	if !config.IsNull() {
		proposed = tfvalue.Of(config).Map(func(name string, written tfvalue.Value) tfvalue.Value {
			if attribute := apiKeySchema().Attributes[name]; written.IsNull() && attribute.IsComputed() {
				return tfvalue.Of(prior).At(name)
			}
			return written
		}).Value
	}
	req := &tfprotov6.PlanResourceChangeRequest{
		TypeName: keyType, PriorState: d.dynamic(prior), ProposedNewState: d.dynamic(proposed), Config: d.dynamic(config), PriorPrivate: private,
	}
	resp, err := d.server.PlanResourceChange(d.t.Context(), req)
	d.must(err)
	call, about := planCall(req)
	d.called(call, about, resp.Diagnostics)
	p := keyPlan{diagnoses: diagnosed(resp.Diagnostics), planned: d.undynamic(resp.PlannedState), private: resp.PlannedPrivate}
	for _, path := range resp.RequiresReplace {
		name := string(path.Steps()[0].(tftypes.AttributeName))
		if !tfvalue.Of(p.planned).At(name).Value.Equal(tfvalue.Of(prior).At(name).Value) { // Terraform overlooks the others
			p.replaces = append(p.replaces, name)
		}
	}
	slices.Sort(p.replaces)
	return p
}

// planned is a whole plan: validation and a read before it.
func (d *keyDriver) planned(config args) keyPlan {
	d.t.Helper()
	before := d.validate(config)
	d.walk()
	if len(before.errors) == 0 {
		before = before.and(d.refresh())
	}
	if len(before.errors) > 0 {
		return keyPlan{diagnoses: before, action: "error"}
	}
	p := d.plan(config)
	p.diagnoses = before.and(p.diagnoses)
	return p
}

// apply plans and applies. What is unknown in the first configuration has to
// be known in the second, which is the same if omitted.
func (d *keyDriver) apply(config args, known ...args) keyPlan {
	d.t.Helper()
	p := d.planned(config)
	if p.action == "error" || p.action == "none" {
		return p
	}
	return d.carryOut(d.t.Context(), p, append(known, config)[0])
}

// carryOut applies a plan: the destruction within a replacement at its time,
// and the plan once more before it is carried out.
func (d *keyDriver) carryOut(ctx context.Context, p keyPlan, config args) keyPlan {
	d.t.Helper()
	d.walk()
	old, oldPrivate := d.state, d.private
	prior, private := d.state, d.private
	if p.action == "replace" {
		if !d.createFirst {
			p.diagnoses = p.and(d.applyDestroy(old, oldPrivate))
		}
		d.state, d.private = d.null(), nil
		prior, private = d.null(), nil
	}
	again := d.recheck(config, prior, private)
	p.diagnoses = p.and(again.diagnoses)
	if len(again.replaces) > 0 {
		d.t.Errorf("inconsistent final plan: %s was planned, and now a replacement for %v", p.action, again.replaces)
	}
	if len(again.errors) > 0 {
		if p.action == "replace" && d.createFirst {
			d.deposed = old // nothing brings it back
		}
		return p
	}
	req := &tfprotov6.ApplyResourceChangeRequest{
		TypeName: keyType, PriorState: d.dynamic(prior), PlannedState: d.dynamic(again.planned), Config: d.dynamic(config.value(d.typ)), PlannedPrivate: again.private,
	}
	resp, err := d.server.ApplyResourceChange(ctx, req)
	d.must(err)
	call, about := applyCall(req)
	d.called(call, about, resp.Diagnostics)
	applied := diagnosed(resp.Diagnostics)
	p.diagnoses = p.and(applied)
	if state := d.undynamic(resp.NewState); len(applied.errors) == 0 || !state.IsNull() {
		d.state, d.private = state, resp.Private
	}
	if len(applied.errors) > 0 {
		if p.action == "replace" && d.createFirst {
			d.state, d.private = old, oldPrivate
		}
		return p
	}
	for name, value := range tfvalue.Of(again.planned).Members() {
		if got := tfvalue.Of(d.state).At(name); value.IsFullyKnown() && !got.Equal(value) {
			d.t.Errorf("inconsistent result after apply: %s is %s, and was planned as %s", name, got, value)
		}
	}
	if p.action == "replace" && d.createFirst {
		// Terraform plans the destruction of what it deposed once more.
		again := d.change(d.null(), old, oldPrivate)
		p.diagnoses = p.and(again.diagnoses).and(d.applyDestroy(old, oldPrivate))
	}
	return p
}

// recheck is the plan that Terraform makes within the apply.
func (d *keyDriver) recheck(config args, prior tftypes.Value, private []byte) keyPlan {
	d.t.Helper()
	if all := d.validateOn(d.server, config); len(all.errors) > 0 {
		return keyPlan{diagnoses: all}
	}
	return d.change(config.value(d.typ), prior, private)
}

func (d *keyDriver) applyDestroy(prior tftypes.Value, private []byte) diagnoses {
	d.t.Helper()
	req := &tfprotov6.ApplyResourceChangeRequest{
		TypeName: keyType, PriorState: d.dynamic(prior), PlannedState: d.dynamic(d.null()), Config: d.dynamic(d.null()), PlannedPrivate: private,
	}
	resp, err := d.server.ApplyResourceChange(d.t.Context(), req)
	d.must(err)
	call, about := applyCall(req)
	d.called(call, about, resp.Diagnostics)
	return diagnosed(resp.Diagnostics)
}

// destroy plans the destruction and carries it out. Terraform plans what the
// configuration says before, and shows nothing of that but errors.
func (d *keyDriver) destroy(config args) (planned, applied diagnoses) {
	d.t.Helper()
	d.validate(config)
	d.walk()
	d.refresh()
	d.plan(config)
	d.walk()
	planned = d.change(d.null(), d.state, d.private).diagnoses
	d.walk()
	applied = d.applyDestroy(d.state, d.private)
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
