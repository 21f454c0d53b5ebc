package main

import (
	"context"
	"os"
	"slices"
	"time"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/cmd/internal/asker"
	"github.com/askpane/askpane/integrations/agents/claude"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/integrations/process"
	"github.com/askpane/askpane/settings"
)

// ranEvery passes between looks for the command among Claude's processes, which tell before the
// transcript does where it runs long. A look takes half a millisecond.
const ranEvery = 500 * time.Millisecond

// watchFor ends the question when Claude runs the command: then it was allowed in its own prompt. Where
// Claude has another call of the same command, that may be what runs, and the question takes no decision.
func (h *claudeHook) watchFor(ctx context.Context, a asker.Asker, id, command string) {
	for !runs(command) {
		select {
		case <-ctx.Done():
			return
		case <-time.After(ranEvery):
		}
	}
	if h.Alone() {
		h.end(bridge.ErrElsewhere)
	} else if err := inSpool(id, (*spool.Entry).SetMaybe); err != nil {
		a.Warn(err)
	}
}

// runs reports whether whoever started us has begun a shell with the command since.
func runs(command string) bool {
	return slices.ContainsFunc(starters(), func(above host.Process) bool {
		return slices.ContainsFunc(process.Begun(above.PID), func(args []string) bool { return claude.Runs(args, command) })
	})
}

// starters returns who has started us: Claude, or a shell and Claude.
func starters() []host.Process {
	line := process.Line()
	return line[min(1, len(line)):min(3, len(line))]
}

// startedWith reports whether one of the arguments with which that was started is such.
func startedWith(such func(arg string) bool) bool {
	return slices.ContainsFunc(starters(), func(above host.Process) bool { return slices.ContainsFunc(process.Arguments(above.PID), such) })
}

// askInAuto has Claude ask before it does what is dangerous by the settings, in its auto mode, too.
func askInAuto() error {
	data, err := readInput(os.Stdin)
	if err != nil {
		return err
	}
	p, err := claude.ReadCall(data)
	if err != nil || p.Mode != claude.AutoMode {
		return err
	}
	s := settings.Load(p.Dir)
	if danger := s.Danger(p.Tool, p.Ask); danger != "" {
		return printJSON(os.Stdout, claude.AskFirst(danger))
	}
	return nil
}
