package kitty

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/integrations/tty"
)

// Mark sets the asking window's title. It covers the title that the program in
// the window sets; that is still there below, with what was set meanwhile, when
// it is taken back. A title that the person has given is given back, unless two
// questions of the window overlap.
//
// There is no status line of kitty's to count in.
func (k *instance) Mark(ctx context.Context, title string) (func(context.Context) error, error) {
	if title == "" {
		return func(context.Context) error { return nil }, nil
	}
	if k.window == 0 {
		return nil, errors.New("kitty: the asking window is not known")
	}
	before, err := k.title(ctx)
	if err != nil {
		return nil, err
	}
	// Which of the two a title is can only be told by taking it back.
	if err := k.setTitle(ctx, ""); err != nil {
		return nil, err
	}
	below, err := k.title(ctx)
	if err != nil {
		return nil, err
	}
	marked := host.MarkSign + title
	if err := k.setTitle(ctx, marked); err != nil {
		return nil, err
	}
	return func(ctx context.Context) error {
		if now, err := k.title(ctx); err != nil || now != marked {
			return err // the person's new title, or another question's
		}
		if before != below && !strings.HasPrefix(before, host.MarkSign) {
			return k.setTitle(ctx, before)
		}
		return k.setTitle(ctx, "")
	}, nil
}

func (k *instance) setTitle(ctx context.Context, title string) error {
	_, err := k.remote.call(ctx, "set-window-title", map[string]any{
		"match": fmt.Sprintf("id:%d", k.window), "title": title, "temporary": false,
	})
	return err
}

func (k *instance) title(ctx context.Context) (string, error) {
	all, err := k.list(ctx)
	if err != nil {
		return "", err
	}
	for _, o := range all {
		for _, t := range o.Tabs {
			for _, w := range t.Windows {
				if w.ID == k.window {
					return w.Title, nil
				}
			}
		}
	}
	return "", fmt.Errorf("kitty: the asking window %d is not there any more", k.window)
}

// Ring writes BEL to the asking window's terminal; kitty rings, and marks the
// tab if it is in the background.
func (k *instance) Ring(context.Context, func(string) int) error {
	if err := tty.RingOwn(); err != nil {
		return fmt.Errorf("kitty: ring the bell: %w", err)
	}
	return nil
}

// Terminal is the asking window's, which is kitty itself.
func (k *instance) Terminal(context.Context) (host.Terminal, error) {
	path, err := tty.Own()
	if err != nil {
		return host.Terminal{}, err
	}
	return host.Terminal{Program: "kitty", Name: os.Getenv("TERM"), Device: path}, nil
}
