package mockplatform_test

import (
	"strings"
	"testing"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// patched sends a PATCH to a pipe and returns its document before and after.
func (b *bench) patched(pipe, body string) (before, after map[string]any) {
	b.Helper()
	before = b.must("GET", pipesPath+pipe, "")
	return before, b.must("PATCH", pipesPath+pipe, body)
}

func TestPatchKeepsWhatItOmits(t *testing.T) {
	t.Parallel()
	for pipe, row := range map[string]struct {
		body string
		path []any
		want any
	}{
		mockplatform.KafkaPipeID:         {`{"source":{"kafka":{"iamRole":"role:new"}}}`, []any{"source", "kafka", "iamRole"}, "role:new"},
		mockplatform.ObjectStoragePipeID: {`{"source":{"objectStorage":{"path":""}}}`, []any{"source", "objectStorage", "path"}, ""},
		mockplatform.CloudStreamPipeID:   {`{"fieldMappings":[]}`, []any{"fieldMappings"}, []any{}},
		mockplatform.PostgresPipeID:      {`{"source":{"postgres":{"settings":{"pullBatchSize":7}}}}`, []any{"source", "postgres", "settings", "pullBatchSize"}, 7},
	} {
		b := newBench(t)
		before, after := b.patched(pipe, row.body)
		equal(t, "changed", at(after, row.path...), row.want)
		equal(t, "stored", at(b.must("GET", pipesPath+pipe, ""), row.path...), row.want)
		if before["updatedAt"] == after["updatedAt"] {
			t.Error("updatedAt has not changed")
		}
		// Everything else is unchanged: undo the one change and compare the documents.
		parent := objectAt(after, row.path[:len(row.path)-1]...)
		parent[textAt(row.path[len(row.path)-1])] = at(before, row.path...)
		after["updatedAt"] = before["updatedAt"]
		equal(t, "everything else", after, before)
	}
}

func TestPipeSecrets(t *testing.T) {
	t.Parallel()
	pair := `{"accessKeyId":"id","secretKey":"canary"}`
	for pipe, row := range map[string]struct{ kind, sent string }{
		mockplatform.KafkaPipeID:         {"kafka", `{"credentials":{"username":"u","password":"canary"}}`},
		mockplatform.ObjectStoragePipeID: {"objectStorage", `{"accessKey":` + pair + `,"connectionString":"returned"}`},
		mockplatform.CloudStreamPipeID:   {"cloudStream", `{"accessKey":` + pair + `}`},
		mockplatform.PostgresPipeID:      {"postgres", `{"credentials":{"username":"u","password":"canary"}}`},
	} {
		b := newBench(t)
		patch := b.send("PATCH", pipesPath+pipe, `{"source":{"validateSamples":true,"`+row.kind+`":`+row.sent+`}}`)
		get := b.send("GET", pipesPath+pipe, "")
		equal(t, "status", patch.status, 200)
		if strings.Contains(patch.text+get.text, "canary") || strings.Contains(get.text, "validateSamples") {
			t.Errorf("%s: a response returns a write-only value", row.kind)
		}
		equal(t, "PipeSecrets", b.platform.PipeSecrets(pipe)[row.kind], mustDecode(t, row.sent))
	}
}

func TestTableMappings(t *testing.T) {
	t.Parallel()
	const (
		customers = `"sourceSchemaName":"public","sourceTable":"customers","targetTable":"customers"`
		moved     = `"sourceSchemaName":"public","sourceTable":"customers","targetTable":"clients"`
		invoices  = `"sourceSchemaName":"public","sourceTable":"invoices","targetTable":"invoices"`
		taken     = `"sourceSchemaName":"public","sourceTable":"invoices","targetTable":"customers"`

		add    = `"tableMappingsToAdd":[{`
		remove = `}],"tableMappingsToRemove":[{` + customers
	)
	oneTable := mockplatform.Patches{OneTablePerTarget: true}
	for _, row := range []struct {
		name, body string
		patches    mockplatform.Patches
		mappings   int    // three are in the seed
		message    string // of an error
	}{
		{"add", add + invoices, mockplatform.Patches{}, 4, ""},
		{"remove", `"tableMappingsToRemove":[{` + customers, mockplatform.Patches{}, 2, ""},
		{"remove what is not there", `"tableMappingsToRemove":[{` + invoices, mockplatform.Patches{}, 3, "is not mapped"},
		{"both", add + invoices + remove, mockplatform.Patches{AddsFirst: true}, 3, ""},
		{"replace, removes first", add + customers + remove, mockplatform.Patches{}, 3, ""},
		{"replace, adds first", add + customers + remove, mockplatform.Patches{AddsFirst: true}, 3, "is already mapped"},
		{"another target, adds first", add + moved + remove, mockplatform.Patches{AddsFirst: true}, 3, "is already mapped"},
		{"a second target", add + moved, mockplatform.Patches{OneTargetPerTable: true}, 3, "is already mapped"},
		{"a second table", add + taken, oneTable, 3, "customers is already the target"},
		{"a freed target, removes first", add + taken + remove, oneTable, 3, ""},
		{"a freed target, adds first", add + taken + remove, mockplatform.Patches{OneTablePerTarget: true, AddsFirst: true}, 3, "is already the target"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.platform.Configure(func(behaviour *mockplatform.Behaviour) { behaviour.Patches = row.patches })
			out := b.send("PATCH", postgresPath, `{"name":"n","source":{"postgres":{`+row.body+`}]}}}`)
			equal(t, "rejected", out.status == 400, row.message != "")
			if !strings.Contains(out.text, row.message) {
				t.Errorf("got %s, want %q", out.text, row.message)
			}
			stored := b.platform.Pipe(mockplatform.PostgresPipeID)
			equal(t, "name changed", stored["name"] == "n", row.message == "")
			equal(t, "mappings", len(listAt(stored, "source", "postgres", "tableMappings")), row.mappings)
		})
	}
	_, after := newBench(t).patched(mockplatform.PostgresPipeID, `{"source":{"postgres":{`+add+invoices+`}]}}}`)
	added := at(after, "source", "postgres", "tableMappings", 3)
	equal(t, "defaults", []any{at(added, "excludedColumns"), at(added, "useCustomSortingKey")}, []any{[]any{}, false})
}

