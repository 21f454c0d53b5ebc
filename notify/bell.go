package notify

import (
	"context"

	"github.com/askpane/askpane/bridge/form"
)

// bell rings once. There is nothing to take back: tmux drops its flag when the
// window is visited.
func bell(ctx context.Context, r Routes, _ *form.Form) (func(context.Context) error, error) {
	if r.Ring == nil {
		return nil, nil
	}
	return nil, r.Ring(ctx)
}
