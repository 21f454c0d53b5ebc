package process

import (
	"golang.org/x/sys/unix"

	"github.com/askpane/askpane/integrations/host"
)

// Of describes the process with that number, by sysctl kern.proc.pid as ps does it; ok is
// false where there is none.
func Of(pid int) (host.Process, bool) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(k.Proc.P_pid) != pid {
		return host.Process{}, false
	}
	p := host.Process{PID: pid, Parent: int(k.Eproc.Ppid), User: int(k.Eproc.Pcred.P_ruid), Name: unix.ByteSliceToString(k.Proc.P_comm[:])}
	if k.Eproc.Tdev != -1 { // NODEV
		p.TTY = uint64(uint32(k.Eproc.Tdev))
	}
	return p, true
}

// environ asks by sysctl kern.procargs2, as ps -E does; of some programs the
// system shows none.
func environ(pid int) []string {
	_, _, env := procArgsOf(pid)
	return env
}

// Arguments returns those of a process, with its own name first; none where the system does not say.
func Arguments(pid int) []string {
	_, args, _ := procArgsOf(pid)
	return args
}

// Program returns the path of the program that a process of this user's runs, as it was
// started; empty where the system does not say.
func Program(pid int) string {
	program, _, _ := procArgsOf(pid)
	return program
}

// Image returns a path of the program that a process runs, by which it can be run again.
func Image(pid int) string { return Program(pid) }

func procArgsOf(pid int) (program string, args, env []string) {
	data, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil {
		return "", nil, nil
	}
	return procArgs(data)
}

// peer asks who made the socket at the other end of a Unix connection.
func peer(fd int) (pid, uid int, err error) {
	if pid, err = unix.GetsockoptInt(fd, unix.SOL_LOCAL, unix.LOCAL_PEERPID); err != nil {
		return 0, 0, err
	}
	cred, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return 0, 0, err
	}
	return pid, int(cred.Uid), nil
}