// TestPatchResult sends a PATCH to a service and to a pipe. Each of them stores
// the change, whatever it returns.
func TestPatchResult(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][2]any{
		"":                         {4, "new"},
		mockplatform.ResultBefore:  {3, "orders"},
		mockplatform.ResultMissing: {nil, nil},
	} {
		lasting := answering(t, mockplatform.Responses{PatchResult: name})
		once := newBench(t)
		for range 2 {
			once.platform.Inject(mockplatform.Fault{Method: "PATCH", Result: name})
		}
		for _, b := range []*bench{lasting, once} {
			service, pipe := b.send("PATCH", scalingPath, `{"numReplicas":4}`), b.send("PATCH", kafkaPath, `{"name":"new"}`)
			equal(t, name+": status", []int{service.status, pipe.status}, []int{200, 200})
			equal(t, name+": service", at(service.body, "result", "numReplicas"), want[0])
			equal(t, name+": pipe", at(pipe.body, "result", "name"), want[1])
			equal(t, name+": stored", at(b.send("GET", servicesPath, "").body, "result", 0, "numReplicas"), 4)
			equal(t, name+": stored", b.must("GET", kafkaPath, "")["name"], "new")
		}
		_, after := once.patched(mockplatform.KafkaPipeID, `{"name":"newer"}`)
		equal(t, name+": the faults are over", after["name"], "newer")
	}
}

