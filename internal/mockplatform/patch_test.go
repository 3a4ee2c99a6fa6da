package mockplatform_test

import (
	"encoding/json"
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

func TestPipeSecrets(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ pipe, kind, secrets string }{
		{mockplatform.KafkaPipeID, "kafka", `{"credentials":{"password":"canary","username":"u"}}`},
		{mockplatform.ObjectStoragePipeID, "objectStorage", `{"accessKey":{"accessKeyId":"id","secretKey":"canary"},"connectionString":"returned"}`},
		{mockplatform.CloudStreamPipeID, "cloudStream", `{"accessKey":{"accessKeyId":"id","secretKey":"canary"}}`},
		{mockplatform.PostgresPipeID, "postgres", `{"credentials":{"password":"canary","username":"u"}}`},
	} {
		b := newBench(t)
		patch := b.send("PATCH", pipesPath+row.pipe, `{"source":{"validateSamples":true,"`+row.kind+`":`+row.secrets+`}}`)
		get := b.send("GET", pipesPath+row.pipe, "")
		equal(t, "status", patch.status, 200)
		if strings.Contains(patch.text+get.text, "canary") || strings.Contains(get.text, "validateSamples") {
			t.Errorf("%s: a response returns a write-only value", row.kind)
		}
		equal(t, "PipeSecrets", b.platform.PipeSecrets(row.pipe)[row.kind], json.RawMessage(row.secrets))
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
			b := behaving(t, mockplatform.Behaviour{Patches: row.patches})
			out := b.send("PATCH", postgresPath, `{"name":"n","source":{"postgres":{`+row.body+`}]}}}`)
			equal(t, "rejected", out.status == 400, row.message != "")
			if !strings.Contains(out.text, row.message) {
				t.Errorf("got %s, want %q", out.text, row.message)
			}
			stored := b.platform.Pipe(mockplatform.PostgresPipeID)
			equal(t, "name changed", stored["name"] == "n", row.message == "")
			equal(t, "mappings", size(stored, "source.postgres.tableMappings"), row.mappings)
		})
	}
	_, after := newBench(t).patched(mockplatform.PostgresPipeID, `{"source":{"postgres":{`+add+invoices+`}]}}}`)
	equal(t, "added", at(after, "source.postgres.tableMappings.3"), json.RawMessage(`{"excludedColumns":[],"sortingKeys":[],`+
		`"sourceSchemaName":"public","sourceTable":"invoices","targetTable":"invoices","useCustomSortingKey":false}`))
}

// A PATCH stores the change, whatever it returns.
func TestPatchResult(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][2]any{
		"":                         {4, "new"},
		mockplatform.ResultBefore:  {3, "orders"},
		mockplatform.ResultMissing: {nil, nil},
	} {
		lasting := responding(t, mockplatform.Responses{PatchResult: name})
		once := newBench(t)
		once.platform.Inject(mockplatform.Fault{Method: "PATCH", Result: name, Times: 2})
		for _, b := range []*bench{lasting, once} {
			service, pipe := b.send("PATCH", scalingPath, `{"numReplicas":4}`), b.send("PATCH", kafkaPath, `{"name":"new"}`)
			equal(t, name+": status", []int{service.status, pipe.status}, []int{200, 200})
			equal(t, name+": service", at(service.body, "result.numReplicas"), want[0])
			equal(t, name+": pipe", at(pipe.body, "result.name"), want[1])
			equal(t, name+": stored", at(b.send("GET", servicesPath, "").body, "result.0.numReplicas"), 4)
			equal(t, name+": stored", b.must("GET", kafkaPath, "")["name"], "new")
		}
	}
}

// A platform that lags returns objects as they were, until the lag is over.
func TestLag(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bench) {
		b.platform.Configure(func(behaviour *mockplatform.Behaviour) { behaviour.Responses.Lag = 3 * time.Second })
		wants := func(when string, replicas int, name string) {
			equal(t, when+": replicas", at(b.send("GET", servicesPath, "").body, "result.0.numReplicas"), replicas)
			equal(t, when+": name", b.must("GET", kafkaPath, "")["name"], name)
		}
		equal(t, "PATCH", at(b.send("PATCH", scalingPath, `{"numReplicas":4}`).body, "result.numReplicas"), 3)
		equal(t, "PATCH", at(b.send("PATCH", kafkaPath, `{"name":"new"}`).body, "result.name"), "orders")
		time.Sleep(2 * time.Second)
		b.platform.UpdatePipe(mockplatform.KafkaPipeID, func(doc mockplatform.Document) { doc["name"] = "newer" })
		wants("2 s later", 3, "orders")
		time.Sleep(time.Second)
		wants("3 s later", 4, "new")
		time.Sleep(2 * time.Second)
		wants("5 s later", 4, "newer")
	})
}

