package host

import "strings"

// Terminal is a viewer's own terminal, which a multiplexer hides from what runs
// in it. integrations.Tell writes to it.
type Terminal struct {
	Program string // as ProgramOf names it; empty where it is none of those
	Name    string // TERM in it
	Device  string // the path to write to
	// Write, where it is set, carries a notification there instead, and keeps it from
	// landing in the middle of what others draw.
	Write func(sequence string) error
}

func (t Terminal) String() string {
	if name := strings.TrimSpace(t.Program + " " + t.Name); name != "" {
		return name
	}
	return "a terminal without a name"
}

// OSC numbers the operating system commands that show a notification; zero stands for none.
type OSC int

// 9 has one text, 777 a title and a body, and 99 a name as well, by which the notification
// can be closed.
const (
	OSC9   OSC = 9
	OSC777 OSC = 777
	OSC99  OSC = 99
)

// programs lists what draws a terminal: how what it says of itself begins, the variable that
// it gives to what runs in it, and the notification that it shows (docs/dev/hosts.md,
// Notifications through terminals).
var programs = []struct {
	name, begins, variable string
	shows                  OSC
}{
	{"kitty", "kitty", "KITTY_WINDOW_ID", OSC99},
	{"wezterm", "wezterm", "WEZTERM_PANE", OSC777},
	{"iterm2", "iterm", "", OSC9},
	{"ghostty", "ghostty", "", OSC777},
	{"foot", "foot", "", OSC777},
	{"vte", "vte", "VTE_VERSION", 0}, // GNOME Terminal and its relatives
	{"tmux", "tmux", "", 0},          // another one around this: it swallows notifications
	{"zellij", "zellij", "", OSC777}, // to the terminal around it, as that wants it
}

// Shows returns the notification that the terminal shows; zero where it is not known to
// show any.
func (t Terminal) Shows() OSC {
	for _, p := range programs {
		if p.name == t.Program {
			return p.shows
		}
	}
	return 0
}

// ProgramOf tells which program draws a terminal, by its answer to XTVERSION (tmux keeps that
// as client_termtype), its TERM, and the environment of the program that runs in it. The
// terminal's own word counts first; KITTY_WINDOW_ID and the like come last, since a program
// that was started from such a terminal hands them on to others.
func ProgramOf(version, term string, env func(string) string) string {
	for _, said := range []string{version, env("TERM_PROGRAM"), env("LC_TERMINAL"), strings.TrimPrefix(term, "xterm-")} {
		for _, p := range programs {
			if strings.HasPrefix(strings.ToLower(said), p.begins) {
				return p.name
			}
		}
	}
	if env("TERM_PROGRAM") != "" { // one that is none of these; what follows is inherited
		return ""
	}
	for _, p := range programs {
		if p.variable != "" && env(p.variable) != "" {
			return p.name
		}
	}
	return ""
}
