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

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
)

// A life is a random sequence of what users, the console, faults and platforms do to an
// organization: its pipes and services, with a resource each. As in
// Terraform, one provider plans all of them, and another one applies them, one after the
// other in some order. life_rules_test.go has what has to hold whatever happens.
type life struct {
	*fixture
	*rand.Rand
	order *rand.Rand // of what happens in turn
	// together reports that the objects are planned and applied at the same time.
	together bool
	story    []string
	blocks   []*lived

	resets, oneTarget, oneTable bool
	lean                        bool // responses omit what is empty

	// What happens in a step.
	trouble string
	moved   bool // something changed between the plan and the apply
	ctx     context.Context
	cancel  context.CancelFunc
}

// lived is a resource of a life, and its part of the configuration.
type lived struct {
	*managed
	leaves         []string // that the configuration may set, by their paths in the document
	config         map[string]any
	ignored, later string // leaves under ignore_changes, and known only after apply
	absent         bool   // there is no resource block
	importing      bool   // there is an import block
	result         *result
	before         object   // the object before the apply
	bodies         []string // the PATCHes of the apply
}

// lifeValues are the values of the leaves that a life configures, but for table mappings.
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

// TestOrganizationLife plays fixed lives in memory: nothing but the seed decides what happens. Two of them,
// with interrupts and outages, are played again, and come to the same end in the same way.
func TestOrganizationLife(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			story := play(t, seed)
			if again := []uint64{17, 37}; slices.Contains(again, seed) {
				if diff := cmp.Diff(story, play(t, seed)); diff != "" {
					t.Errorf("the life does not repeat (-once +again):\n%s", diff)
				}
			}
		})
	}
}

// play returns the story of a life.
func play(t *testing.T, seed uint64) (story string) {
	t.Helper()
	inBubble(func(_ *testing.T, f *fixture) { story = newLife(f, seed).live() })(t)
	return story
}

// TestSoak searches lives. Those of odd seeds are played over sockets, on the real clock, and
// their objects at the same time: what they find need not repeat.
func TestSoak(t *testing.T) {
	terraformtest.Soak(t, 2, func(t *testing.T, seed uint64) {
		if seed%2 == 0 {
			play(t, seed)
			return
		}
		f := startFixture(t, mockplatform.DefaultSeed())
		l := newLife(f, seed)
		l.together, f.random = true, nil
		l.live()
	})
}

func (l *life) live() (story string) {
	for range 4 + l.IntN(5) {
		l.step()
		story = strings.Join(l.story, "\n")
		if l.t.Failed() {
			l.t.Log(story)
			break
		}
	}
	return story
}

func newLife(f *fixture, seed uint64) *life {
	l := &life{fixture: f, Rand: rand.New(rand.NewPCG(seed, 7)), order: rand.New(rand.NewPCG(seed, 8))}
	f.random = l.order.Float64
	l.behave()
	add := func(b *managed, leaves ...string) {
		l.blocks = append(l.blocks, &lived{managed: b, leaves: leaves, config: map[string]any{}})
	}
	add(f.pipe(mockplatform.KafkaPipeID, ""), "source.kafka.iamRole", "source.kafka.reversePrivateEndpointIds", "name", "settings.engine_max_threads")
	add(f.pipe(mockplatform.ObjectStoragePipeID, ""), "name", "source.objectStorage.path", "destination.columns", "settings.engine_parallel_view_processing")
	add(f.pipe(mockplatform.PostgresPipeID, ""), "name", "source.postgres.host", "source.postgres.settings.syncIntervalSeconds", tableMappings, tableMappings, tableMappings, tableMappings)
	for _, id := range ourServices {
		add(f.scaling(id, ""), "numReplicas", "idleScaling", "idleTimeoutMinutes", "minTotalMemoryGb", "maxTotalMemoryGb")
	}
	for _, b := range l.blocks {
		for _, leaf := range b.leaves {
			l.set(b, leaf)
		}
	}
	return l
}

