// Command picture reads the output of `terraform plan`, colors included, and
// writes what changes of values, and the warning about table mappings, as an SVG.
// `make picture` draws README.svg with it.
package main

import (
	"fmt"
	"html"
	"io"
	"log"
	"os"
	"regexp"
	"strings"
	"unicode/utf8"
)

func main() {
	plan, err := io.ReadAll(os.Stdin)
	if err == nil {
		_, err = os.Stdout.WriteString(svg(excerpt(string(plan))))
	}
	if err != nil {
		log.Fatal(err)
	}
}

var (
	signed = regexp.MustCompile(`^ {2,}[~+-] `)
	opens  = regexp.MustCompile(`[{\[]$`)
	closes = regexp.MustCompile(`^ +[}\]],?$`)
	// origin are the lines of a warning that say where its object is configured.
	origin = regexp.MustCompile(`^│ +(with |on |\d+: |$)`)
	codes  = regexp.MustCompile(`\x1b\[([0-9;]*)m`)
	// classes are the styles that Terraform uses, by their codes.
	classes = map[string]string{"1": "bold", "31": "red", "32": "green", "33": "yellow"}
)

// excerpt returns the lines that change a known value, with the objects around it, and the
// warning about table mappings.
func excerpt(plan string) []string {
	lines := []string{"$ terraform plan", ""}
	_, plan, _ = strings.Cut(plan, "will perform the following actions:")
	var open []bool // for each object or list around a line, whether its first line is shown
	warns := false
	for line := range strings.Lines(plan) {
		line = strings.TrimRight(line, "\n")
		plain := codes.ReplaceAllString(line, "")
		isShown := signed.MatchString(plain) && !strings.Contains(plain, "(known after apply)")
		switch {
		case closes.MatchString(plain) && len(open) > 0:
			isShown = open[len(open)-1]
			open = open[:len(open)-1]
		case opens.MatchString(plain):
			open = append(open, isShown)
		case strings.HasPrefix(plain, "Plan:"):
			lines = append(lines, "", line, "")
		case strings.Contains(plain, "Warning: "):
			warns = strings.Contains(plain, "Table mappings")
		}
		if isShown || warns && strings.HasPrefix(plain, "│") && !origin.MatchString(plain) {
			lines = append(lines, line)
		}
	}
	return lines
}

// The font is the reader's own: most monospace fonts are this wide at this size.
const fontSize, charWidth, lineHeight, padding = 13, 7.8, 18, 16

const frame = `<svg xmlns="http://www.w3.org/2000/svg" width="%[1]d" height="%[2]d" viewBox="0 0 %[1]d %[2]d" role="img" xml:space="preserve">
<title>Output of terraform plan</title>
<style>
text { font: %[3]dpx ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #d4d9df; white-space: pre }
.bold { font-weight: bold; fill: #fff }
.red { fill: #ff7b72 } .green { fill: #56d364 } .yellow { fill: #e3b341 }
</style>
<rect width="100%%" height="100%%" rx="8" fill="#161b22" stroke="#30363d"/>
%[4]s</svg>
`

// svg draws lines of a terminal, on a dark panel that is readable on light and on
// dark pages.
func svg(lines []string) string {
	var body strings.Builder
	columns := 0
	for row, line := range lines {
		fmt.Fprintf(&body, "<text x=\"%d\" y=\"%d\">", padding, padding+fontSize+row*lineHeight)
		open, end := 0, 0
		for _, at := range append(codes.FindAllStringSubmatchIndex(line, -1), []int{len(line), len(line), 0, 0}) {
			body.WriteString(html.EscapeString(line[end:at[0]]))
			end = at[1]
			if class, ok := classes[line[at[2]:at[3]]]; ok {
				fmt.Fprintf(&body, "<tspan class=%q>", class)
				open++
				continue
			}
			body.WriteString(strings.Repeat("</tspan>", open))
			open = 0
		}
		body.WriteString("</text>\n")
		columns = max(columns, utf8.RuneCountInString(codes.ReplaceAllString(line, "")))
	}
	return fmt.Sprintf(frame, int(charWidth*float64(columns))+2*padding, len(lines)*lineHeight+2*padding, fontSize, body.String())
}
