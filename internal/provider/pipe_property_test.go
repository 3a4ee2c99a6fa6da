package provider

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// settablePipeLeaf is an attribute of a pipe that a PATCH takes, by its names
// in the configuration and in the API document.
type settablePipeLeaf struct {
	attribute, field string
	random           func(r *rand.Rand) any
}

// settablePipeLeaves are all but the table mappings, which the API takes
// otherwise than it tells them.
var settablePipeLeaves = map[string][]settablePipeLeaf{
	"": {
		{"name", "name", randomText},
		{"destination.columns", "destination.columns", randomList("name", "type")},
		{"field_mappings", "fieldMappings", randomList("sourceField", "destinationField")},
		{"settings.streaming_max_insert_wait_ms", "settings.streaming_max_insert_wait_ms", randomInteger},
		{"settings.object_storage_concurrency", "settings.object_storage_concurrency", randomInteger},
		{"settings.object_storage_polling_interval_ms", "settings.object_storage_polling_interval_ms", randomInteger},
		{"settings.object_storage_max_insert_bytes", "settings.object_storage_max_insert_bytes", randomInteger},
		{"settings.object_storage_max_file_count", "settings.object_storage_max_file_count", randomInteger},
		{"settings.engine_max_threads", "settings.engine_max_threads", randomInteger},
		{"settings.engine_max_insert_threads", "settings.engine_max_insert_threads", randomInteger},
		{"settings.engine_min_insert_block_size_bytes", "settings.engine_min_insert_block_size_bytes", randomInteger},
		{"settings.engine_max_download_threads", "settings.engine_max_download_threads", randomInteger},
		{"settings.engine_parallel_distributed_insert_select", "settings.engine_parallel_distributed_insert_select", randomFraction},
		{"settings.object_storage_use_cluster_function", "settings.object_storage_use_cluster_function", randomBool},
		{"settings.engine_parallel_view_processing", "settings.engine_parallel_view_processing", randomBool},
	},
	mockplatform.KafkaPipeID: {
		{"source.kafka.iam_role", "source.kafka.iamRole", randomText},
		{"source.kafka.ca_certificate", "source.kafka.caCertificate", randomText},
		{"source.kafka.reverse_private_endpoint_ids", "source.kafka.reversePrivateEndpointIds", randomTexts},
	},
	mockplatform.ObjectStoragePipeID: {
		{"source.object_storage.iam_role", "source.objectStorage.iamRole", randomText},
		{"source.object_storage.path", "source.objectStorage.path", randomText},
		{"source.object_storage.azure_container_name", "source.objectStorage.azureContainerName", randomText},
	},
	mockplatform.CloudStreamPipeID: {
		{"source.cloud_stream.iam_role", "source.cloudStream.iamRole", randomText},
	},
	mockplatform.PostgresPipeID: {
		{"source.postgres.host", "source.postgres.host", randomText},
		{"source.postgres.port", "source.postgres.port", randomPort},
		{"source.postgres.database", "source.postgres.database", randomText},
		{"source.postgres.settings.sync_interval_seconds", "source.postgres.settings.syncIntervalSeconds", randomPort},
		{"source.postgres.settings.pull_batch_size", "source.postgres.settings.pullBatchSize", randomPort},
	},
}

func randomText(r *rand.Rand) any {
	return []any{"", "a", "b", "läng\"er\n", "c ${\"$\"}{d}"}[r.IntN(4)]
}

func randomInteger(r *rand.Rand) any {
	return []any{0, 1, 8, int64(9007199254740993)}[r.IntN(4)]
}

func randomFraction(r *rand.Rand) any { return []any{0, 0.1, 2, 2.5, 1e-7}[r.IntN(5)] }

func randomPort(r *rand.Rand) any { return 1 + r.IntN(3) }

func randomBool(r *rand.Rand) any { return r.IntN(2) == 0 }

// randomTexts is a set of texts.
func randomTexts(r *rand.Rand) any {
	texts := []any{}
	for _, text := range []string{"x", "y", "z"} {
		if r.IntN(2) == 0 {
			texts = append(texts, text)
		}
	}
	return texts
}

func randomList(first, second string) func(*rand.Rand) any {
	return func(r *rand.Rand) any {
		list := []any{}
		for range r.IntN(3) {
			list = append(list, mockplatform.Document{first: randomText(r), second: randomText(r)})
		}
		return list
	}
}

// randomMappings are table mappings in which one source table may have several
// targets.
func randomMappings(r *rand.Rand) []any {
	mappings := []any{}
	for _, schema := range []string{"public", "sales"} {
		for _, table := range []string{"a", "b"} {
			for _, target := range []string{"t", "u"} {
				if r.IntN(3) == 0 {
					mappings = append(mappings, mockplatform.Document{
						"sourceSchemaName": schema, "sourceTable": table, "targetTable": target,
						"excludedColumns": randomTexts(r), "useCustomSortingKey": randomBool(r), "sortingKeys": randomTexts(r),
					})
				}
			}
		}
	}
	return mappings
}

