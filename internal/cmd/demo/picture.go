package main

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"unicode/utf8"
)

// paint writes one plan to a file as an SVG: that of a service that is imported
// and of one that is adopted without an import block, with its warning. Two
// pictures of the same plan are equal: the reads, whose order differs from run
// to run, are not in it.
func (s *stage) paint(ctx context.Context, file string) error {
	s.color = true
	if err := s.copy("main.tf", "service.tf", "adopt.tf")(ctx); err != nil {
		return err
	}
	if output, err := s.command(ctx, "init").CombinedOutput(); err != nil {
		return fmt.Errorf("init: %w\n%s", err, output)
	}
	output, err := s.command(ctx, "plan", "-out=tfplan").CombinedOutput()
	if err != nil {
		return fmt.Errorf("plan: %w\n%s", err, output)
	}
	_, plan, found := strings.Cut(string(output), "will perform the following actions:\n")
	if !found {
		return fmt.Errorf("there is no plan in\n%s", output)
	}
	return os.WriteFile(file, []byte(svg("$ terraform plan\n\n"+strings.TrimSpace(plan))), 0o600)
}

const (
	fontSize   = 13
	charWidth  = 7.8 // of most monospace fonts at this size
	lineHeight = 18
	padding    = 20
)

const frame = `<svg xmlns="http://www.w3.org/2000/svg" width="%[1]d" height="%[2]d" viewBox="0 0 %[1]d %[2]d" role="img">
<title>Output of terraform plan</title>
<style>
text { font: %[3]dpx ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #d4d9df }
.bold { font-weight: bold; fill: #fff } .underlined { text-decoration: underline }
.red { fill: #ff7b72 } .green { fill: #56d364 } .yellow { fill: #e3b341 }
</style>
<rect x="0.5" y="0.5" width="%[4]d" height="%[5]d" rx="8" fill="#161b22" stroke="#444c56"/>
%[6]s</svg>
`

// classes are the styles that Terraform uses, by their codes.
var classes = map[string]string{"1": "bold", "4": "underlined", "31": "red", "32": "green", "33": "yellow"}

// words are what a browser draws as it stands: it folds further spaces.
var words = regexp.MustCompile(`\S+( \S+)*`)

var escape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// svg draws the output of a terminal. The font is the reader's own: each piece
// of text has a place and a length, so that columns stay columns in any font. A
// dark panel with a border is readable on light and on dark pages.
func svg(output string) string {
	var body strings.Builder
	var styles []string
	columns, rows := 0, 0
	for line := range strings.Lines(output) {
		column := 0
		for i, piece := range strings.Split(strings.TrimRight(line, "\n"), "\x1b[") {
			if i > 0 {
				var code string
				code, piece, _ = strings.Cut(piece, "m")
				if class, ok := classes[code]; ok {
					styles = append(styles, class)
				} else {
					styles = nil
				}
			}
			var class string
			if len(styles) > 0 {
				class = fmt.Sprintf(" class=%q", strings.Join(styles, " "))
			}
			for _, at := range words.FindAllStringIndex(piece, -1) {
				text := piece[at[0]:at[1]]
				fmt.Fprintf(&body, "<text x=\"%.1f\" y=\"%d\" textLength=\"%.1f\"%s>%s</text>\n",
					padding+charWidth*float64(column+utf8.RuneCountInString(piece[:at[0]])), padding+fontSize+rows*lineHeight,
					charWidth*float64(utf8.RuneCountInString(text)), class, escape.Replace(text))
			}
			column += utf8.RuneCountInString(piece)
		}
		columns = max(columns, column)
		rows++
	}
	width, height := int(charWidth*float64(columns))+2*padding, rows*lineHeight+2*padding
	return fmt.Sprintf(frame, width, height, fontSize, width-1, height-1, body.String())
}
