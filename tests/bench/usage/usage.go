// Package usage is what a running process takes, as the kernel says in /proc.
package usage

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Usage is what the kernel says about a process.
type Usage struct {
	Resident     int64 // KiB
	Proportional int64 // KiB; -1 where the kernel does not say
	Ticks        int64
	// Switches is how often one of its threads gave up the processor of its own accord. A
	// tick of a popup's clock, once a second, is a dozen: most of Go's own monitor.
	Switches int64
}

func (u Usage) Share() string {
	if u.Proportional < 0 {
		return "proportional share not readable"
	}
	return fmt.Sprintf("%.1f MiB its share (Pss)", float64(u.Proportional)/1024)
}

// Of looks at a process.
func Of(pid int) (u Usage, err error) {
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	if u.Resident, err = field(filepath.Join(dir, "status"), "VmRSS:"); err != nil {
		return u, err
	}
	if u.Proportional, err = field(filepath.Join(dir, "smaps_rollup"), "Pss:"); err != nil {
		u.Proportional = -1
	}
	threads, err := filepath.Glob(filepath.Join(dir, "task", "*", "status"))
	for _, t := range threads {
		n, err := field(t, "voluntary_ctxt_switches:")
		if err != nil {
			return u, err
		}
		u.Switches += n
	}
	if err != nil {
		return u, err
	}
	stat, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil {
		return u, err
	}
	// The fields after the name, which may hold blanks itself: utime and stime
	// are the 14th and 15th of all (proc(5)).
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if len(fields) < 13 {
		return u, fmt.Errorf("%s/stat: expected more fields", dir)
	}
	user, err := strconv.ParseInt(fields[11], 10, 64)
	if err != nil {
		return u, err
	}
	system, err := strconv.ParseInt(fields[12], 10, 64)
	u.Ticks = user + system
	return u, err
}

// field is the number that follows name at the start of a line.
func field(file, name string) (int64, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(data)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == name {
			return strconv.ParseInt(f[1], 10, 64)
		}
	}
	return 0, fmt.Errorf("%s has no %s", file, name)
}
