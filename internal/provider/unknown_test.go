package provider

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// partlyUnknown is a configuration of one resource in which the value at one
// place is to be filled in: an attribute, or one element of a list, set or map.
type partlyUnknown struct {
	place string
	// hole is the text that stands at the place.
	body string
	typ  tftypes.Type
}

const hole = "@@"

// knownValues are those of attributes that not any value of their type does for,
// by resource and path.
var knownValues = map[string]string{
	"dataplatform_service_scaling.service_id":      `"` + mockplatform.ServiceID + `"`,
	"dataplatform_service_scaling.organization_id": `"` + mockplatform.OrganizationID + `"`,
	"dataplatform_service_scaling.num_replicas":    "3",
	"dataplatform_pipe.service_id":                 `"` + mockplatform.ServiceID + `"`,
	"dataplatform_pipe.organization_id":            `"` + mockplatform.OrganizationID + `"`,
	"dataplatform_pipe.pipe_id":                    `"` + mockplatform.KafkaPipeID + `"`,
	"dataplatform_api_key.organization_id":         `"` + mockplatform.OrganizationID + `"`,
	"dataplatform_api_key.roles":                   `["admin"]`,
	"dataplatform_api_key.state":                   `"enabled"`,
	"dataplatform_api_key.expire_at":               `"2999-01-01T00:00:00Z"`,
	"dataplatform_api_key.early_renewal_hours":     "2",
	"dataplatform_api_key.ip_access_list.source":   `"10.0.0.1"`,
}

// standsBeside are the arguments that others need at their side.
var standsBeside = map[string]string{
	"early_renewal_hours": "validity_hours = 24", "password_wo": "password_wo_version = 1",
	"secret_key_wo": "secret_key_wo_version = 1", "connection_string_wo": "connection_string_wo_version = 1",
	"password_wo_version": `password_wo = "a"`, "secret_key_wo_version": `secret_key_wo = "a"`, "connection_string_wo_version": `connection_string_wo = "a"`,
	"sorting_keys": "excluded_columns = []", "use_custom_sorting_key": "excluded_columns = []",
}

// partlyUnknowns are all places of a schema that a configuration can fill in.
func partlyUnknowns(at string, attributes []*tfprotov6.SchemaAttribute) []partlyUnknown {
	var all []partlyUnknown
	for _, a := range attributes {
		if !a.Optional && !a.Required {
			continue
		}
		var siblings []string
		for _, other := range attributes {
			if other.Required && other != a {
				siblings = append(siblings, other.Name+" = "+knownText(at+"."+other.Name, other.ValueType()))
			}
		}
		if beside := standsBeside[a.Name]; beside != "" {
			siblings = append(siblings, beside)
		}
		add := func(place, text string, typ tftypes.Type) {
			all = append(all, partlyUnknown{place, strings.Join(append(slices.Clone(siblings), a.Name+" = "+text), "\n"), typ})
		}
		path := at + "." + a.Name
		add(path, hole, a.ValueType())
		switch typ := a.ValueType().(type) {
		case tftypes.List:
			add(path+"[*]", "["+hole+"]", typ.ElementType)
		case tftypes.Set:
			add(path+"[*]", "["+hole+"]", typ.ElementType)
		case tftypes.Map:
			add(path+"[*]", "{ a = "+hole+" }", typ.ElementType)
		}
		if a.NestedType == nil {
			continue
		}
		for _, within := range partlyUnknowns(path, a.NestedType.Attributes) {
			text := "{\n" + within.body + "\n}"
			if a.NestedType.Nesting != tfprotov6.SchemaObjectNestingModeSingle {
				text = "[" + text + "]"
			}
			add(within.place, text, within.typ)
		}
	}
	return all
}

// knownText is some value of a type, as a configuration has it.
func knownText(path string, typ tftypes.Type) string {
	if known := knownValues[path]; known != "" {
		return known
	}
	switch typ := typ.(type) {
	case tftypes.List:
		return "[" + knownText(path, typ.ElementType) + "]"
	case tftypes.Set:
		return "[" + knownText(path, typ.ElementType) + "]"
	}
	switch {
	case typ.Is(tftypes.Number):
		return "24"
	case typ.Is(tftypes.Bool):
		return "true"
	default:
		return `"a"`
	}
}

