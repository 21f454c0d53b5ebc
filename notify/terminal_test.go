package notify

import (
	"context"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/askpane/askpane/integrations/host"
)

func TestSequence(t *testing.T) {
	t.Parallel()
	n := notification{summary: "askpane: a;b\x1b]0;x\a\u009c\n", body: "One."}
	for osc, want := range map[host.OSC]string{
		host.OSC9:   "␛]9;askpane: a;b␛]0;x␇⟨U+009C⟩␛\\",
		host.OSC777: "␛]777;notify;askpane: a,b␛]0,x␇⟨U+009C⟩;One.␛\\",
		host.OSC99:  "␛]99;i=me:d=0;askpane: a;b␛]0;x␇⟨U+009C⟩␛\\␛]99;i=me:d=1:p=body;One.␛\\",
	} {
		got := n.sequence(osc, "me")
		if strings.ReplaceAll(got, "\x1b", "␛") != want {
			t.Errorf("OSC %d: %q, want %q", osc, got, want)
		}
		if ours := strings.Count(want, "␛\\") * 2; strings.Count(got, "\x1b") != ours || strings.ContainsAny(got, "\a\n\u009c") {
			t.Errorf("OSC %d lets control characters through: %q", osc, got)
		}
	}
}

// However long and wide the text, it is one short write, and whole characters.
func TestSequenceIsShort(t *testing.T) {
	t.Parallel()
	for _, text := range []string{strings.Repeat("x", 5000), strings.Repeat("界", 5000), strings.Repeat("👩‍👩‍👧‍👦", 500), strings.Repeat("\u202e", 500)} {
		for _, osc := range []host.OSC{host.OSC9, host.OSC777, host.OSC99} {
			got := notification{summary: text, body: waits(1000)}.sequence(osc, "askpane-4194304-1000000")
			if len(got) >= 512 || !utf8.ValidString(got) {
				t.Errorf("OSC %d of %.10s…: %d bytes, valid %v", osc, text, len(got), utf8.ValidString(got))
			}
		}
	}
}

// Only kitty's has a name by which it can be closed.
func TestTerminalWithdraws(t *testing.T) {
	p := pane{term: host.Terminal{Program: "kitty"}}
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
	p.term = host.Terminal{Program: "wezterm"}
	if withdraw, err := p.routes().showOnTerminal(context.Background(), notification{"a", "b"}); withdraw != nil || err != nil {
		t.Errorf("WezTerm: withdraw %v, error %v", withdraw != nil, err)
	}
}
