package provider

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// settablePipeLeaf is an attribute of a pipe that a PATCH takes, by its names
// in the configuration and in the API document.
type settablePipeLeaf struct {
	attribute, field string
	random           func(r *rand.Rand) any
}

// pipeOfKind is the pipe of the seed that has each kind of source.
var pipeOfKind = map[string]string{
	"kafka":          mockplatform.KafkaPipeID,
	"object_storage": mockplatform.ObjectStoragePipeID,
	"cloud_stream":   mockplatform.CloudStreamPipeID,
	"postgres":       mockplatform.PostgresPipeID,
}

// otherwiseSettable are arguments of a pipe that are no settable leaves, with
// all that is in them.
var otherwiseSettable = map[string]string{
	"organization_id":                "identifies the pipe",
	"service_id":                     "identifies the pipe",
	"pipe_id":                        "identifies the pipe",
	"source.validate_samples":        "is sent along and held nowhere",
	"source.postgres.table_mappings": "is sent otherwise than it is told: randomMappings has them",
	credentialsName:                  "is sent and never told",
}

// randomNumbers are the numbers that take others than any whole number.
var randomNumbers = map[string]func(*rand.Rand) any{
	"source.postgres.port":                               randomPort,
	"settings.engine_parallel_distributed_insert_select": randomFraction,
}

// settablePipeLeaves are the settable leaves of the pipe's schema, by the pipe
// of the seed that has them, and under "" those of every pipe. What is new in
// the schema is in the test of properties by itself.
var settablePipeLeaves = sync.OnceValues(func() (map[string][]settablePipeLeaf, error) {
	all, err := settableLeaves("", pipe.Schema.Attributes)
	leaves := map[string][]settablePipeLeaf{}
	for _, leaf := range all {
		id := ""
		if rest, ok := strings.CutPrefix(leaf.attribute, "source."); ok {
			kind, _, _ := strings.Cut(rest, ".")
			if id = pipeOfKind[kind]; id == "" {
				return nil, fmt.Errorf("pipeOfKind has no pipe with a source.%s", kind)
			}
		}
		leaves[id] = append(leaves[id], leaf)
	}
	return leaves, err
})

// leavesOf are the settable leaves of a pipe of the seed.
func leavesOf(t *testing.T, id string) []settablePipeLeaf {
	t.Helper()
	leaves, err := settablePipeLeaves()
	if err != nil {
		t.Fatal(err)
	}
	return slices.Concat(leaves[""], leaves[id])
}

func settableLeaves(at string, attributes map[string]schema.Attribute) ([]settablePipeLeaf, error) {
	var leaves []settablePipeLeaf
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		path, attribute := at+name, attributes[name]
		if _, otherwise := otherwiseSettable[path]; otherwise {
			continue
		}
		if object, ok := attribute.(schema.SingleNestedAttribute); ok {
			within, err := settableLeaves(path+".", object.Attributes)
			if err != nil {
				return nil, err
			}
			leaves = append(leaves, within...)
			continue
		}
		if attribute.IsOptional() || attribute.IsRequired() {
			random := randomValues(path, attribute)
			if random == nil {
				return nil, fmt.Errorf("%s is settable, and randomValues can't make one", path)
			}
			leaves = append(leaves, settablePipeLeaf{path, fieldOf(path), random})
		}
	}
	return leaves, nil
}

// fieldOf is where the API document has an attribute of a pipe. It is worked
// out from the document's habit and not from the client's tags: with those a
// misspelt one would cancel out.
func fieldOf(attribute string) string {
	if strings.HasPrefix(attribute, "settings.") {
		return attribute // the one object whose members are in snake_case
	}
	first, rest, _ := strings.Cut(attribute, "_")
	for rest != "" {
		var word string
		word, rest, _ = strings.Cut(rest, "_")
		first += strings.ToUpper(word[:1]) + word[1:]
	}
	return first
}