// behave chooses how the platform behaves.
func (l *life) behave() {
	l.oneTarget, l.oneTable, l.resets = l.one(3), l.one(3), l.one(4)
	l.Configure(func(b *mockplatform.Behaviour) {
		b.Latency = time.Duration(l.IntN(3)) * time.Millisecond
		p, r := &b.Patches, &b.Responses
		p.AddsFirst, p.OneTargetPerTable, p.OneTablePerTarget, p.MovesState, p.MovesReplicaMemory = l.one(2), l.oneTarget, l.oneTable, l.one(2), l.one(2)
		if l.resets {
			p.Resets = mockplatform.Resets{Nested: true, TopLevel: l.one(2), To: mockplatform.ResetTo(l.choose(string(mockplatform.ToEmpty), string(mockplatform.ToInitial)))}
		}
		// What is reset and then omitted could not be told from what is kept and not returned.
		if lean := leanPlatforms[l.IntN(len(leanPlatforms))]; !l.resets {
			r.Sparse, l.lean = slices.Clone(lean), lean != nil
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

// any is a resource, and the one with table mappings more often than others.
func (l *life) any() *lived {
	if l.one(3) {
		return l.blocks[slices.IndexFunc(l.blocks, func(b *lived) bool { return b.id == mockplatform.PostgresPipeID })]
	}
	return l.blocks[l.IntN(len(l.blocks))]
}

func (b *lived) String() string { return b.name + " " + b.id[len(b.id)-2:] }

func (b *lived) isPipe() bool { return b.name == "dataplatform_pipe" }

// document is the object on the platform, nil if there is none.
func (b *lived) document() object {
	if b.isPipe() {
		return b.Pipe(b.id)
	}
	return b.Service(b.id)
}

func (b *lived) importID() string {
	if b.isPipe() {
		return mockplatform.ServiceID + "/" + b.id
	}
	return b.id
}

// set sets a leaf in the console.
func (l *life) set(b *lived, leaf string) {
	update := l.UpdateService
	if b.isPipe() {
		update = l.UpdatePipe
	}
	var value any
	if leaf == tableMappings {
		value = l.changed(mappingsOn(b.document())).documents()
	} else {
		value = lifeValues[leaf][l.IntN(len(lifeValues[leaf]))]
	}
	update(b.id, func(doc mockplatform.Document) { setMember(doc, leaf, value) })
	l.note("console: %s has %s = %+q", b, leaf, fmt.Sprint(value))
}

// changed is a set of mappings with one less, one of which a member or a name is another, or one more.
func (l *life) changed(set mappingSet) mappingSet {
	columns := []string{"", "x", "x,y"}
	name := l.choose("a", "b", "c") + ">" + l.choose("t", "u", "v")
	is := mapping{l.choose(columns...), l.choose(columns...)}
	what := l.IntN(5)
	if len(set) == 0 || what == 4 {
		return l.beside(set, name, is)
	}
	old := l.choose(slices.Sorted(maps.Keys(set))...)
	switch what {
	case 0:
		return set.without(old)
	case 1:
		return l.beside(set.without(old), name, set[old])
	case 2:
		return set.with(old, mapping{is.excludes, set[old].sortedBy})
	default:
		return set.with(old, is)
	}
}

// beside puts a mapping in the place of those that the platform does not allow beside it.
func (l *life) beside(set mappingSet, name string, is mapping) mappingSet {
	table, target, _ := strings.Cut(name, ">")
	all := mappingSet{name: is}
	for other, was := range set {
		source, to, _ := strings.Cut(other, ">")
		if isRefused := l.oneTarget && source == table || l.oneTable && to == target; other != name && !isRefused {
			all[other] = was
		}
	}
	return all
}

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
	switch now := member(b.document(), leaf); {
	case l.one(4):
		delete(b.config, leaf)
	case leaf == tableMappings && l.one(3):
		b.config[leaf] = mappingsOn(b.document())
	case leaf == tableMappings:
		set, _ := b.config[leaf].(mappingSet)
		b.config[leaf] = l.changed(set)
	case now != nil && l.one(3) && slices.ContainsFunc(lifeValues[leaf], func(value any) bool { return plain(value) == plain(now) }):
		b.config[leaf] = now
	default:
		b.config[leaf] = lifeValues[leaf][l.IntN(len(lifeValues[leaf]))]
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
		if set, ok := value.(mappingSet); ok {
			value = set.arguments()
		}
		if path == b.later {
			text := []byte(toJSON(l.t, value))
			typ, _ := ctyjson.ImpliedType(text)
			known, err := ctyjson.Unmarshal(text, typ)
			if err != nil {
				l.t.Fatal(err)
			}
			b.learn(known)
			value = "LATER"
		}
		setMember(nested, snake(path), value)
	}
	b.arguments = ""
	for _, name := range slices.Sorted(maps.Keys(nested)) {
		b.arguments += name + " = " + strings.ReplaceAll(toJSON(l.t, nested[name]), `"LATER"`, "later") + "\n"
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
		c = b.block.PlanImport(p, b.importID())
	default:
		c = b.block.Plan(compared{p, b.t})
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
