package provider

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/function"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/adopt"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

// The table mappings of a Postgres source are configured as the complete map, and sent as its
// difference from the mappings on the platform. A mapping that differs is removed and added again, as
// configured. A diagnostic about them stands at the resource: Terraform 1.16 prints all lines of an attribute below its own.

var tableMappingsPath = tfvalue.Path{"source", "postgres", "table_mappings"}

var (
	// mappingKey identifies a table mapping by schema, table and target: SCHEMA.TABLE:TARGET.
	mappingKey = tfvalue.Key{
		Members:    []string{"source_schema_name", "source_table", "target_table"},
		Separators: ".:",
		Parts:      [][]string{mappingSource.Members, {"target_table"}},
		MayOmit:    []string{"use_custom_sorting_key", "sorting_keys"},
	}
	// mappingSource identifies the table that a mapping is about, and mappingTarget the one that it writes to.
	mappingSource = tfvalue.Key{Members: []string{"source_schema_name", "source_table"}, Separators: "."}
	mappingTarget = tfvalue.Key{Members: []string{"target_table"}}
)

// checkMappings rejects mappings that the platform may reject, and warns about what a reviewer has to
// know of a change. A plan of Terraform shows a change in place, and nothing of a mapping of which a
// member is sensitive, or of all of them if the map is unknown.
func checkMappings(r adopt.Review) {
	checkSorting(r)
	before := r.Prior
	if before.IsNull() {
		before = r.Found() // to which an adoption only adds
	}
	if r.Edit.IsEmpty() && (r.Prior.IsNull() || r.Leaves.At(tableMappingsPath...).IsNull()) {
		return // nothing of them is sent, or it is not known
	}
	was, will := before.At(tableMappingsPath...), mappingKey.Named(r.Plan.At(tableMappingsPath...))
	effects := effectsOf(was, will)
	checkTargets(r, effects.shared)
	if lines := effects.lines(was, will); len(lines) > 0 {
		change := "change"
		if r.Edit.IsEmpty() {
			change = "may change"
		}
		r.Diags.AddWarning(fmt.Sprintf("Table mappings of %s %s", r.Label, change), strings.Join(lines, "\n"))
	}
}

// checkSorting rejects a mapping that is added with sorting keys that the platform may reject or ignore. It
// does so after it has removed the mapping that this one replaces. While one is unknown, none is added.
func checkSorting(r adopt.Review) {
	var lines []string
	for _, mapping := range r.Edit.Add {
		line, keys := "  - "+mappingKey.Label(mapping)+": ", words.Names(texts(mapping.At("sorting_keys").Elements()))
		if mapping.At("use_custom_sorting_key").True() != (len(keys) > 0) {
			lines = append(lines, line+"use_custom_sorting_key and sorting_keys are not set together")
		}
		for _, name := range words.Without(keys, words.Without(keys, adopt.Excluded(mapping))) {
			lines = append(lines, line+name+" is in sorting_keys, but excluded_columns excludes it")
		}
	}
	if len(lines) > 0 {
		r.Diags.AddError("Invalid sorting keys",
			fmt.Sprintf("The platform may reject or ignore the sorting keys of these table mappings of %s, "+
				"after it has removed the mappings that they replace:\n\n%s\n\n"+
				"Set use_custom_sorting_key and sorting_keys together, and exclude no sorting key.", r.Label, strings.Join(lines, "\n")))
	}
}

