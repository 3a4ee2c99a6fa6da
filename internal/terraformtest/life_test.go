package terraformtest

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
)

// life is one resource block in a random sequence of steps.
type life struct {
	*Resource
	name    string
	written *expression // nil while there is no block
	ignored []string
	imports bool // in this step
}

// expression is a value as a configuration has it. One that comes later is an output of
// another resource, which is known only after apply.
type expression struct {
	value    cty.Value
	later    string
	members  map[string]*expression
	elements []*expression
}

// eval is the value, as it is in a plan or in an apply.
func (e *expression) eval(inPlan bool) cty.Value {
	var elements []cty.Value
	values := map[string]cty.Value{}
	for name, inner := range e.members {
		values[name] = inner.eval(inPlan)
	}
	for _, inner := range e.elements {
		elements = append(elements, inner.eval(inPlan))
	}
	switch {
	case e.later != "" && inPlan:
		return cty.DynamicVal
	case e.members != nil:
		return cty.ObjectVal(values)
	case e.elements != nil:
		return cty.TupleVal(elements)
	default:
		return e.value
	}
}

// text is the value as it is written. It adds the text of what comes later to laters; if
// that is nil, everything is written out.
func (e *expression) text(laters map[string]string) string {
	switch {
	case e.later != "" && laters != nil:
		now := *e
		now.later = ""
		laters[e.later] = now.text(nil)
		return fmt.Sprintf("terraform_data.%s.output.%s", strings.Split(e.later, "_")[0], e.later)
	case e.members != nil:
		var text strings.Builder
		for _, name := range sortedNames(e.members) {
			fmt.Fprintf(&text, "%s = %s\n", name, e.members[name].text(laters))
		}
		return "{\n" + text.String() + "}"
	case e.elements != nil:
		var all []string
		for _, inner := range e.elements {
			all = append(all, inner.text(laters))
		}
		return "[" + strings.Join(all, ", ") + "]"
	default:
		return string(hclwrite.TokensForValue(e.value).Bytes())
	}
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
func (w *writer) attributes(all []*attribute, isNested bool) *expression {
	object := &expression{members: map[string]*expression{}}
	for _, a := range all {
		if isNested {
			object.members[a.Name] = &expression{value: cty.NullVal(cty.DynamicPseudoType)}
		}
		if (a.Optional || a.Required) && w.IntN(5) < 2 {
			object.members[a.Name] = w.attribute(a)
		}
	}
	return object
}

func (w *writer) attribute(a *attribute) *expression {
	var e *expression
	if a.NestedType == nil {
		e = &expression{value: randomValue(w.Rand, typeOf(a.Type))}
	} else {
		e = w.nested(a.NestedType)
	}
	if a.WriteOnly || w.older && a.NestedType != nil && a.NestedType.Nesting == keyed {
		return e
	}
	return w.maybeLater(e)
}

func (w *writer) maybeLater(e *expression) *expression {
	if w.IntN(12) == 0 {
		w.count++
		e.later = fmt.Sprintf("%s_%d", w.name, w.count)
	}
	return e
}

func (w *writer) nested(of *tfprotov6.SchemaObject) *expression {
	if of.Nesting == single {
		return w.attributes(of.Attributes, true)
	}
	e := &expression{elements: []*expression{}}
	if of.Nesting == keyed {
		e = &expression{members: map[string]*expression{}}
	}
	for range w.IntN(4) {
		element := w.attributes(of.Attributes, true)
		if of.Nesting != keyed || !w.older {
			element = w.maybeLater(element)
		}
		if of.Nesting == keyed {
			e.members[[]string{"x", "y", "z"}[w.IntN(3)]] = element
		} else {
			e.elements = append(e.elements, element)
		}
	}
	return e
}

// ignorable are paths that lives ignore.
var ignorable = []string{
	"both", "forced", "tags", "tags[0]", "labels", `labels["x"]`, "plain.name", "one", "one.inner.both",
	"items[1].name", `keyed["x"].name`, `keyed["y"]`, "group", "computed",
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
	l.IgnoreAll, l.IgnoreChanges, l.ignored = w.IntN(20) == 0, nil, nil
	for _, name := range ignorable {
		if w.IntN(12) == 0 && (!w.older || !strings.HasPrefix(name, "labels")) {
			l.ignored, l.IgnoreChanges = append(l.ignored, name), append(l.IgnoreChanges, path(t, name))
		}
	}
	switch {
	case l.written == nil && w.IntN(6) == 0:
	case l.written != nil && !w.older && w.IntN(8) == 0:
		l.written = nil
	case l.written == nil || w.IntN(3) > 0:
		previous := l.written
		l.written = w.attributes(thingSchema.Block.Attributes, false)
		if previous != nil { // most of it stays
			for _, name := range sortedNames(previous.members) {
				if w.IntN(4) > 0 {
					l.written.members[name] = previous.members[name]
				}
			}
		}
		l.written.members["life"] = &expression{value: cty.StringVal(l.name)}
		l.imports = l.State.Value.IsNull() && w.IntN(5) == 0
	}
}

func (l *life) block(step int) string {
	if l.written == nil {
		return ""
	}
	laters := map[string]string{"step": strconv.Itoa(step)}
	ignored := "[" + strings.Join(l.ignored, ", ") + "]"
	if l.IgnoreAll {
		ignored = "all"
	}
	text := fmt.Sprintf("resource \"test_thing\" %q {\n%s\nlifecycle {\ncreate_before_destroy = %t\nignore_changes = %s\n}\n}\n",
		l.name, strings.TrimSuffix(strings.TrimPrefix(l.written.text(laters), "{"), "}"), l.CreateBeforeDestroy, ignored)
	// Each has outputs of its own, so that none waits for another.
	text += fmt.Sprintf("resource \"terraform_data\" %q {\ninput = {\n", l.name)
	for _, name := range sortedNames(laters) {
		text += name + " = " + laters[name] + "\n"
	}
	text += "}\n}\n"
	if l.imports {
		text += fmt.Sprintf("import {\nto = test_thing.%s\nid = %q\n}\n", l.name, l.name)
	}
	return text
}

// evaluate evaluates the block.
func (l *life) evaluate(t *testing.T, inPlan bool) {
	t.Helper()
	l.Config = cty.NullVal(schema.Type)
	if l.written == nil {
		return
	}
	var err error
	if l.Config, err = schema.Config(l.written.eval(inPlan)); err != nil {
		t.Fatal(err)
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

// program is a real terraform before a provider in this process.
type program struct {
	t *testing.T
	// older is a Terraform before 1.16. It plans a destruction before it refreshes, proposes
	// and ignores unknown maps in another way, and crashes at an unknown map of objects. 1.16.0
	// crashes where a creation fails and leaves something.
	older bool
	// endsEarly is one from 1.14 on: where something fails, it says less, and not always the same.
	endsEarly bool

	dir  string
	env  []string
	path string
}

const address = "registry.terraform.io/test/test"

func newProgram(t *testing.T, provider tfprotov6.ProviderServer) *program {
	t.Helper()
	path := os.Getenv("TF_ACC_TERRAFORM_PATH")
	if path == "" {
		path = "terraform"
	}
	version, err := exec.CommandContext(t.Context(), path, "version").Output()
	if err != nil {
		t.Skipf("needs a terraform: %v", err)
	}
	number := regexp.MustCompile(`^Terraform v1\.(\d+)`).FindStringSubmatch(string(version))
	if len(number) < 2 || atoi(number[1]) < 11 {
		t.Skipf("needs Terraform 1.11 with its write-only arguments, and this is %s", version)
	}
	configs, closed := make(chan *plugin.ReattachConfig, 1), make(chan struct{})
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		defer close(closed)
		_ = tf6server.Serve(address, func() tfprotov6.ProviderServer { return provider },
			tf6server.WithDebug(ctx, configs, nil), tf6server.WithGoPluginLogger(hclog.NewNullLogger()), tf6server.WithLoggingSink(t))
	}()
	t.Cleanup(func() { cancel(); <-closed })
	reattach := <-configs
	text, err := json.Marshal(map[string]any{address: map[string]any{
		"Protocol": reattach.Protocol, "ProtocolVersion": 6, "Pid": reattach.Pid, "Test": true,
		"Addr": map[string]string{"Network": reattach.Addr.Network(), "String": reattach.Addr.String()},
	}})
	if err != nil {
		t.Fatal(err)
	}
	w := &program{t: t, dir: t.TempDir(), path: path, older: atoi(number[1]) < 16, endsEarly: atoi(number[1]) >= 14}
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "TF_") {
			w.env = append(w.env, variable)
		}
	}
	w.env = append(w.env, "TF_REATTACH_PROVIDERS="+string(text), "TF_CLI_CONFIG_FILE=/dev/null", "CHECKPOINT_DISABLE=1", "TF_IN_AUTOMATION=1")
	return w
}

