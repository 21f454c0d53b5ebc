// Package integrations knows the places where a popup can be opened: it finds
// the host this process runs in and hands out the one way to open, ring and
// mark there. Each host is a package below this one.
//
// It knows nothing of forms or of the spool. The rule that must hold here:
// nothing an agent wrote reaches a host's command line, format or shell.
package integrations

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/integrations/kitty"
	"github.com/askpane/askpane/integrations/plain"
	"github.com/askpane/askpane/integrations/screen"
	"github.com/askpane/askpane/integrations/terminal"
	"github.com/askpane/askpane/integrations/tmux"
	"github.com/askpane/askpane/integrations/wezterm"
	"github.com/askpane/askpane/integrations/window"
	"github.com/askpane/askpane/integrations/zellij"
)

// all is every host, in the order in which Find tries them. Adding a host is
// one package and one line here.
var all = []struct {
	name string
	find func(context.Context) (host.Host, error)
}{
	{"tmux", tmux.Find},
	{"zellij", zellij.Find},
	{"wezterm", wezterm.Find},
	{"kitty", kitty.Find},
	{"screen", screen.Find},
	{"terminal", terminal.Find},
	{"plain", plain.Find},
	{"window", window.Find},
}

// Auto is the name that lets Find choose.
const Auto = "auto"

// Names lists what Find takes.
func Names() []string {
	names := []string{Auto}
	for _, h := range all {
		names = append(names, h.name)
	}
	return names
}

// Known reports whether name is one of Names.
func Known(name string) error {
	for _, n := range Names() {
		if n == name {
			return nil
		}
	}
	return fmt.Errorf("unknown host %q; there are %s", name, strings.Join(Names(), ", "))
}

// Find finds the named host, or the first one there is. The error says, for
// each one tried, why it cannot be used.
func Find(ctx context.Context, name string) (host.Host, error) {
	if err := Known(name); err != nil {
		return nil, err
	}
	var errs []error
	for _, h := range all {
		if name != Auto && name != h.name {
			continue
		}
		found, err := h.find(ctx)
		if err == nil {
			return found, nil
		}
		errs = append(errs, fmt.Errorf("%s: %w", h.name, err))
	}
	var reasons []string
	for _, err := range errs {
		reasons = append(reasons, err.Error())
	}
	return nil, errors.New(strings.Join(reasons, "; "))
}
