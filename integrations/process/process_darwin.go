package process

import (
	"golang.org/x/sys/unix"

	"github.com/askpane/askpane/integrations/host"
)

// Of is the process with that number, by sysctl kern.proc.pid as ps does it; ok is
// false where there is none.
func Of(pid int) (host.Process, bool) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(k.Proc.P_pid) != pid {
		return host.Process{}, false
	}
	return of(k), true
}

func of(k *unix.KinfoProc) host.Process {
	p := host.Process{PID: int(k.Proc.P_pid), Parent: int(k.Eproc.Ppid), Name: unix.ByteSliceToString(k.Proc.P_comm[:])}
	if k.Eproc.Tdev != -1 { // NODEV
		p.TTY = uint64(uint32(k.Eproc.Tdev))
	}
	return p
}

// All are the processes that there are.
func All() (all []host.Process) {
	known, _ := unix.SysctlKinfoProcSlice("kern.proc.all")
	for i := range known {
		all = append(all, of(&known[i]))
	}
	return all
}

// environ asks by sysctl kern.procargs2, as ps -E does; of some programs the
// system shows none.
func environ(pid int) []string {
	_, env := procArgsOf(pid)
	return env
}

func arguments(pid int) []string {
	args, _ := procArgsOf(pid)
	return args
}

func procArgsOf(pid int) (args, env []string) {
	data, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil {
		return nil, nil
	}
	return procArgs(data)
}

// peer is who made the socket at the other end of a Unix connection.
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