func TestSparseWhile(t *testing.T) {
	t.Parallel()
	b := answering(t, mockplatform.Responses{Sparse: []mockplatform.Sparse{
		{Path: "idleTimeoutMinutes", While: "idleScaling", Is: false},
		{Path: "settings.engine_max_threads", While: "source.kafka.topics", Is: "orders"},
		{Path: "name", While: "numReplicas", Is: 6},
	}})
	timeout := func() any { return at(b.send("GET", servicesPath, "").body, "result", 0, "idleTimeoutMinutes") }
	equal(t, "at first", timeout(), 15)
	equal(t, "PATCH", b.must("PATCH", scalingPath, `{"idleScaling":false,"idleTimeoutMinutes":30}`)["idleTimeoutMinutes"], nil)
	equal(t, "list", timeout(), nil)
	equal(t, "a number", b.must("PATCH", scalingPath, `{"numReplicas":6}`)["name"], nil)
	b.must("PATCH", scalingPath, `{"idleScaling":true}`)
	equal(t, "shown again", timeout(), 30)
	pipe := b.must("GET", kafkaPath, "")
	equal(t, "nested", at(pipe, "settings", "engine_max_threads"), nil)
	equal(t, "beside it", at(pipe, "settings", "engine_max_insert_threads"), 2)
	equal(t, "another pipe", at(b.must("GET", postgresPath, ""), "settings", "engine_max_threads"), 8)
}

func TestResets(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		resets mockplatform.Resets
		want   map[string]any // by path; other values are unchanged
	}{
		{"top level", mockplatform.Resets{TopLevel: true}, map[string]any{
			"name": "", "fieldMappings": []any{}, "destination.columns": []any{},
		}},
		{"nested", mockplatform.Resets{Nested: true}, map[string]any{
			"settings.engine_max_insert_threads":     1,
			"source.kafka.caCertificate":             "",
			"source.kafka.reversePrivateEndpointIds": []any{},
		}},
		{"everything, to empty", mockplatform.Resets{TopLevel: true, Nested: true, To: mockplatform.ToEmpty}, map[string]any{
			"name": "", "settings.engine_max_insert_threads": 0, "settings.object_storage_use_cluster_function": false,
		}},
		{"everything, to absent", mockplatform.Resets{TopLevel: true, Nested: true, To: mockplatform.ToAbsent}, map[string]any{
			"name": nil, "settings.engine_max_insert_threads": nil, "source.kafka.caCertificate": nil, "destination.columns": nil,
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.platform.Configure(func(behaviour *mockplatform.Behaviour) { behaviour.Patches.Resets = row.resets })
			before, after := b.patched(mockplatform.KafkaPipeID, `{"settings":{"engine_max_threads":3},"source":{"kafka":{"iamRole":"role:new"}}}`)
			equal(t, "sent", at(after, "settings", "engine_max_threads"), 3)
			equal(t, "sent", at(after, "source", "kafka", "iamRole"), "role:new")
			for _, path := range []string{
				"name", "fieldMappings", "settings.engine_max_insert_threads", "settings.object_storage_use_cluster_function",
				"source.kafka.caCertificate", "source.kafka.reversePrivateEndpointIds", "destination.columns", "destination.table",
			} {
				want, reset := row.want[path]
				if !reset && row.resets.To == "" {
					want = at(before, steps(path)...)
				}
				if reset || row.resets.To == "" {
					equal(t, path, at(after, steps(path)...), want)
				}
			}
			equal(t, "read-only", at(after, "source", "kafka", "brokers"), at(before, "source", "kafka", "brokers"))
			equal(t, "no other source", at(after, "source", "postgres"), nil)
		})
	}
}

func steps(path string) []any {
	out := []any{}
	for step := range strings.SplitSeq(path, ".") {
		out = append(out, step)
	}
	return out
}

