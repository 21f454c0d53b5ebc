//go:build !darwin

package window

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"

	"github.com/askpane/askpane/integrations/host"
)

// find looks for a display, and for a terminal program to open there.
func find(context.Context) (host.Host, error) {
	display := cmp.Or(os.Getenv("WAYLAND_DISPLAY"), os.Getenv("DISPLAY"))
	if display == "" {
		return nil, errors.New("there is no display for a new window ($DISPLAY and $WAYLAND_DISPLAY are not set)")
	}
	terminal, err := choose(os.Getenv("TERMINAL"), exec.LookPath)
	if err != nil {
		return nil, err
	}
	return window{away, terminal, display}, nil
}
