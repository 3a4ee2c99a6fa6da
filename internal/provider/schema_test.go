package provider

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// served are the schemas as Terraform gets them, after the framework has looked over
// each.
func served(t *testing.T) (*tfprotov6.GetProviderSchemaResponse, *tfprotov6.GetResourceIdentitySchemasResponse) {
	t.Helper()
	server := serverOf(newProvider("test"))
	schemas, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range schemas.Diagnostics {
		t.Errorf("%s: %s", d.Summary, d.Detail)
	}
	identities, err := server.GetResourceIdentitySchemas(t.Context(), &tfprotov6.GetResourceIdentitySchemasRequest{})
	if err != nil {
		t.Fatal(err)
	}
	return schemas, identities
}

// TestEveryAttributeIsDescribed wants a sentence for each attribute, resource and
// data source.
func TestEveryAttributeIsDescribed(t *testing.T) {
	t.Parallel()
	schemas, _ := served(t)
	described := func(of, text string) {
		if !strings.HasSuffix(text, ".") || strings.HasPrefix(text, ".") || strings.Contains(text, "  ") || strings.TrimSpace(text) != text {
			t.Errorf("%s is described as %q", of, text)
		}
	}
	for name, schema := range allSchemas(schemas) {
		described(name, schema.Block.Description)
		eachAttribute(name, schema.Block.Attributes, func(path string, a *tfprotov6.SchemaAttribute) { described(path, a.Description) })
	}
}

func allSchemas(schemas *tfprotov6.GetProviderSchemaResponse) map[string]*tfprotov6.Schema {
	all := map[string]*tfprotov6.Schema{`provider`: schemas.Provider}
	for name, schema := range schemas.ResourceSchemas {
		all["resource "+name] = schema
	}
	for name, schema := range schemas.DataSourceSchemas {
		all["data "+name] = schema
	}
	return all
}

func eachAttribute(at string, attributes []*tfprotov6.SchemaAttribute, do func(path string, a *tfprotov6.SchemaAttribute)) {
	for _, a := range attributes {
		path := at + "." + a.Name
		do(path, a)
		if a.NestedType != nil {
			eachAttribute(path, a.NestedType.Attributes, do)
		}
	}
}

var update = flag.Bool("update", false, "write the golden file of the schema anew")

// TestSchemaGolden compares all that a configuration or a state depends on
// with testdata/schema.txt: what is registered, and of each attribute its type
// and whether it is required, optional, computed, sensitive, write-only or
// deprecated.
func TestSchemaGolden(t *testing.T) {
	t.Parallel()
	schemas, identities := served(t)
	var lines []string
	for name, schema := range allSchemas(schemas) {
		lines = append(lines, fmt.Sprintf("%s: version %d", name, schema.Version))
		if len(schema.Block.BlockTypes) > 0 {
			t.Errorf("%s has blocks, which this file doesn't show", name)
		}
		eachAttribute(name, schema.Block.Attributes, func(path string, a *tfprotov6.SchemaAttribute) {
			lines = append(lines, path+": "+strings.Join(traits(a), ", "))
		})
	}
	for name, identity := range identities.IdentitySchemas {
		for _, a := range identity.IdentityAttributes {
			for trait, has := range map[string]bool{"required for import": a.RequiredForImport, "optional for import": a.OptionalForImport} {
				if has {
					lines = append(lines, fmt.Sprintf("identity %s.%s: %s, %s", name, a.Name, typeName(a.Type), trait))
				}
			}
		}
	}
	slices.Sort(lines)
	got := strings.Join(lines, "\n") + "\n"
	golden := filepath.Join("testdata", "schema.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got == string(want) {
		return
	}
	before := slices.Collect(strings.Lines(string(want)))
	for line := range strings.Lines(got) {
		if !slices.Contains(before, line) {
			t.Errorf("now      %s", line)
		}
	}
	for _, line := range before {
		if !strings.Contains("\n"+got, "\n"+line) {
			t.Errorf("no more  %s", line)
		}
	}
	t.Error(`The schema differs from testdata/schema.txt. If that is meant, run "go test ./internal/provider -run TestSchemaGolden -update" and say so in CHANGELOG.md: ` +
		`what goes, turns required or changes its type breaks configurations and states that exist, and needs a new major version or a state upgrade.`)
}

