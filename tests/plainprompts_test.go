package tests

import (
	"strings"
	"testing"
)

// Line by line, where the person or the terminal wants it so: askpane ask <
// request > result, with nothing but plain text between.
func TestPlainPrompts(t *testing.T) {
	for _, c := range []struct {
		name string
		env  []string
		args []string
	}{
		{"--host plain", nil, []string{"--host", "plain"}},
		{"TERM=dumb", []string{"TERM=dumb"}, nil},
		{"no TERM", []string{"TERM="}, nil},
		{"ASKPANE_HOST", []string{"ASKPANE_HOST=plain"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := openTerminal(t, 80, 40, append(c.env, unguarded)...)
			a := p.ask(trip, c.args...)
			p.see("Question 1 of 3", "1. Seaside", "\n>")
			p.press("9\n")
			p.see("There is no choice 9")
			p.press("2\n")
			p.see("Question 2 of 3")
			p.press("1\n")
			p.see("Question 3 of 3")
			p.press("o by sea\n")
			p.see("Your answers:", "Hills", "by sea")
			p.press("s\n")
			r := a.result()
			if r.Outcome != "answered" || r.code != 0 || !strings.Contains(r.Text, "user selected: 2. Hills") || !strings.Contains(r.Text, "user wrote: by sea") {
				t.Errorf("exit %d, %+v", r.code, r)
			}
			p.see("Sent.")
			if at := strings.IndexByte(p.output(), '\x1b'); at >= 0 {
				t.Errorf("an escape sequence: %q", p.output()[at:])
			}
		})
	}
}

// The screen is never tried where there is none.
func TestNoScreenOnADumbTerminal(t *testing.T) {
	t.Parallel()
	p := openTerminal(t, 80, 40, "TERM=dumb")
	r := p.ask(colour, "--host", "terminal").result()
	if r.Outcome != "unavailable" || r.code != 5 || !strings.Contains(r.Text, "--host plain asks there line by line") {
		t.Errorf("exit %d, %+v", r.code, r)
	}
}
