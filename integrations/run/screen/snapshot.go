package screen

import (
	"maps"
	"slices"

	uv "github.com/charmbracelet/ultraviolet"
	uvscreen "github.com/charmbracelet/ultraviolet/screen"
)

// Snapshot keeps a program's screen as it was at one moment.
type Snapshot struct {
	Cells *uv.Buffer

	x, y int
	state
}

func (s *Screen) Snapshot() *Snapshot {
	s.Flush()
	p, st := s.vt.CursorPosition(), s.state
	st.modes = maps.Clone(st.modes)
	return &Snapshot{Cells: uvscreen.Clone(s.vt), x: p.X, y: p.Y, state: st}
}

// scrolls reports whether only a part of the rows scrolls.
func (sn *Snapshot) scrolls() bool {
	return *sn.region() != region{0, sn.Cells.Height()}
}

// Quiet reports whether the program has asked the terminal to draw nothing for now
// (synchronized output).
func (sn *Snapshot) Quiet() bool { return sn.is(modeSync) }

// Resize cuts or extends the cells, as a terminal does with what it shows.
func (sn *Snapshot) Resize(width, height int) {
	if sn.y >= height { // what is at the cursor stays
		sn.Cells.Lines = slices.Delete(sn.Cells.Lines, 0, min(sn.y-height+1, len(sn.Cells.Lines)))
		sn.y = height - 1
	}
	sn.Cells.Resize(width, height)
	sn.x = min(sn.x, width-1)
	*sn.region(), sn.wraps = region{0, height}, false
}
