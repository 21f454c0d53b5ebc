package tty

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// mostAncestors is how far up ancestral looks.
const mostAncestors = 64

// ancestral goes up from this process to the first one that has a controlling
// terminal, which proc(5) gives by its device number.
func ancestral() string {
	for pid, n := os.Getpid(), 0; pid > 1 && n < mostAncestors; n++ {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			return ""
		}
		// The name, in brackets, may hold blanks and brackets itself. Behind it
		// come state, parent, group, session and terminal.
		fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
		if len(fields) < 5 {
			return ""
		}
		if device, err := strconv.ParseUint(fields[4], 10, 64); err == nil && device != 0 {
			return pts(device)
		}
		if pid, err = strconv.Atoi(fields[1]); err != nil {
			return ""
		}
	}
	return ""
}

// pts is the path of a pseudo-terminal, empty for other devices and for one of
// another container.
func pts(device uint64) string {
	// The kernel encodes it as mkdev does: the minor number's upper bits on top.
	major, minor := (device>>8)&0xfff, device&0xff|(device>>12)&0xfff00
	if major < 136 || major > 143 {
		return ""
	}
	path := fmt.Sprintf("/dev/pts/%d", (major-136)<<20|minor)
	var st unix.Stat_t
	if unix.Stat(path, &st) != nil || uint64(unix.Major(st.Rdev)) != major || uint64(unix.Minor(st.Rdev)) != minor {
		return ""
	}
	return path
}
