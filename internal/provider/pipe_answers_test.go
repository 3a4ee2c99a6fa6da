package provider

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// ownedKafka declares something of every member of a PATCH. The arguments
// replace those of the same name.
func ownedKafka(changed map[string]string) string {
	declared := map[string]string{
		"name":           `"mine"`,
		"source":         `{ kafka = { iam_role = "role:mine", reverse_private_endpoint_ids = ["rpe-mine"] } }`,
		"destination":    `{ columns = [{ name = "mine", type = "String" }] }`,
		"field_mappings": `[{ source_field = "mine", destination_field = "mine" }]`,
		"settings":       `{ engine_max_insert_threads = 7, object_storage_use_cluster_function = false }`,
	}
	maps.Copy(declared, changed)
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(declared)) {
		fmt.Fprintf(&b, "  %s = %s\n", name, declared[name])
	}
	return b.String()
}

// mine sets what ownedKafka declares.
func mine(doc mockplatform.Document) {
	setMember(doc, "name", "mine")
	setMember(doc, "source.kafka.iamRole", "role:mine")
	setMember(doc, "source.kafka.reversePrivateEndpointIds", []any{"rpe-mine"})
	setMember(doc, "destination.columns", []any{mockplatform.Document{"name": "mine", "type": "String"}})
	setMember(doc, "fieldMappings", []any{mockplatform.Document{"sourceField": "mine", "destinationField": "mine"}})
	setMember(doc, "settings.engine_max_insert_threads", 7)
	setMember(doc, "settings.object_storage_use_cluster_function", false)
}

// TestPipeReset changes one thing at a time on a platform that resets what a
// PATCH omits: what is owned comes back with a second PATCH of all of it, and
// of what isn't a warning tells.
func TestPipeReset(t *testing.T) {
	changes := []struct {
		member, config, first string
		merge                 object // into the second PATCH
	}{
		{"name", `"other"`, `{"name": "other"}`, object{"name": "other"}},
		{"source", `{ kafka = { iam_role = "role:other", reverse_private_endpoint_ids = ["rpe-mine"] } }`,
			`{"source": {"kafka": {"iamRole": "role:other"}}}`, object{"source.kafka.iamRole": "role:other"}},
		{"destination", `{ columns = [] }`, `{"destination": {"columns": []}}`, object{"destination.columns": []any{}}},
		{"field_mappings", `[]`, `{"fieldMappings": []}`, object{"fieldMappings": []any{}}},
		{"settings", `{ engine_max_insert_threads = 9, object_storage_use_cluster_function = false }`,
			`{"settings": {"engine_max_insert_threads": 9}}`, object{"settings.engine_max_insert_threads": 9}},
	}
	const all = `{
  "name": "mine",
  "source": {"kafka": {"iamRole": "role:mine", "reversePrivateEndpointIds": ["rpe-mine"]}},
  "destination": {"columns": [{"name": "mine", "type": "String"}]},
  "fieldMappings": [{"sourceField": "mine", "destinationField": "mine"}],
  "settings": {"engine_max_insert_threads": 7, "object_storage_use_cluster_function": false}
}`
	for name, test := range map[string]struct {
		to  mockplatform.ResetTo
		now string // of the timeout that nobody owns: 5000 before
	}{
		"to defaults":    {mockplatform.ToInitial, "8"},
		"to nothing":     {mockplatform.ToEmpty, "0"},
		"to be not told": {mockplatform.ToAbsent, "not set"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			w := f.workspace(f.provider())
			var ids []string
			var config strings.Builder
			for i, change := range changes {
				id := f.clonePipe(mockplatform.KafkaPipeID, mine, func(doc mockplatform.Document) {
					setMember(doc, "settings.engine_max_threads", 32)
				})
				ids = append(ids, id)
				config.WriteString(onePipe(fmt.Sprintf("p%d", i), id, ownedKafka(map[string]string{change.member: change.config})))
			}
			w.file("main.tf", f.provider()+config.String())
			f.Configure(func(b *mockplatform.Behaviour) {
				b.Patches.Resets = mockplatform.Resets{TopLevel: true, Nested: true, To: test.to}
			})
			out := w.apply()
			for i, change := range changes {
				second := fromJSON(t, all).(object)
				for path, value := range change.merge {
					setMember(second, path, value)
				}
				f.wantPatches(ids[i], change.first, toJSON(t, second))
				wantText(t, out, "("+ids[i]+") also changed unmanaged values")
			}
			wantText(t, out, "- settings.engine_max_threads: was 32, is now "+test.now, "- source.kafka.ca_certificate: was \"-----BEGIN")
			for _, moved := range strings.Split(out, "Warning: ") {
				for _, owned := range []string{"- name:", "- field_mappings:", "engine_max_insert_threads:", "- updated_at:"} {
					if strings.HasPrefix(moved, "Updating pipe") && strings.Contains(moved, owned) {
						t.Errorf("%q in %s", owned, moved)
					}
				}
			}
			f.ResetJournal()
			w.wantEmptyPlan()
			f.wantWrites()
		})
	}
}

