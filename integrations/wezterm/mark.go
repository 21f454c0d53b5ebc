package wezterm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/integrations/tty"
)

// Mark sets the title of the asking pane's tab. Not the pane's own, by OSC 2:
// wezterm ignores CSI 22 t and 23 t, so it could not be put back. A tab's title
// that is not ours any more by then is somebody's new one, and stays.
func (m *mux) Mark(ctx context.Context, title string) (func(context.Context) error, error) {
	if title == "" {
		return func(context.Context) error { return nil }, nil
	}
	if m.pane < 0 {
		return nil, errors.New("wezterm: the asking pane is not known")
	}
	before, err := m.at(ctx, m.pane)
	if err != nil {
		return nil, err
	}
	back := before.TabTitle
	if strings.HasPrefix(back, host.MarkSign) { // another question's, which may be over by then
		back = ""
	}
	marked := host.MarkSign + title
	if err := m.setTitle(ctx, marked); err != nil {
		return nil, err
	}
	return func(ctx context.Context) error {
		if now, err := m.at(ctx, m.pane); err != nil || now.TabTitle != marked {
			return err
		}
		return m.setTitle(ctx, back)
	}, nil
}

func (m *mux) setTitle(ctx context.Context, title string) error {
	_, err := m.run(ctx, "set-tab-title", "--pane-id", strconv.Itoa(m.pane), "--", title)
	return err
}

// Ring writes BEL to the asking pane's terminal, as wezterm names it.
func (m *mux) Ring(ctx context.Context, _ func(string) int) error {
	p, err := m.at(ctx, m.pane)
	if err == nil {
		err = tty.Ring(p.TTY)
	}
	if err != nil {
		return fmt.Errorf("wezterm: ring the bell: %w", err)
	}
	return nil
}

// Terminal is the asking pane's, which is wezterm itself.
func (m *mux) Terminal(ctx context.Context) (host.Terminal, error) {
	p, err := m.at(ctx, m.pane)
	if err != nil {
		return host.Terminal{}, err
	}
	return host.Terminal{Program: "wezterm", Name: os.Getenv("TERM"), Device: p.TTY}, nil
}
