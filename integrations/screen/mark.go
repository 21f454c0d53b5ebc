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

// Ring writes BEL to the window of the popup that is up, and else to the
// asking one: screen reports a bell of a window in the background in a message,
// and while that is on view (MsgWait, 5 s) the display stands still until a key.
func (s *session) Ring(_ context.Context, popup func(viewer string) int) error {
	find := tty.Own
	if pid := popup(s.name); pid != 0 {
		find = func() (string, error) { return tty.Of(pid) }
	}
	path, err := find()
	if err == nil {
		err = tty.Ring(path)
	}
	if err != nil {
		return fmt.Errorf("screen: ring the bell: %w", err)
	}
	return nil
}

// Terminal is not known: screen swallows notifications, and does not say which
// terminal its display is on.
func (s *session) Terminal(context.Context) (host.Terminal, error) {
	return host.Terminal{}, errors.New("GNU screen does not say which terminal it is shown on")
}
