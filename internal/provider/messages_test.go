package provider

import (
	"regexp"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

var anyUUID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// TestErrorsAreReadable has what only a read can reject, each with what is wrong and what
// to do about it. Nothing is sent but reads.
func TestErrorsAreReadable(t *testing.T) {
	const nowhere = "49999999-0000-4000-8000-000000000009"
	f := newFixture(t)
	says := map[string][]string{
		"dataplatform_pipe.gone":               {"No such pipe", "There is no pipe " + nowhere + " of service " + mockplatform.ServiceID + " in organization " + mockplatform.OrganizationID + ": the API returned HTTP 404 Not Found (request ID ", "): pipe not found. This resource adopts an existing pipe and cannot create one. Check pipe_id, service_id and organization_id. If the pipe was deleted, remove this resource from the configuration, or create the pipe in the platform's console and set its ID here."},
		"dataplatform_service_scaling.gone":    {"No such service", "There is no service " + nowhere + " in organization " + mockplatform.OrganizationID + ": two consecutive lists of its services omit it. This resource adopts an existing service and cannot create one. Check service_id and organization_id. If the service was deleted, remove this resource"},
		"dataplatform_service_scaling.theirs":  {"No such service", "There is no service " + mockplatform.ServiceID + " in organization " + mockplatform.OtherOrganizationID + ": "},
		"dataplatform_pipe.kind":               {"Pipe has another kind of source", `the source of pipe "orders" (` + mockplatform.KafkaPipeID + ") is kafka", "Set source.kafka instead, or set pipe_id to that of a pipe whose source is postgres."},
		"dataplatform_pipe.kind_of_credential": {"Pipe has another kind of source", "Set source_credentials.kafka instead"},
		"dataplatform_pipe.mapping":            {`Pipe "customers" (`, "has other table mappings", "- public.addresses to addresses: not in the configuration - public.customers to customers: another excluded_columns", "Nothing was sent. Import the pipe: the plan of an import shows each change.", "import { to = dataplatform_pipe.NAME id = \"" + mockplatform.OrganizationID + "/" + mockplatform.ServiceID + "/" + mockplatform.PostgresPipeID + "\" }"},
	}
	w := f.workspace(f.provider() +
		strings.Replace(scalingConfig(nowhere, ""), `"this"`, `"gone"`, 1) +
		strings.Replace(scalingConfig(mockplatform.ServiceID, `organization_id = "`+mockplatform.OtherOrganizationID+`"`), `"this"`, `"theirs"`, 1) +
		onePipe("gone", nowhere, "") +
		onePipe("kind", mockplatform.KafkaPipeID, `source = { postgres = { port = 1 } }`) +
		onePipe("kind_of_credential", mockplatform.KafkaPipeID, `source_credentials = { postgres = { username = "u", password_wo_version = 1 } }`) +
		onePipe("mapping", mockplatform.PostgresPipeID, mappings(wanted("public.customers", "customers", "excluded_columns = [], use_custom_sorting_key = true, sorting_keys = [\"country\", \"id\"]"))))
	said := w.diagnostics("plan", "-input=false")
	for address, texts := range says {
		if errors := said[address].errors; len(errors) != 1 {
			t.Errorf("%d errors about %s, want 1: %q", len(errors), address, errors)
		} else {
			wantText(t, folded(errors[0]), texts...)
			if address != "dataplatform_pipe.mapping" { // which ends with a block to copy
				wantReadable(t, errors[0])
			}
		}
	}
	f.wantWrites()
}

// wantReadable fails unless an error is sentences that name an ID once.
func wantReadable(t *testing.T, text string) {
	t.Helper()
	text = folded(text)
	wantNoText(t, text, "..", "bug", "error in the provider")
	for _, id := range anyUUID.FindAllString(text, -1) {
		if strings.Count(text, id) > 1 {
			t.Errorf("%s stands %d times in %s", id, strings.Count(text, id), text)
		}
	}
	if !strings.HasSuffix(text, ".") && !strings.HasSuffix(text, "]") {
		t.Errorf("no sentence: %s", text)
	}
}

// TestOutage plans a pipe and a service while nothing works: each error can be read alone.
func TestOutage(t *testing.T) {
	for name, test := range map[string]struct {
		fault  mockplatform.Fault
		secret string
		says   []string
	}{
		"failing":        {mockplatform.Fault{Status: 503}, "demo-key-secret", []string{"HTTP 503 Service Unavailable"}},
		"not responding": {mockplatform.Fault{Reset: true}, "demo-key-secret", []string{"Check base_url, and HTTPS_PROXY if it is set."}},
		"wrong secret":   {mockplatform.Fault{Operation: "none"}, "wrong-secret", []string{"HTTP 401 Unauthorized", "Check key_id and key_secret. The key may be wrong"}},
	} {
		t.Run(name, inBubble(func(t *testing.T, f *fixture) {
			test.fault.Times = mockplatform.Always
			f.Inject(test.fault)
			s := f.start(map[string]any{"key_secret": test.secret})
			for _, b := range []*managed{f.pipe(mockplatform.KafkaPipeID, ""), f.scaling(mockplatform.ServiceID, "")} {
				b.refuses(b.tryPlan(s), append(test.says, "Cannot read ", "Tried to ", " at "+f.url+". ")...)
			}
		}))
	}
}
