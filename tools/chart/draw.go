package main

import (
	"bytes"
	"fmt"
	"image/color"
	"os"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

const (
	width, height = 21 * vg.Centimeter, 9 * vg.Centimeter
	margin        = 0.3 * vg.Centimeter
	barWidth      = 0.72 * vg.Centimeter // wider than the number above, in any font
)

var bars = []struct {
	with, label string
	color       color.Color
}{
	{baseline, "a provider that does nothing (baseline)", color.RGBA{0x6b, 0x8f, 0xc9, 0xff}},
	{this, "this provider", color.RGBA{0xd9, 0x6c, 0x2c, 0xff}},
}

// draw draws the seconds of a plan as bars, one panel for services and one for pipes.
func (f *figures) draw(name string) error {
	plot.DefaultFont = font.Font{Typeface: "Liberation", Variant: "Sans"}
	plotter.DefaultFont = plot.DefaultFont
	canvas := vgsvg.New(width, height)
	whole := draw.New(canvas)
	whole.SetColor(color.White) // legible on a dark page, too
	whole.Fill(whole.Rectangle.Path())
	split := width * 4 / 7 // four sizes beside three
	for _, panel := range []struct {
		kind        string
		left, right vg.Length
	}{{"services", 0, split - width}, {"pipes", split, 0}} {
		p, err := f.panel(panel.kind)
		if err != nil {
			return err
		}
		p.Draw(draw.Crop(whole, panel.left+margin, panel.right-margin, margin, -margin))
	}
	var picture bytes.Buffer
	if _, err := canvas.WriteTo(&picture); err != nil {
		return err
	}
	// Most readers lack the font that the library measures with.
	content := bytes.ReplaceAll(picture.Bytes(), []byte("font-family:Liberation Sans;"), []byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif;"))
	return os.WriteFile(name, content, 0o644)
}

// highest is the highest bar of both panels, which have one scale.
func (f *figures) highest() (most float64) {
	for kind := range sizes {
		for _, size := range sizes[kind] {
			for _, bar := range bars {
				seconds, _ := f.median(key{"Plan", size + kind, bar.with, "sec/op"})
				most = max(most, seconds)
			}
		}
	}
	return most
}

func (f *figures) panel(kind string) (*plot.Plot, error) {
	p := plot.New()
	p.Y.Min, p.Y.Max = 0, f.highest()*1.15 // room for the number above
	p.X.Label.Text, p.Y.Label.Text = kind, "seconds"
	p.Legend.Padding = 3
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.TextStyle.Font.Size = 9
	names := make([]string, len(sizes[kind]))
	for i, size := range sizes[kind] {
		names[i] = thousands(size)
	}
	p.NominalX(names...)
	for i, bar := range bars {
		offset := barWidth * (vg.Length(i) - 0.5)
		values := make(plotter.Values, len(names))
		labels := plotter.XYLabels{XYs: make(plotter.XYs, len(names)), Labels: make([]string, len(names))}
		for j, size := range sizes[kind] {
			k := key{"Plan", size + kind, bar.with, "sec/op"}
			values[j], _ = f.median(k)
			labels.XYs[j] = plotter.XY{X: float64(j), Y: values[j]}
			labels.Labels[j] = f.show(k, "%.2g", 1)
		}
		chart, err := plotter.NewBarChart(values, barWidth)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", kind, err)
		}
		chart.Offset, chart.Color, chart.LineStyle.Width = offset, bar.color, 0
		numbers, err := plotter.NewLabels(labels)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", kind, err)
		}
		numbers.Offset = vg.Point{X: offset, Y: 3}
		for j := range numbers.TextStyle {
			numbers.TextStyle[j].XAlign = draw.XCenter
			numbers.TextStyle[j].Font.Size = 7.5
		}
		p.Add(chart, numbers)
		if kind == "services" { // one legend is enough
			p.Legend.Add(bar.label, chart)
		}
	}
	return p, nil
}
