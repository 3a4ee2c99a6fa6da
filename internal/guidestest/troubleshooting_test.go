package guidestest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// terraformsOwn are summaries in the guide that Terraform or its framework
// writes.
var terraformsOwn = []string{"WriteOnly Attribute Not Allowed", "Instance cannot be destroyed", "Provider produced inconsistent final plan", "Attribute Deprecated", "Deprecated value used", "Invalid Attribute …", "Missing Attribute Configuration"}

// TestTroubleshootingIsComplete compares the headings of the guide with the
// summaries in the code, both ways: an error that nobody can look up, and an
// entry for a text that no longer exists.
func TestTroubleshootingIsComplete(t *testing.T) {
	t.Parallel()
	headings, summaries := troubleshootingHeadings(t), summariesInCode(t)
	if len(summaries) < 30 {
		t.Fatalf("only %d summaries were found in the code: %q", len(summaries), summaries)
	}
	for _, summary := range summaries {
		if !matchesAny(summary, headings) {
			t.Errorf("the guide has no heading for %q", summary)
		}
	}
	for _, heading := range headings {
		if !matchesAny(heading, append(summaries, terraformsOwn...)) {
			t.Errorf("the guide explains %q, which nothing reports", heading)
		}
	}
}

// matchesAny reports whether a text is one of the others, where … stands for
// anything in either of them.
func matchesAny(text string, others []string) bool {
	matches := func(text, pattern string) bool {
		return regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(pattern), "…", ".+") + "$").MatchString(text)
	}
	return slices.ContainsFunc(others, func(other string) bool { return matches(text, other) || matches(other, text) })
}

// troubleshootingHeadings are the summaries that the guide explains: the
// headings of third level, separated by commas where one entry serves several,
// and those that a table's row quotes, behind what they are of if that is said.
func troubleshootingHeadings(t *testing.T) (all []string) {
	t.Helper()
	content := fileText(t, guide("troubleshooting"))
	for _, heading := range regexp.MustCompile(`(?m)^### (.*?)(?: \(warning\))?$`).FindAllStringSubmatch(content, -1) {
		all = append(all, strings.Split(heading[1], ", ")...)
	}
	quoted := regexp.MustCompile(`"([A-Z…][^"]+)"`)
	for _, row := range regexp.MustCompile(`(?m)^\| (?:[\w ]+ \| )?(".*?) \|`).FindAllStringSubmatch(content, -1) {
		for _, summary := range quoted.FindAllStringSubmatch(row[1], -1) {
			all = append(all, summary[1])
		}
	}
	return all
}

var (
	reporting = regexp.MustCompile(`^(add|Add|New)(Attribute|Sent)?(Error|Warning)(Diagnostic)?$`)
	verb      = regexp.MustCompile(`%[a-z]`)
)

// summariesInCode are the summaries that the provider reports. … stands for what is known
// only at run time.
func summariesInCode(t *testing.T) (all []string) {
	t.Helper()
	constants := map[string]string{}
	found := func(e ast.Expr) {
		if summary := verb.ReplaceAllString(textOf(e, constants), "…"); summary != "…" {
			all = append(all, summary)
		}
	}
	var files []*ast.File
	for _, directory := range []string{"provider", "adopt", "conn"} {
		paths, err := filepath.Glob("../" + directory + "/*.go")
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(path, "_test.go") {
				files = append(files, file)
			}
		}
	}
	each(files, func(spec *ast.ValueSpec) {
		for i, value := range spec.Values {
			constants[spec.Names[i].Name] = textOf(value, nil)
		}
	})
	each(files, func(assignment *ast.AssignStmt) {
		if name, ok := assignment.Lhs[0].(*ast.Ident); ok && name.Name == "summary" {
			found(assignment.Rhs[0])
		}
	})
	each(files, func(call *ast.CallExpr) {
		function, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || !reporting.MatchString(function.Sel.Name) {
			return
		}
		// What the diagnostic is about comes first, and conn's functions take the diagnostics first.
		of, _ := function.X.(*ast.Ident)
		if at := strings.Contains(function.Sel.Name, "Attribute") || function.Sel.Name == "addError" || of != nil && of.Name == "conn"; at {
			found(call.Args[1])
		} else {
			found(call.Args[0])
		}
	})
	return all
}

// each calls a function for each node of a type.
func each[N ast.Node](files []*ast.File, found func(N)) {
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			if n, ok := n.(N); ok {
				found(n)
			}
			return true
		})
	}
}

// textOf is the text that an expression makes.
func textOf(e ast.Expr, constants map[string]string) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING {
			return text
		}
	case *ast.BinaryExpr:
		return textOf(e.X, constants) + textOf(e.Y, constants)
	case *ast.CallExpr:
		if selector, ok := e.Fun.(*ast.SelectorExpr); ok && selector.Sel.Name == "Sprintf" {
			return textOf(e.Args[0], constants)
		}
	case *ast.Ident:
		if text, ok := constants[e.Name]; ok {
			return text
		}
	}
	return "…"
}
