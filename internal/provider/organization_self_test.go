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
	management := "BASE_URL=https://api.example.com ORGANIZATION_ID=" + mockplatform.OrganizationID + " KEY_ID=k KEY_SECRET=s "
	for set, says := range map[string]string{
		"":                                       "Set DATAPLATFORM_BASE_URL, DATAPLATFORM_ORGANIZATION_ID, DATAPLATFORM_KEY_ID and DATAPLATFORM_KEY_SECRET",
		"TEST_CREATE_KEY=1":                      "Set DATAPLATFORM_BASE_URL",
		"BASE_URL=https://x KEY_ID=k":            "Not set: DATAPLATFORM_ORGANIZATION_ID, DATAPLATFORM_KEY_SECRET.",
		management + "ALERTS_BASE_URL=https://x": "Not set: DATAPLATFORM_ALERTS_ACCESS_TOKEN.",
		"ALERTS_BASE_URL=https://x ALERTS_ACCESS_TOKEN=t TEST_CREATE_KEY=1":        "Not set: DATAPLATFORM_BASE_URL, DATAPLATFORM_ORGANIZATION_ID, DATAPLATFORM_KEY_ID, DATAPLATFORM_KEY_SECRET.",
		management + "TEST_ALERT_ID=a":                                             "Not set: DATAPLATFORM_ALERTS_BASE_URL, DATAPLATFORM_ALERTS_ACCESS_TOKEN.",
		strings.Replace(management, "https", "http", 1):                            "DATAPLATFORM_BASE_URL: the URL must use https",
		management + "TEST_SERVICE_ID=events-eu":                                   `DATAPLATFORM_TEST_SERVICE_ID must be a UUID, got "events-eu".`,
		management + "TEST_PIPE_IDS=" + mockplatform.KafkaPipeID:                   "DATAPLATFORM_TEST_PIPE_IDS must be SERVICE_ID/PIPE_ID",
		management + "TEST_CREATE_KEY=yes":                                         `DATAPLATFORM_TEST_CREATE_KEY must be 1, got "yes".`,
		management + "TEST_CREATE_KEY=1 TEST_SERVICE_ID=" + mockplatform.ServiceID: "",
		"ALERTS_BASE_URL=https://x ALERTS_ACCESS_TOKEN=t TEST_ALERT_ID=a":          "",
	} {
		_, problem := acceptanceSettings(func(name string) string {
			for field := range strings.FieldsSeq(set) {
				if variable, value, _ := strings.Cut(field, "="); "DATAPLATFORM_"+variable == name {
					return value
				}
			}
			return ""
		})
		if says == "" && problem != "" || !strings.HasPrefix(problem, says) || strings.Contains(problem, "\n") {
			t.Errorf("%s: %q, want %q", set, problem, says)
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
	o.organizationSettings["key_secret"] = "wrong-secret"
	problem := o.probe(t.Context(), "")
	wantText(t, problem, "The platform rejected the credentials. No test ran, and nothing was changed.", "HTTP 401")
	wantNoText(t, problem, "wrong-secret")
	f.wantRequests("GET services")
}

func TestPutBack(t *testing.T) {
	pipes := "/" + mockplatform.KafkaPipeID
	for name, test := range map[string]struct {
		pipe    string // "" for a service
		resets  bool
		body    object
		console func(mockplatform.Document)
		fault   mockplatform.Fault
		says    []string
	}{
		"a service":             {body: object{"idleTimeoutMinutes": 99, "numReplicas": 4}},
		"a service that resets": {resets: true, body: object{"numReplicas": 4}},
		"a pipe":                {pipe: mockplatform.KafkaPipeID, body: object{"name": "n", "settings": object{"engine_max_threads": 3}}},
		"a pipe that resets":    {pipe: mockplatform.KafkaPipeID, resets: true, body: object{"name": "n"}},
		"a pipe that resets what was right": {
			pipe: mockplatform.KafkaPipeID, resets: true,
			console: func(doc mockplatform.Document) { doc["name"] = "n" },
		},
		"rejected": {pipe: mockplatform.KafkaPipeID, body: object{"name": "n"}, fault: mockplatform.Fault{Method: http.MethodPatch, Status: http.StatusForbidden, Times: mockplatform.Always},
			says: []string{"pipe " + mockplatform.KafkaPipeID + " may stand changed", `Before the test it had name = "orders".`, "HTTP 403"}},
		"unreadable": {pipe: mockplatform.KafkaPipeID, body: object{"name": "n"}, fault: mockplatform.Fault{Method: http.MethodGet, Path: pipes, Status: http.StatusForbidden, Times: mockplatform.Always},
			says: []string{"pipe " + mockplatform.KafkaPipeID, `name = "orders"`, "HTTP 403"}},
		"what no PATCH may set": {pipe: mockplatform.PostgresPipeID, body: object{"name": "n"}, console: unmap,
			says: []string{"source.postgres.tableMappings = [{", `"targetTable":"customers"`, "kept others"}},
		"a secret": {pipe: mockplatform.ObjectStoragePipeID, body: object{"name": "n"},
			console: func(doc mockplatform.Document) { setMember(doc, "source.objectStorage.connectionString", "other") },
			says:    []string{"source.objectStorage.connectionString = a secret, which is not shown"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			if test.resets {
				f.Configure(func(b *mockplatform.Behaviour) {
					b.Patches.Resets = mockplatform.Resets{TopLevel: true, Nested: true, To: mockplatform.ToEmpty}
				})
			}
			o := f.organization()
			var changed *subject
			if test.pipe == "" {
				changed = o.theService(mockplatform.ServiceID)
			} else {
				changed = o.thePipe(mockplatform.ServiceID, test.pipe)
			}
			if test.body != nil {
				changed.patch(test.body)
			}
			if test.console != nil {
				f.UpdatePipe(test.pipe, test.console)
			}
			if test.fault.Status != 0 {
				f.Inject(test.fault)
			}
			err := changed.putBack(t.Context())
			f.ClearFaults()
			if len(test.says) == 0 {
				if moved := changed.moved(changed.before, changed.now()); err != nil || len(moved) > 0 {
					t.Errorf("%v; not as before: %q", err, moved)
				}
				return
			}
			if err == nil {
				t.Fatal("nothing is said of what stands changed")
			}
			wantText(t, err.Error(), test.says...)
			wantNoText(t, err.Error(), "BlobEndpoint", "demo-key-secret")
			if test.console != nil {
				f.UpdatePipe(test.pipe, func(doc mockplatform.Document) { // for the test's own end
					for path, value := range leaves(changed.before) {
						setMember(doc, path, value)
					}
				})
			}
		})
	}
}

func TestOpenQuestions(t *testing.T) {
	all := mockplatform.Resets{TopLevel: true, Nested: true}
	for name, test := range map[string]struct {
		behaviour func(*mockplatform.Behaviour)
		noun      string
		omitted   string
		responses string
	}{
		"a service is kept": {func(*mockplatform.Behaviour) {}, "service", isKept, isRead},
		"a pipe is kept":    {func(*mockplatform.Behaviour) {}, "pipe", isKept, isRead},
		"a service is reset": {func(b *mockplatform.Behaviour) { b.Patches.Resets = all }, "service",
			"IS RESET by a PATCH of idleScaling: idleTimeoutMinutes", isRead},
		"a pipe is reset": {func(b *mockplatform.Behaviour) { b.Patches.Resets = mockplatform.Resets{TopLevel: true} }, "pipe",
			"IS RESET by a PATCH of name: destination.columns, fieldMappings", isRead},
		"settings are reset": {func(b *mockplatform.Behaviour) { b.Patches.Resets = mockplatform.Resets{Nested: true} }, "pipe",
			"IS RESET by a PATCH of settings.streaming_max_insert_wait_ms: settings.", isRead},
		"responses are of before": {func(b *mockplatform.Behaviour) { b.Responses.PatchResult = mockplatform.ResultBefore }, "service",
			isKept, "differs from a read after it: idleTimeoutMinutes"},
		"responses have no result": {func(b *mockplatform.Behaviour) { b.Responses.PatchResult = mockplatform.ResultMissing }, "service",
			isKept, noResult},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.Configure(test.behaviour)
			o, learned := f.organization(), newFindings()
			s := o.theService(mockplatform.ServiceID)
			if test.noun == "pipe" {
				s = o.thePipe(mockplatform.ServiceID, mockplatform.KafkaPipeID)
			}
			learned.about(s)
			for question, want := range map[string]string{omitted: test.omitted, responses: test.responses} {
				if got := learned.answers[test.noun+question]; len(got) == 0 || !strings.HasPrefix(got[0], want) {
					t.Errorf("%s%s: %q, want %q", test.noun, question, got, want)
				}
			}
			if (learned.resets != "") != (test.omitted != isKept) {
				t.Errorf("resets %q", learned.resets)
			}
		})
	}
}

// What responses omit is a finding, too, and what an error looks like.
func TestFindings(t *testing.T) {
	f := newFixture(t)
	learned := newFindings()
	learned.read(f.organization(), "service", f.organization().services())
	learned.aboutErrors(f.organization(), mockplatform.ServiceID)
	wantText(t, strings.Join(learned.lines(), "\n"), noSuch+": HTTP 404, application/json: {", emptied+": ", "false (service.", "service"+returns+": none")

	f.Configure(func(b *mockplatform.Behaviour) {
		b.Responses.Sparse = []mockplatform.Sparse{{Path: "**", OnlyEmpty: true, Zeros: true, EmptyObjects: true}}
	})
	learned = newFindings()
	learned.read(f.organization(), "alert", alertPath(mockplatform.AlertID))
	wantNoText(t, strings.Join(learned.lines(), "\n"), emptied)
}
