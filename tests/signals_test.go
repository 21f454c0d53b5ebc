package tests

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// catches reports whether a process has a handler for sig that is not yet the
// Go runtime's own: it reads what the kernel says (proc(5), SigCgt), and asks
// for the pipe of a command that is already reading.
func catches(pid int, sig syscall.Signal) bool {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return false
	}
	caught := false
	for line := range strings.Lines(string(data)) {
		if mask, ok := strings.CutPrefix(line, "SigCgt:"); ok {
			bits, err := strconv.ParseUint(strings.TrimSpace(mask), 16, 64)
			caught = err == nil && bits&(1<<(uint(sig)-1)) != 0
		}
	}
	return caught && ignores(string(data), syscall.SIGPIPE)
}

// ignores reports whether SIGPIPE is ignored, which ask does last before it
// reads its request.
func ignores(status string, sig syscall.Signal) bool {
	for line := range strings.Lines(status) {
		if mask, ok := strings.CutPrefix(line, "SigIgn:"); ok {
			bits, err := strconv.ParseUint(strings.TrimSpace(mask), 16, 64)
			return err == nil && bits&(1<<(uint(sig)-1)) != 0
		}
	}
	return false
}
