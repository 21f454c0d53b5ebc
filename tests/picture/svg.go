package main

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image/color"
	"io"
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

// ground is a terminal's own colours. The picture has its own background, so that it
// looks the same on a light page and on a dark one.
type ground struct {
	background, foreground, frame string
	palette                       [16]string
}

var dark = &ground{"#11151c", "#d5dae3", "#3a4252", [16]string{
	"#2a303c", "#e0707a", "#8cc379", "#d9b56c", "#6aa5e0", "#bd86d6", "#4fb8c2", "#c5cbd6",
	"#5d6678", "#ef8791", "#a5d795", "#ecca85", "#87bcf0", "#d09fe6", "#6fd0d9", "#f2f4f8",
}}

var light = &ground{"#fbfbf9", "#2b303b", "#c9ccd3", [16]string{
	"#e4e6ea", "#b3303c", "#3c7a29", "#8a6100", "#2462b0", "#84409f", "#0b7480", "#4a5160",
	"#8c93a1", "#b3303c", "#3c7a29", "#8a6100", "#2462b0", "#84409f", "#0b7480", "#11151c",
}}

// canvas is a terminal, and draws what is on its screen.
type canvas struct {
	*vt.Emulator
	*ground
	cursor bool // shown
}

func newCanvas(columns, rows int, g *ground) *canvas {
	c := &canvas{Emulator: vt.NewEmulator(columns, rows), ground: g, cursor: true}
	c.SetCallbacks(vt.Callbacks{CursorVisibility: func(visible bool) { c.cursor = visible }})
	go io.Copy(io.Discard, c) // what a terminal answers; tmux does without
	return c
}

// shows says whether text is on the screen now.
func (c *canvas) shows(text string) func() bool {
	return func() bool { return strings.Contains(c.String(), text) }
}

// look is how a cell is drawn.
type look struct {
	fill, under string // colours; under empty is the background
	bold, dim   bool
	italic      bool
	underlined  bool
}

func (c *canvas) lookOf(s uv.Style) look {
	l := look{fill: c.hex(s.Fg, c.foreground), under: c.hex(s.Bg, ""), bold: s.Attrs&uv.AttrBold != 0,
		dim: s.Attrs&uv.AttrFaint != 0, italic: s.Attrs&uv.AttrItalic != 0, underlined: s.Underline != uv.UnderlineNone}
	if s.Attrs&uv.AttrReverse != 0 {
		l.fill, l.under = c.hex(s.Bg, c.background), c.hex(s.Fg, c.foreground)
	}
	return l
}

