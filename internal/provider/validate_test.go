package provider

import (
	"fmt"
	"strings"
	"testing"
)

// TestLargeSetsAreValidatedWhole puts a mistake into one element of a large
// set, wherever it is: it is reported once.
func TestLargeSetsAreValidatedWhole(t *testing.T) {
	t.Parallel()
	validate := func(at int, mistake string) []string {
		var all []string
		for i := range 50 {
			name := fmt.Sprintf("table_%d", i)
			mapping := fmt.Sprintf(`source_schema_name = "public", source_table = %[1]q, target_table = %[1]q`, name)
			if i == at {
				mapping = mistake
			}
			all = append(all, "{ "+mapping+`, excluded_columns = ["secret"] }`)
		}
		said := validated(t, "resource dataplatform_pipe", pipeIDs+"\n"+mappings(all...))
		return append(said.errors, said.warnings...)
	}
	if said := validate(-1, ""); len(said) > 0 {
		t.Errorf("a valid set: %q", said)
	}
	for _, at := range []int{0, 25, 49} {
		for says, mistake := range map[string]string{
			"Null element":                             `source_schema_name = "public", source_table = "a", target_table = "a", sorting_keys = [null]`,
			"Incomplete table mapping":                 `source_schema_name = "public", source_table = "a", target_table = null`,
			"public.table_5 to table_5 more than once": `source_schema_name = "public", source_table = "table_5", target_table = "table_5", use_custom_sorting_key = true`,
		} {
			said := validate(at, mistake)
			if len(said) != 1 || !strings.Contains(said[0], says) || strings.Contains(said[0], "secret") {
				t.Errorf("%s in element %d: %q", says, at, said)
			}
		}
	}
}

// TestElementsAreHidden has errors in elements of sets, which the framework spells with
// the whole element: no value of it is printed.
func TestElementsAreHidden(t *testing.T) {
	for text, want := range map[string]string{
		`roles must be set`: `roles must be set`,
		`l[Value({"d":"pin","s":<null>})].s is missing, l[Value("a")] too`: `l[...].s is missing, l[...] too`,
		`l[Value({"d":"a \")] pin","s":["x)]",<unknown>]})].s is missing`:  `l[...].s is missing`,
		`l[Value({"d":"pin`:                 `l[...]`,
		`l[Value(4)][Value("\\")].s ")] x"`: `l[...][...].s ")] x"`,
	} {
		if got := setElement.ReplaceAllString(text, "[...]"); got != want {
			t.Errorf("%s became %s, want %s", text, got, want)
		}
	}

	f := newFixture(t)
	changed, created := f.key(""), f.key("")
	changed.apply()
	f.ResetJournal()
	for _, b := range []*managed{changed, created} {
		b.arguments = `ip_access_list = [{ description = "hush-hush" }]`
		b.refuses(b.tryPlan(f.start()), "ip_access_list[...].source")
	}
}
