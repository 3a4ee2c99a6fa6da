package provider

import (
	"fmt"
	"regexp"
	"slices"
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

// TestGoneAndStillConfigured has what a plan says of a pipe that is gone: that it is, and in
// the error that follows what to do. TestScalingGone has a service.
func TestGoneAndStillConfigured(t *testing.T) {
	f := newFixture(t)
	b := f.pipe(mockplatform.KafkaPipeID, "")
	b.apply()
	f.RemovePipe(b.id)
	r := b.tryPlan(b.start())
	wantWarning(t, r.warnings, fmt.Sprintf("The pipe %q (%s) is gone: The API no longer returns it in organization %s (HTTP 404, request ID ", "orders", b.id, mockplatform.OrganizationID))
	wantText(t, folded(r.warnings[0]), "so Terraform treats it as deleted. If it should exist, check organization_id and base_url before you apply. Otherwise remove it from the configuration.")
	b.refuses(r, "No such pipe: There is no pipe "+b.id, "remove this resource from the configuration, or create the pipe in the platform's console and set its ID here.")
}

// TestWarningsNameTheirObject collects the warnings of many kinds: each names
// what it is about by name and id, and no two objects share a summary but where
// it is said of all alike.
func TestWarningsNameTheirObject(t *testing.T) {
	f := newFixture(t)
	f.Configure(func(b *mockplatform.Behaviour) {
		b.AllowSingleReplica = true
		b.Patches.Rewrites = []mockplatform.Rewrite{{Operation: mockplatform.UpdatePipe, Path: "settings.engine_max_threads", Unsent: true, To: func(any) any { return 99 }}}
	})
	// This one is no primary of a warehouse, which may have one replica.
	f.UpdateService(mockplatform.ReadonlyServiceID, func(doc mockplatform.Document) { doc["numReplicas"] = 2 })
	config := f.provider() + scalings("all", ourServices, "num_replicas = 1")
	for i := range 3 {
		config += onePipe(fmt.Sprintf("p%d", i), f.clonePipe(mockplatform.PostgresPipeID), `name = "n"`)
	}
	w := f.workspace(config)
	said := w.diagnostics("apply", "-auto-approve", "-input=false")
	object := regexp.MustCompile(`(service|pipe) "[a-z-]+" \(` + anyUUID.String() + `\)`)
	kinds := map[string][]string{}
	for address, of := range said {
		if address == "" {
			continue
		}
		if len(of.errors) > 0 {
			t.Errorf("%s: %q", address, of.errors)
		}
		for _, warning := range of.warnings {
			summary, _, _ := strings.Cut(warning, ": ")
			if strings.Contains(summary, "eprecat") {
				continue
			}
			if !object.MatchString(summary) {
				t.Errorf("%s: the summary %q names no object", address, summary)
			}
			kind := object.ReplaceAllString(summary, "…")
			if !slices.Contains(kinds[kind], summary) {
				kinds[kind] = append(kinds[kind], summary)
			}
		}
	}
	for kind, want := range map[string]int{
		"Creating this resource overwrites current values of …": 6, "Fewer than 2 replicas for …": 2,
		"Updating … also changed unmanaged values": 3,
	} {
		if len(kinds[kind]) != want {
			t.Errorf("%d objects in %q, want %d: %q", len(kinds[kind]), kind, want, kinds)
		}
	}
}
