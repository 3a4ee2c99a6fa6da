package provider

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
)

// A small world has a pipe with two table mappings or none, and a name for a third. In it, each plan
// is applied on each platform, while one colleague does one thing before any request of the
// apply, and one fault befalls any request of it. small_world_rules_test.go has what must
// hold. make soak plays all of it, and make test every smallStride-th world.
const smallStride = 223

// smallSet is a set of mappings by name, such as "users>users".
type smallSet map[string]smallMapping

// smallMapping is what a mapping excludes and is sorted by. No column has a comma.
type smallMapping struct{ excludes, sortedBy string }

var (
	smallUsers  = smallMapping{"password", ""}
	smallOrders = smallMapping{"phone", "id"}
	smallHeld   = smallSet{"users>users": smallUsers, "orders>orders": smallOrders}
)

// smallPlan is what the configuration sets: the name, which is managed in all of them, and the
// mappings, which are those of from before. If from is nil, the pipe has none, and nobody manages
// them.
type smallPlan struct {
	title, name string
	from, set   smallSet
	adopts      bool
}

var smallPlans = []smallPlan{
	{"the name alone", "new", smallHeld, smallHeld, false},
	{"a column more", "customers", smallHeld, smallHeld.with("users>users", smallMapping{"password,ssn", ""}), false},
	{"a column less", "customers", smallHeld, smallHeld.with("users>users", smallMapping{"", ""}), false},
	{"another target", "new", smallHeld, smallSet{"users>people": smallUsers, "orders>orders": smallOrders}, false},
	{"targets exchanged", "customers", smallHeld, smallSet{"users>orders": smallUsers, "orders>users": smallOrders}, false},
	{"a removal", "customers", smallHeld, smallSet{"orders>orders": smallOrders}, false},
	{"an addition", "customers", smallHeld, smallHeld.with("people>people", smallMapping{"email", ""}), false},
	{"first mappings", "customers", nil, smallHeld, false},
	{"an adoption", "new", smallHeld, smallHeld.with("people>people", smallMapping{"email", ""}), true},
}

// smallPlatform is what the API document leaves open.
type smallPlatform struct {
	title  string
	behave func(w *smallWorld, b *mockplatform.Behaviour)
	// Its responses to PATCHes show the pipe as it was, it changes mappings that a PATCH does
	// not have, or it accepts PATCHes and does nothing.
	returnsThePast, changesOthers, forgets bool
	// Its responses omit what is empty, and say nothing of a sorting that no mapping has.
	omitsEmpty bool
	// All of its responses are as old, or all but those to PATCHes.
	lag       time.Duration
	readsOnly bool
}

