package bench

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// kinds is the number of source kinds of pipes, which take turns on the platform.
const kinds = 4

// applyAll brings the state and the platform to where an apply of all objects would. It
// applies one object of each kind and copies the result: Terraform writes the whole state
// after each object, and would take minutes for thousands.
func (w *workspace) applyAll(b *testing.B, ids map[string][]string) {
	b.Helper()
	services, pipes := ids["services"], ids["pipes"]
	w.writeIDs(b, map[string][]string{"services": services[:min(1, len(services))], "pipes": pipes[:min(kinds, len(pipes))]})
	w.run(b, applyArgs)
	w.writeIDs(b, ids)

	file := filepath.Join(w.dir, "terraform.tfstate")
	content, err := os.ReadFile(file)
	check(b, err)
	var state map[string]any
	check(b, json.Unmarshal(content, &state))
	for _, resource := range state["resources"].([]any) {
		resource := resource.(map[string]any)
		applied := resource["instances"].([]any)
		all := services
		if len(pipes) > 0 {
			all = pipes
		}
		var instances []any
		for i := range all {
			instances = append(instances, copied(b, applied[i%len(applied)], i, i%len(applied)))
		}
		resource["instances"] = instances
	}
	content, err = json.Marshal(state)
	check(b, err)
	w.write(b, "terraform.tfstate", content)

	for _, id := range services {
		w.platform.UpdateService(id, like(w.platform.Service(services[0])))
	}
	for i, id := range pipes {
		w.platform.UpdatePipe(id, like(w.platform.Pipe(pipes[i%kinds])))
	}
}

// copied returns the instance of another object, whose ID and name have another number.
func copied(b *testing.B, instance any, to, from int) (out map[string]any) {
	b.Helper()
	content, err := json.Marshal(instance)
	check(b, err)
	var pairs []string
	for _, form := range []string{"60000000-0000-4000-8000-%012d", "61000000-0000-4000-8000-%012d", "service-%05d", "70000000-0000-4000-8000-%012d", "pipe-%05d"} {
		pairs = append(pairs, fmt.Sprintf(form, from+1), fmt.Sprintf(form, to+1))
	}
	check(b, json.Unmarshal([]byte(strings.NewReplacer(pairs...).Replace(string(content))), &out))
	out["index_key"] = to
	return out
}

// like gives an object what another one has, except what names it.
func like(other mockplatform.Document) func(mockplatform.Document) {
	return func(doc mockplatform.Document) {
		for name, value := range other {
			switch name {
			case "id", "name", "dataWarehouseId":
			default:
				doc[name] = value
			}
		}
	}
}
