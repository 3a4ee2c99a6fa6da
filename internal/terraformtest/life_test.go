package terraformtest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	hcljson "github.com/hashicorp/hcl/v2/json"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
)

// TestPlayerAgreesWithTerraform plays lives of a fixed seed.
func TestPlayerAgreesWithTerraform(t *testing.T) {
	t.Parallel()
	live(t, 5)
}

// TestSoak searches lives for as long as make soak asks for, or plays those of SOAK_SEED.
func TestSoak(t *testing.T) {
	length, err := time.ParseDuration(os.Getenv("SOAK_DURATION"))
	if err != nil {
		t.Skip("searches for make soak")
	}
	seed, noSeed := strconv.ParseUint(os.Getenv("SOAK_SEED"), 10, 64)
	for end := time.Now().Add(length); time.Now().Before(end) && !t.Failed(); {
		if noSeed != nil {
			seed = rand.Uint64N(1 << 40)
		}
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) { live(t, seed) })
	}
}

// live plays lives, and has a real terraform live them: errors and requests to the provider are the same. What a step
// does and stores is in the requests of its apply and of the next step.
func live(t *testing.T, seed uint64) {
	t.Helper()
	lives, careful := make([]*life, 30), map[string]bool{}
	for i := range lives {
		lives[i] = &life{Resource: New("test_thing", schema), name: fmt.Sprint("l", i), outputs: map[string]any{}}
		lives[i].CreateBeforeDestroy = i%3 == 0
		careful[lives[i].name] = lives[i].CreateBeforeDestroy
	}
	played, lived := &things{seed: seed, careful: careful}, &things{seed: seed, careful: careful}
	terraform := newProgram(t, lived)
	r := rand.New(rand.NewPCG(seed, 0))
	for step := range 4 {
		for _, l := range lives {
			l.next(r, step, terraform.older)
		}
		terraform.configure(lives)
		for _, phase := range []string{"trial", "plan", "apply"} {
			for _, p := range []*things{played, lived} {
				p.now.Store(&command{step: step, phase: phase, calls: map[string][]string{}})
			}
			failed, errorsOf := terraform.run(map[string][]string{"trial": {"plan"}, "plan": {"plan", "-out=plan"}, "apply": {"apply", "plan"}}[phase]...)
			same := slices.Equal[[]string]
			if terraform.endsEarly && failed && phase != "apply" {
				same = func(all, some []string) bool {
					return !slices.ContainsFunc(some, func(one string) bool { return !slices.Contains(all, one) })
				}
			}
			for _, l := range lives {
				l.play(played, phase)
				at := fmt.Sprintf("seed %d, step %d, %s of %s", seed, step, phase, l.name)
				if got, want := said(&l.change.Report), distinct(errorsOf[l.name]); !same(got, want) {
					t.Errorf("%s: played: %q, Terraform: %q\n%s", at, got, want, l.change)
				}
				if got, sent := played.now.Load().requests(l.name), lived.now.Load().requests(l.name); !same(got, sent) {
					t.Errorf("%s: requests (-Terraform, +played):\n%s", at, cmp.Diff(sent, got))
				}
			}
			if t.Failed() {
				t.Fatalf("%s of step %d in %s", phase, step, terraform.Dir)
			}
			if failed && phase == "plan" { // both found the same fault: there is nothing to apply
				break
			}
		}
	}
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

// distinct has each text once. How often one path has a fault is not compared: in a set, it depends on which element
// is compared first.
func distinct(all []string) []string {
	slices.Sort(all)
	return slices.Compact(all)
}

// life is one resource block in a random sequence of steps.
type life struct {
	*Resource
	name string
	// written are the arguments as JSON, nil while there is no block. Some are references to the outputs, of a resource
	// that the life has for them.
	written, outputs map[string]any
	inOutput         bool // which refers to no other
	imports          bool // in this step
	change           *Change
}

// ignorable are paths that lives ignore.
var ignorable = []cty.Path{
	cty.GetAttrPath("both"), cty.GetAttrPath("forced"), cty.GetAttrPath("tags").IndexInt(0), cty.GetAttrPath("one").GetAttr("inner").GetAttr("both"),
	cty.GetAttrPath("items").IndexInt(1).GetAttr("name"), cty.GetAttrPath("by_key").IndexString("a"), cty.GetAttrPath("group"),
}

// next changes what the life has in its block.
func (l *life) next(r *rand.Rand, step int, older bool) {
	l.outputs["step"] = step // so that no plan knows any output
	l.imports, l.IgnoreChanges = false, nil
	for _, path := range ignorable {
		if r.IntN(12) == 0 {
			l.IgnoreChanges = append(l.IgnoreChanges, path)
		}
	}
	switch exists := l.written != nil; {
	case !exists && r.IntN(6) == 0:
	case exists && !older && r.IntN(8) == 0:
		l.written = nil
	case !exists || r.IntN(3) > 0:
		written := l.write(r, thingSchema.Block.Attributes, false)
		for _, name := range slices.Sorted(maps.Keys(l.written)) { // most of it stays
			if r.IntN(4) > 0 {
				written[name] = l.written[name]
			}
		}
		written["life"] = l.name
		l.written, l.imports = written, l.State.Value.IsNull() && r.IntN(5) == 0
	}
}

// write sets some of these attributes, one of twelve to an output. In nested objects, the others are null: Terraform
// finds no type for all elements of a collection if they omit different ones.
func (l *life) write(r *rand.Rand, all []*attribute, isNested bool) map[string]any {
	values := map[string]any{}
	for _, a := range all {
		if isNested {
			values[a.Name] = nil
		}
		if !a.Optional || r.IntN(5) > 1 {
			continue
		}
		isLater := !l.inOutput && !a.WriteOnly && r.IntN(12) == 0
		l.inOutput = l.inOutput || isLater
		if values[a.Name] = l.value(r, a); isLater {
			name := fmt.Sprint("value", len(l.outputs))
			l.outputs[name], l.inOutput = values[a.Name], false
			values[a.Name] = fmt.Sprintf("${terraform_data.%s.output.%s}", l.name, name)
		}
	}
	return values
}

func (l *life) value(r *rand.Rand, a *attribute) any {
	if a.NestedType == nil {
		return ctyjson.SimpleJSONValue{Value: randomValue(r, typeOf(a.Type))}
	}
	elements, byKey := []any{}, map[string]any{}
	for range r.IntN(4) {
		elements = append(elements, l.write(r, a.NestedType.Attributes, true))
		byKey[string(rune('a'+r.IntN(3)))] = elements[len(elements)-1]
	}
	switch a.NestedType.Nesting {
	case single:
		return l.write(r, a.NestedType.Attributes, true)
	case keyed:
		return byKey
	default:
		return elements
	}
}

// play plans, or applies what was planned last. No plan knows the outputs.
func (l *life) play(p Provider, phase string) {
	l.Config = cty.NullVal(schema.Type)
	if l.written != nil {
		output := cty.DynamicVal
		if phase == "apply" {
			output = evaluated(l.outputs, nil)
		}
		data := cty.ObjectVal(map[string]cty.Value{l.name: cty.ObjectVal(map[string]cty.Value{"output": output})})
		l.Config = must(schema.Config(evaluated(l.written, map[string]cty.Value{"terraform_data": data})))
	}
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

func evaluated(written map[string]any, variables map[string]cty.Value) cty.Value {
	expression, problems := hcljson.ParseExpression(encoded(written), "")
	value, more := expression.Value(&hcl.EvalContext{Variables: variables})
	if problems = append(problems, more...); problems.HasErrors() {
		panic(problems)
	}
	return value
}
