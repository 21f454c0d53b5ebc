package host

import (
	"testing"
	"time"
)

func TestProgramOf(t *testing.T) {
	for _, c := range []struct {
		name, version, term string
		env                 map[string]string
		want                string
	}{
		{"nothing is known", "", "xterm-256color", nil, ""},
		{"it says so itself", "kitty(0.35.2)", "xterm-256color", nil, "kitty"},
		{"WezTerm's word", "WezTerm 20240203-110809", "xterm-256color", nil, "wezterm"},
		{"iTerm2's word", "iTerm2 3.5.0", "xterm-256color", nil, "iterm2"},
		{"Ghostty's word", "ghostty 1.2.0", "xterm-256color", nil, "ghostty"},
		{"xterm is none of them", "XTerm(370)", "xterm-256color", nil, ""},
		{"its word before the environment", "foot(1.16.2)", "xterm-kitty", map[string]string{"TERM_PROGRAM": "WezTerm"}, "foot"},
		{"TERM_PROGRAM", "", "xterm-256color", map[string]string{"TERM_PROGRAM": "iTerm.app"}, "iterm2"},
		{"over ssh", "", "xterm-256color", map[string]string{"LC_TERMINAL": "iTerm2"}, "iterm2"},
		{"TERM", "", "xterm-kitty", nil, "kitty"},
		{"TERM of Ghostty", "", "xterm-ghostty", nil, "ghostty"},
		{"a variable of its own", "", "xterm-256color", map[string]string{"VTE_VERSION": "6800"}, "vte"},
		{"an inherited variable", "", "xterm-256color", map[string]string{"TERM_PROGRAM": "vscode", "KITTY_WINDOW_ID": "1"}, ""},
		{"its whole word", "WezTerm 20240203-110809-5046fc22", "", nil, "wezterm"},
		{"one that is not known", "", "xterm-256color", map[string]string{"TERM_PROGRAM": "Apple_Terminal"}, ""},
		{"tmux in tmux", "tmux 3.3a", "tmux-256color", map[string]string{"TERM_PROGRAM": "tmux"}, "tmux"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := ProgramOf(c.version, c.term, func(name string) string { return c.env[name] }); got != c.want {
				t.Errorf("ProgramOf = %q, want %q", got, c.want)
			}
		})
	}
}

func TestShows(t *testing.T) {
	for program, want := range map[string]OSC{"kitty": OSC99, "wezterm": OSC777, "ghostty": OSC777, "foot": OSC777, "zellij": OSC777, "iterm2": OSC9, "vte": 0, "tmux": 0, "": 0} {
		if got := (Terminal{Program: program, Name: "xterm-256color"}).Shows(); got != want {
			t.Errorf("%q shows OSC %d, want %d", program, got, want)
		}
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
