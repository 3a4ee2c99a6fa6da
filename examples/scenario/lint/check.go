package main

import (
	"fmt"
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
	found  map[string]bool // what was reported, by block and member
}

// instance is a block, or what for_each makes of it for one key.
type instance struct {
	address, key string
	each         hcl.Expression // for_each, nil if there is none
}

func (i instance) String() string { return i.address + i.key }

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
	wanted.Body.Attributes = append(wanted.Body.Attributes, hclext.AttributeSchema{Name: "for_each"})
	instances := map[string][]instance{} // by the address of their block, in the order of their keys
	for _, mode := range []tflint.ExpandMode{tflint.ExpandModeNone, tflint.ExpandModeExpand} {
		content, err := c.runner.GetModuleContent(&hclext.BodySchema{Blocks: []hclext.BlockSchema{wanted}}, &tflint.GetModuleContentOption{ExpandMode: mode})
		if err != nil {
			return err
		}
		for _, block := range content.Blocks {
			address, types := describe(block)
			if types == nil {
				continue
			}
			this := instance{address: address}
			if mode == tflint.ExpandModeNone {
				instances[address] = c.instances(wanted.Type, address, block.Body.Attributes["for_each"])
			} else if left := instances[address]; len(left) > 0 {
				this, instances[address] = left[0], left[1:]
			}
			for name, t := range types {
				attribute := block.Body.Attributes[name]
				switch {
				case attribute == nil:
				case mode == tflint.ExpandModeNone:
					err = c.expression(attribute.Expr, t, address, name)
				default:
					err = c.evaluated(attribute.Expr, t, this, name)
				}
				if err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// instances returns what for_each makes of a block, in the order in which TFLint does, which
// expands no data sources.
func (c *checker) instances(kind, address string, each *hclext.Attribute) (all []instance) {
	var v cty.Value
	if each == nil || kind != "resource" && kind != "module" || c.runner.EvaluateExpr(each.Expr, &v, nil) != nil {
		return nil
	}
	v, _ = v.UnmarkDeep()
	if v == cty.NilVal || !v.IsKnown() || v.IsNull() || !v.CanIterateElements() {
		return nil
	}
	for it := v.ElementIterator(); it.Next(); {
		key, _ := it.Element()
		all = append(all, instance{address, keyOf(key), each.Expr})
	}
	return all
}

// keyOf is a key as in an address, or an ellipsis for one that is not a known text.
func keyOf(key cty.Value) string {
	if key.Type() != cty.String || !key.IsKnown() || key.IsNull() {
		return "[…]"
	}
	return fmt.Sprintf("[%q]", key.AsString())
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
			if !diags.HasErrors() {
				place = at + keyOf(key)
			}
			if t.IsObjectType() {
				if diags.HasErrors() || !key.Type().Equals(cty.String) {
					continue // the key is computed
				}
				place = at + "." + key.AsString()
				if !t.HasAttribute(key.AsString()) {
					if err := c.report(instance{address: address}, place, item.KeyExpr.Range(), nil); err != nil {
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
func (c *checker) evaluated(e hcl.Expression, t cty.Type, of instance, at string) error {
	var v cty.Value
	if err := c.runner.EvaluateExpr(e, &v, nil); err != nil {
		return nil // Terraform reports it
	}
	v, _ = v.UnmarkDeep() // names are no secrets
	return c.value(v, t, at, func(at, member string) error {
		from := &origin{}
		tracer{c, member, tflint.SelfModuleCtxType, of.each, from}.follow(e)
		place := e.Range()
		if from.variable != nil {
			place = *from.variable
		}
		return c.report(of, at, place, from.files)
	})
}

// value finds members that a type does not have.
func (c *checker) value(v cty.Value, t cty.Type, at string, report func(at, member string) error) error {
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
				if err := report(memberAt, key.AsString()); err != nil {
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

// report reports a member once, of all instances if it is written in their block.
func (c *checker) report(of instance, at string, place hcl.Range, files []string) error {
	if c.found[of.address+" "+at] || c.found[of.String()+" "+at] {
		return nil
	}
	c.found[of.String()+" "+at] = true
	path, err := c.runner.GetModulePath()
	if err != nil {
		return err
	}
	address := of.String()
	if len(path) > 0 {
		address = path.String() + "." + address
	}
	if len(files) > 0 {
		at += " (from " + strings.Join(files, " or ") + ")"
	}
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
