package adopt

import (
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
)

// TestAdoptionKeepsElements has adoptions whose configuration lacks a mapping of the
// platform's, or has another one under its name: nothing is sent, in the plan or, where the
// configuration is known only then, in the apply.
func TestAdoptionKeepsElements(t *testing.T) {
	const block = "is in the state at another address, add a moved block;\n" +
		"  - is to be replaced with itself (-replace, terraform taint), plan without that, because it is adopted again as it is;\n" +
		"  - takes the place of another one, remove that from the state with terraform state rm, and import this one;\n" +
		"  - is in no state, import it: the plan of an import shows each change.\n\n" +
		"import {\n  to = dataplatform_pipe.NAME\n  id = \"" + organization + "/" + firstPipe + "\"\n}"
	type row struct{ mappings, lines string }
	eachRow(t, func(row row, t *testing.T) {
		for _, inPlan := range []m{nil, {"mappings": unknown}} {
			tf := adopts(t, m{"mappings": row.mappings})
			tf.inPlan = inPlan
			o := tf.apply()
			tf.wantErrors(o, "Other table mappings exist: "+pipeCRM)
			terraformtest.WantText(t, o.Errors[0], row.lines, block)
			tf.wantPatches("")
			// An import shows the difference, and its apply makes it.
			tf.wantErrors(tf.imports(firstPipe))
			tf.wantQuiet(tf.apply())
		}
	}, map[string]row{
		"all are missing": {"", "  - \"events\": not in the configuration\n  - \"items\": not in the configuration\n"},
		"one is another":  {"events, items", "  - \"events\": another excluded_columns and sorted\n"},
	})
}

// TestApplyKeepsToItsPlan has a pipe that changes in the console between a plan and its
// apply: the apply sends only what the plan showed, and the next plan shows the rest.
func TestApplyKeepsToItsPlan(t *testing.T) {
	moves := func(is any, path string) events { return events{before(0, 1, is, path)} }
	otherwise := moves("events sorted without iban, items", "mappings")
	eachRow(t, scene.play, map[string]scene{
		"a leaf that the plan leaves alone": {config: m{"threads": 3}, events: moves(9, "threads"), sent: "GET, PATCH name", differs: true},
		"a leaf that is emptied":            {config: m{"threads": 3}, events: moves(nil, "threads"), sent: "2 GETs, PATCH name", differs: true},
		"the leaf that the plan changes": {events: moves("moved", "name"), sent: "GET, PATCH name",
			warnings: []string{`- name: the plan had "crm", the update found "moved", and set the planned value`}},
		"a number that the plan changes": {config: m{"name": "crm", "threads": 4}, events: moves(9, "threads"), sent: "GET, PATCH threads",
			warnings: []string{"- threads: the plan had 3, the update found 9, and set 4"}},
		"a number that was not there, and is 0": {config: m{"name": "crm", "workers": 5}, events: moves(0, "workers"), sent: "GET, PATCH workers"},
		"the leaf, as the plan changes it":      {events: moves("new", "name"), sent: "GET"},
		"a mapping that it leaves": {config: m{"name": "crm"}, mappings: "events sorted without n\u00e9, items sorted", events: otherwise,
			sent: "GET, PATCH -items, GET, PATCH +items, GET", differs: true},
		"the mapping that it changes": {mappings: changed, events: otherwise, sent: "GET", differs: true, errors: []string{
			"Table mappings changed since the plan: " + pipeCRM + ": The plan changes these table mappings, or others of the same source or target, " +
				"and they are no longer what it was made from:\n\n  - \"events\"\n\nNothing was sent."}},
		"the mapping that it removes, is gone": {config: m{"name": "crm"}, mappings: "items", events: moves("items", "mappings"), sent: "GET"},
		"a mapping, as it adds it but for the form": {config: m{"name": "crm", "mappings": more + " without caf\u00e9"},
			events: moves(more+" without cafe\u0301", "mappings"), sent: "GET"},
		"another mapping, which somebody added": {config: m{"name": "crm"}, mappings: changed, events: moves(more+" sorted", "mappings"),
			sent: "GET, PATCH -events, GET, PATCH +events, GET", differs: true},
	})
}

// TestNamesInAnotherUnicodeForm has names that the platform has in another Unicode form. By themselves they make
// no difference, and nothing that contains one is changed.
func TestNamesInAnotherUnicodeForm(t *testing.T) {
	t.Parallel()
	const decomposed, users = "cafe\u0301", ", users without caf\u00e9"
	mappings := func(text string) m { return m{"mappings": text} }
	const cannotSend = "A name cannot be sent in source.postgres.table_mappings of " + pipeCRM + ": "
	cannot := []string{cannotSend + `The platform has "café" (of "events") in another Unicode form`}
	adopts(t, m{"columns": []any{"caf\u00e9"}, "mappings": "events without caf\u00e9, items, caf\u00e9"}).plays(
		act{console: m{"columns": []any{decomposed}, "mappings": "events without " + decomposed + ", items, " + decomposed}},
		act{config: mappings("events without caf\u00e9, items, caf\u00e9" + users), sent: "PATCH +users"}, // a mapping of its own
		act{config: mappings("events without caf\u00e9 x, items, caf\u00e9" + users), errors: cannot},
		act{config: mappings("events, items, caf\u00e9 sorted" + users), errors: []string{"A name cannot be sent"}},
		act{config: mappings("events without x, items, caf\u00e9" + users), errors: cannot}, // which removes the other form, too
		act{config: mappings("events without caf\u00e9, items, caf\u00e9"), sent: "PATCH -users"},
		act{console: m{"name": decomposed}, config: m{"name": "new"}, sent: "PATCH name"}, // one name alone is replaced
		act{config: m{"columns": []any{"caf\u00e9", "x"}}, errors: []string{"A name cannot be sent in columns of pipe"}},
		act{config: m{"columns": []any{"x"}}, errors: []string{"A name cannot be sent in columns of pipe"}},
	)
}
