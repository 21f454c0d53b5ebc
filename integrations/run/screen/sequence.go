package screen

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// csi is a control sequence in its parts: CSI ? 1 ; 2 $ p has the shape ?$p and the
// parameters 1 and 2.
type csi struct {
	shape  string
	params []int
	text   string // the parameters as they were written
}

// parseCSI takes a whole sequence apart. A parameter that is not written is -1;
// subparameters after a colon are left to the text.
func parseCSI(sequence []byte) (c csi, ok bool) {
	body, ok := bytes.CutPrefix(sequence, []byte("\x1b["))
	if !ok || len(body) == 0 || body[len(body)-1] < 0x40 { // none, or cancelled
		return c, false
	}
	prefix := 0
	if body[0] >= '<' && body[0] <= '?' {
		prefix = 1
	}
	end := len(body) - 1
	for end > prefix && body[end-1] >= 0x20 && body[end-1] <= 0x2f {
		end--
	}
	c.shape, c.text = string(body[:prefix])+string(body[end:]), string(body[prefix:end])
	for word := range strings.SplitSeq(c.text, ";") {
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

// answers are the control sequences that a terminal answers, and what of it can be
// known here: what it is, that it works, where the cursor is and how large it is.
// Those with nil, about colours and keyboards, have no answer.
var answers = map[string]func(*Screen, csi) string{
	"c":   func(*Screen, csi) string { return whatItIs },
	">c":  func(*Screen, csi) string { return "\x1b[>1;10;0c" },
	"n":   (*Screen).status,
	"?n":  (*Screen).status,
	"?$p": (*Screen).modeReport,
	"t":   (*Screen).sizeReport,
	"=c":  nil, "$p": nil, ">q": nil, "?u": nil, "?m": nil, "x": nil, "*y": nil,
}

const whatItIs = "\x1b[?62;22c"

func (s *Screen) status(c csi) string {
	at := s.vt.CursorPosition()
	switch private := strings.TrimSuffix(c.shape, "n"); c.param(0, 0) {
	case 5:
		return "\x1b[0n"
	case 6:
		return fmt.Sprintf("\x1b[%s%d;%dR", private, at.Y+1, at.X+1)
	}
	return ""
}

func (s *Screen) modeReport(c csi) string {
	n, value := c.param(0, 0), 0
	if on, known := s.state.modes[n]; known {
		value = 2
		if on {
			value = 1
		}
	}
	return fmt.Sprintf("\x1b[?%d;%d$y", n, value)
}

func (s *Screen) sizeReport(c csi) string {
	if c.param(0, 0) != 18 {
		return ""
	}
	return fmt.Sprintf("\x1b[8;%d;%dt", s.vt.Height(), s.vt.Width())
}

// answer says what a terminal would.
func (s *Screen) answer(sequence []byte) {
	said := ""
	if c, ok := parseCSI(sequence); !ok && sequence[1] == 'Z' {
		said = whatItIs
	} else if of := answers[c.shape]; of != nil {
		said = of(s, c)
	}
	if said != "" && s.Answer != nil {
		s.Answer(said)
	}
}

func (c csi) asks() bool {
	_, asks := answers[c.shape]
	if n := c.param(0, 0); c.shape == "t" && (n < 11 || n > 21) { // it does something to the window
		return false
	}
	return asks
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
		return ok && c.asks()
	case ']':
		return bytes.Contains(sequence, []byte(";?"))
	case 'P': // DECRQSS and XTGETTCAP
		return len(sequence) > 3 && sequence[3] == 'q' && (sequence[2] == '$' || sequence[2] == '+')
	case '_': // kitty's graphics answer unless told to be quiet
		return len(sequence) > 2 && sequence[2] == 'G' && bytes.Contains(sequence, []byte("a=q"))
	}
	return false
}
