package screen

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// Snapshot is a program's screen at one moment.
type Snapshot struct {
	Cells *uv.Buffer
	Alt   bool // it is the alternate screen
	x, y  int
	state state

	region uv.Rectangle
}

// Snapshot is what there is now.
func (s *Screen) Snapshot() *Snapshot {
	s.Settle()
	p := s.vt.CursorPosition()
	sn := &Snapshot{Cells: s.Cells(), Alt: s.vt.IsAltScreen(), x: p.X, y: p.Y, state: s.state.clone(), region: *s.region()}
	return sn
}

// Cells is a copy of all cells.
func (s *Screen) Cells() *uv.Buffer {
	s.Settle()
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

// inputModes are those that change what a terminal sends: cursor keys, the ways
// to report the mouse (a reset of one ends them all, so resets go first), and
// brackets around pastes.
var inputModes = []int{modeKeys, 9, 1000, 1001, 1002, 1003, 1005, 1006, 1015, 1016, 2004}

// Input is what takes the terminal's input from how one program wants it to how
// another does.
func Input(from, to *Snapshot) string {
	var b strings.Builder
	was, is := func(n int) bool { return from != nil && from.state.mode(n) }, func(n int) bool { return to != nil && to.state.mode(n) }
	reset := false
	for _, n := range inputModes {
		if was(n) && !is(n) {
			fmt.Fprintf(&b, "\x1b[?%dl", n)
			reset = reset || mouse(n)
		}
	}
	for _, n := range inputModes {
		if is(n) && (!was(n) || reset && mouse(n)) {
			fmt.Fprintf(&b, "\x1b[?%dh", n)
		}
	}
	if a, z := from != nil && from.state.keypad, to != nil && to.state.keypad; a != z {
		b.WriteString(map[bool]string{true: "\x1b=", false: "\x1b>"}[z])
	}
	return b.String()
}

func mouse(n int) bool { return n == 9 || n >= 1000 && n <= 1016 }

// Neutral is what makes the terminal draw and send as one does that nobody has
// changed, except for the input modes. Colours and cursor shape stay: nothing
// of ours depends on them.
func (sn *Snapshot) Neutral() string {
	var b strings.Builder
	st := &sn.state
	if st.link != "" {
		b.WriteString("\x1b]8;;\x1b\\")
	}
	b.WriteString(ansi.ResetStyle)
	if charset := st.charsets[0]; charset != "" && charset != "B" {
		b.WriteString("\x1b(B")
	}
	if st.shifted {
		b.WriteByte(shiftIn)
	}
	if st.insert {
		b.WriteString("\x1b[4l")
	}
	for _, n := range []int{modeOrigin, modeSides} {
		if st.mode(n) {
			fmt.Fprintf(&b, "\x1b[?%dl", n)
		}
	}
	if sn.scrolls() {
		b.WriteString("\x1b[r")
	}
	b.WriteString("\x1b[?7;25l")
	if st.keyboards > 0 { // each of the two screens may have a stack of its own
		b.WriteString("\x1b[>0u")
	}
	if st.otherKeys > 0 {
		b.WriteString("\x1b[>4;0m")
	}
	return b.String()
}

// margins reports whether anything less than the whole screen scrolls.
func (sn *Snapshot) margins() bool { return sn.scrolls() || sn.state.mode(modeSides) }

// scrolls reports whether only a part of the rows does.
func (sn *Snapshot) scrolls() bool {
	return sn.region.Min.Y != 0 || sn.region.Max.Y != sn.Cells.Height()
}

// Modes takes back what Neutral did, except for what moves with the cursor.
func (sn *Snapshot) Modes() string {
	var b strings.Builder
	st := &sn.state
	if st.otherKeys > 0 {
		fmt.Fprintf(&b, "\x1b[>4;%dm", st.otherKeys)
	}
	if st.keyboards > 0 {
		b.WriteString("\x1b[<u")
	}
	if st.insert {
		b.WriteString("\x1b[4h")
	}
	if st.mode(modeWrap) {
		b.WriteString("\x1b[?7h")
	}
	if st.mode(modeShown) {
		b.WriteString("\x1b[?25h")
	}
	return b.String()
}

// Drawing is the rest of it: where the cursor is, and with what it draws. It
// comes last. In place leaves the cursor where the
// terminal has put it back itself, if it can: setting margins moves it, and tmux
// does not keep that it wraps.
func (sn *Snapshot) Drawing(inPlace bool) string {
	var b strings.Builder
	st := &sn.state
	if inPlace && !sn.margins() && !st.wraps { // with its origin, which moving it would change
		b.WriteString(ansi.ResetStyle + st.pen.String())
	} else {
		if sn.scrolls() {
			fmt.Fprintf(&b, "\x1b[%d;%dr", sn.region.Min.Y+1, sn.region.Max.Y)
		}
		if st.mode(modeSides) {
			fmt.Fprintf(&b, "\x1b[?69h\x1b[%d;%ds", sn.region.Min.X+1, sn.region.Max.X)
		}
		b.WriteString(sn.Origin())
		sn.cursorTo(&b, cursor{sn.x, sn.y, st.pen, st.wraps}, st.mode(modeOrigin))
	}
	sn.charset(&b)
	if st.link != "" {
		b.WriteString("\x1b]8;" + st.link + "\x1b\\")
	}
	return b.String()
}

// Origin sets the cursor's origin, which takes it there.
func (sn *Snapshot) Origin() string {
	if sn.state.mode(modeOrigin) {
		return "\x1b[?6h"
	}
	return ""
}

// charset chooses the character sets that were in use; Neutral has left those
// that are never in use alone.
func (sn *Snapshot) charset(b *strings.Builder) {
	if charset := sn.state.charsets[0]; charset != "" && charset != "B" {
		b.WriteString("\x1b(" + charset)
	}
	if sn.state.shifted {
		b.WriteByte(shiftOut)
	}
}

// Saved saves the cursor again that the program had saved with DECSC on its
// main screen, after something else was saved there. A Drawing that is not in place has to
// follow.
func (sn *Snapshot) Saved() string {
	c := sn.state.saved[0]
	if sn.Alt || c == nil {
		return ""
	}
	var b strings.Builder
	if sn.state.mode(modeOrigin) { // it may be where the margins do not let one go
		b.WriteString("\x1b[?6l")
	}
	sn.cursorTo(&b, *c, false)
	b.WriteString("\x1b7")
	return b.String()
}

// cursorTo puts the cursor somewhere, with its pen. A cursor that wraps with the
// next sign is one that has just drawn in the last column.
func (sn *Snapshot) cursorTo(b *strings.Builder, c cursor, origin bool) {
	x, y := c.x, c.y
	cell := sn.Cells.CellAt(x, y)
	if c.wraps && cell != nil && cell.Width == 0 && x > 0 {
		x--
		cell = sn.Cells.CellAt(x, y)
	}
	if origin {
		y -= sn.region.Min.Y
		if sn.state.mode(modeSides) {
			x -= sn.region.Min.X
		}
	}
	b.WriteString(ansi.CursorPosition(max(x, 0)+1, max(y, 0)+1))
	if c.wraps && cell != nil {
		b.WriteString(ansi.ResetStyle + cell.Style.String() + cmp.Or(cell.Content, " "))
	}
	b.WriteString(ansi.ResetStyle + c.pen.String())
}

// Quiet reports whether the program has asked the terminal to draw nothing for
// now (synchronized output).
func (sn *Snapshot) Quiet() bool { return sn.state.mode(modeSync) }

// Resize cuts or extends the cells, as a terminal does with what it shows.
func (sn *Snapshot) Resize(width, height int) {
	if sn.y >= height { // what is at the cursor stays
		sn.Cells.Lines = slices.Delete(sn.Cells.Lines, 0, min(sn.y-height+1, len(sn.Cells.Lines)))
		sn.y = height - 1
	}
	sn.Cells.Resize(width, height)
	sn.x = min(sn.x, width-1)
	sn.region, sn.state.wraps = sn.Cells.Bounds(), false
}

// Leave is what takes the terminal back to what a shell expects, from whatever
// the program has left it in.
func (s *Screen) Leave() string {
	s.Settle()
	sn := s.Snapshot()
	var b strings.Builder
	b.WriteString(Input(sn, nil) + sn.Neutral())
	for _, n := range []int{1004, modeSync, 2031, modeResize, modeAlt} {
		if sn.state.mode(n) {
			fmt.Fprintf(&b, "\x1b[?%dl", n)
		}
	}
	if sn.state.keyboards > 0 {
		fmt.Fprintf(&b, "\x1b[<%du", sn.state.keyboards+1)
	}
	b.WriteString("\x1b[?7;25h")
	return b.String()
}

// Since is what else has changed since an earlier snapshot: the other modes, and
// the title.
func (sn *Snapshot) Since(before *Snapshot) string {
	var b strings.Builder
	for _, n := range slices.Sorted(maps.Keys(sn.state.modes)) {
		ours := slices.Contains(inputModes, n) || slices.Contains([]int{modeOrigin, modeWrap, modeShown, modeSides, modeAlt, modeSync}, n)
		if on := sn.state.mode(n); !ours && on != before.state.mode(n) {
			fmt.Fprintf(&b, "\x1b[?%d%s", n, map[bool]string{true: "h", false: "l"}[on])
		}
	}
	if sn.state.titled && sn.state.title != before.state.title {
		b.WriteString("\x1b]2;" + sn.state.title + "\x1b\\")
	}
	return b.String()
}

// Describe is everything but the cells, to be compared with another: two that
// are alike take what is written next alike.
func (sn *Snapshot) Describe() map[string]any {
	st := sn.state
	d := map[string]any{
		"cursor": [2]int{sn.x, sn.y}, "alternate": sn.Alt, "pen": st.pen.String(), "link": st.link, "insert": st.insert, "newline": st.newline,
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
