package screen

import (
	"bytes"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
)

// skip passes over output that scrolls off again: where the whole height scrolls, a screen of
// line ends takes away what came before, of which only the colours stay. Drawn is a megabyte
// a second, and `cat` of a large file would wait for that.
func (s *Screen) skip() {
	height, end := s.vt.Height(), 0
	if *s.state.region() != (region{0, height}) || s.state.is(modeSides) {
		return
	}
	for end < len(s.waiting) {
		n, whole := Next(s.waiting[end:])
		if piece := s.waiting[end : end+n]; !whole || !isText(piece) && !keepsToRow(piece) {
			break
		}
		end += n
	}
	for range height + 1 { // up to a CR LF, after which the column is known
		end = bytes.LastIndex(s.waiting[:max(end, 0)], []byte("\r\n"))
	}
	if bytes.Count(s.waiting[:max(end, 0)], []byte("\r\n")) < height {
		return
	}
	skipped := s.waiting[:end+len("\r\n")]
	from := max(bytes.LastIndex(skipped, []byte("\x1b[m")), bytes.LastIndex(skipped, []byte("\x1b[0m")), 0)
	s.drop(from)
	s.draw(len(skipped)-from, false)
	s.moveTo(uv.Pos(0, height-1))
	s.state.wraps = false
}

// keepsToRow reports whether a sequence, which may have ended too early, moves the cursor to no
// other row, and leaves nothing but cells and the pen behind.
func keepsToRow(sequence []byte) bool {
	last := len(sequence) - 1
	return last > 1 && sequence[1] == '[' && strings.IndexByte("<=>?", sequence[2]) < 0 && strings.IndexByte("mKGCDXP@`a", sequence[last]) >= 0
}