// A platform that works in steps shows what it is on the way to.
func TestSteps(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bench) {
		b.platform.Configure(func(behaviour *mockplatform.Behaviour) { behaviour.Patches.Step = 2 * time.Second })
		replicas := func() any { return at(b.send("GET", servicesPath, "").body, "result.0.numReplicas") }
		equal(b.T, "PATCH", b.must("PATCH", scalingPath, `{"numReplicas":5}`)["numReplicas"], 3)
		time.Sleep(time.Second)
		for _, want := range []int{3, 4, 5, 5} {
			equal(b.T, "on the way up", replicas(), want)
			time.Sleep(2 * time.Second)
		}
		b.must("PATCH", scalingPath, `{"numReplicas":2}`)
		time.Sleep(3 * time.Second)
		equal(b.T, "on the way down", replicas(), 4)
		b.platform.UpdateService(mockplatform.ServiceID, func(doc mockplatform.Document) { doc["numReplicas"] = 12 })
		time.Sleep(time.Minute)
		equal(b.T, "somebody else has scaled", replicas(), 12)

		mapping := func() any {
			return at(b.must("GET", postgresPath, ""), "source.postgres.tableMappings.3.excludedColumns")
		}
		b.must("PATCH", postgresPath, `{"source":{"postgres":{"tableMappingsToAdd":[{"sourceSchemaName":"public","sourceTable":"new","targetTable":"new","excludedColumns":["iban"]}]}}}`)
		equal(b.T, "at first", mapping(), nil)
		time.Sleep(3 * time.Second)
		equal(b.T, "complete", mapping(), json.RawMessage(`["iban"]`))
	})
}

func TestSparseWhile(t *testing.T) {
	t.Parallel()
	b := responding(t, mockplatform.Responses{Sparse: []mockplatform.Sparse{
		{Path: "idleTimeoutMinutes", While: "idleScaling", Is: false},
		{Path: "settings.engine_max_threads", While: "source.kafka.topics", Is: "orders"},
		{Path: "name", While: "numReplicas", Is: 6},
	}})
	timeout := func() any { return at(b.send("GET", servicesPath, "").body, "result.0.idleTimeoutMinutes") }
	equal(t, "at first", timeout(), 15)
	equal(t, "PATCH", b.must("PATCH", scalingPath, `{"idleScaling":false,"idleTimeoutMinutes":30}`)["idleTimeoutMinutes"], nil)
	equal(t, "list", timeout(), nil)
	equal(t, "a number", b.must("PATCH", scalingPath, `{"numReplicas":6}`)["name"], nil)
	b.must("PATCH", scalingPath, `{"idleScaling":true}`)
	equal(t, "shown again", timeout(), 30)
	pipe := b.must("GET", kafkaPath, "")
	equal(t, "nested", at(pipe, "settings.engine_max_threads"), nil)
	equal(t, "another pipe", at(b.must("GET", postgresPath, ""), "settings.engine_max_threads"), 8)
}

func TestResets(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name    string
		resets  mockplatform.Resets
		changed map[string]any // by path
		kept    []string
	}{
		{"none", mockplatform.Resets{}, nil, []string{
			"name", "fieldMappings", "destination", "settings.engine_max_insert_threads", "source.kafka.caCertificate",
		}},
		{"top level", mockplatform.Resets{TopLevel: true}, map[string]any{
			"name": "", "fieldMappings": []any{}, "destination.columns": []any{},
		}, []string{"settings.engine_max_insert_threads", "source.kafka.caCertificate"}},
		{"nested", mockplatform.Resets{Nested: true}, map[string]any{
			"settings.engine_max_insert_threads":     1,
			"source.kafka.caCertificate":             "",
			"source.kafka.reversePrivateEndpointIds": []any{},
		}, []string{"name", "fieldMappings", "destination"}},
		{"everything, to empty", mockplatform.Resets{TopLevel: true, Nested: true, To: mockplatform.ToEmpty}, map[string]any{
			"name": "", "settings.engine_max_insert_threads": 0, "settings.object_storage_use_cluster_function": false,
		}, nil},
		{"everything, to absent", mockplatform.Resets{TopLevel: true, Nested: true, To: mockplatform.ToAbsent}, map[string]any{
			"name": nil, "settings.engine_max_insert_threads": nil, "source.kafka.caCertificate": nil, "destination.columns": nil,
		}, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			b := behaving(t, mockplatform.Behaviour{Patches: mockplatform.Patches{Resets: row.resets}})
			before, after := b.patched(mockplatform.KafkaPipeID, `{"settings":{"engine_max_threads":3},"source":{"kafka":{"iamRole":"role:new"}}}`)
			equal(t, "sent", at(after, "settings.engine_max_threads"), 3)
			equal(t, "sent", at(after, "source.kafka.iamRole"), "role:new")
			for path, want := range row.changed {
				equal(t, path, at(after, path), want)
			}
			for _, path := range append(row.kept, "destination.table", "source.kafka.brokers") {
				equal(t, path, at(after, path), at(before, path))
			}
			equal(t, "no other source", at(after, "source.postgres"), nil)
		})
	}
}

