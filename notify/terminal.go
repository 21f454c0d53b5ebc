package notify

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/integrations/host"
)

func named(t host.Terminal) string { return text.OneLine(t.String(), summaryRunes) }

func (r Routes) terminal(ctx context.Context) (host.Terminal, host.OSC, error) {
	if r.Host == nil || r.Tell == nil {
		return host.Terminal{}, 0, errors.New("there is none that could be told")
	}
	t, err := r.Host.Terminal(ctx)
	if err != nil {
		return t, 0, err
	}
	osc := t.Shows()
	if osc == 0 {
		err = fmt.Errorf("%s is not known to show notifications", named(t))
	}
	return t, osc, err
}

func (r Routes) probeTerminal(ctx context.Context) (string, error) {
	t, osc, err := r.terminal(ctx)
	return fmt.Sprintf("%s, by OSC %d", named(t), osc), err
}

func (r Routes) showOnTerminal(ctx context.Context, n notification) (undo, error) {
	t, osc, err := r.terminal(ctx)
	if err != nil {
		return nil, err
	}
	id := "askpane-" + rand.Text()[:15] // tells it from others'
	if err := r.Tell(t, n.sequence(osc, id)); err != nil || osc != host.OSC99 {
		return nil, err
	}
	return func(ctx context.Context) error {
		t, err := r.Host.Terminal(ctx) // which may be another by now
		if err != nil {
			return err
		}
		return r.Tell(t, "\x1b]99;i="+id+":p=close;\x1b\\")
	}, nil
}

// sequence is the notification for a terminal: at most the 511 bytes that it takes
// in one write without mixing it with what another program draws (docs/dev/hosts.md,
// Notifications through terminals). Its text has no control characters left
// (text.OneLine), and begins with a word of ours: OSC 9 with a number first means
// something else.
func (n notification) sequence(osc host.OSC, id string) string {
	summary := text.OneLine(n.summary, summaryRunes)
	switch osc {
	case host.OSC99:
		return "\x1b]99;i=" + id + ":d=0;" + summary + "\x1b\\\x1b]99;i=" + id + ":d=1:p=body;" + n.body + "\x1b\\"
	case host.OSC777: // a semicolon would end the title
		return "\x1b]777;notify;" + strings.ReplaceAll(summary, ";", ",") + ";" + n.body + "\x1b\\"
	default:
		return "\x1b]9;" + summary + "\x1b\\"
	}
}
