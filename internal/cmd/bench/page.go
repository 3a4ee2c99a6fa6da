package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// page is BENCHMARKS.md.
type page struct {
	terraform string
	rounds    int
	tables    []table
}

const intro = `# Benchmarks

How long common operations take, and how much of that is Terraform itself.

![Time of each operation beside its floor](BENCHMARKS.svg)

| column | meaning |
|---|---|
| time | The whole command, with this provider. |
| floor | The same command with a provider that has the same schema and does nothing, plus the wait for the API. |
| ratio | Time divided by floor. |
| ` + "`terraform_data`" + ` | The same operation on as many resources of this kind, which is built into Terraform. |
| Terraform CPU, provider CPU | CPU time of the two processes. |
| memory | Peak memory of the provider. |
| requests | Requests that the API received. |

The API responds after %d ms. The wait for the API counts the requests that cannot be avoided, %d at a time: one list for all services in a plan, one read per pipe in a plan, one write per object in an apply. 1,000 reads of pipes take %s. A ratio can be below 1: the other provider plans what Terraform proposes, and such plans can cost Terraform more time.

Measured with %s on %s/%s with %d CPUs: medians of %d runs, fewer for commands that take minutes. Seconds depend on the machine; ratios hardly do. ` + "`make bench`" + ` measures on yours.
`

func (p page) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, intro, latency.Milliseconds(), concurrency, seconds(latency*1000/concurrency),
		p.terraform, runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), p.rounds)
	for _, t := range p.tables {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| | time | floor | ratio | `terraform_data` | Terraform CPU | provider CPU | memory | requests |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|\n", t.title, t.text)
		for _, r := range t.rows {
			fmt.Fprintln(&b, r)
		}
	}
	return b.String()
}

// String is the row as a line of its table.
func (r *row) String() string {
	ours, without := r.medians[provider], "–"
	if r.builtIn {
		without = seconds(r.medians[builtIn].wall)
	}
	return fmt.Sprintf("| %s | %s | %s | %.2f | %s | %s | %s | %d MB | %s |", r.label,
		seconds(ours.wall), seconds(r.floor()), float64(ours.wall)/float64(r.floor()), without,
		seconds(ours.terraform), seconds(ours.provider), ours.memory/1e6, number(ours.requests))
}

func (p page) write(folder string) error {
	if err := os.WriteFile(filepath.Join(folder, "BENCHMARKS.md"), []byte(p.text()), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "BENCHMARKS.svg"), []byte(p.picture()), 0o644)
}

// picture draws a pair of bars for each row, the time and below it the floor, at
// a scale of its own for each table: seconds and minutes stand side by side.
func (p page) picture() string {
	const width, left, longestBar, height = 860, 200, 560, 11
	var b strings.Builder
	var longest time.Duration
	y := 24
	bar := func(length time.Duration, color string) {
		drawn := max(1, int(longestBar*length/longest))
		fmt.Fprintf(&b, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/><text x=\"%d\" y=\"%d\" font-size=\"10\">%s</text>\n",
			left, y, drawn, height, color, left+drawn+6, y+height-2, seconds(length))
		y += height
	}
	const ours, least = "#2f6f9f", "#b8c2cc"
	fmt.Fprintf(&b, "<rect x=\"%d\" y=\"10\" width=\"10\" height=\"10\" fill=\"%s\"/><text x=\"%d\" y=\"19\">this provider</text><rect x=\"%d\" y=\"10\" width=\"10\" height=\"10\" fill=\"%s\"/><text x=\"%d\" y=\"19\">floor</text>\n",
		left, ours, left+15, left+120, least, left+135)
	for _, t := range p.tables {
		y += 26
		fmt.Fprintf(&b, "<text x=\"10\" y=\"%d\" font-weight=\"bold\">%s</text>\n", y, t.title)
		y += 8
		longest = 0
		for _, r := range t.rows {
			longest = max(longest, r.medians[provider].wall, r.floor())
		}
		for _, r := range t.rows {
			fmt.Fprintf(&b, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n", left-8, y+height+4, r.label)
			bar(r.medians[provider].wall, ours)
			bar(r.floor(), least)
			y += 8
		}
	}
	return fmt.Sprintf("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"12\"><rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n%s</svg>\n", width, y+10, b.String())
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }

// number writes a number below a million with a comma.
func number(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}
