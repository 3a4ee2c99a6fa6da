package provider

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// managed is a resource block that package terraformtest plays, and fails the test for
// what Terraform blames a provider for. Tests that need Terraform itself have a workspace.
type managed struct {
	*fixture
	block *terraformtest.Resource
	state tfvalue.Value // what a command has stored last

	id  string               // of the adopted object
	ids map[string]cty.Value // arguments, unless others are written

	// arguments are written as in a configuration, lifecycle included. In them, later is
	// known only after apply: an object, or whatever a test needs.
	arguments string
	later     cty.Value
	known     bool // in plans too, since an apply
}

// result is what a plan or an apply came to.
type result struct {
	diagnoses
	// action is "create", "update", "replace", "none", "delete", or "error".
	action         string
	prior, planned tfvalue.Value
	// replaces are the arguments that force a replacement.
	replaces []string
	change   *terraformtest.Change
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

func (all diagnoses) String() string {
	return "errors: " + strings.Join(all.errors, "\n") + "\nwarnings: " + strings.Join(all.warnings, "\n")
}

// later is what is known only after apply, unless a test has a value of its own.
var later = cty.ObjectVal(map[string]cty.Value{
	"text": cty.StringVal("later"), "number": cty.NumberIntVal(5), "none": cty.NullVal(cty.DynamicPseudoType),
	"customers": cty.StringVal(mockplatform.PostgresPipeID),
})

var schemasOnce = sync.OnceValue(func() *tfprotov6.GetProviderSchemaResponse {
	return must(serverOf(newProvider("test")).GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{}))
})

// configuration is a text as the protocol has it, with the type of a schema. In it, later is
// unknown.
func configuration(t *testing.T, schema *tfprotov6.Schema, text string) *tfprotov6.DynamicValue {
	t.Helper()
	s := terraformtest.NewSchema(schema)
	return s.Encode(evaluated(t, s, bodyOf(t, text), nil, cty.DynamicVal))
}

func bodyOf(t *testing.T, text string) *hclsyntax.Body {
	t.Helper()
	file, diags := hclsyntax.ParseConfig([]byte(text), "arguments", hcl.InitialPos)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return file.Body.(*hclsyntax.Body)
}

// evaluated has the arguments of a body, and others that it does not set.
func evaluated(t *testing.T, schema *terraformtest.Schema, body *hclsyntax.Body, others map[string]cty.Value, later cty.Value) cty.Value {
	t.Helper()
	values := map[string]cty.Value{}
	maps.Copy(values, others)
	for name, attribute := range body.Attributes {
		value, diags := attribute.Expr.Value(&hcl.EvalContext{Variables: map[string]cty.Value{"later": later}})
		if !schema.Type.HasAttribute(name) || diags.HasErrors() {
			t.Fatal(name, diags)
		}
		values[name] = value
	}
	return must(schema.Config(cty.ObjectVal(values)))
}

// tell brings a result up to date with its change, and the state with an object.
func (b *managed) tell(r *result, object terraformtest.Object) *result {
	b.t.Helper()
	for _, fault := range r.change.Faults {
		b.t.Errorf("%s: %s", b.block.Type, fault)
	}
	for _, at := range r.change.Attributes {
		if isLong(b.state.Type(), at) {
			b.t.Errorf("a diagnostic of %s, all of which Terraform 1.16 would print above its first word: %s", at, r.change)
		}
	}
	r.change.Faults, r.change.Attributes, r.replaces = nil, nil, nil
	for _, path := range r.change.Replaces {
		name, _, _ := strings.Cut(path, ".")
		r.replaces = append(r.replaces, name)
	}
	slices.Sort(r.replaces)
	r.replaces = slices.Compact(r.replaces)
	r.diagnoses, r.action = diagnoses{r.change.Errors, slices.Clone(r.change.Warnings)}, string(r.change.Action)
	r.prior, r.planned, b.state = b.read(r.change.Prior.Value), b.read(r.change.Planned), b.read(object.Value)
	return r
}

// isLong reports whether a path leads to a list, a set or a map, or an object with one, that is in none, or into a set.
func isLong(typ tftypes.Type, at *tftypes.AttributePath) bool {
	for _, step := range at.Steps() {
		name, isName := step.(tftypes.AttributeName)
		object, isObject := typ.(tftypes.Object)
		if !isName || !isObject {
			_, inSet := step.(tftypes.ElementKeyValue)
			return inSet
		}
		typ = object.AttributeTypes[string(name)]
	}
	return hasCollection(typ)
}

func hasCollection(typ tftypes.Type) bool {
	object, isObject := typ.(tftypes.Object)
	if !isObject {
		return !typ.Is(tftypes.String) && !typ.Is(tftypes.Number) && !typ.Is(tftypes.Bool)
	}
	for _, member := range object.AttributeTypes {
		if hasCollection(member) {
			return true
		}
	}
	return false
}

