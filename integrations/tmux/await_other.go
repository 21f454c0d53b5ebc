//go:build !linux

package tmux

import "syscall"

// dieWithUs is for systems that can; here a command that is left over ends with the
// next event.
var dieWithUs *syscall.SysProcAttr
