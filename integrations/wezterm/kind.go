package wezterm

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/askpane/askpane/integrations/adapter"
	"github.com/askpane/askpane/integrations/host"
)

// Kind is the host wezterm.
var Kind = host.Kind{
	Name: "wezterm", Find: find, Depth: adapter.Depth("wezterm"), Pane: findPane, Setup: &setup,
	Version: []string{"wezterm", "--version"}, Env: []string{"WEZTERM_PANE", "WEZTERM_UNIX_SOCKET"}, Attach: "wezterm connect",
}

// setup binds keys. wezterm's file is a program that returns a table; the lines go
// in before that.
var setup = host.Setup{
	What: "keys", Comment: "--",
	File: func(home string, env func(string) string, _ func(string) bool) string {
		return host.Dir(home, env("WEZTERM_CONFIG_FILE"), ".wezterm.lua")
	},
	Lines: func(binary string) string {
		key := func(mods, command string) string {
			return fmt.Sprintf("table.insert(CONFIG.keys, { key = 'a', mods = %s, action = require('wezterm').action.SplitPane {\n"+
				"  direction = 'Down', size = { Percent = 40 }, command = { args = { %s, %s } } } })\n",
				host.Quoted(mods), host.Quoted(binary), host.Quoted(command))
		}
		return "CONFIG.keys = CONFIG.keys or {}\n" + key("CTRL|ALT", "next") + key("CTRL|ALT|SHIFT", "inbox")
	},
	Fit: func(content []byte, lines string) (int, string, error) {
		if len(content) == 0 {
			return 0, "local config = {}\n" + strings.ReplaceAll(lines, "CONFIG", "config") + "return config\n", nil
		}
		at := regexp.MustCompile(`(?m)^return[ \t]+([A-Za-z_]\w*)[ \t]*;?\s*\z`).FindSubmatchIndex(content)
		if at == nil {
			return 0, "", errors.New("it does not end with the return of a variable; put the lines that `askpane install wezterm` shows before its end, with your table in the place of CONFIG")
		}
		return at[0], strings.ReplaceAll(lines, "CONFIG", string(content[at[2]:at[3]])), nil
	},
}
