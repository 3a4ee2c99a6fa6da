package provider

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// remapped wants customers anew, a new table, no leads and another host.
const remapped = `
  source = { postgres = {
    host           = "other"
    table_mappings = [
      { source_schema_name = "public", source_table = "customers", target_table = "people", excluded_columns = [] },
      { source_schema_name = "public", source_table = "new", target_table = "new", excluded_columns = [] },
      ` + addressesMapping + `,
    ]
  } }
  source_credentials = { postgres = { username = "u", password_wo = "pass", password_wo_version = 1 } }`

const (
	credentialsBody = `"credentials": {"username": "u", "password": "pass"}`
	leadsKey        = `{"sourceSchemaName": "sales", "sourceTable": "leads", "targetTable": "sales_leads"}`
	newMapping      = `{"sourceSchemaName": "public", "sourceTable": "new", "targetTable": "new", "excludedColumns": [], "useCustomSortingKey": false, "sortingKeys": []}`
	peopleMapping   = `{"sourceSchemaName": "public", "sourceTable": "customers", "targetTable": "people", "excludedColumns": [], "useCustomSortingKey": false, "sortingKeys": []}`

	firstRemap = `{"source": {"postgres": {"host": "other", ` + credentialsBody + `,
  "tableMappingsToRemove": [` + customersKey + `, ` + leadsKey + `], "tableMappingsToAdd": [` + newMapping + `]}}}`
	secondRemap = `{"source": {"postgres": {` + credentialsBody + `, "tableMappingsToAdd": [` + peopleMapping + `]}}}`
)

// TestPipeAmbiguousMappings loses answers to PATCHes that change table
// mappings: what is still needed is worked out from a fresh read, with the
// credentials again.
func TestPipeAmbiguousMappings(t *testing.T) {
	for name, test := range map[string]struct {
		fault   mockplatform.Fault
		patches []string
	}{
		"the first was carried out": {mockplatform.Fault{After: true, Status: http.StatusBadGateway, Body: mockplatform.BodyHTML}, []string{
			firstRemap, `{"source": {"postgres": {` + credentialsBody + `}}}`, secondRemap,
		}},
		"the first was not carried out":              {mockplatform.Fault{Status: http.StatusServiceUnavailable}, []string{firstRemap, firstRemap, secondRemap}},
		"the connection of the first broke":          {mockplatform.Fault{After: true, Reset: true}, []string{firstRemap, `{"source": {"postgres": {` + credentialsBody + `}}}`, secondRemap}},
		"the second was carried out":                 {mockplatform.Fault{After: true, Status: http.StatusInternalServerError, Skip: 1}, []string{firstRemap, secondRemap, `{"source": {"postgres": {` + credentialsBody + `}}}`}},
		"the second's answer was cut in the middle":  {mockplatform.Fault{After: true, Cut: mockplatform.CutBody, CutBytes: 300, Skip: 1}, []string{firstRemap, secondRemap, `{"source": {"postgres": {` + credentialsBody + `}}}`}},
		"the first was turned away without a change": {mockplatform.Fault{Status: http.StatusTooManyRequests}, []string{firstRemap, firstRemap, secondRemap}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.Configure(func(b *mockplatform.Behaviour) { b.Patches.AddsFirst, b.Patches.OneTargetPerTable = true, true })
			fault := test.fault
			fault.Operation = mockplatform.UpdatePipe
			w := f.workspace(f.provider() + onePipe("this", mockplatform.PostgresPipeID, remapped))
			f.Inject(fault)
			w.apply()
			f.wantPatches(mockplatform.PostgresPipeID, test.patches...)
			w.wantEmptyPlan()
			checkPipeState(t, f, thisPipe, w.state(), mockplatform.PostgresPipeID)
		})
	}
}

