package screen

import (
	"strconv"
	"strings"
)

// csi is a control sequence in its parts: CSI ? 1 ; 2 $ p is '?', [1 2], "$", 'p'.
type csi struct {
	prefix byte // one of < = > ?, or 0
	params []int
	inter  string
	final  byte
	text   string // the parameters as they were written
}

// parseCSI takes a whole sequence apart. A parameter that is not written is -1;
// subparameters after a colon are left to the text.
func parseCSI(sequence []byte) (c csi, ok bool) {
	if len(sequence) < 3 || sequence[1] != '[' {
		return c, false
	}
	body := sequence[2:]
	c.final = body[len(body)-1]
	if c.final < 0x40 { // cancelled
		return c, false
	}
	body = body[:len(body)-1]
	if len(body) > 0 && body[0] >= '<' && body[0] <= '?' {
		c.prefix = body[0]
		body = body[1:]
	}
	end := len(body)
	for end > 0 && body[end-1] >= 0x20 && body[end-1] <= 0x2f {
		end--
	}
	c.inter, c.text = string(body[end:]), string(body[:end])
	for _, word := range strings.Split(c.text, ";") {
		word, _, _ = strings.Cut(word, ":")
		n, err := strconv.Atoi(word)
		if err != nil || n < 0 {
			n = -1
		}
		c.params = append(c.params, n)
	}
	return c, true
}

// param is the i-th parameter, or otherwise where it is not written.
func (c csi) param(i, otherwise int) int {
	if i < len(c.params) && c.params[i] >= 0 {
		return c.params[i]
	}
	return otherwise
}

// asks reports whether a terminal answers the sequence.
func asks(sequence []byte) bool {
	if len(sequence) < 2 {
		return false
	}
	switch sequence[1] {
	case 'Z': // DECID
		return true
	case '[':
		c, ok := parseCSI(sequence)
		if !ok {
			return false
		}
		switch c.final {
		case 'c':
			return c.prefix != '?' && c.inter == ""
		case 'n':
			return c.prefix == 0 || c.prefix == '?'
		case 'p':
			return c.inter == "$"
		case 'q':
			return c.prefix == '>'
		case 'u':
			return c.prefix == '?'
		case 'm':
			return c.prefix == '?'
		case 't':
			n := c.param(0, 0)
			return n >= 11 && n <= 21
		case 'x':
			return c.inter == ""
		case 'y':
			return c.inter == "*"
		}
	case ']':
		return strings.Contains(string(sequence), ";?")
	case 'P': // DECRQSS and XTGETTCAP
		return len(sequence) > 3 && sequence[3] == 'q' && (sequence[2] == '$' || sequence[2] == '+')
	case '_': // kitty's graphics answer unless told to be quiet
		return len(sequence) > 2 && sequence[2] == 'G' && strings.Contains(string(sequence), "a=q")
	}
	return false
}