var mappingAttributes = map[string]string{
	"sourceSchemaName": "source_schema_name", "sourceTable": "source_table", "targetTable": "target_table",
	"excludedColumns": "excluded_columns", "useCustomSortingKey": "use_custom_sorting_key", "sortingKeys": "sorting_keys",
	"sourceField": "source_field", "destinationField": "destination_field",
}

// inConfiguration is a list of the API's objects as a configuration has it.
func inConfiguration(value any) any {
	switch value := value.(type) {
	case []any:
		list := []any{}
		for _, element := range value {
			list = append(list, inConfiguration(element))
		}
		return list
	case mockplatform.Document:
		out := object{}
		for name, member := range value {
			if attribute, ok := mappingAttributes[name]; ok {
				name = attribute
			}
			out[name] = member
		}
		return out
	default:
		return value
	}
}

// randomPipe is one pipe of a property's run: what is configured of it, and
// what the platform shall hold in the end.
type randomPipe struct {
	kind, id string
	config   object
	want     mockplatform.Document
	owned    []string
	// differ are the fields that have to be sent.
	differ []string
}

func newRandomPipe(f *fixture, r *rand.Rand, kind string) *randomPipe {
	id := f.clonePipe(kind, func(doc mockplatform.Document) {
		for _, leaf := range slices.Concat(settablePipeLeaves[""], settablePipeLeaves[kind]) {
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
	p.want, p.owned, p.differ = f.Pipe(p.id), nil, nil
	for _, leaf := range slices.Concat(settablePipeLeaves[""], settablePipeLeaves[p.kind]) {
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
// some new, with members left out here and there.
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
		for name, empty := range map[string]any{"excludedColumns": []any{}, "useCustomSortingKey": false, "sortingKeys": []any{}} {
			if r.IntN(2) == 0 {
				continue
			}
			delete(said, mappingAttributes[name])
			want[name] = empty
			if now, ok := held[id]; ok {
				want[name] = now[name]
			}
		}
		configured, wanted = append(configured, said), append(wanted, want)
	}
	r.Shuffle(len(configured), func(i, j int) { configured[i], configured[j] = configured[j], configured[i] })
	setMember(p.config, "source.postgres.table_mappings", configured)
	setMember(p.want, field, wanted)
	p.owned = append(p.owned, field)
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
		"leaves out members of table mappings": {answers: mockplatform.Answers{Sparse: []mockplatform.Sparse{
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
			seed := uint64(time.Now().UnixNano())
			if given := os.Getenv("PIPE_SEED"); given != "" {
				_, _ = fmt.Sscan(given, &seed)
			}
			t.Logf("seed %d", seed)
			r := rand.New(rand.NewPCG(seed, 0))
			f.Configure(func(b *mockplatform.Behaviour) { b.Patches, b.Answers = test.patches, test.answers })
			checkRandomPipes(f, r, test.patches.Resets == mockplatform.Resets{})
		})
	}
}

// checkRandomPipes adopts pipes, and changes their configuration once.
func checkRandomPipes(f *fixture, r *rand.Rand, keeps bool) {
	f.t.Helper()
	var pipes []*randomPipe
	for range 4 {
		for _, kind := range []string{mockplatform.KafkaPipeID, mockplatform.ObjectStoragePipeID, mockplatform.CloudStreamPipeID, mockplatform.PostgresPipeID, mockplatform.PostgresPipeID} {
			pipes = append(pipes, newRandomPipe(f, r, kind))
		}
	}
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
			pipe.checkReached(f, keeps)
		}
		f.ResetJournal()
		w.wantEmptyPlan()
		f.wantWrites()
	}
}

func (p *randomPipe) checkReached(f *fixture, keeps bool) {
	f.t.Helper()
	defer func() {
		if f.t.Failed() {
			f.t.Logf("pipe %s, configured as\n%s\nwas sent\n%s", p.id, toJSON(f.t, p.config), strings.Join(f.patches(p.id), "\n"))
		}
	}()
	got := f.Pipe(p.id)
	for _, field := range p.owned {
		if wanted, now := member(p.want, field), member(got, field); !sameContent(field, wanted, now) && (!isEmptyJSON(wanted) || now != nil) {
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
	p.checkSent(f)
}

// checkSent compares what was sent with what differed. A value that is empty, or
// has empty members, may be sent to a platform that doesn't tell whether it
// holds it.
func (p *randomPipe) checkSent(f *fixture) {
	f.t.Helper()
	sent := map[string]bool{}
	for _, body := range f.patches(p.id) {
		value := fromJSON(f.t, body)
		for _, leaf := range slices.Concat(settablePipeLeaves[""], settablePipeLeaves[p.kind]) {
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
		if wanted := member(p.want, field); !isEmptyJSON(wanted) && !strings.Contains(toJSON(f.t, wanted), `""`) {
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