// TestPipeSecondPatchRefused has the second of two PATCHes fail: the state
// says what the first one did, and the next apply does the rest.
func TestPipeSecondPatchRefused(t *testing.T) {
	f := newFixture(t)
	w := f.workspace(f.provider() + onePipe("this", mockplatform.PostgresPipeID, mappings(customersMapping, addressesMapping, leadsMapping)))
	w.apply()
	f.Inject(mockplatform.Fault{Operation: mockplatform.UpdatePipe, Skip: 1, Status: http.StatusUnprocessableEntity, Message: "not today"})
	w.file("main.tf", f.provider()+onePipe("this", mockplatform.PostgresPipeID, remapped))
	f.ResetJournal()
	out, ok := w.terraform("apply", "-auto-approve", "-input=false")
	if ok {
		t.Fatal(out)
	}
	wantText(t, out, "Cannot update pipe", "not today", "HTTP 422",
		"These are not added yet: - public.customers to people Their excluded columns stay excluded. The API rejected the request that adds them: correct what its message names, then apply again.")
	f.wantPatches(mockplatform.PostgresPipeID, firstRemap, secondRemap)
	checkPipeState(t, f, thisPipe, w.state(), mockplatform.PostgresPipeID)
	f.ResetJournal()
	w.apply()
	f.wantPatches(mockplatform.PostgresPipeID, secondRemap)
	w.wantEmptyPlan()
}

// TestPipeSecretsStaySecret has a platform repeat in its errors what it was
// sent, and looks into all that terraform writes and logs.
func TestPipeSecretsStaySecret(t *testing.T) {
	for _, body := range []mockplatform.BodyKind{mockplatform.BodyEcho, mockplatform.BodyEchoWhole} {
		t.Run(string(body), func(t *testing.T) {
			f := newFixture(t)
			w := f.workspace(f.provider() + `
variable "secret" {
  type      = string
  ephemeral = true
}
` +
				onePipe("kafka", mockplatform.KafkaPipeID, `source_credentials = { kafka = { username = "u", password_wo = "${var.secret}-kafka", password_wo_version = 1 } }`) +
				onePipe("postgres", mockplatform.PostgresPipeID, `source_credentials = { postgres = { username = "u", password_wo = "${var.secret}-postgres", password_wo_version = 1 } }`) +
				onePipe("stream", mockplatform.CloudStreamPipeID, `source_credentials = { cloud_stream = { access_key_id = "a", secret_key_wo = "${var.secret}-stream", secret_key_wo_version = 1 } }`) +
				onePipe("storage", mockplatform.ObjectStoragePipeID, `source_credentials = { object_storage = {
    access_key_id = "a", secret_key_wo = "${var.secret}-storage", secret_key_wo_version = 1
    connection_string_wo = "${var.secret}-string", connection_string_wo_version = 1
  } }`))
			w.env = append(w.env, "TF_LOG=TRACE", "TF_LOG_PATH="+filepath.Join(w.dir, "log"), "TF_VAR_secret=hush/\"hush")
			f.Inject(mockplatform.Fault{Operation: mockplatform.UpdatePipe, Status: http.StatusBadRequest, Body: body, Times: 4})
			out, ok := w.terraform("apply", "-auto-approve", "-input=false")
			if ok {
				t.Fatal(out)
			}
			wantText(t, out, "***")
			again, _ := w.plan()
			applied := w.apply()
			secrets := f.PipeSecrets(mockplatform.ObjectStoragePipeID)
			if got := fmt.Sprint(secrets["objectStorage"]); !strings.Contains(got, `hush/"hush-storage`) || !strings.Contains(got, `hush/"hush-string`) {
				t.Errorf("the platform has %s", got)
			}
			written := map[string]string{"output": out, "plan's output": again, "apply's output": applied}
			written["log"], written["state"], written["plan"] = w.read("log"), w.read("terraform.tfstate"), w.archive("tf.plan")
			written["shown plan"] = toJSON(t, shownPlan(w))
			for name, holds := range map[string]string{"log": "Data Platform request", "state": "secret_key_wo_version", "plan": "secret_key_wo_version", "shown plan": "secret_key_wo_version", "output": "Cannot update pipe"} {
				if !strings.Contains(written[name], holds) {
					t.Errorf("the %s doesn't hold %q: the test looks at nothing", name, holds)
				}
			}
			for name, content := range written {
				if at := strings.Index(content, "hush"); at >= 0 {
					t.Errorf("a secret in the %s: %s", name, content[max(0, at-200):min(len(content), at+100)])
				}
			}
		})
	}
}

func shownPlan(w *workspace) any {
	var plan object
	w.show(&plan, "tf.plan")
	return plan
}

