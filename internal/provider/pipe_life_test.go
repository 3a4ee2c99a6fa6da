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

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// A life is a random sequence of what a user, the console, faults and platforms do to the
// table mappings of one pipe, and to the credentials beside them. Whatever happens, no
// column is uncovered that the configuration does not uncover. The rules that hold for
// every leaf of every kind have their lives in package adopt.
type pipeLife struct {
	*managed
	*rand.Rand
	story []string

	// The configuration. What is nil, "" or 0 is omitted.
	mappings   []object
	host, name string
	version    int  // of the password
	secret     bool // is set in this run

	// What the platform is like.
	oneTarget, oneTable, resets, hides bool

	fault     *mockplatform.Fault
	ambiguous bool // whether the fault has an outcome that is not known
}

// TestPipeLife runs lives. TEST_SEED=N repeats one, LIFE_TIME=5m runs as many as fit.
func TestPipeLife(t *testing.T) {
	t.Parallel()
	first, lives, end := uint64(0), uint64(40), time.Time{}
	if os.Getenv("TEST_SEED") != "" {
		first, lives = testSeed(t), 1
	}
	if length, err := time.ParseDuration(os.Getenv("LIFE_TIME")); err == nil {
		first, lives, end = rand.Uint64N(1<<40), 1<<40, time.Now().Add(length)
	}
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
				if t.Failed() {
					return
				}
			}
		})
	}
}

var lifeSeed = sync.OnceValue(mockplatform.DefaultSeed)

