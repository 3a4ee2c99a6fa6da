package provider

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/adopt"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

// The table mappings of a Postgres source are configured as the complete set, and sent as its
// difference from the set on the platform. A mapping that differs is removed and added again, as
// configured.

const excludedColumns = "excluded_columns"

var tableMappingsPath = tfvalue.Path{"source", "postgres", "table_mappings"}

var (
	// mappingKey identifies a table mapping by schema, table and target.
	mappingKey = tfvalue.Key{
		Members: []string{"source_schema_name", "source_table", "target_table"},
		Parts:   [][]string{mappingSource.Members, {"target_table"}},
		MayOmit: []string{"use_custom_sorting_key", "sorting_keys"},
		Noun:    "table mapping",
		Format:  "%s.%s to %s",
	}
	// mappingSource identifies the table that a mapping is about.
	mappingSource = tfvalue.Key{Members: []string{"source_schema_name", "source_table"}, Format: "%s.%s"}
)

// checkMappings rejects mappings that the platform may reject, and warns about what a reviewer has to
// know of a change. A plan of Terraform shows a set as two lists without an order, and nothing of it
// if a member is sensitive, or all of it if one is unknown.
func checkMappings(r adopt.Review) {
	if r.Edit.IsEmpty() && r.Leaves.At(tableMappingsPath...).IsNull() {
		return // nothing of them is sent
	}
	before, after := r.Prior.At(tableMappingsPath...), r.Plan.At(tableMappingsPath...)
	if r.Prior.IsNull() {
		rejectUnsorted(r, r.Remote.At(tableMappingsPath...), after)
		return // an adoption only adds mappings
	}
	rejectUnsorted(r, before, after)
	if lines := mappingChanges(before, after); len(lines) > 0 {
		r.Diags.AddAttributeWarning(conn.AttributePath(tableMappingsPath),
			fmt.Sprintf("Table mappings of %s change", r.Label), strings.Join(lines, "\n"))
	}
}

// rejectUnsorted rejects a mapping that is added with a custom sorting key, and without the key's
// columns: a platform that rejects it does so after it has removed the mapping that it replaces.
func rejectUnsorted(r adopt.Review, before, after tfvalue.Value) {
	unsorted := slices.DeleteFunc(mappingKey.Difference(after, before).Add, func(mapping tfvalue.Value) bool {
		keys := mapping.At("sorting_keys")
		return !mapping.At("use_custom_sorting_key").True() || !keys.IsKnown() || len(keys.Elements()) > 0
	})
	if len(unsorted) > 0 {
		r.Diags.AddAttributeError(conn.AttributePath(tableMappingsPath), "Sorting keys missing",
			fmt.Sprintf("use_custom_sorting_key is true and sorting_keys is empty in these table mappings of %s:\n\n%s\n\nSet sorting_keys, or use_custom_sorting_key = false.",
				r.Label, mappingKey.List(unsorted)))
	}
}

// warnSpaces warns about names with white space at an end, which a page does not show. To the
// database "notes " is another column than "notes".
func warnSpaces(config tfvalue.Value, diags *diag.Diagnostics) {
	var lines []string
	for _, mapping := range config.At(tableMappingsPath...).Elements() {
		for name, member := range mapping.Members() {
			for _, value := range append(member.Elements(), member) {
				text := value.Text()
				if strings.TrimSpace(text) == text {
					continue
				}
				line := fmt.Sprintf("  - %s: %s", mappingKey.Label(mapping), name)
				if name == excludedColumns {
					line += " has " + words.Name(text)
				}
				lines = append(lines, line)
			}
		}
	}
	slices.Sort(lines)
	if len(lines) > 0 {
		diags.AddAttributeWarning(conn.AttributePath(tableMappingsPath), "Name begins or ends with white space",
			"The database has another table or column under such a name, or none. A column whose name is misspelled in excluded_columns is copied:\n\n"+strings.Join(lines, "\n"))
	}
}

// What a plan changes in the table mappings, in words. Mappings that are only added are no news.

// mappingEffects are lines about mappings and tables, the worst first. A mapping is in one of them,
// and a table that gets another target may also be in moved.
type mappingEffects struct{ uncovered, unknown, gone, moved, again []string }

// mappingChanges returns the lines of a warning about a change to a set that is known, to one that
// may be unknown in part.
func mappingChanges(before, after tfvalue.Value) (lines []string) {
	gone := "Tables that are no longer copied:"
	if after.IsKnown() && len(after.Elements()) == 0 {
		gone = fmt.Sprintf("All table mappings are removed. Tables that are no longer copied (%d):", len(before.Elements()))
	}
	e := effectsOf(before, after)
	for _, section := range []struct {
		heading string
		lines   []string
	}{
		{"Columns that will be copied from now on. The platform may copy their tables again:", e.uncovered},
		{"Known only after apply:", e.unknown},
		{gone, e.gone},
		{"Written to another target, and no longer to the old one:", e.moved},
		{"Removed and added again, so the platform may copy the table again and reset its engine and partitions to defaults:", e.again},
	} {
		if len(section.lines) > 0 {
			lines = append(append(lines, section.heading), section.lines...)
		}
	}
	return lines
}

