package provider

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// adoptionLines are what the warning of an adoption says is overwritten, a line
// each, and fails where there isn't exactly one such warning.
func adoptionLines(t *testing.T, warnings []string) []string {
	t.Helper()
	var found [][]string
	for _, warning := range warnings {
		if !strings.Contains(warning, "overwrites current values of") {
			continue
		}
		_, list, _ := strings.Cut(warning, "The pipe already exists. These current values will be replaced: - ")
		list, rest, _ := strings.Cut(list, " To keep a value, remove its argument from the configuration. ")
		want := "To see old and new values in the plan, and in its JSON, use an import block."
		if strings.Contains(list, "will be removed") {
			want = "To keep a table mapping, add it to table_mappings. " + want
		}
		if strings.TrimSpace(rest) != want {
			t.Errorf("the warning ends with %q, want %q", rest, want)
		}
		found = append(found, strings.Split(list, " - "))
	}
	if len(found) != 1 {
		t.Fatalf("%d warnings of an adoption in %q", len(found), warnings)
	}
	return found[0]
}

// TestAdoptionSaysWhatItOverwrites has each attribute, mapping, member of a
// mapping and credential, and nothing of what stays.
func TestAdoptionSaysWhatItOverwrites(t *testing.T) {
	const table = "table mapping "
	tests := []struct {
		name, kind, arguments string
		want                  []string
	}{
		{"attributes", mockplatform.KafkaPipeID, `
  name     = "n"
  settings = { engine_max_threads = 3, engine_max_insert_threads = 2 }
  source   = { kafka = { iam_role = "" } }`,
			[]string{`name (currently "orders")`, "settings.engine_max_threads (currently 8)", `source.kafka.iam_role (currently "role:orders-reader")`}},
		{"mappings are removed", mockplatform.PostgresPipeID, mappings(addressesMapping),
			[]string{table + "public.customers to customers will be removed", table + "sales.leads to sales_leads will be removed"}},
		{"all mappings are removed", mockplatform.PostgresPipeID, "source = { postgres = { table_mappings = [] } }",
			[]string{table + "public.addresses to addresses will be removed", table + "public.customers to customers will be removed", table + "sales.leads to sales_leads will be removed"}},
		{"members of a mapping", mockplatform.PostgresPipeID, mappings(addressesMapping, leadsMapping,
			wanted("public.customers", "customers", `excluded_columns = [], use_custom_sorting_key = false, sorting_keys = ["country", "id"]`)),
			[]string{
				"excluded_columns of " + table + `public.customers to customers (currently ["password_hash", "phone"])`,
				"use_custom_sorting_key of " + table + "public.customers to customers (currently true)",
			}},
		{"both", mockplatform.PostgresPipeID, mappings(customersMapping, wanted("sales.leads", "sales_leads", `excluded_columns = []`)),
			[]string{table + "public.addresses to addresses will be removed", "excluded_columns of " + table + `sales.leads to sales_leads (currently ["notes"])`}},
		{"credentials", mockplatform.CloudStreamPipeID, `source_credentials = { cloud_stream = { access_key_id = "a", secret_key_wo = "hush-hush", secret_key_wo_version = 1 } }`,
			[]string{"credentials of source_credentials.cloud_stream (the API does not return the current ones)"}},
		{"credentials beside a leaf", mockplatform.ObjectStoragePipeID, `
  source             = { object_storage = { path = "other" } }
  source_credentials = { object_storage = { connection_string_wo = "hush-hush", connection_string_wo_version = 1, access_key_id = "a", secret_key_wo = "hush-hush", secret_key_wo_version = 1 } }`,
			[]string{`source.object_storage.path (currently "visits/*.parquet")`, "credentials of source_credentials.object_storage (the API does not return the current ones)"}},
		{"nothing", mockplatform.PostgresPipeID, "name = \"customers\"\n" + mappings(customersMapping, addressesMapping, leadsMapping), nil},
		// What is not known yet may turn out to be any of the mappings.
		{"mappings that are unknown", mockplatform.PostgresPipeID, `source = { postgres = { table_mappings = terraform_data.later.output } }`, nil},
		{"a mapping that is partly unknown", mockplatform.PostgresPipeID, mappings(customersMapping,
			`{ source_schema_name = "public", source_table = terraform_data.later.output[0].source_table, target_table = "x", excluded_columns = [] }`), nil},
		{"a mapping that is new", mockplatform.PostgresPipeID, mappings(customersMapping, addressesMapping, leadsMapping, wanted("public.new", "new", "excluded_columns = []")), nil},
	}
	f := newFixture(t)
	f.UpdatePipe(mockplatform.ObjectStoragePipeID, func(doc mockplatform.Document) { setMember(doc, "source.objectStorage.path", "visits/*.parquet") })
	config := f.provider() + "resource \"terraform_data\" \"later\" {\n  input = [" + customersMapping + "]\n}\n"
	for i, test := range tests {
		config += onePipe(fmt.Sprintf("p%d", i), f.clonePipe(test.kind), test.arguments)
	}
	w := f.workspace(config)
	warnings, _ := w.planWithWarnings()
	for i, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			said := warnings[fmt.Sprintf("dataplatform_pipe.p%d", i)]
			if test.want == nil {
				wantWarning(t, said, "")
				return
			}
			if got := adoptionLines(t, said); !slices.Equal(got, test.want) {
				t.Errorf("the warning says\n%q\nwant\n%q", got, test.want)
			}
			if strings.Contains(strings.Join(said, ""), "hush-hush") {
				t.Errorf("a secret in %q", said)
			}
		})
	}
	f.wantWrites()
}

