package host

import "strings"

// Terminal is a viewer's own terminal, which a multiplexer hides from what runs
// in it. integrations.Tell writes to it.
type Terminal struct {
	Kind   Kind
	Name   string // TERM in it
	Device string // the path to write to
	// Write, where it is set, takes a notification to it instead: somebody keeps
	// it from landing in the middle of what others draw.
	Write func(sequence string) error
}

// Kind is a program that draws a terminal, as far as it matters which
// notification it understands (docs/hosts.md, Notifications through terminals).
// Empty is none of these.
type Kind string

// The kinds that KindOf tells apart.
const (
	Kitty   Kind = "kitty"
	WezTerm Kind = "wezterm"
	ITerm2  Kind = "iterm2"
	Ghostty Kind = "ghostty"
	Foot    Kind = "foot"
	VTE     Kind = "vte"  // GNOME Terminal and its relatives
	Tmux    Kind = "tmux" // another one around this: it swallows notifications
	Zellij  Kind = "zellij"
)

// KindOf tells what kind a terminal is. version is what it answers when asked
// (XTVERSION; tmux keeps it as client_termtype), term its TERM, and env looks
// into the environment of the program that runs in it. The terminal's own word
// counts first; KITTY_WINDOW_ID and the like come last, since a program that was
// started from such a terminal hands them on to others.
func KindOf(version, term string, env func(string) string) Kind {
	for _, said := range []string{version, env("TERM_PROGRAM"), env("LC_TERMINAL"), strings.TrimPrefix(term, "xterm-")} {
		for _, known := range []struct {
			start string
			kind  Kind
		}{
			{"kitty", Kitty}, {"wezterm", WezTerm}, {"iterm", ITerm2}, {"ghostty", Ghostty}, {"foot", Foot},
			{"vte", VTE}, {"tmux", Tmux},
		} {
			if strings.HasPrefix(strings.ToLower(said), known.start) {
				return known.kind
			}
		}
	}
	if env("TERM_PROGRAM") != "" { // one that is none of these; what follows is inherited
		return ""
	}
	for _, known := range []struct {
		name string
		kind Kind
	}{{"KITTY_WINDOW_ID", Kitty}, {"WEZTERM_PANE", WezTerm}, {"VTE_VERSION", VTE}} {
		if env(known.name) != "" {
			return known.kind
		}
	}
	return ""
}