// TestPipeDropped declares what a platform has dropped with an update, with the
// value that it had before: it is sent.
func TestPipeDropped(t *testing.T) {
	f := newFixture(t)
	w := f.workspace(f.provider() + onePipe("this", mockplatform.KafkaPipeID, ``))
	w.apply()
	f.Configure(func(b *mockplatform.Behaviour) {
		b.Patches.Resets = mockplatform.Resets{TopLevel: true, To: mockplatform.ToAbsent}
	})
	w.file("main.tf", f.provider()+onePipe("this", mockplatform.KafkaPipeID, `field_mappings = []`))
	f.ResetJournal()
	wantText(t, w.apply(), `- name: was "orders", is now not set`, "- settings.engine_max_threads: was 8, is now not set")
	f.wantWrites(`{"fieldMappings": []}`)
	w.file("main.tf", f.provider()+onePipe("this", mockplatform.KafkaPipeID, "field_mappings = []\n  name = \"orders\""))
	w.apply()
	f.wantWrites(`{"name": "orders"}`)
	w.wantEmptyPlan()
}

// TestPipeResetWithMappings maps a table anew on a platform that resets what a
// PATCH omits: the second PATCH resets what the first one sent.
func TestPipeResetWithMappings(t *testing.T) {
	f := newFixture(t)
	f.Configure(func(b *mockplatform.Behaviour) {
		b.Patches.Resets = mockplatform.Resets{TopLevel: true, Nested: true, To: mockplatform.ToEmpty}
	})
	w := f.workspace(f.provider() + onePipe("this", mockplatform.PostgresPipeID, "name = \"n\"\n"+remapped))
	w.apply()
	f.wantWrites(
		strings.Replace(firstRemap, `{"source"`, `{"name": "n", "source"`, 1),
		secondRemap,
		`{"name": "n", "source": {"postgres": {"host": "other", `+credentialsBody+`}}}`,
	)
	w.wantEmptyPlan()
}