// checkTargets rejects a plan that brings tables together in one target, and for that replaces the mapping of a table: the platform
// may reject the addition after the removal. A table that is only added loses nothing, nor does one that is to go.
func checkTargets(r adopt.Review, sharing []words.Remark) {
	added := slices.DeleteFunc(slices.Clone(r.Edit.Add), func(mapping tfvalue.Value) bool {
		return !slices.ContainsFunc(sharing, func(remark words.Remark) bool { return remark.Of == mappingKey.Label(mapping) })
	})
	again := mappingSource.Group(added)
	removed := slices.DeleteFunc(slices.Clone(r.Edit.Remove), func(mapping tfvalue.Value) bool { return len(again[mappingSource.Of(mapping)]) == 0 })
	if len(removed) > 0 {
		r.Diags.AddError("Tables with the same target: "+r.Label,
			fmt.Sprintf("This plan brings tables together in one target:\n\n%s\n\nFor that, it removes these mappings first. "+
				"If the platform then rejects a second mapping of the target, it no longer copies these tables:\n\n%s\n\n"+
				"Give each table a target of its own. If their rows are to mix, use two applies: "+
				"first remove the mappings that change from the configuration, then add them as they should be.",
				words.ListRemarks(sharing, "table"), mappingKey.List(removed)))
	}
}

// checkKeys reports wrong keys and mappings that are null, in one error: a wrong for expression has one for each table.
func checkKeys(config tfvalue.Value, diags *diag.Diagnostics) {
	var lines []string
	for key, mapping := range config.At(tableMappingsPath...).Members() {
		if right, isOther := rightKeys(key, mapping); isOther { // Terraform may have evaluated a generated one, with a secret
			lines = append(lines, "  - the key of a mapping that sets other names should be "+strings.Join(right, " or "))
		} else if !slices.Equal(right, []string{`"` + words.Literal(key) + `"`}) {
			lines = append(lines, fmt.Sprintf("  - %q should be %s", key, strings.Join(right, " or ")))
		} else if mapping.IsNull() {
			lines = append(lines, fmt.Sprintf("  - %q must not be null: omit it, or set excluded_columns", key))
		}
	}
	if len(lines) > 0 {
		diags.AddError("Invalid table mappings",
			"A table mapping has the key SCHEMA.TABLE:TARGET. A name that contains a dot, a colon or a quotation mark is quoted in it, "+
				"no other is, and names that the mapping sets must be the same:\n\n"+strings.Join(lines, "\n")+
				"\n\nIn a for expression, write provider::dataplatform::table_mapping_key(t.schema, t.table, t.target), which quotes names where "+
				"it has to. It requires Terraform 1.8 or OpenTofu 1.7. Its page has an expression for older versions.")
	}
}

// rightKeys are the keys, quoted, that a mapping may be meant to have: of the names that it sets, and else of those in its key,
// in each way to read that, or of none. Rejected: the likeliest one. Whoever pastes it may map another table. It reports whether
// the key disagrees with the names that the mapping sets.
func rightKeys(key string, mapping tfvalue.Value) (all []string, isOther bool) {
	readings := readingsOf(key)
	if len(readings) == 0 || len(readings) > 4 {
		readings = [][]string{{"SCHEMA", "TABLE", "TARGET"}}
	}
	isOther = true
	for _, names := range readings {
		right := slices.Clone(names)
		for i, member := range mappingKey.Members {
			right[i] = cmp.Or(mapping.At(member).Normal(), names[i])
		}
		isOther = isOther && !slices.Equal(right, names)
		all = append(all, `"`+words.Literal(mappingKey.Join(right))+`"`)
	}
	slices.Sort(all)
	return slices.Compact(all), isOther
}

// readingsOf are the names in a key, or in a text that is none, in each way to read it without quotation marks.
func readingsOf(text string) (all [][]string) {
	if names, isKey := mappingKey.Split(text); isKey {
		return [][]string{names}
	}
	for i := 1; i < len(text) && !strings.Contains(text, `"`); i++ {
		for j := i + 2; j < len(text)-1; j++ {
			if text[i] == '.' && text[j] == ':' {
				all = append(all, []string{text[:i], text[i+1 : j], text[j+1:]})
			}
		}
	}
	return all
}

// mappingEffects are what a plan changes, in words, the worst first. What is shared, moved or removed
// and added again may be in another one, too. What is only added is no news.
type mappingEffects struct{ exposed, unknown, gone, shared, moved, again []words.Remark }

