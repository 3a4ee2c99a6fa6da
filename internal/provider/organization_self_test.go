package provider

import (
	"net/http"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// The tests of what a run on an organization rests on: it begins with whole settings,
// puts back what it changed or says what stands changed, and reads the platform's
// behavior as it is.

func TestAcceptanceSettings(t *testing.T) {
	t.Parallel()
	const (
		management = "BASE_URL=https://api.example.com ORGANIZATION_ID=" + mockplatform.OrganizationID + " KEY_ID=k KEY_SECRET=s "
		alerts     = "ALERTS_BASE_URL=https://x ALERTS_ACCESS_TOKEN=t "
	)
	for set, problem := range map[string]string{
		"":                             "DATAPLATFORM_ALERTS_BASE_URL",
		"BASE_URL=https://x KEY_ID=k":  "DATAPLATFORM_ORGANIZATION_ID, DATAPLATFORM_KEY_SECRET.",
		alerts + "TEST_CREATE_KEY=1":   "DATAPLATFORM_BASE_URL, DATAPLATFORM_ORGANIZATION_ID, DATAPLATFORM_KEY_ID, DATAPLATFORM_KEY_SECRET.",
		management + "TEST_ALERT_ID=a": "DATAPLATFORM_ALERTS_BASE_URL, DATAPLATFORM_ALERTS_ACCESS_TOKEN.",
		"BASE_URL=http://x":            "DATAPLATFORM_BASE_URL is not valid",
		management + "TEST_PIPE_IDS=" + mockplatform.KafkaPipeID: "DATAPLATFORM_TEST_PIPE_IDS",
		management + "TEST_CREATE_KEY=0":                         "DATAPLATFORM_TEST_CREATE_KEY",
		management + "TEST_CREATE_KEY=1 TEST_SERVICE_ID=" + mockplatform.ServiceID + " TEST_PIPE_IDS=" + mockplatform.ServiceID + "/" + mockplatform.KafkaPipeID: "",
		alerts + "TEST_ALERT_ID=a": "",
	} {
		settings, said := acceptanceSettings(func(name string) string {
			for field := range strings.FieldsSeq(set) {
				if variable, value, _ := strings.Cut(field, "="); "DATAPLATFORM_"+variable == name {
					return value
				}
			}
			return ""
		})
		if !strings.Contains(said, problem) || (said == "") != (problem == "") || (said == "") != (settings != nil) {
			t.Errorf("%s: %q, want %q", set, said, problem)
		}
	}
}

func TestProbe(t *testing.T) {
	f := newFixture(t)
	o := f.organization()
	if problem := o.probe(t.Context(), mockplatform.AlertID); problem != "" {
		t.Error(problem)
	}
	f.ResetJournal()
	o.settings["key_secret"] = "wrong-secret"
	wantText(t, o.probe(t.Context(), ""), "HTTP 401")
	f.wantRequests("GET services")
}

func TestPutBack(t *testing.T) {
	const kafka, postgres, storage = mockplatform.KafkaPipeID, mockplatform.PostgresPipeID, mockplatform.ObjectStoragePipeID
	for name, test := range map[string]struct {
		pipe     string // "" for a service
		body     object
		console  object   // what the console changes as well
		rejected string   // the method of the requests that are rejected from then on
		says     []string // of what stands changed
	}{
		"a service":             {"", object{"numReplicas": 4}, nil, "", nil},
		"a pipe":                {kafka, object{"name": "n", "settings": object{"engine_max_threads": 3}}, nil, "", nil},
		"rejected":              {kafka, object{"name": "n"}, nil, http.MethodPatch, []string{kafka, `name = "orders".`, "HTTP 403"}},
		"unreadable":            {kafka, object{"name": "n"}, nil, http.MethodGet, []string{kafka, `name = "orders"`, "HTTP 403"}},
		"what no PATCH may set": {postgres, object{"name": "n"}, object{tableMappings: []any{}}, "", []string{tableMappings + " = [{", `"targetTable":"customers"`}},
		"a secret":              {storage, object{"name": "n"}, object{"source.objectStorage.connectionString": "other"}, "", []string{"connectionString = a secret"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.Configure(func(b *mockplatform.Behaviour) { // the platform resets what a PATCH omits, unless somebody else changes it
				b.Patches.Resets = mockplatform.Resets{TopLevel: test.says == nil, Nested: test.says == nil, To: mockplatform.ToEmpty}
			})
			changed := f.organization().theService(mockplatform.ServiceID)
			if test.pipe != "" {
				changed = f.organization().thePipe(mockplatform.ServiceID, test.pipe)
			}
			changed.patch(test.body)
			set := func(values object) {
				f.UpdatePipe(test.pipe, func(doc mockplatform.Document) {
					for path, value := range values {
						setMember(doc, path, value)
					}
				})
			}
			set(test.console)
			if test.rejected != "" {
				f.Inject(mockplatform.Fault{Method: test.rejected, Status: http.StatusForbidden, Times: mockplatform.Always})
			}
			err := changed.putBack(t.Context())
			f.ClearFaults()
			if (err == nil) != (test.says == nil) {
				t.Fatalf("error %v, want %q", err, test.says)
			}
			if err != nil {
				wantText(t, err.Error(), test.says...)
				wantNoText(t, err.Error(), "BlobEndpoint", "demo-key-secret")
				set(leaves(changed.before)) // for the test's own end
			} else if moved := changed.moved(changed.before, changed.now()); len(moved) > 0 {
				t.Errorf("not as before: %q", moved)
			}
		})
	}
}

// TestOpenQuestions has platforms of which the answers are known.
func TestOpenQuestions(t *testing.T) {
	const (
		ofService = "services: fields that a PATCH of idleScaling alone resets"
		ofName    = "pipes: fields that a PATCH of name alone resets"
		ofSetting = "pipes: fields that a PATCH of settings.streaming_max_insert_wait_ms alone resets"
		service   = "services: fields that a read after a PATCH has otherwise than its response"
		pipe      = "pipes: fields that a read after a PATCH has otherwise than its response"
		empty     = "empty values that responses had"
	)
	type answers = map[string]string // the beginning of the first one to each question, "" for none
	for name, test := range map[string]struct {
		resets    mockplatform.Resets
		responses mockplatform.Responses
		answers   answers
	}{
		"the simplest platform": {answers: answers{ofService: "", ofName: "", ofSetting: "", service: "", pipe: "", empty: "[]", "a pipe that does not exist": "HTTP 404, application/json: {"}},
		"a service is reset":    {resets: mockplatform.Resets{TopLevel: true, Nested: true}, answers: answers{ofService: "idleTimeoutMinutes"}},
		"settings are reset":    {resets: mockplatform.Resets{Nested: true}, answers: answers{ofName: "", ofSetting: "settings."}},
		"responses are of before": {
			responses: mockplatform.Responses{PatchResult: mockplatform.ResultBefore}, answers: answers{service: "idleTimeoutMinutes", pipe: "name"},
		},
		"responses have no result": {responses: mockplatform.Responses{PatchResult: mockplatform.ResultMissing}, answers: answers{service: "everything"}},
		"empty values are omitted": {
			responses: mockplatform.Responses{Sparse: []mockplatform.Sparse{{Path: "**", OnlyEmpty: true, Zeros: true, EmptyObjects: true}}},
			answers:   answers{empty: "", "services: fields that no response had": "availablePrivateEndpointIds"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.Configure(func(b *mockplatform.Behaviour) { b.Patches.Resets, b.Responses = test.resets, test.responses })
			o, learned := f.organization(), newFindings()
			learned.about(o.theService(mockplatform.ServiceID))
			if learned.resets == "" {
				learned.about(o.thePipe(mockplatform.ServiceID, mockplatform.KafkaPipeID))
			}
			_ = learned.lines()
			for question, want := range test.answers {
				if got := learned.answers[question]; (len(got) == 0) != (want == "") || want != "" && !strings.HasPrefix(got[0], want) {
					t.Errorf("%s: %q, want %q", question, got, want)
				}
			}
		})
	}
}
