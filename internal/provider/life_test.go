package provider

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
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
	lean                        bool   // responses omit what is empty
	blind                       string // a member that no response has

	// What happens in a step.
	trouble string
	hidden  string // a member that the next read omits
	moved   bool   // something changed between the plan and the apply
	gone    string // the ID of an object that does not exist, until another step
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
	unread         []string // leaves that an apply sent where there was none
}

const tableMappings, kafkaCredentials = "source.postgres.tableMappings", "sourceCredentials.kafka"

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
	kafkaCredentials: {
		object{"username": "u", "password_wo": "p", "password_wo_version": 1}, object{"username": "v", "password_wo": "p", "password_wo_version": 1},
		object{"username": "u", "password_wo": "q", "password_wo_version": 2},
	},
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
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) { play(t, seed) })
	}
}

// TestLivesRepeat plays lives twice: they come to the same end in the same way, interrupts
// and outages included.
func TestLivesRepeat(t *testing.T) {
	t.Parallel()
	for _, seed := range []uint64{17, 89} {
		if one, other := play(t, seed), play(t, seed); one != other {
			t.Errorf("seed %d (-once +again):\n%s", seed, cmp.Diff(one, other))
		}
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
	add(f.pipe(mockplatform.KafkaPipeID, ""), "source.kafka.iamRole", "source.kafka.reversePrivateEndpointIds", kafkaCredentials, "name", "settings.engine_max_threads")
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
	if l.one(8) {
		l.blind = l.choose("name", "numReplicas", "idleTimeoutMinutes", "settings.engine_max_threads", tableMappings+".excludedColumns", tableMappings+".sortingKeys", tableMappings+".useCustomSortingKey")
	}
	l.Configure(func(b *mockplatform.Behaviour) {
		b.Latency = time.Duration(l.IntN(3)) * time.Millisecond
		p, r := &b.Patches, &b.Responses
		p.AddsFirst, p.OneTargetPerTable, p.OneTablePerTarget, p.MovesState, p.MovesReplicaMemory = l.one(2), l.oneTarget, l.oneTable, l.one(2), l.one(2)
		if l.resets {
			to := []mockplatform.ResetTo{mockplatform.ToEmpty, mockplatform.ToInitial, mockplatform.ToAbsent}
			p.Resets = mockplatform.Resets{Nested: true, TopLevel: l.one(2), To: to[l.IntN(3)]}
		}
		// An object that is omitted because it is empty says nothing of its members.
		if lean := leanPlatforms[l.IntN(len(leanPlatforms))]; !l.resets || p.Resets.To == mockplatform.ToInitial {
			r.Sparse, l.lean = slices.Clone(lean), lean != nil
		}
		if l.blind != "" {
			r.Sparse = append(r.Sparse, mockplatform.Sparse{Path: l.blind})
		}
		if l.one(5) && !l.resets && l.blind == "" {
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
		return l.postgres()
	}
	return l.blocks[l.IntN(len(l.blocks))]
}

func (l *life) postgres() *lived {
	return l.blocks[slices.IndexFunc(l.blocks, func(b *lived) bool { return b.id == mockplatform.PostgresPipeID })]
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
	switch leaf {
	case kafkaCredentials:
		return
	case tableMappings:
		value = l.remapped(b)
	default:
		value = lifeValues[leaf][l.IntN(len(lifeValues[leaf]))]
	}
	update(b.id, func(doc mockplatform.Document) { setMember(doc, leaf, value) })
	l.note("console: %s has %s = %+q", b, leaf, fmt.Sprint(value))
}

// console changes something, or removes an object.
func (l *life) console() {
	for range 1 + l.IntN(3) {
		b := l.any()
		l.set(b, b.leaves[l.IntN(len(b.leaves))])
	}
	if b := l.any(); l.gone == "" && l.one(10) && b.id != mockplatform.ServiceID { // which has the pipes
		l.gone = b.id
		l.RemovePipe(b.id)
		l.RemoveService(b.id)
		l.note("console: %s is gone", b)
	}
}

// configure changes the configuration of a resource.
func (l *life) configure(b *lived) {
	leaf := b.leaves[l.IntN(len(b.leaves))]
	switch now := member(b.document(), leaf); {
	case leaf == tableMappings:
		l.configureMappings(b)
	case l.one(4):
		delete(b.config, leaf)
	case now != nil && l.one(3) && slices.ContainsFunc(lifeValues[leaf], func(value any) bool { return plain(value) == plain(now) }):
		b.config[leaf] = now
	default:
		b.config[leaf] = lifeValues[leaf][l.IntN(len(lifeValues[leaf]))]
	}
	set := slices.Sorted(maps.Keys(b.config))
	b.absent, b.ignored, b.later = l.one(12), "", ""
	if i := slices.Index(set, kafkaCredentials); i >= 0 {
		set = slices.Delete(set, i, i+1)
	}
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

// noteUnread records what an apply has sent that no read has returned.
func (b *lived) noteUnread() {
	b.unread = slices.DeleteFunc(b.unread, func(leaf string) bool { return member(b.before, leaf) != nil })
	for _, text := range b.bodies {
		for leaf := range leaves(fromJSON(b.t, text)) {
			if member(b.before, leaf) == nil {
				b.unread = append(b.unread, leaf)
			}
		}
	}
}

// step lets things happen, and applies.
func (l *life) step() {
	for range 1 + l.IntN(4) {
		l.configure(l.any())
	}
	if l.gone != "" && l.one(2) {
		l.RestorePipe(l.gone)
		l.RestoreService(l.gone)
		l.note("console: %s is back", l.gone)
		l.gone = ""
	}
	if l.one(3) {
		l.console()
	}
	if l.one(6) {
		b := l.any()
		if l.hidden = b.leaves[0]; l.hidden != l.blind {
			l.note("the next read omits %s of %s", l.hidden, b)
			l.Configure(func(behaviour *mockplatform.Behaviour) {
				behaviour.Responses.Sparse = append(behaviour.Responses.Sparse, mockplatform.Sparse{Path: l.hidden, Times: 1, Operations: []mockplatform.Operation{mockplatform.GetPipe, mockplatform.ListServices}})
			})
		}
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
	p := l.process(false)
	for _, b := range l.blocks {
		b.refreshWith(p)
	}
}

// process is the provider's process of the next command.
func (l *life) process(isDown bool) server {
	if isDown {
		return l.start(map[string]any{"retry_timeout": "200ms"})
	}
	return l.start()
}

// plan plans all resources.
func (l *life) plan(p server) {
	var things []func()
	for _, b := range l.blocks {
		things = append(things, func() { b.plan(p) })
	}
	l.all(things)
}

func (b *lived) plan(p server) {
	var c *terraformtest.Change
	b.write(true)
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
	early := l.one(4)
	if early {
		l.begin()
	}
	l.plan(l.process(early && l.trouble == "outage"))
	l.checkPlans(early && l.trouble != "")
	if l.moved = l.one(4); l.moved {
		l.console()
	}
	if !early {
		l.begin()
	}
	for _, b := range l.blocks {
		b.before = b.document()
	}
	l.apply()
	for _, b := range l.blocks {
		b.bodies = l.patches(b.id)
		b.noteUnread()
		l.note("%s: %s %+q, errors %+q, warnings %d", b, b.result.action, b.bodies, b.result.errors, len(b.result.warnings))
	}
	again := l.hidden != "" // what changed from an empty value is seen by the next read alone
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
