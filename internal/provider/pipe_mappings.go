package provider

import (
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
)

// The table mappings of a Postgres source are configured as the set that is
// wanted, and sent as the difference to the set there is.

const tableMappingsName = "table_mappings"

var tableMappingsPath = []string{"source", "postgres", tableMappingsName}

// mappingKey names a table mapping: schema, table and target.
func mappingKey(mapping tftypes.Value) platform.TableMappingKey {
	return platform.TableMappingKey{
		SourceSchemaName: text(at(mapping, "source_schema_name")),
		SourceTable:      text(at(mapping, "source_table")),
		TargetTable:      text(at(mapping, "target_table")),
	}
}

func mappingsByKey(set tftypes.Value) map[platform.TableMappingKey]tftypes.Value {
	byKey := map[platform.TableMappingKey]tftypes.Value{}
	for _, mapping := range elements(set) {
		byKey[mappingKey(mapping)] = mapping
	}
	return byKey
}

// sameWanted tells whether a plan is the set that the configuration asks for.
func sameWanted(config, plan tftypes.Value) bool { return coversMappings(config, plan) }

// answersMappings tells whether the platform told the set that was wanted.
func answersMappings(wanted, told tftypes.Value) bool { return coversMappings(told, wanted) }

// coversMappings tells whether two sets have the same mappings, and every
// member that partial has is the same in full.
func coversMappings(partial, full tftypes.Value) bool {
	fullByKey := mappingsByKey(full)
	if len(mappingsByKey(partial)) != len(fullByKey) {
		return false
	}
	for key, mapping := range mappingsByKey(partial) {
		if other, ok := fullByKey[key]; !ok || !coversMapping(mapping, other) {
			return false
		}
	}
	return true
}

func coversMapping(partial, full tftypes.Value) bool {
	for name, member := range members(partial) {
		if !member.IsNull() && canonical(member) != canonical(members(full)[name]) {
			return false
		}
	}
	return true
}

// rememberMappings is the set the platform told, with the members that it left
// out as they were last known.
func rememberMappings(last, told tftypes.Value) tftypes.Value {
	lastByKey := mappingsByKey(last)
	remembered := make([]tftypes.Value, 0, len(elements(told)))
	for _, mapping := range elements(told) {
		if known, ok := lastByKey[mappingKey(mapping)]; ok {
			mapping = fill(mapping, known)
		}
		remembered = append(remembered, mapping)
	}
	return tftypes.NewValue(told.Type(), remembered)
}

// completeMappings fills in the members that the configured mappings leave
// out: what the mapping has now, and [] and false for a new one.
func completeMappings(config, plan, held tftypes.Value) tftypes.Value {
	if config.IsNull() || !config.IsKnown() || plan.IsFullyKnown() && !sameWanted(config, plan) {
		return plan
	}
	heldByKey := mappingsByKey(held)
	complete := make([]tftypes.Value, 0, len(elements(config)))
	for _, mapping := range elements(config) {
		if mapping.IsNull() || !mapping.IsKnown() {
			return plan
		}
		now, exists := heldByKey[mappingKey(mapping)]
		complete = append(complete, eachMember(mapping, func(name string, member tftypes.Value) tftypes.Value {
			switch {
			case !member.IsNull():
				return member
			case exists:
				return members(now)[name]
			case !keyKnown(mapping):
				return tftypes.NewValue(member.Type(), tftypes.UnknownValue)
			default:
				return emptyMember(member.Type())
			}
		}))
	}
	return tftypes.NewValue(plan.Type(), complete)
}

func keyKnown(mapping tftypes.Value) bool {
	return at(mapping, "source_schema_name").IsKnown() && at(mapping, "source_table").IsKnown() && at(mapping, "target_table").IsKnown()
}

func emptyMember(typ tftypes.Type) tftypes.Value {
	if typ.Is(tftypes.Bool) {
		return tftypes.NewValue(typ, false)
	}
	return tftypes.NewValue(typ, []tftypes.Value{})
}

// mappingSteps is the way from the mappings there are to those wanted.
type mappingSteps struct {
	remove []platform.TableMappingKey
	// add goes with remove. later has to wait for it: a mapping of its source
	// table is removed first, and the order within one request isn't promised.
	add, later []platform.TableMapping
}

func stepsBetween(held, wanted tftypes.Value) (mappingSteps, error) {
	var steps mappingSteps
	heldByKey, wantedByKey := mappingsByKey(held), mappingsByKey(wanted)
	type table struct{ schema, name string }
	freed := map[table]bool{}
	for _, mapping := range elements(held) {
		key := mappingKey(mapping)
		if keep, ok := wantedByKey[key]; ok && canonical(keep) == canonical(mapping) {
			continue
		}
		steps.remove = append(steps.remove, key)
		freed[table{key.SourceSchemaName, key.SourceTable}] = true
	}
	for _, mapping := range elements(wanted) {
		key := mappingKey(mapping)
		if now, ok := heldByKey[key]; ok && canonical(now) == canonical(mapping) {
			continue
		}
		var add platform.TableMapping
		if err := decode(fullMapping(mapping), &add); err != nil {
			return mappingSteps{}, err
		}
		if freed[table{key.SourceSchemaName, key.SourceTable}] {
			steps.later = append(steps.later, add)
		} else {
			steps.add = append(steps.add, add)
		}
	}
	return steps, nil
}

// withoutWaiting is the wanted set before the second of two PATCHes.
func withoutWaiting(wanted tftypes.Value, later []platform.TableMapping) tftypes.Value {
	waiting := map[platform.TableMappingKey]bool{}
	for _, mapping := range later {
		waiting[platform.TableMappingKey{
			SourceSchemaName: deref(mapping.SourceSchemaName),
			SourceTable:      deref(mapping.SourceTable),
			TargetTable:      deref(mapping.TargetTable),
		}] = true
	}
	there := []tftypes.Value{}
	for _, mapping := range elements(wanted) {
		if !waiting[mappingKey(mapping)] {
			there = append(there, mapping)
		}
	}
	return tftypes.NewValue(wanted.Type(), there)
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// fullMapping spells out every member of a mapping that is to be added, so
// that its meaning doesn't rest on the platform's defaults.
func fullMapping(mapping tftypes.Value) tftypes.Value {
	return eachMember(mapping, func(_ string, member tftypes.Value) tftypes.Value {
		if member.IsNull() && !member.Type().Is(tftypes.String) {
			return emptyMember(member.Type())
		}
		return member
	})
}
