package relay

import (
	"os"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// Terminal reports whether Run has what it needs: a terminal on both sides.
func Terminal() bool {
	return term.IsTerminal(int(os.Stdin.Fd())) && term.IsTerminal(int(os.Stdout.Fd()))
}

// takeOver has the terminal hand over every byte both ways as it is.
func (r *relay) takeOver() error {
	_, err := term.MakeRaw(int(r.in.Fd()))
	return err
}

// giveBack restores the terminal's own settings.
func (r *relay) giveBack() { _ = term.Restore(int(r.in.Fd()), r.settings) }

// newTerminal makes a pseudo-terminal with the settings of ours, whose near end can
// be read with a deadline.
func (r *relay) newTerminal(size *unix.Winsize) (near, far *os.File, err error) {
	blocking, far, err := pty.Open()
	if err != nil {
		return nil, nil, err
	}
	defer blocking.Close()
	fd, err := unix.FcntlInt(blocking.Fd(), unix.F_DUPFD_CLOEXEC, 3)
	if err == nil {
		err = unix.SetNonblock(fd, true)
	}
	if err != nil {
		far.Close()
		return nil, nil, err
	}
	near = os.NewFile(uintptr(fd), blocking.Name())
	if err = setSize(near, size); err == nil {
		err = term.Restore(int(far.Fd()), r.settings)
	}
	if err != nil {
		near.Close()
		far.Close()
		return nil, nil, err
	}
	return near, far, nil
}

func setSize(f *os.File, size *unix.Winsize) error {
	return control(f, func(fd int) error { return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, size) })
}

// foreground is the process group in front on the terminal whose near end f is.
func foreground(f *os.File) (group int, err error) {
	err = control(f, func(fd int) (err error) {
		group, err = unix.IoctlGetInt(fd, unix.TIOCGPGRP)
		return err
	})
	return group, err
}

// control leaves the file as it is; File.Fd would make it block.
func control(f *os.File, do func(fd int) error) error {
	c, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	if err := c.Control(func(fd uintptr) { failed = do(int(fd)) }); err != nil {
		return err
	}
	return failed
}
