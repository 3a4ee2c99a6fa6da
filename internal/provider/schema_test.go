package provider

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// TestAttributesAreDescribedAndMarked wants a sentence for each attribute, resource and data source, and
// rejects sensitive and deprecated attributes below a computed list or set: Terraform compares each
// value's path with each marked path, so that its work grows with the square of the list. Terraform
// 1.15 also warns of an output of a whole object with a deprecated attribute, as data sources have.
func TestAttributesAreDescribedAndMarked(t *testing.T) {
	t.Parallel()
	for name, f := range schemasOnce().Functions {
		described(t, "function "+name, f.Description)
		for _, p := range f.Parameters {
			described(t, "parameter "+p.Name, p.Description)
		}
	}
	for name, schema := range allSchemas() {
		lists := []string{}
		described(t, name, schema.Block.Description)
		eachAttribute(name, schema.Block.Attributes, func(path string, a *tfprotov6.SchemaAttribute) {
			described(t, path, a.Description)
			switch {
			case (a.Sensitive || a.Deprecated) && within(path, lists):
				t.Errorf("%s is sensitive or deprecated, below a computed list", path)
			case a.Deprecated && strings.HasPrefix(name, "data "):
				t.Errorf("%s is deprecated, in a data source", path)
			case a.Computed && a.NestedType != nil && a.NestedType.Nesting != tfprotov6.SchemaObjectNestingModeSingle:
				lists = append(lists, path)
			}
		})
		if name == "data dataplatform_services" && len(lists) == 0 {
			t.Error("no list was found")
		}
	}
}

// TestSecretsOfTheAPIAreMasked wants each attribute that the API returns, and that is sensitive, to be masked by its
// name in texts from outside.
func TestSecretsOfTheAPIAreMasked(t *testing.T) {
	t.Parallel()
	client, found := must(platform.New(platform.Config{})), 0
	for name, schema := range allSchemas() {
		eachAttribute(name, schema.Block.Attributes, func(path string, a *tfprotov6.SchemaAttribute) {
			if !a.Sensitive || !a.Computed || a.Type == nil || !a.Type.Is(tftypes.String) || strings.HasPrefix(path, "ephemeral ") {
				return
			}
			found++
			member := tfvalue.Rules{}.Member(tfvalue.Path{a.Name})
			if got := client.Clean(member+": gehcsoih", 100); strings.Contains(got, "gehcsoih") && a.Name != "encrypted_key_secret" {
				t.Errorf("%s is not masked: add %s to MaskNamed in platform.New", path, member)
			}
		})
	}
	if found < 3 {
		t.Errorf("%d attributes were found", found)
	}
}

// described wants a sentence.
func described(t *testing.T, of, text string) {
	t.Helper()
	if !strings.HasSuffix(text, ".") || strings.HasPrefix(text, ".") || strings.Contains(text, "  ") || strings.TrimSpace(text) != text {
		t.Errorf("%s is described as %q", of, text)
	}
}

// allSchemas are those that are served: "provider", "resource NAME", "data NAME" and "ephemeral NAME".
func allSchemas() map[string]*tfprotov6.Schema {
	schemas := schemasOnce()
	all := map[string]*tfprotov6.Schema{`provider`: schemas.Provider}
	for name, schema := range schemas.ResourceSchemas {
		all["resource "+name] = schema
	}
	for name, schema := range schemas.DataSourceSchemas {
		all["data "+name] = schema
	}
	for name, schema := range schemas.EphemeralResourceSchemas {
		all["ephemeral "+name] = schema
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
	for _, d := range schemasOnce().Diagnostics {
		t.Errorf("%s: %s", d.Summary, d.Detail)
	}
	if !schemasOnce().ServerCapabilities.GenerateResourceConfig {
		t.Error("Terraform is not told that the provider generates configuration")
	}
	identities := must(serverOf(newProvider("test")).GetResourceIdentitySchemas(t.Context(), &tfprotov6.GetResourceIdentitySchemasRequest{}))
	var lines []string
	for name, schema := range allSchemas() {
		lines = append(lines, fmt.Sprintf("%s: version %d", name, schema.Version))
		if len(schema.Block.BlockTypes) > 0 {
			t.Errorf("%s has blocks, which this file doesn't show", name)
		}
		eachAttribute(name, schema.Block.Attributes, func(path string, a *tfprotov6.SchemaAttribute) {
			lines = append(lines, path+": "+strings.Join(traits(a), ", "))
		})
	}
	for name, f := range schemasOnce().Functions {
		var parameters []string
		for _, p := range f.Parameters {
			parameters = append(parameters, p.Name+" "+typeName(p.Type))
		}
		lines = append(lines, fmt.Sprintf("function %s(%s) %s", name, strings.Join(parameters, ", "), typeName(f.Return.Type)))
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
	want := must(os.ReadFile(golden))
	if got == string(want) {
		return
	}
	t.Error(cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")) + `
The schema differs from testdata/schema.txt. If that is meant, run "go test ./internal/provider -run TestSchemaGolden -update" and say so in CHANGELOG.md: ` +
		`what goes, turns required or changes its type breaks configurations and states that exist, and needs a new major version or a state upgrade.`)
}

func traits(a *tfprotov6.SchemaAttribute) []string {
	all := []string{""}
	if a.NestedType == nil {
		all[0] = typeName(a.Type)
	} else {
		all[0] = map[tfprotov6.SchemaObjectNestingMode]string{
			tfprotov6.SchemaObjectNestingModeSingle: "object",
			tfprotov6.SchemaObjectNestingModeList:   "list of objects",
			tfprotov6.SchemaObjectNestingModeSet:    "set of objects",
			tfprotov6.SchemaObjectNestingModeMap:    "map of objects",
		}[a.NestedType.Nesting]
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
