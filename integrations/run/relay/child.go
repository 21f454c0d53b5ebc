package relay

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// ChildCommand is how askpane is called to stand between `askpane run` and the
// command: `askpane run-child COMMAND…`.
//
// It leads the session of the command's terminal. A command that led it itself
// could not be stopped: without a parent in its session its process group is an
// orphaned one, and there Ctrl+Z does nothing.
const ChildCommand = "run-child"

// reports is the descriptor on which the one between says what happens to the
// command, a line each.
const reports = 3

// Child is that process. It returns the exit code.
func Child(args []string) int {
	out := os.NewFile(reports, "reports")
	// What is typed as a signal goes to the command's group; none of it is ours.
	// Taken and not ignored: the command would inherit that.
	signal.Notify(make(chan os.Signal, 1), unix.SIGINT, unix.SIGQUIT, unix.SIGTSTP, unix.SIGTTOU, unix.SIGTTIN, unix.SIGTERM)
	hangUp := make(chan os.Signal, 1)
	signal.Notify(hangUp, unix.SIGHUP)
	path, err := exec.LookPath(args[0])
	if err != nil {
		code := 127 // as a shell has it
		if errors.Is(err, fs.ErrPermission) {
			code = 126
		}
		fmt.Fprintf(out, "failed %d %s\n", code, oneLine(err))
		return code
	}
	unix.CloseOnExec(reports)
	p, err := os.StartProcess(path, args, &os.ProcAttr{
		Files: []*os.File{os.Stdin, os.Stdout, os.Stderr},
		Sys:   &syscall.SysProcAttr{Setpgid: true, Foreground: true, Ctty: 0},
	})
	if err != nil {
		fmt.Fprintf(out, "failed 126 %s\n", oneLine(err))
		return 126
	}
	fmt.Fprintf(out, "pid %d\n", p.Pid)
	// When the terminal goes, with `askpane run`, the kernel tells the session's
	// leader alone, and the group in front when that has ended. So the command is
	// told by us, as a shell tells its jobs.
	go func() {
		for range hangUp {
			_ = unix.Kill(-p.Pid, unix.SIGHUP) // it may have ended
			_ = unix.Kill(-p.Pid, unix.SIGCONT)
		}
	}()
	for {
		var ws unix.WaitStatus
		switch _, err := unix.Wait4(p.Pid, &ws, unix.WUNTRACED, nil); {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return 1
		case ws.Stopped():
			fmt.Fprintf(out, "stopped\n")
		case ws.Signaled():
			fmt.Fprintf(out, "signaled %d\n", int(ws.Signal()))
			return 0
		default:
			fmt.Fprintf(out, "exited %d\n", ws.ExitStatus())
			return 0
		}
	}
}

func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", " ") }

// status is what has become of the command.
type status struct {
	stopped bool
	exit    int
	signal  unix.Signal // that ended it
}

func (s status) code() int {
	if s.signal != 0 {
		return 128 + int(s.signal)
	}
	return s.exit
}

// child is the command, and the process between.
type child struct {
	pid     int
	changes chan status
}

// startChild starts the command on the terminal tty.
func startChild(self string, args, env []string, tty *os.File) (*child, error) {
	lines, theirs, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	cmd := exec.Command(self, append([]string{ChildCommand}, args...)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Env = tty, tty, tty, env
	cmd.ExtraFiles = []*os.File{theirs} // the first is descriptor 3
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		lines.Close()
		return nil, fmt.Errorf("run %s: %w", args[0], err)
	}
	c := &child{changes: make(chan status, 16)}
	in := bufio.NewScanner(lines)
	failed := &NotStarted{Code: 126, Reason: "it ended at once"}
	if in.Scan() {
		if n, err := fmt.Sscanf(in.Text(), "pid %d", &c.pid); n != 1 || err != nil {
			code, reason, _ := strings.Cut(strings.TrimPrefix(in.Text(), "failed "), " ")
			failed.Reason = reason
			_, _ = fmt.Sscan(code, &failed.Code)
		}
	}
	if c.pid == 0 {
		lines.Close()
		_ = cmd.Wait()
		return nil, failed
	}
	go func() {
		defer lines.Close()
		last := status{exit: 1} // where the one between was killed
		for in.Scan() {
			var st status
			word, number, _ := strings.Cut(in.Text(), " ")
			var n int
			_, _ = fmt.Sscan(number, &n)
			switch word {
			case "stopped":
				st.stopped = true
				c.changes <- st
			case "exited":
				last = status{exit: n}
			case "signaled":
				last = status{signal: unix.Signal(n)}
			}
		}
		_ = cmd.Wait()
		c.changes <- last
	}()
	return c, nil
}

// NotStarted is the error of a command that cannot be run.
type NotStarted struct {
	Code   int // 127 where there is none, 126 where it cannot be executed
	Reason string
}

func (e *NotStarted) Error() string { return "the command cannot be run: " + e.Reason }

// signal sends the command's process group a signal. Ended is no failure.
func (c *child) signal(sig unix.Signal) { _ = unix.Kill(-c.pid, sig) }

// suspend stops us where the command has stopped, as a shell expects of the job
// that it has started, and goes on when the shell says so.
func (r *relay) suspend() {
	r.closeBox()
	r.mu.Lock()
	r.quiet() // it has tidied up before it stopped
	r.giveBack()
	again := make(chan os.Signal, 1)
	signal.Notify(again, unix.SIGCONT)
	_ = unix.Kill(0, unix.SIGTSTP)
	// Nobody waits for this job if nothing happens: then it cannot be stopped,
	// and the command goes on.
	select {
	case <-again:
	case <-time.After(stopLimit):
	}
	signal.Stop(again)
	_ = setTermios(int(r.in.Fd()), raw(r.cooked))
	r.mu.Unlock()
	r.resize()
	r.child.signal(unix.SIGCONT)
}

const stopLimit = 200 * time.Millisecond
