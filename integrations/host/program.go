package host

import (
	"context"
	"os/exec"
	"time"
)

// letGo is how long a program's output is waited for once the program has ended
// or was killed.
const letGo = 500 * time.Millisecond

// Program is a run of a host's own program. Where ctx ends first it is killed,
// and over soon after, whoever else holds its output: tmux hands its own to the
// server, which keeps it open for as long as it does not answer.
func Program(ctx context.Context, bin string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, bin, args...)
	cmd.WaitDelay = letGo
	return cmd
}
