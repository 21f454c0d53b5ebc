package relay

import (
	"os"

	"github.com/creack/pty"
	"golang.org/x/term"
)

// Terminal reports whether Run has what it needs: a terminal on both sides.
func Terminal() bool {
	return term.IsTerminal(int(os.Stdin.Fd())) && term.IsTerminal(int(os.Stdout.Fd()))
}

// takeOver has the terminal hand over every byte both ways as it is.
func (r *relay) takeOver() error {
	_, err := term.MakeRaw(int(r.in.Fd()))
	return err
}

// giveBack restores the terminal's own settings.
func (r *relay) giveBack() { _ = term.Restore(int(r.in.Fd()), r.settings) }

// newTerminal makes a pseudo-terminal with the settings of ours.
func (r *relay) newTerminal(size *pty.Winsize) (near, far *os.File, err error) {
	near, far, err = pty.Open()
	if err != nil {
		return nil, nil, err
	}
	if err = pty.Setsize(near, size); err == nil {
		err = term.Restore(int(far.Fd()), r.settings)
	}
	if err != nil {
		near.Close()
		far.Close()
	}
	return near, far, err
}