// TestSourceChangesWithoutItsCredentials changes a source whose secret is
// configured by version: a run that has no value for it is warned.
func TestSourceChangesWithoutItsCredentials(t *testing.T) {
	const secret = `password_wo = "hush-hush", `
	credentials := func(value string, version int) string {
		return fmt.Sprintf("\n  source_credentials = { postgres = { username = \"u\", %spassword_wo_version = %d } }", value, version)
	}
	host := func(name string) string { return "source = { postgres = { host = \"" + name + "\" } }" }
	tests := []struct {
		name, after string
		warns       bool
	}{
		{"the source changes", host("other") + credentials("", 1), true},
		{"the source changes, and the value is there", host("other") + credentials(secret, 1), false},
		{"something else changes", "name = \"n\"\n" + host("one") + credentials("", 1), false},
		{"nothing changes", host("one") + credentials("", 1), false},
		{"the credentials left the configuration", host("other"), false},
		{"the source is ignored", host("other") + credentials("", 1) + "\n  lifecycle { ignore_changes = [source] }", false},
		{"the mappings change", mappings(customersMapping) + credentials("", 1), true},
	}
	f := newFixture(t)
	before, after := f.provider(), f.provider()
	for i, test := range tests {
		id := f.clonePipe(mockplatform.PostgresPipeID)
		before += onePipe(fmt.Sprintf("p%d", i), id, host("one")+credentials(secret, 1))
		after += onePipe(fmt.Sprintf("p%d", i), id, test.after)
	}
	w := f.workspace(before)
	w.apply()
	w.file("main.tf", after)
	warnings, _ := w.planWithWarnings()
	for i, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			said := warnings[fmt.Sprintf("dataplatform_pipe.p%d", i)]
			if !test.warns {
				wantWarning(t, said, "")
				return
			}
			wantWarning(t, said, `Source of pipe "customers" (`)
			wantText(t, strings.Join(said, ""), "changes without its credentials",
				"source.postgres changes, but this run does not set source_credentials.postgres.password_wo, so no credentials are sent")
		})
	}
}

// TestEmptyObject has objects that set nothing, as a misspelled name leaves one behind:
// a plan warns where the platform has a value that the object could set, and of
// credentials, which it never returns.
func TestEmptyObject(t *testing.T) {
	tests := []struct {
		arguments string
		empty     []string
	}{
		{`settings = {}`, []string{"settings"}},
		{`settings = { engine_max_treads = 4 }`, []string{"settings"}},
		{`source = { kafka = { iam_roel = "r" } }`, []string{"source.kafka"}},
		{`source = { kafca = { iam_role = "r" } }`, []string{"source"}},
		{`source_credentials = { kafka = {} }`, []string{"source_credentials.kafka"}},
		{`source_credentials = {}`, []string{"source_credentials"}},
		{"settings = {}\n  destination = {}", []string{"destination", "settings"}},
		{`settings = { engine_max_treads = 4, engine_max_threads = 8 }`, nil},
		{`field_mappings = []`, nil},
		{`destination = { columns = [] }`, nil},
		{`source = { validate_samples = false }`, nil},
		{``, nil},
		// Nothing can be lost where the platform has nothing.
		{"settings = {}\n  destination = {}\n  source = { kafka = {} } # bare", nil},
	}
	f := newFixture(t)
	config := f.provider()
	for i, test := range tests {
		config += onePipe(fmt.Sprintf("p%d", i), f.clonePipe(mockplatform.KafkaPipeID, func(doc mockplatform.Document) {
			setMember(doc, "fieldMappings", []any{})
			setMember(doc, "destination.columns", []any{})
			if strings.HasSuffix(test.arguments, "# bare") {
				setMember(doc, "settings", mockplatform.Document{})
				setMember(doc, "destination.columns", nil)
				setMember(doc, "source.kafka", mockplatform.Document{"brokers": "b:9092"})
			}
		}), test.arguments)
	}
	w := f.workspace(config)
	check := func(when string) {
		warnings, _ := w.planWithWarnings()
		for i, test := range tests {
			t.Run(when+": "+test.arguments, func(t *testing.T) {
				said := warnings[fmt.Sprintf("dataplatform_pipe.p%d", i)]
				slices.Sort(said)
				var want []string
				for _, at := range test.empty {
					want = append(want, "Object is empty "+at+" has no attributes set. Terraform silently ignores misspelled names in nested objects: check the spelling.")
				}
				if got := slices.Compact(said); !slices.Equal(got, want) {
					t.Errorf("warnings\n%q\nwant\n%q", got, want)
				}
			})
		}
	}
	check("adoption")
	w.apply()
	f.wantWrites()
	check("update")
	w.wantEmptyPlan()
	// All share a summary, so that Terraform folds them.
	if out := w.planText(); strings.Count(out, "Warning: ") != 1 {
		t.Errorf("the warnings are not folded:\n%s", out)
	}
}

