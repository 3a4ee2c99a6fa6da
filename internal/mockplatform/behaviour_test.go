package mockplatform_test

import (
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

func TestMembersAreOmitted(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		rule mockplatform.Sparse
		want string
	}{
		"an object":                    {mockplatform.Sparse{Path: "f"}, `{"a":"","c":false,"e":null,"j":[{"k":0}]}`},
		"a member of any other":        {mockplatform.Sparse{Path: "*.k"}, `{"a":"","c":false,"e":null,"f":{"g":0,"h":{"i":""}},"j":[{}]}`},
		"what is empty, but for zeros": {mockplatform.Sparse{Path: "**", OnlyEmpty: true}, `{"c":false,"f":{"g":0,"h":{}},"j":[{"k":0}]}`},
		"what is empty":                {mockplatform.Sparse{Path: "**", OnlyEmpty: true, Zeros: true}, `{"f":{"h":{}},"j":[{}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, mockplatform.Behaviour{Responses: mockplatform.Responses{Sparse: []mockplatform.Sparse{row.rule}}})
			b.platform.SetService(mockplatform.OtherOrganizationID, mockplatform.Document{
				"id": elsewhere, "a": "", "c": false, "e": nil, "f": map[string]any{"g": 0, "h": map[string]any{"i": ""}}, "j": []any{map[string]any{"k": 0}},
			})
			listed, _ := at(b.send("GET", otherOrgPath, "").body, "result.1").(map[string]any)
			delete(listed, "id")
			equal(t, "list", listed, json.RawMessage(row.want))
			equal(t, "stored", at(b.platform.Service(elsewhere), "f.g"), 0)
		})
	}
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
