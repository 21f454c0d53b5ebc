package screen

import (
	"bytes"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
)

// skip returns how much of p need not be drawn, because it scrolls off again: a screen whose
// whole height scrolls holds nothing of what came before the last so many line ends. Only
// the colours in it count. Without this, `cat` of a large file would wait for the emulator.
func (s *Screen) skip(p []byte) int {
	if !s.scrollsWhole() {
		return 0
	}
	height := s.vt.Height()
	skipped := p[:before(p[:scrolling(p)], height)]
	if bytes.Count(skipped, []byte("\n")) < height {
		return 0
	}
	s.colours(skipped)
	// A whole screen of line ends follows, which takes away what is there now.
	s.moveTo(uv.Pos(0, height-1))
	s.state.wraps = false
	return len(skipped)
}

// colours leaves the pen as p does, which scrolling has measured: by what comes after the
// last sequence that resets it.
func (s *Screen) colours(p []byte) {
	if bytes.IndexByte(p, escape) < 0 { // looking from the end is slow where there is none
		return
	}
	from := bytes.LastIndexByte(p, escape)
	for from > 0 && !bytes.HasPrefix(p[from:], []byte("\x1b[m")) && !bytes.HasPrefix(p[from:], []byte("\x1b[0m")) {
		from = bytes.LastIndexByte(p[:from], escape)
	}
	for from = max(from, 0); from < len(p); {
		n, _ := Next(p[from:])
		if sequence := p[from : from+n]; !isText(sequence) && sequence[n-1] == 'm' {
			s.translate(sequence)
		}
		from += n
	}
}

// scrollsWhole reports whether a line end at the bottom scrolls the whole screen.
func (s *Screen) scrollsWhole() bool {
	return *s.state.region() == region{0, s.vt.Height()} && !s.state.is(modeOrigin) && !s.state.is(modeSides)
}

// before returns how much of p, which scrolls, comes before its last rows lines: up to a CR
// LF, since only after one the column is known; 0 where there is none.
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

// scrolling returns how far p is text and sequences that keep to their row.
func scrolling(p []byte) int {
	at := 0
	for at < len(p) {
		n, whole := Next(p[at:])
		if piece := p[at : at+n]; !whole || !isText(piece) && !keepsToRow(piece) {
			break
		}
		at += n
	}
	return at
}

// keepsToRow reports whether a sequence changes nothing beyond the cursor's own row
// and the pen.
func keepsToRow(sequence []byte) bool {
	last := len(sequence) - 1
	if last < 2 || sequence[1] != '[' {
		return false
	}
	for _, b := range sequence[2:last] {
		if b < '0' || b > ';' {
			return false
		}
	}
	return strings.IndexByte("mKGCDXP@`a", sequence[last]) >= 0
}
