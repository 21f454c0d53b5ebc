package screen

import (
	"bytes"
	"unicode/utf8"
)

// The bytes that begin something else than text.
const (
	escape   = 0x1b
	shiftOut = 0x0e
	shiftIn  = 0x0f
	bell     = 0x07
	cancel   = 0x18
	subst    = 0x1a
)

// What a scanner is in the middle of.
const (
	inText = iota
	afterEscape
	inEscape  // ESC and intermediate bytes
	inCSI     // CSI up to its final byte
	inString  // OSC, DCS, APC, PM, SOS: end with ST
	maybeST   // an ESC within one of these
	inShifted // SO or SI, one byte
)

// longest is how much of a sequence is kept. Pictures are long; one that is
// longer than this, and is drawn while something is over the screen, is lost.
const longest = 16 << 20

// scanner cuts a program's output into text and control sequences, in whatever
// pieces it comes.
type scanner struct {
	within  int
	osc     bool   // the string ends with BEL, too
	partial []byte // of the sequence or of the sign that has not ended yet
}

// ground reports whether no sequence and no sign is cut in two.
func (s *scanner) ground() bool { return s.within == inText && len(s.partial) == 0 }

// next takes the first piece of p: n bytes of it. Of text it returns all of it,
// of a sequence the whole when it has ended; neither where more has to come.
func (s *scanner) next(p []byte) (n int, text, sequence []byte) {
	if s.within != inText {
		return s.sequence(p)
	}
	if len(s.partial) > 0 { // a sign that was cut
		for n < len(p) && !utf8.FullRune(s.partial) && p[n]&0xc0 == 0x80 {
			s.partial = append(s.partial, p[n])
			n++
		}
		if n == len(p) && !utf8.FullRune(s.partial) {
			return n, nil, nil
		}
		text, s.partial = s.partial, nil
		return n, text, nil
	}
	end := special(p)
	if end == 0 {
		s.within = afterEscape
		if p[0] != escape {
			s.within = inShifted
		}
		return s.sequence(p)
	}
	text = p[:end]
	if end == len(p) {
		text = text[:len(text)-cut(text)]
		s.partial = append([]byte(nil), p[len(text):]...)
	}
	return end, text, nil
}

// special is where the first byte is that is not text.
func special(p []byte) int {
	end := len(p)
	for _, b := range [...]byte{escape, shiftOut, shiftIn} {
		if i := bytes.IndexByte(p[:end], b); i >= 0 {
			end = i
		}
	}
	return end
}

// cut is how many bytes at the end of text are the beginning of a sign.
func cut(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if b := text[len(text)-n]; utf8.RuneStart(b) {
			if b >= 0xc0 && !utf8.FullRune(text[len(text)-n:]) {
				return n
			}
			return 0
		}
	}
	return 0
}

func (s *scanner) sequence(p []byte) (n int, text, sequence []byte) {
	for i, b := range p {
		if b == escape && len(s.partial) > 0 && (s.within == afterEscape || s.within == inEscape || s.within == inCSI) {
			// It ends what was begun, without effect, and begins another.
			sequence, s.partial, s.within = s.partial, nil, inText
			return i, nil, sequence
		}
		if len(s.partial) < longest {
			s.partial = append(s.partial, b)
		}
		if s.ends(b) {
			sequence, s.partial, s.within = s.partial, nil, inText
			return i + 1, nil, sequence
		}
	}
	return len(p), nil, nil
}

// ends takes one more byte and reports whether it was the last.
func (s *scanner) ends(b byte) bool {
	if s.within == inShifted || b == cancel || b == subst {
		return true
	}
	switch s.within {
	case afterEscape:
		return s.begins(b)
	case inEscape:
		return b >= 0x30
	case inCSI:
		return b >= 0x40 && b <= 0x7e
	case inString:
		if b == escape {
			s.within = maybeST
		}
		return b == bell && s.osc
	case maybeST:
		if b != escape {
			s.within = inString
		}
		return b == '\\'
	}
	return false
}

// begins takes the byte after ESC, which says what begins there, and reports whether
// that is all of it.
func (s *scanner) begins(b byte) bool {
	switch b {
	case escape: // the first byte of all
	case '[':
		s.within = inCSI
	case ']', 'P', 'X', '^', '_':
		s.within, s.osc = inString, b == ']'
	default:
		s.within = inEscape
		return b < 0x20 || b > 0x2f
	}
	return false
}
