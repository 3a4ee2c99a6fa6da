package terraformtest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
)

// life is one resource block in a random sequence of steps.
type life struct {
	*Resource
	name    string
	written cty.Value // the arguments; null while there is no block
	ignored []string
	imports bool // in this step
}

// later marks a value that is an output of another resource, known only after apply.
type later string

func laterName(value cty.Value) (name string) {
	for mark := range value.Marks() {
		name = string(mark.(later))
	}
	return name
}

// evaluate evaluates the block, as it is in a plan or in an apply.
func (l *life) evaluate(inPlan bool) {
	l.Config = cty.NullVal(schema.Type)
	if l.written.IsNull() {
		return
	}
	l.Config = must(schema.Config(must(cty.Transform(l.written, func(_ cty.Path, part cty.Value) (cty.Value, error) {
		if inPlan && part.IsMarked() {
			return cty.DynamicVal, nil
		}
		part, _ = part.Unmark()
		return part, nil
	}))))
}

// references replaces what comes later by a reference, and notes what it refers to.
type references struct {
	life   string
	laters map[string]cty.Value
}

func (r *references) Enter(_ cty.Path, part cty.Value) (cty.Value, error) {
	name := laterName(part)
	if name == "" {
		return part, nil
	}
	r.laters[name], _ = part.UnmarkDeep()
	return cty.StringVal(fmt.Sprintf("${terraform_data.%s.output.%s}", r.life, name)), nil
}

func (r *references) Exit(_ cty.Path, part cty.Value) (cty.Value, error) {
	if part.IsNull() {
		return cty.NullVal(cty.String), nil // JSON has a type for no other
	}
	return part, nil
}

func (r *references) write(value cty.Value) (written map[string]any) {
	raw := must(ctyjson.SimpleJSONValue{Value: must(cty.TransformWithTransformer(value, r))}.MarshalJSON())
	if err := json.Unmarshal(raw, &written); err != nil {
		panic(err)
	}
	return written
}

// block is the block in a configuration, and that of the outputs of its own, so that none
// waits for another.
func (l *life) block(step int) (thing, outputs map[string]any) {
	r := &references{l.name, map[string]cty.Value{"step": cty.NumberIntVal(int64(step))}}
	thing = r.write(l.written)
	thing["lifecycle"] = map[string]any{"create_before_destroy": l.CreateBeforeDestroy, "ignore_changes": l.ignored}
	return thing, map[string]any{"input": r.write(cty.ObjectVal(r.laters))}
}

// writer writes random configurations.
type writer struct {
	*rand.Rand
	older bool
	name  string
	count int
}

// attributes sets some of these. In nested objects, the others are null: Terraform does not
// find a type for all elements of a collection if they omit different ones.
func (w *writer) attributes(all []*attribute, isNested bool) map[string]cty.Value {
	values := map[string]cty.Value{}
	for _, a := range all {
		if isNested {
			values[a.Name] = cty.NullVal(cty.DynamicPseudoType)
		}
		if (a.Optional || a.Required) && w.IntN(5) < 2 {
			values[a.Name] = w.attribute(a)
		}
	}
	return values
}

func (w *writer) attribute(a *attribute) cty.Value {
	var value cty.Value
	if a.NestedType == nil {
		value = randomValue(w.Rand, typeOf(a.Type))
	} else {
		value = w.nested(a.NestedType)
	}
	if a.WriteOnly {
		return value
	}
	return w.maybeLater(value)
}

func (w *writer) maybeLater(value cty.Value) cty.Value {
	if w.IntN(12) > 0 {
		return value
	}
	w.count++
	return value.Mark(later(fmt.Sprintf("%s_%d", w.name, w.count)))
}

func (w *writer) nested(of *tfprotov6.SchemaObject) cty.Value {
	if of.Nesting == single {
		return cty.ObjectVal(w.attributes(of.Attributes, true))
	}
	var elements []cty.Value
	for range w.IntN(4) {
		elements = append(elements, w.maybeLater(cty.ObjectVal(w.attributes(of.Attributes, true))))
	}
	return cty.TupleVal(elements)
}

// ignorable are paths that lives ignore.
var ignorable = []string{
	"both", "forced", "tags", "tags[0]", "plain.name", "one", "one.inner.both", "items[1].name", "group", "computed",
}

