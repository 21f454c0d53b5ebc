package diagram

import (
	"errors"
	"strings"

	"github.com/askpane/askpane/bridge/text/cells"
	"github.com/askpane/askpane/popup/preview/styled"
)

// draw draws a flowchart: as it is, else with its texts wrapped ever narrower, else,
// where it runs sideways, turned to run down, which needs less width.
func (f *flow) draw(width int) ([]styled.Row, error) {
	l := f.layered()
	if l == nil {
		return nil, errors.New("it has too many long edges")
	}
	ways := []bool{false}
	if f.direction == "LR" || f.direction == "RL" {
		ways = []bool{true, false}
	}
	for _, across := range ways {
		for _, most := range []int{32, 20, 14, 9} {
			d := &flowDrawing{flow: f, layers: l, across: across}
			d.measure(min(most, max(1, width-4)))
			if w, h := d.arrange(); w <= width && h <= maxHeight {
				return append(d.drawn(w, h), f.groupList(width)...), nil
			}
		}
	}
	return nil, errTooWide
}

// groupList says below a diagram which nodes its subgraphs hold.
func (f *flow) groupList(width int) []styled.Row {
	var rows []styled.Row
	for _, g := range f.groups {
		var names []string
		for _, n := range g.nodes {
			names = append(names, strings.ReplaceAll(f.nodes[n].text, "\n", " "))
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
	*layers
	canvas
	across   bool // ranks follow each other rightwards
	channels []channel
	starts   []int // where each rank begins on the main axis
	depths   []int // and how much room it takes there
}

// measure gives every vertex its text in rows of at most most cells, and its size.
func (d *flowDrawing) measure(most int) {
	severalPorts := make([]bool, len(d.vertices))
	for f, p := range d.ports() {
		severalPorts[f.vertex] = severalPorts[f.vertex] || p.shared()
	}
	for i := range d.vertices {
		v := &d.vertices[i]
		width, height := 1, 1
		switch {
		case v.node >= 0:
			width, height = d.measureNode(v, most, severalPorts[i])
		case v.text != "":
			v.rows, width = wrapped(v.text, most)
			if height = len(v.rows); d.across {
				width += 2
			}
		}
		v.cross, v.main = width, height
		if d.across {
			v.cross, v.main = height, width
		}
	}
}

func (d *flowDrawing) measureNode(v *vertex, most int, severalPorts bool) (width, height int) {
	n := &d.nodes[v.node]
	v.rows, width = wrapped(n.text, most)
	for _, loop := range n.loops {
		rows, wide := wrapped(strings.TrimSpace("↺ "+loop), most)
		v.rows, width = append(v.rows, rows...), max(width, wide)
	}
	width, height = width+4, len(v.rows)+2
	switch {
	case severalPorts && d.across:
		height = max(height, 5)
	case severalPorts:
		width = max(width, 7)
	}
	return width, height
}

// arrange places everything and returns the diagram's size.
func (d *flowDrawing) arrange() (width, height int) {
	gap, least := 2, 1
	if d.across {
		gap, least = 1, 3
	}
	reach := d.place(gap)
	d.channels = d.route(d.across)
	end := 0
	for r, rank := range d.ranks {
		depth := 0
		for _, v := range rank {
			depth = max(depth, d.vertices[v].main)
		}
		for _, v := range rank {
			d.vertices[v].start = end + (depth-d.vertices[v].main)/2
		}
		d.starts, d.depths = append(d.starts, end), append(d.depths, depth)
		end += depth
		if r < len(d.channels) {
			end += max(least, d.lead(r)+d.channels[r].tracks+1)
		}
	}
	if d.across {
		return end, reach
	}
	return reach, end
}

// lead is the room before the first track of channel r.
func (d *flowDrawing) lead(r int) int {
	if d.across || d.channels[r].tails {
		return 1
	}
	return 0
}

func (d *flowDrawing) drawn(width, height int) []styled.Row {
	d.canvas = newCanvas(width, height)
	for i := range d.vertices {
		d.drawVertex(&d.vertices[i])
	}
	for r := range d.channels {
		for _, t := range d.channels[r].trunks {
			for _, b := range t.branches {
				d.drawLink(r, t, b)
			}
		}
	}
	return d.rows()
}

// point turns a place on the two axes into one on the canvas.
func (d *flowDrawing) point(cross, main int) (x, y int) {
	if d.across {
		return main, cross
	}
	return cross, main
}

// path draws lines from one place to the next.
func (d *flowDrawing) path(s stroke, places ...[2]int) {
	for i := 1; i < len(places); i++ {
		x1, y1 := d.point(places[i-1][0], places[i-1][1])
		x2, y2 := d.point(places[i][0], places[i][1])
		d.line(x1, y1, x2, y2, s)
	}
}

func (d *flowDrawing) drawVertex(v *vertex) {
	if v.passing() {
		start := d.starts[v.rank]
		d.path(v.stroke, [2]int{v.centre, start}, [2]int{v.centre, start + d.depths[v.rank] - 1})
		return
	}
	x, y := d.point(v.first(), v.start)
	width, height := d.point(v.cross, v.main)
	for i, row := range v.rows {
		before := max(0, width-cells.Width(row)) / 2
		if v.node >= 0 {
			d.write(x+before, y+(height-len(v.rows))/2+i, row, styled.Text)
			continue
		}
		// The blanks around a label keep the line off it.
		after := max(0, width-before-cells.Width(row))
		d.write(x, y+i, strings.Repeat(" ", before)+row+strings.Repeat(" ", after), styled.Emphasis)
	}
	if v.node >= 0 {
		d.box(x, y, width, height, d.nodes[v.node].outline)
	}
}

// drawLink draws one link: out of the first vertex, along its track, into the second.
func (d *flowDrawing) drawLink(r int, t *trunk, b branch) {
	from, to := &d.vertices[b.from], &d.vertices[b.to]
	leaves, arrives := from.start+from.main-1, to.start
	if from.passing() {
		leaves = d.starts[r] + d.depths[r] - 1
	}
	if to.passing() {
		arrives = d.starts[r+1]
	}
	if b.head != noMark {
		arrives--
	}
	track := d.starts[r] + d.depths[r] + d.lead(r) + max(0, t.track)
	if t.port == b.target {
		track = leaves
	}
	d.path(b.stroke, [2]int{t.port, leaves}, [2]int{t.port, track}, [2]int{b.target, track}, [2]int{b.target, arrives})
	d.drawMark(b.tail, t.port, from.start+from.main, "▲", "◄")
	d.drawMark(b.head, b.target, arrives, "▼", "►")
}

func (d *flowDrawing) drawMark(m mark, cross, main int, downwards, rightwards string) {
	sign := map[mark]string{arrow: downwards, circle: "o", crossMark: "x"}[m]
	if m == arrow && d.across {
		sign = rightwards
	}
	x, y := d.point(cross, main)
	d.write(x, y, sign, styled.Dim)
}