func newPipeLife(t *testing.T, seed uint64) *pipeLife {
	platform := mockplatform.New(lifeSeed())
	server := httptest.NewServer(platform)
	t.Cleanup(server.Close)
	f := &fixture{t: t, Server: platform, url: server.URL, now: time.Now} // one life after the other
	l := &pipeLife{managed: f.pipe(mockplatform.PostgresPipeID, ""), Rand: rand.New(rand.NewPCG(seed, 5))}
	l.oneTarget, l.oneTable, l.resets, l.hides = l.one(2), l.one(2), l.one(4), l.one(6)
	platform.Configure(func(b *mockplatform.Behaviour) {
		b.Patches.AddsFirst, b.Patches.OneTargetPerTable, b.Patches.OneTablePerTarget = l.one(2), l.oneTarget, l.oneTable
		if l.resets {
			b.Patches.Resets = mockplatform.Resets{Nested: true, TopLevel: l.one(2), To: mockplatform.ToEmpty}
		}
		if l.one(3) {
			b.Responses.Sparse = leanPlatforms["omits what is empty"]
		}
		if l.hides {
			b.Responses.Sparse = []mockplatform.Sparse{{Path: "source.postgres.tableMappings." + l.choose("excludedColumns", "sortingKeys", "useCustomSortingKey")}}
		}
		if l.one(5) && !l.resets && !l.hides {
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

// mapping is a random one, in full. Its names are those of the configuration.
func (l *pipeLife) mapping() object {
	columns := func() []any { return [][]any{{}, {"x"}, {"y", "x"}}[l.IntN(3)] }
	return object{
		"source_schema_name": "public", "source_table": l.choose("a", "b", "c"), "target_table": l.choose("t", "u", "v"),
		"excluded_columns": columns(), "use_custom_sorting_key": l.one(2), "sorting_keys": columns(),
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
		switch i := l.IntN(5); {
		case i == 0:
			host := l.choose("h", "i")
			l.UpdatePipe(l.id, func(doc mockplatform.Document) { setMember(doc, "source.postgres.host", host) })
		case i <= 2 && len(all) > 0:
			all = slices.Delete(all, 0, 1)
		default:
			all = l.with(all, l.mapping())
		}
	}
	documents := []any{}
	for _, mapping := range all {
		documents = append(documents, renamed(mapping, camelCase))
	}
	l.UpdatePipe(l.id, func(doc mockplatform.Document) { setMember(doc, "source.postgres.tableMappings", documents) })
	l.note("console: %v, host %v", l.held(), member(l.Pipe(l.id), "source.postgres.host"))
}

// omissible are the members that a configuration may omit.
var omissible = []string{"excluded_columns", "use_custom_sorting_key", "sorting_keys"}

// configure changes the configuration.
func (l *pipeLife) configure() {
	switch l.IntN(10) {
	case 0:
		l.mappings = nil
	case 1, 2: // as it is on the platform, whole or in part
		l.mappings = []object{}
		for _, mapping := range l.held() {
			l.mappings = append(l.mappings, l.omitting(mapping, 2))
		}
	case 3, 4:
		l.mappings = l.with(l.mappings, l.omitting(l.mapping(), 5))
	case 5, 6: // another member, table or target
		if len(l.mappings) > 0 {
			changed, other := maps.Clone(l.mappings[0]), l.mapping()
			name := l.choose(append(omissible, "source_table", "target_table", "target_table")...)
			changed[name] = other[name]
			l.mappings = l.with(l.mappings[1:], changed)
		}
	case 7:
		if len(l.mappings) > 0 {
			l.mappings = l.mappings[1:]
		}
	case 8:
		l.host, l.name = l.choose("", "h", "i"), l.choose("", "n", "m")
	default:
		l.version++
		if l.secret = true; l.one(4) {
			l.version = 0
		}
	}
	if l.secret && l.one(3) && !l.state.IsNull() {
		l.secret = l.version == 0
	}
	l.arguments = l.written()
	l.note("config: %s", l.arguments)
}

// omitting omits some members, one of so many.
func (l *pipeLife) omitting(mapping object, of int) object {
	for _, name := range omissible {
		if l.one(of) {
			delete(mapping, name)
		}
	}
	return mapping
}

func (l *pipeLife) written() string {
	postgres := object{}
	if l.mappings != nil {
		postgres["table_mappings"] = l.mappings
	}
	if l.host != "" {
		postgres["host"] = l.host
	}
	text := ""
	if len(postgres) > 0 {
		text += "source = { postgres = " + toJSON(l.t, postgres) + " }\n"
	}
	if l.name != "" {
		text += fmt.Sprintf("name = %q\n", l.name)
	}
	if l.version > 0 {
		secret := ""
		if l.secret {
			secret = fmt.Sprintf("password_wo = %q, ", l.password())
		}
		text += fmt.Sprintf("source_credentials = { postgres = { username = \"u\", %spassword_wo_version = %d } }\n", secret, l.version)
	}
	return text
}

func (l *pipeLife) password() string { return fmt.Sprint("p", l.version) }

// step lets things happen, and applies.
func (l *pipeLife) step() {
	for range 1 + l.IntN(2) {
		l.configure()
	}
	if l.one(3) {
		l.console()
	}
	l.fault, l.ambiguous = nil, false
	if l.one(4) {
		l.fault = &mockplatform.Fault{Operation: mockplatform.UpdatePipe, Status: http.StatusBadRequest, Skip: l.IntN(2)}
		if l.ambiguous = l.one(8); l.ambiguous {
			l.fault.Status, l.fault.After = http.StatusBadGateway, l.one(2)
		}
		l.Inject(*l.fault)
		l.note("fault: %+v", *l.fault)
	}
	l.applied()
	l.ClearFaults()
}

// applied plans and applies, and checks what came of it.
func (l *pipeLife) applied() {
	l.ResetJournal()
	version := fmt.Sprint(member(l.shown(), "source_credentials.postgres.password_wo_version"))
	planned, adopts := l.held(), l.state.IsNull()
	r, moved := l.tryPlan(l.start()), false
	l.wantPatches(l.id)
	if r.action != "error" {
		if moved = l.one(5); moved {
			l.console()
		}
	}
	before, held := l.Pipe(l.id), l.held()
	if r.action != "error" {
		l.carryOut(l.start(), r)
	}
	bodies := l.patches(l.id)
	l.note("%s: sends %q, errors %q, platform %v", r.action, bodies, r.errors, l.held())
	failed := len(r.errors) > 0
	for _, body := range bodies {
		l.checkBody(fromJSON(l.t, body), !adopts && version == fmt.Sprint(l.version))
	}
	refused := slices.ContainsFunc(r.errors, func(text string) bool { return strings.Contains(text, "Table mapping is not complete") })
	missing := slices.ContainsFunc(r.errors, func(text string) bool { return strings.Contains(text, "Credential missing") })
	switch {
	case refused || missing:
		l.wantPatches(l.id)
		if !moved && !l.hides && refused != l.incomplete(planned) {
			l.t.Errorf("mappings are refused: %t, incomplete: %t: %q", refused, l.incomplete(planned), r.errors)
		}
		if adopts != l.state.IsNull() {
			l.t.Errorf("a refused plan changed the state")
		}
		l.complete()
	case failed && l.fault != nil:
		l.checkHalfDone(held, r)
		l.fault = nil
		l.ClearFaults()
		l.note("again")
		l.applied()
	case failed && moved && (l.oneTarget || l.oneTable || l.hides), failed && l.hides: // what is mapped cannot be known
	case failed:
		l.t.Errorf("an error: %q", r.errors)
	case moved && r.action == "none": // and nothing is done
	case l.incomplete(held) && !moved && !l.hides:
		l.t.Errorf("incomplete mappings are not refused")
	default:
		l.checkPlatform(before, held, planned, adopts)
		if next := l.tryPlan(l.start()); !moved && (next.action != "none" || len(next.errors) > 0) {
			l.t.Errorf("the next plan is to %s %q, errors %q", next.action, next.changed(), next.errors)
		}
		l.refresh() // a response to a write says nothing about reads
	}
}

// complete makes the configuration one that can be applied.
func (l *pipeLife) complete() {
	l.secret = l.version > 0
	for i, mapping := range l.mappings {
		full := l.mapping()
		for name, value := range mapping {
			full[name] = value
		}
		l.mappings[i] = full
	}
	l.arguments = l.written()
	l.note("complete: %s", l.arguments)
}

func equalMember(a, b any) bool {
	if a, ok := a.([]any); ok {
		b, _ := b.([]any)
		text := func(c any) string { return fmt.Sprint(c) }
		as, bs := []string{}, []string{}
		for _, c := range a {
			as = append(as, text(c))
		}
		for _, c := range b {
			bs = append(bs, text(c))
		}
		slices.Sort(as)
		slices.Sort(bs)
		return slices.Equal(as, bs)
	}
	return fmt.Sprint(a) == fmt.Sprint(b)
}

func emptyMemberJSON(value any) bool {
	list, isList := value.([]any)
	return value == nil || value == false || isList && len(list) == 0
}

// find is the mapping with the names of another one.
func find(all []object, key object) (object, bool) {
	at := slices.IndexFunc(all, func(m object) bool { return elementKey(m) == elementKey(key) })
	if at < 0 {
		return nil, false
	}
	return all[at], true
}

// covers reports whether a mapping has each member that a configured one sets.
func covers(mapping, configured object) bool {
	for name, value := range configured {
		if !equalMember(value, mapping[name]) {
			return false
		}
	}
	return true
}

// checkBody checks a PATCH: what it adds is what the configuration says, and credentials
// travel with their kind.
func (l *pipeLife) checkBody(body any, sameVersion bool) {
	adds, _ := member(body, "source.postgres.tableMappingsToAdd").([]any)
	for _, add := range adds {
		sent := renamed(add.(object), snake)
		configured, found := find(l.mappings, sent)
		if !found || configured["excluded_columns"] == nil || !covers(sent, configured) {
			l.t.Errorf("%v is added, and the configuration has %v", sent, configured)
			return
		}
		for _, name := range omissible {
			if sent[name] == nil || configured[name] == nil && !emptyMemberJSON(sent[name]) {
				l.t.Errorf("%v is added with %s, and the configuration has %v", sent, name, configured)
			}
		}
	}
	postgres, _ := member(body, "source.postgres").(object)
	if postgres == nil {
		return
	}
	password, configured := member(postgres, "credentials.password"), l.version > 0 && l.secret
	switch {
	case (password != nil) != configured, configured && password != l.password():
		l.t.Errorf("the password is %v in %v, with version %d, set: %t", password, body, l.version, l.secret)
	case len(postgres) == 1 && configured && sameVersion && !l.ambiguous:
		l.t.Errorf("credentials are sent for nothing: %v", body)
	}
}

// incomplete reports whether mappings have to be added that are not declared in full.
func (l *pipeLife) incomplete(held []object) bool {
	return slices.ContainsFunc(l.mappings, func(configured object) bool {
		now, exists := find(held, configured)
		if exists && covers(now, configured) {
			return false
		}
		return slices.ContainsFunc(omissible, func(name string) bool {
			return configured[name] == nil && (name == "excluded_columns" || exists && !emptyMemberJSON(now[name]))
		})
	})
}

// checkPlatform checks what the platform has after an apply: what is configured, and the
// rest as it was before. An update leaves the mappings that its plan did not have.
func (l *pipeLife) checkPlatform(before mockplatform.Document, held, planned []object, adopts bool) {
	after, now := l.Pipe(l.id), l.held()
	for path, want := range map[string]string{"source.postgres.host": l.host, "name": l.name} {
		if got := member(after, path); want != "" && got != want || want == "" && !l.resets && got != member(before, path) {
			l.t.Errorf("%s is %v, was %v, and is configured as %q", path, got, member(before, path), want)
		}
	}
	if l.mappings == nil {
		if !l.resets && fmt.Sprint(now) != fmt.Sprint(held) {
			l.t.Errorf("mappings moved from %v to %v", held, now)
		}
		return
	}
	for _, configured := range l.mappings {
		is, exists := find(now, configured)
		if !exists || !l.hides && !covers(is, configured) {
			l.t.Errorf("%v is configured, and the platform has %v", configured, is)
			continue
		}
		was, existed := find(held, configured)
		for _, name := range omissible {
			if configured[name] == nil && existed && covers(was, configured) && !equalMember(was[name], is[name]) {
				l.t.Errorf("%s of %v was %v, and is %v", name, configured, was[name], is[name])
			}
		}
	}
	for _, mapping := range now {
		_, configured := find(l.mappings, mapping)
		if _, shown := find(planned, mapping); !configured && (shown || adopts) {
			l.t.Errorf("%v is left, and not configured", mapping)
		}
	}
	for _, mapping := range held {
		_, configured := find(l.mappings, mapping)
		_, shown := find(planned, mapping)
		if _, left := find(now, mapping); !configured && !shown && !adopts && !left {
			l.t.Errorf("%v is removed, and the plan did not have it", mapping)
		}
	}
}

// checkHalfDone: an apply that ends between removing and adding says so.
func (l *pipeLife) checkHalfDone(held []object, r *played) {
	now := l.held()
	lacks := func(all, from []object) bool {
		return slices.ContainsFunc(all, func(m object) bool { _, there := find(from, m); return !there })
	}
	said := strings.Contains(r.String(), "is only partly updated")
	if half := l.mappings != nil && lacks(held, now) && lacks(l.mappings, now); half != said && !l.ambiguous && !l.hides {
		l.t.Errorf("mappings are half done: %t, said: %t: %q", half, said, r.errors)
	}
}
