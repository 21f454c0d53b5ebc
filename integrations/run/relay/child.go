package relay

import (
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

// ChildCommand has askpane stand between `askpane run` and the command: `askpane run-child
// COMMAND…`.
//
// It leads the session of the command's terminal. A command that led it itself
// could not be stopped: without a parent in its session its process group is an
// orphaned one, and there Ctrl+Z does nothing.
const ChildCommand = "run-child"

// Child runs the process between. It does to the command what is done to it, and what the
// command does; it returns the exit code, as a shell has it.
func Child(args []string) int {
	// What is typed as a signal goes to the command's group alone; the others are passed
	// on, and that the terminal has gone: the kernel tells that to the session's leader.
	// Those that stop are taken and not ignored: the command would inherit that.
	signal.Notify(make(chan os.Signal, 1), unix.SIGTSTP, unix.SIGTTOU, unix.SIGTTIN)
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, passedOn...)
	p, code, err := startForeground(args)
	if err != nil {
		fmt.Fprintln(os.Stderr, "askpane: the command cannot be run:", err)
		return code
	}
	go func() {
		for sig := range signals {
			_ = unix.Kill(-p.Pid, sig.(unix.Signal)) // it may have ended
			if sig == unix.SIGHUP {
				_ = unix.Kill(-p.Pid, unix.SIGCONT)
			}
		}
	}()
	follow(p.Pid, func(ws unix.WaitStatus) {
		// Where the terminal has gone nobody is left to have us go on.
		if code = exitCode(ws); ws.Stopped() && !hungUp(os.Stdin) {
			_ = unix.Kill(os.Getpid(), unix.SIGSTOP)
		}
	})
	return code
}

// hungUp reports whether a terminal has gone. The kernel has it so before it signals
// anybody.
func hungUp(tty *os.File) bool {
	_, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
	return err != nil
}

// signaled and a signal's number make the exit code of what the signal has ended.
const signaled = 128

func exitCode(ws unix.WaitStatus) int {
	if ws.Signaled() {
		return signaled + int(ws.Signal())
	}
	return ws.ExitStatus()
}

// follow tells what becomes of a process of ours, until it has ended.
func follow(pid int, tell func(unix.WaitStatus)) {
	for {
		var ws unix.WaitStatus
		_, err := unix.Wait4(pid, &ws, unix.WUNTRACED, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if tell(ws); err != nil || !ws.Stopped() {
			return
		}
	}
}

// startForeground starts the command as the process group in front. The code is that of
// a shell: 127 where there is none, 126 where it cannot be executed.
func startForeground(args []string) (p *os.Process, code int, err error) {
	path, err := exec.LookPath(args[0])
	if err != nil && !errors.Is(err, fs.ErrPermission) {
		return nil, 127, err
	}
	if err == nil {
		p, err = os.StartProcess(path, args, &os.ProcAttr{
			Files: []*os.File{os.Stdin, os.Stdout, os.Stderr},
			Sys:   &syscall.SysProcAttr{Setpgid: true, Foreground: true, Ctty: 0},
		})
	}
	return p, 126, err
}

func (r *relay) signal(sig unix.Signal) { _ = unix.Kill(r.child, sig) } // it may have ended

// suspend stops us where the command has stopped, as a shell expects of the job
// that it has started, and goes on when the shell says so.
func (r *relay) suspend() {
	r.closeBox()
	r.quiet(30*time.Millisecond, 300*time.Millisecond) // it has tidied up before it stopped
	r.mu.Lock()
	r.restore()
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
	_ = r.makeRaw()
	r.mu.Unlock()
	r.resize()
	r.signal(unix.SIGCONT)
}

const stopLimit = 200 * time.Millisecond
