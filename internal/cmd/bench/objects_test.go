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

// addObjects adds the objects of a size to a platform, as the configurations have them, and
// returns their IDs by sort.
func addObjects(platform *mockplatform.Server, size size) map[string][]string {
	ids := map[string][]string{
		"tables":   tableNames(size.tables),
		"services": platform.AddServices(mockplatform.OrganizationID, size.services),
		"pipes":    platform.AddPipes(mockplatform.ServiceID, size.pipes),
	}
	ids["mapped"] = platform.AddPipes(mockplatform.ServiceID, size.mapped)
	for _, id := range ids["services"] {
		platform.UpdateService(id, func(doc mockplatform.Document) {
			doc["numReplicas"], doc["idleScaling"], doc["idleTimeoutMinutes"] = 5, true, 15
		})
	}
	for _, id := range ids["pipes"] {
		platform.UpdatePipe(id, func(doc mockplatform.Document) { doc["settings"].(mockplatform.Document)["engine_max_threads"] = 5 })
	}
	for _, id := range ids["mapped"] {
		mapTables(platform, id, ids["tables"])
	}
	return ids
}

func tableNames(number int) []string {
	names := make([]string, number)
	for i := range names {
		names[i] = fmt.Sprintf("table_%d", i)
	}
	return names
}

// mapTables gives a pipe a Postgres source with these tables.
func mapTables(platform *mockplatform.Server, id string, tables []string) {
	platform.UpdatePipe(id, func(doc mockplatform.Document) {
		mappings := make([]any, len(tables))
		for i, name := range tables {
			mappings[i] = mockplatform.Document{
				"sourceSchemaName": "public", "sourceTable": name, "targetTable": name,
				"excludedColumns": []any{"secret"}, "useCustomSortingKey": true, "sortingKeys": []any{"id"},
			}
		}
		doc["source"] = mockplatform.Document{"postgres": mockplatform.Document{"host": "db.example.com", "tableMappings": mappings}}
	})
}

// copied is the number of objects that are applied. The state of any other is a copy of one of
// these: to apply thousands takes minutes, because Terraform writes the whole state after each.
// The kinds of pipes take turns, so it is a multiple of four.
const copied = 100

// copyObjects adds all objects of a size to the state of those that are applied.
func (w *workspace) copyObjects(b *testing.B, size size) {
	b.Helper()
	file := filepath.Join(w.dir, "terraform.tfstate")
	content, err := os.ReadFile(file)
	check(b, err)
	var state map[string]any
	check(b, json.Unmarshal(content, &state))
	for _, r := range state["resources"].([]any) {
		resource := r.(map[string]any)
		instances := resource["instances"].([]any)
		for i := len(instances); i < size.services+size.pipes+size.mapped; i++ {
			like, err := json.Marshal(instances[i%copied])
			check(b, err)
			var renumbered []string
			for _, prefix := range []string{"60000000-0000-4000-8000-", "61000000-0000-4000-8000-", "70000000-0000-4000-8000-"} {
				renumbered = append(renumbered, fmt.Sprintf("%s%012d", prefix, i%copied+1), fmt.Sprintf("%s%012d", prefix, i+1))
			}
			for _, prefix := range []string{"service-", "pipe-"} {
				renumbered = append(renumbered, fmt.Sprintf("%s%05d", prefix, i%copied+1), fmt.Sprintf("%s%05d", prefix, i+1))
			}
			var instance map[string]any
			check(b, json.Unmarshal([]byte(strings.NewReplacer(renumbered...).Replace(string(like))), &instance))
			instance["index_key"] = i
			instances = append(instances, instance)
		}
		resource["instances"] = instances
	}
	content, err = json.Marshal(state)
	check(b, err)
	check(b, os.WriteFile(file, content, 0o600))
}

// writeIDs writes the file with the IDs that the configurations use, up to a number of each sort, and the
// tables.
// It is a file of its own because Terraform reads the whole file of a resource for each warning
// about it.
func (w *workspace) writeIDs(b *testing.B, ids map[string][]string, most int) {
	b.Helper()
	some := map[string][]string{}
	for sort, all := range ids {
		if some[sort] = all; sort != "tables" {
			some[sort] = all[:min(most, len(all))]
		}
	}
	content, err := json.Marshal(some)
	check(b, err)
	check(b, os.WriteFile(filepath.Join(w.dir, "ids.json"), content, 0o600))
}
