// Command chart writes the figures of `make bench` into a page, and draws them:
//
//	chart bench.txt BENCHMARKS.md BENCHMARKS.svg
//
// The page has its figures between two comments. Every figure is the median of the rounds.
package main

import (
	"cmp"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// What a benchmark ran with.
const (
	baseline = "baseline"
	this     = "this"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 4 {
		log.Fatal("usage: chart bench.txt page.md picture.svg")
	}
	if err := run(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		log.Fatal(err)
	}
}

func run(measured, page, picture string) error {
	found, err := read(measured)
	if err != nil {
		return err
	}
	if err := rewrite(page, found.conclusions()+found.tables(filepath.Base(picture))); err != nil {
		return err
	}
	return found.draw(picture)
}

// key names a figure.
type key struct{ benchmark, objects, with, unit string }

type figures struct {
	values map[key][]float64 // one for each round
	config map[string]string // of the run: date, versions, processor
}

func read(name string) (*figures, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	found := &figures{map[key][]float64{}, map[string]string{}}
	reader := benchfmt.NewReader(file, name)
	for reader.Scan() {
		result, ok := reader.Result().(*benchfmt.Result)
		if !ok {
			return nil, fmt.Errorf("%v", reader.Result())
		}
		for _, line := range result.Config {
			found.config[line.Key] = string(line.Value)
		}
		benchmark, parts := result.Name.Parts()
		k := key{benchmark: string(benchmark)}
		for _, part := range parts {
			if value, ok := strings.CutPrefix(string(part), "/objects="); ok {
				k.objects = value
			}
			if value, ok := strings.CutPrefix(string(part), "/with="); ok {
				k.with = value
			}
		}
		for _, value := range result.Values {
			k.unit = value.Unit
			found.values[k] = append(found.values[k], value.Value)
		}
	}
	if len(found.values) == 0 {
		return nil, errors.New(name + " has no results")
	}
	return found, reader.Err()
}

// median returns the median of the rounds, and false if there are none.
func (f *figures) median(k key) (float64, bool) {
	values := slices.Sorted(slices.Values(f.values[k]))
	if len(values) == 0 {
		return 0, false
	}
	middle := len(values) / 2
	if len(values)%2 == 0 {
		return (values[middle-1] + values[middle]) / 2, true
	}
	return values[middle], true
}

// show returns a median in a unit, or a dash.
func (f *figures) show(k key, form string, scale float64) string {
	value, ok := f.median(k)
	if !ok {
		return "–"
	}
	return thousands(fmt.Sprintf(form, value/scale))
}

// ratio returns how many times the other figure one is, or a dash.
func (f *figures) ratio(one, other key) string {
	value, ok := f.median(one)
	by, okBy := f.median(other)
	if !ok || !okBy {
		return "–"
	}
	return fmt.Sprintf("%.2f", value/by)
}

// rounds is the number of rounds of the benchmark that had the fewest.
func (f *figures) rounds() int {
	least := 0
	for _, values := range f.values {
		least = cmp.Or(min(least, len(values)), len(values))
	}
	return least
}

// sizes are those of the picture.
var sizes = map[string][]string{"services": {"100", "300", "1000", "3000"}, "pipes": {"100", "300", "1000"}}

// plans are the rows of the table.
var plans = []struct{ text, objects string }{
	{"100 services", "100services"}, {"300 services", "300services"}, {"1,000 services", "1000services"}, {"3,000 services", "3000services"},
	{"100 pipes", "100pipes"}, {"300 pipes", "300pipes"}, {"1,000 pipes", "1000pipes"},
	{"100 pipes of 50 table mappings", "100mapped"}, {"one pipe", "1pipe"}, {"one pipe of 400 table mappings", "1mapped"},
}

// calls are the rows of the table of calls, and calledFor its columns.
var (
	calls     = []string{"ValidateResourceConfig", "ReadResource", "PlanResourceChange"}
	calledFor = []string{"service", "pipe", "mapped-pipe"}
)

// source says when, with what and how often the figures were measured.
func (f *figures) source() string {
	return fmt.Sprintf("%s, %s, provider %s (%s), medians of %d rounds on %s CPUs",
		f.config["date"], f.config["terraform"], f.config["provider"], f.config["go"], f.rounds(), f.config["cpus"])
}

// conclusions says what the figures come to. A part that was not measured is a dash.
func (f *figures) conclusions() string {
	plan := func(objects, with, unit string) key { return key{"Plan", objects, with, unit} }
	takes := func(objects string) string { return f.show(plan(objects, this, "sec/op"), "%.1f s", 1) }
	ratio := func(objects string) string {
		return f.ratio(plan(objects, this, "cpu-sec/op"), plan(objects, baseline, "cpu-sec/op"))
	}
	return fmt.Sprintf("A plan over 1,000 services takes %s and one request, and one over 1,000 pipes %s and 1,000 requests: "+
		"%s and %s times the CPU time that they cost with a provider that does nothing. ",
		takes("1000services"), takes("1000pipes"), ratio("1000services"), ratio("1000pipes")) +
		fmt.Sprintf("Three times as many services cost %s times the CPU time, so split a configuration of thousands of objects into several states.\n\n",
			f.ratio(plan("3000services", this, "cpu-sec/op"), plan("1000services", this, "cpu-sec/op")))
}

func (f *figures) tables(picture string) string {
	var out strings.Builder
	fmt.Fprintf(&out, "![Seconds of a plan over services and over pipes](%s)\n\n", picture)
	fmt.Fprintf(&out, "The picture shows the seconds of a plan without changes, while the API responds after 50 ms. Measured on %s.\n\n", f.source())
	out.WriteString("| a plan over | baseline | this | CPU time: baseline, this | ratio | requests |\n|---|---|---|---|---|---|\n")
	for _, plan := range plans {
		at := func(with, unit string) key { return key{"Plan", plan.objects, with, unit} }
		fmt.Fprintf(&out, "| %s | %s | **%s** | %s, %s | %s | %s |\n", plan.text,
			f.show(at(baseline, "sec/op"), "%.1f s", 1), f.show(at(this, "sec/op"), "%.1f s", 1),
			f.show(at(baseline, "cpu-sec/op"), "%.1f s", 1), f.show(at(this, "cpu-sec/op"), "%.1f s", 1),
			f.ratio(at(this, "cpu-sec/op"), at(baseline, "cpu-sec/op")), f.show(at(this, "requests/op"), "%.0f", 1))
	}
	out.WriteString("\n| a call | for a service | for a pipe | for a pipe of 50 table mappings |\n|---|---|---|---|\n")
	for _, call := range calls {
		fmt.Fprintf(&out, "| `%s` |", call)
		for _, object := range calledFor {
			at := func(unit string) key { return key{"Call", object, call, unit} }
			fmt.Fprintf(&out, " %s allocations, %s kB |", f.show(at("allocs/op"), "%.0f", 1), f.show(at("B/op"), "%.1f", 1000))
		}
		out.WriteString("\n")
	}
	return out.String()
}

var fourDigits = regexp.MustCompile(`^(\d{1,3})(\d{3})\b`)

// thousands writes 1000 as 1,000.
func thousands(figure string) string { return fourDigits.ReplaceAllString(figure, "$1,$2") }

// The comments around the figures of a page.
const (
	begin = "<!-- The figures below are written by make bench. -->\n\n"
	end   = "\n<!-- End of the figures. -->"
)

func rewrite(page, tables string) error {
	content, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	before, rest, hasBegin := strings.Cut(string(content), begin)
	_, after, hasEnd := strings.Cut(rest, end)
	if !hasBegin || !hasEnd {
		return fmt.Errorf("%s lacks the comments around its figures", page)
	}
	return os.WriteFile(page, []byte(before+begin+tables+end+after), 0o644)
}
