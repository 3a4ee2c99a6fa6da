package provider

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
)

// A life is a random sequence of what users, the console, faults and platforms do to an
// organization: its pipes and services, with a resource each. As in
// Terraform, one provider plans all of them, and another one applies them, one after the
// other in some order. The last functions have what has to hold whatever happens. Nobody changes
// table mappings here: TestSmallWorld has them.
type life struct {
	*fixture
	*rand.Rand
	order *rand.Rand // of what happens in turn
	// together reports that the objects are planned and applied at the same time.
	together bool
	story    []string
	blocks   []*lived
	resets   bool // a PATCH resets what it omits

	// What happens in a step.
	trouble string
	moved   bool // something changed between the plan and the apply
	ctx     context.Context
	cancel  context.CancelFunc
}

// lived is a resource of a life, and its part of the configuration.
type lived struct {
	*managed
	get            func(id string) object // nil if there is none
	update         func(id string, change func(mockplatform.Document))
	importID       string
	leaves         []string // that the configuration may set, by their paths in the document
	config         map[string]any
	ignored, later string // leaves under ignore_changes, and known only after apply
	absent         bool   // there is no resource block
	importing      bool   // there is an import block
	result         *result
	before         object   // the object before the apply
	bodies         []string // the PATCHes of the apply
}

// lifeValues are the values of the leaves that a life configures.
var lifeValues = map[string][]any{
	"name":                        {"n", "m", "o"},
	"settings.engine_max_threads": {0, 1, 2},
	"settings.engine_parallel_view_processing":     {true, false},
	"source.kafka.iamRole":                         {"", "r", "s"},
	"source.kafka.reversePrivateEndpointIds":       {[]any{}, []any{"a"}, []any{"b", "a"}},
	"source.objectStorage.path":                    {"p", "q"},
	"destination.columns":                          {[]any{}, []any{object{"name": "a", "type": "b"}}, []any{object{"name": "a", "type": "c"}, object{"name": "b", "type": "b"}}},
	"source.postgres.host":                         {"h", "i"},
	"source.postgres.settings.syncIntervalSeconds": {30, 60},
	"numReplicas":                                  {2, 3, 4},
	"idleScaling":                                  {true, false},
	"idleTimeoutMinutes":                           {5, 10},
	"minTotalMemoryGb":                             {24, 36},
	"maxTotalMemoryGb":                             {48, 60},
}

// leanPlatforms are ways of returning what is empty.
var leanPlatforms = [][]mockplatform.Sparse{
	{{Path: "**", OnlyEmpty: true, Zeros: true}},
	{{Path: "**", OnlyEmpty: true, Zeros: true, Operations: []mockplatform.Operation{mockplatform.GetPipe, mockplatform.ListServices}}},
	{{Path: "**", OnlyEmpty: true, Zeros: true, EmptyObjects: true}},
	nil,
	{{Path: "**", OnlyEmpty: true, Zeros: true, Null: true}},
}

// TestOrganizationLife plays fixed lives in memory: nothing but the seed decides what happens.
func TestOrganizationLife(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		t.Run(strconv.FormatUint(seed, 10), inBubble(func(_ *testing.T, f *fixture) { newLife(f, seed).live() }))
	}
}

// TestSoak searches lives. Those of odd seeds are played over sockets, on the real clock, and
// their objects at the same time: what they find need not repeat.
func TestSoak(t *testing.T) {
	terraformtest.Soak(t, 2, func(t *testing.T, seed uint64) {
		if seed%2 == 0 {
			inBubble(func(_ *testing.T, f *fixture) { newLife(f, seed).live() })(t)
			return
		}
		f := startFixture(t, mockplatform.DefaultSeed())
		l := newLife(f, seed)
		l.together, f.random = true, nil
		l.live()
	})
}

func (l *life) live() {
	for range 4 + l.IntN(5) {
		l.step()
		if l.t.Failed() {
			l.t.Fatal(strings.Join(l.story, "\n"))
		}
	}
}

