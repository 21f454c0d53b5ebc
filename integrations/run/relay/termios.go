package relay

import (
	"os"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

func termios(fd int) (*unix.Termios, error) { return unix.IoctlGetTermios(fd, getTermios) }

// setTermios waits until what was written has left, so that it leaves as it was
// meant to.
func setTermios(fd int, t *unix.Termios) error { return unix.IoctlSetTermios(fd, putTermios, t) }

// raw is a terminal that hands over every byte both ways as it is (cfmakeraw).
func raw(t *unix.Termios) *unix.Termios {
	r := *t
	r.Iflag &^= unix.IGNBRK | unix.BRKINT | unix.PARMRK | unix.ISTRIP | unix.INLCR | unix.IGNCR | unix.ICRNL | unix.IXON
	r.Oflag &^= unix.OPOST
	r.Lflag &^= unix.ECHO | unix.ECHONL | unix.ICANON | unix.ISIG | unix.IEXTEN
	r.Cflag &^= unix.CSIZE | unix.PARENB
	r.Cflag |= unix.CS8
	r.Cc[unix.VMIN], r.Cc[unix.VTIME] = 1, 0
	return &r
}

// open makes a pseudo-terminal whose end of ours can be read with a deadline.
func open(size *unix.Winsize) (ours, theirs *os.File, err error) {
	master, theirs, err := pty.Open()
	if err != nil {
		return nil, nil, err
	}
	defer master.Close()
	fd, err := unix.FcntlInt(master.Fd(), unix.F_DUPFD_CLOEXEC, 3)
	if err == nil {
		err = unix.SetNonblock(fd, true)
	}
	if err != nil {
		theirs.Close()
		return nil, nil, err
	}
	ours = os.NewFile(uintptr(fd), master.Name())
	if err := setSize(ours, size); err != nil {
		ours.Close()
		theirs.Close()
		return nil, nil, err
	}
	return ours, theirs, nil
}

func setSize(f *os.File, size *unix.Winsize) error {
	return control(f, func(fd int) error { return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, size) })
}

// inFront is the process group in front on the terminal whose end of ours f is.
func inFront(f *os.File) (group int, err error) {
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
