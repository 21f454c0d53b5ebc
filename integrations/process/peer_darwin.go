package process

import "golang.org/x/sys/unix"

// peer is who made the socket at the other end of a Unix connection.
func peer(fd int) (int, error) { return unix.GetsockoptInt(fd, unix.SOL_LOCAL, unix.LOCAL_PEERPID) }
