package provider

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// The driver of the random lives plays Terraform's part. Here the same lives go
// through the real Terraform, and both have to come to the same.

// lifeCLI carries out the commands of a life through terraform.
type lifeCLI struct {
	*workspace
	l     *life
	typ   lifeType
	count int // of configurations with unknown values
}

// lifeExpressions is a configuration in Terraform's JSON. What is unknown is
// taken from a terraform_data that the same apply creates.
func lifeExpressions(known, unknown any, from string, inputs object) any {
	if _, ok := unknown.(lifeUnknown); ok {
		name := fmt.Sprint("v", len(inputs))
		inputs[name] = lifeEscaped(known)
		return "${" + from + ".output." + name + "}"
	}
	switch known := known.(type) {
	case object:
		all := object{}
		for name, member := range known {
			all[name] = lifeExpressions(member, unknown.(object)[name], from, inputs)
		}
		return all
	case []any:
		list := []any{}
		for i, element := range known {
			list = append(list, lifeExpressions(element, unknown.([]any)[i], from, inputs))
		}
		return list
	default:
		return lifeEscaped(known)
	}
}

func lifeEscaped(value any) any {
	switch value := value.(type) {
	case object:
		all := object{}
		for name, member := range value {
			all[name] = lifeEscaped(member)
		}
		return all
	case []any:
		list := []any{}
		for _, element := range value {
			list = append(list, lifeEscaped(element))
		}
		return list
	case string:
		return strings.NewReplacer("${", "$${", "%{", "%%{").Replace(value)
	default:
		return value
	}
}

func (c *lifeCLI) address() string { return c.typ.name + ".x" }

func (c *lifeCLI) write(command lifeCommand) {
	s := c.l.subject()
	unknown := s.unknown
	if unknown == nil {
		unknown = s.known
	}
	c.count++
	inputs, name := object{}, fmt.Sprint("u", c.count)
	block := lifeExpressions(s.known, unknown, "terraform_data."+name, inputs).(object)
	if len(s.ignore) > 0 {
		ignored := any(s.ignore)
		if slices.Contains(s.ignore, ignoreAll) {
			ignored = ignoreAll
		}
		block["lifecycle"] = object{"ignore_changes": ignored}
	}
	root := object{"resource": object{c.typ.name: object{"x": block}}}
	if len(inputs) > 0 {
		root["resource"].(object)["terraform_data"] = object{name: object{"input": inputs}}
	}
	if command.imports && s.state.IsNull() {
		id := s.known["service_id"].(string)
		if pipe, ok := s.known["pipe_id"]; ok {
			id += "/" + pipe.(string)
		}
		root["import"] = []any{object{"to": c.address(), "id": id}}
	}
	c.file("x.tf.json", lifeJSON(root))
}

// run carries out a command, and reads the state that it leaves.
func (c *lifeCLI) run(command lifeCommand) *lifeOutcome {
	o := &lifeOutcome{}
	c.write(command)
	refresh := fmt.Sprint("-refresh=", !command.noRefresh)
	switch command.name {
	case "forget":
		if !c.l.subject().state.IsNull() {
			if out, ok := c.terraform("state", "rm", c.address()); !ok {
				c.t.Fatal(out)
			}
		}
	case "refresh":
		c.json(o, "apply", "-refresh-only", "-auto-approve")
	case "destroy":
		c.json(o, "apply", "-destroy", "-auto-approve", refresh)
	case "plan":
		c.json(o, "plan", refresh)
	default:
		if command.between == nil {
			c.json(o, "apply", "-auto-approve", refresh)
			break
		}
		c.json(o, "plan", "-out=saved.plan", refresh)
		if !o.failed() {
			command.between()
			c.json(o, "apply", "saved.plan")
		}
	}
	if len(o.plans) == 0 && command.name != "forget" && command.name != "refresh" {
		action := "none"
		if o.failed() {
			action = "error"
		}
		o.plans = []lifePlan{{action: action}}
	}
	c.readState()
	return o
}

