package mockplatform_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// answering returns a bench whose platform has these Responses.
func answering(t *testing.T, responses mockplatform.Responses) *bench {
	t.Helper()
	b := newBench(t)
	b.platform.Configure(func(behaviour *mockplatform.Behaviour) { behaviour.Responses = responses })
	return b
}

func TestSparseResponses(t *testing.T) {
	t.Parallel()
	role := []any{"source", "kafka", "iamRole"}
	for _, row := range []struct {
		name string
		rule mockplatform.Sparse
		// Which responses to a GET, a PATCH and another GET lack the role.
		lacking [3]bool
	}{
		{"always", mockplatform.Sparse{Path: "source.kafka.iamRole"}, [3]bool{true, true, true}},
		{"once", mockplatform.Sparse{Path: "source.kafka.iamRole", Times: 1}, [3]bool{true, false, false}},
		{"the first PATCH", mockplatform.Sparse{
			Path: "source.kafka.iamRole", Times: 1, Operations: []mockplatform.Operation{mockplatform.UpdatePipe},
		}, [3]bool{false, true, false}},
		{"reads", mockplatform.Sparse{Path: "source.kafka.iamRole", Operations: []mockplatform.Operation{mockplatform.GetPipe}}, [3]bool{true, false, true}},
		{"the whole kind", mockplatform.Sparse{Path: "source.kafka"}, [3]bool{true, true, true}},
		{"any kind", mockplatform.Sparse{Path: "source.*.iamRole"}, [3]bool{true, true, true}},
		{"null", mockplatform.Sparse{Path: "source.kafka.iamRole", Null: true}, [3]bool{true, true, true}},
		{"only when empty", mockplatform.Sparse{Path: "source.kafka.iamRole", OnlyEmpty: true}, [3]bool{false, false, false}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			b := answering(t, mockplatform.Responses{Sparse: []mockplatform.Sparse{row.rule}})
			var lacking [3]bool
			for i, result := range []map[string]any{
				b.must("GET", kafkaPath, ""), b.must("PATCH", kafkaPath, `{"name":"n"}`), b.must("GET", kafkaPath, ""),
			} {
				lacking[i] = at(result, role...) == nil
			}
			equal(t, "lacking", lacking, row.lacking)
			equal(t, "stored role", at(b.platform.Pipe(mockplatform.KafkaPipeID), role...), "role:orders-reader")
		})
	}
}

