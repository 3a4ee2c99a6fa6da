// A ruleset for TFLint that finds misspelled members of nested objects.
//
// Terraform converts each value to the type of its argument, and drops members that the
// type does not have. It reports nothing: not in validate, not in plan, not in apply.
package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	tfjson "github.com/hashicorp/terraform-json"
	"github.com/terraform-linters/tflint-plugin-sdk/plugin"
	"github.com/terraform-linters/tflint-plugin-sdk/tflint"
	"github.com/zclconf/go-cty/cty"
)

func main() {
	plugin.Serve(&plugin.ServeOpts{RuleSet: &tflint.BuiltinRuleSet{
		Name:    "members",
		Version: "0.1.0",
		Rules:   []tflint.Rule{&rule{}},
	}})
}

type rule struct{ tflint.DefaultRule }

func (*rule) Name() string              { return "misspelled_members" }
func (*rule) Enabled() bool             { return true }
func (*rule) Severity() tflint.Severity { return tflint.ERROR }

// options are the arguments of the rule in .tflint.hcl.
type options struct {
	Schema        string   `hclext:"schema"`                  // output of terraform providers schema -json, from where TFLint was started
	VariableFiles []string `hclext:"variable_files,optional"` // patterns of .tfvars files, in the directory of each module
}

// Check looks at the arguments of resources, data sources and ephemeral resources, at the
// values of variables, and at the arguments of local modules.
func (r *rule) Check(runner tflint.Runner) error {
	var o options
	if err := runner.DecodeRuleConfig(r.Name(), &o); err != nil {
		return err
	}
	start, err := runner.GetOriginalwd()
	if err != nil {
		return err
	}
	if path, err := runner.GetModulePath(); err != nil || len(path) > 0 {
		return err // a called module: TFLint is run in the directory of each
	}
	c := &checker{runner: runner, rule: r, found: map[string]bool{}}
	schemas, err := readSchemas(filepath.Join(start, o.Schema))
	if err != nil {
		return err
	}
	for _, provider := range schemas.Schemas {
		for kind, all := range map[string]map[string]*tfjson.Schema{
			"resource": provider.ResourceSchemas, "data": provider.DataSourceSchemas, "ephemeral": provider.EphemeralResourceSchemas,
		} {
			for _, name := range slices.Sorted(maps.Keys(all)) {
				if err := c.arguments(kind, name, typesOf(all[name].Block.Attributes)); err != nil {
					return err
				}
			}
		}
	}
	if err := c.modules(); err != nil {
		return err
	}
	return c.variables(start, o.VariableFiles)
}

func readSchemas(name string) (*tfjson.ProviderSchemas, error) {
	content, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("the schemas of the providers: %w", err)
	}
	var schemas tfjson.ProviderSchemas
	return &schemas, json.Unmarshal(content, &schemas)
}

// typesOf are the types of the values that the attributes accept.
func typesOf(attributes map[string]*tfjson.SchemaAttribute) map[string]cty.Type {
	types := map[string]cty.Type{}
	for name, attribute := range attributes {
		nested := attribute.AttributeNestedType
		if nested == nil {
			types[name] = attribute.AttributeType
			continue
		}
		types[name] = cty.Object(typesOf(nested.Attributes))
		switch nested.NestingMode {
		case tfjson.SchemaNestingModeList:
			types[name] = cty.List(types[name])
		case tfjson.SchemaNestingModeSet:
			types[name] = cty.Set(types[name])
		case tfjson.SchemaNestingModeMap:
			types[name] = cty.Map(types[name])
		}
	}
	return types
}
