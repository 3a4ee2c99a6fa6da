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

// manyMappings configures a pipe with table mappings, changed one by one.
func manyMappings(tb testing.TB, n int, change func(i int, mapping tfvalue.Value) tfvalue.Value) *tfprotov6.DynamicValue {
	tb.Helper()
	typ := pipe.Schema.Type().TerraformType(tb.Context())
	member := func(typ tftypes.Type, name string) tftypes.Type { return typ.(tftypes.Object).AttributeTypes[name] }
	source := member(typ, "source")
	postgres := member(source, "postgres")
	set := member(postgres, tableMappingsName)
	mapping := set.(tftypes.Set).ElementType
	columns := member(mapping, excludedColumns)
	var mappings []tfvalue.Value
	for i := range n {
		name := tfvalue.String(fmt.Sprintf("table_%d", i))
		mappings = append(mappings, change(i, unset(mapping, map[string]tfvalue.Value{
			"source_schema_name": tfvalue.String("public"), "source_table": name, "target_table": name,
			excludedColumns: tfvalue.Collection(columns, []tfvalue.Value{tfvalue.String("secret")}),
		})))
	}
	config := unset(typ, map[string]tfvalue.Value{
		"service_id": tfvalue.String(mockplatform.ServiceID), "pipe_id": tfvalue.String(mockplatform.PostgresPipeID),
		"source": unset(source, map[string]tfvalue.Value{"postgres": unset(postgres, map[string]tfvalue.Value{
			tableMappingsName: tfvalue.Collection(set, mappings),
		})}),
	})
	encoded, err := tfprotov6.NewDynamicValue(typ, config.Value)
	if err != nil {
		tb.Fatal(err)
	}
	return &encoded
}

// TestLargeSetsAreValidatedWhole puts a mistake into one element of a large
// set, wherever it is: it is reported once.
func TestLargeSetsAreValidatedWhole(t *testing.T) {
	t.Parallel()
	server := serverOf(newProvider("test"))
	validate := func(change func(i int, mapping tfvalue.Value) tfvalue.Value) []string {
		resp, err := server.ValidateResourceConfig(t.Context(), &tfprotov6.ValidateResourceConfigRequest{
			TypeName: "dataplatform_pipe", Config: manyMappings(t, 3*partSize+2, change),
		})
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, d := range resp.Diagnostics {
			said = append(said, d.Summary+": "+d.Detail)
		}
		return said
	}
	if said := validate(func(_ int, mapping tfvalue.Value) tfvalue.Value { return mapping }); len(said) > 0 {
		t.Errorf("a valid set: %q", said)
	}
	for _, at := range []int{0, partSize - 1, partSize, 3 * partSize, 3*partSize + 1} {
		for mistake, change := range map[string]func(mapping tfvalue.Value) tfvalue.Value{
			"Null element": func(m tfvalue.Value) tfvalue.Value {
				typ := m.At("sorting_keys").Type()
				return m.With(tfvalue.Collection(typ, []tfvalue.Value{tfvalue.Optional(nil)}), "sorting_keys")
			},
			"Missing Configuration": func(m tfvalue.Value) tfvalue.Value { return m.Without("target_table") },
			"public.table_5 to table_5 more than once": func(m tfvalue.Value) tfvalue.Value {
				name := tfvalue.String("table_5")
				return m.With(name, "source_table").With(name, "target_table").With(tfvalue.Bool(true), "use_custom_sorting_key")
			},
		} {
			said := validate(func(i int, mapping tfvalue.Value) tfvalue.Value {
				if i != at {
					return mapping
				}
				return change(mapping)
			})
			if len(said) != 1 || !strings.Contains(said[0], mistake) || strings.Contains(said[0], "secret") {
				t.Errorf("%s in element %d: %q", mistake, at, said)
			}
		}
	}
}

// BenchmarkValidate takes time that grows with the size of a set and not with
// its square.
func BenchmarkValidate(b *testing.B) {
	server := serverOf(newProvider("test"))
	for _, n := range []int{100, 400, 1000} {
		req := &tfprotov6.ValidateResourceConfigRequest{
			TypeName: "dataplatform_pipe",
			Config:   manyMappings(b, n, func(_ int, mapping tfvalue.Value) tfvalue.Value { return mapping }),
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				if resp, err := server.ValidateResourceConfig(b.Context(), req); err != nil || len(resp.Diagnostics) > 0 {
					b.Fatal(resp, err)
				}
			}
		})
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
