package preview

import (
	"strconv"
	"strings"

	"github.com/askpane/askpane/bridge/text/cells"
)

// sequence draws a sequence diagram: actors in boxes, a line of life below
// each, messages between the lines in the order they happen. Where it has no
// room its texts are wrapped, ever narrower.
func (pg *page) sequence(s *sequence, width int) ([]Line, error) {
	for _, most := range []int{40, 26, 18, 12, 8} {
		d := &sequenceDrawing{page: pg, sequence: s, most: most}
		if d.arrange(); d.width <= width && d.height <= maxHeight {
			return d.draw(), nil
		}
	}
	return nil, errTooWide
}

type sequenceDrawing struct {
	*page
	*sequence
	most          int // cells of a text
	names         [][]string
	boxes         []int // width of each actor's box
	lives         []int // where each actor's line is
	tall          int   // height of the boxes
	texts         [][]string
	wide          []int // width of each step's text
	width, height int
	*canvas
}

// arrange wraps the texts and finds the places of the lines of life: each two
// as far apart as what stands between them needs.
func (d *sequenceDrawing) arrange() {
	d.names, d.boxes, d.lives = make([][]string, len(d.actors)), make([]int, len(d.actors)), make([]int, len(d.actors))
	for i, a := range d.actors {
		rows, w := rowsOf(a.text, min(d.most, 20))
		d.names[i], d.boxes[i] = rows, w+4
		d.tall = max(d.tall, len(rows)+2)
	}
	d.texts, d.wide = make([][]string, len(d.steps)), make([]int, len(d.steps))
	number := 0
	d.height = 2 * d.tall
	for i, s := range d.steps {
		text := s.text
		if s.kind == message && d.number {
			number++
			text = strings.TrimSpace(strconv.Itoa(number) + ". " + text)
		}
		if s.kind == band {
			d.height++
			continue
		}
		if text != "" {
			d.texts[i], d.wide[i] = rowsOf(text, d.most)
		}
		d.height += len(d.texts[i]) + 1
		if s.kind == message && s.from == s.to {
			d.height++
		}
	}
	d.lives[0] = d.boxes[0] / 2
	for i, s := range d.steps { // room on the far left
		if s.kind == note && s.side == 'l' && s.from == 0 {
			d.lives[0] = max(d.lives[0], d.wide[i]+5)
		}
		if s.kind == note && s.side == 'o' && s.from == 0 && s.to == 0 {
			d.lives[0] = max(d.lives[0], (d.wide[i]+4)/2)
		}
	}
	for n := 1; n < len(d.actors); n++ {
		at := d.lives[n-1] + d.boxes[n-1] - d.boxes[n-1]/2 + 2 + d.boxes[n]/2
		for i, s := range d.steps {
			a, b := min(s.from, s.to), max(s.from, s.to)
			switch need := d.wide[i]; {
			case s.kind == band:
			case s.kind == note && s.side == 'l' && a == n, s.kind == note && s.side == 'r' && a == n-1:
				at = max(at, d.lives[n-1]+need+6)
			case s.kind == note && s.side == 'o' && a == b && (a == n || a == n-1):
				at = max(at, d.lives[n-1]+(need+4)/2+2)
			case s.kind == note && s.side == 'o' && a < n && b == n:
				at = max(at, d.lives[a]+need)
			case s.kind == message && a == b && a == n-1:
				at = max(at, d.lives[n-1]+max(need+3, 6))
			case s.kind == message && a < n && b == n:
				at = max(at, d.lives[a]+max(need+4, 6))
			}
		}
		d.lives[n] = at
	}
	last := len(d.actors) - 1
	d.width = d.lives[last] + d.boxes[last] - d.boxes[last]/2
	for i, s := range d.steps {
		switch right := d.lives[max(s.from, s.to)]; {
		case s.kind == band:
			d.width = max(d.width, cells.Width(cells.Shorten(s.text, d.most))+6)
		case s.kind == note && s.side == 'r':
			d.width = max(d.width, right+d.wide[i]+6)
		case s.kind == note && s.side == 'o':
			d.width = max(d.width, right+4, (right+d.lives[min(s.from, s.to)])/2+(d.wide[i]+5)/2+1)
		case s.kind == message && s.from == s.to:
			d.width = max(d.width, right+max(d.wide[i]+3, 6))
		}
	}
}