func newLife(f *fixture, seed uint64) *life {
	l := &life{fixture: f, Rand: rand.New(rand.NewPCG(seed, 7)), order: rand.New(rand.NewPCG(seed, 8))}
	f.random = l.order.Float64
	l.behave()
	pipe := func(id string, leaves ...string) {
		l.blocks = append(l.blocks, &lived{managed: f.pipe(id, ""), get: f.Pipe, update: f.UpdatePipe, importID: mockplatform.ServiceID + "/" + id, leaves: leaves})
	}
	pipe(mockplatform.KafkaPipeID, "source.kafka.iamRole", "source.kafka.reversePrivateEndpointIds", "name", "settings.engine_max_threads")
	pipe(mockplatform.ObjectStoragePipeID, "name", "source.objectStorage.path", "destination.columns", "settings.engine_parallel_view_processing")
	pipe(mockplatform.PostgresPipeID, "name", "source.postgres.host", "source.postgres.settings.syncIntervalSeconds")
	for _, id := range ourServices {
		leaves := []string{"numReplicas", "idleScaling", "idleTimeoutMinutes", "minTotalMemoryGb", "maxTotalMemoryGb"}
		l.blocks = append(l.blocks, &lived{managed: f.scaling(id, ""), get: f.Service, update: f.UpdateService, importID: id, leaves: leaves})
	}
	for _, b := range l.blocks {
		b.config = map[string]any{}
		for _, leaf := range b.leaves {
			l.set(b, leaf)
		}
	}
	return l
}

// behave chooses how the platform behaves.
func (l *life) behave() {
	l.resets = l.one(4)
	l.Configure(func(b *mockplatform.Behaviour) {
		b.Latency = time.Duration(l.IntN(3)) * time.Millisecond
		p, r := &b.Patches, &b.Responses
		p.MovesState, p.MovesReplicaMemory = l.one(2), l.one(2)
		if l.resets {
			p.Resets = mockplatform.Resets{Nested: true, TopLevel: l.one(2), To: mockplatform.ResetTo(l.choose(string(mockplatform.ToEmpty), string(mockplatform.ToInitial)))}
		}
		// What is reset and then omitted could not be told from what is kept and not returned.
		if lean := leanPlatforms[l.IntN(len(leanPlatforms))]; !l.resets {
			r.Sparse = slices.Clone(lean)
		}
		if l.one(5) && !l.resets {
			r.PatchResult = l.choose(mockplatform.ResultMissing, mockplatform.ResultBefore)
		}
		r.ShuffleSets, r.UnknownMembers, r.RepeatSetElements = l.one(2), l.one(4), l.one(4)
		r.Numbers = mockplatform.NumberSpelling(l.choose("", string(mockplatform.NumbersAsFloats), string(mockplatform.NumbersAsExponents)))
		l.note("platform: %+v %+v", *p, *r)
	})
}

func (l *life) one(of int) bool              { return l.IntN(of) == 0 }
func (l *life) choose(from ...string) string { return from[l.IntN(len(from))] }
func (l *life) note(format string, args ...any) {
	l.story = append(l.story, fmt.Sprintf(format, args...))
}

func (l *life) any() *lived { return l.blocks[l.IntN(len(l.blocks))] }

func (b *lived) String() string { return b.name + " " + b.id[len(b.id)-2:] }

func (b *lived) document() object { return b.get(b.id) }

// set sets a leaf in the console.
func (l *life) set(b *lived, leaf string) {
	value := l.valueOf(leaf)
	b.update(b.id, func(doc mockplatform.Document) { setMember(doc, leaf, value) })
	l.note("console: %s has %s = %+q", b, leaf, fmt.Sprint(value))
}

func (l *life) valueOf(leaf string) any { return lifeValues[leaf][l.IntN(len(lifeValues[leaf]))] }

// console changes something.
func (l *life) console() {
	for range 1 + l.IntN(3) {
		b := l.any()
		l.set(b, b.leaves[l.IntN(len(b.leaves))])
	}
}

// configure changes the configuration of a resource.
func (l *life) configure(b *lived) {
	leaf := b.leaves[l.IntN(len(b.leaves))]
	if b.config[leaf] = l.valueOf(leaf); l.one(4) {
		delete(b.config, leaf)
	}
	b.absent, b.ignored, b.later = l.one(12), "", ""
	set := slices.Sorted(maps.Keys(b.config))
	if len(set) > 0 && l.one(6) {
		b.ignored = l.choose(set...)
	}
	if len(set) > 0 && l.one(6) {
		b.later = l.choose(set...)
	}
	if b.state.IsNull() {
		b.importing = l.one(4)
	}
	l.writeOut(b)
}

// writeOut writes the configuration of a resource down.
func (l *life) writeOut(b *lived) {
	nested := object{}
	for path, value := range b.config {
		if path == b.later {
			value = "LATER"
		}
		setMember(nested, snake(path), value)
	}
	b.learn(cty.Zero)
	b.arguments = ""
	for _, name := range slices.Sorted(maps.Keys(nested)) {
		b.arguments += strings.Replace(name+" = "+toJSON(l.t, nested[name]), `"LATER"`, "["+toJSON(l.t, b.config[b.later])+"][later]", 1) + "\n"
	}
	if b.ignored != "" {
		b.arguments += "lifecycle {\n  ignore_changes = [" + snake(b.ignored) + "]\n}\n"
	}
	l.note("config of %s: absent %t, importing %t, %+q", b, b.absent, b.importing, b.arguments)
}

