package provider

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// TestTwoResourcesOverOneObject has pairs of resources over one object: those
// that want different values of a leaf are warned of, with the leaves that they
// disagree about and no others.
func TestTwoResourcesOverOneObject(t *testing.T) {
	tests := []struct {
		name, kind, one, other string
		leaves                 []string
	}{
		{"different values", mockplatform.KafkaPipeID, `name = "a"`, `name = "b"`, []string{"name"}},
		{"several", mockplatform.KafkaPipeID, "name = \"a\"\n  settings = { engine_max_threads = 3, engine_max_insert_threads = 2 }", "name = \"b\"\n  settings = { engine_max_threads = 4, engine_max_insert_threads = 2.0 }",
			[]string{"name", "settings.engine_max_threads"}},
		{"different leaves", mockplatform.KafkaPipeID, `name = "a"`, `settings = { engine_max_threads = 3 }`, nil},
		{"the same value", mockplatform.KafkaPipeID, `name = "a"`, `name = "a"`, nil},
		{"other spellings", mockplatform.KafkaPipeID, `source = { kafka = { ca_certificate = "x", reverse_private_endpoint_ids = ["a", "b"] } }`, `source = { kafka = { ca_certificate = "x\n", reverse_private_endpoint_ids = ["b", "a"] } }`, nil},
		{"an unknown value", mockplatform.KafkaPipeID, `name = "a"`, `name = terraform_data.later.output`, nil},
		{"an unknown value beside a known one", mockplatform.KafkaPipeID, "name = \"a\"\n  field_mappings = []", "name = terraform_data.later.output\n  field_mappings = [{ source_field = \"a\", destination_field = \"b\" }]", []string{"field_mappings"}},
		{"nothing is declared", mockplatform.KafkaPipeID, ``, ``, nil},
		{"mappings", mockplatform.PostgresPipeID, mappings(customersMapping, addressesMapping), mappings(customersMapping, leadsMapping), []string{"source.postgres.table_mappings"}},
		{"mappings of which one declares more", mockplatform.PostgresPipeID, mappings(customersMapping, addressesMapping), mappings(addressesMapping, wanted("public.customers", "customers", customersExcluded)), nil},
		{"one is ignored", mockplatform.KafkaPipeID, `name = "orders"`, "name = \"b\"\n  lifecycle { ignore_changes = [name] }", nil},
	}
	f := newFixture(t)
	held, config := f.provider(), f.provider()+"resource \"terraform_data\" \"later\" { input = \"later\" }\n"
	var ids []string
	for i, test := range tests {
		ids = append(ids, f.clonePipe(test.kind))
		for name, arguments := range map[string]string{"one": test.one, "other": test.other} {
			address := fmt.Sprintf("%s%d", name, i)
			held += onePipe(address, ids[i], "")
			// The same pipe under another spelling of its id.
			id := ids[i]
			if name == "other" && i%2 == 1 {
				id = strings.ToUpper(id)
			}
			config += onePipe(address, id, arguments)
		}
	}
	check := func(t *testing.T, warnings map[string][]string, adopted bool) {
		for i, test := range tests {
			if adopted && strings.Contains(test.other, "ignore_changes") {
				continue // Terraform ignores nothing of what is created
			}
			t.Run(test.name, func(t *testing.T) {
				var said []string
				for _, address := range []string{"one", "other"} {
					for _, warning := range warnings[fmt.Sprintf("dataplatform_pipe.%s%d", address, i)] {
						if strings.Contains(warning, "Two resources configure") {
							said = append(said, warning)
						}
					}
				}
				if test.leaves == nil {
					wantWarning(t, said, "")
					return
				}
				wantWarning(t, said, fmt.Sprintf("Two resources configure pipe %q (", fmt.Sprint(f.Pipe(test.kind)["name"])))
				text := strings.Join(said, "")
				wantText(t, strings.ToLower(text), ids[i])
				wantText(t, text, "the other: - "+strings.Join(test.leaves, " - ")+" Remove these arguments from one of the resources, or remove one of the resources.")
			})
		}
	}
	w := f.workspace(config)
	t.Run("adopted", func(t *testing.T) {
		warnings, _ := w.planWithWarnings()
		check(t, warnings, true)
	})
	w.file("main.tf", held)
	w.apply()
	w.file("main.tf", config)
	t.Run("held", func(t *testing.T) {
		warnings, _ := w.planWithWarnings()
		check(t, warnings, false)
	})
	f.wantWrites()
}

// TestTwoServicesOverOneObject does so with services, of which another provider
// configuration has its own.
func TestTwoServicesOverOneObject(t *testing.T) {
	f := newFixture(t)
	service := func(name, arguments string) string {
		return fmt.Sprintf("resource \"dataplatform_service_scaling\" %q {\n  service_id = %q\n%s\n}\n", name, mockplatform.ServiceID, arguments)
	}
	w := f.workspace(f.provider() + service("one", "num_replicas = 3\nidle_scaling = true") + service("other", "num_replicas = 4\nidle_timeout_minutes = 15"))
	warnings, _ := w.planWithWarnings()
	said := slices.DeleteFunc(slices.Concat(warnings["dataplatform_service_scaling.one"], warnings["dataplatform_service_scaling.other"]),
		func(warning string) bool { return !strings.Contains(warning, "Two resources") })
	wantWarning(t, said, `Two resources configure service "events-eu" (`+mockplatform.ServiceID+`)`)
	wantText(t, strings.Join(said, ""), "the other: - num_replicas Remove these arguments")
	// A person sees it as well, folded or not.
	wantText(t, w.planText(), `Two resources configure service "events-eu"`)
}

