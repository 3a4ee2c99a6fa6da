package guidestest

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// notInCode are summaries in the guide that Terraform or its framework writes.
var notInCode = []string{"WriteOnly Attribute Not Allowed", "Instance cannot be destroyed", "Provider produced inconsistent final plan"}

// TestTroubleshootingNamesWhatIsReported searches the code for each summary that the guide explains: what stands between
// the names of objects is found, in few lines, so that one search leads from what is printed to what prints it.
func TestTroubleshootingNamesWhatIsReported(t *testing.T) {
	t.Parallel()
	var lines []string
	for _, directory := range []string{"provider", "adopt", "conn"} {
		paths, _ := filepath.Glob("../" + directory + "/*.go")
		for _, path := range paths {
			if !strings.HasSuffix(path, "_test.go") {
				lines = append(lines, strings.Split(fileText(t, path), "\n")...)
			}
		}
	}
	content := fileText(t, guide("troubleshooting"))
	var summaries []string // one entry may serve several, and rows of tables quote some
	for _, heading := range regexp.MustCompile(`(?m)^### (.*?)(?: \(warning\))?$`).FindAllStringSubmatch(content, -1) {
		summaries = append(summaries, strings.Split(heading[1], ", ")...)
	}
	quoted := regexp.MustCompile(`"([A-Z…][^"]+)"`)
	for _, row := range regexp.MustCompile(`(?m)^\| (".*?) \|`).FindAllStringSubmatch(content, -1) {
		for _, summary := range quoted.FindAllStringSubmatch(row[1], -1) {
			summaries = append(summaries, summary[1])
		}
	}
	if len(summaries) < 30 {
		t.Fatalf("only %d summaries were found in the guide: %q", len(summaries), summaries)
	}
	for _, summary := range summaries {
		found := slices.DeleteFunc(slices.Clone(lines), func(line string) bool {
			return slices.ContainsFunc(strings.Split(summary, "…"), func(part string) bool { return !strings.Contains(line, strings.TrimSpace(part)) })
		})
		if (len(found) == 0 || len(found) > 6) && !slices.Contains(notInCode, summary) {
			t.Errorf("%d lines have the summary %q: %q", len(found), summary, found)
		}
	}
}
