//go:build darwin || freebsd || netbsd || openbsd

package plain

import "golang.org/x/sys/unix"

// setEcho makes the terminal show what is typed, or only the end of the line.
func setEcho(fd int, on bool) error {
	t, err := unix.IoctlGetTermios(fd, unix.TIOCGETA)
	if err != nil {
		return err
	}
	if t.Lflag |= unix.ECHO; !on {
		t.Lflag = t.Lflag&^unix.ECHO | unix.ECHONL
	}
	return unix.IoctlSetTermios(fd, unix.TIOCSETA, t)
}
