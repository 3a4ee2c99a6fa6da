package terraformtest

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	hcljson "github.com/hashicorp/hcl/v2/json"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
)

// TestPlayerAgreesWithTerraform plays lives of a fixed seed.
func TestPlayerAgreesWithTerraform(t *testing.T) {
	t.Parallel()
	live(t, 5)
}

// TestSoak searches lives.
func TestSoak(t *testing.T) { Soak(t, 1, live) }

// live plays lives, and has a real terraform live them: errors and requests to the provider
// are the same. What a step does and stores is in the requests of its apply and of the next
// step.
func live(t *testing.T, seed uint64) {
	t.Helper()
	lives, careful := make([]*life, 30), map[string]bool{}
	for i := range lives {
		l := &life{Resource: New("test_thing", schema), name: fmt.Sprint("l", i), outputs: map[string]any{}}
		l.CreateBeforeDestroy = i%3 == 0
		lives[i], careful[l.name] = l, l.CreateBeforeDestroy
	}
	played, lived := &things{seed: seed, careful: careful}, &things{seed: seed, careful: careful}
	terraform := newProgram(t, lived)
	w := &writer{Rand: rand.New(rand.NewPCG(seed, 0)), older: terraform.older}
	for step := range 4 {
		for _, l := range lives {
			l.next(w, step)
		}
		terraform.configure(lives)
		for _, phase := range []struct {
			name string
			args []string
		}{
			{"trial", []string{"plan"}},
			{"plan", []string{"plan", "-out=plan"}},
			{"apply", []string{"apply", "plan"}},
		} {
			for _, p := range []*things{played, lived} {
				p.now.Store(&command{step: step, phase: phase.name, calls: map[string][]string{}})
			}
			failed, errorsOf := terraform.run(phase.args...)
			same := slices.Equal[[]string]
			if terraform.endsEarly && failed && phase.name != "apply" {
				same = includes
			}
			for _, l := range lives {
				l.play(played, phase.name)
				at := fmt.Sprintf("seed %d, step %d, %s of %s", seed, step, phase.name, l.name)
				if got, want := said(&l.change.Report), distinct(errorsOf[l.name]); !same(got, want) {
					t.Errorf("%s: played: %q, Terraform: %q\n%s", at, got, want, l.change)
				}
				if got, sent := played.now.Load().requests(l.name), lived.now.Load().requests(l.name); !same(got, sent) {
					t.Errorf("%s: requests (-Terraform, +played):\n%s", at, cmp.Diff(sent, got))
				}
			}
			if t.Failed() {
				t.Fatalf("%s of step %d in %s", phase.name, step, terraform.dir)
			}
			if failed && phase.name == "plan" { // both found the same fault: there is nothing to apply
				break
			}
		}
	}
}

func includes(all, some []string) bool {
	return !slices.ContainsFunc(some, func(one string) bool { return !slices.Contains(all, one) })
}

// said are the errors and faults of a command, as Terraform has them.
func said(r *Report) (all []string) {
	for range r.Errors {
		all = append(all, "Boom")
	}
	for _, fault := range r.Faults {
		all = append(all, fault.Summary+" "+fault.Path)
	}
	return distinct(all)
}

// distinct has each text once. How often one path has a fault is not compared: in a set, it
// depends on which element is compared first.
func distinct(all []string) []string {
	slices.Sort(all)
	return slices.Compact(all)
}

// life is one resource block in a random sequence of steps.
type life struct {
	*Resource
	name string
	// written are the arguments as JSON, nil while there is no block. Some are references to
	// the outputs, of a resource that the life has for them.
	written, outputs map[string]any
	imports          bool // in this step
	change           *Change
}

// ignorable are paths that lives ignore.
var ignorable = []cty.Path{
	cty.GetAttrPath("both"),
	cty.GetAttrPath("forced"),
	cty.GetAttrPath("computed"),
	cty.GetAttrPath("tags"),
	cty.GetAttrPath("tags").IndexInt(0),
	cty.GetAttrPath("plain").GetAttr("name"),
	cty.GetAttrPath("one"),
	cty.GetAttrPath("one").GetAttr("inner").GetAttr("both"),
	cty.GetAttrPath("items").IndexInt(1).GetAttr("name"),
	cty.GetAttrPath("by_key").IndexString("a"),
	cty.GetAttrPath("group"),
}

