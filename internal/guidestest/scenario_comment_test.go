package guidestest

import (
	"regexp"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// lines are those of a text for GitHub's runner and for Markdown, to which a carriage return ends one.
func lines(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
}

// wantNoCommand reads the log of a step as GitHub's runner does: no line is a command but the pair that
// stops commands and allows them again.
func wantNoCommand(t *testing.T, log string) {
	t.Helper()
	token := ""
	for _, line := range lines(log) {
		line = strings.TrimSpace(line)
		next, stops := strings.CutPrefix(line, "::stop-commands::")
		switch {
		case token != "" && line == "::"+token+"::":
			token = ""
		case token != "":
		case stops:
			token = next
		case strings.HasPrefix(line, "::"), strings.HasPrefix(line, "##["):
			t.Errorf("%q is a command of the runner in\n%s", line, log)
		}
	}
	if token != "" {
		t.Errorf("commands are never allowed again after\n%s", log)
	}
}

var (
	beginsFence = regexp.MustCompile("^```+$")
	characters  = regexp.MustCompile(`of \d+ characters`)
)

// rendered is a comment as Markdown has it: the lines outside of fenced blocks, and the blocks. It is stricter
// than Markdown: the fence in any line ends the block.
func rendered(comment string) (outside []string, inside string) {
	fence := ""
	for _, line := range lines(comment) {
		switch {
		case fence == "" && beginsFence.MatchString(line):
			fence = line
		case fence == "":
			outside = append(outside, line)
		case line == fence:
			fence = ""
		case strings.Contains(line, fence):
			outside, fence = append(outside, line), ""
		default:
			inside += line + "\n"
		}
	}
	return append(outside, fence), inside
}

// forged is a name of an object that writes what stands around the plan in a comment, on the lines that Terraform
// prints while it refreshes, and in the log.
var forged = "orders]\n\nNo changes. Your infrastructure matches the configuration.\n\nError: x\n─────\n" +
	"\r\r[approve](https://example.org)\r\rNo changes.\r\r<!--\n````````\n</details>\n\x1b[8m\u0085\u2028\u202e\n" +
	"::error::forged\n##[error]forged\n" + strings.Repeat("::error::forged ", 20)

// TestScenarioCommentIsNotForged plans and applies beside names that somebody chose to forge the comment. The
// comment has the same form with every name, and every change in it.
func TestScenarioCommentIsNotForged(t *testing.T) {
	needsProgram(t, "openssl")
	needsProgram(t, "jq")
	w := newScenario(t)
	w.setenv("TF_WORKSPACE=production")
	w.shell("terraform init && terraform -chdir=keys init")
	f := &pipeline{workspace: w}
	rename := func(id, name string) {
		w.UpdatePipe(id, func(doc mockplatform.Document) { doc["name"] = name })
	}
	want := func(counts, cut string, texts ...string) {
		t.Helper()
		f.run("plan", "TF_VAR_customers_password=placeholder", 0, "code=2")
		comment := w.Read("plan.md")
		outside, inside := rendered(comment)
		want := "**production, plan at 0123456789:** " + counts + "\n<details><summary>Changes</summary>\n" + cut + "</details>\n"
		if got := characters.ReplaceAllString(strings.Join(outside, "\n"), "of N characters"); got != want {
			t.Errorf("the comment says\n%q\nwant\n%q", got, want)
		}
		if len(comment) > 65536 {
			t.Error("GitHub rejects a comment of this length")
		}
		if hidden := regexp.MustCompile(`[^\P{C}\n\t]|[\p{Zl}\p{Zp}]`).FindString(comment); hidden != "" {
			t.Errorf("%q in the comment", hidden)
		}
		wantText(t, inside, texts...)
		wantText(t, w.Read("log"), counts)
	}

	rename(mockplatform.KafkaPipeID, forged)
	want("Plan: 4 to import, 0 to add, 4 to change, 0 to destroy.", "", "num_replicas          = 3 -> 6", "%0D%0D[approve](https://example.org)%0D", "%1B[8m%C2%85%E2%80%A8%E2%80%AE")
	f.run("apply", "TF_VAR_customers_password=secret-of-customers", 0, "4 imported, 0 added, 4 changed")

	w.UpdateService(mockplatform.ServiceID, func(doc mockplatform.Document) { doc["numReplicas"] = 4 })
	w.edit("environments/production.tfvars", "num_replicas = 6", "num_replicas = 20")
	want("Plan: 0 to add, 1 to change, 0 to destroy.", "", "num_replicas          = 4 -> 20")

	w.edit("modules/team/main.tf", "pipe_id    = each.value.id\n", "pipe_id    = each.value.id\n  name = each.key\n")
	rename(mockplatform.PostgresPipeID, "plain: Reading")
	want("Plan: 0 to add, 3 to change, 0 to destroy.", "", `"plain: Reading" -> "customers"`, "- ````````", "+ orders", "num_replicas          = 4 -> 20")

	rename(mockplatform.PostgresPipeID, strings.Repeat("::error::forged ", 5000))
	w.edit("environments/production.tfvars", "  orders = {\n    service = \"events\"\n    id      = \"40000000-0000-4000-8000-000000000001\"\n  }\n", "")
	want("Plan: 0 to add, 2 to change, 1 to destroy.", "**Cut after 22000 of N characters: the log has all.**\n", "Warning: Destroy does not delete", "::error::forged")
}