// TestSettablePipeLeaves holds what the test of properties takes from the
// schema against the documents of the seed, which know nothing of the schema.
func TestSettablePipeLeaves(t *testing.T) {
	t.Parallel()
	platform := mockplatform.New(mockplatform.DefaultSeed())
	all := map[string]bool{}
	for kind, id := range pipeOfKind {
		doc, ofKind := platform.Pipe(id), 0
		for _, leaf := range leavesOf(t, id) {
			all[leaf.attribute] = true
			if strings.HasPrefix(leaf.attribute, "source."+kind+".") {
				ofKind++
			}
			if member(doc, leaf.field) == nil {
				t.Errorf("%s is settable, and the %s pipe of the fake's seed has no %s", leaf.attribute, kind, leaf.field)
			}
		}
		if ofKind == 0 {
			t.Errorf("source.%s has no settable leaf", kind)
		}
	}
	for name := range randomNumbers {
		if !all[name] {
			t.Errorf("randomNumbers has %s, which is no settable leaf", name)
		}
	}
	names := map[string]bool{}
	attributePaths("", pipe.Schema.Type().TerraformType(t.Context()), names)
	for name := range otherwiseSettable {
		if !names[name] {
			t.Errorf("otherwiseSettable has %s, which the schema has not", name)
		}
	}
	for _, kind := range sourceKinds {
		if pipeOfKind[kind] == "" {
			t.Errorf("pipeOfKind has no pipe with a source.%s", kind)
		}
	}
}

// randomPipe is one pipe of a property's run: what is configured of it, and
// what the platform shall hold in the end.
type randomPipe struct {
	kind, id string
	config   object
	want     mockplatform.Document
	owned    []string
	// differ are the fields that have to be sent, and mapped reports whether the
	// table mappings have to.
	differ []string
	mapped bool
}

func newRandomPipe(f *fixture, r *rand.Rand, kind string) *randomPipe {
	id := f.clonePipe(kind, func(doc mockplatform.Document) {
		for _, leaf := range leavesOf(f.t, kind) {
			if r.IntN(2) == 0 {
				setMember(doc, leaf.field, leaf.random(r))
			}
		}
		if kind == mockplatform.PostgresPipeID {
			setMember(doc, "source.postgres.tableMappings", randomMappings(r))
		}
	})
	return &randomPipe{kind: kind, id: id}
}

// configure declares other leaves with other values.
func (p *randomPipe) configure(f *fixture, r *rand.Rand) {
	p.config = object{"service_id": mockplatform.ServiceID, "pipe_id": p.id}
	p.want, p.owned, p.differ, p.mapped = f.Pipe(p.id), nil, nil, false
	for _, leaf := range leavesOf(f.t, p.kind) {
		if r.IntN(2) == 0 {
			continue
		}
		value := leaf.random(r)
		if !sameContent(leaf.field, member(p.want, leaf.field), value) {
			p.differ = append(p.differ, leaf.field)
		}
		setMember(p.config, leaf.attribute, inConfiguration(value))
		setMember(p.want, leaf.field, value)
		p.owned = append(p.owned, leaf.field)
	}
	if p.kind == mockplatform.PostgresPipeID && r.IntN(3) > 0 {
		p.configureMappings(r)
	}
}

// configureMappings wants some of the mappings there are, some changed and
// some new, with members omitted here and there: of one that stays any, of a
// new one all but the excluded columns, and of one that has to be added again
// those that are empty on the platform.
func (p *randomPipe) configureMappings(r *rand.Rand) {
	const field = "source.postgres.tableMappings"
	held := map[string]mockplatform.Document{}
	for _, mapping := range member(p.want, field).([]any) {
		held[mappingID(mapping)] = mapping.(mockplatform.Document)
	}
	configured, wanted := []any{}, []any{}
	wants := randomMappings(r)
	for _, id := range slices.Sorted(maps.Keys(held)) {
		if r.IntN(2) == 0 {
			wants = append(wants, maps.Clone(held[id]))
		}
	}
	seen := map[string]bool{}
	for _, mapping := range wants {
		id := mappingID(mapping)
		if seen[id] {
			continue
		}
		seen[id] = true
		said := inConfiguration(mapping).(object)
		want := mapping.(mockplatform.Document)
		now, exists := held[id]
		omitted, stays := []string{}, exists
		for _, name := range []string{"excludedColumns", "useCustomSortingKey", "sortingKeys"} {
			if r.IntN(2) == 0 {
				omitted = append(omitted, name)
			} else {
				stays = stays && sameContent(name, now[name], want[name])
			}
		}
		for _, name := range omitted {
			switch {
			case stays:
				want[name] = now[name]
			case name == "excludedColumns" || exists && !emptyContent(now[name]):
				continue // it has to be declared
			default:
				want[name] = map[string]any{"useCustomSortingKey": false, "sortingKeys": []any{}}[name]
			}
			delete(said, snake(name))
		}
		configured, wanted = append(configured, said), append(wanted, want)
	}
	r.Shuffle(len(configured), func(i, j int) { configured[i], configured[j] = configured[j], configured[i] })
	p.mapped = !sameContent(field, member(p.want, field), wanted)
	setMember(p.config, "source.postgres.table_mappings", configured)
	setMember(p.want, field, wanted)
	p.owned = append(p.owned, field)
}

