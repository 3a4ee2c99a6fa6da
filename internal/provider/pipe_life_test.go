package provider

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// A life is a random sequence of what a user, the console, faults and platforms do to one
// pipe. Whatever happens, an apply sends only what its plan showed, or restores what a
// PATCH of its own reset, and uncovers no column that its plan did not show as uncovered.
// The oracle compares JSON texts and knows nothing of how the provider works.
type pipeLife struct {
	*managed
	*rand.Rand
	story []string

	// The configuration. What is nil or "" is omitted.
	mappings                                                []object
	host, name, threads                                     string
	resets, oneTarget, oneTable, blind, hasFault, ambiguous bool
}

// TestPipeLife runs lives. TEST_SEED=N repeats one, LIFE_TIME=5m runs as many as fit.
func TestPipeLife(t *testing.T) {
	t.Parallel()
	first, lives, end := uint64(0), uint64(60), time.Time{}
	if os.Getenv("TEST_SEED") != "" {
		first, lives = testSeed(t), 1
	}
	if length, err := time.ParseDuration(os.Getenv("LIFE_TIME")); err == nil {
		first, lives, end = rand.Uint64N(1<<40), 1<<40, time.Now().Add(length)
	}
	steps := 0
	for seed := first; seed < first+lives && !t.Failed() && (end.IsZero() || time.Now().Before(end)); seed++ {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			live := newPipeLife(t, seed)
			defer func() {
				if t.Failed() {
					t.Logf("TEST_SEED=%d repeats this life:\n%s", seed, strings.Join(live.story, "\n"))
				}
			}()
			for range 4 + live.IntN(5) {
				live.step()
				steps++
				if t.Failed() {
					return
				}
			}
		})
	}
	t.Logf("%d steps from seed %d on", steps, first)
}

var lifeSeed = sync.OnceValue(mockplatform.DefaultSeed)

func newPipeLife(t *testing.T, seed uint64) *pipeLife {
	platform := mockplatform.New(lifeSeed())
	server := httptest.NewServer(platform)
	t.Cleanup(server.Close)
	f := &fixture{t: t, Server: platform, url: server.URL, now: time.Now} // one life after the other
	l := &pipeLife{managed: f.pipe(mockplatform.PostgresPipeID, ""), Rand: rand.New(rand.NewPCG(seed, 7))}
	l.oneTarget, l.oneTable, l.resets, l.blind = l.one(3), l.one(3), l.one(4), l.one(8)
	platform.Configure(func(b *mockplatform.Behaviour) {
		b.Patches.AddsFirst, b.Patches.OneTargetPerTable, b.Patches.OneTablePerTarget = l.one(2), l.oneTarget, l.oneTable
		if l.resets {
			b.Patches.Resets = mockplatform.Resets{Nested: true, TopLevel: l.one(2), To: mockplatform.ToEmpty}
		}
		switch {
		case l.blind:
			b.Responses.Sparse = []mockplatform.Sparse{{Path: "source.postgres.tableMappings." + l.choose("excludedColumns", "sortingKeys", "useCustomSortingKey")}}
		case l.one(3):
			b.Responses.Sparse = leanPlatforms["omits what is empty"]
		}
		if l.one(5) && !l.resets && !l.blind {
			b.Responses.PatchResult = l.choose(mockplatform.ResultMissing, mockplatform.ResultBefore)
		}
		b.Responses.ShuffleSets = l.one(2)
		l.note("platform: %+v %+v", b.Patches, b.Responses)
	})
	l.console()
	return l
}

func (l *pipeLife) one(of int) bool              { return l.IntN(of) == 0 }
func (l *pipeLife) choose(from ...string) string { return from[l.IntN(len(from))] }
func (l *pipeLife) note(format string, args ...any) {
	l.story = append(l.story, fmt.Sprintf(format, args...))
}

// composed and decomposed are one name to Terraform, and two to a database.
const composed, decomposed = "caf\u00e9", "cafe\u0301"

// mapping is a random one, in full. Its names are those of the configuration.
func (l *pipeLife) mapping(accent string) object {
	columns := [][]any{{}, {"x"}, {"y", "x"}, {accent, "x"}}
	return object{
		"source_schema_name": "public", "source_table": l.choose("a", "b", "c"), "target_table": l.choose("t", "u", "v"),
		"excluded_columns": columns[l.IntN(4)], "use_custom_sorting_key": l.one(2), "sorting_keys": columns[l.IntN(3)],
	}
}