func traits(a *tfprotov6.SchemaAttribute) []string {
	var all []string
	switch {
	case a.NestedType != nil:
		all = append(all, map[tfprotov6.SchemaObjectNestingMode]string{
			tfprotov6.SchemaObjectNestingModeSingle: "object",
			tfprotov6.SchemaObjectNestingModeList:   "list of objects",
			tfprotov6.SchemaObjectNestingModeSet:    "set of objects",
			tfprotov6.SchemaObjectNestingModeMap:    "map of objects",
		}[a.NestedType.Nesting])
	default:
		all = append(all, typeName(a.Type))
	}
	for _, trait := range []struct {
		name string
		has  bool
	}{
		{"required", a.Required}, {"optional", a.Optional}, {"computed", a.Computed},
		{"sensitive", a.Sensitive}, {"write-only", a.WriteOnly}, {"deprecated", a.Deprecated},
	} {
		if trait.has {
			all = append(all, trait.name)
		}
	}
	return all
}

func typeName(typ tftypes.Type) string {
	return strings.ToLower(strings.ReplaceAll(typ.String(), "tftypes.", ""))
}

// TestFieldsAndAttributesAgree holds the tags of internal/platform against the
// schemas: a field without an attribute is a value that is lost, and an attribute
// without a field is always null.
func TestFieldsAndAttributesAgree(t *testing.T) {
	t.Parallel()
	schemas, _ := served(t)
	attributesOf := func(name string) []*tfprotov6.SchemaAttribute { return allSchemas(schemas)[name].Block.Attributes }
	services := attributesOf("data dataplatform_services")
	listed := services[slices.IndexFunc(services, func(a *tfprotov6.SchemaAttribute) bool { return a.Name == "services" })].NestedType.Attributes
	var (
		pipe    = [2]string{"pipe.go", "pipe_schema.go"}
		service = [2]string{"service.go", "services_data_source.go"}
		scaling = [2]string{"service.go", "service_scaling.go"}
		key     = [2]string{"api_key.go", "api_key_schema.go"}
	)
	for _, test := range []struct {
		what   string
		fields any
		schema []*tfprotov6.SchemaAttribute
		// places are the files of the fields and of the attributes.
		places [2]string
		// moreAttributes and moreFields are those that have no counterpart.
		moreAttributes, moreFields []string
	}{
		{"data dataplatform_service", platform.Service{}, attributesOf("data dataplatform_service"), service, []string{"organization_id"}, nil},
		{"data dataplatform_services", platform.Service{}, listed, service, nil, []string{"encryption_key"}},
		{"data dataplatform_pipe", platform.Pipe{}, attributesOf("data dataplatform_pipe"), pipe, []string{"organization_id"}, nil},
		{"data dataplatform_alert", platform.Alert{}, attributesOf("data dataplatform_alert"), [2]string{"alert.go", "alert_data_source.go"}, nil, nil},
		{"resource dataplatform_pipe", platform.Pipe{}, attributesOf("resource dataplatform_pipe"), pipe,
			// What a pipe accepts and the API never returns.
			[]string{"organization_id", "source_credentials", "source.validate_samples"},
			// What may be a secret is not kept.
			[]string{"source.object_storage.connection_string"}},
		{"resource dataplatform_service_scaling, the response", platform.Service{}, attributesOf("resource dataplatform_service_scaling"), scaling,
			[]string{"organization_id", "service_id"},
			// What has nothing to do with scaling is in the data source.
			[]string{"id", "engine_version", "endpoints", "ip_access_list", "created_at", "encryption_key", "encryption_assumed_role_identifier",
				"iam_role", "private_endpoint_ids", "available_private_endpoint_ids", "is_readonly", "byoc_id",
				"has_transparent_data_encryption", "transparent_data_encryption_key_id", "encryption_role_id"}},
		{"resource dataplatform_service_scaling, the update", platform.ScalingUpdate{}, attributesOf("resource dataplatform_service_scaling"), scaling,
			[]string{"organization_id", "service_id", "name", "data_warehouse_id", "is_primary", "min_replica_memory_gb", "max_replica_memory_gb"}, nil},
		{"resource dataplatform_api_key, the response", platform.APIKey{}, attributesOf("resource dataplatform_api_key"), key,
			[]string{"organization_id", "hash_data", "key_id", "key_secret", "validity_hours", "early_renewal_hours", "ready_for_renewal", "rotation_triggers"}, nil},
		{"resource dataplatform_api_key, the request", platform.APIKeyCreate{}, attributesOf("resource dataplatform_api_key"), key,
			[]string{"organization_id", "id", "key_id", "key_secret", "key_suffix", "created_at", "used_at", "validity_hours", "early_renewal_hours", "ready_for_renewal", "rotation_triggers"}, nil},
	} {
		t.Run(test.what, func(t *testing.T) {
			t.Parallel()
			fields := map[string]bool{}
			fieldPaths("", reflect.TypeOf(test.fields), fields)
			attributes := map[string]bool{}
			eachAttribute("", test.schema, func(path string, _ *tfprotov6.SchemaAttribute) { attributes[path[1:]] = true })
			for name := range fields {
				if !attributes[name] && !within(name, test.moreFields) {
					t.Errorf("%s has a field in internal/platform/%s and no attribute: add it to internal/provider/%s", name, test.places[0], test.places[1])
				}
			}
			for name := range attributes {
				if !fields[name] && !within(name, test.moreAttributes) {
					t.Errorf("%s has an attribute in internal/provider/%s and no field: add it to internal/platform/%s", name, test.places[1], test.places[0])
				}
			}
			for _, name := range test.moreFields {
				if !fields[name] || attributes[name] {
					t.Errorf("%s is no exception any more: remove it from the list of this test", name)
				}
			}
			for _, name := range test.moreAttributes {
				if !attributes[name] || fields[name] {
					t.Errorf("%s is no exception any more: remove it from the list of this test", name)
				}
			}
		})
	}
}

