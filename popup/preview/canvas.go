package preview

import (
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/askpane/askpane/bridge/text/cells"
)

// The directions in which a line leaves a cell of the canvas.
const (
	up uint8 = 1 << iota
	down
	left
	right
)

// stroke is how a line is drawn.
type stroke uint8

const (
	solid stroke = iota
	thick
	dotted
	unseen
)

// square is one cell of the canvas: a text, or lines that meet in it.
type square struct {
	text   string // "" is a line or nothing, "\x00" the second half of a wide sign
	lines  uint8
	stroke stroke
	mixed  bool // lines of several strokes meet
	style  tcell.Style
}

// canvas is what a diagram is drawn on, rows of squares.
type canvas struct {
	rows  [][]square
	plain tcell.Style
}

func newCanvas(width, height int, plain tcell.Style) *canvas {
	c := &canvas{rows: make([][]square, height), plain: plain}
	for y := range c.rows {
		c.rows[y] = make([]square, width)
	}
	return c
}

func (c *canvas) at(x, y int) *square {
	if y < 0 || y >= len(c.rows) || x < 0 || x >= len(c.rows[y]) {
		return &square{} // drawn on and forgotten
	}
	return &c.rows[y][x]
}

// write puts text at x, y over whatever is there.
func (c *canvas) write(x, y int, text string, style tcell.Style) {
	for cluster, w := range cells.Graphemes(text) {
		if w == 0 {
			continue
		}
		*c.at(x, y) = square{text: cluster, style: style}
		for i := 1; i < w; i++ {
			*c.at(x+i, y) = square{text: "\x00"}
		}
		x += w
	}
}

// mark adds lines to a square; a text there stays.
func (c *canvas) mark(x, y int, lines uint8, s stroke, style tcell.Style) {
	if s == unseen {
		return
	}
	q := c.at(x, y)
	if q.text != "" {
		return
	}
	if q.lines != 0 && q.stroke != s {
		q.mixed = true
	}
	q.lines |= lines
	q.stroke, q.style = s, style
}

// line draws from one square to another, straight across or straight down.
func (c *canvas) line(x1, y1, x2, y2 int, s stroke, style tcell.Style) {
	if x1 == x2 && y1 == y2 {
		return
	}
	if y1 == y2 {
		x1, x2 = min(x1, x2), max(x1, x2)
		c.mark(x1, y1, right, s, style)
		for x := x1 + 1; x < x2; x++ {
			c.mark(x, y1, left|right, s, style)
		}
		c.mark(x2, y1, left, s, style)
		return
	}
	y1, y2 = min(y1, y2), max(y1, y2)
	c.mark(x1, y1, down, s, style)
	for y := y1 + 1; y < y2; y++ {
		c.mark(x1, y, up|down, s, style)
	}
	c.mark(x1, y2, up, s, style)
}

// corners are the signs of a box's corners, from the upper left on clockwise,
// and of its sides.
type corners [6]rune

// box draws a frame.
func (c *canvas) box(x, y, width, height int, k corners, style tcell.Style) {
	for i := 1; i < width-1; i++ {
		c.mark(x+i, y, left|right, solid, style)
		c.mark(x+i, y+height-1, left|right, solid, style)
	}
	for j := 1; j < height-1; j++ {
		c.write(x, y+j, string(k[4]), style)
		c.write(x+width-1, y+j, string(k[5]), style)
	}
	c.write(x, y, string(k[0]), style)
	c.write(x+width-1, y, string(k[1]), style)
	c.write(x+width-1, y+height-1, string(k[2]), style)
	c.write(x, y+height-1, string(k[3]), style)
}

// joints are the signs for lines that meet, by the directions they leave in.
const joints = " ╵╷│╴┘┐┤╶└┌├─┴┬┼"

func (q *square) sign() string {
	switch q.text {
	case "":
	case "\x00":
		return ""
	default:
		return q.text
	}
	if !q.mixed {
		across, along := q.lines == left|right, q.lines == up|down
		switch {
		case q.stroke == thick && across:
			return "━"
		case q.stroke == thick && along:
			return "┃"
		case q.stroke == dotted && across:
			return "┄"
		case q.stroke == dotted && along:
			return "┆"
		}
	}
	return string([]rune(joints)[q.lines&15])
}

// rendered is the canvas as rows, without the blanks at their ends.
func (c *canvas) rendered() []Line {
	rows := make([]Line, 0, len(c.rows))
	for _, squares := range c.rows {
		end := len(squares)
		for end > 0 && squares[end-1].text == "" && squares[end-1].lines == 0 {
			end--
		}
		var line Line
		for i := range squares[:end] {
			sign, style := squares[i].sign(), squares[i].style
			if sign == " " {
				style = c.plain
			}
			if n := len(line) - 1; n >= 0 && line[n].Style == style {
				line[n].Text += sign
			} else if sign != "" {
				line = append(line, Span{sign, style})
			}
		}
		rows = append(rows, line)
	}
	for len(rows) > 0 && len(rows[len(rows)-1]) == 0 {
		rows = rows[:len(rows)-1]
	}
	return rows
}

// centred is text in the midst of width cells.
func centred(text string, width int) string {
	return strings.Repeat(" ", max(0, width-cells.Width(text))/2) + text
}
