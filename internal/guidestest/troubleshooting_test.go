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

// reporting are the functions that report an error or a warning, with the
// position of the summary among their arguments.
var reporting = map[string]int{
	"AddError": 0, "AddWarning": 0, "AddAttributeError": 1, "AddAttributeWarning": 1,
	"NewErrorDiagnostic": 0, "NewWarningDiagnostic": 0, "NewAttributeErrorDiagnostic": 1, "NewAttributeWarningDiagnostic": 1,
	"addError":     1, // of validation
	"AddSentError": 1,
}

// terraformsOwn are summaries in the guide that Terraform or its framework
// writes.
var terraformsOwn = []string{"WriteOnly Attribute Not Allowed", "Instance cannot be destroyed", "Provider produced inconsistent final plan", "Attribute Deprecated", "Deprecated value used", "Invalid Attribute …", "Missing Attribute Configuration"}

// TestTroubleshootingIsComplete compares the headings of the guide with the
// summaries in the code, both ways: an error that nobody can look up, and an
// entry for a text that no longer exists.
func TestTroubleshootingIsComplete(t *testing.T) {
	t.Parallel()
	headings := troubleshootingHeadings(t)
	summaries := summariesInCode(t)
	if len(summaries) < 30 {
		t.Fatalf("only %d summaries were found in the code: %q", len(summaries), summaries)
	}
	for summary, at := range summaries {
		if !matchesAny(summary, headings) {
			t.Errorf("%s: templates/guides/troubleshooting.md has no heading for %q", at, summary)
		}
	}
	known := slices.Clone(terraformsOwn)
	for summary := range summaries {
		known = append(known, summary)
	}
	for _, heading := range headings {
		if !matchesAny(heading, known) {
			t.Errorf("troubleshooting.md explains %q, which nothing reports", heading)
		}
	}
}

// matchesAny reports whether a text is one of the others, where … stands for
// anything in either of them.
func matchesAny(text string, others []string) bool {
	for _, other := range others {
		if matches(text, other) || matches(other, text) {
			return true
		}
	}
	return false
}

func matches(text, pattern string) bool {
	return regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(pattern), "…", ".+") + "$").MatchString(text)
}

// tableRow finds the texts of a row, behind what they are of if that is said.
var tableRow = regexp.MustCompile(`^\| (?:[\w ]+ \| )?(".*?) \|`)

var quotedSummary = regexp.MustCompile(`"([A-Z…][^"]+)"`)

// troubleshootingHeadings are the summaries that the guide explains: the
// headings of third level, separated by commas where one entry serves several,
// and those that a table's row quotes.
func troubleshootingHeadings(t *testing.T) []string {
	t.Helper()
	content := fileText(t, "../../templates/guides/troubleshooting.md")
	var all []string
	for line := range strings.Lines(content) {
		line = strings.TrimSpace(line)
		if heading, ok := strings.CutPrefix(line, "### "); ok {
			all = append(all, strings.Split(strings.TrimSuffix(heading, " (warning)"), ", ")...)
		}
		row := tableRow.FindStringSubmatch(line)
		if row == nil {
			continue
		}
		for _, quoted := range quotedSummary.FindAllStringSubmatch(row[1], -1) {
			all = append(all, quoted[1])
		}
	}
	return all
}

// summariesInCode are the summaries that the provider reports, with the place
// of each. … stands for what is known only at run time.
func summariesInCode(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, folder := range []string{"../provider", "../adopt", "../conn"} {
		files := parsedFiles(t, folder)
		constants := map[string]string{}
		for _, file := range files {
			ast.Inspect(file.syntax, func(n ast.Node) bool {
				if spec, ok := n.(*ast.ValueSpec); ok && len(spec.Values) == len(spec.Names) {
					for i, name := range spec.Names {
						constants[name.Name] = textOf(spec.Values[i], nil)
					}
				}
				return true
			})
		}
		for _, file := range files {
			ast.Inspect(file.syntax, func(n ast.Node) bool {
				if e := summaryIn(n); e != nil {
					found[verb.ReplaceAllString(textOf(e, constants), "…")] = file.path
				}
				return true
			})
		}
	}
	delete(found, "…")
	return found
}

// summaryIn is the summary that a node reports or assigns, or nil.
func summaryIn(n ast.Node) ast.Expr {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if name, ok := n.Lhs[0].(*ast.Ident); ok && name.Name == "summary" {
			return n.Rhs[0]
		}
	case *ast.CallExpr:
		selector, ok := n.Fun.(*ast.SelectorExpr)
		if !ok {
			return nil
		}
		at, ok := reporting[selector.Sel.Name]
		if x, isName := selector.X.(*ast.Ident); isName && x.Name == "conn" {
			at = 1 // conn's functions take the diagnostics first
		}
		if ok && at < len(n.Args) {
			return n.Args[at]
		}
	}
	return nil
}

type parsedFile struct {
	path   string
	syntax *ast.File
}

func parsedFiles(t *testing.T, folder string) []parsedFile {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var all []parsedFile
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		syntax, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, parsedFile{path, syntax})
	}
	return all
}

var verb = regexp.MustCompile(`%[a-z]`)

// textOf is the text that an expression makes.
func textOf(e ast.Expr, constants map[string]string) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		if err == nil && e.Kind == token.STRING {
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

// TestContributingNamesTests wants each test that CONTRIBUTING.md names: it says which
// tests hold the promises of SECURITY.md.
func TestContributingNamesTests(t *testing.T) {
	t.Parallel()
	content := fileText(t, "../../CONTRIBUTING.md")
	files, err := filepath.Glob("../*/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, file := range files {
		all.WriteString(fileText(t, file))
	}
	names := regexp.MustCompile("`((?:Test|Fuzz)[A-Z]\\w+)`").FindAllStringSubmatch(content, -1)
	for _, name := range names {
		if !strings.Contains(all.String(), "\nfunc "+name[1]+"(") {
			t.Errorf("CONTRIBUTING.md names %s, which does not exist", name[1])
		}
	}
	if len(names) < 15 {
		t.Errorf("CONTRIBUTING.md names %d tests only", len(names))
	}
}
