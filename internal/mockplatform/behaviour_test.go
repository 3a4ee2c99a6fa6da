package mockplatform_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

func TestMembersAreOmitted(t *testing.T) {
	t.Parallel()
	const role = "source.kafka.iamRole"
	for _, path := range []string{role, "source.kafka", "source.*.iamRole"} {
		b := newBench(t, mockplatform.Behaviour{Responses: mockplatform.Responses{Sparse: []mockplatform.Sparse{{Path: path}}}})
		equal(t, path, at(b.must("GET", kafkaPath, ""), role), nil)
		equal(t, path+" in a PATCH", at(b.must("PATCH", kafkaPath, `{"name":"n"}`), role), nil)
		equal(t, "stored role", at(b.platform.Pipe(mockplatform.KafkaPipeID), role), "role:orders-reader")
	}
}

func TestEmptyMembersAreOmitted(t *testing.T) {
	t.Parallel()
	for zeros, want := range map[bool]string{
		false: `{"c":false,"d":0,"f":{"g":0,"h":{}},"j":[{"k":0}],"l":1}`,
		true:  `{"f":{"h":{}},"j":[{}],"l":1}`, // like omitempty
	} {
		rule := mockplatform.Sparse{Path: "**", OnlyEmpty: true, Zeros: zeros}
		b := newBench(t, mockplatform.Behaviour{Responses: mockplatform.Responses{Sparse: []mockplatform.Sparse{rule}}})
		b.platform.SetService(mockplatform.OtherOrganizationID, mockplatform.Document{
			"id": elsewhere, "a": "", "b": []any{}, "c": false, "d": 0.0, "e": nil,
			"f": map[string]any{"g": 0, "h": map[string]any{"i": ""}}, "j": []any{map[string]any{"k": 0}}, "l": 1,
		})
		listed, _ := at(b.send("GET", otherOrgPath, "").body, "result.1").(map[string]any)
		delete(listed, "id")
		equal(t, "list", listed, json.RawMessage(want))
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
	equal(t, "ordered list", at(second, "destination.columns.0.name"), "order_id")
}

func TestRequestsAboveTheLimitAreRejected(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // in which a minute begins
		b := newBench(t, mockplatform.Behaviour{RateLimit: mockplatform.RateLimit{PerSecond: 2.0 / 60, Window: time.Minute}})
		get := func() response { return b.send("GET", servicesPath, "") }
		time.Sleep(50 * time.Second)
		equal(t, "in the window", []int{get().status, get().status}, []int{200, 200})
		rejected := get()
		equal(t, "above the limit", []any{rejected.status, rejected.header.Get("Retry-After")}, []any{429, "10"})
		time.Sleep(10 * time.Second)
		equal(t, "in the next window", get().status, 200)
	})
}
