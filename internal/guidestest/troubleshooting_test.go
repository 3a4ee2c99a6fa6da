package guidestest

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestTroubleshootingNamesWhatIsReported searches the code for each summary of the provider that the guide explains: what
// stands between the names of objects is found, in few lines, so that one search leads from what is printed to what prints
// it. Both tables are in the order of their texts.
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
	quoted := regexp.MustCompile(`"([A-Z…][^"]+)"`)
	var summaries []string
	for _, title := range []string{"Of Terraform and OpenTofu", "Of the provider"} {
		rows := regexp.MustCompile("(?m)^\\| ([\"`].*?) \\|").FindAllStringSubmatch(chapterOf(t, guide("troubleshooting"), title).text, -1)
		first := make([]string, len(rows))
		for i, row := range rows {
			first[i] = strings.ToLower(strings.Trim(row[1], "\"`"))
			for _, summary := range quoted.FindAllStringSubmatch(row[1], -1) {
				if title == "Of the provider" {
					summaries = append(summaries, summary[1])
				}
			}
		}
		if !slices.IsSorted(first) || len(first) < 10 {
			t.Errorf("%s: the rows are not sorted, or too few: %q", title, first)
		}
	}
	for _, summary := range summaries {
		found := slices.DeleteFunc(slices.Clone(lines), func(line string) bool {
			return slices.ContainsFunc(strings.Split(summary, "…"), func(part string) bool { return !strings.Contains(line, strings.TrimSpace(part)) })
		})
		if len(found) == 0 || len(found) > 6 {
			t.Errorf("%d lines have the summary %q: %q", len(found), summary, found)
		}
	}
}
