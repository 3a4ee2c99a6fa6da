package mockplatform_test

import (
	"cmp"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
)

func TestWriteOnlyValuesAreNotReturned(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ pipe, kind, secrets string }{
		{mockplatform.KafkaPipeID, "kafka", `{"credentials":{"password":"canary","username":"u"}}`},
		{mockplatform.ObjectStoragePipeID, "objectStorage", `{"accessKey":{"accessKeyId":"id","secretKey":"canary"},"connectionString":"returned"}`},
		{mockplatform.CloudStreamPipeID, "cloudStream", `{"accessKey":{"accessKeyId":"id","secretKey":"canary"}}`},
		{mockplatform.PostgresPipeID, "postgres", `{"credentials":{"password":"canary","username":"u"}}`},
	} {
		b := newBench(t, mockplatform.Behaviour{})
		patch := b.send("PATCH", pipesPath+row.pipe, `{"source":{"validateSamples":true,"`+row.kind+`":`+row.secrets+`}}`)
		get := b.send("GET", pipesPath+row.pipe, "")
		equal(t, "status", patch.status, 200)
		if strings.Contains(patch.text+get.text, "canary") || strings.Contains(get.text, "validateSamples") {
			t.Errorf("%s: a response returns a write-only value", row.kind)
		}
		equal(t, "PipeSecrets", b.platform.PipeSecrets(row.pipe)[row.kind], json.RawMessage(row.secrets))
	}
}

func TestTableMappingsAreAddedAndRemoved(t *testing.T) {
	t.Parallel()
	const (
		customers = `"sourceSchemaName":"public","sourceTable":"customers","targetTable":"customers"`
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
		{"replace", add + customers + remove, mockplatform.Patches{}, 3, ""},
		{"a freed target", add + taken + remove, oneTable, 3, ""},
		{"a target that is taken", add + taken, oneTable, 3, "is already the target"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, mockplatform.Behaviour{Patches: row.patches})
			out := b.send("PATCH", postgresPath, `{"name":"n","source":{"postgres":{`+row.body+`}]}}}`)
			equal(t, "rejected", out.status == 400, row.message != "")
			terraformtest.WantText(t, out.text, cmp.Or(row.message, `"result"`))
			stored := b.platform.Pipe(mockplatform.PostgresPipeID)
			equal(t, "name changed", stored["name"] == "n", row.message == "")
			equal(t, "mappings", size(stored, "source.postgres.tableMappings"), row.mappings)
		})
	}
	after := newBench(t, mockplatform.Behaviour{}).must("PATCH", postgresPath, `{"source":{"postgres":{`+add+invoices+`}]}}}`)
	equal(t, "added", at(after, "source.postgres.tableMappings.3"), json.RawMessage(`{"excludedColumns":[],"sortingKeys":[],`+
		`"sourceSchemaName":"public","sourceTable":"invoices","targetTable":"invoices","useCustomSortingKey":false}`))
}

func TestPatchResetsWhatItOmits(t *testing.T) {
	t.Parallel()
	type values map[string]any // by path
	for name, row := range map[string]struct {
		resets mockplatform.Resets
		want   values
	}{
		"nothing": {mockplatform.Resets{}, values{
			"name": "orders", "settings.engine_max_insert_threads": 2, "destination.columns.0.name": "order_id",
		}},
		"the top level": {mockplatform.Resets{TopLevel: true}, values{
			"name": "", "fieldMappings": []any{}, "settings.engine_max_insert_threads": 2, "destination.columns": []any{},
		}},
		"nested members": {mockplatform.Resets{Nested: true}, values{
			"name": "orders", "settings.engine_max_insert_threads": 1, "source.kafka.caCertificate": "", "source.kafka.reversePrivateEndpointIds": []any{},
		}},
		"everything, to empty": {mockplatform.Resets{TopLevel: true, Nested: true, To: mockplatform.ToEmpty}, values{
			"name": "", "settings.engine_max_insert_threads": 0, "settings.object_storage_use_cluster_function": false,
		}},
		"everything, to absent": {mockplatform.Resets{TopLevel: true, Nested: true, To: mockplatform.ToAbsent}, values{
			"name": nil, "settings.engine_max_insert_threads": nil, "source.kafka.caCertificate": nil, "destination.columns": nil,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, mockplatform.Behaviour{Patches: mockplatform.Patches{Resets: row.resets}})
			before := b.must("GET", kafkaPath, "")
			after := b.must("PATCH", kafkaPath, `{"settings":{"engine_max_threads":3},"source":{"kafka":{"iamRole":"role:new"}}}`)
			for path, want := range row.want {
				equal(t, path, at(after, path), want)
			}
			equal(t, "sent", []any{at(after, "settings.engine_max_threads"), at(after, "source.kafka.iamRole")}, []any{3, "role:new"})
			equal(t, "no other source", at(after, "source.postgres"), nil)
			for _, path := range []string{"destination.table", "source.kafka.brokers"} { // no PATCH can set these
				equal(t, path, at(after, path), at(before, path))
			}
		})
	}
}

// Keys expire by the platform's clock, at the latest after KeyValidity, and are accepted
// until then, unless they were created as disabled, or revoked in the console, which lists them without their secrets.
func TestKeysExpire(t *testing.T) {
	t.Parallel()
	begin := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	now := begin
	b := newBench(t, mockplatform.Behaviour{KeyValidity: time.Hour, Now: func() time.Time { return now }})
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
		valid := b.do(request)
		listed := b.console(200, "GET", "/console/keys", "")
		terraformtest.WantText(t, listed, `"name": "ci"`)
		terraformtest.WantNoText(t, listed, created["keySecret"].(string))
		now = begin.Add(2 * time.Hour)
		equal(t, row.body, []int{valid.status, b.do(request).status}, []int{row.status, 401})
		now = begin
		b.console(200, "DELETE", "/console/keys/"+at(created, "key.id").(string), "")
		equal(t, "revoked", b.do(request).status, 401)
	}
}