// typeText is a type as a variable has it. What an object may omit may be
// omitted from the variable as well.
func typeText(typ tftypes.Type) string {
	switch typ := typ.(type) {
	case tftypes.Object:
		var members []string
		for _, name := range sortedKeys(typ.AttributeTypes) {
			members = append(members, name+" = optional("+typeText(typ.AttributeTypes[name])+")")
		}
		return "object({ " + strings.Join(members, ", ") + " })"
	case tftypes.List:
		return "list(" + typeText(typ.ElementType) + ")"
	case tftypes.Set:
		return "set(" + typeText(typ.ElementType) + ")"
	case tftypes.Map:
		return "map(" + typeText(typ.ElementType) + ")"
	}
	switch {
	case typ.Is(tftypes.Number):
		return "number"
	case typ.Is(tftypes.Bool):
		return "bool"
	default:
		return "string"
	}
}

// pipeOfPlace is a pipe that has the kind of source that a place is in.
func pipeOfPlace(place string) string {
	for kind, id := range pipeOfKind {
		if strings.Contains(place, "source."+kind) || strings.Contains(place, "source_credentials."+kind) {
			return id
		}
	}
	return mockplatform.KafkaPipeID
}

// TestUnknownEverywhere leaves each attribute at every depth, and one element of
// each list, set and map, unknown: by variables of any type and of its own in
// `terraform validate`, and by values that are known after the apply in a plan,
// alone and as one side of a conditional.
func TestUnknownEverywhere(t *testing.T) {
	schemas, _ := served(t)
	for name, least := range map[string]int{"dataplatform_pipe": 75, "dataplatform_service_scaling": 7, "dataplatform_api_key": 18} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			places := partlyUnknowns(name, schemas.ResourceSchemas[name].Block.Attributes)
			if len(places) < least {
				t.Fatalf("only %d places", len(places))
			}
			var validated, planned strings.Builder
			validated.WriteString(f.provider() + "variable \"any\" { type = any }\n")
			planned.WriteString(f.provider() + "resource \"terraform_data\" \"later\" { input = \"later\" }\n")
			for i, place := range places {
				block := func(kind, text string) string {
					body := strings.ReplaceAll(place.body, hole, text)
					if name == "dataplatform_pipe" {
						body = strings.Replace(body, mockplatform.KafkaPipeID, pipeOfPlace(place.place), 1)
					}
					return fmt.Sprintf("resource %q %q {\n%s\n}\n", name, fmt.Sprintf("%s%d", kind, i), body)
				}
				fmt.Fprintf(&validated, "variable \"v%d\" { type = %s }\n", i, typeText(place.typ))
				validated.WriteString(block("any", "var.any") + block("own", fmt.Sprintf("var.v%d", i)))
				planned.WriteString(block("output", "terraform_data.later.output"))
				known := knownText(strings.TrimSuffix(place.place, "[*]"), place.typ)
				if strings.HasSuffix(place.place, "roles[*]") {
					known = `"admin"`
				}
				if _, object := place.typ.(tftypes.Object); !object && !strings.HasPrefix(typeText(place.typ), "list(object") && !strings.HasPrefix(typeText(place.typ), "set(object") && !place.typ.Is(tftypes.Map{}) {
					planned.WriteString(block("either", fmt.Sprintf("(terraform_data.later.output == \"a\" ? %s : %s)", known, known)))
				}
			}
			w := f.workspace(validated.String())
			out, err := w.command(t.Context(), "validate", "-json").Output()
			w.checkRun(string(out), err)
			errors := validationErrors(t, out)
			w.file("main.tf", planned.String())
			said := w.diagnostics("plan", "-input=false", "-out=tf.plan")
			for i, place := range places {
				t.Run(place.place, func(t *testing.T) {
					for _, kind := range []string{"any", "own"} {
						for _, text := range errors[fmt.Sprintf("resource %q %q", name, fmt.Sprintf("%s%d", kind, i))] {
							t.Errorf("validate, of type %s: %s", kind, text)
						}
						delete(errors, fmt.Sprintf("resource %q %q", name, fmt.Sprintf("%s%d", kind, i)))
					}
					for _, kind := range []string{"output", "either"} {
						for _, text := range said[fmt.Sprintf("%s.%s%d", name, kind, i)].errors {
							t.Errorf("plan, %s: %s", kind, text)
						}
					}
				})
			}
			for where, texts := range errors {
				t.Errorf("validate, %s: %q", where, texts)
			}
			if !t.Failed() && len(w.planned()) < 1+len(places) {
				t.Errorf("the plan has %d resources, want %d", len(w.planned()), 1+len(places))
			}
			f.wantWrites()
		})
	}
}

