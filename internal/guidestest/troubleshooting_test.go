package guidestest

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// notInCode are summaries in the guide that Terraform or its framework writes, and one that is put together.
var notInCode = []string{
	"WriteOnly Attribute Not Allowed", "Instance cannot be destroyed", "Provider produced inconsistent final plan",
	"Table mappings of … changed during the apply",
}

// nounAtEnd is known only at run time.
var nounAtEnd = regexp.MustCompile(`^(No such|Cannot \w+) (?:service|pipe)$`)

// TestTroubleshootingNamesWhatIsReported finds each summary that the guide explains in the code.
func TestTroubleshootingNamesWhatIsReported(t *testing.T) {
	t.Parallel()
	var code strings.Builder
	for _, directory := range []string{"provider", "adopt", "conn"} {
		paths, err := filepath.Glob("../" + directory + "/*.go")
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			if !strings.HasSuffix(path, "_test.go") {
				code.WriteString(fileText(t, path))
			}
		}
	}
	summaries := troubleshootingHeadings(t)
	if len(summaries) < 30 {
		t.Fatalf("only %d summaries were found in the guide: %q", len(summaries), summaries)
	}
	for _, summary := range summaries {
		if slices.Contains(notInCode, summary) {
			continue
		}
		for part := range strings.SplitSeq(summary, "…") {
			fixed := strings.TrimSpace(nounAtEnd.ReplaceAllString(part, "$1"))
			if !strings.Contains(code.String(), fixed) {
				t.Errorf("the guide explains %q, which nothing reports", summary)
			}
		}
	}
}

// troubleshootingHeadings are the summaries that the guide explains: the
// headings of third level, separated by commas where one entry serves several,
// and those that a table's row quotes.
func troubleshootingHeadings(t *testing.T) (all []string) {
	t.Helper()
	content := fileText(t, guide("troubleshooting"))
	for _, heading := range regexp.MustCompile(`(?m)^### (.*?)(?: \(warning\))?$`).FindAllStringSubmatch(content, -1) {
		all = append(all, strings.Split(heading[1], ", ")...)
	}
	quoted := regexp.MustCompile(`"([A-Z…][^"]+)"`)
	for _, row := range regexp.MustCompile(`(?m)^\| (".*?) \|`).FindAllStringSubmatch(content, -1) {
		for _, summary := range quoted.FindAllStringSubmatch(row[1], -1) {
			all = append(all, summary[1])
		}
	}
	return all
}
