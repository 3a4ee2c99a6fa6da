package adopt

import (
	"errors"
	"strings"
	"testing"
)

// TestAdoptionKeepsElements has adoptions whose configuration lacks a mapping of the
// platform's, or has another one under its name: nothing is sent, in the plan or, where the
// configuration is known only then, in the apply. Elements that are only added are added.
func TestAdoptionKeepsElements(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		mappings []any
		lines    []string
	}{
		"all are missing": {[]any{}, []string{"  - \"events\": not in the configuration\n  - \"items\": not in the configuration\n"}},
		"one is missing":  {[]any{usualMappings[0]}, []string{"  - \"items\": not in the configuration\n"}},
		"one is another":  {[]any{m{"target_table": "events", "excluded_columns": []any{}}, usualMappings[1]}, []string{"  - \"events\": another excluded_columns and sorted\n"}},
		"one is added":    {[]any{usualMappings[0], usualMappings[1], m{"target_table": "users"}}, nil},
	} {
		for when, inPlan := range map[string]m{"in the plan": nil, "in the apply": {"pipe_id": firstPipe, "mappings": unknown}} {
			t.Run(name+" "+when, func(t *testing.T) {
				t.Parallel()
				tf := adopts(t, newToy(), m{"mappings": test.mappings})
				tf.planConfig = inPlan
				o := tf.apply()
				tf.planConfig = nil
				if test.lines == nil {
					tf.wantQuiet(o)
					return
				}
				tf.wantErrors(o, `Pipe "crm" (`+firstPipe+") has other table mappings")
				for _, line := range append(test.lines, "import {\n  to = dataplatform_pipe.NAME\n  id = \""+organization+"/"+firstPipe+"\"\n}") {
					if !strings.Contains(o.Errors[0], line) {
						t.Errorf("no %q in %s", line, o.Errors[0])
					}
				}
				tf.wantPatches("")
				// An import shows the difference, and its apply makes it.
				tf.wantOK(tf.imports(firstPipe))
				tf.wantQuiet(tf.apply())
			})
		}
	}
}

// TestRejectedAdoption has two reasons to reject an adoption: that of the kind is reported alone, and
// without the warnings.
func TestRejectedAdoption(t *testing.T) {
	t.Parallel()
	tf := adopts(t, newToy(), m{"name": "new", "mappings": []any{}, "destination": m{"lake": m{"shards": 1}}})
	o := tf.plan()
	tf.wantErrors(o, "Pipe has another destination")
	tf.wantWarnings(o)
}

// TestApplyKeepsToItsPlan has a pipe that changes in the console between a plan and its
// apply: the apply sends only what the plan showed, and the next plan shows the rest.
func TestApplyKeepsToItsPlan(t *testing.T) {
	const changedSince = "Table mappings of pipe \"crm\" (" + firstPipe + ") changed since the plan: " +
		"The plan changes these table mappings, or others of the same source or target, and they are no longer what it was made from:\n\n  - \"events\"\n\nNothing was sent."
	moves := func(is any, at ...string) happening { return before(0, 1, is, at...) }
	otherwise := m{"target_table": "events", "excluded_columns": []any{"iban"}, "sorted": true}
	itemsSorted := m{"target_table": "items", "excluded_columns": []any{}, "sorted": true}
	third := func(form string) []any {
		return append([]any{m{"target_table": "users", "excluded_columns": []any{form}, "sorted": false}}, usualMappings...)
	}
	playAll(t, map[string]scene{
		"a leaf that the plan leaves alone": {config: m{"threads": 3}, happens: moves(9, "threads"), sent: "GET, PATCH name", differs: true},
		"a leaf that is emptied":            {config: m{"threads": 3}, happens: moves(nil, "threads"), sent: "2 GETs, PATCH name", differs: true},
		"the leaf that the plan changes": {happens: moves("moved", "name"), sent: "GET, PATCH name",
			warnings: []string{`- name: the plan had "crm", the update found "moved", and set the planned value`}},
		"a number that the plan changes": {config: m{"name": "crm", "threads": 4}, happens: moves(9, "threads"), sent: "GET, PATCH threads",
			warnings: []string{"- threads: the plan had 3, the update found 9, and set 4"}},
		"the leaf, as the plan changes it":  {happens: moves("new", "name"), sent: "GET"},
		"a mapping of a set that it leaves": {happens: moves([]any{otherwise, items}, mappingsAt...), sent: "GET, PATCH name", differs: true},
		"a mapping that it leaves": {config: m{"name": "crm", "mappings": []any{events, itemsSorted}}, happens: moves([]any{otherwise, items}, mappingsAt...),
			sent: "GET, PATCH -items, PATCH +items", differs: true},
		"the mapping that it changes":          {config: m{"mappings": changed}, happens: moves([]any{otherwise, items}, mappingsAt...), sent: "GET", errors: []string{changedSince}, differs: true},
		"the mapping that it removes":          {config: m{"mappings": []any{items}}, happens: moves([]any{otherwise, items}, mappingsAt...), sent: "GET", errors: []string{changedSince}, differs: true},
		"the mapping that it removes, is gone": {config: m{"name": "crm", "mappings": []any{items}}, happens: moves([]any{items}, mappingsAt...), sent: "GET"},
		"a mapping, as it adds it but for the form": {config: m{"name": "crm", "mappings": third("caf\u00e9")}, happens: moves(third("cafe\u0301"), mappingsAt...),
			sent: "GET"},
		"another mapping, which somebody added": {config: m{"name": "crm", "mappings": changed}, happens: moves([]any{events, items, m{"target_table": "users", "excluded_columns": []any{}, "sorted": true}}, mappingsAt...),
			sent: "GET, PATCH -events, PATCH +events", differs: true},
	})
}

