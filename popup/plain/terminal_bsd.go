//go:build darwin || freebsd || netbsd || openbsd

package plain

import "golang.org/x/sys/unix"

// What tcgetattr is here, and tcsetattr with TCSANOW and with TCSAFLUSH.
const getMode, setMode, setModeAndFlush = unix.TIOCGETA, unix.TIOCSETA, unix.TIOCSETAF
