package screen

import (
	"bytes"
	"iter"

	uv "github.com/charmbracelet/ultraviolet"
)

// worthwhile is how much scrolled text must be there for skip to look at it.
const worthwhile = 16 << 10

// skip is how much of p need not be drawn, because it scrolls off again: a
// screen whose whole height scrolls holds nothing of what came before the last
// so many line ends. Only the colours in it count.
//
// Without this, `cat` of a large file would wait for the emulator.
func (s *Screen) skip(p []byte) int {
	if len(p) < worthwhile || !s.scrollsWhole() {
		return 0
	}
	zone, height := p[:scrolling(p)], s.vt.Height()
	if len(zone) < worthwhile {
		return 0
	}
	skipped := zone[:before(zone, height)]
	if bytes.Count(skipped, []byte("\n")) < height {
		return 0
	}
	if bytes.IndexByte(skipped, escape) >= 0 { // looking from the end is slow where there is none
		for sequence := range colours(skipped) {
			s.translate(sequence)
		}
	}
	// A whole screen of line ends follows, which takes away what is there now.
	s.moveTo(uv.Pos(0, height-1))
	s.state.wraps, s.wide = false, false
	return len(skipped)
}

// scrollsWhole reports whether a line end at the bottom scrolls the whole screen, and
// takes the cursor to the first column only after a CR.
func (s *Screen) scrollsWhole() bool {
	return *s.region() == s.vt.Bounds() && !s.state.newline && !s.state.mode(modeOrigin)
}

// before is how much of p, which scrolls, comes before its last rows lines: up to a
// CR LF, since only after one the column is known; 0 where there is none.
func before(p []byte, rows int) int {
	end := len(p)
	for range rows + 1 {
		if end = bytes.LastIndexByte(p[:end], '\n'); end < 0 {
			return 0
		}
	}
	if end == 0 || p[end-1] != '\r' {
		return 0
	}
	return end + 1
}

// Trim takes lines out of held output that has become too long: those that
// scroll off again, but for the last so many rows. What is on the screen in the
// end is the same. The output must be all that was held, up to now.
func (s *Screen) Trim(p []byte, rows int) []byte {
	s.Settle()
	rows = max(rows, s.vt.Height()+1)
	zone := 0
	for {
		n := scrolling(p[zone:])
		if zone += n; zone == len(p) {
			zone -= n
			break
		}
		n, _, _ = new(scanner).next(p[zone:])
		zone += n
	}
	cut := before(p[zone:], rows)
	if cut == 0 || !s.scrollsWhole() {
		return p
	}
	kept := bytes.Clone(p[:zone])
	for sequence := range colours(p[zone : zone+cut]) {
		kept = append(kept, sequence...)
	}
	return append(append(kept, "\r\n"...), p[zone+cut:]...)
}

// colours are the sequences in p, which scrolling has looked at, that say how to
// draw what comes next: those after the last that takes all back.
func colours(p []byte) iter.Seq[[]byte] {
	from := 0
	for at := bytes.LastIndexByte(p, escape); at > 0; at = bytes.LastIndexByte(p[:at], escape) {
		if s := p[at:]; bytes.HasPrefix(s, []byte("\x1b[m")) || bytes.HasPrefix(s, []byte("\x1b[0m")) {
			from = at
			break
		}
	}
	return func(yield func([]byte) bool) {
		for at := from; ; {
			i := bytes.IndexByte(p[at:], escape)
			if i < 0 {
				return
			}
			at += i
			n := keepsToRow(p[at:])
			if sequence := p[at : at+n]; n > 0 && sequence[n-1] == 'm' && !yield(sequence) {
				return
			}
			at += max(n, 1)
		}
	}
}

// scrolling is how far p is text and sequences that keep to their row.
func scrolling(p []byte) int {
	end := len(p)
	for _, b := range [...]byte{shiftOut, shiftIn} {
		if i := bytes.IndexByte(p[:end], b); i >= 0 {
			end = i
		}
	}
	at := 0
	for at < end {
		i := bytes.IndexByte(p[at:end], escape)
		if i < 0 {
			return end
		}
		n := keepsToRow(p[at+i : end])
		if n == 0 {
			return at + i
		}
		at += i + n
	}
	return at
}

// keepsToRow is the length of the sequence that p begins with if it changes
// nothing beyond the cursor's own row and the pen, and else 0.
func keepsToRow(p []byte) int {
	if len(p) < 3 || p[1] != '[' {
		return 0
	}
	for i, b := range p[2:] {
		switch keeps[b] {
		case parameter:
		case final:
			return i + 3
		default:
			return 0
		}
	}
	return 0
}

const (
	parameter = 1 + iota
	final
)

// keeps says what a byte is of such a sequence; a table, since looking at colours
// is what passing them on costs most.
var keeps = func() (t [256]byte) {
	for b := '0'; b <= ';'; b++ {
		t[b] = parameter
	}
	for _, b := range "mKGCDXP@`a" {
		t[b] = final
	}
	return t
}()