// within reports whether a path is one of these, or below one.
func within(path string, exceptions []string) bool {
	return slices.ContainsFunc(exceptions, func(e string) bool { return path == e || strings.HasPrefix(path, e+".") })
}

func fieldPaths(at string, typ reflect.Type, found map[string]bool) {
	for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice {
		typ = typ.Elem()
	}
	if typ.Kind() != reflect.Struct || typ == reflect.TypeFor[platform.Number]() {
		return
	}
	for name, index := range tfvalue.Fields(typ) {
		found[at+name] = true
		fieldPaths(at+name+".", typ.FieldByIndex(index).Type, found)
	}
}

// TestNoMarksBelowLists rejects sensitive and deprecated attributes below a
// computed list or set: Terraform compares each value's path with each marked
// path, so that its work grows with the square of the list.
func TestNoMarksBelowLists(t *testing.T) {
	t.Parallel()
	schemas, _ := served(t)
	looked := 0
	var look func(path string, below bool, attributes []*tfprotov6.SchemaAttribute)
	look = func(path string, below bool, attributes []*tfprotov6.SchemaAttribute) {
		for _, a := range attributes {
			at := path + "." + a.Name
			if below && (a.Sensitive || a.Deprecated) {
				t.Errorf("%s is sensitive or deprecated, below a computed list", at)
			}
			if a.NestedType != nil {
				looked++
				list := a.Computed && a.NestedType.Nesting != tfprotov6.SchemaObjectNestingModeSingle
				look(at, below || list, a.NestedType.Attributes)
			}
		}
	}
	for name, schema := range allSchemas(schemas) {
		look(name, false, schema.Block.Attributes)
	}
	// Terraform 1.15 warns of an output of a whole object with a deprecated attribute.
	for name, schema := range schemas.DataSourceSchemas {
		for _, a := range schema.Block.Attributes {
			if a.Deprecated {
				t.Errorf("%s.%s is deprecated, in a data source", name, a.Name)
			}
		}
	}
	if looked < 10 {
		t.Errorf("looked at %d nested attributes only", looked)
	}
}
