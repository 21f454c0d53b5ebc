// Package plain asks on the controlling terminal line by line, without a
// screen: for screen readers, and for terminals that have none (TERM=dumb).
//
// It is the host terminal with the same conditions. The rule that must hold
// here: nothing but plain text and the bell reaches the terminal.
package plain

import (
	"context"
	"errors"

	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/integrations/terminal"
)

type plain struct{ host.Host }

// Find checks that the controlling terminal is free (terminal.Free).
func Find(context.Context) (host.Host, error) {
	h, err := terminal.Free()
	if err != nil {
		return nil, err
	}
	return plain{h}, nil
}

// Name is host.Host's.
func (plain) Name() string { return "plain" }

// Mark leaves the title alone: setting one takes an escape sequence, which a
// terminal without a screen prints and a screen reader may read out.
func (plain) Mark(ctx context.Context, title string) (func(context.Context) error, error) {
	return host.Untitled{}.Mark(ctx, title)
}

// HasNoTitle is for host.HasTitle.
func (plain) HasNoTitle() {}

// Terminal is not for notifications either: they are escape sequences too.
func (plain) Terminal(context.Context) (host.Terminal, error) {
	return host.Terminal{}, errors.New("a terminal that is asked line by line gets nothing but text")
}
