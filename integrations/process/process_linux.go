package process

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/askpane/askpane/integrations/host"
)

// Of describes the process with that number; ok is false where there is none. In
// /proc/PID/stat (proc_pid_stat(5)) the name in parentheses may hold anything, so the
// fields count from the last closing one.
func Of(pid int) (p host.Process, ok bool) {
	path := fmt.Sprintf("/proc/%d/stat", pid)
	stat, err := os.ReadFile(path)
	begin, end := bytes.IndexByte(stat, '('), bytes.LastIndexByte(stat, ')')
	if err != nil || begin < 0 || end < begin {
		return host.Process{}, false
	}
	f := strings.Fields(string(stat[end+1:])) // state, parent and so on; the time of the start is the 20th
	if len(f) < 20 {
		return host.Process{}, false
	}
	var owner unix.Stat_t
	_ = unix.Stat(path, &owner)
	p = host.Process{PID: pid, User: int(owner.Uid), Name: string(stat[begin+1 : end])}
	p.Parent, _ = strconv.Atoi(f[1])
	p.Began, _ = strconv.ParseUint(f[19], 10, 64)
	if tty, _ := strconv.Atoi(f[4]); tty != 0 { // the kernel has its own packing
		n := uint32(tty)
		p.TTY = unix.Mkdev(n>>8&0xfff, n&0xff|n>>12&0xfff00)
	}
	return p, true
}

func environ(pid int) []string { return words(pid, "environ") } // of this user's processes only

// Arguments returns those of a process, with its own name first; none where the system does not say.
func Arguments(pid int) []string { return words(pid, "cmdline") }

// Program returns the path of the program that a process of this user's runs, also where that
// was replaced by a newer one since; empty where the system does not say.
func Program(pid int) string {
	path, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	return strings.TrimSuffix(path, " (deleted)")
}

// Image returns a path of the program that a process runs, by which it can be run again; on
// Linux also where that was replaced by a newer one since.
func Image(pid int) string { return fmt.Sprintf("/proc/%d/exe", pid) }

func words(pid int, file string) []string {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, file))
	if err != nil {
		return nil
	}
	return strings.Split(string(data), "\x00")
}

// peer asks who made the socket at the other end of a Unix connection.
func peer(fd int) (pid, uid int, err error) {
	cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, 0, err
	}
	return int(cred.Pid), int(cred.Uid), nil
}
