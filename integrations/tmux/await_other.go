//go:build !linux

package tmux

import "os/exec"

// dieWithUs is for systems that can; here a waiter that is left over ends with
// the next event.
func dieWithUs(*exec.Cmd) {}
