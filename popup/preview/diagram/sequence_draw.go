package diagram

import (
	"strconv"
	"strings"

	"github.com/askpane/askpane/bridge/text/cells"
	"github.com/askpane/askpane/popup/preview/styled"
)

// draw draws actors in boxes, a lifeline below each, and messages between the
// lifelines in the order they happen. Where there is no room the texts are wrapped,
// ever narrower.
func (s *sequence) draw(width int) ([]styled.Row, error) {
	for _, most := range []int{40, 26, 18, 12, 8} {
		d := &sequenceDrawing{sequence: s}
		d.measureActors(min(most, 20))
		d.measureSteps(most)
		if d.arrange(); d.width <= width && d.height <= maxHeight {
			return d.drawn(), nil
		}
	}
	return nil, errTooWide
}

type sequenceDrawing struct {
	*sequence
	canvas
	names         [][]string // rows of each actor's name
	boxes         []int      // width of each actor's box
	boxHeight     int
	lifelines     []int      // where each actor's lifeline is
	texts         [][]string // rows of each step's text
	widths        []int      // and their width
	width, height int
}

func (d *sequenceDrawing) measureActors(most int) {
	for _, a := range d.actors {
		rows, width := wrapped(a.text, most)
		d.names, d.boxes = append(d.names, rows), append(d.boxes, width+4)
		d.boxHeight = max(d.boxHeight, len(rows)+2)
	}
}

// measureSteps wraps the texts, and sums up how high everything is.
func (d *sequenceDrawing) measureSteps(most int) {
	d.texts, d.widths = make([][]string, len(d.steps)), make([]int, len(d.steps))
	d.height = 2 * d.boxHeight
	number := 0
	for i, s := range d.steps {
		text := s.text
		switch {
		case s.kind == band:
			d.height++
			d.widths[i] = min(cells.Width(text), most)
			continue
		case s.kind == message && d.numbered:
			number++
			text = strings.TrimSpace(strconv.Itoa(number) + ". " + text)
		}
		if text != "" {
			d.texts[i], d.widths[i] = wrapped(text, most)
		}
		d.height += len(d.texts[i]) + 1
		if s.toSelf() {
			d.height++
		}
	}
}

// distance is the least room between two lifelines. The one before the first is
// the last column that cannot be seen on the left, the one after the last is the
// first such column on the right.
type distance struct{ from, to, cells int }

// arrange finds the places of the lifelines: each two as far apart as what stands
// between them needs.
func (d *sequenceDrawing) arrange() {
	end := len(d.actors)
	apart := []distance{{-1, 0, d.boxes[0]/2 + 1}, {end - 1, end, d.boxes[end-1] - d.boxes[end-1]/2}}
	for n := 1; n < end; n++ {
		apart = append(apart, distance{n - 1, n, d.boxes[n-1] - d.boxes[n-1]/2 + 2 + d.boxes[n]/2})
	}
	for i := range d.steps {
		apart = append(apart, d.distances(i)...)
	}
	places := make([]int, end+1)
	for n := range places {
		for _, a := range apart {
			if a.to == n && a.from < 0 {
				places[n] = max(places[n], a.cells-1)
			} else if a.to == n {
				places[n] = max(places[n], places[a.from]+a.cells)
			}
		}
	}
	d.lifelines, d.width = places[:end], places[end]
}

// distances is the room that step i needs.
func (d *sequenceDrawing) distances(i int) []distance {
	s, width, end := d.steps[i], d.widths[i], len(d.actors)
	first, last := s.span()
	switch {
	case s.kind == band:
		return []distance{{-1, end, width + 7}}
	case s.toSelf():
		return []distance{{first, first + 1, max(width+3, 6)}}
	case s.kind == message:
		return []distance{{first, last, max(width+4, 6)}}
	case s.side == leftOf:
		return []distance{{first - 1, first, width + 6}}
	case s.side == rightOf:
		return []distance{{first, first + 1, width + 6}}
	case first < last:
		return []distance{{first, last, width}, {last, end, 4}}
	}
	half := (width + 4) / 2
	before, after := distance{first - 1, first, half + 2}, distance{first, first + 1, half + 2}
	if first == 0 {
		before.cells = half + 1
	}
	if first+1 == end {
		after.cells = max(4, (width+5)/2+1)
	}
	return []distance{before, after}
}

