package bench

import (
	"fmt"

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