// warnCopied warns about columns that the state excludes, and the platform copies: a plan shows only a new exclusion.
func warnCopied(label string, state, found tfvalue.Value, diags *diag.Diagnostics) {
	if copied := effectsOf(state.At(tableMappingsPath...), found.At(tableMappingsPath...)).exposed; len(copied) > 0 {
		diags.AddWarning("Excluded columns have been copied: "+label,
			"Somebody changed these table mappings outside of Terraform, and the platform has copied these columns since:\n\n"+
				words.ListRemarks(copied, "table")+"\n\nIf this plan excludes them again, its apply stops that. "+
				"It does not delete what was copied.")
	}
}

// lines returns the lines of a warning about a change to mappings that are known, to others that may be unknown in part.
func (e *mappingEffects) lines(before, after tfvalue.Value) (lines []string) {
	section := func(heading string, remarks []words.Remark) {
		if len(remarks) > 0 {
			lines = append(lines, heading, words.ListRemarks(remarks, "table"))
		}
	}
	gone, unknown := "Tables that are no longer copied:", "Known only after apply:"
	if all := len(before.Elements()); len(e.gone) == all {
		gone = fmt.Sprintf("All tables that are copied today (%d) are no longer copied:", all)
	}
	if !after.IsKnown() {
		unknown = "Known only after apply, because the map or one of its keys is. Use keys that are known in the plan, to see what changes:"
	}
	section("Columns that will be copied from now on. The platform may copy their tables again:", e.exposed)
	section(unknown, e.unknown)
	section(gone, e.gone)
	section("Written to one target from now on, so the rows of these tables mix:", e.shared)
	section("Written to another target, and no longer to the old one:", e.moved)
	section("Removed and added again, so the platform may copy the table again and reset its engine and partitions to defaults:", e.again)
	return lines
}

func effectsOf(before, after tfvalue.Value) (e mappingEffects) {
	if before.Equal(after) {
		return e
	}
	had, planned, removed := mappingKey.Group(before.Elements()), mappingSource.Group(after.Elements()), mappingKey.Except(before.Elements(), after.Elements())
	isNew := func(mapping tfvalue.Value) bool { return len(had[mappingKey.Of(mapping)]) == 0 }
	today, leaving, writing := inAnyCase(mappingSource, before.Elements()), inAnyCase(mappingTarget, removed), inAnyCase(mappingTarget, after.Elements())
	for _, mapping := range after.Elements() {
		was := had[mappingKey.Of(mapping)]
		e.add(mapping, uncoveredBy(mapping, was, today(mapping), leaving(mapping)), changedMembers(was, mapping))
		if group := writing(mapping); len(group) > 1 && slices.ContainsFunc(group, isNew) {
			say(&e.shared, mappingKey.Label(mapping), words.Name(group[0].At("target_table").Normal()))
		}
	}
	for _, mapping := range removed {
		targets := words.Names(texts(planned[mappingSource.Of(mapping)], "target_table"))
		switch {
		case !after.IsKnown():
			today := cmp.Or(strings.Join(adopt.Excluded(mapping), ", "), "none")
			say(&e.unknown, mappingKey.Label(mapping), "whether it stays, and which columns it excludes (today: "+today+")")
		case len(targets) == 0:
			say(&e.gone, mappingKey.Label(mapping), "")
		default:
			to := fmt.Sprintf("to %s, no longer to %s", strings.Join(targets, ", "), words.Name(mapping.At("target_table").Normal()))
			say(&e.moved, mappingSource.Label(mapping), to)
		}
	}
	return e
}

// inAnyCase finds mappings by a part of their key. A platform may fold names.
func inAnyCase(part tfvalue.Key, mappings []tfvalue.Value) func(like tfvalue.Value) []tfvalue.Value {
	all := map[string][]tfvalue.Value{}
	for _, mapping := range mappings {
		name := strings.ToLower(part.Of(mapping))
		all[name] = append(all[name], mapping)
	}
	return func(like tfvalue.Value) []tfvalue.Value { return all[strings.ToLower(part.Of(like))] }
}

