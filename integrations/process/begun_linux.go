package process

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Begun returns the arguments of the processes that pid has started, and that began after this one.
func Begun(pid int) (all [][]string) {
	since := start(os.Getpid())
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		child, err := strconv.Atoi(e.Name())
		if err != nil || child == os.Getpid() {
			continue
		}
		if p, ok := Of(child); ok && p.Parent == pid && since > 0 && start(child) > since {
			all = append(all, arguments(child))
		}
	}
	return all
}

// start returns when a process began, in the kernel's ticks; 0 where that is not known.
func start(pid int) (ticks uint64) {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	const after = 19 // fields between the name and the start, proc_pid_stat(5)
	if fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:])); len(fields) > after {
		ticks, _ = strconv.ParseUint(fields[after], 10, 64)
	}
	return ticks
}
