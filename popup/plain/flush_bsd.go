//go:build darwin || freebsd || netbsd || openbsd

package plain

import "golang.org/x/sys/unix"

// fread is FREAD of <sys/fcntl.h>: the queue that TIOCFLUSH is to empty.
const fread = 1

// discardInput throws away what the terminal holds unread, which is what
// tcflush does here for TCIFLUSH.
func discardInput(fd int) error { return unix.IoctlSetPointerInt(fd, unix.TIOCFLUSH, fread) }