func TestRewrites(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	upper := func(value any) any { return strings.ToUpper(textAt(value)) }
	b.platform.Configure(func(behaviour *mockplatform.Behaviour) {
		behaviour.Patches.Rewrites = []mockplatform.Rewrite{
			{Operation: mockplatform.UpdatePipe, Path: "name", To: upper},
			{Operation: mockplatform.UpdatePipe, Path: "settings.engine_max_threads", To: func(any) any { return 16 }},
			{Operation: mockplatform.UpdateScaling, Path: "numReplicas", To: func(any) any { return 9 }},
			{Operation: mockplatform.CreateKey, Path: "name", To: upper},
			{Operation: mockplatform.CreateKey, Path: "expireAt", Unsent: true, To: func(any) any { return "2040-01-01T00:00:00.000Z" }},
		}
	})
	_, after := b.patched(mockplatform.KafkaPipeID, `{"name":"loud"}`)
	equal(t, "pipe", after["name"], "LOUD")
	equal(t, "not sent, not rewritten", at(after, "settings", "engine_max_threads"), 8)
	_, after = b.patched(mockplatform.KafkaPipeID, `{"settings":{"engine_max_threads":3}}`)
	equal(t, "setting", at(after, "settings", "engine_max_threads"), 16)
	equal(t, "stored", at(b.platform.Pipe(mockplatform.KafkaPipeID), "settings", "engine_max_threads"), 16)
	equal(t, "service", b.must("PATCH", scalingPath, `{"numReplicas":4}`)["numReplicas"], 9)
	created := b.must("POST", keysPath, `{"name":"ci","roles":["admin"]}`)
	equal(t, "key", at(created, "key", "name"), "CI")
	equal(t, "expiry that was not sent", at(created, "key", "expireAt"), "2040-01-01T00:00:00.000Z")
}

func TestChangesByThePlatform(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	instant := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	b.platform.Configure(func(behaviour *mockplatform.Behaviour) {
		behaviour.Now = func() time.Time { return instant }
		behaviour.Patches.MovesState = true
		behaviour.Patches.MovesReplicaMemory = true
	})
	before, after := b.patched(mockplatform.KafkaPipeID, `{}`)
	if before["state"] == after["state"] {
		t.Error("state has not changed")
	}
	equal(t, "updatedAt", after["updatedAt"], "2030-01-02T03:04:05.000Z")
	_, after = b.patched(mockplatform.KafkaPipeID, `{}`)
	equal(t, "updatedAt without a tick of the clock", after["updatedAt"], "2030-01-02T03:04:05.001Z")
	scaled := b.must("PATCH", scalingPath, `{"maxTotalMemoryGb":120}`)
	equal(t, "memory per replica", scaled["maxReplicaMemoryGb"], 40)
	equal(t, "the other", scaled["minReplicaMemoryGb"], 8)
	created := b.must("POST", keysPath, `{"name":"ci","roles":["admin"]}`)
	equal(t, "createdAt", at(created, "key", "createdAt"), "2030-01-02T03:04:05.000Z")
}

// Keys expire by the platform's clock, at the latest after KeyValidity, and are accepted
// until then, unless they were created as disabled.
func TestKeyValidity(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	clock := func(now time.Time) {
		b.platform.Configure(func(behaviour *mockplatform.Behaviour) {
			behaviour.Now, behaviour.KeyValidity = func() time.Time { return now }, time.Hour
		})
	}
	const asked = `{"name":"ci","roles":["admin"],`
	for _, row := range []struct {
		body, expireAt string
		status         int // while the key is valid
	}{
		{asked + `"expireAt":"2040-01-01T00:00:00Z"}`, "2030-01-02T04:04:05.000Z", 200},
		{asked + `"expireAt":"2030-01-02T03:30:00Z"}`, "2030-01-02T03:30:00.000Z", 200},
		{asked + `"expireAt":null}`, "2030-01-02T04:04:05.000Z", 200},
		{asked + `"expireAt":"2030-01-02T03:30:00Z","state":"disabled"}`, "2030-01-02T03:30:00.000Z", 401},
	} {
		clock(now)
		created := b.must("POST", keysPath, row.body)
		equal(t, row.body, at(created, "key", "expireAt"), row.expireAt)
		request := b.request("GET", servicesPath, "")
		request.SetBasicAuth(textAt(created, "keyId"), textAt(created, "keySecret"))
		valid, errValid := b.do(request)
		clock(now.Add(2 * time.Hour))
		expired, errExpired := b.do(request)
		equal(t, row.body, []any{valid.status, errValid, expired.status, errExpired}, []any{row.status, nil, 401, nil})
	}
}
