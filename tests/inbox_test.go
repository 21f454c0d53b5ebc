package tests

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// inbox opens askpane inbox on a terminal of its own, as over ssh.
func (s spoolDir) inbox(t testing.TB, width, height int, env ...string) *terminal {
	t.Helper()
	v := newTerminal(t, width, height)
	t.Cleanup(v.close)
	env = append([]string{"ASKPANE_SPOOL=" + string(s), unguarded}, env...)
	v.start(environ(t.TempDir(), env...), "sh", "-c", quote(binary)+" inbox; echo ended $?; exec cat")
	v.see("Inbox")
	return v
}

// askIn asks from a window whose directory is dir. No form opens by itself.
func (s *tmuxServer) askIn(dir, request string, args ...string) call {
	s.t.Helper()
	a := newAsker(s.t, s.spool, request)
	pane := s.tmux("new-window", "-d", "-c", dir, "-t", "main:", "-P", "-F", "#{pane_id}", "--",
		"sh", "-c", a.script([]string{unguarded, "ASKPANE_OPEN_MODE=manual"}, args...)+"; exec cat")
	return call{a, pane}
}

// repo is a directory in a repository on a branch.
func repo(t testing.TB, branch string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "shop")
	if err := os.MkdirAll(filepath.Join(dir, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".git", "HEAD"), []byte("ref: refs/heads/"+branch+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Three agents wait; each is answered from the list and gets its own answer.
// Questions come and go under it by themselves.
func TestInbox(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.spool.inbox(t, 120, 30)
	v.see("0 waiting", "No question waits. New ones appear by themselves.")
	dir := repo(t, "feature/cart")
	first := s.askIn(dir, colour, "--agent", "Marvin")
	v.see("1 waiting", "Marvin", ">", "Which colour?", "shop (feature/cart)", "Marvin asks: Which colour?")
	second := s.askIn(t.TempDir(), trip, "--agent", "Trillian")
	v.see("2 waiting", "Trillian", "Where")
	third := s.askIn(t.TempDir(), strings.ReplaceAll(colour, "Colour", "Paint"), "--agent", "Zaphod")
	v.see("3 waiting", "Zaphod")

	v.click("Where") // Trillian's
	v.see("Trillian asks: Where to? (and 2 more)")
	v.press(enter)
	v.see("Trillian asks", "Where to?", "> 1. Seaside")
	v.press("1")
	v.see("In which month?")
	v.press("\x0c") // Ctrl+L
	v.see("Inbox", "3 waiting", "“Where” still waits.", "draft")
	second.waits()
	v.press(enter)
	v.see("In which month?", "2. October")
	v.press("2")
	v.see("With whom?")
	v.press("1")
	v.see("> Submit")
	v.press(enter)
	second.answered("Where: user selected: 1. Seaside\nWhen: user selected: 2. October\nWho: user selected: 1. Alone")
	v.see("2 waiting", "Answered in the inbox: “Where”.")
	first.waits()
	third.waits()

	// One is answered elsewhere: it goes away.
	id := s.spool.listed(t)[0].ID
	s.spool.answers(t, id, `{"colour":"g"}`)
	first.answered("Colour: user selected: 2. Green")
	v.see("1 waiting", ">", "Zaphod")
	v.unsee("Marvin")

	// Dismissed, once that was confirmed.
	v.press("d")
	v.see("Dismiss “Paint” of Zaphod?", "y dismiss it", "Esc no")
	v.press(esc)
	v.unsee("Dismiss “Paint”")
	third.waits()
	v.press("d", "y")
	third.ends("cancelled", 3, closed)
	v.see("0 waiting", "Cancelled in the inbox: “Paint”.")
	v.press("q")
	v.see("ended 0")
}

// A form that is open elsewhere is taken over with what was typed there.
func TestInboxTakesOver(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	desk := s.attach("main", 100, 30)
	a := s.ask("main", colour, "--agent", "Marvin")
	openEntry(place{terminal: desk}, 4)
	desk.press("half a thought")
	desk.see("half a thought")
	v := s.spool.inbox(t, 80, 24)
	v.see("▣", "open", "open on "+desk.tty) // also where the host's own name for it is a window's
	v.press(enter)
	v.see("“Colour” is open on "+desk.tty, "Taking it over closes it there", "y take it over")
	v.press("y")
	v.see("half a thought", "Enter answer")
	desk.unsee("half a thought")
	v.press(", now whole")
	v.see("half a thought, now whole")
	v.press(enter)
	a.answered("Colour: user wrote: half a thought, now whole")
	v.see("Answered in the inbox: “Colour”.")
	v.press("q")
	v.see("ended 0")
}

// It goes to the pane that asks: from a popup over the panes it closes, and from a
// window of tmux it stays open.
func TestInboxGoesThere(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	desk := s.attach("main", 80, 24)
	a := newAsker(t, s.spool, colour)
	s.tmux("new-session", "-d", "-s", "agent", "-x", "80", "-y", "24", "--", "sh", "-c",
		"printf 'the agent at work\\n'; "+a.script([]string{unguarded, "ASKPANE_OPEN_MODE=manual"})+"; exec cat")
	s.spool.only(t)
	cmd := s.command("display-popup", "-c", desk.tty, "-e", "ASKPANE_SPOOL="+string(s.spool), "-w", "90%", "-h", "80%", "-E", "--", binary, "inbox")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	desk.see("Inbox", "Which colour?", "1 waiting")
	desk.press("\x0f")
	desk.see("the agent at work")
	desk.unsee("Inbox")
	if err := cmd.Wait(); err != nil {
		t.Errorf("askpane inbox ended with %v", err)
	}
	a.waits()

	s.tmux("switch-client", "-c", desk.tty, "-t", "main")
	s.tmux("new-window", "-t", "main:", "-e", "ASKPANE_SPOOL="+string(s.spool), "--", binary, "inbox")
	desk.see("Inbox", "Which colour?", "1 waiting")
	desk.press("\x0f")
	desk.see("the agent at work")
	s.tmux("switch-client", "-c", desk.tty, "-t", "main")
	desk.see("Inbox", "Which colour?", "1 waiting")
	desk.press("d", "y")
	a.ends("cancelled", 3, closed)
	desk.see("0 waiting")
	desk.press("q")
	desk.unsee("Inbox")
}

// Somebody closes the terminal with a form open: the question goes on waiting.
func TestInboxTerminalCloses(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	a := s.askIn(t.TempDir(), colour)
	id := s.spool.only(t)
	v := newTerminal(t, 80, 24)
	v.start(environ(t.TempDir(), "ASKPANE_SPOOL="+string(s.spool), unguarded), binary, "inbox")
	v.see("Which colour?")
	v.press(enter)
	openEntry(place{terminal: v}, 4)
	v.press("last words")
	v.see("last words")
	v.close()
	a.waits()
	eventually(t, "the draft is saved", func() bool { return strings.Contains(s.spool.read(id, "draft.json"), "last words") })
	s.spool.answers(t, id, "")
	a.ends("cancelled", 3, closed)
}
