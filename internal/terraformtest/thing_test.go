package terraformtest

import (
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// The provider of these tests: a thing has an attribute of each sort, and what becomes of
// it follows from the request, the step of the test and a seed. So both Terraforms get the
// same responses to the same requests.

type attribute = tfprotov6.SchemaAttribute

func nested(mode tfprotov6.SchemaObjectNestingMode, members ...*attribute) *tfprotov6.SchemaObject {
	return &tfprotov6.SchemaObject{Nesting: mode, Attributes: members}
}

// members are a name and attributes that are computed, or that may be.
func members(more ...*attribute) []*attribute {
	return append([]*attribute{
		{Name: "name", Type: tftypes.String, Optional: true},
		{Name: "both", Type: tftypes.String, Optional: true, Computed: true},
		{Name: "computed", Type: tftypes.String, Computed: true},
	}, more...)
}

const (
	single = tfprotov6.SchemaObjectNestingModeSingle
	list   = tfprotov6.SchemaObjectNestingModeList
	set    = tfprotov6.SchemaObjectNestingModeSet
	keyed  = tfprotov6.SchemaObjectNestingModeMap
)

var thingSchema = &tfprotov6.Schema{Block: &tfprotov6.SchemaBlock{Attributes: members(
	&attribute{Name: "life", Type: tftypes.String, Required: true},
	&attribute{Name: "forced", Type: tftypes.String, Optional: true},
	&attribute{Name: "once", Type: tftypes.String, Optional: true, WriteOnly: true},
	&attribute{Name: "tags", Type: tftypes.List{ElementType: tftypes.String}, Optional: true, Computed: true},
	&attribute{Name: "marks", Type: tftypes.Set{ElementType: tftypes.String}, Optional: true},
	&attribute{Name: "plain", NestedType: nested(single, members()...), Optional: true},
	&attribute{Name: "chosen", NestedType: nested(single, members()[1:]...), Optional: true, Computed: true},
	&attribute{Name: "one", NestedType: nested(single, members(
		&attribute{Name: "inner", NestedType: nested(single, members()...), Optional: true, Computed: true},
		&attribute{Name: "unseen", Type: tftypes.String, Optional: true, WriteOnly: true},
	)...), Optional: true, Computed: true},
	&attribute{Name: "items", NestedType: nested(list, members(
		&attribute{Name: "deep", NestedType: nested(single, members()...), Optional: true},
	)...), Optional: true},
	&attribute{Name: "both_items", NestedType: nested(list, members()...), Optional: true, Computed: true},
	&attribute{Name: "by_key", NestedType: nested(keyed, members(
		&attribute{Name: "deep", NestedType: nested(single, members()...), Optional: true, Computed: true},
	)...), Optional: true, Computed: true},
	&attribute{Name: "group", NestedType: nested(set, members(
		&attribute{Name: "deep", NestedType: nested(single, members()...), Optional: true, Computed: true},
		&attribute{Name: "row", NestedType: nested(list, members()...), Optional: true},
	)...), Optional: true, Computed: true},
)}}

var schema = NewSchema(thingSchema)

// things is the provider.
type things struct {
	tfprotov6.ProviderServer // what Terraform does not call

	seed uint64
	// careful are the lives in which a failure would leave a deposed object.
	careful map[string]bool
	// now is the command under way. terraform is another process, which orders no reads of it.
	now atomic.Pointer[command]
}

// command is a command of a step.
type command struct {
	step  int
	phase string // "trial", "plan" or "apply"

	mu sync.Mutex
	// calls are the requests so far, by life.
	calls map[string][]string
}

// requests are those about a life so far.
func (c *command) requests(life string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.calls[life]
}

// call notes a request, and returns what decides about the response.
func (t *things) call(life cty.Value, rpc string, private []byte, values ...cty.Value) (*rand.Rand, string) {
	now := t.now.Load()
	now.mu.Lock()
	defer now.mu.Unlock()
	name := life.GetAttr("life").AsString()
	text := rpc + " private " + string(private)
	for _, value := range values {
		text += "\n\t" + short(value)
	}
	now.calls[name] = append(now.calls[name], text)
	sum := fnv.New64a()
	fmt.Fprint(sum, now.step, name, rpc)
	if rpc != "read" { // a refresh has the same response in all commands of a step
		fmt.Fprint(sum, now.phase, text)
	}
	return rand.New(rand.NewPCG(sum.Sum64(), t.seed)), name
}

// short is an object in a request, without what is null in it.
func short(value cty.Value) string {
	switch typ := value.Type(); {
	case value.IsNull():
		return "null"
	case !value.IsKnown():
		return "?"
	case typ == cty.String:
		return strconv.Quote(value.AsString())
	case !value.CanIterateElements() || value.LengthInt() == 0:
		return "[]"
	}
	var all []string
	for key, element := range value.Elements() {
		text := short(element)
		if !value.Type().IsSetType() {
			text = formatPath(cty.IndexPath(key)) + text
		}
		if !value.Type().IsObjectType() || !element.IsNull() {
			all = append(all, text)
		}
	}
	return "{" + strings.Join(all, " ") + "}"
}

func decode(values ...*tfprotov6.DynamicValue) []cty.Value {
	all := make([]cty.Value, len(values))
	for i, value := range values {
		all[i] = must(schema.Decode(value))
	}
	return all
}

func boom(life string) []*tfprotov6.Diagnostic {
	return []*tfprotov6.Diagnostic{{Severity: tfprotov6.DiagnosticSeverityError, Summary: "Boom", Detail: "test_thing." + life}}
}

// mutate replaces a random part of an object that is not in a set.
func mutate(r *rand.Rand, object cty.Value, unknowns, writeOnly bool) cty.Value {
	var paths []cty.Path
	_ = cty.Walk(object, func(path cty.Path, part cty.Value) (bool, error) {
		a := attributes(thingSchema.Block.Attributes).at(path)
		if len(path) > 0 && !path.Equals(cty.GetAttrPath("life")) && (a == nil || !a.WriteOnly || writeOnly) {
			paths = append(paths, path.Copy())
		}
		return !part.Type().IsSetType(), nil
	})
	target := paths[r.IntN(len(paths))]
	return must(cty.Transform(object, func(path cty.Path, part cty.Value) (cty.Value, error) {
		if !path.Equals(target) {
			return part, nil
		}
		if unknowns && r.IntN(4) == 0 {
			return cty.UnknownVal(part.Type()), nil
		}
		return randomValue(r, part.Type()), nil
	}))
}

// randomValue is null or some value of a type.
func randomValue(r *rand.Rand, typ cty.Type) cty.Value {
	if r.IntN(4) == 0 {
		return cty.NullVal(typ)
	}
	switch {
	case typ == cty.String:
		return cty.StringVal([]string{"", "a", "b", "c"}[r.IntN(4)])
	case typ.IsObjectType():
		values := map[string]cty.Value{}
		for _, name := range slices.Sorted(maps.Keys(typ.AttributeTypes())) {
			values[name] = randomValue(r, typ.AttributeType(name))
			if name == "unseen" { // is write-only
				values[name] = cty.NullVal(cty.String)
			}
		}
		return cty.ObjectVal(values)
	}
	var elements []cty.Value
	for range r.IntN(3) {
		element := randomValue(r, typ.ElementType())
		for element.IsNull() {
			element = randomValue(r, typ.ElementType())
		}
		elements = append(elements, element)
	}
	if typ.IsMapType() {
		keyed := map[string]cty.Value{}
		for _, element := range elements {
			keyed[string(rune('a'+r.IntN(3)))] = element
		}
		return must(convert.Convert(cty.ObjectVal(keyed), typ))
	}
	return must(convert.Convert(cty.TupleVal(elements), typ))
}

// complete gives every computed attribute that has no value one, and takes away those that
// are write-only.
func complete(object cty.Value, value func(cty.Path, cty.Type) cty.Value) cty.Value {
	return must(cty.Transform(object, func(path cty.Path, part cty.Value) (cty.Value, error) {
		switch a := attributes(thingSchema.Block.Attributes).at(path); {
		case a == nil:
			return part, nil
		case a.WriteOnly:
			return cty.NullVal(part.Type()), nil
		case a.Computed && part.IsNull():
			return value(path, part.Type()), nil
		default:
			return part, nil
		}
	}))
}

// anywhere is a random value for each path, in whatever order parts are visited.
func anywhere(r *rand.Rand) func(cty.Path, cty.Type) cty.Value {
	salt := r.Uint64()
	return func(path cty.Path, typ cty.Type) cty.Value {
		at := fnv.New64a()
		fmt.Fprint(at, formatPath(path))
		return randomValue(rand.New(rand.NewPCG(at.Sum64(), salt)), typ)
	}
}

func (t *things) GetProviderSchema(context.Context, *tfprotov6.GetProviderSchemaRequest) (*tfprotov6.GetProviderSchemaResponse, error) {
	return &tfprotov6.GetProviderSchemaResponse{
		Provider:           &tfprotov6.Schema{Block: &tfprotov6.SchemaBlock{}},
		ResourceSchemas:    map[string]*tfprotov6.Schema{"test_thing": thingSchema},
		ServerCapabilities: &tfprotov6.ServerCapabilities{PlanDestroy: true},
	}, nil
}

func (t *things) GetResourceIdentitySchemas(context.Context, *tfprotov6.GetResourceIdentitySchemasRequest) (*tfprotov6.GetResourceIdentitySchemasResponse, error) {
	return &tfprotov6.GetResourceIdentitySchemasResponse{}, nil
}

func (t *things) ValidateProviderConfig(_ context.Context, req *tfprotov6.ValidateProviderConfigRequest) (*tfprotov6.ValidateProviderConfigResponse, error) {
	return &tfprotov6.ValidateProviderConfigResponse{PreparedConfig: req.Config}, nil
}

func (t *things) ConfigureProvider(context.Context, *tfprotov6.ConfigureProviderRequest) (*tfprotov6.ConfigureProviderResponse, error) {
	return &tfprotov6.ConfigureProviderResponse{}, nil
}

func (t *things) StopProvider(context.Context, *tfprotov6.StopProviderRequest) (*tfprotov6.StopProviderResponse, error) {
	return &tfprotov6.StopProviderResponse{}, nil
}

func (t *things) UpgradeResourceState(_ context.Context, req *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	return &tfprotov6.UpgradeResourceStateResponse{UpgradedState: &tfprotov6.DynamicValue{JSON: req.RawState.JSON}}, nil
}

func (t *things) ValidateResourceConfig(context.Context, *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return &tfprotov6.ValidateResourceConfigResponse{}, nil
}

func (t *things) ImportResourceState(_ context.Context, req *tfprotov6.ImportResourceStateRequest) (*tfprotov6.ImportResourceStateResponse, error) {
	imported := must(schema.Config(cty.ObjectVal(map[string]cty.Value{"life": cty.StringVal(req.ID)})))
	return &tfprotov6.ImportResourceStateResponse{ImportedResources: []*tfprotov6.ImportedResource{
		{TypeName: req.TypeName, State: schema.Encode(imported), Private: []byte("i")},
	}}, nil
}

func (t *things) ReadResource(_ context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	state := decode(req.CurrentState)[0]
	r, life := t.call(state, "read", req.Private, state)
	resp := &tfprotov6.ReadResourceResponse{Private: append(req.Private, 'r')}
	next, trial := complete(state, anywhere(r)), t.now.Load().phase == "trial"
	switch what := r.IntN(16); {
	case what < 5:
		next = mutate(r, next, trial, trial)
	case what == 5 && string(req.Private) != "i":
		next = cty.NullVal(schema.Type)
	case what == 6 && trial:
		resp.Diagnostics = boom(life)
	}
	resp.NewState = schema.Encode(next)
	return resp, nil
}

func (t *things) PlanResourceChange(_ context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	values := decode(req.Config, req.PriorState, req.ProposedNewState)
	config, prior, proposed := values[0], values[1], values[2]
	resp := &tfprotov6.PlanResourceChangeResponse{PlannedPrivate: append(req.PriorPrivate, 'p'), PlannedState: req.ProposedNewState}
	if config.IsNull() {
		_, _ = t.call(prior, "plan", req.PriorPrivate, values...)
		return resp, nil
	}
	r, life := t.call(config, "plan", req.PriorPrivate, values...)
	planned := complete(proposed, func(_ cty.Path, typ cty.Type) cty.Value { return cty.UnknownVal(typ) })
	if !prior.IsNull() && !same(planned, prior) {
		computed := planned.AsValueMap()
		computed["computed"] = cty.UnknownVal(cty.String)
		planned = cty.ObjectVal(computed)
	}
	switch phase := t.now.Load().phase; {
	case phase == "trial" && r.IntN(20) == 0:
		resp.Diagnostics = boom(life)
	case phase == "trial" && r.IntN(2) == 0, phase == "apply" && r.IntN(6) == 0 && !t.careful[life]:
		planned = mutate(r, planned, true, true)
	}
	resp.RequiresReplace = []*tftypes.AttributePath{tftypes.NewAttributePath().WithAttributeName("forced")}
	resp.PlannedState = schema.Encode(planned)
	return resp, nil
}

func (t *things) ApplyResourceChange(_ context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	values := decode(req.Config, req.PriorState, req.PlannedState)
	planned := values[2]
	resp := &tfprotov6.ApplyResourceChangeResponse{Private: append(req.PlannedPrivate, 'a')}
	if planned.IsNull() {
		r, life := t.call(values[1], "apply", req.PlannedPrivate, values...)
		resp.NewState = req.PlannedState
		if what := r.IntN(16); what < 2 && !t.careful[life] {
			resp.NewState = req.PriorState
			if what == 0 {
				resp.Diagnostics = boom(life)
			}
		}
		return resp, nil
	}
	r, life := t.call(planned, "apply", req.PlannedPrivate, values...)
	value := anywhere(r)
	state := must(cty.Transform(planned, func(path cty.Path, part cty.Value) (cty.Value, error) {
		if part.IsKnown() {
			return part, nil
		}
		return value(path, part.Type()), nil
	}))
	mayLeave := !t.careful[life] && !values[1].IsNull() // Terraform 1.16.0 crashes where a creation fails and leaves something
	switch what := r.IntN(12); {
	case what < 3 && mayLeave:
		state = mutate(r, state, true, false) // Terraform 1.11 loses an object with a write-only value
	case what == 3 && mayLeave:
		resp.Diagnostics = boom(life)
	case what == 4:
		state, resp.Diagnostics = cty.NullVal(schema.Type), boom(life)
	case what == 5:
		state = cty.NullVal(schema.Type)
	}
	resp.NewState = schema.Encode(state)
	return resp, nil
}
