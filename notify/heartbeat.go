package notify

import (
	"context"
	"time"
)

// heartbeat tells who asked, at every interval, that the question still waits,
// so that a harness sees life. It is no alert to the person, and knows no quiet
// hours.
var heartbeat = alert{
	name: "heartbeat", setting: "heartbeatWhileActive",
	on: func(c Config) bool { return c.Heartbeat && c.HeartbeatInterval > 0 },
	when: func(c Config, after time.Duration) (time.Duration, bool) {
		return (max(after, 0)/c.HeartbeatInterval + 1) * c.HeartbeatInterval, true
	},
	raise: func(ctx context.Context, j job) (raised, error) {
		if j.Beat == nil {
			return raised{}, nil
		}
		return raised{}, j.Beat(ctx, j.waited)
	},
	describe: func(_ context.Context, c Config, r Routes) Line {
		return given(r.Beat != nil, "tells who asked every "+c.HeartbeatInterval.String()+" that the question waits",
			"who asks cannot be told anything before the answer")
	},
}
