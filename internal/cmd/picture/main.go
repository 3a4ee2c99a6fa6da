// Command picture reads the output of `terraform plan`, colors included, and
// writes what changes as an SVG. `make picture` draws README.svg with it.
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
		_, err = os.Stdout.WriteString(svg(changes(string(plan))))
	}
	if err != nil {
		log.Fatal(err)
	}
}

var (
	// changed are the lines that the picture shows. All are short, so that it is
	// legible on a phone.
	changed = regexp.MustCompile(`^( {2}[~+] resource| {6}[~+] | {4}}|Plan:)`)
	codes   = regexp.MustCompile(`\x1b\[([0-9;]*)m`)
	// classes are the styles that Terraform uses, by their codes.
	classes = map[string]string{"1": "bold", "31": "red", "32": "green", "33": "yellow"}
)

func changes(plan string) []string {
	lines := []string{"$ terraform plan", ""}
	for line := range strings.Lines(plan) {
		line = strings.TrimRight(line, "\n")
		plain := codes.ReplaceAllString(line, "")
		if strings.HasPrefix(plain, "Plan:") {
			lines = append(lines, "")
		}
		if changed.MatchString(plain) {
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
<rect width="100%%" height="100%%" rx="8" fill="#161b22"/>
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
