package preview

import (
	"errors"
	"strings"

	"github.com/askpane/askpane/bridge/text/cells"
)

// maxHeight bounds the rows of a diagram.
const maxHeight = 500

// flow draws a flowchart: as it is, else with its texts wrapped ever narrower,
// else, where it runs sideways, turned to run down, which needs less width.
func (pg *page) flow(f *flow, width int) ([]Line, error) {
	l := f.layer()
	if l == nil {
		return nil, errors.New("it has too many long edges")
	}
	across := f.direction == "LR" || f.direction == "RL"
	for _, sideways := range []bool{true, false} {
		if sideways && !across {
			continue
		}
		for _, most := range []int{32, 20, 14, 9} {
			d := &flowDrawing{page: pg, flow: f, layers: l, across: sideways}
			d.measure(min(most, max(1, width-4)))
			if w, h := d.arrange(); w <= width && h <= maxHeight {
				return append(d.draw(w, h), pg.groups(f, width)...), nil
			}
		}
	}
	return nil, errTooWide
}

// groups says below a diagram which nodes its subgraphs hold.
func (pg *page) groups(f *flow, width int) []Line {
	var rows []Line
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
		rows = append(rows, wrap([]Span{{groupSign + g.title, pg.Strong}, {": " + strings.Join(names, ", "), pg.Dim}}, width)...)
	}
	return rows
}

type flowDrawing struct {
	*page
	*flow
	*layers
	across   bool
	channels []channel
	starts   []int // where each rank begins on the main axis
	deep     []int // and how much room it takes there
	*canvas
}

// measure gives every vertex its text in rows of at most most cells, and its size.
func (d *flowDrawing) measure(most int) {
	needs := d.needsPorts()
	for i := range d.vertices {
		v := &d.vertices[i]
		w, h := 1, 1
		switch {
		case v.node >= 0:
			n := &d.flow.nodes[v.node]
			var widest int
			v.rows, widest = rowsOf(n.text, most)
			for _, loop := range n.loops {
				rows, wide := rowsOf(strings.TrimSpace("↺ "+loop), most)
				v.rows, widest = append(v.rows, rows...), max(widest, wide)
			}
			w, h = widest+4, len(v.rows)+2
			if needs[i] && d.across {
				h = max(h, 5)
			} else if needs[i] {
				w = max(w, 7)
			}
		case v.text != "":
			v.rows, w = rowsOf(v.text, most)
			if h = len(v.rows); d.across {
				w += 2
			}
		}
		v.cross, v.main = w, h
		if d.across {
			v.cross, v.main = h, w
		}
	}
}

// arrange places everything and returns the diagram's size.
func (d *flowDrawing) arrange() (width, height int) {
	gap, least := 2, 1
	if d.across {
		gap, least = 1, 3
	}
	reach := d.place(gap)
	d.channels = d.route(d.across)
	d.starts, d.deep = make([]int, len(d.ranks)), make([]int, len(d.ranks))
	at := 0
	for r, rank := range d.ranks {
		d.starts[r] = at
		for _, v := range rank {
			d.deep[r] = max(d.deep[r], d.vertices[v].main)
		}
		for _, v := range rank {
			d.vertices[v].start = at + (d.deep[r]-d.vertices[v].main)/2
		}
		at += d.deep[r]
		if r < len(d.channels) {
			at += max(least, d.lead(r)+d.channels[r].tracks+1)
		}
	}
	if d.across {
		return at, reach
	}
	return reach, at
}

// lead is the room before the first track of channel r.
func (d *flowDrawing) lead(r int) int {
	if d.across || d.channels[r].tails {
		return 1
	}
	return 0
}

func (d *flowDrawing) draw(width, height int) []Line {
	d.canvas = newCanvas(width, height, d.Text)
	for i := range d.vertices {
		d.vertex(&d.vertices[i])
	}
	for r := range d.channels {
		for _, b := range d.channels[r].bundles {
			for _, k := range b.links {
				d.link(r, b, k)
			}
		}
	}
	return d.rendered()
}

// at turns a place on the two axes into one on the canvas.
func (d *flowDrawing) at(cross, main int) (x, y int) {
	if d.across {
		return main, cross
	}
	return cross, main
}

func (d *flowDrawing) run(cross1, main1, cross2, main2 int, s stroke) {
	x1, y1 := d.at(cross1, main1)
	x2, y2 := d.at(cross2, main2)
	d.line(x1, y1, x2, y2, s, d.Dim)
}

func (d *flowDrawing) vertex(v *vertex) {
	if v.passing() {
		end := d.starts[v.rank] + d.deep[v.rank] - 1
		d.run(v.centre, d.starts[v.rank], v.centre, end, v.stroke)
		return
	}
	x, y := d.at(v.first(), v.start)
	w, h := d.at(v.cross, v.main)
	style := d.Emphasis
	if v.node >= 0 {
		d.box(x, y, w, h, d.flow.nodes[v.node].shape, d.Dim)
		style = d.Text
	}
	for i, row := range v.rows {
		text := centred(row, w)
		if v.node >= 0 {
			lead := len(text) - len(strings.TrimLeft(text, " "))
			x, text = x+lead, text[lead:]
			d.write(x, y+(h-len(v.rows))/2+i, text, style)
			x -= lead
			continue
		}
		// The blanks around a label keep the line off it.
		d.write(x, y+i, text+strings.Repeat(" ", max(0, w-cells.Width(text))), style)
	}
}

// link draws one link: out of the first vertex, along its track, into the second.
func (d *flowDrawing) link(r int, b *bundle, k routed) {
	from, to := &d.vertices[k.from], &d.vertices[k.to]
	leaves, arrives := from.start+from.main-1, to.start
	if from.passing() {
		leaves = d.starts[r] + d.deep[r] - 1
	}
	if to.passing() {
		arrives = d.starts[r+1]
	}
	if k.head != ' ' {
		arrives--
	}
	turn := d.starts[r] + d.deep[r] + d.lead(r) + max(0, b.track)
	if b.source == k.target {
		d.run(b.source, leaves, b.source, arrives, k.stroke)
	} else {
		d.run(b.source, leaves, b.source, turn, k.stroke)
		d.run(b.source, turn, k.target, turn, k.stroke)
		d.run(k.target, turn, k.target, arrives, k.stroke)
	}
	d.sign(k.tail, b.source, from.start+from.main, "▲", "◄")
	d.sign(k.head, k.target, arrives, "▼", "►")
}

func (d *flowDrawing) sign(sign byte, cross, main int, along, across string) {
	text := map[byte]string{'>': along, 'o': "o", 'x': "x"}[sign]
	if sign == '>' && d.across {
		text = across
	}
	if text != "" {
		x, y := d.at(cross, main)
		d.write(x, y, text, d.Dim)
	}
}
