package process

import (
	"net"
	"time"
)

// knock is how long a server may take to accept. It is the kernel that does, so
// only one whose queue is full takes any time.
const knock = 100 * time.Millisecond

// Server is the process that listens at the Unix socket path; 0 where none does
// or the system does not say. The server sees a connection that goes at once.
func Server(path string) int {
	c, err := net.DialTimeout("unix", path, knock)
	if err != nil {
		return 0
	}
	defer c.Close()
	raw, err := c.(*net.UnixConn).SyscallConn()
	if err != nil {
		return 0
	}
	pid := 0
	if err := raw.Control(func(fd uintptr) { pid, _ = peer(int(fd)) }); err != nil {
		return 0
	}
	return pid
}
