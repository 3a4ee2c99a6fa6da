package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// report is all that was measured.
type report struct {
	terraform string
	rounds    int
	groups    []measured
}

// aim is a ratio that the project holds itself to.
type aim struct {
	what  string
	bound float64
	ratio func(r report) (float64, bool)
}

var aims = []aim{
	{"plan, 1,000 service_scaling at 50 ms, to the untuned reference's", 0.5, between(1000, scaling.name, untuned.name)},
	{"the same, to the reference's with the same tuning", 1.2, between(1000, scaling.name, tuned.name)},
	{"the same, to 1,000 terraform_data", 3.5, between(1000, scaling.name, builtIn.name)},
	{"plan, 1,000 pipes at 50 ms: time beyond the tuned reference's, to 1,000 × 50 ms / 10", 1.3, pipesBeyond},
	{"cost of a service_scaling at 3,000 to that at 100, start-up taken off", 1.2, perResource},
	{"start-up, to the reference's", 1.1, startUp},
	{fmt.Sprintf("peak memory of the provider in any plan, up to %d services in the list, in units of 150 MB", manyServices), 1, peakMemory},
	{"lists in any plan over service_scaling, in units of 2", 1, lists},
}

const slow = 50 * time.Millisecond

func (r report) find(size int, latency time.Duration, name string) (result, bool) {
	for _, g := range r.groups {
		if g.size != size || g.latency != latency || g.services > 0 {
			continue
		}
		for _, measured := range g.results {
			if measured.name == name {
				return measured, true
			}
		}
	}
	return result{}, false
}

func between(size int, name, other string) func(report) (float64, bool) {
	return func(r report) (float64, bool) {
		a, okA := r.find(size, slow, name)
		b, okB := r.find(size, slow, other)
		if !okA || !okB {
			return 0, false
		}
		return float64(a.median(wall)) / float64(b.median(wall)), true
	}
}

func pipesBeyond(r report) (float64, bool) {
	pipes, okPipes := r.find(1000, slow, pipe.name)
	floor, okFloor := r.find(1000, slow, tuned.name)
	if !okPipes || !okFloor {
		return 0, false
	}
	return float64(pipes.median(wall)-floor.median(wall)) / float64(1000*slow/10), true
}

func perResource(r report) (float64, bool) {
	start, okStart := r.find(0, 0, scaling.name)
	few, okFew := r.find(100, slow, scaling.name)
	many, okMany := r.find(3000, slow, scaling.name)
	if !okStart || !okFew || !okMany {
		return 0, false
	}
	fixed := start.median(wall)
	return (float64(many.median(wall)-fixed) / 3000) / (float64(few.median(wall)-fixed) / 100), true
}

func startUp(r report) (float64, bool) {
	ours, okOurs := r.find(0, 0, scaling.name)
	reference, okReference := r.find(0, 0, untuned.name)
	if !okOurs || !okReference {
		return 0, false
	}
	return float64(ours.median(wall)) / float64(reference.median(wall)), true
}

func peakMemory(r report) (float64, bool) {
	var peak int64
	for _, g := range r.groups {
		for _, measured := range g.results {
			if measured.name == scaling.name || measured.name == pipe.name {
				peak = max(peak, measured.peakMemory)
			}
		}
	}
	return float64(peak) / 150e6, peak > 0
}

func lists(r report) (float64, bool) {
	most, found := 0, false
	for _, g := range r.groups {
		for _, measured := range g.results {
			if measured.name == scaling.name && g.size > 0 {
				most, found = max(most, measured.lists), true
			}
		}
	}
	return float64(most) / 2, found
}

func (r report) write(folder string) error {
	var b strings.Builder
	fmt.Fprintf(&b, `# Benchmarks

What a plan costs, measured by `+"`make bench`"+` with a real terraform, in turn, medians of %d rounds.
The ratios are what counts: the seconds are this machine's, and it may have had other work.

%s; %s/%s, %d CPUs; the platform holds %d services and %d pipes.

- `+"`terraform_data`"+` is Terraform's built-in resource: the floor of any plan.
- The reference is a provider on the same framework with the schema of service_scaling, which reads and plans nothing and calls no API: with the framework's defaults, and with this provider's tuning of logs and memory. Both keep what the framework keeps of each call, which this provider lets go: over 3,000 resources that nears the tuning's memory limit, and the tuned reference collects garbage most of the time.

![Plans at 50 ms latency](BENCHMARKS.svg)

## Aims

| | ratio | aim | |
|---|---|---|---|
`, r.rounds, r.terraform, runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), mostServices, mostPipes)
	for _, a := range aims {
		ratio, ok := a.ratio(r)
		if !ok {
			fmt.Fprintf(&b, "| %s | not measured | <= %.1f | |\n", a.what, a.bound)
			continue
		}
		verdict := "met"
		if ratio > a.bound {
			verdict = "missed"
		}
		fmt.Fprintf(&b, "| %s | %.2f | <= %.1f | %s |\n", a.what, ratio, a.bound, verdict)
	}
	for _, g := range r.groups {
		fmt.Fprintf(&b, "\n## %s\n\n| | wall | to the untuned reference | CPU | peak memory | lists | pipe reads |\n|---|---|---|---|---|---|---|\n", title(g.title))
		base := g.base()
		for _, m := range g.results {
			fmt.Fprintf(&b, "| %s | %.2f s | %.2f | %.2f s | %s | %d | %d |\n", m.name,
				m.median(wall).Seconds(), float64(m.median(wall))/float64(base), m.median(cpu).Seconds(), memory(m.peakMemory), m.lists, m.gets)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "BENCHMARKS.md"), []byte(b.String()), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "BENCHMARKS.svg"), []byte(r.plot()), 0o644)
}

func (m measured) base() time.Duration {
	for _, r := range m.results {
		if r.name == untuned.name {
			return r.median(wall)
		}
	}
	return m.results[0].median(wall)
}

func title(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func memory(bytes int64) string {
	if bytes == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f MB", float64(bytes)/1e6)
}

// plot draws the plans at 50 ms as bars, grouped by size.
func (r report) plot() string {
	const width, bar, gap, left, scale = 860, 16, 6, 190, 560
	var longest time.Duration
	for _, g := range r.slowGroups() {
		for _, m := range g.results {
			longest = max(longest, m.median(wall))
		}
	}
	colors := map[string]string{builtIn.name: "#9aa5b1", untuned.name: "#d98e4a", tuned.name: "#e3b98a", scaling.name: "#2f6f9f", pipe.name: "#5fa777"}
	var b strings.Builder
	y := 30
	for _, g := range r.slowGroups() {
		fmt.Fprintf(&b, `<text x="10" y="%d" font-weight="bold">%s</text>`+"\n", y, g.title)
		y += 10
		for _, m := range g.results {
			length := int(float64(scale) * float64(m.median(wall)) / float64(longest))
			fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end">%s</text><rect x="%d" y="%d" width="%d" height="%d" fill="%s"/><text x="%d" y="%d">%.2f s</text>`+"\n",
				left-8, y+bar-4, m.name, left, y, length, bar, colors[m.name], left+length+6, y+bar-4, m.median(wall).Seconds())
			y += bar + gap
		}
		y += 24
	}
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="12"><rect width="100%%" height="100%%" fill="white"/>`+"\n%s</svg>\n", width, y, b.String())
}

func (r report) slowGroups() []measured {
	var slowest []measured
	for _, g := range r.groups {
		if g.latency == slow && g.services == 0 {
			slowest = append(slowest, g)
		}
	}
	return slowest
}
