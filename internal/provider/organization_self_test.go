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
		"what no PATCH may set": {pipe: mockplatform.PostgresPipeID, body: object{"name": "n"}, console: func(doc mockplatform.Document) { setMember(doc, tableMappings, []any{}) },
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
	const keeps = "- services: a PATCH keeps what it omits.\n- pipes: a PATCH keeps what it omits.\n- pipes, nested: a PATCH keeps what it omits."
	for name, test := range map[string]struct {
		behaviour func(*mockplatform.Behaviour)
		service   bool
		says      []string
	}{
		"the simplest platform": {func(*mockplatform.Behaviour) {}, true, append(strings.Split(keeps, "\n"),
			"- services: a second read equals the response to a PATCH.", "- errors: a pipe that does not exist is HTTP 404, application/json: {",
			"- pipes: the responses contained every field.", "- pipes: none was read with source.cloudStream, source.objectStorage, source.postgres.", `no response had "", {}, 0, null.`,
			"- services: no response contained byocId, ", ", encryptionKey, ", "- alerts: none was read.")},
		"a service is reset": {func(b *mockplatform.Behaviour) { b.Patches.Resets = all }, true,
			[]string{"- services: a PATCH RESETS what it omits (idleScaling was sent alone): idleTimeoutMinutes."}},
		"a pipe is reset": {func(b *mockplatform.Behaviour) { b.Patches.Resets = mockplatform.Resets{TopLevel: true} }, false,
			[]string{"- pipes: a PATCH RESETS what it omits (name was sent alone): destination.columns, fieldMappings", "may have been reset, too: set them again."}},
		"settings are reset": {func(b *mockplatform.Behaviour) { b.Patches.Resets = mockplatform.Resets{Nested: true} }, false,
			[]string{"- pipes: a PATCH RESETS what it omits (settings.streaming_max_insert_wait_ms was sent alone): settings."}},
		"responses are of before": {func(b *mockplatform.Behaviour) { b.Responses.PatchResult = mockplatform.ResultBefore }, true,
			[]string{"- services: a second read differs from the response to a PATCH: idleTimeoutMinutes is another.", "- pipes: a second read differs from the response to a PATCH: name is another, updatedAt is another."}},
		"responses have no result": {func(b *mockplatform.Behaviour) { b.Responses.PatchResult = mockplatform.ResultMissing }, true,
			[]string{"- services: the response to a PATCH has no result.", "- pipes: the response to a PATCH has no result."}},
		"empty values are omitted": {func(b *mockplatform.Behaviour) {
			b.Responses.Sparse = []mockplatform.Sparse{{Path: "**", OnlyEmpty: true, Zeros: true, EmptyObjects: true}}
		}, true, []string{"- empty values: no response had one, so they seem to be omitted.", "isReadonly"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.Configure(test.behaviour)
			o, learned := f.organization(), newFindings()
			if test.service {
				learned.about(o.theService(mockplatform.ServiceID))
			}
			if learned.resets == "" {
				learned.about(o.thePipe(mockplatform.ServiceID, mockplatform.KafkaPipeID))
			}
			learned.aboutErrors(o, mockplatform.ServiceID)
			wantText(t, strings.Join(learned.lines(), "\n"), test.says...)
		})
	}
}
