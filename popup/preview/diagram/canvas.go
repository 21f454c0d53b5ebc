package diagram

import (
	"github.com/askpane/askpane/bridge/text/cells"
	"github.com/askpane/askpane/popup/preview/styled"
)

// directions are those in which lines leave a square of the canvas.
type directions uint8

const (
	up directions = 1 << iota
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
	invisible
	mixed // lines of several strokes meet
)

// square is one cell of the canvas: a text, or lines that meet in it.
type square struct {
	text   string // covered is the second half of a wide sign
	lines  directions
	stroke stroke
	style  styled.Style
}

const covered = "\x00"

// canvas is what a diagram is drawn on, rows of squares.
type canvas [][]square

func newCanvas(width, height int) canvas {
	c := make(canvas, height)
	for y := range c {
		c[y] = make([]square, width)
	}
	return c
}

// at is the square at x, y; outside of the canvas, one that nobody sees.
func (c canvas) at(x, y int) *square {
	if y < 0 || y >= len(c) || x < 0 || x >= len(c[y]) {
		return &square{}
	}
	return &c[y][x]
}

// write puts text at x, y over whatever is there.
func (c canvas) write(x, y int, text string, style styled.Style) {
	for sign, width := range cells.Graphemes(text) {
		if width == 0 {
			continue
		}
		*c.at(x, y) = square{text: sign, style: style}
		for i := 1; i < width; i++ {
			*c.at(x+i, y) = square{text: covered}
		}
		x += width
	}
}

// clear empties squares of a row, from x on.
func (c canvas) clear(x, y, width int) {
	for i := range width {
		*c.at(x+i, y) = square{}
	}
}

// mark adds lines to a square; a text there stays.
func (c canvas) mark(x, y int, lines directions, s stroke) {
	q := c.at(x, y)
	if q.text != "" || s == invisible {
		return
	}
	if q.lines != 0 && q.stroke != s {
		s = mixed
	}
	q.lines |= lines
	q.stroke, q.style = s, styled.Dim
}

// line draws from one square to another, straight across or straight down.
func (c canvas) line(x1, y1, x2, y2 int, s stroke) {
	for x := min(x1, x2); x < max(x1, x2); x++ {
		c.mark(x, y1, right, s)
		c.mark(x+1, y1, left, s)
	}
	for y := min(y1, y2); y < max(y1, y2); y++ {
		c.mark(x1, y, down, s)
		c.mark(x1, y+1, up, s)
	}
}

// outline is the signs of a box's corners, from the upper left on clockwise, and
// of its left and right side.
type outline [6]rune

var rectangle = outline{'┌', '┐', '┘', '└', '│', '│'}

func (c canvas) box(x, y, width, height int, o outline) {
	right, bottom := x+width-1, y+height-1
	c.line(x, y, right, y, solid)
	c.line(x, bottom, right, bottom, solid)
	for side := y + 1; side < bottom; side++ {
		c.write(x, side, string(o[4]), styled.Dim)
		c.write(right, side, string(o[5]), styled.Dim)
	}
	c.write(x, y, string(o[0]), styled.Dim)
	c.write(right, y, string(o[1]), styled.Dim)
	c.write(right, bottom, string(o[2]), styled.Dim)
	c.write(x, bottom, string(o[3]), styled.Dim)
}

// joints are the signs for lines that meet, by the directions they leave in.
var joints = []rune(" ╵╷│╴┘┐┤╶└┌├─┴┬┼")

// straight are those for lines that go on, where the stroke shows.
var straight = map[stroke]map[directions]string{
	thick:  {left | right: "━", up | down: "┃"},
	dotted: {left | right: "┄", up | down: "┆"},
}

func (q *square) sign() string {
	if q.text == covered {
		return ""
	}
	if q.text != "" {
		return q.text
	}
	if sign := straight[q.stroke][q.lines]; sign != "" {
		return sign
	}
	return string(joints[q.lines])
}

func (q *square) empty() bool { return q.text == "" && q.lines == 0 }

// rows is what has been drawn, without the blanks at the ends.
func (c canvas) rows() []styled.Row {
	var rows []styled.Row
	for _, squares := range c {
		for len(squares) > 0 && squares[len(squares)-1].empty() {
			squares = squares[:len(squares)-1]
		}
		var row styled.Row
		for i := range squares {
			sign, style := squares[i].sign(), squares[i].style
			if sign == " " {
				style = styled.Text
			}
			row = row.With(sign, style)
		}
		rows = append(rows, row)
	}
	for len(rows) > 0 && len(rows[len(rows)-1]) == 0 {
		rows = rows[:len(rows)-1]
	}
	return rows
}
