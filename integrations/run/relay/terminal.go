package relay

import (
	"os"
	"os/exec"
	"syscall"

	"github.com/creack/pty"
	"golang.org/x/term"
)

// Terminal reports whether Run has what it needs: a terminal on both sides.
func Terminal() bool {
	return term.IsTerminal(int(os.Stdin.Fd())) && term.IsTerminal(int(os.Stdout.Fd()))
}

// makeRaw has the terminal hand over every byte both ways as it is.
func (r *relay) makeRaw() error {
	_, err := term.MakeRaw(int(r.in.Fd()))
	return err
}

// restore gives the terminal its own settings back.
func (r *relay) restore() { _ = term.Restore(int(r.in.Fd()), r.settings) }

// startInTerminal starts a program in a pseudo-terminal of its own with the settings of ours,
// as the leader of its session, and returns our end.
func (r *relay) startInTerminal(size *pty.Winsize, env []string, args ...string) (*os.File, *exec.Cmd, error) {
	near, far, err := pty.Open()
	if err != nil {
		return nil, nil, err
	}
	defer far.Close()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Env = far, far, far, env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err = pty.Setsize(near, size); err == nil {
		err = term.Restore(int(far.Fd()), r.settings)
	}
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		near.Close()
	}
	return near, cmd, err
}
