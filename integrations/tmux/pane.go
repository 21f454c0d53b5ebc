package tmux

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/askpane/askpane/integrations/adapter"
	"github.com/askpane/askpane/integrations/host"
)

// pane is an asking pane that a popup looks at.
type pane struct{ *server }

func findPane(ref string) (host.Pane, error) {
	id, socket, _ := strings.Cut(ref, " ")
	if digits, ok := strings.CutPrefix(id, "%"); !ok || !adapter.Number(digits) || !filepath.IsAbs(socket) {
		return nil, fmt.Errorf("%q names no tmux pane", ref)
	}
	bin, err := exec.LookPath("tmux")
	if err != nil {
		return nil, err
	}
	return pane{&server{bin: bin, socket: socket, pane: id}}, nil
}

func (p pane) Screen(ctx context.Context) (string, error) {
	return p.run(ctx, "capture-pane", "-p", "-S", strconv.Itoa(-host.History), "-t", p.pane)
}

// GoTo switches the client's session, window and pane in one step. Of a modal
// pane's window and of a session it is the client there that was used last.
func (p pane) GoTo(ctx context.Context, viewer string) error {
	if viewer == "" || strings.HasPrefix(viewer, "@") || isSession(viewer) {
		clients, err := p.clients(ctx)
		if err != nil {
			return err
		}
		there := slices.DeleteFunc(slices.Clone(clients), func(c client) bool { return c.window != viewer && c.session != viewer })
		c, err := choose(there)
		if err != nil {
			c, err = choose(clients)
		}
		if err != nil {
			return err
		}
		viewer = c.ID
	}
	_, err := p.run(ctx, "switch-client", "-c", viewer, "-t", p.pane)
	return err
}
