package tests

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
)

// hubs are as many as there were in this process.
var hubs atomic.Int64

// newHub sets up a hub on a person's laptop and has it up, the desk with it; and it has
// build1 join, where somebody's agents run and nobody sits.
func newHub(laptop *person) (build1 *person) {
	laptop.Helper()
	at := fmt.Sprintf("127.78.%d.%d:4222", os.Getpid()%256, hubs.Add(1)) // which nobody else is given
	build1 = newPerson(laptop, newSpool(laptop), "PATH="+laptop.home)
	must := func(p *person, in string, args ...string) string {
		laptop.Helper()
		cmd := p.command(binary, args...)
		cmd.Stdin = strings.NewReader(in)
		out, err := cmd.Output()
		if err != nil {
			laptop.Fatalf("askpane %v: %v: %s", args, err, err.(*exec.ExitError).Stderr)
		}
		return string(out)
	}
	must(laptop, "", "hub", "init", "--name", "laptop", "--listen", at)
	hub := laptop.command(binary, "hub")
	out, err := hub.StdoutPipe()
	if err == nil {
		err = hub.Start()
	}
	if err != nil {
		laptop.Fatal(err)
	}
	laptop.Cleanup(func() {
		_ = hub.Process.Signal(syscall.SIGTERM) // what became of it, Wait says
		if err := hub.Wait(); err != nil {
			laptop.Errorf("askpane hub: %v", err)
		}
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); !strings.HasPrefix(line, "The hub is up at tls://"+at) {
		laptop.Fatalf("askpane hub says %q: %v", line, err)
	}
	must(build1, must(laptop, "", "hub", "invite", "build1"), "join")
	laptop.link("") // starts the desk, which stays
	return build1
}

// An agent on build1, where there is no terminal, no tmux and nobody, asks over MCP. The
// question is in a popup in tmux on the laptop, where the person is, and the answer is the
// call's.
func TestTmuxShowsAnotherMachinesQuestion(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	laptop := newPersonAt(t, homeIn(s.env), s.spool, s.env[len(s.env)-1])
	build1 := newHub(laptop)
	v := s.attach("main", 100, 30)

	m := newMCP(t, build1.env, build1.home, nil)
	call := m.begin("question", colour)
	v.see("Which colour?", "build1")
	id := s.spool.only(t)
	if id != build1.spool.only(t) {
		t.Errorf("it is %s there", build1.spool.only(t))
	}
	if out, err := laptop.command(binary, "list").Output(); err != nil || !strings.Contains(string(out), "build1") {
		t.Errorf("askpane list on the laptop: %v\n%s", err, out)
	}
	v.press("2")
	call.says("answered", "Colour: user selected: 2. Green")
	v.unsee("Which colour?")
	for _, p := range []*person{laptop, build1} {
		eventually(t, "nothing waits", func() bool { return len(p.spool.pending()) == 0 })
	}
	if out, _ := build1.command(binary, "show", id).Output(); !strings.Contains(string(out), "laptop") {
		t.Errorf("build1 does not say that it was answered on the laptop:\n%s", out)
	}

	// And one that is answered where it was asked closes on the laptop.
	call = m.begin("question", strings.ReplaceAll(colour, "Which colour?", "And which now?"))
	v.see("And which now?")
	if out, err := build1.command(binary, "answer", "--json", `{"colour":"r"}`, build1.spool.only(t)).CombinedOutput(); err != nil {
		t.Fatalf("askpane answer: %v: %s", err, out)
	}
	call.says("answered", "Colour: user selected: 1. Red")
	v.see("build1")
	v.press(" ")
	v.unsee("And which now?")
	m.leave()
}
