package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/askpane/askpane/bridge/watch"
	"github.com/askpane/askpane/tests/proxy"
)

// forwards is a person in tmux on this machine, and another machine that the real ssh gets
// to, through a network that can be cut.
type forwards struct {
	*tmuxServer
	v    *terminal
	far  spoolDir
	own  []string // the environment here
	env  []string // and there
	tmp  string   // for temporary files of both
	to   []string // what askpane forward is told
	net  *proxy.Proxy
	here *beside // the forward that is up
}

func newForwards(t *testing.T) *forwards {
	t.Helper()
	f := &forwards{tmuxServer: newTmux(t), far: newSpool(t)}
	f.v = f.attach("main", 100, 30)
	f.tmp = t.TempDir()
	f.own = append(slices.Clone(f.tmuxServer.env), "ASKPANE_SPOOL="+string(f.spool), "TMPDIR="+f.tmp, unguarded)
	f.env = environ(t.TempDir(), "ASKPANE_SPOOL="+string(f.far), "TMPDIR="+f.tmp, "PATH="+filepath.Dir(binary)+":"+os.Getenv("PATH"), unguarded)
	ssh := serveSSH(t, f.env)
	port := slices.Index(ssh, "-p") + 1
	f.net = proxy.New(t, "127.0.0.1:"+ssh[port])
	ssh[port] = f.net.Port()
	ssh[slices.Index(ssh, "-q")] = "-oLogLevel=ERROR"
	f.to = append([]string{ssh[len(ssh)-1], "--"}, ssh[:len(ssh)-1]...)
	return f
}

// forward begins one, and waits until it is up.
func (f *forwards) forward() {
	f.t.Helper()
	f.here = f.run(f.own, append([]string{"forward"}, f.to...)...)
	f.here.says(1, `The questions of \S+ come here`)
}

// beside is an askpane that runs beside the test.
type beside struct {
	t    testing.TB
	pid  int
	said *heard
	over chan error
}

func (f *forwards) run(env []string, args ...string) *beside {
	f.t.Helper()
	b := &beside{t: f.t, said: &heard{}, over: make(chan error, 1)}
	cmd := exec.Command(binary, args...)
	cmd.Env, cmd.Stdout, cmd.Stderr = env, b.said, b.said
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // as a shell starts it: Ctrl+C is for all of it
	if err := cmd.Start(); err != nil {
		f.t.Fatal(err)
	}
	b.pid = cmd.Process.Pid
	go func() { b.over <- cmd.Wait() }()
	f.t.Cleanup(func() {
		_ = syscall.Kill(-b.pid, syscall.SIGKILL)
		if f.t.Failed() {
			f.t.Logf("askpane %v said:\n%s", args, b.said)
		}
	})
	return b
}

// kill sends a signal, and waits for the end.
func (b *beside) kill(sig syscall.Signal) (exit int) {
	b.t.Helper()
	if err := syscall.Kill(-b.pid, sig); err != nil {
		b.t.Fatal(err)
	}
	return b.ends()
}

func (b *beside) ends() (exit int) {
	b.t.Helper()
	eventually(b.t, "askpane forward has ended", func() bool { return len(b.over) > 0 })
	return code(<-b.over)
}

// says waits until it has said something so often.
func (b *beside) says(times int, pattern string) {
	b.t.Helper()
	said := regexp.MustCompile(pattern)
	eventually(b.t, "it says "+pattern, func() bool { return len(said.FindAllString(b.said.String(), -1)) >= times })
}

// asks asks there, without a terminal.
func (f *forwards) asks() *asker {
	f.t.Helper()
	a := newAsker(f.t, f.far, colour)
	cmd := exec.Command("sh", "-c", a.script(nil))
	cmd.Env = f.env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
	})
	return a
}

// serving are the processes of the forward on the other machine.
func (f *forwards) serving() []int {
	return slices.DeleteFunc(atHome(homeIn(f.env)), func(pid int) bool {
		line, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
		return !strings.Contains(string(line), "\x00--serve")
	})
}

func homeIn(env []string) string {
	for _, e := range env {
		if dir, ok := strings.CutPrefix(e, "HOME="); ok {
			return dir
		}
	}
	panic("no HOME")
}