func atoi(text string) int {
	number, _ := strconv.Atoi(text)
	return number
}

// outcome is what a command of Terraform says of each life.
type outcome struct {
	failed  bool
	said    map[string][]string
	actions map[string]string
}

// place and result find the resource and the path in it in the detail of an error.
var (
	place  = regexp.MustCompile(`test_thing\.(l\d+)((?:\.\w+|\[[^\]]*\])*)`)
	result = regexp.MustCompile(`new value(?::| for) ((?:\.\w+|\[[^\]]*\])*)`)
)

func (w *program) run(args ...string) outcome {
	w.t.Helper()
	command := exec.CommandContext(w.t.Context(), w.path, slices.Insert(args, 1, "-json", "-input=false")...)
	command.Dir, command.Env = w.dir, w.env
	out, err := command.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && len(exit.Stderr) > 0 {
		w.t.Fatalf("terraform %s: %s", args, exit.Stderr)
	}
	o := outcome{failed: err != nil, said: map[string][]string{}, actions: map[string]string{}}
	for line := range bytes.Lines(out) {
		var message struct {
			Diagnostic struct{ Severity, Summary, Detail string }
			Change     struct {
				Action   string
				Resource struct {
					Name string `json:"resource_name"`
					Type string `json:"resource_type"`
				}
			}
			Type string
		}
		if err := json.Unmarshal(line, &message); err != nil { //nolint:musttag // encoding/json finds names in any letter case
			w.t.Fatalf("%v in %s", err, line)
		}
		switch d := message.Diagnostic; {
		case message.Type == "planned_change" && message.Change.Resource.Type == "test_thing":
			o.actions[message.Change.Resource.Name] = message.Change.Action
		case d.Severity != "error":
		default:
			found := place.FindStringSubmatch(d.Detail)
			if found == nil {
				w.t.Fatalf("%s", line)
			}
			named, text := found[1], d.Summary
			if text != "Boom" {
				text += " " + found[2]
				if inner := result.FindStringSubmatch(d.Detail); inner != nil {
					text += inner[1]
				}
			}
			o.said[named] = append(o.said[named], text)
		}
	}
	for life, all := range o.said {
		slices.Sort(all)
		o.said[life] = slices.Compact(all)
	}
	return o
}

