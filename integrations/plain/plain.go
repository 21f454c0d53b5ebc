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

// plain is the host terminal, but no host.Marker: setting a title takes an escape
// sequence, which a terminal without a screen prints and a screen reader may read
// out.
type plain struct{ host.Host }

// find checks that the controlling terminal is free (terminal.Free).
func find(context.Context) (host.Host, error) {
	h, err := terminal.Free()
	if err != nil {
		return nil, err
	}
	return plain{h}, nil
}

// Kind is the host plain.
var Kind = host.Kind{Name: "plain", Find: find, Borrows: true, NoScreen: true}

// Kind is host.Host's.
func (plain) Kind() *host.Kind { return &Kind }

// Terminal is not for notifications either: they are escape sequences too.
func (plain) Terminal(context.Context) (host.Terminal, error) {
	return host.Terminal{}, errors.New("a terminal that is asked line by line gets nothing but text")
}
