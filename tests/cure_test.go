package tests

import (
	"strings"
	"testing"
)

// On a terminal that an agent draws on itself, the error names what to start
// instead, and so does doctor before there is any agent.
func TestPlainTerminalNamesTheCure(t *testing.T) {
	for _, c := range []struct {
		name string
		env  []string
		run  string // %s is the call
		says string
	}{
		{"raw", []string{"CLAUDECODE=1"}, "stty raw -echo; %s; stty sane", "or start the agent with: askpane run -- claude"},
		{"in a session of its own", []string{"GEMINI_CLI=1"}, "setsid -w sh -c %s", "or start the agent with: askpane run -- gemini"},
		{"no name", nil, "stty raw -echo; %s; stty sane", "or start the agent with: askpane run -- AGENT"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			v := newTerminal(t, 100, 30)
			t.Cleanup(v.close)
			a := newAsker(t, newSpool(t), colour)
			call := a.script(c.env)
			if strings.Contains(c.run, "sh -c") {
				call = quote(call)
			}
			v.start(environ(t.TempDir()), "sh", "-c", strings.Replace(c.run, "%s", call, 1))
			r := a.result()
			if r.Outcome != "unavailable" || !strings.Contains(r.Text, c.says) {
				t.Errorf("%s: %q; want %q in it", r.Outcome, r.Text, c.says)
			}
		})
	}
	t.Run("doctor", func(t *testing.T) {
		t.Parallel()
		const used = "✓ terminal  used"
		for name, c := range map[string]struct {
			env []string
			run string
		}{
			"AGENT":  {nil, quote(binary) + " doctor"},
			"claude": {[]string{"CLAUDECODE=1"}, "stty raw -echo opost; " + quote(binary) + " doctor; stty sane"},
		} {
			v := newTerminal(t, 300, 60)
			t.Cleanup(v.close)
			v.start(environ(t.TempDir(), append(c.env, "ASKPANE_SPOOL="+t.TempDir())...), "sh", "-c", c.run)
			v.see("files", "→ askpane run -- "+name)
			if screen := v.screen(); strings.Contains(screen, used) || strings.Contains(screen, "✓ forms     open at once\n") {
				t.Errorf("doctor says ✓:\n%s", screen)
			}
		}
	})
}
