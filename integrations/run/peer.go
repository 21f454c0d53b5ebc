package run

import (
	"errors"
	"fmt"
	"net"
	"os"
)

// SameUser checks that a process of this user is at the other end.
func SameUser(c *net.UnixConn) error {
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	var uid uint32
	var failed error
	if err := raw.Control(func(fd uintptr) { uid, failed = peer(int(fd)) }); err != nil {
		return err
	}
	if failed != nil {
		return fmt.Errorf("ask who is at the other end: %w", failed)
	}
	if int(uid) != os.Getuid() {
		return errors.New("another user is at the other end")
	}
	return nil
}