const asked = "Which colour?"

// A question that is asked there, where no form could open, is answered in a popup here;
// Ctrl+C ends both sides, and the question waits on there.
func TestForward(t *testing.T) {
	t.Parallel()
	f := newForwards(t)
	if r := f.asks().result(); r.Outcome != "unavailable" || !strings.Contains(r.Text, "askpane forward") {
		t.Errorf("without a forward: %+v", r)
	}
	f.forward()
	a := f.asks()
	f.v.see(asked)
	f.v.press("1")
	a.answered("Colour: user selected: 1. Red")
	eventually(t, "it is over here, too", func() bool { return len(f.spool.pending()) == 0 })
	f.v.unsee(asked)

	b := f.asks()
	f.v.see(asked)
	if exit := f.here.kill(syscall.SIGINT); exit != 0 {
		t.Errorf("Ctrl+C: exit code %d", exit)
	}
	f.v.unsee(asked)
	eventually(t, "nothing runs there", func() bool { return len(f.serving()) == 0 })
	if left := f.spool.pending(); len(left) > 0 || len(f.spool.history()) != 1 {
		t.Errorf("left here: %v, history %v", left, f.spool.history())
	}
	if files, err := os.ReadDir(f.tmp); err != nil || len(files) > 0 {
		t.Errorf("left: %v, %v", files, err)
	}
	if len(f.far.pending()) != 1 || watch.Held(filepath.Join(homeIn(f.env), ".local/state/askpane/forwarded.lock")) {
		t.Errorf("there: %v", f.far.pending())
	}
	f.forward()
	f.v.see(asked)
	f.v.press("2")
	b.answered("Colour: user selected: 2. Green")
}

// The connection is cut: forms stay, what is answered on either side meanwhile gets to the
// other when it is back, and nothing is asked twice.
func TestForwardCut(t *testing.T) {
	t.Parallel()
	f := newForwards(t)
	f.forward()
	here := f.asks()
	f.v.see(asked)
	first := f.far.only(t)
	there := f.asks()
	eventually(t, "both have come", func() bool { return len(f.spool.pending()) == 2 })
	f.net.Cut(true)
	f.here.says(2, "the connection to .* has ended.*; trying again in [0-9]+s\\.|does not get to .*; trying again in 2s\\.")
	f.v.press("1")
	for _, id := range f.far.pending() {
		if id != first {
			if _, code := f.far.run(t, "", "answer", id, "--json", `{"colour":"Blue"}`); code != 0 {
				t.Errorf("askpane answer there: exit code %d", code)
			}
		}
	}
	there.answered("Colour: user selected: 3. Blue")
	f.net.Cut(false)
	f.here.says(2, "The questions of .* come here")
	here.answered("Colour: user selected: 1. Red")
	eventually(t, "both are over here", func() bool { return len(f.spool.history()) == 2 })
	f.v.unsee(asked)
}

// Either side is killed: the other ends or tries again, and nothing is lost.
func TestForwardKilled(t *testing.T) {
	t.Parallel()
	f := newForwards(t)
	f.forward()
	a := f.asks()
	f.v.see(asked)
	for _, pid := range f.serving() {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && err != syscall.ESRCH {
			t.Fatal(err)
		}
	}
	f.here.says(2, "The questions of .* come here")
	f.v.see(asked)
	if err := syscall.Kill(f.here.pid, syscall.SIGKILL); err != nil { // not ssh
		t.Fatal(err)
	}
	f.here.ends()
	eventually(t, "nothing runs there", func() bool { return len(f.serving()) == 0 })
	f.v.see(asked)
	f.v.press("1")
	f.v.unsee(asked)
	if a.returned() {
		t.Error("an answer has come there")
	}
	f.forward()
	a.answered("Colour: user selected: 1. Red")
	eventually(t, "it is over here", func() bool { return len(f.spool.history()) == 1 })
}

