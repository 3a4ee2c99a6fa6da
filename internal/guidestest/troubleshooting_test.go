package guidestest

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// terraformsOwn are summaries in the guide that Terraform or its framework
// writes.
var terraformsOwn = []string{"WriteOnly Attribute Not Allowed", "Instance cannot be destroyed", "Provider produced inconsistent final plan"}

// selfExplanatory are summaries whose own text says all that the guide could.
var selfExplanatory = []string{
	"A name in … of … cannot be sent", "API key … has expired", "API key … has expired and is replaced", "API key … has expired and stays on the platform", "API key … will never expire", "API keys cannot be imported",
	"Cannot configure provider", "Cannot import …", "Destroy does not delete services or pipes", "Empty list", "Expiry in the past", "Fewer than 2 replicas for …", "Import does not match the configuration",
	"Incomplete credential", "Invalid IP address", "Invalid UUID", "Invalid alert ID", "Invalid early_renewal_hours", "Invalid element",
	"Invalid environment variable", "Invalid key of a table mapping", "Invalid number", "Invalid sorting keys", "Invalid timestamp", "Minimum memory exceeds maximum",
	"Pipe has another kind of source", "Secret ends with a line break", "Secret is blank",
	"Unknown values after apply",
}

// TestTroubleshootingIsComplete compares the headings of the guide with the
// summaries in the code, both ways: an error that nobody can look up, unless its own text
// suffices, and an entry for a text that no longer exists.
func TestTroubleshootingIsComplete(t *testing.T) {
	t.Parallel()
	headings, summaries := troubleshootingHeadings(t), summariesInCode(t)
	if len(summaries) < 30 {
		t.Fatalf("only %d summaries were found in the code: %q", len(summaries), summaries)
	}
	for _, summary := range summaries {
		if !slices.Contains(selfExplanatory, summary) && !matchesAny(summary, headings) {
			t.Errorf("the guide has no heading for %q", summary)
		}
	}
	for _, summary := range selfExplanatory {
		if !slices.Contains(summaries, summary) || slices.Contains(headings, summary) {
			t.Errorf("%q is not reported, or the guide explains it", summary)
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

// reported finds the summary in a call that reports a diagnostic: the first text that begins
// with a capital letter, or with what is known only at run time. A summary that is chosen
// before the call is in a variable of that name, in a constant, or what a function returns.
var reported = regexp.MustCompile(`(?:\.[aA]dd(?:Attribute)?(?:Error|Warning)\((?:[^"}]|\{[^"}]*\}|"[a-z_]+")*|\bsummary(?:, \w+)? :?= (?:fmt\.Sprintf\()?|\nconst \w+ += |\) string \{\n\treturn fmt\.Sprintf\()"([A-Z%][^".]*(?:\w"| "\+))`)

// summariesInCode are the summaries that the provider reports. … stands for what is known
// only at run time.
func summariesInCode(t *testing.T) (all []string) {
	t.Helper()
	later := regexp.MustCompile(`%[a-z]|"\+$`)
	for _, directory := range []string{"provider", "adopt", "conn"} {
		paths, err := filepath.Glob("../" + directory + "/*.go")
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			for _, call := range reported.FindAllStringSubmatch(fileText(t, path), -1) {
				all = append(all, strings.Trim(later.ReplaceAllString(call[1], "…"), `"`))
			}
		}
	}
	return all
}
