package screen

import (
	"os"

	"github.com/askpane/askpane/integrations/adapter"
	"github.com/askpane/askpane/integrations/host"
)

// Kind is the host screen.
var Kind = host.Kind{
	Name: "screen", Find: find, Depth: adapter.Depth("screen"), Pane: findPane, Quirks: quirks,
	Version: []string{"screen", "--version"}, Env: []string{"STY"}, Attach: "screen -x",
}

// quirks: while a program in a window reads the mouse, screen (4.09.00) keeps a lone
// Esc back until the next key. Not so in a tmux in a window.
func quirks() host.Quirks {
	return host.Quirks{NoMouse: os.Getenv("STY") != "" && os.Getenv("TMUX") == ""}
}
