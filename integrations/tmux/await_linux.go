package tmux

import "syscall"

// dieWithUs has the kernel end a command when the thread that starts it does, so
// that no tmux waits on for an asker that was killed.
var dieWithUs = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
