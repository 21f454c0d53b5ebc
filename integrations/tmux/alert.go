package tmux

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/integrations/tty"
)

// Mark sets the asking pane's title. select-pane -T and not OSC 2 written to
// the pane's tty: the agent writes there too, and the two could mix. Neither
// moves the focus (A7).
func (s *server) Mark(ctx context.Context, title string) (func(context.Context) error, error) {
	if s.pane == "" {
		return nil, errors.New("tmux: the asking pane is not known")
	}
	old, err := s.title(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := s.run(ctx, "select-pane", "-t", s.pane, "-T", literal(title)); err != nil {
		return nil, err
	}
	ours, err := s.title(ctx) // as tmux keeps it
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) error {
		now, err := s.title(ctx)
		if err != nil || now != ours {
			return err // the agent has set its own since; that one stays
		}
		_, err = s.run(ctx, "select-pane", "-t", s.pane, "-T", literal(old))
		return err
	}, nil
}

func (s *server) title(ctx context.Context) (string, error) {
	out, err := s.run(ctx, "display-message", "-p", "-t", s.pane, "#{pane_title}")
	return strings.TrimSuffix(out, "\n"), err
}

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
	if c.session != s.session(ctx) {
		errs = append(errs, tty.Ring(c.ID))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("tmux: ring the bell: %w", err)
	}
	return nil
}

// session is the id of the session that the asking pane is in.
func (s *server) session(ctx context.Context) string {
	if s.pane == "" {
		return ""
	}
	out, err := s.run(ctx, "display-message", "-p", "-t", s.pane, "#{session_id}")
	if err != nil {
		return "" // then the viewer's terminal rings too, perhaps twice
	}
	return strings.TrimSpace(out)
}
