package tests

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/askpane/askpane/tests/needs"
)

// Where askpane run is killed, its terminal is gone, and the command is told so as
// it would be without askpane: by SIGHUP. Nothing of it stays behind.
func TestRunKilled(t *testing.T) {
	const ready = `cut -d" " -f6 /proc/$$/stat >$GO/session; `
	for _, c := range []struct{ name, script, leaves string }{
		{"a program", ready + `exec sleep 1000.25`, ""},
		{"one that tidies up", `trap 'echo told >$GO/told; exit' HUP; ` + ready + `while :; do sleep 0.02; done`, "told"},
		{"one that is stopped", ready + `kill -STOP $$; sleep 1000.25`, ""},
		// As in a shell: the job in front is in a group of its own.
		{"a shell and its job", `exec bash --norc -ic '(trap "echo told >$GO/told; exit" HUP; ` + ready + `while :; do sleep 0.02; done); :'`, "told"},
		{"under a form", `$ASK & ` + ready + `exec sleep 1000.25`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p, _ := newRun(t, 80, 24, colour, `export GO; `+c.script)
			eventually(t, "the command runs", func() bool { return p.file("session") != "" })
			if strings.Contains(c.script, "$ASK") {
				p.v.see("Which colour?")
			}
			if err := syscall.Kill(p.pid(), syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			eventually(t, "the command's session is over", func() bool { return len(inSession(strings.TrimSpace(p.file("session")))) == 0 })
			if c.leaves != "" && p.file(c.leaves) == "" {
				t.Errorf("the command was not told")
			}
		})
	}
}

// inSession are the processes of a session that have not ended.
func inSession(id string) (pids []string) {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		panic(err) // the pattern is ours
	}
	for _, stat := range stats {
		data, _ := os.ReadFile(stat) // it may have ended by now
		_, rest, _ := strings.Cut(string(data), ") ")
		if f := strings.Fields(rest); len(f) > 3 && f[3] == id && f[0] != "Z" { // proc(5): state, parent, group, session
			pids = append(pids, filepath.Base(filepath.Dir(stat)))
		}
	}
	return pids
}

// A terminal that forgets what it showed, or is another one (dtach), says so by a
// change of size that is none, or the person does by Ctrl+L: the form is drawn
// again, after it the command's screen is there, and the command was told. So it is
// where askpane run itself was stopped and goes on.
func TestRunDrawnAgain(t *testing.T) {
	t.Parallel()
	p, a := newRun(t, 100, 30, colour, `export GO; printf 'I have read seven files'; trap 'echo >$GO/told' WINCH; $ASK & while [ ! -e $GO/end ]; do sleep 0.02; done`)
	forget := func() {
		p.v.see("> 1. Red")
		p.tmux("send-keys", "-R", "-t", p.pane)
		p.v.unsee("> 1. Red")
	}
	forget()
	p.v.press("\x0c") // Ctrl+L
	forget()
	if p.file("told") != "" {
		t.Errorf("the command was told of Ctrl+L in the form")
	}
	if err := syscall.Kill(p.pid(), syscall.SIGWINCH); err != nil {
		t.Fatal(err)
	}
	p.v.see("> 1. Red", "╭─ askpane ")
	eventually(t, "the command is told", func() bool { return p.file("told") != "" })
	forget() // as a shell's prompt does that has written there while it was stopped
	if err := errors.Join(syscall.Kill(p.pid(), syscall.SIGSTOP), syscall.Kill(p.pid(), syscall.SIGCONT)); err != nil {
		t.Fatal(err)
	}
	p.v.see("> 1. Red", "╭─ askpane ")
	p.v.press("2")
	a.answered("Colour: user selected: 2. Green")
	p.v.unsee("Which colour?")
	p.v.see("I have read seven files")
	p.touch("end")
	p.ends()
}

// explain has an askpane run whose test has failed say on its pane where each of its
// goroutines is, and logs that.
func (p *runPlace) explain() {
	if !p.t.Failed() {
		return
	}
	sockets, _ := filepath.Glob(filepath.Join(homeIn(p.env), ".local/state/askpane/run/run-*"))
	for _, socket := range sockets {
		_, id, _ := strings.Cut(filepath.Base(socket), "-")
		if pid, err := strconv.Atoi(id); err == nil {
			_ = syscall.Kill(pid, syscall.SIGABRT)
		}
	}
	needs.Within(5*time.Second, func() bool { return p.file("stty") != "" })
	out, err := p.command("capture-pane", "-p", "-S", "-", "-t", p.pane).Output()
	p.t.Logf("%d askpane run, %v:\n%s", len(sockets), err, out)
}

// A terminal that is made too small for the form, and large again, has it as before.
func TestRunTinyAndBack(t *testing.T) {
	t.Parallel()
	p, a := newRun(t, 100, 30, colour, `$ASK`)
	p.v.see("> 1. Red", "╭─ askpane ")
	for _, size := range [][2]int{{20, 5}, {19, 3}, {30, 6}, {60, 4}, {100, 6}, {10, 2}} {
		p.v.resize(size[0], size[1])
		p.v.until("is all form", func(screen string) bool { return !strings.Contains(screen, "╭─ askpane ") })
		p.v.resize(100, 30)
		p.v.see("> 1. Red", "╭─ askpane ", "4. "+other)
	}
	p.v.press("2")
	a.answered("Colour: user selected: 2. Green")
}