// TestPipeGone takes a pipe away, or puts something in its way.
func TestPipeGone(t *testing.T) {
	f := newFixture(t)
	config := f.provider() + onePipe("this", mockplatform.KafkaPipeID, `name = "orders"`)
	w := f.workspace(config)
	w.apply()
	for name, test := range map[string]struct {
		status int
		body   mockplatform.BodyKind
	}{
		"a gateway's 404": {http.StatusNotFound, mockplatform.BodyHTML},
		"an empty 404":    {http.StatusNotFound, mockplatform.BodyEmpty},
		"forbidden":       {http.StatusForbidden, mockplatform.BodyJSON},
		"unavailable":     {http.StatusNotImplemented, mockplatform.BodyText},
	} {
		t.Run(name, func(t *testing.T) {
			w := w.in(t)
			f.Inject(mockplatform.Fault{Operation: mockplatform.GetPipe, Status: test.status, Body: test.body, Times: mockplatform.Always})
			out := w.refused(thisPipe, "apply", "-refresh-only", "-auto-approve", "-input=false")
			f.ClearFaults()
			wantText(t, out, "Cannot read pipe", fmt.Sprintf("HTTP %d", test.status))
			if len(w.state()) != 1 {
				t.Error("the pipe left the state")
			}
		})
	}
	t.Run("a base URL with a wrong path", func(t *testing.T) {
		w := w.in(t)
		w.file("main.tf", strings.Replace(config, f.url, f.url+"/wrong", 1))
		wantText(t, w.refused(thisPipe, "apply", "-refresh-only", "-auto-approve", "-input=false"), "Cannot read pipe", "HTTP 404", "path not found")
		if len(w.state()) != 1 {
			t.Error("the pipe left the state")
		}
	})
	w.file("main.tf", config)
	doc := f.Pipe(mockplatform.KafkaPipeID)
	f.RemovePipe(mockplatform.KafkaPipeID)
	out, ok := w.terraform("apply", "-refresh-only", "-auto-approve", "-input=false")
	if !ok {
		t.Fatal(out)
	}
	wantText(t, out, `The pipe "orders" (`+mockplatform.KafkaPipeID+") is gone")
	if len(w.state()) != 0 {
		t.Error("the pipe is still in the state")
	}
	out, ok = w.terraform("plan", "-input=false")
	if ok {
		t.Fatal(out)
	}
	wantText(t, out, "No such pipe", "Check pipe_id, service_id and organization_id.")
	f.SetPipe(doc)
	w.apply()

	f.ResetJournal()
	out, ok = w.terraform("apply", "-destroy", "-auto-approve", "-input=false")
	if !ok {
		t.Fatal(out)
	}
	if n := strings.Count(out, `pipe "orders" (`+mockplatform.KafkaPipeID+"), which keeps its current settings on the platform."); n != 2 {
		t.Errorf("%d warnings, want one in the plan and one in the apply:\n%s", n, out)
	}
	f.wantWrites()
}

// TestResponsesRepeatSecrets has the platform repeat the provider's secret in a field
// that is read, and a password in other fields of its response to an update: no message
// repeats them.
func TestResponsesRepeatSecrets(t *testing.T) {
	f := newFixture(t)
	arguments := `name = "n"
  source             = { postgres = { host = "h2" } }
  source_credentials = { postgres = { username = "bob", password_wo = "hush-hush", password_wo_version = 1 } }`
	w := f.workspace(f.provider() + onePipe("this", mockplatform.PostgresPipeID, arguments))
	f.UpdatePipe(mockplatform.PostgresPipeID, func(doc mockplatform.Document) { setMember(doc, "source.postgres.host", "demo-key-secret.example") })
	planned := w.planText()
	wantText(t, planned, `source.postgres.host (currently "***.example")`)
	wantNoText(t, planned, "demo-key-secret")
	for _, test := range []struct{ path, says string }{
		{"result.source.postgres.host", "API stored a different value for source.postgres.host"},
		{"result.source.postgres.database", "also changed unmanaged values"},
	} {
		repeat := func(body mockplatform.Document) { setMember(body, test.path, "postgres://bob:hush-hush@h2/d") }
		f.Inject(mockplatform.Fault{Operation: mockplatform.UpdatePipe, Edit: repeat})
		// The read after those of plan and apply, if there is one.
		f.Inject(mockplatform.Fault{Operation: mockplatform.GetPipe, Skip: 2, Edit: repeat})
		out, _ := w.terraform("apply", "-auto-approve", "-input=false")
		wantText(t, folded(out), test.says, "postgres://bob:***@h2/d")
		wantNoText(t, out, "hush-hush")
		f.ClearFaults()
	}
}
