package main

import (
	"os"
	"strings"
	"testing"
)

const measured = `date: 2030-01-02
terraform: Terraform 1.2.3
provider: abc
go: go1.99
cpus: 2
BenchmarkPlan/objects=1000services/with=baseline-2 1 4000000000 ns/op 3.0 cpu-sec/op
BenchmarkPlan/objects=1000services/with=this-2 1 5000000000 ns/op 4.0 cpu-sec/op 1.0 requests/op
BenchmarkPlan/objects=1000services/with=baseline-2 1 4000000000 ns/op 3.0 cpu-sec/op
BenchmarkPlan/objects=1000services/with=this-2 1 7000000000 ns/op 5.0 cpu-sec/op 1.0 requests/op
BenchmarkCall/objects=pipe/with=ReadResource-2 100 4000 ns/op 26890 B/op 12345 allocs/op
`

func TestFiguresAreWrittenIntoThePage(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, content := range map[string]string{"bench.txt": measured, "page.md": "before\n" + begin + "old figures\n" + end + "\nafter\n"} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := run("bench.txt", "page.md", "picture.svg"); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile("page.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"before\n" + begin + "A plan over 1,000 services takes 6.0 s and one request, ", "requests: 1.50 and – times the CPU time ",
		" Measured on 2030-01-02, Terraform 1.2.3, provider abc (go1.99), medians of 1 rounds on 2 CPUs.\n",
		"| 1,000 services | 4.0 s | **6.0 s** | 3.0 s, 4.5 s | 1.50 | 1 |\n| 3,000 services | – | **–** | –, – | – | – |\n",
		"| `ReadResource` | – allocations, – kB | 12,345 allocations, 26.9 kB | – allocations, – kB |\n", end + "\nafter\n",
	} {
		if !strings.Contains(string(content), text) {
			t.Errorf("%q is missing in\n%s", text, content)
		}
	}
}
