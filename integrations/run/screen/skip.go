package screen

import (
	"bytes"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
)

// skip is how much of p need not be drawn, because it scrolls off again: a
// screen whose whole height scrolls holds nothing of what came before the last
// so many line ends. Only the colours in it count.
//
// Without this, `cat` of a large file would wait for the emulator.
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

// colours takes the pen as p, which scrolling has looked at, leaves it: by what comes
// after the last sequence that takes all back.
func (s *Screen) colours(p []byte) {
	if bytes.IndexByte(p, escape) < 0 { // looking from the end is slow where there is none
		return
	}
	from := 0
	for at := bytes.LastIndexByte(p, escape); at > from; at = bytes.LastIndexByte(p[:at], escape) {
		if bytes.HasPrefix(p[at:], []byte("\x1b[m")) || bytes.HasPrefix(p[at:], []byte("\x1b[0m")) {
			from = at
		}
	}
	for from < len(p) {
		n, _ := Next(p[from:])
		if sequence := p[from : from+n]; !isText(sequence) && sequence[n-1] == 'm' {
			s.translate(sequence)
		}
		from += n
	}
}

// scrollsWhole reports whether a line end at the bottom scrolls the whole screen.
func (s *Screen) scrollsWhole() bool {
	return *s.region() == region{0, s.vt.Height()} && !s.state.mode(modeOrigin) && !s.state.mode(modeSides)
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

// scrolling is how far p is text and sequences that keep to their row.
func scrolling(p []byte) int {
	at, end := 0, len(p)
	for _, b := range [...]byte{shiftOut, shiftIn} {
		if i := bytes.IndexByte(p[:end], b); i >= 0 {
			end = i
		}
	}
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
		if b >= '0' && b <= ';' {
			continue
		}
		if strings.IndexByte("mKGCDXP@`a", b) < 0 {
			return 0
		}
		return i + 3
	}
	return 0
}