// with puts a mapping in the place of those that the platform does not allow beside it.
func (l *pipeLife) with(all []object, mapping object) []object {
	same := func(m object, name string) bool { return m[name] == mapping[name] }
	return append(slices.DeleteFunc(slices.Clone(all), func(m object) bool {
		table, target := same(m, "source_table"), same(m, "target_table")
		return table && target || l.oneTarget && table || l.oneTable && target
	}), mapping)
}

// held are the mappings on the platform, with the names of the configuration.
func (l *pipeLife) held() (all []object) {
	documents, _ := member(l.Pipe(l.id), "source.postgres.tableMappings").([]any)
	for _, document := range documents {
		all = append(all, renamed(document.(object), snake))
	}
	return all
}

func renamed(from object, name func(string) string) object {
	to := object{}
	for old, value := range from {
		to[name(old)] = value
	}
	return to
}

// console changes the pipe on the platform.
func (l *pipeLife) console() {
	all := l.held()
	for range 1 + l.IntN(2) {
		switch i := l.IntN(6); {
		case i == 0:
			host, threads := l.choose("h", "i"), l.IntN(3)
			l.UpdatePipe(l.id, func(doc mockplatform.Document) {
				setMember(doc, "source.postgres.host", host)
				setMember(doc, "settings.engine_max_threads", threads)
			})
		case i == 1 && len(all) > 0:
			all = slices.Delete(all, 0, 1)
		case i <= 3 && len(all) > 0: // another member
			changed := maps.Clone(all[0])
			name := l.choose("excluded_columns", "use_custom_sorting_key", "sorting_keys")
			changed[name] = l.mapping(l.choose(composed, decomposed))[name]
			all[0] = changed
		default:
			all = l.with(all, l.mapping(l.choose(composed, decomposed)))
		}
	}
	documents := []any{}
	for _, mapping := range all {
		documents = append(documents, renamed(mapping, camelCase))
	}
	l.UpdatePipe(l.id, func(doc mockplatform.Document) { setMember(doc, "source.postgres.tableMappings", documents) })
	l.note("console: %+q, host %v, threads %v", mappingTexts(l.held()), member(l.Pipe(l.id), "source.postgres.host"), member(l.Pipe(l.id), "settings.engine_max_threads"))
}

// configure changes the configuration.
func (l *pipeLife) configure() {
	switch l.IntN(10) {
	case 0:
		l.mappings = nil
	case 1, 2: // as it is on the platform
		l.mappings = []object{}
		for _, mapping := range l.held() {
			l.mappings = append(l.mappings, l.omitting(mapping))
		}
	case 3, 4:
		l.mappings = l.with(l.mappings, l.omitting(l.mapping(composed)))
	case 5, 6: // another member, table or target
		if len(l.mappings) > 0 {
			changed, other := maps.Clone(l.mappings[0]), l.mapping(composed)
			name := l.choose("excluded_columns", "excluded_columns", "use_custom_sorting_key", "source_table", "target_table")
			changed[name] = other[name]
			l.mappings = l.with(l.mappings[1:], changed)
		}
	case 7:
		if len(l.mappings) > 0 {
			l.mappings = l.mappings[1:]
		}
	default:
		l.host, l.name, l.threads = l.choose("", "h", "i"), l.choose("", "n", "m"), l.choose("", "0", "1", "2")
	}
	l.write()
}

// omitting omits members that have their default.
func (l *pipeLife) omitting(mapping object) object {
	for _, name := range []string{"use_custom_sorting_key", "sorting_keys"} {
		if value := mapping[name]; value == false || fmt.Sprint(value) == "[]" {
			delete(mapping, name)
		}
	}
	return mapping
}

func (l *pipeLife) write() {
	postgres := object{}
	if l.mappings != nil {
		postgres["table_mappings"] = l.mappings
	}
	if l.host != "" {
		postgres["host"] = l.host
	}
	l.arguments = ""
	if len(postgres) > 0 {
		l.arguments += "source = { postgres = " + toJSON(l.t, postgres) + " }\n"
	}
	if l.name != "" {
		l.arguments += fmt.Sprintf("name = %q\n", l.name)
	}
	if l.threads != "" {
		l.arguments += "settings = { engine_max_threads = " + l.threads + " }\n"
	}
	l.note("config: %+q", l.arguments)
}

