package process

import (
	"errors"
	"fmt"
	"net"
	"os"
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
	pid, _, err := peerOf(c.(*net.UnixConn))
	if err != nil {
		return 0
	}
	return pid
}

// SameUser checks that a process of this user is at the other end of c. Where
// the system does not say, the rights of the socket's directory are all there is.
func SameUser(c *net.UnixConn) error {
	_, uid, err := peerOf(c)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return nil
	case err != nil:
		return fmt.Errorf("ask who is at the other end: %w", err)
	case uid != os.Getuid():
		return fmt.Errorf("another user (%d) is at the other end", uid)
	}
	return nil
}

func peerOf(c *net.UnixConn) (pid, uid int, err error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, 0, err
	}
	if e := raw.Control(func(fd uintptr) { pid, uid, err = peer(int(fd)) }); e != nil {
		return 0, 0, e
	}
	return pid, uid, err
}
