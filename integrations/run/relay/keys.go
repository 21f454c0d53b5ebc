package relay

import (
	"bytes"
	"fmt"

	"github.com/askpane/askpane/integrations/run/screen"
)

// longestKey bounds a key, mouse report or answer; none is so long.
const longestKey = 16 << 10

// keys sorts what the terminal sends while the box has the keys: what is typed
// and clicked is the popup's, with the mouse as the popup counts its cells. What
// a terminal says by itself or answers is the command's, which had asked before. half
// is the beginning of something of which the rest has to come.
func (b *box) keys(p []byte) (popup, command, half []byte) {
	for len(p) > 0 {
		n, whole := sequence(p)
		if !whole {
			return popup, command, p
		}
		switch one := p[:n]; {
		case reply(one):
			command = append(command, one...)
		case bytes.HasPrefix(one, []byte("\x1b[<")):
			popup = append(popup, b.mouse(one)...)
		default:
			popup = append(popup, one...)
		}
		p = p[n:]
	}
	return popup, command, nil
}

// sequence returns how long the first key of p is, and whether all of it is there. An Esc at
// the end is the key of that name.
func sequence(p []byte) (n int, whole bool) {
	switch {
	case p[0] == '\x1b' && len(p) < 3:
		return len(p), true // Esc, or Alt and a key
	case p[0] == '\x1b' && p[1] == 'O':
		return 3, true
	case p[0] == '\x1b' && p[1] != '[' && p[1] != ']' && p[1] != 'P' && p[1] != '_':
		return 1, true
	}
	n, whole = screen.Next(p)
	return n, whole || n > longestKey
}

// reply reports whether a terminal sends this as an answer, or by itself.
func reply(one []byte) bool {
	if len(one) < 3 || one[0] != '\x1b' {
		return false
	}
	if one[1] != '[' {
		return one[1] == ']' || one[1] == 'P' || one[1] == '_'
	}
	private := one[2] == '?' || one[2] == '>' || one[2] == '='
	switch one[len(one)-1] {
	case 'c', 'n', 'y', 't':
		return true
	case 'R': // with one parameter below 2 it is F3
		return private || len(one) > 4 && !bytes.HasPrefix(one, []byte("\x1b[1;"))
	case 'u':
		return private
	case 'I', 'O': // the focus
		return len(one) == 3
	}
	return false
}

// byPerson reports whether the person has done something: typed, clicked, or come to
// the terminal. What a terminal answers does not count.
func byPerson(p []byte) bool {
	for len(p) > 0 {
		n, whole := sequence(p)
		if one := p[:n]; whole && (!reply(one) || string(one) == "\x1b[I") {
			return true
		}
		p = p[n:]
	}
	return false
}

// mouse translates a mouse report into the popup's own cells; nil where the box is not under
// it.
func (b *box) mouse(one []byte) []byte {
	var button, x, y int
	var last byte
	if n, _ := fmt.Sscanf(string(one), "\x1b[<%d;%d;%d%c", &button, &x, &y, &last); n != 4 {
		return nil
	}
	area := b.area.Load()
	x, y = x-area.Min.X, y-area.Min.Y
	width, height := area.Dx(), area.Dy()
	inside := x >= 1 && y >= 1 && x <= width && y <= height
	if !inside && last == 'M' && button&32 == 0 {
		return nil
	}
	return fmt.Appendf(nil, "\x1b[<%d;%d;%d%c", button, min(max(x, 1), width), min(max(y, 1), height), last)
}
