//go:build darwin || freebsd || netbsd || openbsd

package plain

import "golang.org/x/sys/unix"

// What tcgetattr is here, and tcsetattr with TCSANOW and with TCSAFLUSH; its flag IUTF8 is left as it is.
const getMode, setMode, setModeAndFlush, utf8 = unix.TIOCGETA, unix.TIOCSETA, unix.TIOCSETAF, 0

const longest = 1023 // bytes of a line that macOS hands over; where it may be longer, such a one is not taken either
