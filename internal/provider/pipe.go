package provider

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/adopt"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

// pipe is dataplatform_pipe: the configuration of one pipe, adopted.
var pipe = adopt.New(adopt.Kind{
	Name:         "pipe",
	Noun:         "pipe",
	CannotRead:   "Cannot read pipe",
	CannotUpdate: "Cannot update pipe",
	CannotImport: "Cannot import pipe",
	NoSuch:       "No such pipe",
	IDs:          []string{"service_id", "pipe_id"},
	Schema:       pipeResourceSchema(),
	Rules:        pipeRules,
	Options:      []tfvalue.Path{validateSamplesPath},
	Mappings:     tableMappingsPath,
	Validate: func(config tfvalue.Value, diags *diag.Diagnostics) {
		checkKeys(config, diags)
		warnNames(config, diags)
		checkColumns(config, diags)
	},
	Read: func(ctx context.Context, client *platform.Client, id adopt.Identity, read platform.Read) error {
		return client.GetPipe(ctx, id.Organization, id.IDs[0], id.IDs[1], read)
	},
	Refreshed:  warnCopied,
	AddSecrets: addCredentials,
	Begin: func(ctx context.Context, client *platform.Client, id adopt.Identity) (context.Context, adopt.Call) {
		return client.UpdatePipe(ctx, id.Organization, id.IDs[0], id.IDs[1])
	},
	Body:        pipeBody,
	Check:       checkPipe,
	AlsoChanges: func(tfvalue.Value) []string { return []string{"state", "updated_at"} },
	// The platform's relative rejects field mappings alone.
	Companions: func(send tfvalue.Value) []tfvalue.Path {
		if send.At("field_mappings").IsNull() {
			return nil
		}
		return []tfvalue.Path{columnsPath}
	},
})

var pipeRules = tfvalue.Rules{
	Trimmed:      []string{"ca_certificate"},
	Keys:         map[string]tfvalue.Key{"table_mappings": mappingKey},
	Alternatives: []string{"source"},
	Verbatim:     []tfvalue.Path{{"settings"}},
	NotInJSON:    []tfvalue.Path{{credentialsName}, validateSamplesPath},
}

// sourceKinds are the members of source that the schema has.
var sourceKinds = slices.Sorted(maps.Keys(sourceAttributes(computed, computed)))

var validateSamplesPath = tfvalue.Path{"source", "validate_samples"}

func checkPipe(r adopt.Review) []string {
	checkKinds(r)
	if r.Diags.HasError() {
		return nil // a secret for another kind would not help
	}
	checkMappings(r)
	checkFields(r)
	warnColumns(r)
	return checkCredentials(r)
}

var columnsPath = tfvalue.Path{"destination", "columns"}

// checkColumns rejects a column that is configured twice.
func checkColumns(config tfvalue.Value, diags *diag.Diagnostics) {
	names := texts(config.At(columnsPath...).Elements(), "name")
	seen, twice := map[string]bool{"": true}, []string{}
	for _, name := range names {
		if seen[name] && name != "" {
			twice = append(twice, name)
		}
		seen[name] = true
	}
	if len(twice) > 0 {
		diags.AddError("Invalid columns", "destination.columns has these columns more than once: "+strings.Join(words.Names(twice), ", ")+". Correct the names.")
	}
}

// checkFields rejects a change after which a configured field is mapped to no column. What the platform has and the change leaves
// alone passes. Rejected: a comparison of what is configured. ignore_changes hides columns that somebody has added.
func checkFields(r adopt.Review) {
	const fieldMappings, field = "field_mappings", "destination_field"
	columns := texts(r.Plan.At(columnsPath...).Elements(), "name")
	kept := texts(r.Found().At(fieldMappings).Elements(), field)
	if !r.Leaves.At(columnsPath...).IsNull() {
		kept = words.Without(kept, texts(r.Config.At(fieldMappings).Elements(), field))
	}
	lost := slices.DeleteFunc(texts(r.Plan.At(fieldMappings).Elements(), field), func(name string) bool {
		column, _, isMember := strings.Cut(name, ".") // of a nested one
		return name == "" || slices.Contains(kept, name) || slices.Contains(columns, name) || isMember && slices.Contains(columns, column)
	})
	if len(columns) > 0 && len(lost) > 0 && !slices.Contains(columns, "") {
		r.Diags.AddError("Invalid field mappings: "+r.Label, fmt.Sprintf("field_mappings has these names as destination_field, "+
			"and destination.columns has no such columns: %s. Correct the names.", strings.Join(words.Names(lost), ", ")))
	}
}