// step lets things happen, and applies.
func (l *life) step() {
	for range 1 + l.IntN(4) {
		l.configure(l.any())
	}
	if l.one(3) {
		l.console()
	}
	if l.trouble = ""; l.one(3) {
		l.trouble = l.choose("rejected", "rejected", "lost", "lost", "interrupted", "flaky", "outage")
	}
	l.applied()
	l.refresh()
}

// refresh ends the trouble, and reads everything. Where reads omit what is empty, a response to
// a write is no read that returned a value: without one, a value that is emptied next would
// look as if it stayed.
func (l *life) refresh() {
	l.calm()
	p := l.start()
	for _, b := range l.blocks {
		b.refreshWith(p)
	}
}

func (b *lived) plan(p server) {
	b.write(true)
	var c *terraformtest.Change
	switch {
	case b.absent:
		b.block.Config = cty.NullVal(b.block.Schema.Type)
		c = b.block.Plan(p)
	case b.importing && b.state.IsNull():
		c = b.block.PlanImport(p, b.importID)
	default:
		c = b.block.Plan(p)
	}
	b.result = b.tell(&result{change: c}, b.block.State)
}

// applied plans and applies, and checks what came of it.
func (l *life) applied() {
	l.ResetJournal()
	p := l.start()
	l.each(func(b *lived) { b.plan(p) })
	l.checkPlans()
	if l.moved = l.one(4); l.moved {
		l.console()
	}
	l.begin()
	for _, b := range l.blocks {
		b.before = b.document()
	}
	settings := map[string]any{}
	if l.trouble == "outage" {
		settings["retry_timeout"] = "200ms"
	}
	applies := interruptible{l.start(settings), l.ctx}
	l.each(func(b *lived) { b.apply(applies) })
	for _, b := range l.blocks {
		b.bodies = l.patches(b.id)
		l.note("%s: %s %+q, errors %+q, warnings %d", b, b.result.action, b.bodies, b.result.errors, len(b.result.warnings))
	}
	again := false
	for _, b := range l.blocks {
		again = l.check(b) || again
	}
	switch {
	case l.t.Failed() || l.moved:
	case again:
		l.refresh()
		l.note("again")
		l.applied()
	default:
		l.calm()
		l.checkQuiet()
	}
}

// begin begins the trouble of a step.
func (l *life) begin() {
	l.ctx, l.cancel = context.WithCancel(l.t.Context())
	writes := []mockplatform.Operation{mockplatform.UpdatePipe, mockplatform.UpdatePipe, mockplatform.UpdateScaling}
	fault := mockplatform.Fault{Operation: writes[l.IntN(len(writes))], Skip: l.IntN(2)}
	switch l.trouble {
	case "":
		return
	case "rejected":
		fault.Status = http.StatusBadRequest
	case "lost":
		if fault.After = l.one(2); l.one(4) {
			fault.Reset = true
		} else {
			fault.Status = []int{http.StatusBadGateway, http.StatusFound, http.StatusNotImplemented}[l.IntN(3)]
		}
	case "interrupted":
		// Once it is carried out, and before its response.
		cancel := l.cancel
		fault.After, fault.Delay = true, 20*time.Millisecond
		fault.Edit = func(mockplatform.Document) { cancel() }
	case "outage":
		fault = mockplatform.Fault{Status: http.StatusServiceUnavailable, Times: mockplatform.Always, Skip: l.IntN(8)}
	case "flaky":
		fault = mockplatform.Fault{Status: []int{http.StatusTooManyRequests, http.StatusServiceUnavailable}[l.IntN(2)], Method: http.MethodGet, Skip: l.IntN(4)}
	}
	l.Inject(fault)
	l.note("%s: %s %s, status %d, after %t, skip %d", l.trouble, fault.Operation, fault.Method, fault.Status, fault.After, fault.Skip)
}

// calm ends the trouble.
func (l *life) calm() {
	l.ClearFaults()
	l.cancel()
	if l.trouble == "interrupted" {
		time.Sleep(50 * time.Millisecond) // what was sent may arrive later
	}
	l.trouble, l.moved = "", false
}

// interruptible is a provider whose applies an interrupt cancels.
type interruptible struct {
	server
	ctx context.Context
}

// ApplyResourceChange implements terraformtest.Provider.
func (p interruptible) ApplyResourceChange(_ context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	return p.server.ApplyResourceChange(p.ctx, req)
}

// each does something with each resource, in some order or together. In order, whatever goes on in the
// background comes to its end between them.
func (l *life) each(thing func(b *lived)) {
	if l.together {
		var done sync.WaitGroup
		for _, b := range l.blocks {
			done.Go(func() { thing(b) })
		}
		done.Wait()
		return
	}
	for _, i := range l.order.Perm(len(l.blocks)) {
		thing(l.blocks[i])
		synctest.Wait()
	}
}

