package kitty

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/askpane/askpane/integrations/host"
)

// pane is an asking window that a popup looks at.
type pane struct{ *instance }

func findPane(ref string) (host.Pane, error) {
	id, address, _ := strings.Cut(ref, " ")
	n, err := strconv.ParseUint(id, 10, 31)
	if err != nil {
		return nil, fmt.Errorf("%q names no kitty window", ref)
	}
	k, err := newInstance(address)
	if err != nil {
		return nil, fmt.Errorf("%q names no kitty window", ref)
	}
	k.window = int(n)
	return pane{k}, nil
}

func (p pane) Screen(ctx context.Context) (string, error) {
	data, err := p.remote.call(ctx, "get-text", map[string]any{"match": p.match(), "extent": "all"})
	if err != nil {
		return "", err
	}
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return "", fmt.Errorf("kitty get-text: %w", err)
	}
	return host.Last(text), nil
}

// GoTo gives the window the keyboard, in its tab and its desktop window.
func (p pane) GoTo(ctx context.Context, _ string) error {
	_, err := p.remote.call(ctx, "focus-window", map[string]any{"match": p.match()})
	return err
}
