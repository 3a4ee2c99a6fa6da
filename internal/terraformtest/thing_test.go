package terraformtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// The provider of these tests, and a real terraform before it: a thing has an attribute of each sort, and what becomes of
// it follows from the request, the step of the test and a seed. So both get the same responses to the same requests.

func TestMain(m *testing.M) {
	Isolate("TF_")
	os.Exit(m.Run())
}

type attribute = tfprotov6.SchemaAttribute

const (
	address = "registry.terraform.io/test/test"
	single  = tfprotov6.SchemaObjectNestingModeSingle
	list    = tfprotov6.SchemaObjectNestingModeList
	set     = tfprotov6.SchemaObjectNestingModeSet
	keyed   = tfprotov6.SchemaObjectNestingModeMap
)

// members are a name and attributes that are computed, or that may be.
func members(more ...*attribute) []*attribute {
	return append([]*attribute{
		{Name: "name", Type: tftypes.String, Optional: true},
		{Name: "both", Type: tftypes.String, Optional: true, Computed: true},
		{Name: "computed", Type: tftypes.String, Computed: true},
	}, more...)
}

func nested(name string, computed bool, mode tfprotov6.SchemaObjectNestingMode, members ...*attribute) *attribute {
	return &attribute{Name: name, NestedType: &tfprotov6.SchemaObject{Nesting: mode, Attributes: members}, Optional: true, Computed: computed}
}

var (
	thingSchema = &tfprotov6.Schema{Block: &tfprotov6.SchemaBlock{Attributes: members(
		&attribute{Name: "life", Type: tftypes.String, Required: true},
		&attribute{Name: "forced", Type: tftypes.String, Optional: true},
		&attribute{Name: "once", Type: tftypes.String, Optional: true, WriteOnly: true},
		&attribute{Name: "tags", Type: tftypes.List{ElementType: tftypes.String}, Optional: true, Computed: true},
		&attribute{Name: "marks", Type: tftypes.Set{ElementType: tftypes.String}, Optional: true},
		nested("one", true, single, members(
			nested("inner", true, single, members()...),
			&attribute{Name: "unseen", Type: tftypes.String, Optional: true, WriteOnly: true},
		)...),
		nested("items", false, list, members(nested("deep", false, single, members()...))...),
		nested("chosen", true, list, members()[1:]...),
		nested("by_key", true, keyed, members(nested("deep", true, single, members()...))...),
		nested("group", true, set, members()[0], &attribute{Name: "note", Type: tftypes.String, Optional: true}),
	)}}
	schema = NewSchema(thingSchema)
)

// things is the provider.
type things struct {
	tfprotov6.ProviderServer // what Terraform does not call

	seed    uint64
	careful map[string]bool         // lives in which a failure would leave a deposed object
	now     atomic.Pointer[command] // terraform is another process, which orders no reads of it
}

// command is a command of a step, with the requests so far, by life.
type command struct {
	step  int
	phase string // "trial", "plan" or "apply"
	mu    sync.Mutex
	calls map[string][]string
}

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
	for i := range values {
		values[i] = unrefined(values[i]) // Terraform sends no refinements
	}
	name, text := life.GetAttr("life").AsString(), fmt.Sprintf("%s private %s %#v", rpc, private, values)
	now.calls[name] = append(now.calls[name], text)
	sum := fnv.New64a()
	fmt.Fprint(sum, now.step, name, rpc)
	if rpc != "read" { // a refresh has the same response in all commands of a step
		fmt.Fprint(sum, now.phase, text)
	}
	return rand.New(rand.NewPCG(sum.Sum64(), t.seed)), name
}

func decode(values ...*tfprotov6.DynamicValue) []cty.Value {
	all := make([]cty.Value, len(values))
	for i, value := range values {
		all[i] = must(schema.Decode(value))
	}
	return all
}

func encoded(value any) []byte { return must(json.Marshal(value)) }

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
		switch {
		case !path.Equals(target):
			return part, nil
		case unknowns && r.IntN(4) == 0:
			return cty.UnknownVal(part.Type()), nil
		default:
			return randomValue(r, part.Type()), nil
		}
	}))
}

// randomValue is null or some value of a type.
func randomValue(r *rand.Rand, typ cty.Type) cty.Value {
	switch {
	case r.IntN(4) == 0:
		return cty.NullVal(typ)
	case typ == cty.String:
		return cty.StringVal([]string{"", "a", "b", "c"}[r.IntN(4)])
	case typ.IsObjectType():
		values := map[string]cty.Value{}
		for _, name := range slices.Sorted(maps.Keys(typ.AttributeTypes())) {
			if values[name] = randomValue(r, typ.AttributeType(name)); name == "unseen" { // is write-only
				values[name] = cty.NullVal(cty.String)
			}
		}
		return cty.ObjectVal(values)
	}
	var elements []cty.Value
	byKey := map[string]cty.Value{}
	for range r.IntN(3) {
		if element := randomValue(r, typ.ElementType()); !element.IsNull() {
			elements, byKey[string(rune('a'+r.IntN(3)))] = append(elements, element), element
		}
	}
	if typ.IsMapType() {
		return must(convert.Convert(cty.ObjectVal(byKey), typ))
	}
	return must(convert.Convert(cty.TupleVal(elements), typ))
}