// TestDestroyingManyIsFolded has warnings that share one summary, so that
// Terraform folds them in the plan; in a machine's output each names its object.
func TestDestroyingManyIsFolded(t *testing.T) {
	f := newFixture(t)
	config := f.provider() + scalings("all", ourServices, "")
	ids := []string{mockplatform.KafkaPipeID}
	for range 5 {
		ids = append(ids, f.clonePipe(mockplatform.KafkaPipeID))
	}
	for i, id := range ids {
		config += onePipe(fmt.Sprintf("p%d", i), id, "")
	}
	w := f.workspace(config)
	w.apply()
	f.ResetJournal()
	warnings, ok := w.warnings("plan", "-destroy", "-input=false", "-out=tf.plan")
	if !ok {
		t.Fatal("the plan failed")
	}
	for i, id := range ids {
		wantWarning(t, warnings[fmt.Sprintf("dataplatform_pipe.p%d", i)], "Destroy does not delete services or pipes This resource stops managing pipe \"orders\" ("+id+"), which keeps its current settings on the platform.")
	}
	for _, id := range ourServices {
		wantWarning(t, warnings[fmt.Sprintf("dataplatform_service_scaling.all[%q]", id)], "Destroy does not delete services or pipes This resource stops managing service \""+fmt.Sprint(f.Service(id)["name"])+"\" ("+id+"), which keeps its current settings on the platform.")
	}
	out := w.planText("-destroy")
	if n := strings.Count(out, "Warning: "); n != 1 {
		t.Errorf("%d warnings in the plan, want one:\n%s", n, out)
	}
	wantText(t, out, fmt.Sprintf("(and %d more similar warnings elsewhere)", len(ids)+len(ourServices)-1))
	// Terraform folds what has a place in the configuration, and gives the
	// warnings of an apply that destroys none: there is one for all.
	applied := w.diagnostics("apply", "-destroy", "-auto-approve", "-input=false")
	said := 0
	for _, d := range applied {
		said += strings.Count(strings.Join(d.warnings, "\n"), "Destroy does not delete services or pipes")
	}
	if objects := len(ids) + len(ourServices); said != objects+1 {
		t.Errorf("%d warnings, want one for each of %d objects in the plan and one in the apply", said, objects)
	}
	f.wantWrites()
}

// TestScalingPlansAreQuiet has what a change of a service leaves unknown: the
// memory of a replica with the total memory, and nothing otherwise.
func TestScalingPlansAreQuiet(t *testing.T) {
	memory := []string{"max_replica_memory_gb", "min_replica_memory_gb"}
	for name, test := range map[string]struct {
		after   string
		unknown []string
	}{
		"replicas":            {"num_replicas = 4", nil},
		"idle scaling":        {"num_replicas = 3\nidle_scaling = false\nidle_timeout_minutes = 20", nil},
		"total memory":        {"num_replicas = 3\nmax_total_memory_gb = 96", memory},
		"both":                {"num_replicas = 4\nmin_total_memory_gb = 36", memory},
		"memory that is held": {"num_replicas = 4\nmax_total_memory_gb = 48", nil},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.UpdateService(mockplatform.ServiceID, func(doc mockplatform.Document) { doc["minTotalMemoryGb"], doc["maxTotalMemoryGb"] = 24, 48 })
			w := f.workspace(f.provider() + scalingConfig(mockplatform.ServiceID, "num_replicas = 3"))
			w.apply()
			w.file("main.tf", f.provider()+scalingConfig(mockplatform.ServiceID, test.after))
			_, changes := w.plan()
			if got := changes[thisScaling].unknown(); !slices.Equal(got, test.unknown) {
				t.Errorf("known after the apply is %q, want %q", got, test.unknown)
			}
			w.apply()
			w.wantEmptyPlan()
		})
	}
}
