package provider

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/adopt"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// The table mappings of a Postgres source are configured as the complete set, and
// sent as the difference to the set on the platform.

const (
	tableMappingsName = "table_mappings"
	excludedColumns   = "excluded_columns"
)

var tableMappingsPath = tfvalue.Path{"source", "postgres", tableMappingsName}

// mappingKey identifies a table mapping by schema, table and target.
var mappingKey = tfvalue.Key{
	Members: []string{"source_schema_name", "source_table", "target_table"},
	Noun:    "table mapping",
	Format:  "%s.%s to %s",
}

// sourceTable and target are the parts of the key that only one mapping at a time may
// be able to have.
var (
	sourceTable = tfvalue.Key{Members: mappingKey.Members[:2]}
	target      = tfvalue.Key{Members: mappingKey.Members[2:]}
)

// planMappings fills in the members that configured mappings omit: the values of
// an existing mapping, and [] and false for a new one. A mapping that is removed
// and added again has the same values there (checkMappings).
func planMappings(config, plan, remote tfvalue.Value) tfvalue.Value {
	wanted, planned := config.At(tableMappingsPath...), plan.At(tableMappingsPath...)
	if wanted.IsNull() || !wanted.IsKnown() || ignoresMappings(wanted, planned) {
		return plan
	}
	existing := mappingKey.Index(remote.At(tableMappingsPath...))
	mappings := wanted.Elements()
	for i, mapping := range mappings {
		now, exists := existing[mappingKey.Of(mapping)]
		switch {
		case !mappingKey.Known(mapping):
			mappings[i] = mapping.Map(func(_ string, member tfvalue.Value) tfvalue.Value {
				if member.IsNull() {
					return tfvalue.Unknown(member.Type())
				}
				return member
			})
		case exists:
			mappings[i] = mapping.Merge(now)
		default:
			mappings[i] = fullMapping(mapping)
		}
	}
	return plan.With(tfvalue.Collection(planned.Type(), mappings), tableMappingsPath...)
}

// ignoresMappings reports whether the mappings differ between plan and
// configuration, which is the effect of ignore_changes.
func ignoresMappings(wanted, planned tfvalue.Value) bool {
	return wanted.IsFullyKnown() && planned.IsFullyKnown() && !pipeRules.AsksFor(tableMappingsName, wanted, planned)
}

// checkMappings rejects mappings that have to be added and omit members that this
// needs. A mapping is added from the configuration alone, since nothing else
// survives a request that fails half way.
func checkMappings(r adopt.Review) {
	wanted, planned := r.Config.At(tableMappingsPath...), r.Plan.At(tableMappingsPath...)
	if r.Remote.IsNull() || wanted.IsNull() || !wanted.IsKnown() || ignoresMappings(wanted, planned) {
		return
	}
	there := r.Remote.At(tableMappingsPath...)
	now, before, plans := mappingKey.Index(there), mappingKey.Index(r.Prior.At(tableMappingsPath...)), mappingKey.Index(planned)
	for _, mapping := range mappingKey.Sort(wanted.Elements()) {
		if !mappingKey.Known(mapping) {
			continue
		}
		key := mappingKey.Of(mapping)
		current, exists := now[key]
		was, planKept := before[key]
		planKept = planKept && tfvalue.Covered(mapping, was)
		var why string
		switch {
		case exists && tfvalue.Covered(mapping.OnlyKnown(), current):
			continue // it stays, as far as its values are known
		case exists:
			why = "changes, and has to be removed and added again. It"
		case planKept:
			why = "was removed after the plan. Run terraform plan again. To be added, it"
		case there.IsNull():
			why = "may be on the platform: the API returned no table mappings of the pipe. To be added, it"
		default:
			why = "is not on the platform and has to be added. It"
		}
		lacks := lackingMembers(mapping, func(name string) bool {
			return exists && !current.At(name).IsEmpty() || !exists && planKept || showsMember(plans[key], name)
		})
		if len(lacks) > 0 {
			addMappingError(r, mapping, there, lacks, why)
		}
	}
}