// What does not work is said in a sentence.
func TestForwardErrors(t *testing.T) {
	t.Parallel()
	f := newForwards(t)
	bin := t.TempDir()
	write := func(script string) {
		if err := os.WriteFile(filepath.Join(bin, "askpane"), []byte("#!/bin/sh\n"+script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	refused := slices.Clone(f.to)
	refused[slices.Index(refused, "-p")+1] = "1"
	for what, test := range map[string]struct {
		env  []string
		to   []string
		want string
	}{
		"no ssh":  {append(slices.Clone(f.own), "PATH="+bin), f.to, "ssh does not run here: .*; install OpenSSH's client"},
		"refused": {f.own, refused, "ssh does not get to 127.0.0.1: .*Connection refused; see whether ssh 127.0.0.1 does"},
		"nothing": {f.own, nil, "askpane forward takes a machine"},
	} {
		b := f.run(test.env, append([]string{"forward"}, test.to...)...)
		if exit := b.ends(); exit == 0 || !regexp.MustCompile(test.want).MatchString(b.said.String()) {
			t.Errorf("%s: exit code %d, %q", what, exit, b.said)
		}
	}
	f.env = append(f.env, "PATH="+bin+":/usr/bin:/bin")
	ssh := serveSSH(t, f.env)
	to := append([]string{"127.0.0.1", "--"}, ssh[:len(ssh)-1]...)
	to[slices.Index(to, "-q")] = "-oLogLevel=ERROR"
	for script, want := range map[string]string{
		"": "there is no askpane on 127.0.0.1: .*; install it there",
		"echo 'askpane: there is no command forward' >&2; exit 2":           "askpane forward does not run on 127.0.0.1: there is no command forward; install this version there: ",
		`echo hello; echo 'askpane-forward {"version":2,"askpane":"v9.0"}'`: `askpane there is of version "?v9.0"?, and this one, of .*, does not understand it; install the same version`,
	} {
		if write(script); script == "" {
			if err := os.Remove(filepath.Join(bin, "askpane")); err != nil {
				t.Fatal(err)
			}
		}
		b := f.run(f.own, append([]string{"forward"}, to...)...)
		if exit := b.ends(); exit != 1 || !regexp.MustCompile(want).MatchString(b.said.String()) || strings.Count(b.said.String(), "\n") != 1 {
			t.Errorf("%q: exit code %d, %q", script, exit, b.said)
		}
	}
}

// Without ssh, a container has a socket of this machine.
func TestForwardSocket(t *testing.T) {
	t.Parallel()
	f := newForwards(t)
	dir := shortDir(t)
	socket := filepath.Join(dir, "socket")
	there := f.run(f.env, "forward", "--serve", "--socket", socket)
	there.says(1, "askpane forward does not listen there: .*; trying again in 1s")
	f.here = f.run(f.own, "forward", "--socket", socket)
	f.here.says(1, "is connected")
	if info, err := os.Stat(socket); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the socket: %v, %v", info.Mode(), err)
	}
	a := f.asks()
	f.v.see(asked)
	if err := syscall.Kill(f.here.pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	f.here = f.run(f.own, "forward", "--socket", socket)
	f.here.says(1, "is connected")
	f.v.see(asked)
	f.v.press("1")
	a.answered("Colour: user selected: 1. Red")
	if second := f.run(f.own, "forward", "--socket", socket); second.ends() != 1 || !strings.Contains(second.said.String(), "another process listens") {
		t.Errorf("a second one: %s", second.said)
	}
	twice := f.run(f.env, "forward", "--serve", "--socket", socket)
	f.here.says(1, "A machine has gone: a machine .* is connected already; give it another host name")
	twice.kill(syscall.SIGTERM)
	if exit := there.kill(syscall.SIGTERM); exit != 0 {
		t.Errorf("there: exit code %d", exit)
	}
	f.here.says(1, "its connection has ended")
	if exit := f.here.kill(syscall.SIGINT); exit != 0 {
		t.Errorf("here: exit code %d", exit)
	}
	if _, err := os.Stat(socket); err == nil {
		t.Error("the socket is left")
	}
}

// heard is what a program says.
type heard struct {
	mu  sync.Mutex
	all strings.Builder
}

func (s *heard) Write(data []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all.Write(data)
}

func (s *heard) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all.String()
}
