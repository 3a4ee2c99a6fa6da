package guidestest

import (
	"html"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestDemo runs the script of make demo, whatever the shell has set: it tells its story, draws the
// picture of README.md, and leaves nothing behind.
func TestDemo(t *testing.T) {
	t.Parallel()
	needs(t, "Requires Terraform 1.5 or OpenTofu 1.5 or later.")
	w := inClone(t)
	w.shell("make build bin/mockplatform bin/picture && mkdir temporary")
	const demo = `TMPDIR=$PWD/temporary TF_CLI_ARGS=-nonsense internal/cmd/demo/demo.sh "$(command -v terraform)" `
	rest := w.shell(demo)
	const events, ledger = "20000000-0000-4000-8000-000000000001", "20000000-0000-4000-8000-000000000003"
	sent := func(service, body string) string { return "PATCH …/services/" + service + "/scaling " + body + " " }
	sealed, destroyed := []string{`"key_secret": "`}, "4 destroyed."
	if _, err := exec.LookPath("ssh-keygen"); err == nil && !programUnder(t).OlderThan("1.11", "1.11") {
		sealed, destroyed = append(sealed, "━━━ Keep its secret out of the state ━━━", "2 added, 0 changed, 1 destroyed.", `"encrypted_key_secret": "-----BEGIN AGE ENCRYPTED FILE-----`, `"key_secret": null`), "5 destroyed."
	}
	// Each after the one before. What is sent is among them, and what is not.
	for _, text := range slices.Concat([]string{
		"━━━ 1. ", "num_replicas = 3 -> 4", "2 imported, 0 added, 2 changed, 0 destroyed.",
		sent(events, `{"idleTimeoutMinutes":30,"numReplicas":4}`),
		"━━━ 2. ", "1 added, 0 changed, 0 destroyed.", sent(ledger, `{"idleScaling":true,"numReplicas":3}`),
		"━━━ 3. ", "1 added, 0 changed, 0 destroyed.", "POST …/keys ", `"name":"sensor-loader"`,
	}, sealed, []string{
		"━━━ 4. ", "num_replicas = 2 -> 4", "0 added, 1 changed, 0 destroyed.", sent(events, `{"numReplicas":4}`), "No changes.",
		"━━━ 5. ", "without changing any real infrastructure",
		"━━━ 6. ", destroyed, "Requests: none ",
		"━━━ 7. ", `"idleScaling": false`, `"idleTimeoutMinutes": 30`, `"numReplicas": 4`, `"name": "sensor-loader"`,
	}) {
		_, after, found := strings.Cut(rest, text)
		if !found {
			t.Fatalf("%q is missing in\n%s", text, rest)
		}
		rest = after
	}
	w.shell(demo + "README.svg && rmdir temporary")
	want := changesIn(fileText(t, readme)) // its plan is tested against a real one
	for where, picture := range map[string]string{"the demo": w.Read("README.svg"), "the repository": fileText(t, "../../README.svg")} {
		if got := changesIn(picture); len(want) < 3 || !slices.Equal(got, want) {
			t.Errorf("README.svg of %s shows %q, and README.md %q: run make picture, and look at it", where, got, want)
		}
	}
}

var (
	lineOfPicture = regexp.MustCompile(`<text[^>]*>`)
	otherTag      = regexp.MustCompile(`<[^>]*>`)
)

// changesIn returns what a page or a picture of a plan says of values and of numbers of objects.
// Spaces, colors and the other lines differ between versions of Terraform.
func changesIn(plan string) (changes []string) {
	text := otherTag.ReplaceAllString(lineOfPicture.ReplaceAllString(plan, "\n"), "")
	for line := range strings.Lines(html.UnescapeString(text)) {
		words := strings.Fields(line)
		if len(words) > 0 && (words[0] == "Plan:" || slices.Contains(words, "->")) {
			changes = append(changes, strings.Join(words, " "))
		}
	}
	return changes
}
