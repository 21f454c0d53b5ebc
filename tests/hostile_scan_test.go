package tests

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/askpane/askpane/tests/hostiletexts"
)

// harm is what in a terminal's input cannot come from tmux or from us: what the
// hostile texts want to be. It is empty where there is nothing.
func harm(raw string) (found []string) {
	all := raw
	say := func(what string, bytes string) {
		at := len(all) - len(raw)
		found = append(found, fmt.Sprintf("%s: %q in %q", what, bytes, all[max(0, at-60):min(len(all), at+20)]))
	}
	marks, last := 0, rune(0)
	for raw != "" {
		if sequence := sequences.FindString(raw); sequence != "" {
			switch body := sequence[1:]; {
			case strings.Contains(sequence, "31337"), sequence == "\x1b[5n", sequence == "\x1bZ", sequence == "\x1bc":
				say("a sequence of the text", sequence)
			case strings.HasPrefix(body, "]2;🔔 ") && !strings.ContainsFunc(strings.TrimSuffix(strings.TrimRight(body, "\a"), "\x1b\\"), unicode.IsControl):
				// our own title, in which the header stands as text
			case strings.HasPrefix(body, "]52"), strings.HasPrefix(body, "]8;"), strings.Contains(sequence, hostiletexts.Mark):
				say("a command to the terminal", sequence)
			}
			raw, marks = raw[len(sequence):], 0
			continue
		}
		r, n := utf8.DecodeRuneInString(raw)
		if unicode.In(r, unicode.Mn, unicode.Me) {
			if marks++; marks == 9 {
				say("a flood of combining signs", raw[:n])
			}
		} else {
			marks = 0
		}
		switch {
		case r == utf8.RuneError && n == 1:
			say("not UTF-8", raw[:1])
		case r == '\a', r >= 0x80 && r <= 0x9f, r == 0x7f, r == 0x1a, r == 0:
			say("a control character", raw[:n])
		case unicode.Is(unicode.Cf, r) && (r != 0x200c && r != 0x200d || r == last), r >= 0xe0000 && r <= 0xe0fff, r >= 0xfff0 && r <= 0xfff8,
			r == 0x034f, r == 0x115f, r == 0x1160, r == 0x17b4, r == 0x17b5, r == 0x2065, r == 0x2800, r == 0x3164, r == 0xffa0:
			say("a sign that is not seen", raw[:n])
		}
		raw, last = raw[n:], r
	}
	return found
}

// sequences is one escape sequence at the beginning: strings (OSC, DCS, SOS, PM,
// APC) with their end, CSI, and the short ones.
var sequences = regexp.MustCompile(`^\x1b(?:[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)|\[[0-?]*[ -/]*[@-~]|[ -/]*[0-Z\\^-~])`)

// The scan finds the texts that are harmful by themselves, so that what it does
// not find in a terminal's input is not there.
func TestHarmIsFound(t *testing.T) {
	t.Parallel()
	harmless := []string{"shell", "quotes", "option", "option with a value", "tmux format", "tmux command", "tmux commands", "tmux commands by lines", "tmux braces",
		"overwritten", "not UTF-16 pairs", "tview", "notification markup", "formats", "speech commands", "path", "our own frame"}
	for _, text := range hostiletexts.Texts("/nowhere") {
		want := true
		for _, name := range harmless {
			want = want && name != text.Name
		}
		if got := harm("before" + text.Text + "after"); (len(got) > 0) != want {
			t.Errorf("%s: %v, want any %v", text.Name, got, want)
		}
	}
	if got := harm("\x1b[?1049h\x1b[1;31mx\x1b[m\x1b]2;🔔 ␛]2;PWNED␇\x1b\\\x1b(B\x1b[6n\r\n\b\te\u0301👩\u200d👧"); got != nil {
		t.Errorf("what tmux and we send: %v", got)
	}
}
