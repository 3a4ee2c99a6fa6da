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
	raw          []*tfprotov6.Diagnostic
}

// later is what is known only after apply, unless a test has a value of its own.
var later = cty.ObjectVal(map[string]cty.Value{
	"text": cty.StringVal("later"), "number": cty.NumberIntVal(5), "fraction": cty.NumberFloatVal(5.5), "none": cty.NullVal(cty.DynamicPseudoType),
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
		ignored = append(ignored, ignoredPaths(inner.Body.Attributes["ignore_changes"].Expr)...)
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
	r.diagnoses, r.raw = r.and(all), append(r.raw, found...)
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
	r.errors, r.raw = append(r.errors, again.errors...), append(r.raw, again.raw...)
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
	case !planned.IsFullyKnown() && now.IsKnown() && len(planned.Elements()) == len(now.Elements()), planned.Equal(now):
	default:
		all = append(all, fmt.Sprintf("%s was %v, and is %v", at, planned, now))
	}
	return all
}

// The commands of a user. Those that are not expected to fail end the test if they do.

// tryApply plans and applies.
func (b *managed) tryApply() *played {
	b.t.Helper()
	r := b.tryPlan(b.start())
	if r.action != "error" {
		b.carryOut(b.start(), r)
	}
	return r
}

// tryApplyWithoutRefresh is an apply with -refresh=false.
func (b *managed) tryApplyWithoutRefresh() *played {
	b.t.Helper()
	r := &played{}
	b.change(b.start(), b.state, b.private, true, r)
	if r.action != "error" {
		b.carryOut(b.start(), r)
	}
	return r
}

// learn makes another value known only after apply.
func (b *managed) learn(later cty.Value) { b.later, b.known = later, false }

func (b *managed) must(r *played) *played {
	b.t.Helper()
	if len(r.errors) > 0 {
		b.t.Fatal(r)
	}
	return r
}

func (b *managed) plan() *played { b.t.Helper(); return b.must(b.tryPlan(b.start())) }

func (b *managed) apply() *played { b.t.Helper(); return b.must(b.tryApply()) }

// applyPlan applies a plan that was made before.
func (b *managed) applyPlan(r *played) *played {
	b.t.Helper()
	b.carryOut(b.start(), r)
	return b.must(r)
}

// applyAs sets other arguments, and applies them.
func (b *managed) applyAs(arguments string) *played {
	b.t.Helper()
	b.arguments = arguments
	return b.apply()
}

// refresh is an apply with -refresh-only, which may fail.
func (b *managed) refresh() *played {
	b.t.Helper()
	r := &played{}
	b.state, b.private, _ = b.refreshed(b.start(), b.state, b.private, r)
	return r
}

// imports takes an object into the state.
func (b *managed) imports(id string) *played { b.t.Helper(); return b.importsWith(b.start(), id) }

func (b *managed) importsWith(s server, id string) *played {
	b.t.Helper()
	r := &played{}
	resp, err := s.ImportResourceState(b.t.Context(), &tfprotov6.ImportResourceStateRequest{TypeName: b.name, ID: id})
	b.check(err)
	if r.add(resp.Diagnostics) {
		object := resp.ImportedResources[0]
		b.state, b.private, _ = b.refreshed(s, b.read(object.State), object.Private, r)
	}
	return r
}

// together are the blocks of one configuration: one provider plans all of them, another one
// applies them, ten at a time.
type together struct {
	blocks   []*managed
	settings map[string]any
}

// each calls a function for each block, and returns what came of them.
func (all together) each(do func(s server, i int) *played) []*played {
	all.blocks[0].t.Helper()
	s, results := all.blocks[0].start(all.settings), make([]*played, len(all.blocks))
	var wait sync.WaitGroup
	slots := make(chan struct{}, 10)
	for i := range all.blocks {
		wait.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			results[i] = do(s, i)
		})
	}
	wait.Wait()
	return results
}

