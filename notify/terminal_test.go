package notify

import (
	"context"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTerminalThatShowsNotifications(t *testing.T) {
	for _, test := range []struct {
		program, term, osc string
	}{
		{"kitty(0.46.2)", "xterm-256color", osc99}, {"", "xterm-kitty", osc99},
		{"WezTerm", "xterm-256color", osc777}, {"WezTerm 20240203-110809-5046fc22", "", osc777},
		{"ghostty", "xterm-ghostty", osc777}, {"", "xterm-ghostty", osc777}, {"foot(1.18.1)", "foot", osc777},
		{"iTerm.app", "xterm-256color", osc9}, {"iTerm2 3.6.9", "xterm-256color", osc9},
		{"Apple_Terminal", "xterm-256color", ""}, {"", "xterm-256color", ""}, {"", "", ""}, {"tmux 3.5a", "tmux-256color", ""},
	} {
		if got := (Terminal{test.program, test.term}).osc(); got != test.osc {
			t.Errorf("%q, %q: OSC %q, want %q", test.program, test.term, got, test.osc)
		}
	}
}

func TestSequence(t *testing.T) {
	n := notification{summary: "askpane: a;b\x1b]0;x\a\u009c\n", body: "One."}
	for osc, want := range map[string]string{
		osc9:   "␛]9;askpane: a;b␛]0;x␇⟨U+009C⟩␛\\",
		osc777: "␛]777;notify;askpane: a,b␛]0,x␇⟨U+009C⟩;One.␛\\",
		osc99:  "␛]99;i=me:d=0;askpane: a;b␛]0;x␇⟨U+009C⟩␛\\␛]99;i=me:d=1:p=body;One.␛\\",
	} {
		got := string(n.sequence(osc, "me"))
		if strings.ReplaceAll(got, "\x1b", "␛") != want {
			t.Errorf("OSC %s: %q, want %q", osc, got, want)
		}
		if ours := strings.Count(want, "␛\\") * 2; strings.Count(got, "\x1b") != ours || strings.ContainsAny(got, "\a\n\u009c") {
			t.Errorf("OSC %s lets control characters through: %q", osc, got)
		}
	}
}

// However long and wide the text, it is one short write, and whole characters.
func TestSequenceIsShort(t *testing.T) {
	for _, text := range []string{strings.Repeat("x", 5000), strings.Repeat("界", 5000), strings.Repeat("👩‍👩‍👧‍👦", 500), strings.Repeat("\u202e", 500)} {
		for _, osc := range []string{osc9, osc777, osc99} {
			got := notification{summary: text, body: waits(1000)}.sequence(osc, "askpane-4194304-1000000")
			if len(got) >= 512 || !utf8.Valid(got) {
				t.Errorf("OSC %s of %.10s…: %d bytes, valid %v", osc, text, len(got), utf8.Valid(got))
			}
		}
	}
}

// Only kitty's has a name by which it can be closed.
func TestTerminalWithdraws(t *testing.T) {
	p := pane{term: Terminal{Program: "kitty"}}
	withdraw, err := p.routes().showOnTerminal(context.Background(), notification{"a", "b"})
	if err != nil {
		t.Fatal(err)
	}
	if err := withdraw(context.Background()); err != nil {
		t.Fatal(err)
	}
	if len(p.heard) != 2 {
		t.Fatalf("heard %q", p.heard)
	}
	id, _, _ := strings.Cut(strings.TrimPrefix(p.heard[0], "␛]99;i="), ":")
	if want := "␛]99;i=" + id + ":p=close;␛\\"; id == "" || p.heard[1] != want {
		t.Errorf("withdrawn by %q, want %q", p.heard[1], want)
	}
	p.term = Terminal{Program: "WezTerm"}
	if withdraw, err := p.routes().showOnTerminal(context.Background(), notification{"a", "b"}); withdraw != nil || err != nil {
		t.Errorf("WezTerm: withdraw %v, error %v", withdraw != nil, err)
	}
}
