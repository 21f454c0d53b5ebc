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

// read parses /proc/PID/stat (proc_pid_stat(5)): the name in parentheses may
// hold anything, so the fields count from the last closing one.
func read(pid int) (host.Process, bool) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return host.Process{}, false
	}
	return parse(pid, data)
}

func parse(pid int, stat []byte) (host.Process, bool) {
	// State, parent, group, session, terminal.
	end := bytes.LastIndexByte(stat, ')')
	f := bytes.Fields(stat[end+1:])
	if len(f) < 5 {
		return host.Process{}, false
	}
	parent, err := strconv.Atoi(string(f[1]))
	if err != nil {
		return host.Process{}, false
	}
	// The kernel prints a 32-bit number in its own packing.
	tty, err := strconv.ParseInt(string(f[4]), 10, 64)
	if err != nil {
		return host.Process{}, false
	}
	p := host.Process{PID: pid, Parent: parent}
	if begin := bytes.IndexByte(stat, '('); begin >= 0 && begin < end {
		p.Name = string(stat[begin+1 : end])
	}
	if n := uint64(uint32(tty)); n != 0 {
		p.TTY = unix.Mkdev(uint32(n>>8&0xfff), uint32(n&0xff|n>>12&0xfff00))
	}
	return p, true
}

// environ reads /proc/PID/environ, which only the process's own user can.
func environ(pid int) []string { return words(pid, "environ") }

func arguments(pid int) []string { return words(pid, "cmdline") }

func words(pid int, file string) []string {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, file))
	if err != nil {
		return nil
	}
	return strings.Split(string(data), "\x00")
}

// peer is who made the socket at the other end of a Unix connection.
func peer(fd int) (pid, uid int, err error) {
	cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, 0, err
	}
	return int(cred.Pid), int(cred.Uid), nil
}
