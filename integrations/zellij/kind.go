package zellij

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/askpane/askpane/integrations/adapter"
	"github.com/askpane/askpane/integrations/host"
)

// Kind is the host zellij.
var Kind = host.Kind{
	Name: "zellij", Find: find, Depth: adapter.Depth("zellij"), Pane: findPane, Quirks: quirks, Setup: &setup,
	Version: []string{"zellij", "--version"}, Env: []string{"ZELLIJ", "ZELLIJ_SESSION_NAME", "ZELLIJ_PANE_ID"}, Attach: "zellij attach",
}

// quirks: in a pane zellij (0.45.1, as it is set up at first) keeps keys for itself;
// these are those that a form could use at all. While it is locked it hands them
// on; nothing tells whether it is.
func quirks() host.Quirks {
	if os.Getenv("ZELLIJ") == "" {
		return host.Quirks{}
	}
	return host.Quirks{Keeps: []string{"Ctrl+B", "Ctrl+G", "Ctrl+N", "Ctrl+O", "Ctrl+P", "Ctrl+Q", "Ctrl+S", "Ctrl+T"}}
}

// setup takes Alt-a and Alt-Shift-a. zellij reads only the first keybinds block of
// its file.
var setup = host.Setup{
	What: "keys", Comment: "//",
	File: func(home string, env func(string) string, _ func(string) bool) string {
		return filepath.Join(host.Dir(home, env("ZELLIJ_CONFIG_DIR"), ".config", "zellij"), "config.kdl")
	},
	Lines: func(binary string) string {
		bind := func(key, command string) string {
			return fmt.Sprintf("        bind %s {\n            Run %s %s {\n                floating true\n                close_on_exit true\n            }\n        }\n",
				host.Quoted(key), host.Quoted(binary), host.Quoted(command))
		}
		return "keybinds {\n    shared_except \"locked\" {\n" + bind("Alt a", "next") + bind("Alt A", "inbox") + "    }\n}\n"
	},
	Fit: func(content []byte, lines string) (int, string, error) {
		if regexp.MustCompile(`(?m)^\s*keybinds\b`).Match(content) {
			return 0, "", errors.New("there is a keybinds block, and zellij reads only one; put the bind lines that `askpane install zellij` shows into it")
		}
		return len(content), lines, nil
	},
}
