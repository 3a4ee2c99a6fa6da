package provider

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/msgpack"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// managed is one resource block for an adopted object, and plays Terraform's part for it
// over the protocol, in this process: it plans, plans again in the apply, and fails the
// test for what Terraform blames a provider for. Tests that need Terraform itself have
// a workspace.
type managed struct {
	*fixture
	name   string
	typ    tftypes.Object
	schema []*tfprotov6.SchemaAttribute
	id     string // the object's own
	ids    map[string]cty.Value

	// arguments are written as in a configuration, lifecycle included. In them, later is
	// known only after apply: an object, or whatever a test needs.
	arguments string
	later     cty.Value
	known     bool // in plans too, since an apply

	state   tfvalue.Value
	private []byte
}

// played is what a plan or an apply came to.
type played struct {
	diagnoses
	// action is "create", "update", "replace", "none", "delete", or "error".
	action       string
	prior        tfvalue.Value
	planned      tfvalue.Value
	priorPrivate []byte
}

// later is what is known only after apply, unless a test has a value of its own.
var later = cty.ObjectVal(map[string]cty.Value{
	"text": cty.StringVal("later"), "number": cty.NumberIntVal(5), "none": cty.NullVal(cty.DynamicPseudoType),
})

var schemasOnce = sync.OnceValue(func() *tfprotov6.GetProviderSchemaResponse { return serverOf(newProvider("test")).schemas() })

func (f *fixture) manage(name, id, arguments string, ids map[string]cty.Value) *managed {
	schema := schemasOnce().ResourceSchemas[name]
	typ := schema.ValueType().(tftypes.Object)
	return &managed{fixture: f, name: name, typ: typ, schema: schema.Block.Attributes, id: id, ids: ids, arguments: arguments, later: later, state: tfvalue.Null(typ)}
}

// pipe is a block for a pipe of the first service.
func (f *fixture) pipe(id, arguments string) *managed {
	return f.manage("dataplatform_pipe", id, arguments, map[string]cty.Value{"service_id": cty.StringVal(mockplatform.ServiceID), "pipe_id": cty.StringVal(id)})
}

// scaling is a block for the scaling of a service.
func (f *fixture) scaling(id, arguments string) *managed {
	return f.manage("dataplatform_service_scaling", id, arguments, map[string]cty.Value{"service_id": cty.StringVal(id)})
}

// start returns a provider that is configured for the fixture. Terraform starts one for
// each plan and for each apply. Settings are added to those of the fixture, or replace
// them.
func (f *fixture) start(settings ...map[string]any) server {
	f.t.Helper()
	s := serverOf(&dataplatformProvider{version: "test", now: f.now})
	s.schemas = schemasOnce
	all := map[string]any{"base_url": f.url, "organization_id": mockplatform.OrganizationID, "key_id": "demo-key-id", "key_secret": "demo-key-secret", "retry_timeout": "5s"}
	for _, more := range settings {
		maps.Copy(all, more)
	}
	resp, err := s.ConfigureProvider(f.t.Context(), &tfprotov6.ConfigureProviderRequest{Config: dynamic(f.t, providerConfig(all))})
	if err != nil || len(resp.Diagnostics) > 0 {
		f.t.Fatal(err, resp.Diagnostics)
	}
	return s
}

// config evaluates the arguments, and returns what they ignore.
func (b *managed) config(inPlan bool) (config tfvalue.Value, ignored []tfvalue.Path) {
	b.t.Helper()
	file, diags := hclsyntax.ParseConfig([]byte(b.arguments), "arguments", hcl.InitialPos)
	if diags.HasErrors() {
		b.t.Fatal(diags)
	}
	body, values, known := file.Body.(*hclsyntax.Body), maps.Clone(b.ids), b.later
	if inPlan && !b.known {
		known = cty.DynamicVal
	}
	for name, attribute := range body.Attributes {
		value, diags := attribute.Expr.Value(&hcl.EvalContext{Variables: map[string]cty.Value{"later": known}})
		if _, exists := b.typ.AttributeTypes[name]; !exists || diags.HasErrors() {
			b.t.Fatal(name, diags)
		}
		values[name] = value
	}
	for _, inner := range body.Blocks {
		paths := ignoredPaths(inner.Body.Attributes["ignore_changes"].Expr)
		if len(paths) == 0 {
			b.t.Fatal("the test ignores nothing that it could follow")
		}
		ignored = append(ignored, paths...)
	}
	typ := ctyType(b.typ)
	object, err := convert.Convert(cty.ObjectVal(values), typ) // drops misspelled members of objects, like Terraform
	if err != nil {
		b.t.Fatal(err)
	}
	packed, err := msgpack.Marshal(object, typ.WithoutOptionalAttributesDeep())
	if err != nil {
		b.t.Fatal(err)
	}
	return b.read(&tfprotov6.DynamicValue{MsgPack: packed}), ignored
}

