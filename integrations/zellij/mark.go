package zellij

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/integrations/tty"
)

// Mark renames the asking pane. A name covers the title that the program in the
// pane sets; it is still there below, with what was set meanwhile, when the
// name is taken back. A name that the person has given is given back, unless two
// questions of the pane overlap.
//
// There is no status line of zellij's to count in.
func (s *session) Mark(ctx context.Context, title string) (func(context.Context) error, error) {
	if title == "" {
		return func(context.Context) error { return nil }, nil
	}
	if s.pane == "" {
		return nil, errors.New("zellij: the asking pane is not known")
	}
	before, err := s.title(ctx)
	if err != nil {
		return nil, err
	}
	// Which of the two a title is can only be told by taking the name back.
	if _, err := s.run(ctx, "action", "undo-rename-pane", "--pane-id", s.pane); err != nil {
		return nil, err
	}
	below, err := s.title(ctx)
	if err != nil {
		return nil, err
	}
	marked := host.MarkSign + title
	if err := s.rename(ctx, marked); err != nil {
		return nil, err
	}
	back := []string{"action", "undo-rename-pane", "--pane-id", s.pane}
	if before != below && !strings.HasPrefix(before, host.MarkSign) {
		back = []string{"action", "rename-pane", "--pane-id", s.pane, "--", before}
	}
	return func(ctx context.Context) error {
		if now, err := s.title(ctx); err != nil || now != marked {
			return err // the person's new name, or another question's
		}
		_, err := s.run(ctx, back...)
		return err
	}, nil
}

func (s *session) rename(ctx context.Context, name string) error {
	_, err := s.run(ctx, "action", "rename-pane", "--pane-id", s.pane, "--", name)
	return err
}

// title is what zellij shows as the asking pane's title.
func (s *session) title(ctx context.Context) (string, error) {
	out, err := s.told(ctx, "list-panes", "--json")
	if err != nil {
		return "", err
	}
	return paneTitle(out, s.pane)
}

func paneTitle(out, pane string) (string, error) {
	var panes []struct {
		ID     int
		Plugin bool `json:"is_plugin"`
		Title  string
	}
	if err := json.Unmarshal([]byte(out), &panes); err != nil {
		return "", fmt.Errorf("zellij action list-panes --json said %.80q: %w", out, err)
	}
	for _, p := range panes {
		if !p.Plugin && fmt.Sprintf("terminal_%d", p.ID) == pane {
			return p.Title, nil
		}
	}
	return "", fmt.Errorf("zellij: %w: %s", errNoPane, pane)
}

var errNoPane = errors.New("the pane is not there any more")

// Ring writes BEL to the asking pane's terminal. zellij rings every attached
// client and marks the pane and its tab.
func (s *session) Ring(context.Context, func(string) int) error {
	if err := tty.RingOwn(); err != nil {
		return fmt.Errorf("zellij: ring the bell: %w", err)
	}
	return nil
}

// Terminal is the asking pane's own: zellij, from 0.45 on, hands the
// notifications OSC 9 and 777 from there to its clients' terminals.
func (s *session) Terminal(context.Context) (host.Terminal, error) {
	path, err := tty.Own()
	if err != nil {
		return host.Terminal{}, err
	}
	return host.Terminal{Program: "zellij", Name: os.Getenv("TERM"), Device: path}, nil
}