// validationErrors are the errors of `terraform validate -json`, by block.
func validationErrors(t *testing.T, out []byte) map[string][]string {
	t.Helper()
	var validated struct {
		Format      string `json:"format_version"`
		Diagnostics []struct {
			Severity, Summary, Detail string
			Snippet                   struct{ Context string }
		}
	}
	if err := json.Unmarshal(out, &validated); err != nil || validated.Format == "" { //nolint:musttag // encoding/json finds names in any letter case
		t.Fatalf("%v in %s", err, out)
	}
	errors := map[string][]string{}
	for _, d := range validated.Diagnostics {
		if d.Severity == "error" {
			errors[d.Snippet.Context] = append(errors[d.Snippet.Context], d.Summary+": "+d.Detail)
		}
	}
	return errors
}

// TestUnknownElements plans and applies what issues were about: an object
// variable as an element, an element that is another resource's output, and a
// conditional between two lists of objects.
func TestUnknownElements(t *testing.T) {
	f := newFixture(t)
	const later = `
variable "office" {
  type = object({ source = string, description = optional(string) })
}
resource "terraform_data" "column" { input = { name = "a", type = "b" } }
resource "terraform_data" "field" { input = { source_field = "a", destination_field = "b" } }
resource "terraform_data" "mapping" {
  input = { source_schema_name = "public", source_table = "new", target_table = "new", excluded_columns = ["x"], use_custom_sorting_key = false, sorting_keys = [] }
}
resource "dataplatform_api_key" "this" {
  name           = "n"
  roles          = ["admin"]
  ip_access_list = [var.office]
}
`
	w := f.workspace(f.provider() + later +
		onePipe("kafka", mockplatform.KafkaPipeID, "destination = { columns = [{ name = \"id\", type = \"b\" }, terraform_data.column.output] }\n  field_mappings = [terraform_data.field.output]") +
		onePipe("postgres", mockplatform.PostgresPipeID, mappings(customersMapping, addressesMapping, leadsMapping, "terraform_data.mapping.output")) +
		onePipe("storage", mockplatform.ObjectStoragePipeID, `field_mappings = terraform_data.field.id == "a" ? [{ source_field = "a", destination_field = "b" }] : [{ source_field = "c", destination_field = "d" }, { source_field = "e", destination_field = "f" }]`))
	if out, ok := w.terraform("validate"); !ok {
		t.Fatal(out)
	}
	w.setenv(`TF_VAR_office={ source = "10.0.0.1" }`)
	f.wantWrites()
	w.apply()
	f.wantPatches(mockplatform.KafkaPipeID, `{"destination": {"columns": [{"name": "id", "type": "b"}, {"name": "a", "type": "b"}]}, "fieldMappings": [{"sourceField": "a", "destinationField": "b"}]}`)
	f.wantPatches(mockplatform.PostgresPipeID, `{"source": {"postgres": {"tableMappingsToAdd": [{"sourceSchemaName": "public", "sourceTable": "new", "targetTable": "new", "excludedColumns": ["x"], "useCustomSortingKey": false, "sortingKeys": []}]}}}`)
	f.wantPatches(mockplatform.ObjectStoragePipeID, `{"fieldMappings": [{"sourceField": "c", "destinationField": "d"}, {"sourceField": "e", "destinationField": "f"}]}`)
	w.wantEmptyPlan()
}
