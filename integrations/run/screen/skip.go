package screen

import "bytes"

// worthwhile is how much scrolled text must be there for skip to look at it.
const worthwhile = 16 << 10

// skip is how much of p need not be drawn, because it scrolls off again: a
// screen whose whole height scrolls holds nothing of what came before the last
// so many line ends. Only the colours in it count.
//
// Without this, `cat` of a large file would wait for the emulator.
func (s *Screen) skip(p []byte) int {
	if len(p) < worthwhile || s.state.region != s.vt.Bounds() || s.state.newline || s.vt.IsAltScreen() && s.state.mode(modeOrigin) {
		return 0
	}
	zone := p[:scrolling(p)]
	if len(zone) < worthwhile {
		return 0
	}
	height := s.vt.Height()
	end := len(zone)
	for range height + 1 {
		if end = bytes.LastIndexByte(zone[:end], '\n'); end < 0 {
			return 0
		}
	}
	// Only after CR LF is the column known.
	if end == 0 || zone[end-1] != '\r' || bytes.Count(zone[:end+1], []byte("\n")) < height {
		return 0
	}
	skipped := zone[:end+1]
	for at := 0; ; {
		i := bytes.IndexByte(skipped[at:], escape)
		if i < 0 {
			break
		}
		at += i
		n, _, sequence := new(scanner).next(skipped[at:])
		if sequence[len(sequence)-1] == 'm' {
			s.translate(sequence)
		}
		at += n
	}
	// As many line ends as take everything from before off the screen.
	s.write(append(bytes.Repeat([]byte("\n"), height), '\r'))
	s.state.wraps, s.wide = false, false
	return len(skipped)
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
		n, _, sequence := new(scanner).next(p[at+i : end])
		if c, ok := parseCSI(sequence); !ok || !c.within() {
			return at + i
		}
		at += i + n
	}
	return at
}
