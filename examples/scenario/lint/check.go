package main

import (
	"fmt"
	"path/filepath"

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
	found  map[string]bool // what was reported, by block and member
}

// blocks checks the arguments of all blocks of one kind and type.
func (c *checker) blocks(kind, name string, types map[string]cty.Type) error {
	schema := &hclext.BodySchema{}
	for attribute := range types {
		schema.Attributes = append(schema.Attributes, hclext.AttributeSchema{Name: attribute})
	}
	wanted := hclext.BlockSchema{Type: kind, LabelNames: []string{"type", "name"}, Body: schema}
	return c.content(wanted, func(block *hclext.Block) (string, map[string]cty.Type) {
		if block.Labels[0] != name {
			return "", nil
		}
		address := block.Labels[0] + "." + block.Labels[1]
		if kind != "resource" {
			address = kind + "." + address
		}
		return address, types
	})
}

// content checks the blocks that a schema describes, twice: as they are written, which
// needs no values, and by their values.
func (c *checker) content(wanted hclext.BlockSchema, describe func(*hclext.Block) (address string, types map[string]cty.Type)) error {
	for _, mode := range []tflint.ExpandMode{tflint.ExpandModeNone, tflint.ExpandModeExpand} {
		content, err := c.runner.GetModuleContent(&hclext.BodySchema{Blocks: []hclext.BlockSchema{wanted}}, &tflint.GetModuleContentOption{ExpandMode: mode})
		if err != nil {
			return err
		}
		for _, block := range content.Blocks {
			address, types := describe(block)
			for name, t := range types {
				attribute := block.Body.Attributes[name]
				switch {
				case attribute == nil:
				case mode == tflint.ExpandModeNone:
					err = c.written(attribute.Expr, t, address, name)
				default:
					err = c.evaluated(attribute.Expr, t, address, name)
				}
				if err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// keyOf is a key as in an address, or an ellipsis for one that is not a known text.
func keyOf(key cty.Value) string {
	if key.Type() != cty.String || !key.IsKnown() || key.IsNull() {
		return "[…]"
	}
	return fmt.Sprintf("[%q]", key.AsString())
}

// written checks what is written: objects, also inside of lists, conditions and for.
// It follows no references.
func (c *checker) written(e hcl.Expression, t cty.Type, address, at string) error {
	var inner []hcl.Expression
	switch e := e.(type) {
	case *hclsyntax.ParenthesesExpr:
		inner = []hcl.Expression{e.Expression}
	case *hclsyntax.ConditionalExpr:
		inner = []hcl.Expression{e.TrueResult, e.FalseResult}
	case *hclsyntax.TupleConsExpr:
		for _, element := range e.Exprs {
			inner = append(inner, element)
		}
		t = elementOf(t)
	case *hclsyntax.ForExpr:
		inner, t = []hcl.Expression{e.ValExpr}, elementOf(t)
	case *hclsyntax.ObjectConsExpr:
		for _, item := range e.Items {
			member := elementOf(t)
			key, diags := item.KeyExpr.Value(nil)
			place := at + "[…]"
			if !diags.HasErrors() {
				place = at + keyOf(key)
			}
			if t.IsObjectType() {
				if diags.HasErrors() || !key.Type().Equals(cty.String) {
					continue // the key is computed
				}
				place = at + "." + key.AsString()
				if !t.HasAttribute(key.AsString()) {
					if err := c.report(address, place, item.KeyExpr.Range()); err != nil {
						return err
					}
					continue
				}
				member = t.AttributeType(key.AsString())
			}
			if err := c.written(item.ValueExpr, member, address, place); err != nil {
				return err
			}
		}
	}
	for _, e := range inner {
		if err := c.written(e, t, address, at); err != nil {
			return err
		}
	}
	return nil
}

// evaluated checks the value of an expression.
func (c *checker) evaluated(e hcl.Expression, t cty.Type, address, at string) error {
	var v cty.Value
	if err := c.runner.EvaluateExpr(e, &v, nil); err != nil {
		return nil // Terraform reports it
	}
	v, _ = v.UnmarkDeep() // names are no secrets
	return c.value(v, t, at, func(at string) error { return c.report(address, at, e.Range()) })
}

// value finds members that a type does not have.
func (c *checker) value(v cty.Value, t cty.Type, at string, report func(at string) error) error {
	if v == cty.NilVal || !v.IsKnown() || v.IsNull() || !v.CanIterateElements() {
		return nil
	}
	for it := v.ElementIterator(); it.Next(); {
		key, member := it.Element()
		memberType, memberAt := elementOf(t), at
		if t.IsObjectType() {
			if !key.Type().Equals(cty.String) {
				return nil // Terraform reports a list in the place of an object
			}
			memberAt = at + "." + key.AsString()
			if !t.HasAttribute(key.AsString()) {
				if err := report(memberAt); err != nil {
					return err
				}
				continue
			}
			memberType = t.AttributeType(key.AsString())
		} else if t.IsMapType() {
			memberAt = at + keyOf(key)
		}
		if err := c.value(member, memberType, memberAt, report); err != nil {
			return err
		}
	}
	return nil
}

// elementOf is the type of the elements of a collection, or any.
func elementOf(t cty.Type) cty.Type {
	if t.IsCollectionType() {
		return t.ElementType()
	}
	return cty.DynamicPseudoType
}

// report reports a member once.
func (c *checker) report(address, at string, place hcl.Range) error {
	message := fmt.Sprintf("%s has no %s. Terraform silently ignores it: check the spelling.", address, at)
	if c.found[message] {
		return nil
	}
	c.found[message] = true
	return c.runner.EmitIssue(c.rule, message, place)
}

var variableBlock = hclext.BlockSchema{Type: "variable", LabelNames: []string{"name"}, Body: &hclext.BodySchema{
	Attributes: []hclext.AttributeSchema{{Name: "type"}, {Name: "default"}},
}}

// variables checks the defaults of variables, and what .tfvars files of the root module set.
func (c *checker) variables(start string, patterns []string) error {
	content, err := c.runner.GetModuleContent(&hclext.BodySchema{Blocks: []hclext.BlockSchema{variableBlock}}, nil)
	if err != nil {
		return err
	}
	types := typesOfVariables(content.Blocks)
	for _, block := range content.Blocks {
		if attribute := block.Body.Attributes["default"]; attribute != nil {
			if err := c.written(attribute.Expr, types[block.Labels[0]], "var."+block.Labels[0], "default"); err != nil {
				return err
			}
		}
	}
	if here, err := filepath.Abs("."); err != nil || here != start {
		return err // these files have no values for this module
	}
	for _, pattern := range patterns {
		files, err := filepath.Glob(pattern)
		if err != nil {
			return err
		}
		for _, name := range files {
			file, diags := hclparse.NewParser().ParseHCLFile(name)
			if diags.HasErrors() {
				return diags
			}
			attributes, _ := file.Body.JustAttributes()
			for variable, attribute := range attributes {
				if t, ok := types[variable]; ok {
					if err := c.written(attribute.Expr, t, name, variable); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// modules checks the arguments of the modules in this repository.
func (c *checker) modules() error {
	source := hclext.BlockSchema{Type: "module", LabelNames: []string{"name"}, Body: &hclext.BodySchema{Attributes: []hclext.AttributeSchema{{Name: "source"}}}}
	calls, err := c.runner.GetModuleContent(&hclext.BodySchema{Blocks: []hclext.BlockSchema{source}}, &tflint.GetModuleContentOption{ExpandMode: tflint.ExpandModeNone})
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
		schema := &hclext.BodySchema{}
		for name := range types {
			schema.Attributes = append(schema.Attributes, hclext.AttributeSchema{Name: name})
		}
		name := call.Labels[0]
		wanted := hclext.BlockSchema{Type: "module", LabelNames: []string{"name"}, Body: schema}
		if err := c.content(wanted, func(block *hclext.Block) (string, map[string]cty.Type) {
			if block.Labels[0] != name {
				return "", nil
			}
			return "module." + name, types
		}); err != nil {
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
