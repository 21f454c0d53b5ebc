package faults

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// proc is a process that we have started.
type proc struct {
	cmd   *exec.Cmd
	ended chan struct{}
	sent  []syscall.Signal // what it got from us
}

// start starts a process; it is ended with the schedule, if it is not over before.
func (w *script) start(cmd *exec.Cmd) (*proc, error) {
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &proc{cmd: cmd, ended: make(chan struct{})}
	w.started = append(w.started, p)
	go func() {
		_ = cmd.Wait() // how it ended is in its state
		close(p.ended)
	}()
	return p, nil
}

func (p *proc) over() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// overWithin waits for the end.
func (p *proc) overWithin(most time.Duration) bool {
	select {
	case <-p.ended:
		return true
	case <-time.After(most):
		return false
	}
}

// ends waits for the end of a process; that it does not end is wrong, as is said.
func (w *script) ends(p *proc, format string, args ...any) {
	if !p.overWithin(patience) {
		w.fail(format, args...)
	}
}

func (p *proc) signal(sig syscall.Signal) {
	if !p.over() {
		p.sent = append(p.sent, sig)
		_ = p.cmd.Process.Signal(sig) // it may end at this moment
	}
}

// killed reports whether the process got no chance to clean up.
func (p *proc) killed() bool {
	if !p.over() {
		return false
	}
	status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	return ok && status.Signaled()
}

// code is the exit code of a process that is over.
func (p *proc) code() int { return p.cmd.ProcessState.ExitCode() }

func (p *proc) String() string {
	if p == nil {
		return "never started"
	}
	state := "runs"
	if p.over() {
		state = p.cmd.ProcessState.String()
	}
	return fmt.Sprintf("pid %d, %s, was sent %v", p.cmd.Process.Pid, state, p.sent)
}

// screen is a person's terminal. Nobody looks at it; what matters is on the disk.
type screen struct {
	*script
	terminal, device *os.File
	closed           bool
}

// newScreen opens one; it is closed with the schedule, if it is not before.
func (w *script) newScreen() (*screen, error) {
	terminal, device, err := pty.Open()
	if err != nil {
		return nil, err
	}
	if err := pty.Setsize(terminal, &pty.Winsize{Cols: 90, Rows: 30}); err != nil {
		return nil, err
	}
	if terminal, err = pollable(terminal); err != nil {
		return nil, err
	}
	s := &screen{script: w, terminal: terminal, device: device}
	w.screens = append(w.screens, s)
	go s.answers()
	return s, nil
}

// answers says what every terminal says when a program asks what it is, until it is
// closed. A form that ends waits for that, and its keys are nobody's meanwhile.
func (s *screen) answers() {
	const asks, is = "\x1b[c", "\x1b[?62c"
	var before []byte
	for buf := make([]byte, 32<<10); ; {
		n, err := s.terminal.Read(buf)
		if err != nil {
			return
		}
		before = append(before, buf[:n]...)
		if bytes.Contains(before, []byte(asks)) {
			before = nil
			s.press(is)
		}
		before = bytes.Clone(before[max(0, len(before)-len(asks)+1):])
	}
}

// pollable makes reads of f end when f is closed. A blocked one would keep it
// open, and who is in the terminal would not notice.
func pollable(f *os.File) (*os.File, error) {
	defer f.Close()
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}

// start runs a program as the terminal's session leader; it closes when that
// one ends, unless somebody else has it open.
func (s *screen) start(cmd *exec.Cmd) (*proc, error) {
	cmd.ExtraFiles = []*os.File{s.device}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 3}
	return s.script.start(cmd)
}

func (s *screen) press(keys string) { _, _ = s.terminal.WriteString(keys) } // nobody may be there any more

// close closes the terminal's window.
func (s *screen) close() {
	if !s.closed {
		s.closed = true
		s.device.Close()
		s.terminal.Close()
	}
}

// stray is a process of the world that runs.
type stray struct {
	pid           int
	program, line string
}

// kill ends it; it is the world's own by its environment.
func (s stray) kill() { _ = syscall.Kill(s.pid, syscall.SIGKILL) }

// left are the askpane processes of this world, and the tmux commands they have
// started.
func (w *world) left() []stray {
	return slices.DeleteFunc(processes(w.spool), func(s stray) bool { return !s.ours() })
}

func (s stray) ours() bool {
	return s.program == binary || s.program == binary+"-popup" || strings.Contains(s.line, " display-popup ")
}

// processes are all that have a spool in their environment.
func processes(spool string) []stray {
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		panic(err) // the pattern is ours
	}
	var all []stray
	for _, dir := range dirs {
		pid, err := strconv.Atoi(filepath.Base(dir))
		if p, ok := process(pid, spool); err == nil && ok {
			all = append(all, p)
		}
	}
	return all
}

// process is the one with that number, if it has the spool in its environment. One that
// is killed has none from then on; its locks it has for some milliseconds more.
func process(pid int, spool string) (stray, bool) {
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	env, _ := os.ReadFile(filepath.Join(dir, "environ")) // it may have ended by now
	if !bytes.Contains(env, []byte("ASKPANE_SPOOL="+spool+"\x00")) {
		return stray{}, false
	}
	line, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
	args := strings.Split(string(bytes.TrimSuffix(line, []byte{0})), "\x00")
	return stray{pid, args[0], strings.Join(args, " ")}, true
}

// endAll ends every process that has the spool in its environment.
func (w *script) endAll(spool string) {
	var left []stray
	if !until(func() bool { // one may be starting another
		left = processes(spool)
		for _, p := range left {
			p.kill()
		}
		return len(left) == 0
	}) {
		w.fail("processes do not end: %v", left)
	}
}

// endStarted ends and waits for every process that the schedule has started, and closes
// its screens.
func (w *script) endStarted() {
	for _, s := range w.screens {
		s.close()
	}
	for _, p := range w.started {
		p.signal(syscall.SIGKILL)
		w.ends(p, "%v does not end", p.cmd.Args)
	}
}
