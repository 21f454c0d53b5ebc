package tty

import (
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// Linux tells in steps of so many seconds when a terminal was last read from: of the keys
// typed in each the first counts (tty_update_time in its drivers/tty/tty_io.c). Other
// systems tell each key, which Typed makes later than it was.
const step = 8

// LastRead returns when a terminal of this user's was last read from, in whole seconds, as
// the system tells; zero of what is none.
func LastRead(path string) (read time.Time) {
	var st unix.Stat_t
	if unix.Stat(path, &st) == nil && int(st.Uid) == os.Geteuid() {
		read = time.Unix(int64(st.Atim.Sec), 0)
	}
	return read
}

// Typed returns the latest time at which something may have been typed at a terminal of this
// user's other than this process's own: up to eight seconds after it was, and not after now.
// It is zero where the system tells nothing.
func Typed(now time.Time) (last time.Time) {
	own, _ := Of(os.Getpid())
	for _, pattern := range []string{"/dev/pts/[0-9]*", "/dev/tty?*"} {
		terminals, _ := filepath.Glob(pattern)
		for _, path := range terminals {
			if read := LastRead(path); path != own && read.After(last) {
				last = read
			}
		}
	}
	if last.IsZero() {
		return last
	}
	if last = time.Unix(last.Unix()/step*step+step, 0); last.After(now) {
		return now
	}
	return last
}