// uncoveredBy are the columns that a mapping copies, of those that it was to exclude; or if it is new, of those that all mappings of
// its table exclude, spelled like it if there are any, and that each one excludes that leaves its target.
func uncoveredBy(mapping tfvalue.Value, was, ofTable, leaving []tfvalue.Value) []string {
	if len(was) > 0 {
		return adopt.Uncovered(mapping, was...)
	}
	if same := mappingSource.Group(ofTable)[mappingSource.Of(mapping)]; len(same) > 0 {
		ofTable = same
	}
	columns := adopt.Uncovered(mapping, ofTable...)
	for _, predecessor := range leaving {
		columns = append(columns, adopt.Uncovered(mapping, predecessor)...)
	}
	slices.Sort(columns)
	return slices.Compact(columns)
}

func say(what *[]words.Remark, of, text string) {
	*what = append(*what, words.Remark{Of: of, Text: text})
}

// add adds what is said of a planned mapping, which uncovers some columns. changed are the members that differ
// from today's, none if it is new.
func (e *mappingEffects) add(mapping tfvalue.Value, columns, changed []string) {
	uncovered := strings.Join(columns, ", ")
	if uncovered != "" && mapping.At(adopt.ExcludedColumns).IsFullyKnown() {
		say(&e.exposed, mappingKey.Label(mapping), uncovered)
		uncovered, changed = "", words.Without(changed, []string{adopt.ExcludedColumns})
	}
	switch members := strings.Join(changed, ", "); {
	case uncovered != "":
		say(&e.unknown, mappingKey.Label(mapping), cmp.Or(members, adopt.ExcludedColumns)+" (excludes "+uncovered+" now)")
	case len(changed) == 0:
	case !mapping.IsFullyKnown():
		say(&e.unknown, mappingKey.Label(mapping), members)
	default:
		say(&e.again, mappingKey.Label(mapping), members)
	}
}

// changedMembers are the members in which a planned mapping differs from that of today, or from the most different
// one if the platform repeats it, and the columns that are excluded from now on.
func changedMembers(today []tfvalue.Value, planned tfvalue.Value) []string {
	if len(today) == 0 {
		return nil
	}
	was := slices.MaxFunc(today, func(a, b tfvalue.Value) int {
		return len(tfvalue.Differing(a, planned)) - len(tfvalue.Differing(b, planned))
	})
	changed, added := tfvalue.Differing(was, planned), adopt.Uncovered(was, planned)
	if i := slices.Index(changed, adopt.ExcludedColumns); i >= 0 && len(added) > 0 && planned.At(adopt.ExcludedColumns).IsFullyKnown() {
		changed[i] += fmt.Sprintf(" (excludes %s from now on)", strings.Join(added, ", "))
	}
	return changed
}

// tableMappingKey is the function table_mapping_key.
type tableMappingKey struct{}

func (tableMappingKey) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "table_mapping_key"
}

func (tableMappingKey) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary:             "Key of a table mapping",
		MarkdownDescription: "Returns the key of a table mapping of a `dataplatform_pipe`, in which names are quoted where they have to be.",
		Parameters: []function.Parameter{
			function.StringParameter{Name: "schema", MarkdownDescription: "Schema of the source table. Must not be empty."},
			function.StringParameter{Name: "table", MarkdownDescription: "Source table. Must not be empty."},
			function.StringParameter{Name: "target", MarkdownDescription: "Destination table. Must not be empty."},
		},
		Return: function.StringReturn{},
	}
}

func (tableMappingKey) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	names := make([]string, len(mappingKey.Members))
	resp.Error = req.Arguments.Get(ctx, &names[0], &names[1], &names[2])
	if empty := slices.Index(names, ""); empty >= 0 && resp.Error == nil {
		resp.Error = function.NewArgumentFuncError(int64(empty), "must not be empty")
	}
	if resp.Error == nil {
		resp.Error = resp.Result.Set(ctx, mappingKey.Join(names))
	}
}
