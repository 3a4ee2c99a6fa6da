package provider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// unset is an object of a type in which only these members are set.
func unset(typ tftypes.Type, members map[string]tfvalue.Value) tfvalue.Value {
	all := map[string]tftypes.Value{}
	for name, member := range typ.(tftypes.Object).AttributeTypes {
		all[name] = tftypes.NewValue(member, nil)
		if value, ok := members[name]; ok {
			all[name] = value.Value
		}
	}
	return tfvalue.Of(tftypes.NewValue(typ, all))
}

// TestLargeSetsAreValidatedWhole puts a mistake into one element of a large
// set, wherever it is: it is reported once.
func TestLargeSetsAreValidatedWhole(t *testing.T) {
	t.Parallel()
	server, typ := serverOf(newProvider("test")), pipe.Schema.Type().TerraformType(t.Context())
	validate := func(at int, mistake args) []string {
		var mappings []args
		for i := range 3*partSize + 2 {
			name := fmt.Sprintf("table_%d", i)
			mapping := args{"source_schema_name": "public", "source_table": name, "target_table": name, "excluded_columns": []string{"secret"}}
			if i == at {
				mapping = mapping.with(mistake)
			}
			mappings = append(mappings, mapping)
		}
		config := args{"service_id": mockplatform.ServiceID, "pipe_id": mockplatform.PostgresPipeID, "source": args{"postgres": args{"table_mappings": mappings}}}
		resp, err := server.ValidateResourceConfig(t.Context(), &tfprotov6.ValidateResourceConfigRequest{TypeName: "dataplatform_pipe", Config: dynamic(t, valueOf(config, typ))})
		if err != nil {
			t.Fatal(err)
		}
		return append(diagnosed(resp.Diagnostics).errors, diagnosed(resp.Diagnostics).warnings...)
	}
	if said := validate(-1, nil); len(said) > 0 {
		t.Errorf("a valid set: %q", said)
	}
	for _, at := range []int{0, partSize - 1, partSize, 3 * partSize, 3*partSize + 1} {
		for says, mistake := range map[string]args{
			"Null element":                             {"sorting_keys": []tftypes.Value{tftypes.NewValue(tftypes.String, nil)}},
			"Incomplete table mapping":                 {"target_table": nil},
			"public.table_5 to table_5 more than once": {"source_table": "table_5", "target_table": "table_5", "use_custom_sorting_key": true},
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
	d := f.newKeyDriver(t, nil)
	d.apply(plainKey)
	for range 2 { // of a key that exists, and of a new one
		p := d.planned(plainKey.with(args{"ip_access_list": []args{{"description": "pin-9911"}}}))
		wantText(t, p.String(), "ip_access_list[...].source")
		wantNoText(t, p.String(), "pin-9911")
		d.reset()
	}
}
