package provider

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// Table mappings, in configurations and requests. The pipe of the seed has customersMapping,
// addressesMapping and leadsMapping.

const (
	customersMapping = `"public.customers:customers" = { excluded_columns = ["password_hash", "phone"], ` +
		`use_custom_sorting_key = true, sorting_keys = ["country", "id"] }`
	addressesMapping = `"public.addresses:addresses" = { excluded_columns = [] }`
	leadsMapping     = `"sales.leads:sales_leads" = { excluded_columns = ["notes"] }`
)

func mappings(all ...string) string {
	return "source = { postgres = { table_mappings = { " + strings.Join(all, ", ") + " } } }"
}

// wanted is a mapping in a configuration, with further members.
func wanted(source, target, members string) string {
	return fmt.Sprintf("%q = { %s }", source+":"+target, members)
}

// seedMappings is the configuration of the mappings of the seed, and resorted has customers
// sorted by its id alone.
var (
	seedMappings = mappings(customersMapping, addressesMapping, leadsMapping)
	resorted     = mappings(strings.Replace(customersMapping, `["country", "id"]`, `["id"]`, 1), addressesMapping, leadsMapping)
)

// mappedPipe is a block for the pipe with the mappings of the seed, applied.
func (f *fixture) mappedPipe() *managed {
	f.t.Helper()
	b := f.pipe(mockplatform.PostgresPipeID, seedMappings)
	b.apply()
	b.wantWrites()
	return b
}

const tableMappings = "source.postgres.tableMappings"

// mappingSet are mappings of tables of the schema public, by source and target: "users>people". Worlds and
// lives have nothing else of them.
type mappingSet map[string]mapping

// mapping is what a mapping excludes and is sorted by: columns, with commas between them.
type mapping struct{ excludes, sortedBy string }

// mappingsIn are the mappings of a state, and mappingsOf those of a list in a document or a body.
func mappingsIn(pipe tfvalue.Value) mappingSet {
	set := mappingSet{}
	for _, element := range pipe.At(tableMappingsPath...).Elements() {
		name := element.At("source_table").Text() + ">" + element.At("target_table").Text()
		set[name] = mappingOf(texts(element.At("excluded_columns").Elements()), texts(element.At("sorting_keys").Elements()))
	}
	return set
}

func mappingsOf(list any) mappingSet {
	set := mappingSet{}
	for _, element := range listOf(list) {
		var columns [2][]string
		for i, name := range []string{"excludedColumns", "sortingKeys"} {
			for _, column := range listOf(member(element, name)) {
				columns[i] = append(columns[i], fmt.Sprint(column))
			}
		}
		set[nameOf(element)] = mappingOf(columns[0], columns[1])
	}
	return set
}

func mappingOf(excludes, sortedBy []string) mapping {
	return mapping{strings.Join(slices.Sorted(slices.Values(excludes)), ","), strings.Join(sortedBy, ",")}
}

// documents are the mappings as the platform stores them, and arguments as a configuration has them: every
// other one names in its members what its key names.
func (s mappingSet) documents() []any {
	all := []any{}
	for _, name := range slices.Sorted(maps.Keys(s)) {
		source, target, _ := strings.Cut(name, ">")
		all = append(all, mockplatform.Document{
			"sourceSchemaName": "public", "sourceTable": source, "targetTable": target, "useCustomSortingKey": s[name].sortedBy != "",
			"excludedColumns": listOfColumns(s[name].excludes), "sortingKeys": listOfColumns(s[name].sortedBy),
		})
	}
	return all
}

func (s mappingSet) arguments() object {
	all := object{}
	for i, document := range s.documents() {
		mapping := object{}
		for name, value := range document.(object) {
			mapping[snake(name)] = value
		}
		key := fmt.Sprintf("%s.%s:%s", mapping["source_schema_name"], mapping["source_table"], mapping["target_table"])
		if i%2 == 0 {
			delete(mapping, "source_schema_name")
			delete(mapping, "source_table")
			delete(mapping, "target_table")
		}
		all[key] = mapping
	}
	return all
}

func (s mappingSet) has(name string) bool { _, ok := s[name]; return ok }

// sameOf reports whether two sets have the same under a name.
func (s mappingSet) sameOf(other mappingSet, name string) bool {
	return s.has(name) == other.has(name) && s[name] == other[name]
}

// with and without have a mapping more, or less.
func (s mappingSet) with(name string, is mapping) mappingSet {
	all := maps.Clone(s)
	all[name] = is
	return all
}

func (s mappingSet) without(name string) mappingSet {
	all := maps.Clone(s)
	delete(all, name)
	return all
}

// asFarAsShown is the set without its sorting, if that of the platform has none: where what is empty is
// omitted, nothing shows a sorting that no mapping has.
func (s mappingSet) asFarAsShown(held mappingSet) mappingSet {
	for _, mapping := range held {
		if mapping.sortedBy != "" {
			return s
		}
	}
	all := mappingSet{}
	for name, is := range s {
		all[name] = mapping{is.excludes, ""}
	}
	return all
}

// excludesColumn reports whether a mapping excludes a column.
func (m mapping) excludesColumn(column string) bool { return slices.Contains(m.columns(), column) }

func (m mapping) columns() []string {
	return strings.FieldsFunc(m.excludes, func(r rune) bool { return r == ',' })
}

func listOfColumns(text string) []any {
	columns := []any{}
	for _, column := range (mapping{excludes: text}).columns() {
		columns = append(columns, column)
	}
	return columns
}

func listOf(list any) []any { all, _ := list.([]any); return all }

func nameOf(element any) string {
	return fmt.Sprint(member(element, "sourceTable"), ">", member(element, "targetTable"))
}