// state is what Terraform has stored of each life.
func (w *program) state() map[string]Object {
	w.t.Helper()
	text, err := os.ReadFile(filepath.Join(w.dir, "terraform.tfstate"))
	if os.IsNotExist(err) {
		return nil
	}
	var stored struct {
		Resources []struct {
			Type, Name string
			Instances  []struct {
				Status, Private, Deposed string
				Attributes               json.RawMessage
			}
		}
	}
	if err := json.Unmarshal(text, &stored); err != nil { //nolint:musttag // as above
		w.t.Fatal(err)
	}
	all := map[string]Object{}
	for _, resource := range stored.Resources {
		if resource.Type != "test_thing" {
			continue
		}
		if len(resource.Instances) == 0 {
			continue
		}
		if len(resource.Instances) > 1 || resource.Instances[0].Deposed != "" {
			w.t.Fatalf("%s has deposed objects, which are not played", resource.Name)
		}
		instance := resource.Instances[0]
		value, err := ctyjson.Unmarshal(instance.Attributes, schema.Type)
		if err != nil {
			w.t.Fatal(err)
		}
		private, _ := base64.StdEncoding.DecodeString(instance.Private)
		all[resource.Name] = Object{Value: value, Private: private, Tainted: instance.Status == "tainted"}
	}
	return all
}

// TestLives lets lives of a fixed seed be played, and lived by a real terraform: requests to
// the provider, actions, errors and states are the same.
func TestLives(t *testing.T) {
	t.Parallel()
	live(t, 1)
}

// TestSoak searches lives.
func TestSoak(t *testing.T) { Soak(t, 1, live) }

func live(t *testing.T, seed uint64) {
	t.Helper()
	played, lived := &things{seed: seed}, &things{seed: seed}
	terraform, random := newProgram(t, lived), rand.New(rand.NewPCG(seed, 0))
	played.leaves, lived.leaves = terraform.older, terraform.older
	lives := make([]*life, 30)
	for i := range lives {
		lives[i] = &life{Resource: New("test_thing", schema), name: fmt.Sprint("l", i)}
		lives[i].CreateBeforeDestroy = i%3 == 0
	}
	w := &writer{Rand: random, older: terraform.older}
	for step := range 4 {
		config, cares := fmt.Sprintf("terraform {\nrequired_providers {\ntest = { source = %q }\n}\n}\n", address), map[string]bool{}
		for _, l := range lives {
			w.name = l.name
			l.next(t, w)
			config += l.block(step)
			cares[l.name] = l.CreateBeforeDestroy
		}
		if err := os.WriteFile(filepath.Join(terraform.dir, "main.tf"), []byte(config), 0o600); err != nil {
			t.Fatal(err)
		}
		changes := map[string]*Change{}
		for _, phase := range []string{"trial", "plan", "apply"} {
			for _, p := range []*things{played, lived} {
				p.step, p.phase, p.cares, p.calls = step, phase, cares, map[string][]string{}
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
				l.evaluate(t, phase != "apply")
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
				if got, sent := played.calls[l.name], lived.calls[l.name]; !same(got, sent) {
					t.Errorf("%s: requests (-Terraform, +played):\n%s", at, cmp.Diff(sent, got))
				}
				action := map[Action]string{Create: "create", Update: "update", Replace: "replace", Delete: "delete"}[c.Action]
				if shown := want.actions[l.name]; phase == "plan" && !want.failed && action != shown {
					t.Errorf("%s: played: %q, Terraform: %q", at, action, shown)
				}
			}
			if t.Failed() {
				t.Fatalf("%s of step %d in %s", phase, step, terraform.dir)
			}
			if want.failed && phase == "plan" { // both found the same fault: there is nothing to apply
				break
			}
		}
		states := terraform.state()
		for _, l := range lives {
			want, ok := states[l.name]
			if !ok {
				want = l.none()
			}
			if got := l.State; !got.Value.RawEquals(want.Value) || !bytes.Equal(got.Private, want.Private) || got.Tainted != want.Tainted {
				t.Errorf("seed %d, step %d, %s: played:\n%#v\nTerraform:\n%#v", seed, step, l.name, got, want)
			}
		}
		if t.Failed() {
			return
		}
	}
}
