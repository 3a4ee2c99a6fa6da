package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/typeexpr"
	"github.com/hashicorp/hcl/v2/hclparse"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/terraform-linters/tflint-plugin-sdk/hclext"
	"github.com/terraform-linters/tflint-plugin-sdk/tflint"
	"github.com/zclconf/go-cty/cty"
)

// checker checks one module.
type checker struct {
	runner tflint.Runner
	rule   tflint.Rule
	found  map[string]bool // what was reported
	err    error           // the last one of a report
}

// arguments checks those of all blocks of a kind that have a first label, twice: as they are
// written, which needs no values, and by their values.
func (c *checker) arguments(kind, label string, types map[string]cty.Type) error {
	wanted := hclext.BlockSchema{Type: kind, LabelNames: []string{"type", "name"}, Body: &hclext.BodySchema{}}
	if kind == "module" {
		wanted.LabelNames = wanted.LabelNames[1:]
	}
	for name := range types {
		wanted.Body.Attributes = append(wanted.Body.Attributes, hclext.AttributeSchema{Name: name})
	}
	for _, mode := range []tflint.ExpandMode{tflint.ExpandModeNone, tflint.ExpandModeExpand} {
		content, err := c.runner.GetModuleContent(&hclext.BodySchema{Blocks: []hclext.BlockSchema{wanted}}, &tflint.GetModuleContentOption{ExpandMode: mode})
		if err != nil {
			return err
		}
		for _, block := range content.Blocks {
			if block.Labels[0] != label {
				continue
			}
			address := strings.TrimPrefix(strings.Join(append([]string{kind}, block.Labels...), "."), "resource.")
			for name, attribute := range block.Body.Attributes {
				if mode == tflint.ExpandModeNone {
					c.written(attribute.Expr, types[name], address, name)
				} else {
					c.evaluated(attribute.Expr, types[name], address, name)
				}
			}
		}
	}
	return c.err
}

// keyOf is a key as in an address, or an ellipsis for one that is not a known text.
func keyOf(key cty.Value) string {
	if key.Type() != cty.String || !key.IsKnown() || key.IsNull() {
		return "[…]"
	}
	return fmt.Sprintf("[%q]", key.AsString())
}

// written checks the objects of an expression, also inside of lists, conditions and for.
// It follows no references.
func (c *checker) written(e hcl.Expression, t cty.Type, address, at string) {
	switch e := e.(type) {
	case *hclsyntax.ParenthesesExpr:
		c.written(e.Expression, t, address, at)
	case *hclsyntax.ConditionalExpr:
		c.written(e.TrueResult, t, address, at)
		c.written(e.FalseResult, t, address, at)
	case *hclsyntax.TupleConsExpr:
		for _, element := range e.Exprs {
			c.written(element, elementOf(t), address, at)
		}
	case *hclsyntax.ForExpr:
		c.written(e.ValExpr, elementOf(t), address, at)
	case *hclsyntax.ObjectConsExpr:
		for _, item := range e.Items {
			key, diags := item.KeyExpr.Value(nil)
			switch {
			case !t.IsObjectType() && diags.HasErrors():
				c.written(item.ValueExpr, elementOf(t), address, at+"[…]")
			case !t.IsObjectType():
				c.written(item.ValueExpr, elementOf(t), address, at+keyOf(key))
			case diags.HasErrors() || !key.Type().Equals(cty.String): // the key is computed
			case t.HasAttribute(key.AsString()):
				c.written(item.ValueExpr, t.AttributeType(key.AsString()), address, at+"."+key.AsString())
			default:
				c.report(address, at+"."+key.AsString(), item.KeyExpr.Range())
			}
		}
	}
}

// evaluated checks the value of an expression.
func (c *checker) evaluated(e hcl.Expression, t cty.Type, address, at string) {
	var v cty.Value
	if err := c.runner.EvaluateExpr(e, &v, nil); err != nil {
		return // Terraform reports it
	}
	v, _ = v.UnmarkDeep() // names are no secrets
	c.value(v, t, at, func(at string) { c.report(address, at, e.Range()) })
}

// value finds members that a type does not have.
func (c *checker) value(v cty.Value, t cty.Type, at string, report func(at string)) {
	if v == cty.NilVal || !v.IsKnown() || v.IsNull() || !v.CanIterateElements() {
		return
	}
	for it := v.ElementIterator(); it.Next(); {
		key, member := it.Element()
		switch {
		case t.IsObjectType() && !key.Type().Equals(cty.String):
			return // Terraform reports a list in the place of an object
		case t.IsObjectType() && t.HasAttribute(key.AsString()):
			c.value(member, t.AttributeType(key.AsString()), at+"."+key.AsString(), report)
		case t.IsObjectType():
			report(at + "." + key.AsString())
		case t.IsMapType():
			c.value(member, elementOf(t), at+keyOf(key), report)
		default:
			c.value(member, elementOf(t), at, report)
		}
	}
}