var smallPlatforms = []smallPlatform{
	{title: "keeps", behave: func(*smallWorld, *mockplatform.Behaviour) {}},
	{title: "resets to empty", behave: func(w *smallWorld, b *mockplatform.Behaviour) {
		b.Patches.Resets = mockplatform.Resets{TopLevel: true, Nested: true, To: mockplatform.ToEmpty}
		w.rewrite(b, func(all []any) any { return w.unlessEdited(all, all[:0]) })
	}},
	{title: "resets to absent", behave: func(w *smallWorld, b *mockplatform.Behaviour) {
		b.Patches.Resets = mockplatform.Resets{Nested: true, To: mockplatform.ToAbsent}
		w.rewrite(b, func(all []any) any { return w.unlessEdited(all, nil) })
	}},
	{title: "omits what is empty", omitsEmpty: true, behave: func(_ *smallWorld, b *mockplatform.Behaviour) {
		b.Responses.Sparse = []mockplatform.Sparse{{Path: "**", OnlyEmpty: true, Zeros: true}}
	}},
	{title: "omits what is empty, and resets to it", omitsEmpty: true, behave: func(w *smallWorld, b *mockplatform.Behaviour) {
		b.Responses.Sparse = []mockplatform.Sparse{{Path: "**", OnlyEmpty: true, Zeros: true}}
		b.Patches.Resets = mockplatform.Resets{TopLevel: true, To: mockplatform.ToEmpty}
		w.rewrite(b, func(all []any) any { return w.unlessEdited(all, all[:0]) })
	}},
	{title: "adds first", behave: func(_ *smallWorld, b *mockplatform.Behaviour) {
		b.Patches.AddsFirst, b.Patches.OneTablePerTarget = true, true
	}},
	{title: "returns the past", returnsThePast: true, behave: func(_ *smallWorld, b *mockplatform.Behaviour) {
		b.Responses.PatchResult = mockplatform.ResultBefore
	}},
	{title: "lags", lag: 3 * time.Second, behave: func(_ *smallWorld, b *mockplatform.Behaviour) {
		b.Responses.Lag = 3 * time.Second
	}},
	{title: "lags in reads", lag: 3 * time.Second, readsOnly: true, behave: func(*smallWorld, *mockplatform.Behaviour) {}},
	{title: "forgets", forgets: true, behave: func(*smallWorld, *mockplatform.Behaviour) {}},
	{title: "drops others with a removal", behave: func(w *smallWorld, b *mockplatform.Behaviour) {
		w.rewrite(b, func(all []any) any {
			removes := member(w.body, "source.postgres.tableMappingsToRemove") != nil
			return slices.DeleteFunc(all, func(mapping any) bool { return removes && !slices.Contains(w.edited(), smallName(mapping)) })
		})
	}},
	{title: "clears others", changesOthers: true, behave: func(w *smallWorld, b *mockplatform.Behaviour) {
		w.rewrite(b, func(all []any) any {
			for _, mapping := range all {
				if smallName(mapping) == "orders>orders" && len(w.edited()) > 0 && !slices.Contains(w.edited(), "orders>orders") {
					setMember(mapping.(mockplatform.Document), "sortingKeys", []any{})
				}
			}
			return all
		})
	}},
}

// smallColleagues are what somebody does to one of the mappings. They report nothing to do
// as nil.
var smallColleagues = map[string]func(set smallSet, table string) smallSet{
	"excludes": func(set smallSet, table string) smallSet {
		return set.changed(table, smallMapping{"password,phone,secret", "id"})
	},
	"uncovers": func(set smallSet, table string) smallSet { return set.changed(table, smallMapping{"", "id"}) },
	"sorts": func(set smallSet, table string) smallSet {
		return set.changed(table, smallMapping{"password,phone", "other"})
	},
	"removes": func(set smallSet, table string) smallSet { return set.without(table) },
	"adds again": func(set smallSet, table string) smallSet {
		return set.added(table+">"+table, smallMapping{"password,phone,secret", ""})
	},
	"adds another": func(set smallSet, table string) smallSet {
		return set.added(table+">archive", smallMapping{"secret", ""})
	},
	"takes its place": func(set smallSet, table string) smallSet {
		return set.added("archive>"+table, smallMapping{"secret", ""})
	},
	"adds the third": func(set smallSet, _ string) smallSet {
		return set.added("people>people", smallMapping{"email,secret", ""})
	},
}

// smallFaults are what befalls a request: of which the platform carries it out or not, and
// how it responds.
var smallFaults = []string{"429", "another 429", "no connection", "lost before", "lost after", "503", "400", "unreadable"}

func (s smallSet) with(name string, mapping smallMapping) smallSet {
	all := maps.Clone(s)
	all[name] = mapping
	return all
}

// changed has another value of the mapping of a table, if there is one.
func (s smallSet) changed(table string, mapping smallMapping) smallSet {
	if name := table + ">" + table; s.has(name) && s[name] != mapping {
		return s.with(name, mapping)
	}
	return nil
}

func (s smallSet) added(name string, mapping smallMapping) smallSet {
	if s.has(name) {
		return nil
	}
	return s.with(name, mapping)
}

func (s smallSet) without(table string) smallSet {
	if name := table + ">" + table; s.has(name) {
		all := maps.Clone(s)
		delete(all, name)
		return all
	}
	return nil
}