// path is a path as ignore_changes has it.
func path(t *testing.T, text string) (found cty.Path) {
	t.Helper()
	steps, problems := hclsyntax.ParseTraversalAbs([]byte(text), "", hcl.InitialPos)
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	for _, step := range steps {
		switch s := step.(type) {
		case hcl.TraverseRoot:
			found = found.GetAttr(s.Name)
		case hcl.TraverseAttr:
			found = found.GetAttr(s.Name)
		case hcl.TraverseIndex:
			found = found.Index(s.Key)
		}
	}
	return found
}

// next changes what the life has in its block.
func (l *life) next(t *testing.T, w *writer) {
	t.Helper()
	l.imports = false
	l.IgnoreChanges, l.ignored = nil, []string{}
	for _, name := range ignorable {
		if w.IntN(12) == 0 {
			l.ignored, l.IgnoreChanges = append(l.ignored, name), append(l.IgnoreChanges, path(t, name))
		}
	}
	switch exists := !l.written.IsNull(); {
	case !exists && w.IntN(6) == 0:
	case exists && !w.older && w.IntN(8) == 0:
		l.written = cty.NullVal(schema.Type)
	case !exists || w.IntN(3) > 0:
		values := w.attributes(thingSchema.Block.Attributes, false)
		if exists { // most of it stays
			before := l.written.AsValueMap()
			for _, name := range sortedNames(before) {
				if w.IntN(4) > 0 {
					values[name] = before[name]
				}
			}
		}
		values["life"] = cty.StringVal(l.name)
		l.written = cty.ObjectVal(values)
		l.imports = l.State.Value.IsNull() && w.IntN(5) == 0
	}
}

func (l *life) plan(p Provider) *Change {
	if l.imports {
		return l.PlanImport(p, l.name)
	}
	return l.Plan(p)
}

// said are the errors and faults of a command, as Terraform has them. How often one path has
// a fault is not compared: in a set, it depends on which element is compared first.
func said(r *Report) (all []string) {
	for range r.Errors {
		all = append(all, "Boom")
	}
	for _, fault := range r.Faults {
		all = append(all, fault.Summary+" "+fault.Path)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// TestLives plays lives of a fixed seed.
func TestLives(t *testing.T) {
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
	played, lived := &things{seed: seed}, &things{seed: seed}
	terraform := newProgram(t, lived)
	played.leaves, lived.leaves = terraform.older, terraform.older
	lives := make([]*life, 30)
	for i := range lives {
		lives[i] = &life{Resource: New("test_thing", schema), name: fmt.Sprint("l", i), written: cty.NullVal(schema.Type)}
		lives[i].CreateBeforeDestroy = i%3 == 0
	}
	w := &writer{Rand: rand.New(rand.NewPCG(seed, 0)), older: terraform.older}
	for step := range 4 {
		cares := map[string]bool{}
		for _, l := range lives {
			w.name = l.name
			l.next(t, w)
			cares[l.name] = l.CreateBeforeDestroy
		}
		terraform.configure(lives, step)
		changes := map[string]*Change{}
		for _, phase := range []string{"trial", "plan", "apply"} {
			for _, p := range []*things{played, lived} {
				p.now.Store(&command{step: step, phase: phase, cares: cares, calls: map[string][]string{}})
			}
			args := map[string][]string{"trial": {"plan"}, "plan": {"plan", "-out=plan"}, "apply": {"apply", "plan"}}[phase]
			want := terraform.run(args...)
			same := slices.Equal[[]string]
			if terraform.endsEarly && want.failed && phase != "apply" {
				same = func(got, want []string) bool {
					return !slices.ContainsFunc(want, func(text string) bool { return !slices.Contains(got, text) })
				}
			}
			for _, l := range lives {
				l.evaluate(phase != "apply")
				if phase == "apply" {
					changes[l.name].Report = Report{}
					l.Apply(played, changes[l.name])
				} else {
					changes[l.name] = l.plan(played)
				}
				c, at := changes[l.name], fmt.Sprintf("seed %d, step %d, %s of %s", seed, step, phase, l.name)
				if got := said(&c.Report); !same(got, want.said[l.name]) {
					t.Errorf("%s: played: %q, Terraform: %q\n%s", at, got, want.said[l.name], c)
				}
				if got, sent := played.now.Load().requests(l.name), lived.now.Load().requests(l.name); !same(got, sent) {
					t.Errorf("%s: requests (-Terraform, +played):\n%s", at, cmp.Diff(sent, got))
				}
			}
			if t.Failed() {
				t.Fatalf("%s of step %d in %s", phase, step, terraform.dir)
			}
			if want.failed && phase == "plan" { // both found the same fault: there is nothing to apply
				break
			}
		}
	}
}