// TestPipeSparseAnswers renames pipes on platforms that leave fields out of
// their answers. The state has what the platform holds all the same.
func TestPipeSparseAnswers(t *testing.T) {
	get, patch := []mockplatform.Operation{mockplatform.GetPipe}, []mockplatform.Operation{mockplatform.UpdatePipe}
	whole := []mockplatform.Sparse{{Path: "*", Operations: patch}}
	for name, test := range map[string]struct {
		sparse  []mockplatform.Sparse
		gets    int  // from plan to state
		unknown bool // the state can't have all of it
	}{
		"a PATCH answers nothing":        {sparse: whole, gets: 4},
		"a PATCH answers nulls":          {sparse: []mockplatform.Sparse{{Path: "**", Operations: patch, Null: true}}, gets: 4},
		"a PATCH answers nothing, once":  {sparse: []mockplatform.Sparse{{Path: "*", Operations: patch, Times: 1}}, gets: 4},
		"a PATCH omits the name":         {sparse: []mockplatform.Sparse{{Path: "name", Operations: patch}}, gets: 4},
		"a GET omits the name":           {sparse: []mockplatform.Sparse{{Path: "name", Operations: get}}, gets: 3},
		"the first GET omits the source": {sparse: []mockplatform.Sparse{{Path: "source", Operations: get, Times: 1}}, gets: 3},
		"nothing tells the name":         {sparse: []mockplatform.Sparse{{Path: "name"}}, gets: 3, unknown: true},
		"nothing tells anything":         {sparse: []mockplatform.Sparse{{Path: "*"}}, gets: 3, unknown: true},
		// The mappings of fields were told before, and may only be missing.
		"empty members are omitted": {sparse: []mockplatform.Sparse{{Path: "**", OnlyEmpty: true}}, gets: 4, unknown: true},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.Configure(func(b *mockplatform.Behaviour) { b.Answers.Sparse = test.sparse })
			w := f.workspace(f.provider() + onePipe("this", mockplatform.PostgresPipeID, `
  name           = "renamed"
  field_mappings = []
  source         = { postgres = { host = "customers.pg.example.com" } }`))
			out := w.apply()
			if n := f.gets(mockplatform.PostgresPipeID); n > test.gets {
				t.Errorf("the pipe was read %d times", n)
			}
			if strings.Contains(out, "also changed unmanaged values") {
				t.Error(out)
			}
			patches := f.patches(mockplatform.PostgresPipeID)
			if len(patches) != 1 {
				t.Fatalf("%d PATCHes: %v", len(patches), patches)
			}
			if body := fromJSON(t, patches[0]); member(body, "name") != "renamed" || member(body, "settings") != nil || member(body, "fieldMappings") == nil {
				t.Errorf("the PATCH is %v", body)
			}
			f.ResetJournal()
			w.wantEmptyPlan()
			f.wantWrites()
			state := w.state()
			if state[thisPipe]["name"] != "renamed" {
				t.Errorf("the state is %v", state[thisPipe])
			}
			if test.unknown {
				return
			}
			f.Configure(func(b *mockplatform.Behaviour) { b.Answers.Sparse = nil })
			if out, ok := w.terraform("apply", "-refresh-only", "-auto-approve"); !ok {
				t.Fatal(out)
			}
			checkPipeState(t, f, thisPipe, w.state(), mockplatform.PostgresPipeID)
		})
	}
}

// TestPipeRewritten has the platform take other values than those sent: an
// error at the attribute, a state that says what stands, and an apply that
// heals.
func TestPipeRewritten(t *testing.T) {
	f := newFixture(t)
	w := f.workspace(f.provider() + onePipe("this", mockplatform.KafkaPipeID, `name = "orders"`))
	w.apply()
	f.Configure(func(b *mockplatform.Behaviour) {
		for path, to := range map[string]any{"settings.engine_max_threads": 64, "source.kafka.reversePrivateEndpointIds": []any{"rpe-other"}} {
			b.Patches.Rewrites = append(b.Patches.Rewrites, mockplatform.Rewrite{Operation: mockplatform.UpdatePipe, Path: path, To: func(any) any { return to }})
		}
	})
	w.file("main.tf", f.provider()+onePipe("this", mockplatform.KafkaPipeID, `
  name     = "configured-name"
  settings = { engine_max_threads = 128 }
  source   = { kafka = { reverse_private_endpoint_ids = ["configured"] } }`))
	f.ResetJournal()
	out, ok := w.terraform("apply", "-auto-approve", "-input=false")
	if ok {
		t.Fatal(out)
	}
	wantText(t, out,
		"API stored a different value for settings.engine_max_threads of pipe \"orders\" ("+mockplatform.KafkaPipeID+")",
		"the API returned another value: 64.",
		"API stored a different value for source.kafka.reverse_private_endpoint_ids of pipe",
		`the API returned another value: ["rpe-other"].`,
	)
	for _, never := range []string{"inconsistent", "returned another value: 128", `value: ["configured"]`} {
		if strings.Contains(out, never) {
			t.Errorf("%q in %s", never, out)
		}
	}
	if n := len(f.patches(mockplatform.KafkaPipeID)); n != 1 {
		t.Errorf("%d PATCHes", n)
	}
	state := w.state()
	checkPipeState(t, f, thisPipe, state, mockplatform.KafkaPipeID)
	if got := fmt.Sprint(member(state[thisPipe], "name"), "/", member(state[thisPipe], "settings.engine_max_threads")); got != "configured-name/64" {
		t.Errorf("the state has %s", got)
	}

	// The same for a pipe that is new to the state, which then isn't in it.
	id := f.clonePipe(mockplatform.KafkaPipeID)
	w.file("new.tf", onePipe("new", id, `settings = { engine_max_threads = 3 }`))
	if out, ok := w.terraform("apply", "-auto-approve", "-input=false", "-target=dataplatform_pipe.new"); ok {
		t.Fatal(out)
	}
	if _, left := w.state()["dataplatform_pipe.new"]; left {
		t.Error("a failed adoption is in the state")
	}

	f.Configure(func(b *mockplatform.Behaviour) { b.Patches.Rewrites = nil })
	f.ResetJournal()
	w.apply()
	f.wantPatches(mockplatform.KafkaPipeID, `{"settings": {"engine_max_threads": 128}, "source": {"kafka": {"reversePrivateEndpointIds": ["configured"]}}}`)
	w.wantEmptyPlan()
}

