package screen

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/integrations/tty"
)

// literal keeps text from being expanded in a command: $NAME is a variable, ^x
// a control character and \ escapes them.
func literal(text string) string {
	return strings.NewReplacer(`\`, `\\`, `$`, `\$`, `^`, `\^`).Replace(text)
}

// Ring writes BEL to the popup's window where that is up, and else to the asking
// one: screen reports a bell of a window in the background in a message, and
// while that is on view (MsgWait, 5 s) the display stands still until a key.
func (s *session) Ring(context.Context) error {
	path, err := s.popupTTY()
	if err == nil {
		err = tty.Ring(path)
	} else {
		err = tty.RingOwn()
	}
	if err != nil {
		return fmt.Errorf("screen: ring the bell: %w", err)
	}
	return nil
}

func (s *session) popupTTY() (string, error) {
	o := s.popup.Load()
	if o == nil || o.PID() == 0 {
		return "", errors.New("no popup is up")
	}
	return tty.Of(o.PID())
}

// Terminal is not known: screen swallows notifications, and does not say which
// terminal its display is on.
func (s *session) Terminal(context.Context) (host.Terminal, error) {
	return host.Terminal{}, errors.New("GNU screen does not say which terminal it is shown on")
}
