package programs

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// ReleasePages lets go of the pages of the program's file that this process has mapped: nearly
// all that a process holds that only waits. They stay in the system's cache, and each comes
// back within microseconds when it is needed. It does nothing where the system does not list
// them, as on macOS.
func ReleasePages() {
	maps, _ := os.ReadFile("/proc/self/smaps")
	self, _ := os.Readlink("/proc/self/exe")
	var start, end uintptr // of the mapping that the line is about; 0 where that stays
	for line := range strings.Lines(string(maps)) {
		var from, to uintptr
		var mode string
		switch n, _ := fmt.Sscanf(line, "%x-%x %s", &from, &to, &mode); {
		case n == 3:
			if start, end = from, to; mode[1] == 'w' || !strings.HasSuffix(line, " "+self+"\n") {
				start = 0
			}
		case (strings.HasPrefix(line, "Anonymous:") || strings.HasPrefix(line, "Swap:")) && !strings.HasSuffix(line, " 0 kB\n"):
			start = 0 // a linker or a debugger has written what is in no file
		case strings.HasPrefix(line, "VmFlags:") && start != 0: // its last line
			_, _, _ = unix.Syscall(unix.SYS_MADVISE, start, end-start, unix.MADV_DONTNEED)
		}
	}
}
