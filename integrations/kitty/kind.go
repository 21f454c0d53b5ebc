package kitty

import (
	"path/filepath"

	"github.com/askpane/askpane/integrations/adapter"
	"github.com/askpane/askpane/integrations/host"
)

// Kind is the host kitty.
var Kind = host.Kind{
	Name: "kitty", Find: find, Depth: adapter.Depth("kitty"), Pane: findPane, Setup: &setup,
	Env: []string{"KITTY_LISTEN_ON", "KITTY_WINDOW_ID"},
}

// setup has kitty take commands, without which no overlay can be opened, and binds
// keys.
var setup = host.Setup{
	What: "keys and remote control", Comment: "#",
	File: func(home string, env func(string) string, _ func(string) bool) string {
		above := host.Dir(home, env("XDG_CONFIG_HOME"), ".config")
		return filepath.Join(host.Dir(above, env("KITTY_CONFIG_DIRECTORY"), "kitty"), "kitty.conf")
	},
	Lines: func(binary string) string {
		return "allow_remote_control socket-only\nlisten_on unix:/tmp/kitty-{kitty_pid}\n" +
			"map ctrl+alt+a launch --type=overlay " + host.ShellWord(binary) + " next\n" +
			"map ctrl+alt+shift+a launch --type=overlay " + host.ShellWord(binary) + " inbox\n"
	},
}
