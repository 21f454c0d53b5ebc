package tmux

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/askpane/askpane/integrations/host"
)

// Kind is the host tmux.
var Kind = host.Kind{
	Name: "tmux", Find: find, Depth: depth, Pane: findPane, Quirks: quirks, Setup: &setup,
	Version: []string{"tmux", "-V"}, Env: []string{"TMUX", "TMUX_PANE", "TMUX_TMPDIR"}, Attach: "tmux attach-session",
}

// quirks: in a pane tmux, as it is set up at first, keeps its prefix for itself. A
// display-popup, which has no TMUX_PANE, gets every key.
func quirks() host.Quirks {
	if os.Getenv("TMUX_PANE") != "" {
		return host.Quirks{Keeps: []string{"Ctrl+B"}}
	}
	return host.Quirks{Floats: os.Getenv("TMUX") != ""}
}

// setup takes prefix A and prefix Alt-a, which tmux leaves free, and adds a count
// to the status line.
var setup = host.Setup{
	What: "keys and status line", Comment: "#",
	File: func(home string, env func(string) string, exists func(string) bool) string {
		path := filepath.Join(host.Dir(home, env("XDG_CONFIG_HOME"), ".config"), "tmux", "tmux.conf")
		if !exists(path) {
			path = filepath.Join(home, ".tmux.conf") // tmux reads this one first, and only one up to 3.2
		}
		return path
	},
	Lines: func(binary string) string {
		command := func(args string) string { return word(host.ShellWord(binary) + " " + args) }
		return "bind-key A display-popup -E -w 80% -h 75% " + command("next") + "\n" +
			"bind-key M-a display-popup -E -w 90% -h 80% " + command("inbox") + "\n" +
			// Read again, the file must not add a second one.
			"if-shell -F '#{m:*askpane status*,#{status-right}}' '' " +
			word("set-option -ga status-right "+word(" #("+host.ShellWord(binary)+" status --format tmux)")) + "\n"
	},
}

// word makes one word of s for tmux's configuration. A # there would begin
// a format in some places; our paths have none where it matters, so it stays.
func word(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`).Replace(s) + `"`
}