// warnColumns warns about a change to the columns, unless it only adds some at the end: the plan shows each that moves.
func warnColumns(r adopt.Review) {
	planned := r.Leaves.At(columnsPath...)
	was, will := r.Found().At(columnsPath...).Elements(), planned.Elements()
	if planned.IsNull() || !planned.IsFullyKnown() || len(will) >= len(was) && slices.EqualFunc(was, will[:len(was)], tfvalue.Value.Equal) {
		return
	}
	had, has := texts(was, "name"), texts(will, "name")
	other := texts(slices.DeleteFunc(will, func(column tfvalue.Value) bool { return slices.ContainsFunc(was, column.Equal) }), "name")
	added, removed := words.Without(has, had), words.Without(had, has)
	list := func(names []string) string { return cmp.Or(strings.Join(words.Names(names), ", "), "none") }
	r.Diags.AddWarning("Destination columns change: "+r.Label, fmt.Sprintf("The plan shows a change to each column that moves. Apart from the order:\n\n"+
		"  - added: %s\n  - removed: %s\n  - of another type: %s", list(added), list(removed), list(words.Without(other, added))))
}

// checkKinds rejects a kind of source that the pipe does not have. If the API returns a source of no kind
// that the document has, it only warns: nothing tells a kind that is newer from one that is omitted.
func checkKinds(r adopt.Review) {
	if !r.Found().At("source").IsObject() {
		return
	}
	has := slices.DeleteFunc(slices.Clone(sourceKinds), func(kind string) bool { return !r.Found().At("source", kind).IsObject() })
	for _, parent := range []string{"source", credentialsName} {
		for kind, configured := range r.Config.At(parent).Members() {
			switch at := (tfvalue.Path{parent, kind}); {
			case !configured.IsObject() || slices.Contains(has, kind):
			case len(has) == 0:
				r.Diags.AddWarning("Source has no known kind: "+r.Label,
					fmt.Sprintf("%s is set, but the API returns a source of no kind that the provider knows, so it may be of another kind. "+
						"Check the pipe in the platform's console.", at))
				return
			default:
				r.Diags.AddError("Pipe has another kind of source",
					fmt.Sprintf("%s is set, but the source of %s is %s, and the kind of a source cannot be changed. "+
						"Set %s.%s instead, or set pipe_id to that of a pipe whose source is %s.",
						at, r.Label, strings.Join(has, " and "), parent, has[0], kind))
			}
		}
	}
}

// pipeBody has what a patch changes; and with a change to the source, its credentials and validateSamples.
func pipeBody(change adopt.Change, patch adopt.Content) (_ map[string]any, hasCredentials bool) {
	body := jsonObject(pipeRules.JSON(patch.All().Prune()))
	body.setMappings(patch.Edit)
	for _, c := range credentials {
		if c.isSent(change, patch) {
			c.addTo(body, change)
			hasCredentials = true
		}
	}
	validate := change.Config.At(validateSamplesPath...)
	if _, sends := body["source"]; sends && isSet(validate) {
		body.at("source")["validateSamples"] = validate.True()
	}
	return body, hasCredentials
}

// jsonObject is a body, or an object in it.
type jsonObject map[string]any

// at returns the object at a path, which it creates if there is none.
func (o jsonObject) at(names ...string) jsonObject {
	for _, name := range names {
		inner, ok := o[name].(map[string]any)
		if !ok {
			inner = map[string]any{}
			o[name] = inner
		}
		o = inner
	}
	return o
}

// setMappings adds a change to the table mappings. A removal has the names as the platform spells them.
func (o jsonObject) setMappings(edit tfvalue.Edit) {
	add := func(list string, mapping map[string]any) {
		postgres := o.at("source", "postgres")
		all, _ := postgres[list].([]any)
		postgres[list] = append(all, mapping)
	}
	for _, mapping := range edit.Remove {
		names := map[string]any{}
		for _, name := range mappingKey.Members {
			names[pipeRules.Member(tfvalue.Path{name})] = mapping.At(name).Text()
		}
		add("tableMappingsToRemove", names)
	}
	for _, mapping := range edit.Add {
		add("tableMappingsToAdd", pipeRules.JSON(mapping))
	}
}
