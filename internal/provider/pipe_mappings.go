package provider

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// The table mappings of a Postgres source are configured as the set that is
// wanted, and sent as the difference to the set there is.

const tableMappingsName = "table_mappings"

var tableMappingsPath = tfvalue.Path{"source", "postgres", tableMappingsName}

// mappingKey identifies a table mapping by schema, table and target.
var mappingKey = tfvalue.Key{
	Members: []string{"source_schema_name", "source_table", "target_table"},
	Format:  "%s.%s to %s",
}

// sourceTable is the part of the key that one mapping at a time can hold.
var sourceTable = tfvalue.Key{Members: mappingKey.Members[:2]}

// completePipe fills in the members that configured mappings omit: what the
// mapping has now, and [] and false for a new one.
func completePipe(config, plan, remote tfvalue.Value) tfvalue.Value {
	wanted, planned := config.At(tableMappingsPath...), plan.At(tableMappingsPath...)
	if wanted.IsNull() || !wanted.IsKnown() || planned.IsFullyKnown() && !pipeRules.AsksFor(tableMappingsName, wanted, planned) {
		return plan
	}
	existing := mappingKey.Index(remote.At(tableMappingsPath...))
	complete := wanted.Elements()
	for i, mapping := range complete {
		if mapping.IsNull() || !mapping.IsKnown() {
			return plan
		}
		now, exists := existing[mappingKey.Of(mapping)]
		complete[i] = mapping.Map(func(name string, member tfvalue.Value) tfvalue.Value {
			switch {
			case !member.IsNull():
				return member
			case exists:
				return now.At(name)
			case !mappingKey.Known(mapping):
				return tfvalue.Unknown(member.Type())
			default:
				return emptyMember(member.Type())
			}
		})
	}
	return plan.With(tfvalue.Collection(planned.Type(), complete), tableMappingsPath...)
}

func emptyMember(typ tftypes.Type) tfvalue.Value {
	if typ.Is(tftypes.Bool) {
		return tfvalue.Bool(false)
	}
	return tfvalue.Collection(typ, nil)
}

// mappingStages takes two PATCHes where mappings have to wait.
func mappingStages(send, remote tfvalue.Value) []tfvalue.Value {
	wanted := send.At(tableMappingsPath...)
	waiting := waitingMappings(remote.At(tableMappingsPath...), wanted)
	if len(waiting) == 0 {
		return []tfvalue.Value{send}
	}
	first := tfvalue.Collection(wanted.Type(), mappingKey.Beside(wanted, tfvalue.Collection(wanted.Type(), waiting)))
	return []tfvalue.Value{send.With(first, tableMappingsPath...), send.Only(tableMappingsPath...)}
}

// waitingMappings are the wanted ones whose source table is held until another
// mapping is removed: they have to wait for a PATCH of their own, since the
// order within one request isn't promised.
func waitingMappings(remote, wanted tfvalue.Value) []tfvalue.Value {
	if wanted.IsNull() {
		return nil
	}
	freed := map[string]bool{}
	for _, mapping := range mappingKey.Beside(remote, wanted) {
		freed[sourceTable.Of(mapping)] = true
	}
	var waiting []tfvalue.Value
	for _, mapping := range mappingKey.Beside(wanted, remote) {
		if freed[sourceTable.Of(mapping)] {
			waiting = append(waiting, mapping)
		}
	}
	return waiting
}

// setMappings puts into an update what brings a pipe from the remote mappings
// to those wanted.
func setMappings(update *platform.PostgresUpdate, wanted, remote tfvalue.Value) error {
	update.TableMappings = nil
	if wanted.IsNull() {
		return nil
	}
	for _, mapping := range mappingKey.Beside(remote, wanted) {
		var key platform.TableMappingKey
		if err := mapping.Decode(&key); err != nil {
			return err
		}
		update.TableMappingsToRemove = append(update.TableMappingsToRemove, key)
	}
	for _, mapping := range mappingKey.Beside(wanted, remote) {
		var full platform.TableMapping
		if err := fullMapping(mapping).Decode(&full); err != nil {
			return err
		}
		update.TableMappingsToAdd = append(update.TableMappingsToAdd, full)
	}
	return nil
}

// fullMapping spells out every member of a mapping that is to be added, so
// that its meaning doesn't rest on the platform's defaults.
func fullMapping(mapping tfvalue.Value) tfvalue.Value {
	return mapping.Map(func(_ string, member tfvalue.Value) tfvalue.Value {
		if member.IsNull() && !member.Type().Is(tftypes.String) {
			return emptyMember(member.Type())
		}
		return member
	})
}

// warnRemapped warns of mappings that are removed and added again.
func warnRemapped(label string, send, remote tfvalue.Value, diags *diag.Diagnostics) {
	wanted := send.At(tableMappingsPath...)
	if wanted.IsNull() || !wanted.IsFullyKnown() {
		return
	}
	var lines []string
	for _, mapping := range waitingMappings(remote.At(tableMappingsPath...), wanted) {
		lines = append(lines, "  - "+mappingKey.Spell(mapping))
	}
	if len(lines) == 0 {
		return
	}
	diags.AddAttributeWarning(
		conn.AttributePath(tableMappingsPath),
		fmt.Sprintf("Tables of %s are mapped anew", label),
		"A mapping can't be changed in place. These are removed and then added, which may copy their tables once more:\n\n"+strings.Join(lines, "\n"),
	)
}
