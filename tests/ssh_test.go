package tests

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"net"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/creack/pty"
	"github.com/gliderlabs/ssh"
	gossh "golang.org/x/crypto/ssh"

	"github.com/askpane/askpane/tests/needs"
)

// openSSH: the person runs the call themselves, on another machine: by the real
// client, on a server that does what sshd does. sshd itself needs a user of its
// own, which a test must not make.
func openSSH(t testing.TB, width, height int, env ...string) place {
	t.Helper()
	p, _ := newSSH(t, width, height, env...)
	return p
}

// newSSH is that, with the arguments by which the client gets there again.
func newSSH(t testing.TB, width, height int, env ...string) (p place, to []string) {
	t.Helper()
	v := newTerminal(t, width, height)
	p = place{terminal: v, spool: newSpool(t)}
	t.Cleanup(func() {
		p.spool.noneLeft(t)
		v.close()
	})
	to = serveSSH(t, environ(t.TempDir(), env...))
	home := t.TempDir()
	p.ask = func(request string, args ...string) *asker {
		t.Helper()
		a := newAsker(t, p.spool, request)
		v.start(environ(home), "ssh", append(to, "-tt", fmt.Sprintf("echo %s; %s", before, a.script(nil, args...)))...)
		return a
	}
	return p, to
}

// serveSSH serves until the test ends, and returns the client's arguments that
// lead there.
func serveSSH(t testing.TB, env []string) (args []string) {
	t.Helper()
	needs.Program(t, "ssh")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &ssh.Server{HostSigners: []ssh.Signer{hostKey()}, Handler: func(s ssh.Session) { _ = s.Exit(runFor(s, env)) }} // the client may have gone
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	t.Cleanup(func() {
		server.Close()
		if err := <-served; !errors.Is(err, ssh.ErrServerClosed) {
			t.Errorf("the ssh server: %v", err)
		}
	})
	port := listener.Addr().(*net.TCPAddr).Port
	return []string{
		"-F", "none", "-q", "-e", "none", "-p", strconv.Itoa(port),
		"-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null",
		"-o", "IdentityFile=none", "-o", "IdentityAgent=none", "127.0.0.1",
	}
}

// hostKey is one for all servers: the library would make an RSA key for each.
var hostKey = sync.OnceValue(func() ssh.Signer {
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		panic(err)
	}
	signer, err := gossh.NewSignerFromKey(key)
	if err != nil {
		panic(err)
	}
	return signer
})

// runFor runs the session's command, on a terminal if it wants one, and returns
// its exit code. When the client goes, the command is hung up, as by a terminal
// that is closed.
func runFor(s ssh.Session, env []string) int {
	host, port, _ := net.SplitHostPort(s.RemoteAddr().String())
	cmd := exec.Command("sh", "-c", s.RawCommand())
	cmd.Env = append(env, fmt.Sprintf("SSH_CONNECTION=%s %s 127.0.0.1 22", host, port))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	wants, sizes, terminal := s.Pty()
	if !terminal {
		cmd.Stdout, cmd.Stderr = s, s.Stderr()
		in, err := cmd.StdinPipe() // its end is not waited for, as sshd does not
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			fmt.Fprintln(s.Stderr(), err)
			return 255
		}
		go func() {
			_, _ = io.Copy(in, s)
			in.Close()
		}()
		return code(cmd.Wait())
	}
	ours, tty, err := pty.Open()
	if err != nil {
		fmt.Fprintln(s.Stderr(), err)
		return 255
	}
	var mu sync.Mutex // a size may come as the terminal is closed
	closed := false
	defer func() {
		mu.Lock()
		defer mu.Unlock()
		closed = true
		ours.Close()
	}()
	setSize := func(w ssh.Window) {
		mu.Lock()
		defer mu.Unlock()
		if !closed {
			_ = pty.Setsize(ours, &pty.Winsize{Cols: uint16(w.Width), Rows: uint16(w.Height)})
		}
	}
	setSize(wants.Window)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.Env = append(cmd.Env, "SSH_TTY="+tty.Name(), "TERM="+wants.Term)
	cmd.SysProcAttr.Setctty = true
	err = cmd.Start()
	tty.Close()
	if err != nil {
		fmt.Fprintln(s.Stderr(), err)
		return 255
	}
	go func() {
		for w := range sizes {
			setSize(w)
		}
	}()
	over := make(chan struct{})
	go func() {
		_, _ = io.Copy(ours, s) // until the client is gone
		select {
		case <-over:
		default:
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGHUP)
		}
	}()
	if _, err := io.Copy(s, ours); errors.Is(err, syscall.EIO) { // nobody has the terminal any more; else the client is gone
		close(over)
	}
	return code(cmd.Wait())
}

// code is the exit code in what Wait says.
func code(err error) int {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	return 255
}

// The connection breaks while the form is open: nothing that was typed is lost,
// and the person answers when they are back. So does the agent, which asks again.
func TestSSHBroken(t *testing.T) {
	t.Parallel()
	p, to := newSSH(t, 100, 30, unguarded)
	a := p.ask(colour)
	p.see("> 1. Red")
	p.press("4")
	p.press(strings.Split("teal", "")...)
	p.see("teal")
	id := p.spool.only(t)
	eventually(t, "the draft is there", func() bool { return strings.Contains(p.spool.read(id, "draft.json"), "teal") })
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the call has ended", func() bool { return len(p.spool.processes("ask")) == 0 })
	if out := a.read("out"); !strings.Contains(out, `"outcome":"pending"`) {
		t.Errorf("it said %q", out)
	}
	back := newTerminal(t, 100, 30)
	t.Cleanup(back.close)
	again := newAsker(t, p.spool, colour)
	back.start(environ(t.TempDir()), "ssh", append(to, "-tt", again.script([]string{unguarded}))...)
	back.see("teal")
	back.press(enter)
	again.answered("Colour: user wrote: teal")
	if left := p.spool.pending(); len(left) != 0 {
		t.Errorf("two forms were open: %v", left)
	}
}

// Without a terminal, and with no multiplexer, nobody can be asked: the reason
// says where was looked.
func TestSSHWithoutTerminal(t *testing.T) {
	t.Parallel()
	spool := newSpool(t)
	to := serveSSH(t, environ(t.TempDir(), "ASKPANE_SPOOL="+string(spool)))
	cmd := exec.Command("ssh", append(to, "-T", quote(binary)+" ask --output text")...)
	cmd.Env, cmd.Stdin = environ(t.TempDir()), strings.NewReader(colour)
	out, err := cmd.CombinedOutput()
	for _, looked := range []string{"not inside tmux ($TMUX)", "terminal, plain: this process has no controlling terminal", "window: there is no display"} {
		if code(err) != 5 || !strings.Contains(string(out), looked) {
			t.Errorf("exit code %d without %q:\n%s", code(err), looked, out)
		}
	}
}
