package screen

import (
	"bytes"
	"unicode/utf8"
)

// The bytes that begin something else than text, or end it.
const (
	escape   = 0x1b
	shiftOut = 0x0e
	shiftIn  = 0x0f
	bell     = 0x07
	cancel   = 0x18
	subst    = 0x1a
)

// longest bounds the wait for a sequence's end. Pictures are long.
const longest = 4 << 20

// Next returns how long the first piece of p is: text, or one control sequence. It is not
// whole where more of the sequence, or of a sign, has to come.
func Next(p []byte) (n int, whole bool) {
	switch {
	case p[0] == shiftOut || p[0] == shiftIn:
		return 1, true
	case p[0] != escape:
		return text(p)
	case len(p) == 1:
		return 1, false
	}
	switch p[1] {
	case '[':
		return upTo(p, 2, 0x40)
	case ']', 'P', 'X', '^', '_':
		return upToST(p)
	}
	return upTo(p, 1, 0x30)
}

// text measures the text that p begins with, up to where it ends in the middle of a sign.
func text(p []byte) (n int, whole bool) {
	end := len(p)
	for _, b := range [...]byte{escape, shiftOut, shiftIn} {
		if i := bytes.IndexByte(p[:end], b); i >= 0 {
			end = i
		}
	}
	if end < len(p) {
		return end, true
	}
	for n := 1; n < utf8.UTFMax && n <= len(p); n++ {
		if last := p[len(p)-n:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				return max(len(p)-n, 1), len(p) > n
			}
			break
		}
	}
	return len(p), true
}

// upTo measures a sequence that ends with its first byte of at least final. Another ESC
// breaks it off.
func upTo(p []byte, from int, final byte) (n int, whole bool) {
	for i, b := range p[from:] {
		switch {
		case b == escape:
			return from + i, true
		case b >= final || b == cancel || b == subst:
			return from + i + 1, true
		}
	}
	return len(p), len(p) > longest
}

// upToST measures a string: OSC, DCS, APC, PM or SOS.
func upToST(p []byte) (n int, whole bool) {
	for i, b := range p {
		if b == cancel || b == subst || b == bell && p[1] == ']' || i > 2 && b == '\\' && p[i-1] == escape {
			return i + 1, true
		}
	}
	return len(p), len(p) > longest
}

func isText(piece []byte) bool {
	return piece[0] != escape && piece[0] != shiftOut && piece[0] != shiftIn
}
