package provider

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
)

// A small world has a pipe with two table mappings or none, and names for a third. In it, each plan
// is applied on each platform, while one colleague does one thing before a request of the apply, or
// some time after its beginning, and one fault befalls a request of it; and, in worlds that are drawn
// from a fixed seed, while two of each do. small_world_rules_test.go has what must hold. make test
// plays every smallStride-th world, and make soak all of them, but for those that are like another one, since their fault or
// their colleague comes too late, or finds nothing to change.
const smallStride = 853

// drawnWorlds is the number of worlds that make soak draws for each plan and platform.
const drawnWorlds = 120

// smallPipe is what a world has of a pipe: all of it is managed.
type smallPipe struct {
	name, host string
	set        mappingSet
}

const smallName, smallHost = "customers", "pg"

var (
	smallUsers  = mapping{"password", ""}
	smallOrders = mapping{"phone", "id"}
	smallHeld   = mappingSet{"users>users": smallUsers, "orders>orders": smallOrders}
)

// smallPlan is what the configuration sets: the name and the mappings, which are those of from
// before, and the host, which no plan changes. If from is nil, the pipe has no mappings, and nobody
// manages them.
type smallPlan struct {
	title, name string
	from, set   mappingSet
}

var smallPlans = []smallPlan{
	{"the name alone", "new", smallHeld, smallHeld},
	{"a column more", smallName, smallHeld, smallHeld.with("users>users", mapping{"password,ssn", ""})},
	{"a column less", smallName, smallHeld, smallHeld.with("users>users", mapping{"", ""})},
	{"another target", "new", smallHeld, mappingSet{"users>people": smallUsers, "orders>orders": smallOrders}},
	{"another letter case", smallName, smallHeld, mappingSet{"users>Users": smallUsers, "orders>orders": smallOrders}},
	{"targets exchanged", smallName, smallHeld, mappingSet{"users>orders": smallUsers, "orders>users": smallOrders}},
	{"a removal", smallName, smallHeld, mappingSet{"orders>orders": smallOrders}},
	{"an addition", smallName, smallHeld, smallHeld.with("people>people", mapping{"email", ""})},
	{"first mappings", smallName, nil, smallHeld},
}

// smallPlatform is what the API document leaves open.
type smallPlatform struct {
	title  string
	behave func(b *mockplatform.Behaviour)
	// Its responses to PATCHes show the pipe as it was, or it accepts PATCHes and does nothing.
	returnsThePast, forgets bool
	// It omits what is empty, and says nothing of a sorting that no mapping has.
	omitsEmpty bool
	// It drops all mappings with a PATCH that has none, or the others with a PATCH that removes one.
	dropsSet, dropsOthers bool
	// Its responses are as old, but those to PATCHes may be fresh.
	lag            time.Duration
	returnsPatches bool
}

var smallPlatforms = []smallPlatform{
	{title: "keeps"},
	{title: "resets leaves to empty", behave: func(b *mockplatform.Behaviour) {
		b.Patches.Resets = mockplatform.Resets{TopLevel: true, Nested: true, To: mockplatform.ToEmpty}
	}},
	{title: "resets all to absent", dropsSet: true, behave: func(b *mockplatform.Behaviour) {
		b.Patches.Resets = mockplatform.Resets{Nested: true, To: mockplatform.ToAbsent}
	}},
	{title: "omits what is empty, and resets leaves to it", omitsEmpty: true, behave: func(b *mockplatform.Behaviour) {
		b.Responses.Sparse = []mockplatform.Sparse{{Path: "**", OnlyEmpty: true, Zeros: true}}
		b.Patches.Resets = mockplatform.Resets{TopLevel: true, Nested: true, To: mockplatform.ToEmpty}
	}},
	{title: "one table per target", behave: func(b *mockplatform.Behaviour) { b.Patches.OneTablePerTarget = true }},
	{title: "returns the past", returnsThePast: true, behave: func(b *mockplatform.Behaviour) {
		b.Responses.PatchResult = mockplatform.ResultBefore
	}},
	{title: "lags", lag: 3 * time.Second},
	{title: "lags in reads", lag: 3 * time.Second, returnsPatches: true},
	{title: "forgets", forgets: true},
	{title: "drops others with a removal", dropsOthers: true},
}

// smallColleagues are what somebody does to the pipe, or to one of its mappings. They return it as it
// is if there is nothing to do.
var smallColleagues = map[string]func(p smallPipe, table string) smallPipe{
	"renames":        func(p smallPipe, _ string) smallPipe { p.name = "theirs"; return p },
	"moves the host": func(p smallPipe, _ string) smallPipe { p.host = "theirs"; return p },
	"excludes": func(p smallPipe, table string) smallPipe {
		return p.changed(table, mapping{"password,phone,secret", "id"})
	},
	"uncovers": func(p smallPipe, table string) smallPipe { return p.changed(table, mapping{"", "id"}) },
	"sorts": func(p smallPipe, table string) smallPipe {
		return p.changed(table, mapping{"password,phone", "other"})
	},
	"removes": func(p smallPipe, table string) smallPipe {
		p.set = p.set.without(table + ">" + table)
		return p
	},
	"adds again": func(p smallPipe, table string) smallPipe {
		return p.adding(table+">"+table, "password,phone,secret")
	},
	"adds another":    func(p smallPipe, table string) smallPipe { return p.adding(table+">archive", "secret") },
	"takes its place": func(p smallPipe, table string) smallPipe { return p.adding("archive>"+table, "secret") },
	"adds the third":  func(p smallPipe, _ string) smallPipe { return p.adding("people>people", "email,secret") },
}