// TestAdoptionsOfOneObjectAreBothTold has two adoptions of one object: what each
// overwrites is seen.
func TestAdoptionsOfOneObjectAreBothTold(t *testing.T) {
	f := newFixture(t)
	w := f.workspace(f.provider() + onePipe("one", mockplatform.KafkaPipeID, `name = "a"`) + onePipe("other", mockplatform.KafkaPipeID, `settings = { engine_max_threads = 3 }`))
	warnings, _ := w.planWithWarnings()
	for address, line := range map[string]string{"dataplatform_pipe.one": `name (currently "orders")`, "dataplatform_pipe.other": "settings.engine_max_threads (currently 8)"} {
		if got := adoptionLines(t, warnings[address]); !slices.Equal(got, []string{line}) {
			t.Errorf("%s: the warning says %q, want %q", address, got, line)
		}
	}
}

// TestWriteByAnotherResource lets two resources write to one object in the same
// apply: what one writes is not reported by the other as the platform's doing.
func TestWriteByAnotherResource(t *testing.T) {
	f := newFixture(t)
	config := func(name string, threads int) string {
		return f.provider() + onePipe("one", mockplatform.KafkaPipeID, fmt.Sprintf("name = %q", name)) +
			onePipe("other", mockplatform.KafkaPipeID, fmt.Sprintf("settings = { engine_max_threads = %d }", threads))
	}
	w := f.workspace(config("a", 3))
	for i := range 3 {
		name, threads := fmt.Sprintf("name %d", i), 10+i
		w.file("main.tf", config(name, threads))
		f.ResetJournal()
		wantNoText(t, w.apply(), "also changed unmanaged values", "Two resources")
		if n := len(f.patches(mockplatform.KafkaPipeID)); n != 2 {
			t.Errorf("%d PATCHes, want 2", n)
		}
		w.wantEmptyPlan()
		if doc := f.Pipe(mockplatform.KafkaPipeID); doc["name"] != name || fmt.Sprint(member(doc, "settings.engine_max_threads")) != fmt.Sprint(threads) {
			t.Errorf("the platform holds %v", doc)
		}
	}
}

// TestReadsOfAdoptionsEndWithWrites adopts one object twice in a run: both plans share one
// read, and the second apply observes what the first one has left.
func TestReadsOfAdoptionsEndWithWrites(t *testing.T) {
	f := newFixture(t)
	adopting := func(arguments object) *lifeSubject {
		typ := lifeTypeOf("dataplatform_pipe")
		arguments["service_id"], arguments["pipe_id"] = mockplatform.ServiceID, mockplatform.KafkaPipeID
		return &lifeSubject{lifeType: typ, known: arguments, state: tfvalue.Null(typ.typ)}
	}
	one, other := adopting(object{"name": "b"}), adopting(object{"settings": object{"engine_max_threads": 10}})
	driver := &lifeDriver{t: t, platform: f.Server, settings: object{
		"base_url": f.url, "organization_id": mockplatform.OrganizationID, "key_id": "demo-key-id", "key_secret": "demo-key-secret",
	}}
	provider := driver.start()
	plan := func(s *lifeSubject, o *lifeOutcome) *lifePlan {
		p := &lifePlan{prior: s.state}
		driver.change(provider, s, lifeValue(s.known, s.typ), p, o)
		return p
	}
	apply := func(s *lifeSubject, p *lifePlan, o *lifeOutcome) {
		t.Helper()
		resp, err := provider.ApplyResourceChange(t.Context(), &tfprotov6.ApplyResourceChangeRequest{
			TypeName: s.name, PriorState: lifeDynamic(p.prior), PlannedState: lifeDynamic(p.planned), Config: lifeDynamic(lifeValue(s.known, s.typ)), PlannedPrivate: p.private,
		})
		if err != nil || !o.diagnose(resp.Diagnostics) {
			t.Fatal(err, o)
		}
	}
	var oneOutcome, otherOutcome lifeOutcome
	onePlan, otherPlan := plan(one, &oneOutcome), plan(other, &otherOutcome)
	apply(one, onePlan, &oneOutcome)
	if n := f.gets(mockplatform.KafkaPipeID); n != 1 {
		t.Errorf("%d reads by two plans and the first apply, want 1", n)
	}
	apply(other, otherPlan, &otherOutcome)
	if n := f.gets(mockplatform.KafkaPipeID); n != 2 {
		t.Errorf("%d reads, want another one after the write", n)
	}

	wantNoText(t, otherOutcome.String(), "also changed unmanaged values")
	f.wantPatches(mockplatform.KafkaPipeID, `{"name": "b"}`, `{"settings": {"engine_max_threads": 10}}`)
}