// emptyContent reports whether the absence of a field says the same.
func emptyContent(value any) bool {
	return value == false || content("", value) == "0" || isEmptyJSON(value)
}

func mappingID(mapping any) string {
	doc := mapping.(mockplatform.Document)
	return fmt.Sprint(doc["sourceSchemaName"], ".", doc["sourceTable"], ">", doc["targetTable"])
}

// sameContent compares the values that two documents have at the end of a
// dotted path: numbers by value, and what has no order whatever its order.
func sameContent(path string, a, b any) bool {
	name := path[strings.LastIndexByte(path, '.')+1:]
	return content(name, a) == content(name, b)
}

func content(name string, value any) string {
	switch value := value.(type) {
	case nil:
		return "-"
	case object:
		var b strings.Builder
		for _, name := range slices.Sorted(maps.Keys(value)) {
			fmt.Fprintf(&b, "%s:%s;", name, content(name, value[name]))
		}
		return "{" + b.String() + "}"
	case []any:
		var all []string
		for _, element := range value {
			all = append(all, content("", element))
		}
		if slices.Contains([]string{"reversePrivateEndpointIds", "tableMappings", "excludedColumns"}, name) {
			slices.Sort(all)
		}
		return "[" + strings.Join(all, ",") + "]"
	case string:
		return fmt.Sprintf("%q", value)
	case bool:
		return fmt.Sprint(value)
	default:
		var number float64
		if _, err := fmt.Sscan(fmt.Sprint(value), &number); err != nil {
			return "?"
		}
		if text := fmt.Sprint(value); number > 1<<53 {
			return text
		}
		return fmt.Sprint(number)
	}
}

func TestPipeProperty(t *testing.T) {
	t.Parallel()
	all := []mockplatform.Operation{mockplatform.GetPipe, mockplatform.UpdatePipe}
	patch := []mockplatform.Operation{mockplatform.UpdatePipe}
	for name, test := range map[string]struct {
		patches mockplatform.Patches
		answers mockplatform.Answers
	}{
		"keeps what a PATCH omits": {},
		"leaves empty members out": {answers: mockplatform.Answers{Sparse: []mockplatform.Sparse{{Path: "**", OnlyEmpty: true}}}},
		"tells empty members as null, in any order, twice, and more": {
			patches: mockplatform.Patches{AddsFirst: true},
			answers: mockplatform.Answers{
				Sparse:  []mockplatform.Sparse{{Path: "**", OnlyEmpty: true, Null: true}},
				Numbers: mockplatform.NumbersAsExponents, ShuffleSets: true, RepeatSetElements: true, UnknownMembers: true,
			},
		},
		"answers a PATCH with nothing": {answers: mockplatform.Answers{Sparse: []mockplatform.Sparse{{Path: "*", Operations: patch}}}},
		"omits members of table mappings": {answers: mockplatform.Answers{Sparse: []mockplatform.Sparse{
			{Path: "source.postgres.tableMappings.excludedColumns", Operations: patch},
			{Path: "source.postgres.tableMappings.sortingKeys", OnlyEmpty: true, Operations: all},
		}}},
		"resets what a PATCH omits": {
			patches: mockplatform.Patches{Resets: mockplatform.Resets{TopLevel: true, Nested: true}},
		},
		"empties what a PATCH omits": {
			patches: mockplatform.Patches{Resets: mockplatform.Resets{TopLevel: true, To: mockplatform.ToEmpty}},
			answers: mockplatform.Answers{Sparse: []mockplatform.Sparse{{Path: "**", OnlyEmpty: true}}, ShuffleSets: true},
		},
		"drops what a PATCH omits": {
			patches: mockplatform.Patches{Resets: mockplatform.Resets{TopLevel: true, Nested: true, To: mockplatform.ToAbsent}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			r := rand.New(rand.NewPCG(testSeed(t), 0))
			f.Configure(func(b *mockplatform.Behaviour) { b.Patches, b.Answers = test.patches, test.answers })
			checkRandomPipes(f, r, test.patches.Resets == mockplatform.Resets{}, len(test.answers.Sparse) == 0)
		})
	}
}

