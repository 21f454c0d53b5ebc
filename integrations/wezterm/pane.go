package wezterm

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/askpane/askpane/integrations/adapter"
	"github.com/askpane/askpane/integrations/host"
)

// asking is an asking pane that a popup looks at.
type asking struct{ *mux }

func findPane(ref string) (host.Pane, error) {
	id, socket, _ := strings.Cut(ref, " ")
	if !adapter.Number(id) || socket != "" && !filepath.IsAbs(socket) {
		return nil, fmt.Errorf("%q names no wezterm pane", ref)
	}
	bin, err := binary(os.Getenv)
	if err != nil {
		return nil, err
	}
	return asking{&mux{bin: bin, pane: id, socket: socket}}, nil
}

func (a asking) Screen(ctx context.Context) (string, error) {
	return a.run(ctx, "get-text", "--pane-id", a.pane, "--start-line", strconv.Itoa(-host.History))
}

// GoTo takes the window to the pane's tab and the pane.
func (a asking) GoTo(ctx context.Context, _ string) error {
	_, err := a.run(ctx, "activate-pane", "--pane-id", a.pane)
	return err
}
