package guidestest

import (
	"strings"
	"testing"
)

// TestDemo runs the script of make demo, whatever the shell has set: it tells its story in under 200
// lines, and leaves nothing behind.
func TestDemo(t *testing.T) {
	t.Parallel()
	needs(t, "Requires Terraform 1.5 or OpenTofu 1.6 or later.")
	w := inClone(t)
	w.shell("make build bin/mockplatform && mkdir temporary")
	const demo = `TMPDIR=$PWD/temporary TF_CLI_ARGS=-nonsense internal/cmd/demo/demo.sh "$(command -v terraform)" `
	rest := w.shell(demo + "| tee story && test $(wc -l <story) -lt 200")
	// Each after the one before. What is sent is among them, and what is not.
	for _, text := range []string{
		"━━━ 1. ", "Plan: 2 to import, 0 to add, 0 to change", "2 imported, 0 added, 0 changed, 0 destroyed.", "nothing ",
		"━━━ 2. ", `- "phone",`, `+ "sales.invoices:invoices"`, "Columns that will be copied from now on.",
		"━━━ 3. ", "0 added, 1 changed, 0 destroyed.", `{"source":{"postgres":{"tableMappingsToAdd":[{"excludedColumns":["iban"],`,
		"━━━ 4. ", "num_replicas = 2 -> 3", `/scaling {"numReplicas":3} `,
		"━━━ 5. ", "POST …/keys ", "1 to add, 0 to change, 1 to destroy.", "is replaced and stays valid", "POST …/keys ", "examples/demo",
	} {
		_, after, found := strings.Cut(rest, text)
		if !found {
			t.Fatalf("%q is missing in\n%s", text, rest)
		}
		rest = after
	}
	w.shell("rmdir temporary")
}
