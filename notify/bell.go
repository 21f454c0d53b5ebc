package notify

import "context"

// bell rings once, and with each reminder. There is nothing to take back: tmux
// drops its flag when the window is visited.
var bell = alert{
	name: "bell", setting: "bellOnQuestion", loud: true,
	on:   func(c Config) bool { return c.Bell },
	when: reminded(noDelay),
	raise: func(ctx context.Context, j job) (raised, error) {
		if j.Ring == nil {
			return raised{}, nil
		}
		return raised{}, j.Ring(ctx)
	},
	describe: func(_ context.Context, _ Config, r Routes) Line {
		return given(r.Ring != nil, "rings the terminal's bell", "there is no terminal whose bell could ring")
	},
}