// elementOf is the type of the elements of a collection, or any.
func elementOf(t cty.Type) cty.Type {
	if t.IsCollectionType() {
		return t.ElementType()
	}
	return cty.DynamicPseudoType
}

// report reports a member once.
func (c *checker) report(address, at string, place hcl.Range) {
	message := fmt.Sprintf("%s has no %s. Terraform silently ignores it: check the spelling.", address, at)
	if c.found[message] {
		return
	}
	c.found[message] = true
	if err := c.runner.EmitIssue(c.rule, message, place); err != nil {
		c.err = err
	}
}

var variableBlock = hclext.BlockSchema{Type: "variable", LabelNames: []string{"name"}, Body: &hclext.BodySchema{
	Attributes: []hclext.AttributeSchema{{Name: "type"}, {Name: "default"}},
}}

// variables checks the defaults of variables, and what .tfvars files beside the module set.
func (c *checker) variables(start string, patterns []string) error {
	content, err := c.runner.GetModuleContent(&hclext.BodySchema{Blocks: []hclext.BlockSchema{variableBlock}}, nil)
	if err != nil {
		return err
	}
	types := typesOfVariables(content.Blocks)
	for _, block := range content.Blocks {
		if attribute := block.Body.Attributes["default"]; attribute != nil {
			c.written(attribute.Expr, types[block.Labels[0]], "var."+block.Labels[0], "default")
		}
	}
	for _, pattern := range patterns {
		files, err := filepath.Glob(pattern)
		if err != nil {
			return err
		}
		for _, name := range files {
			content, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			name := c.shown(start, name)
			file, diags := hclparse.NewParser().ParseHCL(content, name)
			if diags.HasErrors() {
				return diags
			}
			attributes, _ := file.Body.JustAttributes()
			for variable, attribute := range attributes {
				if t, ok := types[variable]; ok {
					c.written(attribute.Expr, t, name, variable)
				}
			}
		}
	}
	return c.err
}

// shown is a path of the module as TFLint shows it: from where it was started.
func (c *checker) shown(start, name string) string {
	if path, err := filepath.Abs(name); err == nil {
		if path, err = filepath.Rel(start, path); err == nil {
			return path
		}
	}
	return name
}

// modules checks the arguments of the modules in this repository.
func (c *checker) modules() error {
	source := hclext.BlockSchema{Type: "module", LabelNames: []string{"name"}, Body: &hclext.BodySchema{Attributes: []hclext.AttributeSchema{{Name: "source"}}}}
	body, unexpanded := &hclext.BodySchema{Blocks: []hclext.BlockSchema{source}}, &tflint.GetModuleContentOption{ExpandMode: tflint.ExpandModeNone}
	calls, err := c.runner.GetModuleContent(body, unexpanded)
	if err != nil {
		return err
	}
	for _, call := range calls.Blocks {
		attribute := call.Body.Attributes["source"]
		if attribute == nil {
			continue
		}
		dir, diags := attribute.Expr.Value(nil)
		if diags.HasErrors() || !dir.Type().Equals(cty.String) {
			continue
		}
		types, err := variableTypes(filepath.Join(filepath.Dir(call.DefRange.Filename), dir.AsString()))
		if err != nil {
			return err
		}
		if err := c.arguments("module", call.Labels[0], types); err != nil {
			return err
		}
	}
	return nil
}

// variableTypes are the types of a module's variables. A directory that does not exist,
// such as the name of a module in a registry, has none.
func variableTypes(dir string) (map[string]cty.Type, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.tf"))
	if err != nil {
		return nil, err
	}
	var blocks hclext.Blocks
	for _, name := range files {
		file, diags := hclparse.NewParser().ParseHCLFile(name)
		if diags.HasErrors() {
			return nil, diags
		}
		content, diags := hclext.PartialContent(file.Body, &hclext.BodySchema{Blocks: []hclext.BlockSchema{variableBlock}})
		if diags.HasErrors() {
			return nil, diags
		}
		blocks = append(blocks, content.Blocks...)
	}
	return typesOfVariables(blocks), nil
}

// typesOfVariables are the types that variables are declared with, or any.
func typesOfVariables(blocks hclext.Blocks) map[string]cty.Type {
	types := map[string]cty.Type{}
	for _, block := range blocks {
		name := block.Labels[0]
		types[name] = cty.DynamicPseudoType
		if attribute := block.Body.Attributes["type"]; attribute != nil {
			if t, _, diags := typeexpr.TypeConstraintWithDefaults(attribute.Expr); !diags.HasErrors() {
				types[name] = t
			}
		}
	}
	return types
}