// hex is a colour for SVG; otherwise is for none.
func (c *canvas) hex(of color.Color, otherwise string) string {
	switch of := of.(type) {
	case nil:
		return otherwise
	case ansi.BasicColor:
		return c.palette[of&15]
	case ansi.IndexedColor:
		if of < 16 {
			return c.palette[of]
		}
	}
	r, g, b, _ := of.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

// sheet is a picture of that size in cells, with inside on it: text by cells, no font
// but the reader's own monospace one, no script. What inside draws begins at 0, 0.
func (g *ground) sheet(columns, rows int, label, style, inside string) []byte {
	var b bytes.Buffer
	width, height := left(columns)+2*margin, rows*cellHeight+2*margin
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.5g %d" width="%.5g" height="%d" role="img" aria-label="`, width, height, width, height)
	_ = xml.EscapeText(&b, []byte(label)) // a buffer takes everything
	fmt.Fprintf(&b, "\">\n%s", style)
	fmt.Fprintf(&b, `<rect x="0.5" y="0.5" width="%.5g" height="%d" rx="9" fill="%s" stroke="%s"/>`+"\n", width-1, height-1, g.background, g.frame)
	fmt.Fprintf(&b, `<svg x="%d" y="%d" width="%.5g" height="%d" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="%d" fill="%s">`+"\n",
		margin, margin, left(columns), rows*cellHeight, fontSize, g.foreground)
	b.WriteString(inside)
	b.WriteString("</svg>\n</svg>\n")
	return b.Bytes()
}

// still is the screen as it is now.
func (c *canvas) still(label string) []byte {
	var b strings.Builder
	for y, row := range c.rows() {
		if row != "" {
			fmt.Fprintf(&b, `<g transform="translate(0 %d)">%s</g>`+"\n", y*cellHeight, row)
		}
	}
	return c.sheet(c.Width(), c.Height(), label, "", b.String())
}

// rows is every row of the screen as it is drawn at the top left.
func (c *canvas) rows() []string {
	rows := make([]string, c.Height())
	for y := range rows {
		var b bytes.Buffer
		c.under(&b, y)
		for x := 0; x < c.Width(); {
			x = c.run(&b, x, y)
		}
		rows[y] = b.String()
	}
	return rows
}

func left(x int) float64 { return float64(x) * cellWidth }

// under draws the backgrounds of a row.
func (c *canvas) under(b *bytes.Buffer, y int) {
	for x := 0; x < c.Width(); {
		fill, from := c.at(x, y).under, x
		for x < c.Width() && c.at(x, y).under == fill {
			x++
		}
		if fill != "" {
			fmt.Fprintf(b, `<rect x="%.5g" width="%.5g" height="%d" fill="%s"/>`, left(from), left(x-from), cellHeight, fill)
		}
	}
}

// at is the look of a cell; the second half of a wide one has the first's. The cursor
// is a reversed cell.
func (c *canvas) at(x, y int) (l look) {
	cell := c.CellAt(x, y)
	if cell != nil && cell.Width == 0 && x > 0 {
		cell = c.CellAt(x-1, y)
	}
	if cell != nil {
		l = c.lookOf(cell.Style)
	} else {
		l = look{fill: c.foreground}
	}
	if at := c.CursorPosition(); c.cursor && at.X == x && at.Y == y {
		l.fill, l.under, l.dim = c.background, c.foreground, false
	}
	return l
}

// run draws what begins at x and looks the same, and returns where it ends. A run is as
// long as its cells, since no two fonts have the same widths; a sign that not every
// monospace font has is one of its own.
func (c *canvas) run(b *bytes.Buffer, x, y int) int {
	sign := c.sign(x, y)
	if sign == " " {
		return x + 1
	}
	l, from := c.at(x, y), x
	if s := lines[sign]; s.points != nil {
		return c.line(b, x, y, s)
	}
	if eighths := blocks[sign]; eighths > 0 {
		fmt.Fprintf(b, `<rect x="%.5g" width="%.5g" height="%d" fill="%s"%s/>`, left(x), eighths*cellWidth/8, cellHeight, l.fill, opacity(l))
		return x + 1
	}
	var text strings.Builder
	for ; x < c.Width() && common(sign) && c.at(x, y) == l; x++ {
		if sign == " " && (x+1 == c.Width() || c.sign(x+1, y) == " " || c.at(x+1, y) != l || !common(c.sign(x+1, y))) {
			break // a run ends with a sign: SVG drops blanks at the end
		}
		text.WriteString(sign)
		sign = c.sign(x+1, y)
	}
	fit := ""
	if x == from { // a sign of its own, made to fit
		text.WriteString(sign)
		if x++; c.CellAt(from, y).Width > 1 {
			x++
		} else {
			text.WriteString("\ufe0e") // as a character, no emoji of twice the width
		}
		fit = ` lengthAdjust="spacingAndGlyphs"`
	}
	fmt.Fprintf(b, `<text x="%.5g" y="%d" textLength="%.5g"%s%s>`, left(from), baseline, left(x-from), fit, c.attributes(l))
	_ = xml.EscapeText(b, []byte(text.String()))
	b.WriteString("</text>")
	return x
}

// sign is what stands in a cell; a blank for nothing.
func (c *canvas) sign(x, y int) string {
	if cell := c.CellAt(x, y); cell != nil && strings.TrimSpace(cell.Content) != "" {
		return cell.Content
	}
	return " "
}

// common says whether a sign is in every monospace font.
func common(sign string) bool {
	runes := []rune(sign)
	return len(runes) == 1 && (runes[0] < 0x250 || strings.ContainsRune("–—‘’“”…←↑→↓", runes[0]))
}

func (c *canvas) attributes(l look) string {
	var b strings.Builder
	if l.fill != c.foreground {
		fmt.Fprintf(&b, ` fill="%s"`, l.fill)
	}
	if l.bold {
		b.WriteString(` font-weight="bold"`)
	}
	b.WriteString(opacity(l))
	if l.italic {
		b.WriteString(` font-style="italic"`)
	}
	if l.underlined {
		b.WriteString(` text-decoration="underline"`)
	}
	return b.String()
}

func opacity(l look) string {
	if l.dim {
		return ` opacity=".62"`
	}
	return ""
}

// line is the points of a path in quarters of a cell.
type line struct {
	points [][2]float64
	round  bool
}

// lines are the signs that borders are made of: drawn, they join whatever the font's
// line height is. blocks are those that fill so many eighths of a cell.
var (
	lines = map[string]line{
		"─": {points: [][2]float64{{0, 2}, {4, 2}}}, "│": {points: [][2]float64{{2, 0}, {2, 4}}},
		"╷": {points: [][2]float64{{2, 2}, {2, 4}}}, "╵": {points: [][2]float64{{2, 0}, {2, 2}}},
		"┌": {points: [][2]float64{{4, 2}, {2, 2}, {2, 4}}}, "┐": {points: [][2]float64{{0, 2}, {2, 2}, {2, 4}}},
		"└": {points: [][2]float64{{4, 2}, {2, 2}, {2, 0}}}, "┘": {points: [][2]float64{{0, 2}, {2, 2}, {2, 0}}},
		"╭": {[][2]float64{{4, 2}, {2, 2}, {2, 4}}, true}, "╮": {[][2]float64{{0, 2}, {2, 2}, {2, 4}}, true},
		"╰": {[][2]float64{{4, 2}, {2, 2}, {2, 0}}, true}, "╯": {[][2]float64{{0, 2}, {2, 2}, {2, 0}}, true},
	}
	blocks = map[string]float64{"▏": 1, "▎": 2, "▍": 3, "▌": 4, "█": 8}
)

// line draws one sign of a border, or a whole level line of them.
func (c *canvas) line(b *bytes.Buffer, x, y int, of line) int {
	l, from := c.at(x, y), x
	for x++; c.sign(from, y) == "─" && x < c.Width() && c.sign(x, y) == "─" && c.at(x, y) == l; {
		x++
	}
	commands := "MLL"
	if of.round {
		commands = "MQ "
	}
	var path strings.Builder
	for i, p := range of.points {
		fmt.Fprintf(&path, "%c%.5g %.5g", commands[i], left(from)+p[0]/4*left(x-from), p[1]/4*cellHeight)
	}
	fmt.Fprintf(b, `<path d="%s" fill="none" stroke="%s"%s/>`, &path, l.fill, opacity(l))
	return x
}