func TestRewrites(t *testing.T) {
	t.Parallel()
	upper := func(value any) any { return strings.ToUpper(value.(string)) }
	b := behaving(t, mockplatform.Behaviour{Patches: mockplatform.Patches{Rewrites: []mockplatform.Rewrite{
		{Operation: mockplatform.UpdatePipe, Path: "name", To: upper},
		{Operation: mockplatform.UpdatePipe, Path: "settings.engine_max_threads", To: func(any) any { return 16 }},
		{Operation: mockplatform.UpdateScaling, Path: "numReplicas", To: func(any) any { return 9 }},
		{Operation: mockplatform.CreateKey, Path: "name", To: upper},
		{Operation: mockplatform.CreateKey, Path: "expireAt", Unsent: true, To: func(any) any { return "2040-01-01T00:00:00.000Z" }},
	}}})
	_, after := b.patched(mockplatform.KafkaPipeID, `{"name":"loud"}`)
	equal(t, "pipe", after["name"], "LOUD")
	equal(t, "not sent, not rewritten", at(after, "settings.engine_max_threads"), 8)
	_, after = b.patched(mockplatform.KafkaPipeID, `{"settings":{"engine_max_threads":3}}`)
	equal(t, "setting", at(after, "settings.engine_max_threads"), 16)
	equal(t, "stored", at(b.platform.Pipe(mockplatform.KafkaPipeID), "settings.engine_max_threads"), 16)
	equal(t, "service", b.must("PATCH", scalingPath, `{"numReplicas":4}`)["numReplicas"], 9)
	created := b.must("POST", keysPath, `{"name":"ci","roles":["admin"]}`)
	equal(t, "key", at(created, "key.name"), "CI")
	equal(t, "expiry that was not sent", at(created, "key.expireAt"), "2040-01-01T00:00:00.000Z")
}

func TestChangesByThePlatform(t *testing.T) {
	t.Parallel()
	b := behaving(t, mockplatform.Behaviour{
		Now:     func() time.Time { return time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC) },
		Patches: mockplatform.Patches{MovesState: true, MovesReplicaMemory: true},
	})
	before, after := b.patched(mockplatform.KafkaPipeID, `{}`)
	equal(t, "states", []any{before["state"], after["state"]}, []any{"Running", "Provisioning"})
	equal(t, "updatedAt", after["updatedAt"], "2030-01-02T03:04:05.000Z")
	_, after = b.patched(mockplatform.KafkaPipeID, `{}`)
	equal(t, "updatedAt without a tick of the clock", after["updatedAt"], "2030-01-02T03:04:05.001Z")
	scaled := b.must("PATCH", scalingPath, `{"maxTotalMemoryGb":120}`)
	equal(t, "memory per replica", scaled["maxReplicaMemoryGb"], 40)
	equal(t, "the other", scaled["minReplicaMemoryGb"], 8)
	created := b.must("POST", keysPath, `{"name":"ci","roles":["admin"]}`)
	equal(t, "createdAt", at(created, "key.createdAt"), "2030-01-02T03:04:05.000Z")
}

// Keys expire by the platform's clock, at the latest after KeyValidity, and are accepted
// until then, unless they were created as disabled.
func TestKeyValidity(t *testing.T) {
	t.Parallel()
	begin := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	now := begin
	b := behaving(t, mockplatform.Behaviour{KeyValidity: time.Hour, Now: func() time.Time { return now }})
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
		now = begin
		created := b.must("POST", keysPath, row.body)
		equal(t, row.body, at(created, "key.expireAt"), row.expireAt)
		request := b.request("GET", servicesPath, "")
		request.SetBasicAuth(created["keyId"].(string), created["keySecret"].(string))
		valid, errValid := b.do(request)
		now = begin.Add(2 * time.Hour)
		expired, errExpired := b.do(request)
		equal(t, row.body, []any{valid.status, errValid, expired.status, errExpired}, []any{row.status, nil, 401, nil})
	}
}
