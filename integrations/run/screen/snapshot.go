package screen

import (
	"fmt"
	"slices"

	uv "github.com/charmbracelet/ultraviolet"
)

// Snapshot is a program's screen at one moment.
type Snapshot struct {
	Cells *uv.Buffer
	Alt   bool // it is the alternate screen

	x, y   int
	state  state
	region region // that scrolls
}

// Snapshot is what there is now.
func (s *Screen) Snapshot() *Snapshot {
	s.Settle()
	p := s.vt.CursorPosition()
	return &Snapshot{Cells: s.cells(), Alt: s.vt.IsAltScreen(), x: p.X, y: p.Y, state: s.state.clone(), region: *s.region()}
}

// cells is a copy of all cells.
func (s *Screen) cells() *uv.Buffer {
	width, height := s.Size()
	b := uv.NewBuffer(width, height)
	for y := range height {
		for x := range width {
			if c := s.vt.CellAt(x, y); c != nil {
				b.Lines[y][x] = *c
			}
		}
	}
	return b
}

// scrolls reports whether only a part of the rows does.
func (sn *Snapshot) scrolls() bool {
	return sn.region != region{0, sn.Cells.Height()}
}

// quiet reports whether the program has asked the terminal to draw nothing for now
// (synchronized output).
func (sn *Snapshot) quiet() bool { return sn.state.mode(modeSync) }

// Resize cuts or extends the cells, as a terminal does with what it shows.
func (sn *Snapshot) Resize(width, height int) {
	if sn.y >= height { // what is at the cursor stays
		sn.Cells.Lines = slices.Delete(sn.Cells.Lines, 0, min(sn.y-height+1, len(sn.Cells.Lines)))
		sn.y = height - 1
	}
	sn.Cells.Resize(width, height)
	sn.x = min(sn.x, width-1)
	sn.region, sn.state.wraps = region{0, height}, false
}

// Describe is everything but the cells, to be compared with another: two that
// are alike take what is written next alike.
func (sn *Snapshot) Describe() map[string]any {
	st := sn.state
	d := map[string]any{
		"cursor": [2]int{sn.x, sn.y}, "alternate": sn.Alt, "pen": st.pen.String(), "link": st.link, "insert": st.insert,
		"keypad": st.keypad, "shifted": st.shifted, "region": sn.region, "wraps": st.wraps, "keyboards": st.keyboards,
		"otherKeys": st.otherKeys, "title": st.title,
	}
	for n := range st.modes {
		if on := st.mode(n); on != (n == modeWrap || n == modeShown) {
			d[fmt.Sprint("mode ", n)] = on
		}
	}
	for i, charset := range st.charsets {
		if charset != "" && charset != "B" {
			d[fmt.Sprint("charset ", i)] = charset
		}
	}
	if c := st.saved[0]; c != nil && !sn.Alt {
		d["saved"] = [2]int{c.x, c.y}
	}
	return d
}
