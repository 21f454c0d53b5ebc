package diagram

import (
	"maps"
	"strings"

	"github.com/askpane/askpane/bridge/text/cells"
	"github.com/askpane/askpane/popup/preview/styled"
)

// draw draws actors in boxes, a lifeline below each, and messages between the
// lifelines in the order they happen. Where there is no room the texts are wrapped,
// ever narrower.
func (s *sequence) draw(width int) (canvas, error) {
	for _, most := range []int{40, 26, 18, 12, 8} {
		d := &sequenceDrawing{sequence: s, canvas: canvas{}}
		d.measure(most)
		if d.arrange(); d.width <= width && d.draw() <= maxHeight {
			return d.canvas, nil
		}
	}
	return nil, errTooWide
}

type sequenceDrawing struct {
	*sequence
	canvas
	boxHeight, width int
}

// measure wraps the texts.
func (d *sequenceDrawing) measure(most int) {
	for i, a := range d.actors {
		a.rows, a.cross = wrapped(a.text, min(most, 20))
		a.rank, a.cross = i+1, a.cross+4
		d.boxHeight = max(d.boxHeight, len(a.rows)+2)
	}
	for _, s := range d.steps {
		s.rows, s.width = nil, 0
		switch {
		case s.kind >= begins:
			s.width = min(cells.Width(s.text), most)
		case s.text != "":
			s.rows, s.width = wrapped(s.text, most)
		}
	}
}

// distance keeps two lifelines apart, by their ranks. The one before
// the first is the last column that cannot be seen on the left, the one after the
// last is the first such column on the right.
type distance struct{ from, to, cells int }

// arrange finds the places of the lifelines: each two as far apart as what stands
// between them needs.
func (d *sequenceDrawing) arrange() {
	before, end := 1, len(d.actors)+1
	var apart []distance
	for _, a := range d.actors {
		apart = append(apart, distance{a.rank - 1, a.rank, before + a.cross/2})
		before = a.cross - a.cross/2 + 2
	}
	apart = append(apart, distance{end - 1, end, before - 2})
	for _, s := range d.steps {
		apart = append(apart, d.distances(s, end)...)
	}
	places := make([]int, end+1)
	places[0] = -1
	for n := range places {
		for _, a := range apart {
			if a.to == n {
				places[n] = max(places[n], places[a.from]+a.cells)
			}
		}
	}
	for _, a := range d.actors {
		a.centre = places[a.rank]
	}
	d.width = places[end]
}

// distances returns the room that a step needs.
func (d *sequenceDrawing) distances(s *step, end int) []distance {
	if s.kind >= begins {
		return []distance{{0, end, s.width + 7}}
	}
	from, to := s.span()
	first, last := from.rank, to.rank
	switch {
	case s.toSelf():
		return []distance{{first, first + 1, max(s.width+3, 6)}}
	case s.kind == message:
		return []distance{{first, last, max(s.width+4, 6)}}
	case s.kind == leftOf:
		return []distance{{first - 1, first, s.width + 6}}
	case s.kind == rightOf:
		return []distance{{first, first + 1, s.width + 6}}
	case first < last:
		return []distance{{first, last, s.width}, {last, end, 4}}
	}
	half := (s.width + 4) / 2
	before, after := distance{first - 1, first, half + 2}, distance{first, first + 1, half + 2}
	if first == 1 {
		before.cells = half + 1
	}
	if first+1 == end {
		after.cells = max(4, (s.width+5)/2+1)
	}
	return []distance{before, after}
}

// draw returns how high the drawing is.
func (d *sequenceDrawing) draw() int {
	bottom := d.boxHeight
	for _, s := range d.steps {
		switch {
		case s.kind >= begins:
			bottom += d.drawBand(s, bottom)
		case s.toSelf():
			bottom += d.drawSelf(s, bottom)
		case s.kind == message:
			bottom += d.drawMessage(s, bottom)
		default:
			bottom += d.drawNote(s, bottom)
		}
	}
	lifelines := canvas{}
	for _, a := range d.actors {
		for _, y := range []int{0, bottom} {
			lifelines.box(a, point{a.first(), y}, point{a.cross, d.boxHeight}, styled.Strong)
		}
		lifelines.line(dotted, point{a.centre, d.boxHeight - 1}, point{a.centre, bottom})
	}
	maps.Copy(lifelines, d.canvas) // the steps are drawn over them
	d.canvas = lifelines
	return bottom + d.boxHeight
}

// Each of these draws a step at row y and returns how many rows it takes.

// bandEnds has the signs at the left and right of those steps that go across all.
var bandEnds = map[stepKind][2]string{begins: {"┌", "┐"}, goesOn: {"├", "┤"}, ends: {"└", "┘"}}

func (d *sequenceDrawing) drawBand(s *step, y int) int {
	sides := bandEnds[s.kind]
	d.write(point{0, y}, sides[0]+strings.Repeat("─", max(0, d.width-2))+sides[1], styled.Dim)
	d.write(point{2, y}, " "+cells.Shorten(s.text, max(1, d.width-6))+" ", styled.Emphasis)
	return 1
}

func (d *sequenceDrawing) drawMessage(s *step, y int) int {
	first, last := s.span()
	for j, row := range s.rows {
		d.write(point{first.centre + (last.centre-first.centre-cells.Width(row)+1)/2, y + j}, row, styled.Text)
	}
	y += len(s.rows)
	d.join(up|down, solid, point{first.centre, y}, point{last.centre, y})
	d.line(s.stroke, point{first.centre, y}, point{last.centre, y})
	forth, back, step := right, left, 1
	if s.ends[tail].node == last {
		forth, back, step = left, right, -1
	}
	d.mark(point{s.ends[head].centre - step, y}, s.ends[head].mark, forth)
	d.mark(point{s.ends[tail].centre + step, y}, s.ends[tail].mark, back)
	return len(s.rows) + 1
}

func (d *sequenceDrawing) drawSelf(s *step, y int) int {
	x := s.ends[tail].centre
	for _, row := range s.rows {
		d.write(point{x + 2, y}, row, styled.Text)
		y++
	}
	d.join(up|down, solid, point{x, y}, point{x, y + 1})
	d.line(s.stroke, point{x, y}, point{x + 4, y}, point{x + 4, y + 1}, point{x, y + 1})
	d.mark(point{x + 1, y + 1}, arrow, left)
	return len(s.rows) + 2
}

// drawNote draws a note as text between two bars.
func (d *sequenceDrawing) drawNote(s *step, y int) int {
	first, last := s.span()
	width := s.width + 4
	x := first.centre + 2
	switch s.kind {
	case leftOf:
		x = first.centre - 1 - width
	case over:
		if first != last {
			width = max(width, last.centre-first.centre+5)
		}
		x = max(0, (first.centre+last.centre)/2-width/2)
	}
	for j, row := range s.rows {
		d.write(point{x, y + j}, "▌ "+row+strings.Repeat(" ", max(0, width-4-cells.Width(row)))+" ▐", styled.Emphasis)
	}
	return len(s.rows) + 1
}
