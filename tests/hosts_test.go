package tests

import (
	"fmt"
	"slices"
	"testing"
)

// place is where one question is asked and answered: the terminal that the
// person looks at, and the call.
type place struct {
	*terminal
	spool spoolDir
	// ask makes the tool call; it is called once, but where a multiplexer is.
	ask func(request string, args ...string) *asker
}

// opener makes a place with a person in it, whose terminal has that size. It takes what
// the call's environment has besides.
type opener func(t testing.TB, width, height int, env ...string) place

// hosts is one driver a host. Every scenario of scenarios runs in each.
var hosts = []struct {
	name string
	open opener
	// version is the command that prints it; nil where there is none.
	version []string
	// without are the scenarios that the host cannot do, and why.
	without map[string]string
}{
	{name: "tmux", open: openTmux, version: []string{"tmux", "-V"}},
	{"zellij", openZellij, []string{"zellij", "--version"}, map[string]string{
		"wide text":           "zellij draws no combining signs",
		"resize":              "a floating pane keeps its percentage of a client that shrinks; 24x5 is too little",
		"resize while typing": "the same",
	}},
	{"screen", openScreen, []string{"screen", "--version"}, map[string]string{
		"click":                   "the mouse is off in screen (integrations/screen, quirks)",
		"Esc twice in one breath": "screen passes the second one on 300 ms later, or with the next key as Alt and that key",
	}},
	{name: "kitty", open: openKitty, version: []string{"kitty", "--version"}},
	{name: "terminal", open: openTerminal},
	{name: "terminal over ssh", open: openSSH},
	{name: "run", open: openRun},
}

// unguarded lets a form take the first key at once: most tests are about what
// keys do, and not about when they count.
const unguarded = "ASKPANE_GUARD_MS=0"

// openTmux: the agent is in a pane in the background, the person in another.
func openTmux(t testing.TB, width, height int, env ...string) place {
	t.Helper()
	s := newTmux(t)
	v := s.attach("main", width, height)
	return place{v, s.spool, func(request string, args ...string) *asker {
		t.Helper()
		return s.askWith(env, "main", request, args...).asker
	}}
}

// before is what a plain terminal shows when the question comes.
const before = "this was here before"

// openTerminal: the person runs the call themselves.
func openTerminal(t testing.TB, width, height int, env ...string) place {
	t.Helper()
	return openShell(t, width, height, env, "sh", "-c", "echo "+before+"; %s")
}

// openRun: the agent runs in askpane run, on the main screen.
func openRun(t testing.TB, width, height int, env ...string) place {
	t.Helper()
	return openShell(t, width, height, env, binary, "run", "--", "sh", "-c", "echo "+before+"; %s; exec cat")
}

// openShell: the call stands in a command's last word.
func openShell(t testing.TB, width, height int, env []string, command ...string) place {
	t.Helper()
	v := newTerminal(t, width, height)
	p := place{terminal: v, spool: newSpool(t)}
	t.Cleanup(func() {
		p.spool.noneLeft(t)
		v.close()
	})
	home, last := t.TempDir(), len(command)-1
	p.ask = func(request string, args ...string) *asker {
		t.Helper()
		a := newAsker(t, p.spool, request)
		v.start(environ(home, env...), command[0], append(slices.Clone(command[1:last]), fmt.Sprintf(command[last], a.script(nil, args...)))...)
		return a
	}
	return p
}
