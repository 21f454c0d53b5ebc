package process

import (
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
	this, _ := Of(os.Getpid())
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, list := range lists {
		children, _ := os.ReadFile(list) // a thread may just have ended
		for _, child := range strings.Fields(string(children)) {
			pid, _ := strconv.Atoi(child)
			if p, _ := Of(pid); p.Began > this.Began {
				all = append(all, Arguments(pid))
			}
		}
	}
	return all
}