func effectsOf(before, after tfvalue.Value) (e mappingEffects) {
	had, today := mappingKey.Index(before), map[string][]tfvalue.Value{} // by table
	for _, mapping := range before.Elements() {
		today[mappingSource.Of(mapping)] = append(today[mappingSource.Of(mapping)], mapping)
	}
	planned := slices.DeleteFunc(after.Elements(), func(mapping tfvalue.Value) bool { return !mappingKey.HasKnownKey(mapping) })
	stays, isCopied, added := map[string]bool{}, map[string]bool{}, map[string][]string{} // mappings, tables, and new targets by table
	for _, mapping := range mappingKey.Sort(planned) {
		key, source := mappingKey.Of(mapping), mappingSource.Of(mapping)
		isCopied[source] = true
		if was, exists := had[key]; exists {
			stays[key] = true
			e.add(mapping, []tfvalue.Value{was}, changedMembers(was, mapping))
			continue
		}
		added[source] = append(added[source], target(mapping))
		e.add(mapping, today[source], nil)
	}
	isOpen := !after.IsKnown() || len(planned) < len(after.Elements()) // any mapping may be in it
	for _, mapping := range mappingKey.Sort(before.Elements()) {
		source := mappingSource.Of(mapping)
		switch line := "  - " + mappingKey.Label(mapping); {
		case stays[mappingKey.Of(mapping)]:
		case isOpen:
			e.unknown = append(e.unknown, line+": whether it stays"+nowExcluding(columns(mapping)))
		case !isCopied[source]:
			e.gone = append(e.gone, line)
		default:
			moved := "no longer to " + target(mapping)
			if len(added[source]) > 0 {
				moved = "to " + strings.Join(added[source], ", ") + ", " + moved
			}
			e.moved = append(e.moved, "  - "+mappingSource.Label(mapping)+": "+moved)
		}
	}
	return e
}

// add adds the line of a planned mapping. was has it as it is today, or the other mappings of its
// table if it is new; changed is empty then.
func (e *mappingEffects) add(mapping tfvalue.Value, was []tfvalue.Value, changed []string) {
	line := "  - " + mappingKey.Label(mapping) + ": "
	uncovered := newlyCopied(was, mapping)
	switch isKnown := mapping.At(excludedColumns).IsFullyKnown(); {
	case isKnown && len(uncovered) > 0:
		line += strings.Join(uncovered, ", ")
		if others := without(changed, []string{excludedColumns}); len(others) > 0 {
			line += ". Also changed: " + strings.Join(others, ", ")
		}
		e.uncovered = append(e.uncovered, line)
	case len(uncovered) > 0 && len(changed) == 0:
		e.unknown = append(e.unknown, line+excludedColumns+nowExcluding(uncovered))
	case len(changed) == 0:
	case !mapping.IsFullyKnown():
		e.unknown = append(e.unknown, line+strings.Join(changed, ", ")+nowExcluding(uncovered))
	default:
		e.again = append(e.again, line+strings.Join(changed, ", "))
	}
}

// changedMembers are the members in which a planned mapping differs from that of today, and the
// columns that are excluded from now on.
func changedMembers(was, planned tfvalue.Value) []string {
	changed := tfvalue.Differing(was, planned)
	for i, name := range changed {
		if added := without(columns(planned), columns(was)); name == excludedColumns && len(added) > 0 && planned.At(name).IsFullyKnown() {
			changed[i] += fmt.Sprintf(" (excludes %s from now on)", strings.Join(added, ", "))
		}
	}
	return changed
}

func nowExcluding(columns []string) string {
	if len(columns) == 0 {
		return ""
	}
	return fmt.Sprintf(" (excludes %s now)", strings.Join(columns, ", "))
}

// columns are the columns that a mapping excludes, as far as they are known.
func columns(mapping tfvalue.Value) []string {
	var all []string
	for _, column := range mapping.At(excludedColumns).Elements() {
		if column.IsKnown() {
			all = append(all, words.Name(column.Normal()))
		}
	}
	slices.Sort(all)
	return all
}

// newlyCopied are the columns that a planned mapping copies, and each of some mappings excludes.
func newlyCopied(mappings []tfvalue.Value, planned tfvalue.Value) []string {
	if len(mappings) == 0 {
		return nil
	}
	all := without(columns(mappings[0]), columns(planned))
	for _, mapping := range mappings[1:] {
		all = without(all, without(all, columns(mapping)))
	}
	return all
}

func target(mapping tfvalue.Value) string { return words.Name(mapping.At("target_table").Normal()) }

func without(all, some []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(one string) bool { return slices.Contains(some, one) })
}
