package main

import (
	"encoding/xml"
	"os"
	"strings"
	"testing"
)

const measured = `date: 2030-01-02
terraform: Terraform 1.2.3
provider: abc
go: go1.99
cpus: 2
BenchmarkPlan/objects=1000services/with=baseline-2 1 4000000000 ns/op 3.0 cpu-sec/op 104857600 terraform-peak-bytes
BenchmarkPlan/objects=1000services/with=this-2 1 5000000000 ns/op 4.0 cpu-sec/op 1.0 provider-cpu-sec/op 52428800 provider-peak-bytes 1.0 requests/op
BenchmarkPlan/objects=300pipes/with=this-2 1 3000000000 ns/op 300 requests/op
BenchmarkOutage/objects=300pipes/with=this-2 1 25000000000 ns/op 20 least-sec/op
BenchmarkPlan/objects=1000services/with=baseline-2 1 4000000000 ns/op 3.0 cpu-sec/op 104857600 terraform-peak-bytes
BenchmarkPlan/objects=1000services/with=this-2 1 7000000000 ns/op 5.0 cpu-sec/op 2.0 provider-cpu-sec/op 52428800 provider-peak-bytes 1.0 requests/op
BenchmarkPlan/objects=300pipes/with=this-2 1 3000000000 ns/op 300 requests/op
BenchmarkOutage/objects=300pipes/with=this-2 1 27000000000 ns/op 20 least-sec/op
BenchmarkCall/objects=pipe/with=ReadResource-2 100 4000 ns/op 26890 B/op 12345 allocs/op
BenchmarkCall/objects=pipe/with=ReadResource-2 100 4000 ns/op 26890 B/op 12345 allocs/op
`

func TestFiguresAreWrittenIntoThePage(t *testing.T) {
	prepare(t, measured, "before\n"+begin+"old figures\n"+end+"\nafter\n")
	for range 2 { // the second run replaces the figures of the first
		if err := run("bench.txt", "page.md", "picture.svg"); err != nil {
			t.Fatal(err)
		}
	}
	page, picture := contentOf(t, "page.md"), contentOf(t, "picture.svg")
	for _, text := range []string{
		"before\n" + begin + "A plan over 1,000 services takes 6.0 s and 1 request, ", "requests: 1.50 and – times the CPU time ",
		"an outage of 20 s makes a plan over 300 pipes 23 s longer;", "](picture.svg)\n",
		" Measured on 2030-01-02, Terraform 1.2.3, provider abc (go1.99), medians of 2 rounds on 2 CPUs.\n",
		"| 1,000 services | – | 4.0 s | **6.0 s** | 3.0 s, 4.5 s | 1.50 | 1.5 s | 1 | 50 MiB, 100 MiB |\n",
		"| 3,000 services | – | – | **–** | –, – | – | – | – | –, – |\n",
		"| `ReadResource` | – allocations, – kB | 12,345 allocations, 26.9 kB | – allocations, – kB |\n",
		"for the first 20 seconds | **26 s** | 20 s | – | – |\n" + "| over 1,000 services", end + "\nafter\n",
	} {
		if !strings.Contains(page, text) {
			t.Errorf("%q is missing in\n%s", text, page)
		}
	}
	if strings.Contains(page, "old figures") || strings.Count(page, "| this |") != 1 || strings.Contains(page, "NaN") {
		t.Errorf("got\n%s", page)
	}
	if err := xml.Unmarshal([]byte(picture), new(struct{ XMLName xml.Name })); err != nil || !strings.Contains(picture, ">1,000</text>") {
		t.Errorf("%v in\n%s", err, picture)
	}
}

func TestPageStaysWithoutFigures(t *testing.T) {
	for _, row := range []struct{ measured, page, message string }{
		{measured, "prose\n", "lacks the comments"},
		{"PASS\n", begin + end, "has no results"},
	} {
		prepare(t, row.measured, row.page)
		if err := run("bench.txt", "page.md", "picture.svg"); err == nil || !strings.Contains(err.Error(), row.message) || contentOf(t, "page.md") != row.page {
			t.Errorf("got %v, want %s, and the page %q", err, row.message, contentOf(t, "page.md"))
		}
	}
}

// prepare writes what was measured, and a page, into a directory for the test.
func prepare(t *testing.T, measured, page string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, content := range map[string]string{"bench.txt": measured, "page.md": page} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func contentOf(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
