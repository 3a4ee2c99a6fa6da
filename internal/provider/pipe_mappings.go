package provider

import (
	"fmt"
	"slices"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/adopt"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// The table mappings of a Postgres source are configured as the complete set, and
// sent as the difference to the set on the platform. A mapping is a value: one that
// differs is removed and added again, from the configuration alone.

var tableMappingsPath = tfvalue.Path{"source", "postgres", "table_mappings"}

// sourceTable are the members that identify the table that a mapping is about.
var sourceTable = []string{"source_schema_name", "source_table"}

// mappingKey identifies a table mapping by schema, table and target.
var mappingKey = tfvalue.Key{
	Members: append(slices.Clone(sourceTable), "target_table"),
	Parent:  sourceTable,
	Noun:    "table mapping",
	Format:  "%s.%s to %s",
}

// sameTable and sameTarget are the parts of the key that only one mapping at a time may
// be able to have.
var (
	sameTable  = tfvalue.Key{Members: sourceTable}
	sameTarget = tfvalue.Key{Members: []string{"target_table"}}
)

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
// a mapping that is removed. They wait for a PATCH of their own, since the API
// document doesn't promise an order within one request.
func waitingMappings(remote, wanted tfvalue.Value) []tfvalue.Value {
	if wanted.IsNull() || !wanted.IsKnown() {
		return nil
	}
	remove, add := mappingKey.Difference(wanted, remote)
	return slices.DeleteFunc(add, func(mapping tfvalue.Value) bool {
		return !shares(sameTable, mapping, remove) && !shares(sameTarget, mapping, remove)
	})
}

// shares reports whether a part of the key of a mapping is that of another one.
func shares(part tfvalue.Key, mapping tfvalue.Value, others []tfvalue.Value) bool {
	return slices.ContainsFunc(others, func(other tfvalue.Value) bool { return part.Of(other) == part.Of(mapping) })
}

// setMappings puts the difference between the remote and the wanted mappings into
// an update. A removal spells a mapping as the platform does.
func setMappings(update *platform.PostgresUpdate, change adopt.Change, wanted, remote tfvalue.Value) error {
	update.TableMappings = nil
	if wanted.IsNull() {
		return nil
	}
	remove, add := mappingKey.Difference(wanted, remote)
	if err := checkCovered(change, wanted, remove); err != nil {
		return err
	}
	for _, mapping := range remove {
		var key platform.TableMappingKey
		if err := mapping.Decode(&key); err != nil {
			return err
		}
		update.TableMappingsToRemove = append(update.TableMappingsToRemove, key)
	}
	for _, mapping := range add {
		var full platform.TableMapping
		if err := mapping.Decode(&full); err != nil {
			return err
		}
		update.TableMappingsToAdd = append(update.TableMappingsToAdd, full)
	}
	return nil
}

// checkCovered rejects the removal of a mapping that excludes a column which it did not when
// the plan was made, if the plan has a mapping of the same table that would replicate it, or
// the update keeps one that was added on the platform after the plan. An
// update compares with the platform before it begins; this is for what is excluded while it
// runs. An adoption changes no mapping, so that its plan has them as they were.
func checkCovered(change adopt.Change, wanted tfvalue.Value, remove []tfvalue.Value) error {
	before := mappingKey.Index(change.Plan.At(tableMappingsPath...))
	if !change.Prior.IsNull() {
		before = mappingKey.Index(change.Prior.At(tableMappingsPath...))
	}
	for _, mapping := range remove {
		fresh := uncovered(mapping, before[mappingKey.Of(mapping)])
		for _, next := range slices.Concat(change.Plan.At(tableMappingsPath...).Elements(), wanted.Elements()) {
			if sameTable.Of(next) != sameTable.Of(mapping) {
				continue
			}
			for column := range uncovered(mapping, next) {
				if fresh[column] {
					return fmt.Errorf("the column %q of %s was excluded on the platform after the plan, and this update would replicate it; nothing more was sent; run terraform plan again",
						column, mappingKey.Spell(mapping))
				}
			}
		}
	}
	return nil
}

// uncovered returns the columns that one mapping excludes and the next one does not. Either
// may be missing.
func uncovered(mapping, next tfvalue.Value) map[string]bool {
	columns := excludedColumns(mapping)
	for column := range excludedColumns(next) {
		delete(columns, column)
	}
	return columns
}

func excludedColumns(mapping tfvalue.Value) map[string]bool {
	columns := map[string]bool{}
	if mapping.Type() == nil {
		return columns
	}
	for _, column := range mapping.At("excluded_columns").Elements() {
		columns[column.Normal()] = true
	}
	return columns
}

// warnMappings warns about mappings that are removed and added again, and about a
// sorting key that the platform may reject once the mapping is removed.
func warnMappings(r adopt.Review) {
	wanted := r.Send.At(tableMappingsPath...)
	if !wanted.IsFullyKnown() || wanted.IsNull() {
		return
	}
	remove, add := mappingKey.Difference(wanted, r.Remote.At(tableMappingsPath...))
	again := slices.DeleteFunc(slices.Clone(add), func(mapping tfvalue.Value) bool { return !shares(sameTable, mapping, remove) })
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