// step lets things happen, and applies.
func (l *pipeLife) step() {
	for range 1 + l.IntN(2) {
		l.configure()
	}
	if l.one(3) {
		l.console()
	}
	if l.hasFault, l.ambiguous = l.one(4), false; l.hasFault {
		fault := mockplatform.Fault{Operation: mockplatform.UpdatePipe, Status: http.StatusBadRequest, Skip: l.IntN(2)}
		if l.ambiguous = l.one(4); l.ambiguous {
			fault.Status, fault.After = []int{http.StatusBadGateway, http.StatusFound, http.StatusNotImplemented}[l.IntN(3)], l.one(2)
		}
		l.Inject(fault)
		l.note("fault: %+v", fault)
	}
	l.applied()
	l.ClearFaults()
}

// applied plans and applies, and checks what came of it.
func (l *pipeLife) applied() {
	l.ResetJournal()
	r, moved := l.tryPlan(l.start()), false
	l.wantPatches(l.id)
	if r.action != "error" {
		if moved = l.one(4); moved {
			l.console()
		}
	}
	before, held := l.Pipe(l.id), l.held()
	if r.action != "error" {
		l.carryOut(l.start(), r)
	}
	bodies := l.patches(l.id)
	l.note("%s: sends %+q, errors %+q, warnings %d, platform %+q", r.action, bodies, r.errors, len(r.warnings), mappingTexts(l.held()))
	plan := shownPlan{prior: mappingsOf(r.prior), planned: mappingsOf(r.planned), adopts: r.prior.IsNull()}
	if r.action != "error" {
		l.checkBodies(plan, r, bodies, before, held)
		l.checkMappings(plan, r, held)
	}
	text := strings.Join(r.errors, "\n")
	switch {
	case strings.Contains(text, "has other table mappings"), strings.Contains(text, "changed since the plan"), strings.Contains(text, "cannot be sent"):
		l.wantPatches(l.id)
		l.recover(text, moved)
	case len(r.errors) > 0 && l.hasFault:
		l.hasFault = false
		l.ClearFaults()
		l.note("again")
		l.applied()
	case len(r.errors) > 0 && (l.blind || moved): // what the platform allows beside each other has changed, or cannot be known
	case len(r.errors) > 0:
		l.t.Errorf("an error: %q", r.errors)
	case !moved:
		if next := l.tryPlan(l.start()); (next.action != "none" || len(next.errors) > 0) && !l.blind {
			l.t.Errorf("the next plan is to %s %q, errors %q", next.action, next.changed(), next.errors)
		}
		l.refresh()
	}
}

// recover does what an error says.
func (l *pipeLife) recover(text string, moved bool) {
	switch {
	case strings.Contains(text, "has other table mappings"):
		if !l.state.IsNull() || !moved && !l.blind && sameMappings(mappingTexts(l.mappings), mappingTexts(l.held())) {
			l.t.Errorf("refused, and there is no other mapping: %s", text)
		}
		l.must(l.imports(mockplatform.ServiceID + "/" + l.id))
		l.note("import")
	case strings.Contains(text, "cannot be sent"):
		if !slices.ContainsFunc(mappingTexts(l.held()), func(text string) bool { return strings.Contains(text, decomposed) }) {
			l.t.Errorf("no name is in another form: %s", text)
		}
		l.mappings = nil
		l.write()
	case !moved:
		l.t.Errorf("nothing changed since the plan: %s", text)
	}
	l.ClearFaults()
	l.hasFault = false
}

// shownPlan is what a plan showed of the mappings, by their names.
type shownPlan struct {
	prior, planned map[string]object
	adopts         bool
}

// changes reports whether the plan changes a mapping.
func (p shownPlan) changes(name string) bool {
	was, had := p.prior[name]
	will, has := p.planned[name]
	return had != has || had && mappingText(was) != mappingText(will)
}

func mappingsOf(pipe tfvalue.Value) map[string]object {
	all := map[string]object{}
	if pipe.Type() == nil || !pipe.At(tableMappingsPath...).IsFullyKnown() {
		return all
	}
	for _, mapping := range pipe.At(tableMappingsPath...).Elements() {
		shown := shownValue(mapping).(object)
		all[mappingName(shown)] = shown
	}
	return all
}

func mappingName(mapping object) string {
	return norm.NFC.String(fmt.Sprint(mapping["source_schema_name"], ".", mapping["source_table"], " to ", mapping["target_table"]))
}

