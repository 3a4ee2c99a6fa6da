package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const measured = `date: 2030-01-02
terraform: Terraform 1.2.3
provider: abc
go: go1.99
cpus: 2
BenchmarkPlan/objects=1000services/with=baseline-2 1 4000000000 ns/op 104857600 terraform-peak-bytes
BenchmarkPlan/objects=1000services/with=this-2 1 5000000000 ns/op 4.0 cpu-sec/op 1.0 provider-cpu-sec/op 52428800 provider-peak-bytes 1.0 requests/op
BenchmarkPlan/objects=300pipes/with=this-2 1 3000000000 ns/op 300 requests/op
BenchmarkOutage/objects=300pipes/with=this-2 1 25000000000 ns/op 20 least-sec/op
BenchmarkPlan/objects=1000services/with=baseline-2 1 4000000000 ns/op 104857600 terraform-peak-bytes
BenchmarkPlan/objects=1000services/with=this-2 1 7000000000 ns/op 5.0 cpu-sec/op 2.0 provider-cpu-sec/op 52428800 provider-peak-bytes 1.0 requests/op
BenchmarkPlan/objects=300pipes/with=this-2 1 3000000000 ns/op 300 requests/op
BenchmarkOutage/objects=300pipes/with=this-2 1 27000000000 ns/op 20 least-sec/op
`

func TestRun(t *testing.T) {
	dir := t.TempDir()
	in, page, picture := filepath.Join(dir, "bench.txt"), filepath.Join(dir, "page.md"), filepath.Join(dir, "picture.svg")
	write(t, in, measured)
	write(t, page, "before\n"+begin+"old figures\n"+end+"\nafter\n")
	for range 2 { // the second run replaces the figures of the first
		if err := run(in, page, picture); err != nil {
			t.Fatal(err)
		}
	}
	got := contentOf(t, page)
	for _, text := range []string{
		"before\n" + begin + "A plan over 1,000 services takes 6.0 s and 1 request, ", "Terraform itself takes 67 % and ",
		"an outage of 20 s makes a plan over 300 pipes 23 s longer;", "](picture.svg)\n",
		" Measured on 2030-01-02, Terraform 1.2.3, provider abc (go1.99), medians of 2 rounds on 2 CPUs.\n",
		"| 1,000 services | – | 4.0 s | **6.0 s** | 67 % | 4.5 s, 1.5 s | 1 | 50 MiB, 100 MiB |\n",
		"| 3,000 services | – | – | **–** | – | –, – | – | –, – |\n",
		"for the first 20 seconds | **26 s** | 20 s | – | – |\n" + "| over 1,000 services", end + "\nafter\n",
	} {
		if !strings.Contains(got, text) {
			t.Errorf("%q is missing in\n%s", text, got)
		}
	}
	if strings.Contains(got, "old figures") || strings.Count(got, "| this |") != 1 || strings.Contains(got, "NaN") {
		t.Errorf("got\n%s", got)
	}
	drawn := contentOf(t, picture)
	decoder := xml.NewDecoder(strings.NewReader(drawn))
	for {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for _, text := range []string{">6</text>", ">1,000</text>", ">services</text>", "Arial"} {
		if !strings.Contains(drawn, text) {
			t.Errorf("%q is missing in the picture", text)
		}
	}
	if strings.Contains(drawn, "medians") { // another font than the one that is measured would cut a line off
		t.Error("the picture has text that belongs into the page")
	}
}

func TestPageWithoutComments(t *testing.T) {
	dir := t.TempDir()
	in, page := filepath.Join(dir, "bench.txt"), filepath.Join(dir, "page.md")
	write(t, in, measured)
	write(t, page, "prose\n")
	if err := run(in, page, filepath.Join(dir, "picture.svg")); err == nil || contentOf(t, page) != "prose\n" {
		t.Errorf("got %v and %q", err, contentOf(t, page))
	}
	write(t, in, "PASS\n")
	if err := run(in, page, ""); err == nil || !strings.Contains(err.Error(), "has no results") {
		t.Errorf("got %v", err)
	}
}

func write(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
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
