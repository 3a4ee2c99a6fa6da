package mockplatform_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

func TestMembersAreOmitted(t *testing.T) {
	t.Parallel()
	const role = "source.kafka.iamRole"
	for _, row := range []struct {
		name string
		rule mockplatform.Sparse
		// Which responses to a GET, a PATCH and another GET lack the role.
		lacking [3]bool
	}{
		{"always", mockplatform.Sparse{Path: role}, [3]bool{true, true, true}},
		{"once", mockplatform.Sparse{Path: role, Times: 1}, [3]bool{true, false, false}},
		{"the first PATCH", mockplatform.Sparse{Path: role, Times: 1, Operations: []mockplatform.Operation{mockplatform.UpdatePipe}}, [3]bool{false, true, false}},
		{"reads", mockplatform.Sparse{Path: role, Operations: []mockplatform.Operation{mockplatform.GetPipe}}, [3]bool{true, false, true}},
		{"the whole kind", mockplatform.Sparse{Path: "source.kafka"}, [3]bool{true, true, true}},
		{"any kind", mockplatform.Sparse{Path: "source.*.iamRole"}, [3]bool{true, true, true}},
		{"while the name is", mockplatform.Sparse{Path: role, While: "name", Is: "orders"}, [3]bool{true, false, false}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, mockplatform.Behaviour{Responses: mockplatform.Responses{Sparse: []mockplatform.Sparse{row.rule}}})
			var lacking [3]bool
			for i, result := range []map[string]any{
				b.must("GET", kafkaPath, ""), b.must("PATCH", kafkaPath, `{"name":"n"}`), b.must("GET", kafkaPath, ""),
			} {
				lacking[i] = at(result, role) == nil
			}
			equal(t, "lacking", lacking, row.lacking)
			equal(t, "stored role", at(b.platform.Pipe(mockplatform.KafkaPipeID), role), "role:orders-reader")
		})
	}
}

func TestEmptyMembersAreOmitted(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		rule mockplatform.Sparse
		list string // what a list returns of the members below
	}{
		{"empty members", mockplatform.Sparse{Path: "**", OnlyEmpty: true}, `{"c":false,"d":0,"f":{"g":0,"h":{}},"j":[{"k":0}],"l":1}`},
		{"like omitempty", mockplatform.Sparse{Path: "**", OnlyEmpty: true, Zeros: true}, `{"f":{"h":{}},"j":[{}],"l":1}`},
		{"empty objects as well", mockplatform.Sparse{Path: "**", OnlyEmpty: true, Zeros: true, EmptyObjects: true}, `{"j":[{}],"l":1}`},
		{"of one object", mockplatform.Sparse{Path: "f.*", OnlyEmpty: true, Zeros: true}, `{"a":"","b":[],"c":false,"d":0,"e":null,"f":{"h":{"i":""}},"j":[{"k":0}],"l":1}`},
		{"null", mockplatform.Sparse{Path: "**", OnlyEmpty: true, Zeros: true, Null: true}, `{"a":null,"b":null,"c":null,"d":null,"e":null,"f":{"g":null,"h":{"i":null}},"j":[{"k":null}],"l":1}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, mockplatform.Behaviour{Responses: mockplatform.Responses{Sparse: []mockplatform.Sparse{row.rule}}})
			b.platform.SetService(mockplatform.OtherOrganizationID, mockplatform.Document{
				"id": elsewhere, "a": "", "b": []any{}, "c": false, "d": 0.0, "e": nil,
				"f": map[string]any{"g": 0, "h": map[string]any{"i": ""}}, "j": []any{map[string]any{"k": 0}}, "l": 1,
			})
			listed, _ := at(b.send("GET", otherOrgPath, "").body, "result.1").(map[string]any)
			delete(listed, "id")
			equal(t, "list", listed, json.RawMessage(row.list))
		})
	}
}

func TestWholeNumbersAreSpelledOtherwise(t *testing.T) {
	t.Parallel()
	for spelling, texts := range map[mockplatform.NumberSpelling][]string{
		mockplatform.NumbersAsFloats:    {`"status":200.0`, `"replicas":2.0`, `"replicaMemoryGb":0.5,`, `"object_storage_max_insert_bytes":10737418240.0`},
		mockplatform.NumbersAsExponents: {`"status":200e0`, `"replicas":2e0`, `"replicaMemoryGb":0.5,`, `"port":`},
	} {
		b := newBench(t, mockplatform.Behaviour{Responses: mockplatform.Responses{Numbers: spelling}})
		text := b.send("GET", kafkaPath, "").text + b.send("GET", servicesPath, "").text
		for _, want := range texts {
			wantPart(t, text, want)
		}
	}
}

func TestUnknownMembersAreAdded(t *testing.T) {
	t.Parallel()
	out := newBench(t, mockplatform.Behaviour{Responses: mockplatform.Responses{UnknownMembers: true}}).send("GET", kafkaPath, "")
	for _, parent := range []string{"", "result.", "result.source.kafka.schemaRegistry.", "result.destination.columns.0."} {
		equal(t, "member of a later version", at(out.body, parent+"addedLater"), "text")
	}
	equal(t, "known member", at(out.body, "result.name"), "orders")
	before, known, after := strings.Index(out.text, `"RESULT":`), strings.Index(out.text, `"result":`), strings.Index(out.text, `"Result":`)
	if before < 0 || known < before || after < known {
		t.Errorf("other letter cases at %d and %d, around %d", before, after, known)
	}
}

func TestSetsAreShuffledAndRepeated(t *testing.T) {
	t.Parallel()
	b := newBench(t, mockplatform.Behaviour{Responses: mockplatform.Responses{ShuffleSets: true, RepeatSetElements: true}})
	const endpoints = "source.kafka.reversePrivateEndpointIds"
	first, second := b.must("GET", kafkaPath, ""), b.must("GET", kafkaPath, "")
	equal(t, "elements", size(first, endpoints), 3)
	equal(t, "first element again", at(first, endpoints+".2"), at(first, endpoints+".0"))
	if reflect.DeepEqual(at(first, endpoints), at(second, endpoints)) {
		t.Errorf("the same order twice: %v", at(first, endpoints))
	}
	equal(t, "mappings", size(b.must("GET", postgresPath, ""), "source.postgres.tableMappings"), 4)
	equal(t, "addresses", size(b.send("GET", servicesPath, "").body, "result.2.ipAccessList"), 4)
	equal(t, "roles", size(b.must("POST", keysPath, `{"name":"a","roles":["admin","developer"]}`), "key.roles"), 3)
	equal(t, "ordered list", at(second, "destination.columns.0.name"), "order_id")
}

func TestEnvelopeLacksMembers(t *testing.T) {
	t.Parallel()
	b := newBench(t, mockplatform.Behaviour{Responses: mockplatform.Responses{OmitEnvelope: []string{"status", "requestId"}, KeyState: true}})
	equal(t, "envelope", len(b.send("GET", servicesPath, "").body), 1)
	created := b.must("POST", keysPath, keyBody)
	equal(t, "state", at(created, "key.state"), "enabled")
}