func (all together) tryPlan() []*played {
	return all.each(func(s server, i int) *played { return all.blocks[i].tryPlan(s) })
}

func (all together) apply() []*played {
	plans := all.tryPlan()
	return all.each(func(s server, i int) *played {
		if plans[i].action != "error" {
			all.blocks[i].carryOut(s, plans[i])
		}
		return all.blocks[i].must(plans[i])
	})
}

func (all together) refresh() []*played {
	return all.each(func(s server, i int) *played {
		b, r := all.blocks[i], &played{}
		b.state, b.private, _ = b.refreshed(s, b.state, b.private, r)
		return r
	})
}

// refuses expects one error, with these texts, and that nothing is sent.
func (b *managed) refuses(r *played, texts ...string) {
	b.t.Helper()
	if len(r.errors) != 1 {
		b.t.Errorf("%d errors, want one with %q: %s", len(r.errors), texts, r)
		return
	}
	wantText(b.t, folded(r.errors[0]), texts...)
	wantNoText(b.t, r.errors[0], "hush-hush")
	b.wantPatches(b.id)
}

// wantQuiet fails unless the next plan is empty, warns about nothing and sends nothing.
func (b *managed) wantQuiet() {
	b.t.Helper()
	sent := len(b.patches(b.id))
	r := b.plan()
	warnings := slices.DeleteFunc(r.warnings, func(warning string) bool { return strings.HasPrefix(warning, "Attribute Deprecated") })
	if r.action != "none" || len(warnings) > 0 {
		b.t.Errorf("the next plan is not empty: %s %v, warnings %q", r.action, r.changed(), warnings)
	}
	if all := b.patches(b.id); len(all) != sent {
		b.t.Errorf("a plan sends %q", all[sent:])
	}
}

// sends fails unless exactly these PATCHes were sent since the last call.
func (b *managed) sends(want ...string) {
	b.t.Helper()
	b.wantPatches(b.id, want...)
	b.ResetJournal()
}

// changed and unknown are the dotted paths of what a plan changes to a known value, and
// of what it leaves until after the apply.
func (r *played) changed() (paths []string) {
	r.walk(r.prior, r.planned, "", &paths, nil)
	return paths
}
func (r *played) unknown() (paths []string) {
	r.walk(r.prior, r.planned, "", nil, &paths)
	return paths
}

func (r *played) walk(was, will tfvalue.Value, at string, changed, unknown *[]string) {
	at = strings.TrimPrefix(at, ".")
	switch {
	case !will.IsFullyKnown() && !will.IsObject():
		if unknown != nil {
			*unknown = append(*unknown, at)
		}
	case will.IsObject() && was.IsObject():
		for name, member := range will.Members() {
			r.walk(was.At(name), member, at+"."+name, changed, unknown)
		}
	case changed != nil && !will.Equal(was):
		*changed = append(*changed, at)
	}
}

// shown is a value as JSON has it.
func shownValue(v tfvalue.Value) any {
	switch {
	case v.IsNull() || !v.IsKnown():
		return nil
	case v.IsObject():
		all := object{}
		for name, member := range v.Members() {
			all[name] = shownValue(member)
		}
		return all
	case v.Type().Is(tftypes.String):
		return v.Text()
	case v.Type().Is(tftypes.Bool):
		return v.True()
	case v.Type().Is(tftypes.Number):
		return v.Number().Text('f', -1)
	default:
		all := []any{}
		for _, element := range v.Elements() {
			all = append(all, shownValue(element))
		}
		return all
	}
}

// shown is the state as JSON has it.
func (b *managed) shown() object {
	all, _ := shownValue(b.state).(object)
	return all
}

// wantState fails unless the state has what the platform has.
func (b *managed) wantState() {
	b.t.Helper()
	checkPipeState(b.t, b.fixture, b.name, map[string]object{b.name: b.shown()}, b.id)
}
