package process

import "golang.org/x/sys/unix"

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