func (d *sequenceDrawing) draw() []Line {
	d.canvas = newCanvas(d.width, d.height, d.Text)
	for i := range d.actors {
		d.line(d.lives[i], d.tall-1, d.lives[i], d.height-d.tall, dotted, d.Dim)
	}
	d.heads(0)
	y := d.tall
	for i, s := range d.steps {
		switch {
		case s.kind == band:
			d.drawBand(s, y)
			y++
		case s.kind == note:
			y += d.drawNote(i, y)
		case s.from == s.to:
			y += d.drawSelf(i, y)
		default:
			y += d.drawMessage(i, y)
		}
	}
	d.heads(y)
	return d.rendered()
}

func (d *sequenceDrawing) heads(y int) {
	for i, rows := range d.names {
		x := d.lives[i] - d.boxes[i]/2
		d.box(x, y, d.boxes[i], d.tall, plainBox, d.Dim)
		for j, row := range rows {
			pad := (d.boxes[i] - cells.Width(row)) / 2
			d.write(x+pad, y+(d.tall-len(rows))/2+j, row, d.Strong)
		}
	}
}

// clear removes lines of life from under what is drawn next.
func (d *sequenceDrawing) clear(x, y, width int) {
	for i := range width {
		*d.at(x+i, y) = square{}
	}
}

func (d *sequenceDrawing) drawBand(s step, y int) {
	d.clear(0, y, d.width)
	left, right := "├", "┤"
	if s.open {
		left, right = "┌", "┐"
	} else if s.closes {
		left, right = "└", "┘"
	}
	d.write(0, y, left+strings.Repeat("─", max(0, d.width-2))+right, d.Dim)
	d.write(2, y, " "+cells.Shorten(s.text, max(1, d.width-6))+" ", d.Emphasis)
}

func (d *sequenceDrawing) drawMessage(i, y int) int {
	s := d.steps[i]
	from, to := d.lives[s.from], d.lives[s.to]
	left, right := min(from, to), max(from, to)
	for j, row := range d.texts[i] {
		d.write(left+(right-left-cells.Width(row)+1)/2, y+j, row, d.Text)
	}
	y += len(d.texts[i])
	d.clear(left, y, right-left+1)
	d.mark(left, y, up|down, solid, d.Dim)
	d.mark(right, y, up|down, solid, d.Dim)
	d.line(left, y, right, y, s.stroke, d.Dim)
	forward, back := map[byte]string{'>': "►", ')': ")", 'x': "x"}[s.head], "◄"
	at, other := right-1, left+1
	if to < from {
		forward = map[byte]string{'>': "◄", ')': "(", 'x': "x"}[s.head]
		at, other, back = other, at, "►"
	}
	if forward != "" {
		d.write(at, y, forward, d.Dim)
	}
	if s.tail {
		d.write(other, y, back, d.Dim)
	}
	return len(d.texts[i]) + 1
}

func (d *sequenceDrawing) drawSelf(i, y int) int {
	s, x := d.steps[i], d.lives[d.steps[i].from]
	for j, row := range d.texts[i] {
		d.write(x+2, y+j, row, d.Text)
	}
	n := len(d.texts[i])
	d.clear(x, y+n, 5)
	d.clear(x, y+n+1, 5)
	d.mark(x, y+n, up|down, solid, d.Dim)
	d.mark(x, y+n+1, up|down, solid, d.Dim)
	d.line(x, y+n, x+4, y+n, s.stroke, d.Dim)
	d.line(x+4, y+n, x+4, y+n+1, s.stroke, d.Dim)
	d.line(x, y+n+1, x+4, y+n+1, s.stroke, d.Dim)
	d.write(x+1, y+n+1, "◄", d.Dim)
	return n + 2
}

// drawNote draws a note as text between two bars.
func (d *sequenceDrawing) drawNote(i, y int) int {
	s, w := d.steps[i], d.wide[i]+4
	x := d.lives[s.from] + 2
	switch s.side {
	case 'l':
		x = d.lives[s.from] - 1 - w
	case 'o':
		left, right := d.lives[min(s.from, s.to)], d.lives[max(s.from, s.to)]
		if s.from != s.to {
			w = max(w, right-left+5)
		}
		x = max(0, (left+right)/2-w/2)
	}
	for j, row := range d.texts[i] {
		d.write(x, y+j, "▌ "+row+strings.Repeat(" ", max(0, w-4-cells.Width(row)))+" ▐", d.Emphasis)
	}
	return len(d.texts[i]) + 1
}
