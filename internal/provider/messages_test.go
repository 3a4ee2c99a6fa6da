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

// TestErrorsAreReadable has what a plan rejects, each with what is wrong and
// what to do about it, in sentences that name an id once.
func TestErrorsAreReadable(t *testing.T) {
	const nowhere = "49999999-0000-4000-8000-000000000009"
	tests := []struct {
		name, block string
		says        []string
	}{
		{"no such pipe", onePipe("x", nowhere, ""), []string{"No such pipe", "There is no pipe " + nowhere + " of service " + mockplatform.ServiceID + " in organization " + mockplatform.OrganizationID + ": the API returned HTTP 404 Not Found (request ID ", "): pipe not found. This resource adopts an existing pipe and cannot create one. Check pipe_id, service_id and organization_id. If the pipe was deleted, remove this resource from the configuration, or create the pipe in the platform's console and set its ID here."}},
		{"no such service", scalingConfig(nowhere, ""), []string{"No such service", "There is no service " + nowhere + " in organization " + mockplatform.OrganizationID + ": two consecutive lists of its services omit it. This resource adopts an existing service and cannot create one. Check service_id and organization_id. If the service was deleted, remove this resource"}},
		{"another kind", onePipe("x", mockplatform.KafkaPipeID, `source = { postgres = { port = 1 } }`),
			[]string{"Pipe has another kind of source", `the source of pipe "orders" (` + mockplatform.KafkaPipeID + ") is kafka", "Set source.kafka instead, or set pipe_id to a pipe with a postgres source."}},
		{"another kind, without its secret", onePipe("x", mockplatform.KafkaPipeID, `source_credentials = { postgres = { username = "u", password_wo_version = 1 } }`),
			[]string{"Pipe has another kind of source", "Set source_credentials.kafka instead"}},
		{"memory limits", scalingConfig(mockplatform.ServiceID, "min_total_memory_gb = 48\nmax_total_memory_gb = 36"),
			[]string{"Minimum memory exceeds maximum", "min_total_memory_gb must not exceed max_total_memory_gb, got 48 and 36."}},
		{"a read-only member", onePipe("x", mockplatform.KafkaPipeID, `source = { kafka = { topics = "a" } }`), []string{"Read-only attribute is set", "source.kafka.topics is read-only: the API returns it. Remove it from the configuration."}},
		{"a read-only object", onePipe("x", mockplatform.KafkaPipeID, `scaling = { replicas = 1 }`), []string{"Read-only attribute is set", "scaling is read-only: the API returns it."}},
		{"an ID with a line break", onePipe("x", mockplatform.KafkaPipeID+"\n", ""), []string{"Invalid UUID", `pipe_id must be a UUID, such as 0f6a6b0e-2f3c-4d1e-9a57-1f0c2d3e4a5b, got "` + mockplatform.KafkaPipeID + `\n".`}},
		{"a mapping", onePipe("x", mockplatform.PostgresPipeID, mappings(wanted("public.new", "new", ""))), []string{"Table mapping is not complete", `In pipe "customers" (`, "the mapping public.new to new is not on the platform", "It must set excluded_columns, because"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t)
			w := f.workspace(f.provider() + test.block)
			var errors []string
			for _, said := range w.diagnostics("plan", "-input=false") {
				errors = append(errors, said.errors...)
			}
			if len(errors) != 1 {
				t.Fatalf("%d errors, want 1: %q", len(errors), errors)
			}
			text := folded(errors[0])
			wantText(t, text, test.says...)
			wantNoText(t, text, "the wrong way round", "  ", "..")
			for _, id := range anyUUID.FindAllString(text, -1) {
				if strings.Count(text, id) > 1 {
					t.Errorf("%s stands %d times in %s", id, strings.Count(text, id), text)
				}
			}
			if !strings.HasSuffix(text, ".") && !strings.HasSuffix(text, "]") {
				t.Errorf("no sentence: %s", text)
			}
			f.wantWrites()
		})
	}
}

// TestGoneAndStillConfigured has what a plan says of an object that is gone: that
// it is, and in the error that follows what to do.
func TestGoneAndStillConfigured(t *testing.T) {
	f := newFixture(t)
	w := f.workspace(f.provider() + scalingConfig(mockplatform.ServiceID, "") + onePipe("this", mockplatform.KafkaPipeID, ""))
	w.apply()
	f.RemovePipe(mockplatform.KafkaPipeID)
	said := w.diagnostics("plan", "-input=false")
	for name, want := range map[string]struct{ address, gone, none string }{
		"pipe": {thisPipe, fmt.Sprintf("The pipe %q (%s) is gone", "orders", mockplatform.KafkaPipeID), "No such pipe: There is no pipe " + mockplatform.KafkaPipeID},
	} {
		got := said[want.address]
		if len(got.warnings) != 1 || len(got.errors) != 1 {
			t.Fatalf("%s: warnings %q, errors %q", name, got.warnings, got.errors)
		}
		wantText(t, folded(got.warnings[0]), want.gone, "The API no longer returns it in organization "+mockplatform.OrganizationID+" (HTTP 404, request ID ", "), so Terraform treats it as deleted. If it should exist, check organization_id and base_url before you apply. Otherwise remove it from the configuration.")
		wantText(t, got.errors[0], want.none, "remove this resource from the configuration, or create the "+name+" in the platform's console and set its ID here.")
	}
	f.RemoveService(mockplatform.ServiceID)
	got := w.diagnostics("plan", "-input=false")[thisScaling]
	if len(got.warnings) != 1 || len(got.errors) != 1 {
		t.Fatalf("warnings %q, errors %q", got.warnings, got.errors)
	}
	wantText(t, got.warnings[0], fmt.Sprintf("The service %q (%s) is gone", "events-eu", mockplatform.ServiceID))
	wantText(t, got.errors[0], "No such service: There is no service "+mockplatform.ServiceID, "remove this resource from the configuration")
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
	config := f.provider() + scalings("all", ourServices, "num_replicas = 1")
	for i := range 3 {
		config += onePipe(fmt.Sprintf("p%d", i), f.clonePipe(mockplatform.PostgresPipeID), "name = \"n\"\n"+
			mappings(wanted("public.customers", "customers", fullCustomers+`sorting_keys = ["id"]`)))
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
		"Creating this resource overwrites current values of …": 5, "Fewer than 2 replicas for …": 2, "Table mappings of … will be removed and added again": 3,
		"Updating … also changed unmanaged values": 3,
	} {
		if len(kinds[kind]) != want {
			t.Errorf("%d objects in %q, want %d: %q", len(kinds[kind]), kind, want, kinds)
		}
	}
}
