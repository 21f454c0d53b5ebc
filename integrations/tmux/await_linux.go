package tmux

import (
	"os/exec"
	"syscall"
)

// dieWithUs has the kernel end the command when the thread that starts it does,
// so that no tmux waits on for an asker that was killed.
func dieWithUs(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
