package tmux

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"github.com/askpane/askpane/integrations/adapter"
)

// run runs one tmux command and returns what it printed.
func (s *server) run(ctx context.Context, args ...string) (string, error) {
	return s.runAll(ctx, safe(args))
}

// runAll runs several tmux commands, with a word ; between them; every word of args
// is safe already.
func (s *server) runAll(ctx context.Context, args []string) (string, error) {
	out, err := adapter.Output(s.tmux(ctx, args))
	if err != nil {
		return "", fmt.Errorf("tmux %s: %w", args[0], err)
	}
	return out, nil
}

// runAside runs tmux commands and does not wait for them: they end by themselves
// within milliseconds, and waiting took a third of the time from the answering key to
// the tool's result. That the server or the pane is gone by then is no failure.
func (s *server) runAside(args []string) error {
	cmd := s.tmux(context.Background(), args)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // no signal to us is meant for it
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("tmux %s: %w", args[0], err)
	}
	go func() { _ = cmd.Wait() }() // a process that goes on after it must reap it
	return nil
}

func (s *server) tmux(ctx context.Context, args []string) *exec.Cmd {
	cmd := adapter.Command(ctx, "tmux", append([]string{"-S", s.socket}, args...)...)
	// tmux is told where to go by -S; TMUX itself would make it choose the
	// client of the asking pane's session over the one we name.
	cmd.Env = append(os.Environ(), "TMUX=", "TMUX_PANE=")
	return cmd
}

// safe are the words of one command, each through arg.
func safe(args []string) []string {
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = arg(a)
	}
	return words
}

// arg keeps a word from ending the command: tmux takes a word that ends in ;
// as its end and reads on with the next command.
func arg(a string) string {
	if strings.HasSuffix(a, ";") {
		return strings.TrimSuffix(a, ";") + `\;`
	}
	return a
}

// literal keeps text from being expanded where tmux wants a format: #(…) there
// runs a command.
func literal(text string) string { return strings.ReplaceAll(text, "#", "##") }