func TestSparseLikeOmitempty(t *testing.T) {
	t.Parallel()
	const emptied = `{"a":"","b":[],"c":false,"d":0.0,"e":null,"f":{"g":0,"h":{"i":""}},"j":[{"k":0}],"l":1}`
	for _, row := range []struct {
		name string
		rule mockplatform.Sparse
		list string // the members above that a list returns
	}{
		{"empty members", mockplatform.Sparse{Path: "**", OnlyEmpty: true}, `{"c":false,"d":0.0,"f":{"g":0,"h":{}},"j":[{"k":0}],"l":1}`},
		{"like omitempty", mockplatform.Sparse{Path: "**", OnlyEmpty: true, Zeros: true}, `{"f":{"h":{}},"j":[{}],"l":1}`},
		{"empty objects as well", mockplatform.Sparse{Path: "**", OnlyEmpty: true, Zeros: true, EmptyObjects: true}, `{"j":[{}],"l":1}`},
		{"of one object", mockplatform.Sparse{Path: "f.*", OnlyEmpty: true, Zeros: true}, `{"a":"","b":[],"c":false,"d":0.0,"e":null,"f":{"h":{"i":""}},"j":[{"k":0}],"l":1}`},
		{"only in lists", mockplatform.Sparse{Path: "f", Operations: []mockplatform.Operation{mockplatform.ListServices}}, `{"a":"","b":[],"c":false,"d":0.0,"e":null,"j":[{"k":0}],"l":1}`},
		{"null", mockplatform.Sparse{Path: "**", OnlyEmpty: true, Zeros: true, Null: true}, `{"a":null,"b":null,"c":null,"d":null,"e":null,"f":{"g":null,"h":{"i":null}},"j":[{"k":null}],"l":1}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			b := answering(t, mockplatform.Responses{Sparse: []mockplatform.Sparse{row.rule}})
			doc := mustDecode(t, emptied)
			doc["id"] = elsewhere
			b.platform.SetService(mockplatform.OtherOrganizationID, doc)
			listed := objectAt(b.send("GET", otherOrgPath, "").body, "result", 1)
			delete(listed, "id")
			equal(t, "list", listed, mustDecode(t, row.list))
			if len(row.rule.Operations) > 0 {
				updated := b.must("PATCH", otherOrgPath+"/"+elsewhere+"/scaling", `{}`)
				equal(t, "update", updated["f"], doc["f"])
			}
		})
	}
}

func TestNumberSpelling(t *testing.T) {
	t.Parallel()
	for spelling, texts := range map[mockplatform.NumberSpelling][]string{
		mockplatform.NumbersAsFloats:    {`"status":200.0`, `"replicas":2.0`, `"replicaMemoryGb":0.5,`, `"object_storage_max_insert_bytes":10737418240.0`},
		mockplatform.NumbersAsExponents: {`"status":200e0`, `"replicas":2e0`, `"replicaMemoryGb":0.5,`, `"port":`},
	} {
		b := answering(t, mockplatform.Responses{Numbers: spelling})
		text := b.send("GET", kafkaPath, "").text + b.send("GET", servicesPath, "").text
		for _, want := range texts {
			if !strings.Contains(text, want) {
				t.Errorf("%s is missing", want)
			}
		}
	}
}

func TestUnknownMembers(t *testing.T) {
	t.Parallel()
	out := answering(t, mockplatform.Responses{UnknownMembers: true}).send("GET", kafkaPath, "")
	for _, path := range [][]any{{}, {"result"}, {"result", "source", "kafka", "schemaRegistry"}, {"result", "destination", "columns", 0}} {
		equal(t, "member of a later version", at(out.body, append(path, "addedLater")...), "text")
	}
	equal(t, "known member", at(out.body, "result", "name"), "orders")
	before, known, after := strings.Index(out.text, `"RESULT":`), strings.Index(out.text, `"result":`), strings.Index(out.text, `"Result":`)
	if before < 0 || known < before || after < known {
		t.Errorf("other letter cases at %d and %d, around %d", before, after, known)
	}
}

func TestSets(t *testing.T) {
	t.Parallel()
	b := answering(t, mockplatform.Responses{ShuffleSets: true, RepeatSetElements: true})
	first := listAt(b.must("GET", kafkaPath, ""), "source", "kafka", "reversePrivateEndpointIds")
	second := listAt(b.must("GET", kafkaPath, ""), "source", "kafka", "reversePrivateEndpointIds")
	equal(t, "elements", len(first), 3)
	equal(t, "first element again", first[2], first[0])
	if reflect.DeepEqual(first, second) {
		t.Errorf("the same order twice: %v", first)
	}
	equal(t, "mappings", len(listAt(b.must("GET", postgresPath, ""), "source", "postgres", "tableMappings")), 4)
	equal(t, "addresses", len(listAt(b.send("GET", servicesPath, "").body, "result", 2, "ipAccessList")), 4)
	created := b.must("POST", keysPath, `{"name":"a","roles":["admin","developer"]}`)
	equal(t, "roles", len(listAt(created, "key", "roles")), 3)
	equal(t, "ordered list", at(b.must("GET", kafkaPath, ""), "destination", "columns", 0, "name"), "order_id")
}

func TestEnvelopeAndKeyResponses(t *testing.T) {
	t.Parallel()
	b := answering(t, mockplatform.Responses{OmitEnvelope: []string{"status", "requestId"}, KeyState: true})
	equal(t, "envelope", len(b.send("GET", servicesPath, "").body), 1)
	created := b.must("POST", keysPath, keyBody)
	equal(t, "state", at(created, "key", "state"), "enabled")
	equal(t, "secret", created["keySecret"] != nil, true)
	b = answering(t, mockplatform.Responses{Sparse: []mockplatform.Sparse{{Path: "keyId"}, {Path: "keySecret"}}})
	created = b.must("POST", keysPath, `{"name":"a","roles":["admin"],"hashData":{"keySecretHash":"x"}}`)
	equal(t, "neither ID nor secret", []any{created["keyId"], created["keySecret"]}, []any{nil, nil})
	equal(t, "secret in Keys", at(b.platform.Keys()[0], "result", "keySecret") != nil, true)
}
