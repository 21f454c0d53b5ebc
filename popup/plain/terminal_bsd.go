//go:build darwin || freebsd || netbsd || openbsd

package plain

import "golang.org/x/sys/unix"

// What tcgetattr is here, and tcsetattr with TCSANOW and with TCSAFLUSH.
const getMode, setMode, setModeAndFlush = unix.TIOCGETA, unix.TIOCSETA, unix.TIOCSETAF

// longest counts the bytes of a line that are handed over; what is typed beyond is lost. It is macOS's
// MAX_CANON, and where a line may be longer, such a one is not taken either.
const longest = 1023