// TestUpdateThatCannotBegin has an update that cannot begin, and one whose body cannot be made.
func TestUpdateThatCannotBegin(t *testing.T) {
	t.Parallel()
	for name, breaks := range map[string]func(*toy, error){
		"it cannot begin":  func(w *toy, err error) { w.refuses = err },
		"there is no body": func(w *toy, err error) { w.cannot = err },
	} {
		happens := func(w *toy, _ string) error {
			breaks(w, errors.New("no turn"))
			return nil
		}
		t.Run(name, scene{happens: happens, sent: "GET", errors: []string{"o turn."}}.play)
	}
}

// TestNamesInAnotherUnicodeForm has names that the platform has in another Unicode form. By themselves they make
// no difference, and nothing that contains one is changed.
func TestNamesInAnotherUnicodeForm(t *testing.T) {
	t.Parallel()
	const composed, decomposed = "caf\u00e9", "cafe\u0301"
	mappings := func(excluded []any, more ...any) m {
		return m{"mappings": append([]any{m{"target_table": "events", "excluded_columns": excluded}, usualMappings[1]}, more...)}
	}
	w := newToy()
	w.change(firstPipe, mappings([]any{decomposed}, m{"target_table": decomposed, "excluded_columns": []any{}, "sorted": false})["mappings"], mappingsAt...)
	w.change(firstPipe, []any{decomposed}, "columns")
	named, users := m{"target_table": composed}, m{"target_table": "users", "excluded_columns": []any{composed}}
	whole := mappings([]any{composed}, named)
	whole["columns"] = []any{composed}
	cannot := []string{`A name in source.postgres.table_mappings of pipe "crm" (` + firstPipe + `) cannot be sent: The platform has "café" (of "events") in another Unicode form`}
	adopts(t, w, whole).plays(
		act{},
		act{config: mappings([]any{composed}, named, users), sent: "PATCH +users"}, // a mapping of its own
		act{config: mappings([]any{composed, "x"}, named, users), errors: cannot},
		act{config: mappings([]any{}, m{"target_table": composed, "sorted": true}, users), errors: []string{"cannot be sent"}},
		act{config: mappings([]any{"x"}, named, users), errors: cannot}, // which removes the other form, too
		act{config: mappings([]any{composed}, named), sent: "PATCH -users"},
		act{console: m{"name": decomposed}, config: m{"name": "new"}, sent: "PATCH name"}, // one name alone is replaced
		act{config: m{"columns": []any{composed, "x"}}, errors: []string{"A name in columns of pipe"}},
		act{config: m{"columns": []any{"x"}}, errors: []string{"A name in columns of pipe"}},
	)
}