// lackingMembers are the members that a mapping omits and needs in order to be
// added: the excluded columns, and every other member that is needed.
func lackingMembers(mapping tfvalue.Value, needed func(name string) bool) []string {
	var lacks []string
	for name, member := range mapping.Members() {
		if member.IsNull() && (name == excludedColumns || needed(name)) {
			lacks = append(lacks, name)
		}
	}
	return lacks
}

// showsMember reports whether a planned mapping, if there is one, shows a member
// that is not empty.
func showsMember(planned tfvalue.Value, name string) bool {
	return planned.Type() != nil && planned.At(name).IsKnown() && !planned.At(name).IsEmpty()
}

// offeredMembers are lines to copy: the current values of the mapping, or of
// another one of the same table.
func offeredMembers(mapping, there tfvalue.Value, lacks []string) []string {
	var lines []string
	for _, other := range mappingKey.Sort(there.Elements()) {
		same := mappingKey.Of(other) == mappingKey.Of(mapping)
		if sourceTable.Of(other) != sourceTable.Of(mapping) || len(lines) > 0 && !same {
			continue
		}
		lines = nil
		for _, name := range lacks {
			if member := other.At(name); !member.IsNull() {
				lines = append(lines, fmt.Sprintf("  %s = %s", name, pipeRules.Describe(name, member)))
			} else if same {
				lines = append(lines, fmt.Sprintf("  %s = []", name))
			}
		}
	}
	return lines
}

func addMappingError(r adopt.Review, mapping, there tfvalue.Value, lacks []string, why string) {
	text := fmt.Sprintf("In %s, the mapping %s %s must set %s, because omitted attributes are not copied from the platform.",
		r.Label, mappingKey.Spell(mapping), why, strings.Join(lacks, " and "))
	hides, offered := slices.Contains(lacks, excludedColumns), offeredMembers(mapping, there, lacks)
	switch {
	case len(offered) > 0:
		text += "\n\nCurrent values on the platform for this table:\n\n" + strings.Join(offered, "\n")
	case there.IsNull():
		text += " Which columns are excluded now is not known: look in the platform's console before you set it."
	case hides:
		text += " Use [] to exclude no column. The platform has no mapping of this table to copy from, so the columns that were excluded before are not known."
	default:
		text += " The platform has no mapping of this table to copy from."
	}
	r.Diags.AddAttributeError(conn.AttributePath(tableMappingsPath), "Table mapping is not complete", text)
}

// mappingStages splits an update into two PATCHes if mappings have to wait.
func mappingStages(send, remote tfvalue.Value) []tfvalue.Value {
	wanted := send.At(tableMappingsPath...)
	waiting := waitingMappings(remote.At(tableMappingsPath...), wanted)
	if len(waiting) == 0 {
		return []tfvalue.Value{send}
	}
	later := mappingKey.Index(tfvalue.Collection(wanted.Type(), waiting))
	first := slices.DeleteFunc(wanted.Elements(), func(mapping tfvalue.Value) bool {
		_, waits := later[mappingKey.Of(mapping)]
		return waits
	})
	return []tfvalue.Value{
		send.With(tfvalue.Collection(wanted.Type(), first), tableMappingsPath...),
		send.Only(tableMappingsPath...),
	}
}

// waitingMappings are the wanted mappings whose source table or target belongs to
// another mapping that is removed. They wait for a PATCH of their own, since the API
// document doesn't promise an order within one request.
func waitingMappings(remote, wanted tfvalue.Value) []tfvalue.Value {
	if wanted.IsNull() || !wanted.IsKnown() {
		return nil
	}
	remove, add := mappingKey.Difference(wanted, remote)
	return slices.DeleteFunc(add, func(mapping tfvalue.Value) bool {
		return !shares(sourceTable, mapping, remove) && !shares(target, mapping, remove)
	})
}