// next changes what the life has in its block.
func (l *life) next(w *writer, step int) {
	w.life = l
	l.outputs["step"] = step // so that no plan knows any output
	l.imports, l.IgnoreChanges = false, nil
	for _, path := range ignorable {
		if w.IntN(12) == 0 {
			l.IgnoreChanges = append(l.IgnoreChanges, path)
		}
	}
	switch exists := l.written != nil; {
	case !exists && w.IntN(6) == 0:
	case exists && !w.older && w.IntN(8) == 0:
		l.written = nil
	case !exists || w.IntN(3) > 0:
		written := w.attributes(thingSchema.Block.Attributes, false)
		for _, name := range slices.Sorted(maps.Keys(l.written)) { // most of it stays
			if w.IntN(4) > 0 {
				written[name] = l.written[name]
			}
		}
		written["life"] = l.name
		l.written = written
		l.imports = l.State.Value.IsNull() && w.IntN(5) == 0
	}
}

// play plans, or applies what was planned last.
func (l *life) play(p Provider, phase string) {
	l.evaluate(phase != "apply")
	switch {
	case phase == "apply":
		l.change.Report = Report{}
		l.Apply(p, l.change)
	case l.imports:
		l.change = l.PlanImport(p, l.name)
	default:
		l.change = l.Plan(p)
	}
}

// evaluate evaluates the block, whose outputs no plan knows.
func (l *life) evaluate(inPlan bool) {
	l.Config = cty.NullVal(schema.Type)
	if l.written == nil {
		return
	}
	output := cty.DynamicVal
	if !inPlan {
		output = evaluated(l.outputs, nil)
	}
	data := cty.ObjectVal(map[string]cty.Value{
		l.name: cty.ObjectVal(map[string]cty.Value{"output": output}),
	})
	l.Config = must(schema.Config(evaluated(l.written, map[string]cty.Value{"terraform_data": data})))
}

func evaluated(written map[string]any, variables map[string]cty.Value) cty.Value {
	expression, problems := hcljson.ParseExpression(must(json.Marshal(written)), "")
	value, more := expression.Value(&hcl.EvalContext{Variables: variables})
	if problems = append(problems, more...); problems.HasErrors() {
		panic(problems)
	}
	return value
}

// writer writes random arguments as JSON.
type writer struct {
	*rand.Rand
	older bool
	life  *life
	// inOutput is true in the value of an output, which refers to no other.
	inOutput bool
}

// attributes sets some of these. In nested objects, the others are null: Terraform does not
// find a type for all elements of a collection if they omit different ones.
func (w *writer) attributes(all []*attribute, isNested bool) map[string]any {
	values := map[string]any{}
	for _, a := range all {
		if isNested {
			values[a.Name] = nil
		}
		if a.Optional && w.IntN(5) < 2 {
			values[a.Name] = w.attribute(a)
		}
	}
	return values
}

func (w *writer) attribute(a *attribute) any {
	write := func() any { return ctyjson.SimpleJSONValue{Value: randomValue(w.Rand, typeOf(a.Type))} }
	if a.NestedType != nil {
		write = func() any { return w.nested(a.NestedType) }
	}
	if a.WriteOnly {
		return write()
	}
	return w.maybeLater(write)
}

func (w *writer) nested(of *tfprotov6.SchemaObject) any {
	object := func() any { return w.attributes(of.Attributes, true) }
	if of.Nesting == single {
		return object()
	}
	elements, byKey := []any{}, map[string]any{}
	for range w.IntN(4) {
		elements = append(elements, w.maybeLater(object))
		byKey[string(rune('a'+w.IntN(3)))] = elements[len(elements)-1]
	}
	if of.Nesting == keyed {
		return byKey
	}
	return elements
}

// maybeLater writes a value, or a reference to an output that has it.
func (w *writer) maybeLater(write func() any) any {
	if w.inOutput || w.IntN(12) > 0 {
		return write()
	}
	w.inOutput = true
	value := write()
	w.inOutput = false
	name := fmt.Sprint("value", len(w.life.outputs))
	w.life.outputs[name] = value
	return fmt.Sprintf("${terraform_data.%s.output.%s}", w.life.name, name)
}
