package plain

import "golang.org/x/sys/unix"

// discardInput throws away what the terminal holds unread (tcflush, TCIFLUSH).
func discardInput(fd int) error { return unix.IoctlSetInt(fd, unix.TCFLSH, unix.TCIFLUSH) }