// shares reports whether a part of the key of a mapping is that of another one.
func shares(part tfvalue.Key, mapping tfvalue.Value, others []tfvalue.Value) bool {
	return slices.ContainsFunc(others, func(other tfvalue.Value) bool { return part.Of(other) == part.Of(mapping) })
}

// setMappings puts the difference between the remote and the wanted mappings into
// an update. It never adds an incomplete mapping: one that existed when it was
// checked may be gone.
func setMappings(update *platform.PostgresUpdate, wanted, remote, planned tfvalue.Value) error {
	update.TableMappings = nil
	if wanted.IsNull() {
		return nil
	}
	remove, add := mappingKey.Difference(wanted, remote)
	for _, mapping := range remove {
		var key platform.TableMappingKey
		if err := mapping.Decode(&key); err != nil {
			return err
		}
		update.TableMappingsToRemove = append(update.TableMappingsToRemove, key)
	}
	plans := mappingKey.Index(planned)
	for _, mapping := range add {
		lacks := lackingMembers(mapping, func(name string) bool { return showsMember(plans[mappingKey.Of(mapping)], name) })
		if len(lacks) > 0 {
			return fmt.Errorf("the mapping %s was changed or removed on the platform during the update, so it has to be added again and must set %s. "+
				"Nothing more was sent. Set what is missing, then run terraform plan again", mappingKey.Spell(mapping), strings.Join(lacks, " and "))
		}
		var full platform.TableMapping
		if err := fullMapping(mapping).Decode(&full); err != nil {
			return err
		}
		update.TableMappingsToAdd = append(update.TableMappingsToAdd, full)
	}
	return nil
}

// fullMapping sets every member of a mapping that is to be added, so that nothing
// depends on the platform's defaults.
func fullMapping(mapping tfvalue.Value) tfvalue.Value {
	return mapping.Map(func(_ string, member tfvalue.Value) tfvalue.Value {
		switch {
		case !member.IsNull() || member.Type().Is(tftypes.String):
			return member
		case member.Type().Is(tftypes.Bool):
			return tfvalue.Bool(false)
		default:
			return tfvalue.Collection(member.Type(), nil)
		}
	})
}

// warnMappings warns about mappings that are removed and added again, and about a
// sorting key that the platform may reject once the mapping is removed.
func warnMappings(r adopt.Review) {
	wanted := r.Send.At(tableMappingsPath...)
	if !wanted.IsFullyKnown() || wanted.IsNull() {
		return
	}
	remove, add := mappingKey.Difference(wanted, r.Remote.At(tableMappingsPath...))
	again := slices.DeleteFunc(slices.Clone(add), func(mapping tfvalue.Value) bool { return !shares(sourceTable, mapping, remove) })
	if len(again) > 0 {
		r.Diags.AddAttributeWarning(conn.AttributePath(tableMappingsPath),
			fmt.Sprintf("Table mappings of %s will be removed and added again", r.Label),
			"A mapping cannot be changed in place. These are removed and added again, so the platform may copy their tables again. "+
				"Settings of these tables that are not attributes of a mapping, such as engine and partitions, are reset to the platform's defaults:\n\n"+mappingKey.List(again))
	}
	unsorted := slices.DeleteFunc(add, func(mapping tfvalue.Value) bool {
		return !mapping.At("use_custom_sorting_key").True() || len(mapping.At("sorting_keys").Elements()) > 0
	})
	if len(unsorted) > 0 {
		r.Diags.AddAttributeWarning(conn.AttributePath(tableMappingsPath),
			fmt.Sprintf("Table mappings of %s have no sorting keys", r.Label),
			"use_custom_sorting_key is true and sorting_keys is empty. The platform may reject such a mapping, and a mapping that changes is removed before it is added. Set sorting_keys, or use_custom_sorting_key = false:\n\n"+mappingKey.List(unsorted))
	}
}