func (s smallSet) has(name string) bool { _, ok := s[name]; return ok }

func smallColumns(text string) []any {
	columns := []any{}
	for _, column := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' }) {
		columns = append(columns, column)
	}
	return columns
}

// documents are the mappings as the platform stores them.
func (s smallSet) documents() []any {
	all := []any{}
	for _, name := range slices.Sorted(maps.Keys(s)) {
		source, target, _ := strings.Cut(name, ">")
		all = append(all, mockplatform.Document{
			"sourceSchemaName": "public", "sourceTable": source, "targetTable": target, "useCustomSortingKey": false,
			"excludedColumns": smallColumns(s[name].excludes), "sortingKeys": smallColumns(s[name].sortedBy),
		})
	}
	return all
}

// smallSetOf reads the mappings of a document or of a body.
func smallSetOf(list any) smallSet {
	set := smallSet{}
	all, _ := list.([]any)
	join := func(mapping any, name string) string {
		columns := columnsOf(mapping.(object), name)
		slices.Sort(columns)
		return strings.Join(columns, ",")
	}
	for _, mapping := range all {
		set[smallName(mapping)] = smallMapping{join(mapping, "excludedColumns"), join(mapping, "sortingKeys")}
	}
	return set
}

func smallName(mapping any) string {
	return fmt.Sprint(member(mapping, "sourceTable"), ">", member(mapping, "targetTable"))
}

// smallBase is what worlds of one plan and one platform have in common: the plan was made
// before anything happened.
type smallBase struct {
	t        *testing.T
	seed     mockplatform.Seed
	plan     smallPlan
	platform smallPlatform
	state    *terraformtest.Object
	change   *terraformtest.Change
}

func (b *smallBase) world() *smallWorld {
	w := &smallWorld{plan: b.plan, platform: b.platform}
	f := newMemory(b.t, b.seed)
	f.random = func() float64 { return 0.5 }
	f.Configure(func(behaviour *mockplatform.Behaviour) { b.platform.behave(w, behaviour) })
	w.managed = f.pipe(mockplatform.PostgresPipeID, "")
	if b.state != nil {
		w.block.State = *b.state
	}
	return w
}

// begin starts the provider of the next command.
func (w *smallWorld) begin() server {
	w.process = w.start(map[string]any{"retry_timeout": "5m"})
	transport := w.process.provider.connection.Client.Transport()
	transport.DialContext, transport.DisableKeepAlives = w.dial, true
	w.transports = append(w.transports, transport)
	return w.process
}

// end ends all processes: the test keeps their transports, which would keep the world.
func (w *smallWorld) end() {
	for _, transport := range w.transports {
		transport.DialContext = nil
	}
}

// configure sets what the configuration has. A set that is nil is not managed.
func (w *smallWorld) configure(name string, set smallSet) {
	if w.arguments = fmt.Sprintf("name = %q", name); set == nil {
		w.write(true)
		return
	}
	var all []string
	for _, mapping := range set.documents() {
		text := toJSON(w.t, renamed(mapping.(object), snake))
		all = append(all, text)
	}
	w.arguments += fmt.Sprintf("\nsource = { postgres = { table_mappings = [%s] } }", strings.Join(all, ", "))
	w.write(true)
}

// smallBaseOf adopts the pipe, unless the plan does, and plans.
func smallBaseOf(t *testing.T, plan smallPlan, platform smallPlatform) *smallBase {
	seed := mockplatform.DefaultSeed()
	organization := seed.Organizations[0]
	organization.Services = organization.Services[:1]
	organization.Pipes = slices.DeleteFunc(slices.Clone(organization.Pipes), func(pipe mockplatform.Document) bool { return pipe["id"] != mockplatform.PostgresPipeID })
	setMember(organization.Pipes[0], tableMappings, plan.from.documents())
	seed.Organizations = []mockplatform.Organization{organization}
	b := &smallBase{t: t, seed: seed, plan: plan, platform: platform}
	w := b.world()
	defer w.network.Start(w)()
	if !plan.adopts {
		w.configure("customers", plan.from)
		w.block.Apply(w.begin(), w.block.Plan(w.begin()))
	}
	state := w.block.State
	b.state = &state
	w.configure(plan.name, plan.set)
	b.change = w.block.Plan(w.begin())
	if b.change.Failed() {
		t.Fatal(b.change)
	}
	return b
}