// mappingText is the same for mappings that are equal: what is omitted is empty, columns
// have no order, and names one form.
func mappingText(mapping object) string {
	columns := columnsOf(mapping)
	slices.Sort(columns)
	keys, sorts := fmt.Sprint(mapping["sorting_keys"]), fmt.Sprint(mapping["use_custom_sorting_key"])
	return norm.NFC.String(fmt.Sprint(mappingName(mapping), columns, strings.Trim(keys, "[]<nil>"), sorts == "true"))
}

func mappingTexts(all []object) (found []string) {
	for _, mapping := range all {
		found = append(found, mappingText(mapping)+fmt.Sprint(mapping["excluded_columns"]))
	}
	slices.Sort(found)
	return found
}

func sameMappings(a, b []string) bool {
	return norm.NFC.String(strings.Join(a, "\n")) == norm.NFC.String(strings.Join(b, "\n"))
}

func columnsOf(mapping object) (columns []string) {
	all, _ := mapping["excluded_columns"].([]any)
	for _, column := range all {
		columns = append(columns, norm.NFC.String(fmt.Sprint(column)))
	}
	return columns
}

func byName(all []object) map[string]object {
	found := map[string]object{}
	for _, mapping := range all {
		found[mappingName(mapping)] = mapping
	}
	return found
}

// checkBodies checks that each PATCH has only what the plan changes, or restores what the
// PATCHes before it reset.
func (l *pipeLife) checkBodies(plan shownPlan, r *result, bodies []string, before mockplatform.Document, held []object) {
	for i, text := range bodies {
		body, restores := fromJSON(l.t, text), l.resets && i > 0
		for sent, path := range map[string][]string{"name": {"name"}, "source.postgres.host": {"source", "postgres", "host"}, "settings.engine_max_threads": {"settings", "engine_max_threads"}} {
			value := member(body, sent)
			if value == nil {
				continue
			}
			shown := plan.adopts || !r.prior.At(path...).Equal(r.planned.At(path...))
			want, restored := shownValue(r.planned.At(path...)), restores && fmt.Sprint(value) == fmt.Sprint(member(before, sent))
			if shown && fmt.Sprint(value) != fmt.Sprint(want) || !shown && !restored {
				l.t.Errorf("%s = %v is sent, planned: %t, %v", sent, value, shown, want)
			}
		}
		removes, _ := member(body, "source.postgres.tableMappingsToRemove").([]any)
		for _, key := range removes {
			name := mappingName(renamed(key.(object), snake))
			hidden := l.blind && plan.planned[name] != nil // added by an earlier attempt, and not recognized
			if !restores && !hidden && (plan.adopts || !plan.changes(name) || plan.prior[name] == nil) {
				l.t.Errorf("%s is removed, and the plan does not show it", name)
			}
		}
		adds, _ := member(body, "source.postgres.tableMappingsToAdd").([]any)
		for _, add := range adds {
			sent := renamed(add.(object), snake)
			name := mappingName(sent)
			was, restored := byName(held)[name]
			planned := plan.planned[name] != nil && mappingText(sent) == mappingText(plan.planned[name]) && plan.changes(name)
			restored = restored && restores && mappingText(was) == mappingText(sent)
			if !planned && !restored {
				l.t.Errorf("%v is added, and the plan has %v", sent, plan.planned[name])
			}
		}
	}
}

// checkMappings checks that no mapping is removed and no column uncovered that the plan did
// not show so.
func (l *pipeLife) checkMappings(plan shownPlan, r *result, held []object) {
	now := byName(l.held())
	if l.mappings == nil && l.resets || l.blind {
		return // the platform empties what nobody manages, or never returns what it has
	}
	for name, was := range byName(held) {
		is, exists := now[name]
		prior, will := plan.prior[name], plan.planned[name]
		if !exists {
			half := len(r.errors) > 0 && strings.Contains(strings.Join(r.errors, ""), name)
			if prior == nil || will != nil && !half {
				l.t.Errorf("%s is gone, planned %v, said: %q", name, will, r.errors)
			}
			continue
		}
		for _, column := range columnsOf(was) {
			shown := prior != nil && slices.Contains(columnsOf(prior), column) && will != nil && !slices.Contains(columnsOf(will), column)
			if !slices.Contains(columnsOf(is), column) && !shown {
				l.t.Errorf("%s uncovers %s, which the plan does not show", name, column)
			}
			if raw := fmt.Sprint(was["excluded_columns"]); strings.Contains(raw, decomposed) && column == composed && slices.Contains(columnsOf(is), column) && !strings.Contains(fmt.Sprint(is["excluded_columns"]), decomposed) {
				l.t.Errorf("%s excludes %s in another form than before", name, column)
			}
		}
	}
}
