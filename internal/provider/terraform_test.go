package provider

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// played is a resource block that package terraformtest plays, and fails the test for
// what Terraform blames a provider for. Tests that need Terraform itself have a workspace.
type played struct {
	*fixture
	block *terraformtest.Resource
	// state is what a command has stored last, or what a plan of a key has read.
	state tfvalue.Value
}

// managed is a block for an adopted object.
type managed struct {
	played
	name string
	id   string // the object's own
	ids  map[string]cty.Value

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

// later is what is known only after apply, unless a test has a value of its own.
var later = cty.ObjectVal(map[string]cty.Value{
	"text": cty.StringVal("later"), "number": cty.NumberIntVal(5), "none": cty.NullVal(cty.DynamicPseudoType),
})

var schemasOnce = sync.OnceValue(func() *tfprotov6.GetProviderSchemaResponse { return serverOf(newProvider("test")).schemas() })

func (f *fixture) play(name string) played {
	schema := schemasOnce().ResourceSchemas[name]
	return played{f, terraformtest.New(name, terraformtest.NewSchema(schema)), tfvalue.Null(schema.ValueType())}
}

// tell brings a result up to date with its change, and the state with an object.
func (b *played) tell(r *result, object terraformtest.Object) *result {
	b.t.Helper()
	for _, fault := range r.change.Faults {
		b.t.Errorf("%s: %s", b.block.Type, fault)
	}
	r.change.Faults, r.replaces = nil, nil
	for _, path := range r.change.Replaces {
		name, _, _ := strings.Cut(path, ".")
		r.replaces = append(r.replaces, name)
	}
	slices.Sort(r.replaces)
	r.replaces = slices.Compact(r.replaces)
	r.diagnoses, r.action = diagnoses{r.change.Errors, r.change.Warnings}, string(r.change.Action)
	r.prior, r.planned, b.state = b.read(r.change.Prior.Value), b.read(r.change.Planned), b.read(object.Value)
	return r
}

// value is a value with Terraform's types.
func (b *played) value(value tftypes.Value) cty.Value {
	b.t.Helper()
	converted, err := b.block.Schema.Decode(dynamic(b.t, value))
	if err != nil {
		b.t.Fatal(err)
	}
	return converted
}

func (b *played) read(value cty.Value) tfvalue.Value {
	b.t.Helper()
	read, err := b.block.Schema.Encode(value).Unmarshal(b.state.Type())
	if err != nil {
		b.t.Fatal(err)
	}
	return tfvalue.Of(read)
}

func (f *fixture) manage(name, id, arguments string, ids map[string]cty.Value) *managed {
	return &managed{played: f.play(name), name: name, id: id, ids: ids, arguments: arguments, later: later}
}

// pipe is a block for a pipe of the first service.
func (f *fixture) pipe(id, arguments string) *managed {
	return f.manage("dataplatform_pipe", id, arguments, map[string]cty.Value{"service_id": cty.StringVal(mockplatform.ServiceID), "pipe_id": cty.StringVal(id)})
}

// scaling is a block for the scaling of a service.
func (f *fixture) scaling(id, arguments string) *managed {
	return f.manage("dataplatform_service_scaling", id, arguments, map[string]cty.Value{"service_id": cty.StringVal(id)})
}

// settings are those of a provider before the fixture, with others over them.
func (f *fixture) settings(over ...map[string]any) args {
	all := args{
		"base_url": f.url, "organization_id": mockplatform.OrganizationID, "key_id": "demo-key-id", "key_secret": "demo-key-secret",
		"alerts_base_url": f.url, "alerts_access_token": "demo-alerts-token",
	}
	for _, more := range over {
		maps.Copy(all, more)
	}
	return all
}

// start returns a provider that is configured for the fixture, with further settings.
// Terraform starts one for each plan and for each apply.
func (f *fixture) start(settings ...map[string]any) server {
	f.t.Helper()
	return f.startWith(f.settings(settings...))
}

func (f *fixture) startWith(settings args) server {
	f.t.Helper()
	s := serverOf(&dataplatformProvider{version: "test", now: f.now, random: f.random})
	s.schemas = schemasOnce
	resp, err := s.ConfigureProvider(f.t.Context(), &tfprotov6.ConfigureProviderRequest{Config: dynamic(f.t, providerConfig(settings))})
	if err != nil || len(resp.Diagnostics) > 0 {
		f.t.Fatal(err, resp.Diagnostics)
	}
	if f.network != nil {
		transport := s.provider.connection.Client.Transport()
		transport.DialContext = f.network.Dial
		f.t.Cleanup(transport.CloseIdleConnections)
	}
	return s
}

// write evaluates the arguments.
func (b *managed) write(inPlan bool) {
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
		if !b.block.Schema.Type.HasAttribute(name) || diags.HasErrors() {
			b.t.Fatal(name, diags)
		}
		values[name] = value
	}
	b.block.IgnoreChanges = nil
	for _, inner := range body.Blocks {
		ignored, _ := hcl.ExprList(inner.Body.Attributes["ignore_changes"].Expr)
		for _, expression := range ignored {
			var path cty.Path
			traversal, _ := hcl.AbsTraversalForExpr(expression)
			for _, step := range traversal {
				switch s := step.(type) {
				case hcl.TraverseRoot:
					path = path.GetAttr(s.Name)
				case hcl.TraverseAttr:
					path = path.GetAttr(s.Name)
				}
			}
			b.block.IgnoreChanges = append(b.block.IgnoreChanges, path)
		}
	}
	if len(body.Blocks) > 0 && len(b.block.IgnoreChanges) == 0 {
		b.t.Fatal("the test ignores nothing that it could follow")
	}
	var err error
	if b.block.Config, err = b.block.Schema.Config(cty.ObjectVal(values)); err != nil {
		b.t.Fatal(err)
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
