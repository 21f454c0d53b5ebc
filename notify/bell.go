package notify

import (
	"context"

	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/settings"
)

// bell rings once, and with each reminder. There is nothing to take back: tmux
// drops its flag when the window is visited.
var bell = alert{
	name: "bell", setting: "bellOnQuestion", loud: true,
	isOn: func(s settings.Settings) bool { return s.BellOnQuestion },
	when: atOnce,
	raise: func(ctx context.Context, j job) (undo, error) {
		if j.Host == nil {
			return nil, nil
		}
		return nil, j.Host.Ring(ctx, j.Popup)
	},
	describe: func(_ context.Context, j job) hint.Check {
		return given(j.Host != nil, "rings the terminal's bell", "there is no terminal whose bell could ring")
	},
}
