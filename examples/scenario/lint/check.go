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
// needs no values, and by their values, one instance of for_each after the other.
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
					err = c.expression(attribute.Expr, t, address, name)
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

// expression checks what is written: objects, also inside of lists, conditions and for.
// It follows no references.
func (c *checker) expression(e hcl.Expression, t cty.Type, address, at string) error {
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
			if err := c.expression(item.ValueExpr, member, address, place); err != nil {
				return err
			}
		}
	}
	for _, e := range inner {
		if err := c.expression(e, t, address, at); err != nil {
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
	return c.value(v, t, address, at, e.Range())
}

func (c *checker) value(v cty.Value, t cty.Type, address, at string, place hcl.Range) error {
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
				if err := c.report(address, memberAt, place); err != nil {
					return err
				}
				continue
			}
			memberType = t.AttributeType(key.AsString())
		} else if t.IsMapType() {
			memberAt = at + "[…]"
		}
		if err := c.value(member, memberType, address, memberAt, place); err != nil {
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

func (c *checker) report(address, at string, place hcl.Range) error {
	id := address + " " + at
	if c.found[id] {
		return nil
	}
	c.found[id] = true
	return c.runner.EmitIssue(c.rule, fmt.Sprintf("%s has no %s. Terraform silently ignores it: check the spelling.", address, at), place)
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
	types := map[string]cty.Type{}
	for _, block := range content.Blocks {
		name := block.Labels[0]
		if attribute := block.Body.Attributes["type"]; attribute != nil {
			types[name] = typeOf(attribute.Expr)
		}
		if attribute := block.Body.Attributes["default"]; attribute != nil {
			if err := c.expression(attribute.Expr, types[name], "var."+name, "default"); err != nil {
				return err
			}
		}
	}
	here, err := filepath.Abs(".")
	if err != nil || here != start {
		return err // these files have no values for this module
	}
	for _, pattern := range patterns {
		files, err := filepath.Glob(filepath.Join(start, pattern))
		if err != nil {
			return err
		}
		for _, file := range files {
			if err := c.variableFile(file, types); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *checker) variableFile(name string, types map[string]cty.Type) error {
	if here, err := filepath.Abs("."); err == nil {
		if relative, err := filepath.Rel(here, name); err == nil {
			name = relative
		}
	}
	file, diags := hclparse.NewParser().ParseHCLFile(name)
	if diags.HasErrors() {
		return diags
	}
	attributes, diags := file.Body.JustAttributes()
	if diags.HasErrors() {
		return diags
	}
	for variable, attribute := range attributes {
		if t, ok := types[variable]; ok {
			if err := c.expression(attribute.Expr, t, name, variable); err != nil {
				return err
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
	types := map[string]cty.Type{}
	for _, name := range files {
		file, diags := hclparse.NewParser().ParseHCLFile(name)
		if diags.HasErrors() {
			return nil, diags
		}
		content, diags := hclext.PartialContent(file.Body, &hclext.BodySchema{Blocks: []hclext.BlockSchema{variableBlock}})
		if diags.HasErrors() {
			return nil, diags
		}
		for _, block := range content.Blocks {
			if attribute := block.Body.Attributes["type"]; attribute != nil {
				types[block.Labels[0]] = typeOf(attribute.Expr)
			}
		}
	}
	return types, nil
}

// typeOf is the type that a variable is declared with, or any.
func typeOf(e hcl.Expression) cty.Type {
	t, _, diags := typeexpr.TypeConstraintWithDefaults(e)
	if diags.HasErrors() {
		return cty.DynamicPseudoType
	}
	return t
}
