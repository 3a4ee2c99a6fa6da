package provider

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// TestTwoResourcesOverOneObject has pairs of resources over one object: those that want
// different values of a leaf are warned about, with the leaves that they disagree about
// and no others.
func TestTwoResourcesOverOneObject(t *testing.T) {
	for name, test := range map[string]struct {
		kind, one, other string
		leaves           []string
	}{
		"several": {mockplatform.KafkaPipeID, "name = \"a\"\n  settings = { engine_max_threads = 3, engine_max_insert_threads = 2 }", "name = \"b\"\n  settings = { engine_max_threads = 4, engine_max_insert_threads = 2.0 }",
			[]string{"name", "settings.engine_max_threads"}},
		"other spellings":                     {mockplatform.KafkaPipeID, `source = { kafka = { ca_certificate = "x", reverse_private_endpoint_ids = ["a", "b"] } }`, `source = { kafka = { ca_certificate = "x\n", reverse_private_endpoint_ids = ["b", "a"] } }`, nil},
		"an unknown value beside a known one": {mockplatform.KafkaPipeID, "name = \"a\"\n  field_mappings = []", "name = later.text\n  field_mappings = [{ source_field = \"a\", destination_field = \"b\" }]", []string{"field_mappings"}},
		"mappings":                            {mockplatform.PostgresPipeID, seedMappings, mappings(customersMapping, addressesMapping, leadsMapping, wanted("public.new", "new", `excluded_columns = []`)), []string{"source.postgres.table_mappings"}},
		"mappings in another order":           {mockplatform.PostgresPipeID, mappings(customersMapping, addressesMapping, leadsMapping), mappings(leadsMapping, addressesMapping, customersMapping), nil},
		"one is ignored":                      {mockplatform.KafkaPipeID, `name = "orders"`, "name = \"b\"\n  lifecycle {\n  ignore_changes = [name]\n}", nil},
	} {
		for _, held := range []bool{false, true} {
			if !held && strings.Contains(test.other, "ignore_changes") {
				continue // Terraform ignores nothing of what is created
			}
			t.Run(fmt.Sprintf("%s, held: %t", name, held), func(t *testing.T) {
				f := newFixture(t)
				id := f.clonePipe(test.kind)
				one, other := f.pipe(id, ""), f.pipe(id, "")
				other.ids["pipe_id"] = cty.StringVal(strings.ToUpper(id)) // the same pipe in another spelling
				both := together{blocks: []*managed{one, other}}
				if held {
					both.apply()
				}
				one.arguments, other.arguments = test.one, test.other
				found := slices.DeleteFunc(diagnosesOf(both.tryPlan()).warnings, func(warning string) bool { return !strings.Contains(warning, "Two resources configure") })
				f.wantWrites()
				if test.leaves == nil {
					wantWarning(t, found, "")
					return
				}
				wantWarning(t, found, fmt.Sprintf("Two resources configure pipe %q (", fmt.Sprint(f.Pipe(test.kind)["name"])))
				wantText(t, strings.ToLower(found[0]), id)
				wantText(t, folded(found[0]), "the other: - "+strings.Join(test.leaves, " - ")+" Remove these arguments from one of the resources, or remove one of the resources.")
			})
		}
	}
}

// TestWriteByAnotherResource lets two resources adopt one object, and write to it in the
// same apply: both say what they overwrite, in the plan and in that of the apply, and what one writes is not reported by the
// other as the platform's doing.
func TestWriteByAnotherResource(t *testing.T) {
	f := newFixture(t)
	one, other := f.pipe(mockplatform.KafkaPipeID, ""), f.pipe(mockplatform.KafkaPipeID, "")
	both := together{blocks: []*managed{one, other}}
	for i := range 3 {
		one.arguments, other.arguments = fmt.Sprintf("name = \"name %d\"", i), fmt.Sprintf("settings = { engine_max_threads = %d }", 10+i)
		f.ResetJournal()
		results := both.apply()
		if i == 0 {
			for j, line := range []string{`name (currently "orders")`, "settings.engine_max_threads (currently 8)"} {
				// The plan of the apply may see the name that the other one has written.
				for i, warning := range results[j].warnings {
					results[j].warnings[i] = strings.ReplaceAll(warning, `"name 0"`, `"orders"`)
				}
				if got := adoptionLines(t, slices.Compact(results[j].warnings)); !slices.Equal(got, []string{line}) {
					t.Errorf("the warning says %q, want %q", got, line)
				}
			}
		} else if all := diagnosesOf(results); len(all.warnings) > 0 {
			t.Error(all)
		}
		if n := len(f.patches(mockplatform.KafkaPipeID)); n != 2 {
			t.Errorf("%d PATCHes, want 2", n)
		}
		one.wantQuiet()
		other.wantQuiet()
	}
}

// TestDestroyingManyIsFolded has warnings that share one summary, so that Terraform folds
// them in the plan; in a machine's output each names its object.
func TestDestroyingManyIsFolded(t *testing.T) {
	f := newFixture(t)
	config := f.provider() + scalings("all", ourServices, "")
	for name, id := range seedPipes {
		config += onePipe(name, id, "settings = {}")
	}
	w := f.workspace(config)
	// The warnings about empty objects are folded too.
	if out := w.apply(); strings.Count(out, "Warning: Object is empty") != 1 {
		t.Errorf("the warnings are not folded:\n%s", out)
	}
	f.ResetJournal()
	said := w.diagnostics("plan", "-destroy", "-input=false", "-out=tf.plan")
	const destroys = "Destroy does not delete services or pipes: This resource stops managing %s %q (%s), which keeps its current settings on the platform."
	for name, id := range seedPipes {
		wantWarning(t, said["dataplatform_pipe."+name].warnings, fmt.Sprintf(destroys, "pipe", f.Pipe(id)["name"], id))
	}
	for _, id := range ourServices {
		wantWarning(t, said[fmt.Sprintf("dataplatform_service_scaling.all[%q]", id)].warnings, fmt.Sprintf(destroys, "service", f.Service(id)["name"], id))
	}
	objects := len(seedPipes) + len(ourServices)
	// Terraform folds what has a place in the configuration, and gives the warnings of an
	// apply that destroys none: there is one for all.
	out := w.apply("-destroy")
	wantText(t, out, fmt.Sprintf("(and %d more similar warnings elsewhere)", objects-1))
	if n := strings.Count(out, "Warning: "); n != 2 {
		t.Errorf("%d warnings, want one in the plan and one in the apply:\n%s", n, out)
	}
	f.wantWrites()
}
