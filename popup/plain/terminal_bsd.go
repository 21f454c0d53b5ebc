//go:build darwin || freebsd || netbsd || openbsd

package plain

import "golang.org/x/sys/unix"

// What tcgetattr is here, and tcsetattr with TCSANOW and with TCSAFLUSH.
const getMode, setMode, setModeAndFlush = unix.TIOCGETA, unix.TIOCSETA, unix.TIOCSETAF

const longest = 1023 // bytes of a line that macOS hands over; where it may be longer, such a one is not taken either
