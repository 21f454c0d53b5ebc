//go:build darwin || freebsd || netbsd || openbsd

package terminal

import "golang.org/x/sys/unix"

// lineMode reports whether the terminal hands over whole lines, as a shell
// leaves it for the programs it runs.
func lineMode(fd int) (bool, error) {
	t, err := unix.IoctlGetTermios(fd, unix.TIOCGETA)
	return err == nil && t.Lflag&unix.ICANON != 0, err
}