// smallActs are what each colleague does to each table: those of the whole pipe to one alone.
func smallActs() (acts []smallTrouble) {
	for _, colleague := range slices.Sorted(maps.Keys(smallColleagues)) {
		acts = append(acts, smallTrouble{colleague: colleague, table: "users"})
		if !slices.Contains([]string{"renames", "moves the host", "adds the third"}, colleague) {
			acts = append(acts, smallTrouble{colleague: colleague, table: "orders"})
		}
	}
	return acts
}

// smallFaults are what befalls a request, but for a connection that is refused: the platform carries it
// out or not, or in part, or later.
var smallFaults = map[string]mockplatform.Fault{
	"429":              {Status: http.StatusTooManyRequests, RetryAfter: 3 * time.Second},
	"409":              {Status: http.StatusConflict},
	"no connection":    {},
	"lost before":      {Reset: true},
	"lost after":       {Reset: true, After: true},
	"503":              {Status: http.StatusServiceUnavailable},
	"400":              {Status: http.StatusBadRequest},
	"400 half way":     {Status: http.StatusBadRequest, Half: true},
	"a filter after":   {Status: http.StatusForbidden, Body: mockplatform.BodyHTML, After: true},
	"unreadable":       {Status: http.StatusOK, After: true, Text: "<html>"},
	"504, done in 12s": {Status: http.StatusGatewayTimeout, Later: 12 * time.Second},
	"504, done in 40s": {Status: http.StatusGatewayTimeout, Later: 40 * time.Second},
}

// changed has another value of the mapping of a table, if there is one.
func (p smallPipe) changed(table string, mapping mapping) smallPipe {
	if name := table + ">" + table; p.set.has(name) {
		p.set = p.set.with(name, mapping)
	}
	return p
}

func (p smallPipe) adding(name, excludes string) smallPipe {
	if !p.set.has(name) {
		p.set = p.set.with(name, mapping{excludes, ""})
	}
	return p
}

func (p smallPipe) is(other smallPipe) bool {
	return p.name == other.name && p.host == other.host && maps.Equal(p.set, other.set)
}

// smallPipeOf reads a document.
func smallPipeOf(doc any) smallPipe {
	text := func(path string) string { s, _ := member(doc, path).(string); return s }
	return smallPipe{text("name"), text("source.postgres.host"), mappingsOf(member(doc, tableMappings))}
}

// smallBase is what worlds of one plan and one platform have in common: the plan was made
// before anything happened.
type smallBase struct {
	t        *testing.T
	seed     mockplatform.Seed
	plan     smallPlan
	platform smallPlatform
	state    terraformtest.Object
	change   *terraformtest.Change
}

func (b *smallBase) world() *smallWorld {
	w := &smallWorld{plan: b.plan, platform: b.platform}
	f := newMemory(b.t, b.seed)
	f.random = func() float64 { return 0.5 }
	f.Configure(w.behave)
	w.managed = f.pipe(mockplatform.PostgresPipeID, "")
	if b.change != nil {
		w.block.State = b.state
	}
	return w
}

// begin starts the provider of the next command.
func (w *smallWorld) begin() server {
	process := w.start(`retry_timeout = "5m"`)
	transport := process.provider.connection.Client.Transport
	transport.DialContext, transport.DisableKeepAlives = w.dial, true
	return process
}

// configure sets what the configuration has. A set that is nil is not managed.
func (w *smallWorld) configure(name string, set mappingSet) {
	postgres := object{"host": smallHost}
	if set != nil {
		postgres["table_mappings"] = set.arguments()
	}
	w.arguments = fmt.Sprintf("name = %q\nsource = %s", name, toJSON(w.t, object{"postgres": postgres}))
	w.write(true)
}