func (b *managed) read(value cty.Value) tfvalue.Value {
	b.t.Helper()
	return tfvalue.Of(must(b.block.Schema.Encode(value).Unmarshal(b.state.Type())))
}

func (f *fixture) manage(name, id, arguments string, ids map[string]cty.Value) *managed {
	schema := schemasOnce().ResourceSchemas[name]
	return &managed{
		fixture: f, block: terraformtest.New(name, terraformtest.NewSchema(schema)), state: tfvalue.Null(schema.ValueType()),
		id: id, ids: ids, arguments: arguments, later: later,
	}
}

// pipe is a block for a pipe of the first service.
func (f *fixture) pipe(id, arguments string) *managed {
	return f.manage("dataplatform_pipe", id, arguments, map[string]cty.Value{"service_id": cty.StringVal(mockplatform.ServiceID), "pipe_id": cty.StringVal(id)})
}

// scaling is a block for the scaling of a service.
func (f *fixture) scaling(id, arguments string) *managed {
	return f.manage("dataplatform_service_scaling", id, arguments, map[string]cty.Value{"service_id": cty.StringVal(id)})
}

// key is a block for a key with the name "n" and the role admin, unless others are written.
func (f *fixture) key(arguments string) *managed {
	roles := cty.TupleVal([]cty.Value{cty.StringVal("admin")})
	return f.manage("dataplatform_api_key", "", arguments, map[string]cty.Value{"name": cty.StringVal("n"), "roles": roles})
}

// start returns a provider that is configured for the fixture, with further settings, among which later is unknown.
// Terraform starts one for each plan and for each apply.
func (f *fixture) start(settings ...string) server {
	f.t.Helper()
	all := map[string]cty.Value{}
	for name, value := range f.organization().settings {
		all[name] = cty.StringVal(value)
	}
	schema := terraformtest.NewSchema(schemasOnce().Provider)
	config := schema.Encode(evaluated(f.t, schema, bodyOf(f.t, strings.Join(settings, "\n")), all, cty.DynamicVal))
	s := serverOf(&dataplatformProvider{version: "test", random: f.random, seal: f.seal})
	s.schemas = schemasOnce
	if resp := must(s.ConfigureProvider(f.t.Context(), &tfprotov6.ConfigureProviderRequest{Config: config})); len(resp.Diagnostics) > 0 {
		f.t.Fatal(resp.Diagnostics)
	}
	if f.network != nil {
		s.provider.connection.Client.Transport.DialContext = f.network.Dial
	}
	return s
}

// write evaluates the arguments.
func (b *managed) write(inPlan bool) {
	b.t.Helper()
	body, known := bodyOf(b.t, b.arguments), b.later
	if inPlan && !b.known {
		known = cty.DynamicVal
	}
	b.block.Config = evaluated(b.t, b.block.Schema, body, b.ids, known)
	b.block.IgnoreChanges = nil
	for _, inner := range body.Blocks {
		ignored, _ := hcl.ExprList(inner.Body.Attributes["ignore_changes"].Expr)
		for _, expression := range ignored {
			traversal, _ := hcl.AbsTraversalForExpr(expression)
			path := cty.GetAttrPath(traversal.RootName())
			for _, step := range traversal[1:] {
				if index, isIndex := step.(hcl.TraverseIndex); isIndex {
					path = path.Index(index.Key)
				} else {
					path = path.GetAttr(step.(hcl.TraverseAttr).Name)
				}
			}
			b.block.IgnoreChanges = append(b.block.IgnoreChanges, path)
		}
	}
	if len(body.Blocks) > 0 && len(b.block.IgnoreChanges) == 0 {
		b.t.Fatal("the test ignores nothing that it could follow")
	}
}

// tryPlan refreshes and plans with a provider.
func (b *managed) tryPlan(s server) *result {
	b.t.Helper()
	b.write(true)
	return b.tell(&result{change: b.block.Plan(s)}, b.block.State)
}

// carryOut applies a plan, which may be old, with a provider.
func (b *managed) carryOut(s server, r *result) {
	b.t.Helper()
	if r.action == "error" {
		b.t.Fatal(r)
	}
	if r.action != "none" {
		b.known = strings.Contains(b.arguments, "later")
	}
	b.write(false)
	b.block.Apply(s, r.change)
	b.tell(r, b.block.State)
}

// destroy plans the destruction without a refresh, carries it out, and returns the warnings of
// both.
func (b *managed) destroy() (planned, applied []string) {
	b.t.Helper()
	b.block.Config = cty.NullVal(b.block.Schema.Type)
	plan := b.must(b.tell(&result{change: b.block.PlanOnly(b.start())}, b.block.State))
	planned, plan.change.Warnings = plan.warnings, nil
	b.block.Apply(b.start(), plan.change)
	return planned, b.must(b.tell(plan, b.block.State)).warnings
}
