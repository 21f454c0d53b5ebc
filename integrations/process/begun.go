package process

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Begun returns the arguments of the processes that pid has started, and that began after this one.
// Linux lists them by the thread that has started them (proc_pid_task_children(5)); macOS does not
// say it in one place, and none is found there.
func Begun(pid int) (all [][]string) {
	since := start(os.Getpid())
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, list := range lists {
		children, _ := os.ReadFile(list) // a thread may just have ended
		for _, child := range strings.Fields(string(children)) {
			if child, err := strconv.Atoi(child); err == nil && since > 0 && start(child) > since {
				all = append(all, Arguments(child))
			}
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
