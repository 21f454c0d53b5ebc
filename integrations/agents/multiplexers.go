package agents

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
)

// The multiplexers: a key for the oldest waiting question, one for the inbox, and a count in the status line where there is one.

// errPersonal is why they have no part for a project.
var errPersonal = errors.New("its configuration is a person's own, not a project's")

// tmux takes prefix A and prefix Alt-a, which it leaves free.
var tmux = agent{
	name:     "tmux",
	personal: true,
	parts:    []string{"keys and status line"},
	files: func(o Options, _ func(string) bool) []file {
		path := filepath.Join(o.dir("XDG_CONFIG_HOME", ".config"), "tmux", "tmux.conf")
		if content, err := read(path); err != nil || content == nil {
			path = filepath.Join(o.Home, ".tmux.conf") // tmux reads this one first, and only one up to 3.2
		}
		command := func(args string) string { return tmuxWord(word(o.Binary) + " " + args) }
		lines := "bind-key A display-popup -E -w 80% -h 75% " + command("next") + "\n" +
			"bind-key M-a display-popup -E -w 90% -h 80% " + command("inbox") + "\n" +
			// Read again, the file must not add a second one.
			"if-shell -F '#{m:*askpane status*,#{status-right}}' '' " +
			tmuxWord("set-option -ga status-right "+tmuxWord(" #("+word(o.Binary)+" status --format tmux)")) + "\n"
		return []file{{"keys and status line", path, inLines{comment: "#", binary: o.Binary, lines: lines}}}
	},
}

// tmuxWord makes one word of s for tmux's configuration. A # there would begin
// a format in some places; our paths have none where it matters, so it stays.
func tmuxWord(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`).Replace(s) + `"`
}

// zellij takes Alt-a. It reads only the first keybinds block of its file.
var zellij = agent{
	name:     "zellij",
	personal: true,
	parts:    []string{"key"},
	files: func(o Options, _ func(string) bool) []file {
		dir := o.dir("ZELLIJ_CONFIG_DIR", ".config", "zellij")
		bind := func(key, args string) string {
			return fmt.Sprintf("        bind %s {\n            Run %s %s {\n                floating true\n                close_on_exit true\n            }\n        }\n",
				encode(key), encode(o.Binary), encode(args))
		}
		lines := "keybinds {\n    shared_except \"locked\" {\n" + bind("Alt a", "next") + bind("Alt A", "inbox") + "    }\n}\n"
		return []file{{"keys", filepath.Join(dir, "config.kdl"), inLines{comment: "//", binary: o.Binary, lines: lines, before: func(content []byte, lines string) (int, string, error) {
			if regexp.MustCompile(`(?m)^\s*keybinds\b`).Match(content) {
				return 0, "", errors.New("there is a keybinds block, and zellij reads only one; put the bind lines that `askpane install zellij` shows into it")
			}
			return len(content), lines, nil
		}}}}
	},
}

// kitty also has to take commands, or no overlay can be opened (integrations/kitty).
var kitty = agent{
	name:     "kitty",
	personal: true,
	parts:    []string{"keys and remote control"},
	files: func(o Options, _ func(string) bool) []file {
		dir := o.dir("KITTY_CONFIG_DIRECTORY")
		if dir == o.Home {
			dir = filepath.Join(o.dir("XDG_CONFIG_HOME", ".config"), "kitty")
		}
		lines := "allow_remote_control socket-only\nlisten_on unix:/tmp/kitty-{kitty_pid}\n" +
			"map ctrl+alt+a launch --type=overlay " + word(o.Binary) + " next\n" +
			"map ctrl+alt+shift+a launch --type=overlay " + word(o.Binary) + " inbox\n"
		return []file{{"keys and remote control", filepath.Join(dir, "kitty.conf"), inLines{comment: "#", binary: o.Binary, lines: lines}}}
	},
}

// wezterm's file is a program that returns a table; our keys go in before that.
var wezterm = agent{
	name:     "wezterm",
	personal: true,
	parts:    []string{"keys"},
	files: func(o Options, _ func(string) bool) []file {
		key := func(mods, args string) string {
			return fmt.Sprintf("table.insert(CONFIG.keys, { key = 'a', mods = %s, action = require('wezterm').action.SplitPane {\n"+
				"  direction = 'Down', size = { Percent = 40 }, command = { args = { %s, %s } } } })\n", encode(mods), encode(o.Binary), encode(args))
		}
		lines := "CONFIG.keys = CONFIG.keys or {}\n" + key("CTRL|ALT", "next") + key("CTRL|ALT|SHIFT", "inbox")
		path := o.dir("WEZTERM_CONFIG_FILE", ".wezterm.lua")
		return []file{{"keys", path, inLines{comment: "--", binary: o.Binary, lines: lines, before: func(content []byte, lines string) (int, string, error) {
			if len(content) == 0 {
				return 0, "local config = {}\n" + strings.ReplaceAll(lines, "CONFIG", "config") + "return config\n", nil
			}
			at := regexp.MustCompile(`(?m)^return[ \t]+([A-Za-z_]\w*)[ \t]*;?\s*\z`).FindSubmatchIndex(content)
			if at == nil {
				return 0, "", errors.New("it does not end with the return of a variable; put the lines that `askpane install wezterm` shows before its end, with your table in the place of CONFIG")
			}
			return at[0], strings.ReplaceAll(lines, "CONFIG", string(content[at[2]:at[3]])), nil
		}}}}
	},
}