// json runs a command, and takes from its output what it plans and says.
func (c *lifeCLI) json(o *lifeOutcome, args ...string) {
	c.t.Helper()
	out, err := c.command(c.t.Context(), append(slices.Insert(args[:1:1], 1, "-json", "-input=false"), args[1:]...)...).Output()
	lines := 0
	for line := range strings.Lines(string(out)) {
		var said struct {
			Type   string
			Change struct {
				Resource struct{ Addr string }
				Action   string
			}
			Diagnostic struct{ Severity, Summary, Detail string }
		}
		if json.Unmarshal([]byte(line), &said) != nil { //nolint:musttag // encoding/json finds names in any letter case
			c.t.Fatalf("%s", line)
		}
		lines++
		switch {
		case said.Type == "planned_change" && said.Change.Resource.Addr == c.address():
			action := said.Change.Action
			if action == "noop" || action == "import" {
				action = "none"
			}
			o.plans = []lifePlan{{action: action}}
		case said.Type == "diagnostic" && said.Diagnostic.Severity == "error":
			text := said.Diagnostic.Summary + ": " + said.Diagnostic.Detail
			if providersFault.MatchString(text) {
				o.blames = append(o.blames, text)
			} else {
				o.errors = append(o.errors, text)
			}
		}
	}
	if lines == 0 {
		c.t.Fatalf("terraform %v: %v", args, err)
	}
}

func (c *lifeCLI) readState() {
	s := c.l.subject()
	s.state = tfvalue.Null(s.typ)
	text, err := os.ReadFile(filepath.Join(c.dir, "terraform.tfstate"))
	if err != nil {
		return // none yet
	}
	var state struct {
		Resources []struct {
			Type      string
			Instances []struct{ Attributes json.RawMessage }
		}
	}
	if err := json.Unmarshal(text, &state); err != nil { //nolint:musttag // encoding/json finds names in any letter case
		c.t.Fatal(err)
	}
	for _, resource := range state.Resources {
		if resource.Type == c.typ.name {
			s.state = lifeValue(lifeParse(string(resource.Instances[0].Attributes)), s.typ)
		}
	}
}

// livesForTerraform are LIFE_RUNS lives from TEST_SEED on, or parts of a few and one that
// moves to another object with and without ignore_changes.
func livesForTerraform(t *testing.T) (specs []lifeSpec) {
	first, runs, steps := uint64(3), 2, 4
	if given := os.Getenv("LIFE_RUNS"); given != "" {
		runs, _ = strconv.Atoi(given)
		first, steps = testSeed(t), 100
	} else {
		moving := newLifeSpec(movingSeeds)
		moving.steps = []lifeStep{{"change", 1}, {"move", 2}, {"ignore", 3}, {"move", 4}, {"move", 6}}
		specs = append(specs, moving)
	}
	for seed := first; runs > 0; seed++ {
		spec := newLifeSpec(seed)
		if slices.Contains(spec.features, "second") {
			continue // two resources are applied in any order
		}
		runs--
		spec.steps = spec.steps[:min(steps, len(spec.steps))]
		specs = append(specs, spec)
	}
	return specs
}

// TestLifeThroughTerraform holds the driver against Terraform.
func TestLifeThroughTerraform(t *testing.T) {
	t.Parallel()
	for _, spec := range livesForTerraform(t) {
		t.Run(fmt.Sprint(spec.seed), func(t *testing.T) {
			driven, end := newLife(t, spec)
			defer end()
			driven.unchecked = true
			driven.live()
			true_, end := newLife(t, spec)
			defer end()
			true_.unchecked = true
			f := &fixture{t: t, Server: true_.platform, url: true_.driver.settings["base_url"].(string)}
			settings := maps.Clone(true_.driver.settings)
			cli := &lifeCLI{workspace: f.workspace(""), l: true_, typ: spec.resource()}
			cli.file("main.tf.json", lifeJSON(object{
				"terraform": object{"required_providers": object{"dataplatform": object{"source": "dataplatform/dataplatform"}}},
				"provider":  object{"dataplatform": settings},
			}))
			true_.run = cli.run
			true_.live()
			for i := range max(len(driven.traces), len(true_.traces)) {
				if i >= len(driven.traces) || i >= len(true_.traces) || driven.traces[i] != true_.traces[i] {
					t.Fatalf("%s\ncommand %d came, through the driver, to\n    %s\nand through terraform to\n    %s\nthe driver's life was\n%s\nterraform's was\n%s",
						spec, i+1, slices.Concat(driven.traces, []string{"nothing"})[min(i, len(driven.traces))], slices.Concat(true_.traces, []string{"nothing"})[min(i, len(true_.traces))],
						strings.Join(driven.lines, "\n"), strings.Join(true_.lines, "\n"))
				}
			}
		})
	}
}