// play applies the plan in a world, and returns what is wrong.
func (b *smallBase) play(w *smallWorld) (wrong []string) {
	stop := w.network.Start(w)
	defer func() { w.end(); stop(); synctest.Wait() }()
	w.configure(b.plan.name, b.plan.set)
	change := *b.change
	change.Warnings = slices.Clip(change.Warnings)
	w.block.Apply(w.begin(), &change)
	if w.another != nil {
		w.another()
	}
	w.errors = change.Errors
	for _, fault := range change.Faults {
		wrong = append(wrong, fault.String())
	}
	wrong = append(wrong, w.check()...)
	w.troubles, w.old = nil, nil
	if len(w.errors) == 0 {
		if len(w.acts) > 0 || b.platform.readsOnly {
			time.Sleep(b.platform.lag) // what somebody did, or what a response has shown, may not be read yet
		}
		next := w.block.Plan(w.begin())
		wrong = append(wrong, w.checkNext(next)...)
	}
	return wrong
}

// TestSmallWorld plays worlds.
func TestSmallWorld(t *testing.T) {
	t.Parallel()
	stride := smallStride
	if os.Getenv("SOAK_DURATION") != "" {
		stride = 1
	}
	for i, plan := range smallPlans {
		for j, platform := range smallPlatforms {
			t.Run(plan.title+", "+platform.title, func(t *testing.T) {
				t.Parallel()
				first := i*len(smallPlatforms) + j
				synctest.Test(t, func(t *testing.T) { playAll(t, smallBaseOf(t, plan, platform), first, stride) })
			})
		}
	}
}

// playAll plays every fault at every request, without a colleague and with every one before
// every request, but for those of a long wait; or one of stride of these, counted from at. Requests are those of a world
// without either, and of those with a fault that makes more of them: one that ends the apply
// befalls each of them.
func playAll(t *testing.T, b *smallBase, at, stride int) {
	played, failures := 0, 0
	run := func(fault string, faultAt int, colleague, table string, before int) int {
		w := b.world()
		w.troubles = []smallTrouble{{fault, faultAt, colleague, table, before}}
		wrong := b.play(w)
		played++
		if len(wrong) > 0 && failures < 5 {
			failures++
			t.Errorf("%q at request %d, somebody %q %q before request %d:\n%s\n%s", fault, faultAt, colleague, table, before, strings.Join(wrong, "\n"), w.story())
		}
		return w.requests
	}
	// play returns the number of requests in a world, or a guess if it is not played.
	play := func(guess int, fault string, faultAt int, colleague, table string, before int) int {
		at++
		if at%stride > 0 {
			return guess
		}
		return max(guess, run(fault, faultAt, colleague, table, before))
	}
	// Where an apply waits, one read is like the other: of many requests, the first and the last.
	counts := func(request, requests int) bool { return request < 6 || request == requests-1 }
	usual := run("", 0, "", "", -1)
	for _, fault := range append([]string{""}, smallFaults...) {
		for faultAt, faults := 0, usual; faultAt < faults; faultAt++ {
			if !counts(faultAt, faults) {
				continue
			}
			requests := play(usual, fault, faultAt, "", "", -1)
			if faults = max(faults, requests); fault == "" {
				faults = 1
			}
			for _, colleague := range slices.Sorted(maps.Keys(smallColleagues)) {
				for _, table := range []string{"users", "orders"} {
					for before, reached := 0, requests; before < reached && (colleague != "adds the third" || table == "users"); before++ {
						if counts(before, reached) {
							reached = play(reached, fault, faultAt, colleague, table, before)
						}
					}
				}
			}
		}
	}
	t.Logf("%d worlds", played)
}
