package diagram

import (
	"strings"

	"github.com/askpane/askpane/bridge/text/cells"
	"github.com/askpane/askpane/popup/preview/styled"
)

// directions has a bit for each direction in which a line leaves a square of the canvas.
type directions uint8

const (
	up directions = 1 << iota
	down
	left
	right
)

// stroke says how a line is drawn.
type stroke uint8

const (
	solid stroke = iota
	thick
	dotted
	invisible
)

// mark ends a line.
type mark byte

const (
	noMark    mark = 0
	arrow     mark = '>'
	circle    mark = 'o'
	crossMark mark = 'x'
	async     mark = ')'
)

// marks has those that a source has at the ends of its edges and messages.
var marks = map[string]mark{"<": arrow, ">": arrow, "<<": arrow, ">>": arrow, "o": circle, "x": crossMark, ")": async}

// heads has the signs of marks that look different in each direction.
var heads = map[mark]map[directions]string{
	arrow: {up: "▲", down: "▼", left: "◄", right: "►"},
	async: {left: "(", right: ")"},
}

type point struct{ x, y int }

// square fills one cell of the canvas: with a text, or lines that meet in it.
type square struct {
	text   string // covered is the second half of a wide sign
	lines  directions
	stroke stroke
	style  styled.Style
}

const covered = "\x00"

// canvas holds the squares of a diagram that are not empty.
type canvas map[point]square

// write puts text over whatever is there.
func (c canvas) write(at point, text string, style styled.Style) {
	for sign, width := range cells.Graphemes(text) {
		for i := range width {
			c[at] = square{text: sign, style: style}
			if i > 0 {
				c[at] = square{text: covered, style: style}
			}
			at.x++
		}
	}
}

// mark puts a mark that points in that direction.
func (c canvas) mark(at point, m mark, to directions) {
	sign, turns := heads[m][to]
	if !turns && m != noMark {
		sign = string(rune(m))
	}
	c.write(at, sign, styled.Dim)
}

// join adds lines to squares; a text there stays.
func (c canvas) join(lines directions, s stroke, squares ...point) {
	for _, at := range squares {
		q, stroke := c[at], s
		if q.text != "" || s == invisible {
			continue
		}
		if q.lines != 0 && q.stroke != s { // only solid lines have signs for where others meet
			stroke = solid
		}
		c[at] = square{lines: q.lines | lines, stroke: stroke, style: styled.Dim}
	}
}

// line draws from one point to the next, each straight across or straight down.
func (c canvas) line(s stroke, points ...point) {
	for i, b := range points[1:] {
		a := points[i]
		for x := min(a.x, b.x); x < max(a.x, b.x); x++ {
			c.join(right, s, point{x, a.y})
			c.join(left, s, point{x + 1, a.y})
		}
		for y := min(a.y, b.y); y < max(a.y, b.y); y++ {
			c.join(down, s, point{a.x, y})
			c.join(up, s, point{a.x, y + 1})
		}
	}
}

// text writes rows in the middle of a rectangle, over all of its width.
func (c canvas) text(at, size point, rows []string, style styled.Style) {
	at.y += (size.y - len(rows)) / 2
	for _, row := range rows {
		room := max(0, size.x-cells.Width(row))
		c.write(at, strings.Repeat(" ", room/2)+row+strings.Repeat(" ", room-room/2), style)
		at.y++
	}
}

// outline has the signs of a box's corners, from the upper left on clockwise, and
// of its left and right side.
type outline [6]rune

var rectangle = outline{'┌', '┐', '┘', '└', '│', '│'}

// box draws a node's text in its outline.
func (c canvas) box(n *node, at, size point, style styled.Style) {
	c.text(at, size, n.rows, style)
	right, bottom := at.x+size.x-1, at.y+size.y-1
	corners := []point{at, {right, at.y}, {right, bottom}, {at.x, bottom}}
	c.line(solid, corners[:2]...)
	c.line(solid, corners[2:]...)
	for i, corner := range corners {
		c.write(corner, string(n.outline[i]), styled.Dim)
	}
	for y := at.y + 1; y < bottom; y++ {
		c.write(point{at.x, y}, string(n.outline[4]), styled.Dim)
		c.write(point{right, y}, string(n.outline[5]), styled.Dim)
	}
}

// joints has the signs for lines that meet, by the directions they leave in.
var joints = []rune(" ╵╷│╴┘┐┤╶└┌├─┴┬┼")

// straight has those for lines that go on, where the stroke shows.
var straight = map[stroke]map[directions]string{
	thick:  {left | right: "━", up | down: "┃"},
	dotted: {left | right: "┄", up | down: "┆"},
}

func (q square) sign() string {
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

// end returns the first column and the first row that are empty from there on.
func (c canvas) end() (end point) {
	for at := range c {
		end.x, end.y = max(end.x, at.x+1), max(end.y, at.y+1)
	}
	return end
}

// rows returns the drawing row by row.
func (c canvas) rows() []styled.Row {
	end := c.end()
	rows := make([]styled.Row, end.y)
	for y := range rows {
		blanks := ""
		for x := range end.x {
			q, drawn := c[point{x, y}]
			if !drawn {
				blanks += " "
				continue
			}
			rows[y] = rows[y].With(blanks, styled.Text).With(q.sign(), q.style)
			blanks = ""
		}
	}
	return rows
}
