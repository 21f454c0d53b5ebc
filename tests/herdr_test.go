package tests

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/askpane/askpane/tests/needs"
)

var herdr = flag.String("herdr", "", "the path of a herdr, for TestHerdr")

// In a real herdr the form comes up in its popup, goes to the asking pane and comes again by
// the plugin's action, and the answer arrives.
func TestHerdr(t *testing.T) {
	t.Parallel()
	if *herdr == "" {
		needs.Cannot(t, "herdr", "just herdr SOURCE builds one, and plays it")
	}
	home := shortDir(t)
	command := func(name string, args ...string) string {
		cmd := exec.Command(name, args...)
		cmd.Env = environ(home)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %q: %v: %s", name, args, err, out)
		}
		return string(out)
	}
	command(binary, "install", "herdr", "--write")
	command(*herdr, "plugin", "link", filepath.Join(home, ".config/askpane/herdr/herdr-plugin.toml"))
	s, out := newTmux(t), filepath.Join(home, "out")
	v := s.attach("main", 120, 40)
	s.tmux("respawn-window", "-k", "-t", "main:", "--", "env", "HOME="+home, "ASKPANE_SPOOL="+string(s.spool), unguarded, "sh", "-c", quote(*herdr)+"; exec cat")
	t.Cleanup(func() { command(*herdr, "server", "stop") })
	v.see("spaces")
	v.press(quote(binary) + " ask 'Go on?' Yes No >" + quote(out) + enter)
	v.see("askpane ─", "▎ Go on?", "> 1. Yes")
	v.press("\x0f") // Ctrl+O
	v.unsee("▎ Go on?")
	command(*herdr, "plugin", "action", "invoke", "askpane.next")
	v.see("▎ Go on?")
	v.press("2")
	v.unsee("▎ Go on?")
	eventually(t, "the answer arrives", func() bool {
		got, _ := os.ReadFile(out)
		return string(got) == "No\n"
	})
}