// apply carries a plan out, unless it was interrupted before: then Terraform begins none.
func (b *lived) apply(p interruptible) {
	if p.ctx.Err() != nil {
		b.result.errors = append(b.result.errors, "interrupted")
	}
	if len(b.result.errors) > 0 {
		return
	}
	if b.known = true; !b.absent {
		b.write(false)
	}
	b.block.Apply(p, b.result.change)
	b.tell(b.result, b.block.State)
}

// What has to hold in a life follows. It compares JSON texts, and knows nothing of how the provider
// works.

func pathOf(leaf string) []string { return strings.Split(snake(leaf), ".") }

// checkPlans checks that a plan writes nothing, and begins with what the platform has.
func (l *life) checkPlans() {
	if sent := l.Writes(); len(sent) > 0 {
		l.t.Errorf("a plan sends %q", sent)
	}
	for _, b := range l.blocks {
		prior, doc := b.result.prior, b.document()
		if len(b.result.errors) > 0 {
			l.t.Errorf("the plan of %s has errors: %q", b, b.result.errors)
		}
		if prior.IsNull() {
			continue
		}
		if b.id == mockplatform.PostgresPipeID && !maps.Equal(mappingsIn(prior), mappingsOn(doc)) {
			l.t.Errorf("%s has %v, and the plan begins with %v", b, doc, prior)
		}
		for _, leaf := range b.leaves {
			now, is := shownValue(prior.At(pathOf(leaf)...)), member(doc, leaf)
			if plain(now) != plain(is) {
				l.t.Errorf("%s has %s = %v, and the plan begins with %v", b, leaf, is, now)
			}
		}
	}
}

// check checks what became of a resource, and reports whether it is to be applied again.
func (l *life) check(b *lived) (again bool) {
	r := b.result
	if r.action != "error" && !r.change.Prior.Value.IsNull() || r.action == "create" {
		l.checkBodies(b)
	} else if len(b.bodies) > 0 {
		l.t.Errorf("%s is not applied, and %q is sent", b, b.bodies)
	}
	if r.action == "create" && len(r.errors) > 0 && !b.state.IsNull() || b.block.State.Tainted {
		l.t.Errorf("the adoption of %s failed with %q, and the state has it: %s", b, r.errors, b.state)
	}
	switch {
	case l.resets && strings.Contains(r.String(), "They were left as they are, and the next plan shows those"):
		return true // what the platform resets is told, and sent from the next plan on
	case len(r.errors) == 0:
		l.checkDone(b)
	case l.trouble != "" && l.trouble != "flaky":
		return true
	default:
		l.t.Errorf("errors of %s: %q", b, r.errors)
	}
	return false
}

// checkBodies checks that each PATCH has only what the plan changes, and carries only what the platform
// resets, as it has it.
func (l *life) checkBodies(b *lived) {
	prior, planned := b.result.prior, b.result.planned
	for _, text := range b.bodies {
		for leaf, value := range leaves(fromJSON(l.t, text)) {
			was, will, held := prior.At(pathOf(leaf)...), planned.At(pathOf(leaf)...), member(b.before, leaf)
			changes := !will.IsNull() && will.IsKnown() && (prior.IsNull() || !was.Equal(will)) && plain(value) == plain(shownValue(will))
			carries := l.resets && plain(value) == plain(held)
			if !changes && !carries {
				l.t.Errorf("%s sends %s: %s was %v, and the plan has %v", b, text, leaf, was, will)
			}
		}
	}
}

// checkDone checks that the platform has what the configuration sets.
func (l *life) checkDone(b *lived) {
	doc, r := b.document(), b.result
	if b.absent {
		return
	}
	for leaf, want := range b.config {
		at := pathOf(leaf)
		unchanged := !r.prior.IsNull() && plain(shownValue(r.prior.At(at...))) == plain(want)
		switch now := member(doc, leaf); {
		case leaf == b.ignored, l.moved && unchanged:
		case plain(now) != plain(want):
			l.t.Errorf("%s has %s = %v, want %v", b, leaf, now, want)
		}
	}
}

// checkQuiet checks that the next plan has nothing to do.
func (l *life) checkQuiet() {
	l.ResetJournal()
	p := l.start()
	l.each(func(b *lived) { b.plan(p) })
	l.checkPlans()
	for _, b := range l.blocks {
		if r := b.result; r.action != "none" {
			l.t.Errorf("the next plan is to %s %s: %q, errors %q", r.action, b, r.changed(), r.errors)
		}
	}
}
