package zellij

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/askpane/askpane/integrations/adapter"
	"github.com/askpane/askpane/integrations/host"
)

// pane is an asking pane that a popup looks at.
type pane struct{ *session }

func findPane(ref string) (host.Pane, error) {
	f := strings.SplitN(ref, " ", 3)
	if len(f) != 3 || f[2] == "" || strings.HasPrefix(f[2], "-") {
		return nil, fmt.Errorf("%q names no zellij pane", ref)
	}
	digits, ok := strings.CutPrefix(f[0], "terminal_")
	if !ok || !adapter.Number(digits) || f[1] != "-" && !filepath.IsAbs(f[1]) {
		return nil, fmt.Errorf("%q names no zellij pane", ref)
	}
	bin, err := exec.LookPath("zellij")
	if err != nil {
		return nil, err
	}
	s := newSession(bin, f[2], f[0])
	if f[1] != "-" {
		s.places = []string{"ZELLIJ_SOCKET_DIR=" + f[1]}
	}
	return pane{s}, nil
}

func (p pane) Screen(ctx context.Context) (string, error) {
	out, err := p.ask(ctx, "dump-screen", "--full", "--pane-id", p.pane)
	if err != nil {
		return "", err
	}
	return host.Last(out), nil
}

// GoTo takes the client that was used last there; no command can name one. It
// goes to the pane's tab and, where the pane is none of them, hides the floating
// ones.
func (p pane) GoTo(ctx context.Context, _ string) error {
	_, err := p.run(ctx, "action", "focus-pane-id", p.pane)
	return err
}