func randomPipes(f *fixture, r *rand.Rand) []*randomPipe {
	var pipes []*randomPipe
	for range 4 {
		for _, kind := range []string{mockplatform.KafkaPipeID, mockplatform.ObjectStoragePipeID, mockplatform.CloudStreamPipeID, mockplatform.PostgresPipeID, mockplatform.PostgresPipeID} {
			pipes = append(pipes, newRandomPipe(f, r, kind))
		}
	}
	return pipes
}

// TestRandomPipesRepeat makes the same pipes of the same seed twice.
func TestRandomPipesRepeat(t *testing.T) {
	f := newFixture(t)
	seed := testSeed(t)
	generated := func() string {
		r := rand.New(rand.NewPCG(seed, 0))
		var all []any
		for _, pipe := range randomPipes(f, r) {
			pipe.configure(f, r)
			for _, doc := range []object{pipe.config, pipe.want} {
				delete(doc, "pipe_id")
				delete(doc, "id")
				all = append(all, doc)
			}
		}
		return toJSON(t, all)
	}
	if first, second := generated(), generated(); first != second {
		t.Errorf("the same seed makes\n%s\nand\n%s", first, second)
	}
}

// checkRandomPipes adopts pipes, and changes their configuration once. keeps
// means that the platform keeps what a PATCH omits, and tells that its responses
// have every field.
func checkRandomPipes(f *fixture, r *rand.Rand, keeps, tells bool) {
	f.t.Helper()
	pipes := randomPipes(f, r)
	w := f.workspace(f.provider())
	for range 2 {
		resources := object{}
		for i, pipe := range pipes {
			pipe.configure(f, r)
			resources[fmt.Sprintf("p%d", i)] = pipe.config
		}
		w.file("pipes.tf.json", toJSON(f.t, object{"resource": object{"dataplatform_pipe": resources}}))
		f.ResetJournal()
		w.apply()
		for _, pipe := range pipes {
			pipe.checkReached(f, keeps, tells)
		}
		f.ResetJournal()
		w.wantEmptyPlan()
		f.wantWrites()
	}
}

func (p *randomPipe) checkReached(f *fixture, keeps, tells bool) {
	f.t.Helper()
	defer func() {
		if f.t.Failed() {
			f.t.Logf("pipe %s, configured as\n%s\nwas sent\n%s", p.id, toJSON(f.t, p.config), strings.Join(f.patches(p.id), "\n"))
		}
	}()
	got := f.Pipe(p.id)
	for _, field := range p.owned {
		if wanted, now := member(p.want, field), member(got, field); !sameContent(field, wanted, now) && (!emptyContent(wanted) || now != nil) {
			f.t.Errorf("%s of %s is %v, want %v", field, p.id, now, wanted)
		}
	}
	if !keeps {
		return
	}
	for _, name := range []string{"updatedAt"} {
		delete(got, name)
		delete(p.want, name)
	}
	if !sameContent("", got, p.want) {
		f.t.Errorf("pipe %s is\n%s\nwant\n%s", p.id, content("", got), content("", p.want))
	}
	p.checkSent(f, tells)
}

// checkSent compares what was sent with what differed. A value that is empty, or
// has empty members, may be sent to a platform that doesn't tell whether it
// holds it.
func (p *randomPipe) checkSent(f *fixture, tells bool) {
	f.t.Helper()
	if bodies := f.patches(p.id); tells && len(p.differ) == 0 && !p.mapped && len(bodies) > 0 {
		f.t.Errorf("nothing of %s differed, and it was sent %s", p.id, bodies)
	}
	sent := map[string]bool{}
	for _, body := range f.patches(p.id) {
		value := fromJSON(f.t, body)
		for _, leaf := range leavesOf(f.t, p.kind) {
			if now := member(value, leaf.field); now != nil {
				sent[leaf.field] = true
			}
		}
	}
	for _, field := range p.differ {
		if !sent[field] {
			f.t.Errorf("%s of %s was not sent", field, p.id)
		}
		delete(sent, field)
	}
	for field := range sent {
		if wanted := member(p.want, field); tells || !isEmptyJSON(wanted) && !strings.Contains(toJSON(f.t, wanted), `""`) {
			f.t.Errorf("%s of %s was sent, and didn't differ", field, p.id)
		}
	}
}

func isEmptyJSON(value any) bool {
	switch value := value.(type) {
	case string:
		return value == ""
	case []any:
		return len(value) == 0
	default:
		return value == nil
	}
}