func (d *sequenceDrawing) drawn() []styled.Row {
	d.canvas = newCanvas(d.width, d.height)
	for _, x := range d.lifelines {
		d.line(x, d.boxHeight-1, x, d.height-d.boxHeight, dotted)
	}
	d.drawActors(0)
	y := d.boxHeight
	for i, s := range d.steps {
		switch {
		case s.kind == band:
			y += d.drawBand(s, y)
		case s.kind == note:
			y += d.drawNote(i, y)
		case s.toSelf():
			y += d.drawSelf(i, y)
		default:
			y += d.drawMessage(i, y)
		}
	}
	d.drawActors(y)
	return d.rows()
}

func (d *sequenceDrawing) drawActors(y int) {
	for i, rows := range d.names {
		x := d.lifelines[i] - d.boxes[i]/2
		d.box(x, y, d.boxes[i], d.boxHeight, rectangle)
		for j, row := range rows {
			pad := (d.boxes[i] - cells.Width(row)) / 2
			d.write(x+pad, y+(d.boxHeight-len(rows))/2+j, row, styled.Strong)
		}
	}
}

// Each of these draws a step at row y and returns how many rows it takes.

func (d *sequenceDrawing) drawBand(s step, y int) int {
	left, right := "├", "┤"
	switch s.part {
	case begins:
		left, right = "┌", "┐"
	case ends:
		left, right = "└", "┘"
	}
	d.write(0, y, left+strings.Repeat("─", max(0, d.width-2))+right, styled.Dim)
	d.write(2, y, " "+cells.Shorten(s.text, max(1, d.width-6))+" ", styled.Emphasis)
	return 1
}

func (d *sequenceDrawing) drawMessage(i, y int) int {
	s, rows := d.steps[i], d.texts[i]
	from, to := d.lifelines[s.from], d.lifelines[s.to]
	left, right := min(from, to), max(from, to)
	for j, row := range rows {
		d.write(left+(right-left-cells.Width(row)+1)/2, y+j, row, styled.Text)
	}
	y += len(rows)
	d.clear(left, y, right-left+1)
	d.mark(left, y, up|down, solid)
	d.mark(right, y, up|down, solid)
	d.line(left, y, right, y, s.arrow.stroke)
	head, tail := right-1, left+1
	forward, back := s.arrow.head.right, arrowHead.left
	if to < from {
		head, tail = tail, head
		forward, back = s.arrow.head.left, arrowHead.right
	}
	d.write(head, y, forward, styled.Dim)
	if s.arrow.tail {
		d.write(tail, y, back, styled.Dim)
	}
	return len(rows) + 1
}

func (d *sequenceDrawing) drawSelf(i, y int) int {
	s, x, n := d.steps[i], d.lifelines[d.steps[i].from], len(d.texts[i])
	for j, row := range d.texts[i] {
		d.write(x+2, y+j, row, styled.Text)
	}
	for _, row := range []int{y + n, y + n + 1} {
		d.clear(x, row, 5)
		d.mark(x, row, up|down, solid)
		d.line(x, row, x+4, row, s.arrow.stroke)
	}
	d.line(x+4, y+n, x+4, y+n+1, s.arrow.stroke)
	d.write(x+1, y+n+1, arrowHead.left, styled.Dim)
	return n + 2
}

// drawNote draws a note as text between two bars.
func (d *sequenceDrawing) drawNote(i, y int) int {
	s, width := d.steps[i], d.widths[i]+4
	first, last := s.span()
	left, right := d.lifelines[first], d.lifelines[last]
	x := left + 2
	switch s.side {
	case leftOf:
		x = left - 1 - width
	case over:
		if first < last {
			width = max(width, right-left+5)
		}
		x = max(0, (left+right)/2-width/2)
	}
	for j, row := range d.texts[i] {
		d.write(x, y+j, "▌ "+row+strings.Repeat(" ", max(0, width-4-cells.Width(row)))+" ▐", styled.Emphasis)
	}
	return len(d.texts[i]) + 1
}
