//go:build !linux && !darwin

package process

import (
	"errors"
	"os"

	"github.com/askpane/askpane/integrations/host"
)

// read knows of no other process here but this one and its parent.
func read(pid int) (host.Process, bool) {
	if pid != os.Getpid() {
		return host.Process{}, false
	}
	return host.Process{PID: pid, Parent: os.Getppid()}, true
}

func environ(int) []string { return nil }

func arguments(int) []string { return nil }

func peer(int) (pid, uid int, err error) { return 0, 0, errors.ErrUnsupported }
