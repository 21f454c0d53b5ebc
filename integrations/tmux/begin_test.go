package tmux

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// What was begun ahead is taken over by the look at the same server and by no other, and
// one tmux is started for both. What has got old meanwhile is nobody's.
func TestBegin(t *testing.T) {
	p := startServer(t, filepath.Join(shortDir(t), "s"))
	real, err := exec.LookPath("tmux")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	if err := os.WriteFile(filepath.Join(dir, "tmux"), fmt.Appendf(nil, "#!/bin/sh\necho started >>'%s'\nexec '%s' \"$@\"\n", log, real), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	for name, value := range p.inside() {
		t.Setenv(name, value)
	}
	started := func() int {
		data, _ := os.ReadFile(log)
		return strings.Count(string(data), "started")
	}
	begin := func() *command {
		Begin()
		c := beforehand.Load()
		c.since = time.Now().Add(time.Hour) // it stays young, however slow this machine is
		return c
	}
	begin()
	if s := p.find(t); s.pane != p.pane || s.Words == "" || started() != 1 {
		t.Errorf("found pane %q, called %q, by %d tmux; want %q by one", s.pane, s.Words, started(), p.pane)
	}
	if p.find(t); started() != 2 {
		t.Errorf("another look has started %d more, want one", started()-1)
	}
	begun := begin()
	other := startServer(t, filepath.Join(shortDir(t), "s"))
	before := started()
	if s := other.find(t); s.pane != other.pane || started() != before+1 {
		t.Errorf("of another server pane %q is found, by %d tmux; want %q by one", s.pane, started()-before, other.pane)
	}
	if Begin(); beforehand.Load() != begun {
		t.Error("it is begun twice at once")
	}
	begun.since = time.Now().Add(-time.Minute)
	before = started()
	if p.find(t); started() != before+1 || beforehand.Load() != begun {
		t.Errorf("what was said a minute ago is taken, and %d tmux started", started()-before)
	}
	if Begin(); beforehand.Load() == begun {
		t.Error("what is old keeps another from being begun")
	}
	t.Setenv("TMUX", "")
	beforehand.Swap(nil).kill() // which nobody has taken
	if Begin(); beforehand.Load() != nil {
		t.Error("outside tmux something is begun")
	}
}
