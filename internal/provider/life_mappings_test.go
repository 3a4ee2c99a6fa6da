package provider

import (
	"fmt"
	"maps"
	"slices"

	"golang.org/x/text/unicode/norm"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// The table mappings of a life, with the names of a configuration.

// composed and decomposed are one name to Terraform, and two to a database.
const composed, decomposed = "caf\u00e9", "cafe\u0301"

// randomMapping is one in full.
func (l *life) randomMapping(accent string) object {
	columns := [][]any{{}, {"x"}, {"y", "x"}, {accent, "x"}}
	return object{
		"source_schema_name": "public", "source_table": l.choose("a", "b", "c"), "target_table": l.choose("t", "u", "v"),
		"excluded_columns": columns[l.IntN(4)], "use_custom_sorting_key": l.one(2), "sorting_keys": columns[l.IntN(3)],
	}
}

// with puts a mapping in the place of those that the platform does not allow beside it.
func (l *life) with(all []object, mapping object) []object {
	same := func(m object, name string) bool { return m[name] == mapping[name] }
	return append(slices.DeleteFunc(slices.Clone(all), func(m object) bool {
		table, target := same(m, "source_table"), same(m, "target_table")
		return table && target || l.oneTarget && table || l.oneTable && target
	}), mapping)
}

// remapped changes the mappings of a pipe on the platform.
func (l *life) remapped(b *lived) []any {
	all := heldIn(b.document())
	switch i := l.IntN(5); {
	case i == 0 && len(all) > 0:
		all = all[1:]
	case i <= 2 && len(all) > 0: // another member
		changed := maps.Clone(all[0])
		name := l.choose("excluded_columns", "use_custom_sorting_key", "sorting_keys")
		changed[name] = l.randomMapping(l.choose(composed, decomposed))[name]
		all[0] = changed
	default:
		all = l.with(all, l.randomMapping(l.choose(composed, decomposed)))
	}
	documents := []any{}
	for _, mapping := range all {
		documents = append(documents, renamed(mapping, camelCase))
	}
	return documents
}

// configureMappings changes the mappings of a configuration.
func (l *life) configureMappings(b *lived) {
	all, _ := b.config[tableMappings].([]object)
	switch l.IntN(8) {
	case 0:
		delete(b.config, tableMappings)
		return
	case 1, 2: // as it is on the platform
		all = []object{}
		for _, mapping := range heldIn(b.document()) {
			all = append(all, l.omitting(mapping))
		}
	case 3, 4:
		all = l.with(all, l.omitting(l.randomMapping(composed)))
	case 5, 6: // another member, table or target
		if len(all) > 0 {
			changed, other := maps.Clone(all[0]), l.randomMapping(composed)
			name := l.choose("excluded_columns", "excluded_columns", "use_custom_sorting_key", "source_table", "target_table")
			changed[name] = other[name]
			all = l.with(all[1:], changed)
		}
	default:
		all = all[min(1, len(all)):]
	}
	for i, mapping := range all {
		if mapping["use_custom_sorting_key"] == true && plain(mapping["sorting_keys"]) == "" { // a plan rejects it
			all[i] = maps.Clone(mapping)
			all[i]["sorting_keys"] = []any{"x"}
		}
	}
	b.config[tableMappings] = append([]object{}, all...)
}

// omitting omits members that have their default.
func (l *life) omitting(mapping object) object {
	for _, name := range []string{"use_custom_sorting_key", "sorting_keys"} {
		if plain(mapping[name]) == "" {
			delete(mapping, name)
		}
	}
	return mapping
}

// heldIn are the mappings of a document.
func heldIn(doc object) (all []object) {
	documents, _ := member(doc, tableMappings).([]any)
	for _, document := range documents {
		all = append(all, renamed(document.(object), snake))
	}
	return all
}

func renamed(from object, name func(string) string) object {
	to := object{}
	for old, value := range from {
		to[name(old)] = value
	}
	return to
}

// mappingsIn are the mappings of a state or a plan, none if they are unknown.
func mappingsIn(pipe tfvalue.Value) (all []object) {
	if pipe.Type() == nil || !pipe.At(tableMappingsPath...).IsFullyKnown() {
		return nil
	}
	for _, mapping := range pipe.At(tableMappingsPath...).Elements() {
		all = append(all, shownValue(mapping).(object))
	}
	return all
}

func byName(all []object) map[string]object {
	found := map[string]object{}
	for _, mapping := range all {
		found[mappingName(mapping)] = mapping
	}
	return found
}

func mappingName(mapping object) string {
	return norm.NFC.String(fmt.Sprint(mapping["source_schema_name"], ".", mapping["source_table"], " to ", mapping["target_table"]))
}

// mappingText is the same for mappings that are equal: what is omitted is empty, columns
// have no order, and names one form.
func mappingText(mapping object) string {
	columns := columnsOf(mapping, "excluded_columns")
	slices.Sort(columns)
	return fmt.Sprint(mappingName(mapping), columns, columnsOf(mapping, "sorting_keys"), mapping["use_custom_sorting_key"] == true)
}

func columnsOf(mapping object, name string) (columns []string) {
	all, _ := mapping[name].([]any)
	for _, column := range all {
		columns = append(columns, norm.NFC.String(fmt.Sprint(column)))
	}
	return columns
}

func sameMappings(a, b []object) bool {
	texts := func(all []object) (found []string) {
		for _, mapping := range all {
			found = append(found, mappingText(mapping))
		}
		slices.Sort(found)
		return found
	}
	return slices.Equal(texts(a), texts(b))
}

// holds reports whether mappings are those that the platform has, as far as responses tell: a
// platform that omits what is empty says nothing of a sorting that no mapping has.
func (l *life) holds(known, held []object) bool {
	for _, name := range []string{"use_custom_sorting_key", "sorting_keys"} {
		isThere := func(mapping object) bool { return mapping[name] == true || len(columnsOf(mapping, name)) > 0 }
		if l.lean && !slices.ContainsFunc(held, isThere) {
			known = slices.Clone(known)
			for i := range known {
				known[i] = maps.Clone(known[i])
				delete(known[i], name)
			}
		}
	}
	return sameMappings(known, held)
}
