package diagram

import (
	"slices"
	"strings"

	"github.com/askpane/askpane/popup/preview/styled"
)

// draw draws a flowchart: as it is, else with its texts wrapped ever narrower, else,
// where it runs sideways, turned to run down, which needs less width.
func (f *flow) draw(width int) (c canvas, below []styled.Row, err error) {
	if err := f.layer(); err != nil {
		return nil, nil, err
	}
	for _, across := range slices.Compact([]bool{f.across, false}) {
		for _, most := range []int{32, 20, 14, 9} {
			d := &flowDrawing{flow: f, canvas: canvas{}, across: across}
			if d.measure(min(most, max(1, width-4))); !d.arrange(width) {
				continue
			}
			d.draw()
			return d.canvas, f.groupList(width), nil
		}
	}
	return nil, nil, errTooWide
}

// groupList says below a diagram which nodes its subgraphs hold.
func (f *flow) groupList(width int) []styled.Row {
	var rows []styled.Row
	for _, g := range f.groups {
		var names []string
		for _, n := range g.nodes {
			names = append(names, strings.ReplaceAll(n.text, "\n", " "))
		}
		if len(names) == 0 {
			continue
		}
		if rows == nil {
			rows = append(rows, nil)
		}
		title := styled.Span{Text: groupSign + g.title, Style: styled.Strong}
		members := styled.Span{Text: ": " + strings.Join(names, ", "), Style: styled.Dim}
		rows = append(rows, styled.Wrap([]styled.Span{title, members}, width)...)
	}
	return rows
}

type flowDrawing struct {
	*flow
	canvas
	across   bool // not always as the flow says
	channels []channel
}

// point turns a place on the two axes into one on the canvas, and back.
func (d *flowDrawing) point(cross, main int) point {
	if d.across {
		return point{main, cross}
	}
	return point{cross, main}
}

// measure gives every node its text in rows of at most most cells, and its size.
func (d *flowDrawing) measure(most int) {
	severalPorts := 7 // cells on the cross axis
	if d.across {
		severalPorts = 5
	}
	for _, rank := range d.ranks {
		for _, n := range rank {
			size := d.measureText(n, most)
			size = d.point(size.x, size.y)
			n.cross, n.main = size.x, size.y
			for side, links := range n.links {
				for _, e := range links {
					if e.findPort(side, d.across) != n.centre {
						n.cross = max(n.cross, severalPorts)
					}
				}
			}
		}
	}
}

func (d *flowDrawing) measureText(n *node, most int) (size point) {
	if n.passing() {
		return point{1, 1}
	}
	n.rows, size.x = wrapped(strings.Join(append([]string{n.text}, n.loops...), "\n"), most)
	size.y = len(n.rows)
	switch {
	case !n.part:
		return point{size.x + 4, size.y + 2}
	case d.across: // the blanks around a label keep the line off it
		size.x += 2
	}
	return size
}

// arrange places everything, and reports whether there is room for it.
func (d *flowDrawing) arrange(room int) bool {
	gap, least := 2, 1
	if d.across {
		gap, least = 1, 3
	}
	reach, end := d.place(gap), 0
	d.channels = d.route(d.across)
	for r, rank := range d.ranks {
		c := &d.channels[r]
		for _, n := range rank {
			c.depth = max(c.depth, n.main)
		}
		for _, n := range rank {
			if n.passing() {
				n.main = c.depth
			}
			n.start = end + (c.depth-n.main)/2
		}
		c.start, end = end, end+c.depth
		if r < len(d.ranks)-1 {
			end += max(least, c.lead+c.tracks+1)
		}
	}
	size := d.point(reach, end)
	return size.x <= room && size.y <= maxHeight
}

func (d *flowDrawing) draw() {
	for _, rank := range d.ranks {
		for _, n := range rank {
			d.drawNode(n)
		}
	}
	for _, e := range d.links {
		if e.stroke != invisible {
			d.drawLink(e)
		}
	}
}

func (d *flowDrawing) drawNode(n *node) {
	if n.passing() {
		d.line(n.stroke, d.point(n.centre, n.start), d.point(n.centre, n.start+n.main-1))
		return
	}
	at, size := d.point(n.first(), n.start), d.point(n.cross, n.main)
	if n.part {
		d.text(at, size, n.rows, styled.Emphasis)
	} else {
		d.box(n, at, size, styled.Text)
	}
}

// drawLink draws one link: out of the first node, along its track, into the second.
func (d *flowDrawing) drawLink(e *edge) {
	from, to, c := e.ends[tail], e.ends[head], &d.channels[e.ends[tail].rank]
	leaves, arrives := from.start+from.main-1, to.start
	if to.mark != noMark {
		arrives--
	}
	track := c.start + c.depth + c.lead + max(0, e.trunk.track)
	if from.port == to.port {
		track = leaves
	}
	d.line(e.stroke, d.point(from.port, leaves), d.point(from.port, track), d.point(to.port, track), d.point(to.port, arrives))
	backwards, forwards := up, down
	if d.across {
		backwards, forwards = left, right
	}
	d.mark(d.point(from.port, leaves+1), from.mark, backwards)
	d.mark(d.point(to.port, arrives), to.mark, forwards)
}
