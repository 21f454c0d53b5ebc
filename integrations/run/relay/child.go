package relay

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
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
// command.
const reports = 3

// status is what has become of the command: what the one between says, a line of JSON
// each time. The first says that it has been started, or why not.
type status struct {
	PID    int             `json:",omitempty"`
	Failed *NotStarted     `json:",omitempty"`
	Wait   unix.WaitStatus `json:",omitempty"`
}

// NotStarted is the error of a command that cannot be run.
type NotStarted struct {
	Code   int // as a shell has it: 127 where there is none, 126 where it cannot be executed
	Reason string
}

func (e *NotStarted) Error() string { return "the command cannot be run: " + e.Reason }

// Child is the process between. It returns the exit code.
func Child(args []string) int {
	pipe := os.NewFile(reports, "reports")
	say := func(s status) { _ = json.NewEncoder(pipe).Encode(s) } // nobody may be left to hear it
	// What is typed as a signal goes to the command's group; none of it is ours.
	// Taken and not ignored: the command would inherit that.
	signal.Notify(make(chan os.Signal, 1), unix.SIGINT, unix.SIGQUIT, unix.SIGTSTP, unix.SIGTTOU, unix.SIGTTIN, unix.SIGTERM)
	hangUp := make(chan os.Signal, 1)
	signal.Notify(hangUp, unix.SIGHUP)
	unix.CloseOnExec(reports)
	p, failed := startForeground(args)
	if failed != nil {
		say(status{Failed: failed})
		return failed.Code
	}
	say(status{PID: p.Pid})
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
		_, err := unix.Wait4(p.Pid, &ws, unix.WUNTRACED, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return 1
		}
		say(status{Wait: ws})
		if !ws.Stopped() {
			return 0
		}
	}
}

// startForeground starts the command as the process group in front.
func startForeground(args []string) (*os.Process, *NotStarted) {
	path, err := exec.LookPath(args[0])
	if err != nil && !errors.Is(err, fs.ErrPermission) {
		return nil, &NotStarted{127, err.Error()}
	}
	var p *os.Process
	if err == nil {
		p, err = os.StartProcess(path, args, &os.ProcAttr{
			Files: []*os.File{os.Stdin, os.Stdout, os.Stderr},
			Sys:   &syscall.SysProcAttr{Setpgid: true, Foreground: true, Ctty: 0},
		})
	}
	if err != nil {
		return nil, &NotStarted{126, err.Error()}
	}
	return p, nil
}

// child is the command, and the process between.
type child struct {
	pid     int
	changes chan unix.WaitStatus
}

// startChild starts the command on the terminal tty.
func startChild(self string, args, env []string, tty *os.File) (*child, error) {
	pipe, theirs, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	cmd := exec.Command(self, append([]string{ChildCommand}, args...)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Env = tty, tty, tty, env
	cmd.ExtraFiles = []*os.File{theirs} // the first is descriptor 3
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		pipe.Close()
		return nil, fmt.Errorf("run %s: %w", args[0], err)
	}
	in, first := json.NewDecoder(pipe), status{}
	if err := in.Decode(&first); err != nil || first.PID == 0 {
		pipe.Close()
		_ = cmd.Wait()
		return nil, cmp.Or(first.Failed, &NotStarted{126, "it ended at once"})
	}
	c := &child{pid: first.PID, changes: make(chan unix.WaitStatus, 16)}
	go func() {
		defer pipe.Close()
		last := unix.WaitStatus(1 << 8) // an exit code of 1, where the one between was killed
		for st := (status{}); in.Decode(&st) == nil; st = (status{}) {
			if st.Wait.Stopped() {
				c.changes <- st.Wait
			} else {
				last = st.Wait
			}
		}
		_ = cmd.Wait()
		c.changes <- last
	}()
	return c, nil
}

// signal sends the command's process group a signal. Ended is no failure.
func (c *child) signal(sig unix.Signal) { _ = unix.Kill(-c.pid, sig) }

// suspend stops us where the command has stopped, as a shell expects of the job
// that it has started, and goes on when the shell says so.
func (r *relay) suspend() {
	r.closeBox()
	r.quiet(30*time.Millisecond, 300*time.Millisecond) // it has tidied up before it stopped
	r.mu.Lock()
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
	_ = r.takeOver()
	r.mu.Unlock()
	r.resize()
	r.child.signal(unix.SIGCONT)
}

const stopLimit = 200 * time.Millisecond