// TestPipeAnswersOddly reads and writes pipes whose answers a client may
// stumble over.
func TestPipeAnswersOddly(t *testing.T) {
	f := newFixture(t)
	f.Configure(func(b *mockplatform.Behaviour) {
		b.Answers = mockplatform.Answers{Numbers: mockplatform.NumbersAsFloats, UnknownMembers: true, ShuffleSets: true, RepeatSetElements: true, OmitEnvelope: []string{"status", "requestId"}}
		b.Patches.MovesState = true
	})
	fractions := f.clonePipe(mockplatform.PostgresPipeID, func(doc mockplatform.Document) {
		for _, path := range []string{
			"scaling.replicas", "scaling.concurrency", "scaling.replicaCpuMillicores", "scaling.replicaMemoryGb",
			"source.postgres.port", "source.postgres.settings.syncIntervalSeconds", "source.postgres.settings.initialLoadParallelism",
			"settings.engine_max_threads", "settings.object_storage_max_insert_bytes", "settings.engine_parallel_distributed_insert_select",
		} {
			setMember(doc, path, 1.25)
		}
	})
	several := f.clonePipe(mockplatform.KafkaPipeID, func(doc mockplatform.Document) {
		setMember(doc, "source.cloudStream", mockplatform.Document{"streamName": "s", "timestamp": 1.5, "iamRole": "r"})
		setMember(doc, "source.carrierPigeon", mockplatform.Document{"loft": 4})
		setMember(doc, "source.kafka.brokers", "")
		setMember(doc, "state", "")
	})
	nulls := f.clonePipe(mockplatform.KafkaPipeID, func(doc mockplatform.Document) {
		setMember(doc, "fieldMappings", []any{nil, mockplatform.Document{"sourceField": nil, "destinationField": "x"}})
		setMember(doc, "source.kafka.reversePrivateEndpointIds", []any{nil, "a", nil})
		setMember(doc, "destination.tableDefinition.sortingKey", []any{nil})
	})
	w := f.workspace(f.provider() +
		onePipe("fractions", fractions, `settings = { engine_max_insert_threads = 3 }`) +
		onePipe("several", several, `source = { kafka = { iam_role = "k" }, cloud_stream = { iam_role = "c" } }`) +
		onePipe("nulls", nulls, `name = "n"`) +
		fmt.Sprintf("data \"dataplatform_pipe\" \"nulls\" {\n  service_id = %q\n  pipe_id = %q\n}\n", mockplatform.ServiceID, nulls))
	w.apply()
	f.wantPatches(fractions, `{"settings": {"engine_max_insert_threads": 3}}`)
	f.wantPatches(several, `{"source": {"kafka": {"iamRole": "k"}, "cloudStream": {"iamRole": "c"}}}`)
	f.wantPatches(nulls, `{"name": "n"}`)
	f.ResetJournal()
	w.wantEmptyPlan()
	w.wantEmptyPlan()
	f.wantWrites()
	state := w.state()
	checkPipeState(t, f, "dataplatform_pipe.fractions", state, fractions)
	if got := member(state["dataplatform_pipe.several"], "source.cloud_stream.timestamp"); fmt.Sprint(got) != "1.5" {
		t.Errorf("the second source is %v", state["dataplatform_pipe.several"])
	}
}