func ignoredPaths(list hcl.Expression) (paths []tfvalue.Path) {
	expressions, _ := hcl.ExprList(list)
	for _, expression := range expressions {
		var path tfvalue.Path
		traversal, _ := hcl.AbsTraversalForExpr(expression)
		for _, step := range traversal {
			switch s := step.(type) {
			case hcl.TraverseRoot:
				path = append(path, s.Name)
			case hcl.TraverseAttr:
				path = append(path, s.Name)
			}
		}
		paths = append(paths, path)
	}
	return paths
}

// ctyType is a type in Terraform's own library, with attributes that may be omitted.
func ctyType(typ tftypes.Type) cty.Type {
	switch t := typ.(type) {
	case tftypes.Object:
		members, names := map[string]cty.Type{}, []string{}
		for name, member := range t.AttributeTypes {
			members[name], names = ctyType(member), append(names, name)
		}
		return cty.ObjectWithOptionalAttrs(members, names)
	case tftypes.List:
		return cty.List(ctyType(t.ElementType))
	case tftypes.Set:
		return cty.Set(ctyType(t.ElementType))
	}
	switch {
	case typ.Is(tftypes.Bool):
		return cty.Bool
	case typ.Is(tftypes.Number):
		return cty.Number
	default:
		return cty.String
	}
}

func (b *managed) read(value *tfprotov6.DynamicValue) tfvalue.Value {
	b.t.Helper()
	read, err := value.Unmarshal(b.typ)
	if err != nil {
		b.t.Fatal(err)
	}
	return tfvalue.Of(read)
}

func (b *managed) dynamic(value tfvalue.Value) *tfprotov6.DynamicValue {
	return dynamic(b.t, value.Value)
}

// add adds diagnostics to a result, and reports whether none is an error.
func (r *played) add(found []*tfprotov6.Diagnostic) bool {
	all := diagnosed(found)
	r.diagnoses = r.and(all)
	return len(all.errors) == 0
}

// check fails the test for an error of the protocol.
func (b *managed) check(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// blame fails the test for what Terraform reports as bugs of the provider.
func (b *managed) blame(what string, faults []string) {
	b.t.Helper()
	for _, fault := range faults {
		b.t.Errorf("%s %s: %s: %s", b.name, b.id, what, fault)
	}
}

// refreshed returns the state after a read.
func (b *managed) refreshed(s server, state tfvalue.Value, private []byte, r *played) (tfvalue.Value, []byte, bool) {
	b.t.Helper()
	if state.IsNull() {
		return state, private, true
	}
	resp, err := s.ReadResource(b.t.Context(), &tfprotov6.ReadResourceRequest{TypeName: b.name, CurrentState: b.dynamic(state), Private: private})
	b.check(err)
	if !r.add(resp.Diagnostics) {
		return state, private, false
	}
	next := b.read(resp.NewState)
	b.blame("invalid object after refresh", faultsOf(b.schema, tfvalue.Null(b.typ), tfvalue.Null(b.typ), next, ""))
	return next, resp.Private, true
}

// tryPlan refreshes and plans with a provider.
func (b *managed) tryPlan(s server) *played {
	b.t.Helper()
	r := &played{action: "error"}
	state, private, ok := b.refreshed(s, b.state, b.private, r)
	if ok {
		b.change(s, state, private, true, r)
	}
	return r
}

// change plans a change of a state.
func (b *managed) change(s server, prior tfvalue.Value, priorPrivate []byte, inPlan bool, r *played) (private []byte) {
	b.t.Helper()
	r.action, r.prior, r.priorPrivate = "error", prior, priorPrivate
	written, paths := b.config(inPlan)
	valid, err := s.ValidateResourceConfig(b.t.Context(), &tfprotov6.ValidateResourceConfigRequest{
		TypeName: b.name, Config: b.dynamic(written), ClientCapabilities: &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: true},
	})
	b.check(err)
	if !r.add(valid.Diagnostics) {
		return nil
	}
	config := written
	for _, path := range paths {
		if !prior.IsNull() {
			config = config.With(prior.At(path...), path...)
		}
	}
	resp := b.planChange(s, config, prior, priorPrivate)
	if !r.add(resp.Diagnostics) {
		return nil
	}
	r.planned = b.read(resp.PlannedState)
	switch {
	case len(resp.RequiresReplace) > 0:
		// The new object is planned from the configuration as it is written. Terraform
		// shows no warnings of that plan.
		resp = b.planChange(s, written, tfvalue.Null(b.typ), resp.PlannedPrivate)
		if errors := diagnosed(resp.Diagnostics).errors; len(errors) > 0 {
			r.add(resp.Diagnostics)
			return nil
		}
		r.planned, r.action = b.read(resp.PlannedState), "replace"
	case prior.IsNull():
		r.action = "create"
	case r.planned.Equal(prior):
		r.action = "none"
	default:
		r.action = "update"
	}
	return resp.PlannedPrivate
}

