package provider

import (
	"cmp"
	"slices"

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

func isMapping(typ tftypes.Type) bool {
	object, ok := typ.(tftypes.Object)
	_, target := object.AttributeTypes["target_table"]
	return ok && target
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

// splitMappings takes from the wanted set what has to wait for a PATCH of its
// own: a mapping whose source table is held until another is removed, since
// the order within one request isn't promised.
func splitMappings(held, wanted tftypes.Value) (first tftypes.Value, waiting []tftypes.Value) {
	type table struct{ schema, name string }
	tableOf := func(mapping tftypes.Value) table {
		key := mappingKey(mapping)
		return table{key.SourceSchemaName, key.SourceTable}
	}
	freed := map[table]bool{}
	for _, mapping := range mappingsBeside(held, wanted) {
		freed[tableOf(mapping)] = true
	}
	for _, mapping := range mappingsBeside(wanted, held) {
		if freed[tableOf(mapping)] {
			waiting = append(waiting, mapping)
		}
	}
	if len(waiting) == 0 {
		return wanted, nil
	}
	return tftypes.NewValue(wanted.Type(), mappingsBeside(wanted, tftypes.NewValue(wanted.Type(), waiting))), waiting
}

// mappingsBeside are the mappings of one set that another doesn't have, or not
// with the same members, in the order of their names: a set has none of its
// own, and what is sent shall not depend on where it was read.
func mappingsBeside(set, other tftypes.Value) []tftypes.Value {
	otherByKey := mappingsByKey(other)
	beside := []tftypes.Value{}
	for _, mapping := range elements(set) {
		if same, ok := otherByKey[mappingKey(mapping)]; !ok || canonical(same) != canonical(mapping) {
			beside = append(beside, mapping)
		}
	}
	slices.SortStableFunc(beside, func(a, b tftypes.Value) int {
		x, y := mappingKey(a), mappingKey(b)
		return cmp.Or(
			cmp.Compare(x.SourceSchemaName, y.SourceSchemaName),
			cmp.Compare(x.SourceTable, y.SourceTable),
			cmp.Compare(x.TargetTable, y.TargetTable),
		)
	})
	return beside
}

// mappingOrders are what brings a platform from the mappings held to those
// wanted.
func mappingOrders(held, wanted tftypes.Value) (remove []platform.TableMappingKey, add []platform.TableMapping, err error) {
	for _, mapping := range mappingsBeside(held, wanted) {
		remove = append(remove, mappingKey(mapping))
	}
	for _, mapping := range mappingsBeside(wanted, held) {
		var full platform.TableMapping
		if err := decode(fullMapping(mapping), &full); err != nil {
			return nil, nil, err
		}
		add = append(add, full)
	}
	return remove, add, nil
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
