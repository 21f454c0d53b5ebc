package host

import (
	"testing"
	"time"
)

func TestKindOf(t *testing.T) {
	for _, c := range []struct {
		name, version, term string
		env                 map[string]string
		want                Kind
	}{
		{"nothing is known", "", "xterm-256color", nil, ""},
		{"it says so itself", "kitty(0.35.2)", "xterm-256color", nil, Kitty},
		{"WezTerm's word", "WezTerm 20240203-110809", "xterm-256color", nil, WezTerm},
		{"iTerm2's word", "iTerm2 3.5.0", "xterm-256color", nil, ITerm2},
		{"Ghostty's word", "ghostty 1.2.0", "xterm-256color", nil, Ghostty},
		{"xterm is none of them", "XTerm(370)", "xterm-256color", nil, ""},
		{"its word before the environment", "foot(1.16.2)", "xterm-kitty", map[string]string{"TERM_PROGRAM": "WezTerm"}, Foot},
		{"TERM_PROGRAM", "", "xterm-256color", map[string]string{"TERM_PROGRAM": "iTerm.app"}, ITerm2},
		{"over ssh", "", "xterm-256color", map[string]string{"LC_TERMINAL": "iTerm2"}, ITerm2},
		{"TERM", "", "xterm-kitty", nil, Kitty},
		{"TERM of Ghostty", "", "xterm-ghostty", nil, Ghostty},
		{"a variable of its own", "", "xterm-256color", map[string]string{"VTE_VERSION": "6800"}, VTE},
		{"an inherited variable", "", "xterm-256color", map[string]string{"TERM_PROGRAM": "vscode", "KITTY_WINDOW_ID": "1"}, ""},
		{"tmux in tmux", "tmux 3.3a", "tmux-256color", map[string]string{"TERM_PROGRAM": "tmux"}, Tmux},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := KindOf(c.version, c.term, func(name string) string { return c.env[name] }); got != c.want {
				t.Errorf("KindOf = %q, want %q", got, c.want)
			}
		})
	}
}

func TestIdle(t *testing.T) {
	now := time.Unix(1000, 0)
	for _, c := range []struct {
		name   string
		active time.Time
		want   time.Duration
		known  bool
	}{
		{"not known", time.Time{}, 0, false},
		{"a while ago", time.Unix(993, 0), 7 * time.Second, true},
		{"just now, rounded up", time.Unix(1001, 0), 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, known := Viewer{Active: c.active}.Idle(now)
			if known != c.known || known && got != c.want {
				t.Errorf("Idle = %v, %v, want %v, %v", got, known, c.want, c.known)
			}
		})
	}
}