func (b *managed) planChange(s server, config, prior tfvalue.Value, private []byte) *tfprotov6.PlanResourceChangeResponse {
	b.t.Helper()
	resp, err := s.PlanResourceChange(b.t.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: b.name, Config: b.dynamic(config), PriorState: b.dynamic(prior), ProposedNewState: b.dynamic(config), PriorPrivate: private,
	})
	b.check(err)
	if len(diagnosed(resp.Diagnostics).errors) == 0 {
		b.blame("invalid plan", faultsOf(b.schema, config, prior, b.read(resp.PlannedState), ""))
	}
	return resp
}

// carryOut applies a plan, which may be old, with a provider.
func (b *managed) carryOut(s server, r *played) {
	b.t.Helper()
	if r.action == "error" {
		b.t.Fatal(r)
	}
	b.state, b.private = r.prior, r.priorPrivate
	prior, priorPrivate, planned := r.prior, r.priorPrivate, r.action
	switch planned {
	case "none":
		return
	case "replace": // the old object goes first
		b.state, b.private, prior, priorPrivate = tfvalue.Null(b.typ), nil, tfvalue.Null(b.typ), nil
	}
	b.known = strings.Contains(b.arguments, "later")
	shown, again := r.planned, &played{}
	private := b.change(s, prior, priorPrivate, false, again)
	r.errors = append(r.errors, again.errors...)
	if again.action == "error" {
		return
	}
	if again.action != planned && (planned != "update" || again.action != "none") && (planned != "replace" || again.action != "create") {
		b.blame("inconsistent final plan", []string{planned + ", then " + again.action})
	}
	b.blame("inconsistent final plan", differences(shown, again.planned, ""))
	r.planned = again.planned
	if again.action == "none" {
		return
	}
	config, _ := b.config(false)
	resp, err := s.ApplyResourceChange(b.t.Context(), &tfprotov6.ApplyResourceChangeRequest{
		TypeName: b.name, Config: b.dynamic(config), PriorState: b.dynamic(prior), PlannedState: b.dynamic(again.planned), PlannedPrivate: private,
	})
	b.check(err)
	succeeded, state := r.add(resp.Diagnostics), b.read(resp.NewState)
	b.blame("invalid object after apply", faultsOf(b.schema, tfvalue.Null(b.typ), tfvalue.Null(b.typ), state, ""))
	if succeeded {
		b.blame("inconsistent result after apply", differences(again.planned, state, ""))
	}
	if !state.IsNull() {
		b.state, b.private = state, resp.Private
	}
}

// faultsOf are the reasons for which Terraform rejects a plan, or an object if there is
// no configuration.
func faultsOf(schema []*tfprotov6.SchemaAttribute, config, prior, planned tfvalue.Value, at string) (faults []string) {
	if !config.IsNull() && !config.IsKnown() || planned.IsNull() {
		return nil
	}
	for _, a := range schema {
		wrote, was, will, here := config.At(a.Name), prior.At(a.Name), planned.At(a.Name), strings.TrimPrefix(at+"."+a.Name, ".")
		single := a.NestedType != nil && a.NestedType.Nesting == tfprotov6.SchemaObjectNestingModeSingle
		switch {
		case a.WriteOnly && !will.IsNull():
			faults = append(faults, here+" is write-only, and has a value")
		case a.WriteOnly:
		case single && will.IsObject() && (wrote.IsObject() || config.IsNull()):
			faults = append(faults, faultsOf(a.NestedType.Attributes, wrote, was, will, here)...)
		case config.IsNull():
			if !will.IsFullyKnown() {
				faults = append(faults, here+" is unknown")
			}
		case wrote.IsNull() && !a.Computed && !will.IsNull():
			faults = append(faults, here+" is planned, and cannot be computed")
		case wrote.IsNull(), will.Equal(wrote), will.Equal(was):
		case a.NestedType != nil && a.NestedType.Nesting == tfprotov6.SchemaObjectNestingModeSet && (!wrote.IsFullyKnown() || len(will.Elements()) == len(wrote.Elements())):
			// Elements of a set have no counterpart.
		default:
			faults = append(faults, fmt.Sprintf("%s is set to %v, and planned as %v", here, wrote, will))
		}
	}
	return faults
}

// differences are the values that a plan showed, and that are others now.
func differences(planned, now tfvalue.Value, at string) (all []string) {
	switch {
	case !planned.IsKnown():
	case planned.IsObject() && now.IsObject():
		for name, member := range planned.Members() {
			all = append(all, differences(member, now.At(name), strings.TrimPrefix(at+"."+name, "."))...)
		}
	case planned.Equal(now):
	case !planned.IsFullyKnown() && now.IsKnown() && !slices.ContainsFunc(planned.Elements(), func(element tfvalue.Value) bool {
		return !slices.ContainsFunc(now.Elements(), func(other tfvalue.Value) bool { return len(differences(element, other, "")) == 0 })
	}):
	default:
		all = append(all, fmt.Sprintf("%s was %v, and is %v", at, planned, now))
	}
	return all
}
