package tmux

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"syscall"

	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/integrations/tty"
)

// Mark sets the asking pane's title. select-pane -T and not OSC 2 written to
// the pane's tty: the agent writes there too, and the two could mix. It does
// not move the focus (A7).
//
// The old title waits in a pane option, unless it is a mark itself: where two
// questions come from one pane, the first keeps the agent's own title. Text
// gets there and back by formats alone, never through tmux's command parser.
func (s *server) Mark(ctx context.Context, title string) (func(context.Context) error, error) {
	if s.pane == "" {
		return nil, errors.New("tmux: the asking pane is not known")
	}
	ours := fmt.Sprintf("@askpane_title_%d_%d", os.Getpid(), marks.Add(1))
	_, err := s.runAll(ctx, []string{
		"if-shell", "-F", "-t", s.pane, "#{m:" + host.MarkSign + "*,#{pane_title}}", "",
		fmt.Sprintf("set-option -F -p -t %s %s '#{pane_title}'", s.pane, oldTitle), ";",
		"select-pane", "-t", s.pane, "-T", arg(literal(host.MarkSign + title)), ";",
		"set-option", "-F", "-p", "-t", s.pane, ours, "#{pane_title}",
	})
	if err != nil {
		return nil, err
	}
	return func(context.Context) error {
		// A title that is not ours any more is the agent's new one, or another
		// question's; that stays.
		return s.tell([]string{
			"if-shell", "-F", "-t", s.pane, "#{==:#{pane_title},#{" + ours + "}}",
			fmt.Sprintf("select-pane -t %s -T '#{%s}' ; set-option -p -u -t %s %s", s.pane, oldTitle, s.pane, oldTitle), ";",
			"set-option", "-p", "-u", "-t", s.pane, ours,
		})
	}, nil
}

// tell starts a tmux command and does not wait for it: it ends by itself within
// milliseconds, and waiting took a third of the time from the answering key to
// the tool's result. That the server or the pane is gone by then is no failure.
func (s *server) tell(args []string) error {
	cmd := s.command(context.Background(), args)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // no signal to us is meant for it
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("tmux %s: %w", args[0], err)
	}
	go func() { _ = cmd.Wait() }() // a process that goes on after it must reap it
	return nil
}

// oldTitle is the pane option that keeps the title from before the first mark.
const oldTitle = "@askpane_old_title"

// marks tells the questions of one process apart.
var marks atomic.Int64

// Ring writes BEL to the asking pane, which flags its window and rings the
// clients of its session, and to the viewer's own terminal if that is in
// another session: those hear nothing of it otherwise (A7). A bell from the
// popup would be dropped.
func (s *server) Ring(ctx context.Context) error {
	var errs []error
	if s.tty != "" {
		errs = append(errs, tty.Ring(s.tty))
	}
	c, err := s.viewer(ctx)
	if errors.Is(err, host.ErrNoViewer) {
		return errors.Join(errs...) // the window's flag waits for them
	}
	if err != nil {
		return errors.Join(append(errs, err)...)
	}
	if c.session != s.home {
		errs = append(errs, tty.Ring(c.ID))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("tmux: ring the bell: %w", err)
	}
	return nil
}
