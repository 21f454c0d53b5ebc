package zellij

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"

	"github.com/askpane/askpane/integrations/host"
)

// pane is an asking pane that a popup looks at.
type pane struct{ *session }

// refs: the pane, the directory of the sockets or -, and the session.
var refs = regexp.MustCompile(`^(terminal_[0-9]{1,9}) (-|/[^ ]*) ([^-].*)$`)

func findPane(ref string) (host.Pane, error) {
	f := refs.FindStringSubmatch(ref)
	if f == nil {
		return nil, fmt.Errorf("%q names no zellij pane", ref)
	}
	bin, err := exec.LookPath("zellij")
	s := newSession(bin, f[3], f[1])
	if f[2] != "-" {
		s.places = []string{"ZELLIJ_SOCKET_DIR=" + f[2]}
	}
	return pane{s}, err
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
