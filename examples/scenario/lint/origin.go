package main

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/terraform-linters/tflint-plugin-sdk/hclext"
	"github.com/terraform-linters/tflint-plugin-sdk/tflint"
	"github.com/zclconf/go-cty/cty"
)

// origin is where a misspelled member comes from.
type origin struct {
	// variable is a reference of a called module to its variable. TFLint reports nothing in a
	// called module but what is at such a reference, and shows the argument in the call.
	variable *hcl.Range
	files    []string
}

// tracer follows the values of a module back to where they are written.
type tracer struct {
	*checker
	member string
	ctx    tflint.ModuleCtxType
	each   hcl.Expression // the for_each of the block, nil if it has none
	origin *origin
}

// follow visits what an expression refers to, and finds the files that it reads.
func (t tracer) follow(e hcl.Expression) {
	if e == nil {
		return
	}
	syntax, ok := hcl.UnwrapExpression(e).(hclsyntax.Node)
	if !ok {
		return // JSON
	}
	_ = hclsyntax.VisitAll(syntax, func(node hclsyntax.Node) hcl.Diagnostics {
		switch node := node.(type) {
		case *hclsyntax.FunctionCallExpr:
			t.file(node)
		case *hclsyntax.ScopeTraversalExpr:
			t.reference(node)
		}
		return nil
	})
}

// file finds the file that a function reads, if its text has the member.
func (t tracer) file(call *hclsyntax.FunctionCallExpr) {
	var name, text string
	if call.Name != "file" && call.Name != "templatefile" || t.evaluate(call, &text) != nil || !strings.Contains(text, t.member) {
		return
	}
	if t.evaluate(call.Args[0], &name) == nil && !slices.Contains(t.origin.files, filepath.Clean(name)) {
		t.origin.files = append(t.origin.files, filepath.Clean(name))
	}
}

// reference follows a reference whose value has the member.
func (t tracer) reference(e *hclsyntax.ScopeTraversalExpr) {
	kind := e.Traversal.RootName()
	if kind == "each" {
		t.follow(t.each)
		return
	}
	var v cty.Value
	if kind != "local" && kind != "var" || t.evaluate(e, &v) != nil || !hasMember(v, t.member) {
		return
	}
	name := e.Traversal[1].(hcl.TraverseAttr).Name
	next := t
	next.each = nil
	if kind == "local" {
		next.follow(t.find(hclext.BlockSchema{Type: "locals"}, "", name))
		return
	}
	path, err := t.runner.GetModulePath()
	if err != nil || len(path) == 0 || t.ctx == tflint.RootModuleCtxType {
		return
	}
	if t.origin.variable == nil {
		place := e.Range()
		t.origin.variable = &place
	}
	if len(path) == 1 { // the runner shows the root module and this one alone
		next.ctx = tflint.RootModuleCtxType
		call := hclext.BlockSchema{Type: "module", LabelNames: []string{"name"}}
		next.each = next.find(call, path[0], "for_each")
		next.follow(next.find(call, path[0], name))
	}
}

func (t tracer) evaluate(e hcl.Expression, v any) error {
	return t.runner.EvaluateExpr(e, v, &tflint.EvaluateExprOption{ModuleCtx: t.ctx})
}

// find returns the expression of an attribute in the blocks of a type, nil if none has it.
func (t tracer) find(block hclext.BlockSchema, label, name string) hcl.Expression {
	block.Body = &hclext.BodySchema{Attributes: []hclext.AttributeSchema{{Name: name}}}
	content, err := t.runner.GetModuleContent(&hclext.BodySchema{Blocks: []hclext.BlockSchema{block}},
		&tflint.GetModuleContentOption{ModuleCtx: t.ctx, ExpandMode: tflint.ExpandModeNone})
	if err != nil {
		return nil
	}
	for _, found := range content.Blocks {
		if attribute := found.Body.Attributes[name]; attribute != nil && (label == "" || found.Labels[0] == label) {
			return attribute.Expr
		}
	}
	return nil
}

// hasMember reports whether a value has a member with this name, at any depth.
func hasMember(v cty.Value, name string) (found bool) {
	v, _ = v.UnmarkDeep()
	for path := range cty.DeepValues(v) {
		if len(path) == 0 {
			continue
		}
		switch step := path[len(path)-1].(type) {
		case cty.GetAttrStep:
			found = found || step.Name == name
		case cty.IndexStep:
			found = found || step.Key.Type() == cty.String && step.Key.AsString() == name
		}
	}
	return found
}