// smallBaseOf adopts the pipe, and plans.
func smallBaseOf(t *testing.T, plan smallPlan, platform smallPlatform) *smallBase {
	seed := mockplatform.DefaultSeed()
	organization := seed.Organizations[0]
	organization.Services = organization.Services[:1]
	organization.Pipes = slices.DeleteFunc(slices.Clone(organization.Pipes), func(pipe mockplatform.Document) bool {
		return pipe["id"] != mockplatform.PostgresPipeID
	})
	setMember(organization.Pipes[0], tableMappings, plan.from.documents())
	setMember(organization.Pipes[0], "source.postgres.host", smallHost)
	seed.Organizations = []mockplatform.Organization{organization}
	b := &smallBase{t: t, seed: seed, plan: plan, platform: platform}
	w := b.world()
	defer w.network.Start(w)()
	w.configure(smallName, plan.from)
	w.block.Apply(w.begin(), w.block.Plan(w.begin()))
	b.state = w.block.State
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
	defer func() {
		time.Sleep(time.Hour) // in which a list ends that nobody waits for any longer
		synctest.Wait()
		stop()
		synctest.Wait()
	}()
	w.configure(b.plan.name, b.plan.set)
	change := *b.change
	change.Warnings = nil
	begun := time.Now()
	var later []*time.Timer
	for _, trouble := range w.troubles {
		if trouble.after > 0 {
			later = append(later, time.AfterFunc(trouble.after, func() {
				w.mu.Lock()
				defer w.mu.Unlock()
				w.act(trouble)
			}))
		}
	}
	w.block.Apply(w.begin(), &change)
	for _, timer := range later {
		timer.Stop()
	}
	w.took, w.errors, w.warnings = time.Since(begun), change.Errors, change.Warnings
	for _, fault := range change.Faults {
		w.say("%s", fault)
	}
	w.mu.Lock() // a PATCH may still be carried out
	w.isOver = true
	w.check()
	w.mu.Unlock()
	if late := time.Until(w.lastDone); late > 0 {
		time.Sleep(late + w.platform.lag)
	}
	if len(w.errors) == 0 {
		if len(w.acts) > 0 || b.platform.returnsPatches && maps.Equal(b.plan.from, b.plan.set) {
			time.Sleep(b.platform.lag) // what somebody did, or the leaves that a response has shown, may not be read yet
		}
		w.checkNext(w.block.Plan(w.begin()))
	}
	return w.wrong
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

// playAll plays each world, or one of stride of them, counted from at, and some with two troubles.
func playAll(t *testing.T, b *smallBase, at, stride int) {
	failures := 0
	play := func(troubles ...smallTrouble) *smallWorld {
		w := b.world()
		w.troubles = troubles
		if wrong := b.play(w); len(wrong) > 0 && failures < 5 {
			failures++
			t.Errorf("%s:\n%s\n%s", troubles, strings.Join(wrong, "\n"), w.story())
		}
		return w
	}
	alone := map[smallTrouble]smallCourse{} // the worlds with a fault or a colleague alone
	of := func(trouble smallTrouble) smallCourse {
		if alone[trouble].took == 0 {
			w := play(trouble)
			alone[trouble] = smallCourse{w.was, w.took}
		}
		return alone[trouble]
	}
	all := smallTroubles()
	for i := at % stride; i < len(all); i += stride {
		fault, act := all[i], all[i]
		fault.colleague, fault.table, fault.actsBefore, fault.after = "", "", -1, 0
		act.fault, act.faultAt = "", 0
		switch {
		case stride > 1:
			play(all[i])
		case fault == all[i] || act == all[i]:
			of(all[i])
		case of(fault).meets(act) && len(of(act).was) > fault.faultAt: // otherwise, it is like one of the two
			play(all[i])
		}
	}
	random := rand.New(rand.NewPCG(uint64(at), 2))
	for range 1 + drawnWorlds/stride {
		play(all[random.IntN(len(all))], all[random.IntN(len(all))])
	}
}

// smallCourse is what the pipe was before each request of an apply, and how long that took.
type smallCourse struct {
	was  []smallPipe
	took time.Duration
}

// meets reports whether what a colleague does comes before the end, and may change the pipe.
func (c smallCourse) meets(act smallTrouble) bool {
	if act.after > 0 {
		return act.after < c.took
	}
	return act.actsBefore < len(c.was) && !smallColleagues[act.colleague](c.was[act.actsBefore], act.table).is(c.was[act.actsBefore])
}

// smallTroubles are no fault and every fault at some requests, each without a colleague and with every one before some
// requests and at some times of a wait. Where an apply waits, one read is like the other.
var smallTroubles = sync.OnceValue(func() (all []smallTrouble) {
	for _, fault := range append([]string{""}, slices.Sorted(maps.Keys(smallFaults))...) {
		for _, trouble := range append([]smallTrouble{{}}, smallActs()...) {
			trouble.fault = fault
			for _, trouble.faultAt = range smallRequests {
				all = append(all, trouble.when()...)
				if fault == "" {
					break
				}
			}
		}
	}
	return all
})

var smallRequests = []int{0, 1, 2, 3, 4, 5, 11}

// when has a trouble at every time at which its colleague acts, if it has one.
func (t smallTrouble) when() (all []smallTrouble) {
	if t.actsBefore = -1; t.colleague == "" {
		return []smallTrouble{t}
	}
	for _, t.after = range []time.Duration{2 * time.Second, 11 * time.Second, 25 * time.Second} {
		all = append(all, t)
	}
	t.after = 0
	for _, t.actsBefore = range smallRequests {
		all = append(all, t)
	}
	return all
}