// complete gives every computed attribute that has no value one, and takes away those that are write-only.
func complete(object cty.Value, value func(cty.Path, cty.Type) cty.Value) cty.Value {
	return must(cty.Transform(object, func(path cty.Path, part cty.Value) (cty.Value, error) {
		switch a := attributes(thingSchema.Block.Attributes).at(path); {
		case a != nil && a.WriteOnly:
			return cty.NullVal(part.Type()), nil
		case a != nil && a.Computed && part.IsNull():
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
		Provider: &tfprotov6.Schema{Block: &tfprotov6.SchemaBlock{}}, ResourceSchemas: map[string]*tfprotov6.Schema{"test_thing": thingSchema},
		ServerCapabilities: &tfprotov6.ServerCapabilities{PlanDestroy: true},
	}, nil
}

func (t *things) GetResourceIdentitySchemas(
	context.Context, *tfprotov6.GetResourceIdentitySchemasRequest,
) (*tfprotov6.GetResourceIdentitySchemasResponse, error) {
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
	config, prior := values[0], values[1]
	resp := &tfprotov6.PlanResourceChangeResponse{PlannedPrivate: append(req.PriorPrivate, 'p'), PlannedState: req.ProposedNewState}
	if config.IsNull() {
		_, _ = t.call(prior, "plan", req.PriorPrivate, values...)
		return resp, nil
	}
	r, life := t.call(config, "plan", req.PriorPrivate, values...)
	planned := complete(values[2], func(_ cty.Path, typ cty.Type) cty.Value { return cty.UnknownVal(typ) })
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

// program is a real terraform before a provider in this process.
type program struct {
	*Workspace
	// older is a Terraform before 1.16, which plans a destruction before it refreshes. endsEarly is one from 1.14 on: where
	// something fails, it says less, and not always the same.
	older, endsEarly bool
}

func newProgram(t *testing.T, provider tfprotov6.ProviderServer) *program {
	t.Helper()
	under := ProgramUnder(t)
	// OpenTofu (1.11) panics where a plan that breaks the rules has an unknown value, and words other faults
	// otherwise, so the two can only be compared with Terraform.
	if under.OpenTofu || under.OlderThan("1.11", "") {
		t.Skipf("needs Terraform 1.11 with its write-only arguments, and this is %s", under)
	}
	configs, closed := make(chan *plugin.ReattachConfig, 1), make(chan struct{})
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		_ = tf6server.Serve(address, func() tfprotov6.ProviderServer { return provider },
			tf6server.WithDebug(ctx, configs, closed), tf6server.WithGoPluginLogger(hclog.NewNullLogger()), tf6server.WithLoggingSink(t))
	}()
	t.Cleanup(func() { cancel(); <-closed })
	reattach := <-configs
	text := encoded(map[string]any{address: map[string]any{
		"Protocol": reattach.Protocol, "ProtocolVersion": 6, "Pid": reattach.Pid, "Test": true,
		"Addr": map[string]string{"Network": reattach.Addr.Network(), "String": reattach.Addr.String()},
	}})
	w := &Workspace{T: t, Dir: t.TempDir(), Env: append(os.Environ(), "TF_REATTACH_PROVIDERS="+string(text), "TF_IN_AUTOMATION=1")}
	return &program{w, under.OlderThan("1.16", ""), !under.OlderThan("1.14", "")}
}

// configure writes the configuration of a step.
func (w *program) configure(lives []*life) {
	w.T.Helper()
	things, data, imports := map[string]any{}, map[string]any{}, []any{}
	for _, l := range lives {
		if l.written == nil {
			continue
		}
		ignored := []string{}
		for _, path := range l.IgnoreChanges {
			ignored = append(ignored, formatPath(path)[1:])
		}
		thing := maps.Clone(l.written)
		thing["lifecycle"] = map[string]any{"create_before_destroy": l.CreateBeforeDestroy, "ignore_changes": ignored}
		things[l.name], data[l.name] = thing, map[string]any{"input": l.outputs}
		if l.imports {
			imports = append(imports, map[string]any{"to": "test_thing." + l.name, "id": l.name})
		}
	}
	w.File("main.tf.json", string(encoded(map[string]any{
		"terraform": map[string]any{"required_providers": map[string]any{"test": map[string]any{"source": address}}},
		"resource":  map[string]any{"test_thing": things, "terraform_data": data}, "import": imports,
	})))
}

// place and result find the resource and the path in it in the detail of an error.
var (
	place  = regexp.MustCompile(`test_thing\.(l\d+)((?:\.\w+|\[[^\]]*\])*)`)
	result = regexp.MustCompile(`new value(?::| for) ((?:\.\w+|\[[^\]]*\])*)`)
)

// run runs a command, and returns the errors of each life.
func (w *program) run(args ...string) (failed bool, errorsOf map[string][]string) {
	w.T.Helper()
	out, err := w.Command(w.T.Context(), slices.Insert(args, 1, "-json", "-input=false")...).Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && len(exit.Stderr) > 0 {
		w.T.Fatalf("terraform %s: %s", args, exit.Stderr)
	}
	errorsOf = map[string][]string{}
	for line := range bytes.Lines(out) {
		var message struct {
			Diagnostic struct{ Severity, Summary, Detail string }
		}
		if err := json.Unmarshal(line, &message); err != nil { //nolint:musttag // encoding/json finds names in any letter case
			w.T.Fatalf("%v in %s", err, line)
		}
		d := message.Diagnostic
		if d.Severity != "error" {
			continue
		}
		found := place.FindStringSubmatch(d.Detail)
		if found == nil {
			w.T.Fatalf("%s", line)
		}
		text := d.Summary
		if text != "Boom" {
			text += " " + found[2]
		}
		if inner := result.FindStringSubmatch(d.Detail); inner != nil {
			text += inner[1]
		}
		errorsOf[found[1]] = append(errorsOf[found[1]], text)
	}
	return err != nil, errorsOf
}
