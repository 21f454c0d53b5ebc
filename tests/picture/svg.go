package main

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image/color"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

// A cell and its text, in the picture's own units, and the frame around all.
const (
	cellWidth, cellHeight = 8.4, 18
	fontSize, baseline    = 14, 13
	margin                = 14
)

// The picture has its own background, so that it looks the same on a light
// page and on a dark one. The 16 colours are a terminal's; which ones is the
// person's choice there.
const background, foreground, frame = "#11151c", "#d5dae3", "#3a4252"

var palette = [16]string{
	"#2a303c", "#e0707a", "#8cc379", "#d9b56c", "#6aa5e0", "#bd86d6", "#4fb8c2", "#c5cbd6",
	"#5d6678", "#ef8791", "#a5d795", "#ecca85", "#87bcf0", "#d09fe6", "#6fd0d9", "#f2f4f8",
}

// look is how a cell is drawn.
type look struct {
	fill, under string // colours; under empty is the background
	bold, dim   bool
	italic      bool
}

func lookOf(s uv.Style) look {
	l := look{fill: hex(s.Fg, foreground), under: hex(s.Bg, ""), bold: s.Attrs&uv.AttrBold != 0,
		dim: s.Attrs&uv.AttrFaint != 0, italic: s.Attrs&uv.AttrItalic != 0}
	if s.Attrs&uv.AttrReverse != 0 {
		l.fill, l.under = hex(s.Bg, background), hex(s.Fg, foreground)
	}
	return l
}

// hex is a colour for SVG; otherwise is for none.
func hex(c color.Color, otherwise string) string {
	switch c := c.(type) {
	case nil:
		return otherwise
	case ansi.BasicColor:
		return palette[c&15]
	case ansi.IndexedColor:
		if c < 16 {
			return palette[c]
		}
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

// draw is the screen as SVG: text by cells, no font but the reader's own
// monospace one, no script.
func draw(screen *vt.Emulator) []byte {
	var b bytes.Buffer
	width, height := columns*cellWidth+2*margin, rows*cellHeight+2*margin
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.4g %d" width="%.4g" height="%d" role="img" `, width, height, width, height)
	b.WriteString(`aria-label="An askpane popup in tmux: an agent asks about a database migration">` + "\n")
	fmt.Fprintf(&b, `<rect x="0.5" y="0.5" width="%.4g" height="%d" rx="9" fill="%s" stroke="%s"/>`+"\n", width-1, height-1, background, frame)
	fmt.Fprintf(&b, `<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="%d" fill="%s">`+"\n", fontSize, foreground)
	for y := range rows {
		under(&b, screen, y)
		for x := 0; x < columns; {
			x = run(&b, screen, x, y)
		}
	}
	b.WriteString("</g>\n</svg>\n")
	return b.Bytes()
}

func left(x int) float64 { return margin + float64(x)*cellWidth }
func top(y int) int      { return margin + y*cellHeight }

// under draws the backgrounds of a row.
func under(b *bytes.Buffer, screen *vt.Emulator, y int) {
	for x := 0; x < columns; {
		fill, from := at(screen, x, y).under, x
		for x < columns && at(screen, x, y).under == fill {
			x++
		}
		if fill != "" {
			fmt.Fprintf(b, `<rect x="%.5g" y="%d" width="%.5g" height="%d" fill="%s"/>`+"\n", left(from), top(y), float64(x-from)*cellWidth, cellHeight, fill)
		}
	}
}

// at is the look of a cell; the second half of a wide one has the first's.
func at(screen *vt.Emulator, x, y int) look {
	c := screen.CellAt(x, y)
	if c != nil && c.Width == 0 && x > 0 {
		c = screen.CellAt(x-1, y)
	}
	if c == nil {
		return look{}
	}
	return lookOf(c.Style)
}

// run draws what begins at x and looks the same, and returns where it ends.
// Every sign has its own place, since no two fonts have the same widths.
func run(b *bytes.Buffer, screen *vt.Emulator, x, y int) int {
	c := screen.CellAt(x, y)
	if c == nil || strings.TrimSpace(c.Content) == "" {
		return x + 1
	}
	if points := lines[c.Content]; points != nil {
		return border(b, screen, x, y, points)
	}
	l := lookOf(c.Style)
	var text strings.Builder
	var places []string
	for x < columns {
		next := screen.CellAt(x, y)
		if next == nil || next.Width == 0 || lines[next.Content] != nil || lookOf(next.Style) != l {
			break
		}
		// A sign of several runes would take several places from the list.
		alone := next.Width > 1 || len([]rune(next.Content)) > 1
		if alone && len(places) > 0 {
			break
		}
		if blank := strings.TrimSpace(next.Content) == ""; blank && (x+1 == columns || isBlank(screen, x+1, y)) {
			break
		}
		text.WriteString(next.Content)
		places = append(places, fmt.Sprintf("%.5g", left(x)))
		x += next.Width
		if alone {
			break
		}
	}
	fmt.Fprintf(b, `<text x="%s" y="%d"%s>`, strings.Join(places, " "), top(y)+baseline, attributes(l))
	_ = xml.EscapeText(b, []byte(text.String())) // a buffer takes everything
	b.WriteString("</text>\n")
	return x
}

func isBlank(screen *vt.Emulator, x, y int) bool {
	c := screen.CellAt(x, y)
	return c == nil || strings.TrimSpace(c.Content) == ""
}

func attributes(l look) string {
	var b strings.Builder
	if l.fill != foreground {
		fmt.Fprintf(&b, ` fill="%s"`, l.fill)
	}
	if l.bold {
		b.WriteString(` font-weight="bold"`)
	}
	b.WriteString(opacity(l))
	if l.italic {
		b.WriteString(` font-style="italic"`)
	}
	return b.String()
}

// lines are the signs that borders are made of, as the points of a path in
// quarters of a cell: drawn, they join whatever the font's line height is.
var lines = map[string][][2]float64{
	"─": {{0, 2}, {4, 2}}, "│": {{2, 0}, {2, 4}},
	"┌": {{4, 2}, {2, 2}, {2, 4}}, "┐": {{0, 2}, {2, 2}, {2, 4}},
	"└": {{4, 2}, {2, 2}, {2, 0}}, "┘": {{0, 2}, {2, 2}, {2, 0}},
}

// border draws one sign of a border, or a whole level line of them.
func border(b *bytes.Buffer, screen *vt.Emulator, x, y int, points [][2]float64) int {
	c, from := screen.CellAt(x, y), x
	for x++; c.Content == "─" && x < columns; x++ {
		if next := screen.CellAt(x, y); next == nil || !next.Equal(c) {
			break
		}
	}
	var path strings.Builder
	for i, p := range points {
		fmt.Fprintf(&path, "%c%.5g %.5g", "ML"[min(i, 1)], left(from)+p[0]/4*float64(x-from)*cellWidth, float64(top(y))+p[1]/4*cellHeight)
	}
	l := lookOf(c.Style)
	fmt.Fprintf(b, `<path d="%s" fill="none" stroke="%s"%s/>`+"\n", &path, l.fill, opacity(l))
	return x
}

func opacity(l look) string {
	if l.dim {
		return ` opacity="0.62"`
	}
	return ""
}
