package notify

import (
	"context"
	"time"

	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/settings"
)

// heartbeat tells who asked, at every interval, that the question still waits,
// so that a harness sees life. It is no alert to the person, and knows no quiet
// hours.
var heartbeat = alert{
	name: "heartbeat", setting: "heartbeatWhileActive",
	isOn: func(s settings.Settings) bool { return s.HeartbeatWhileActive && s.HeartbeatIntervalMinutes > 0 },
	when: func(s settings.Settings, past time.Duration) time.Duration {
		interval := minutes(s.HeartbeatIntervalMinutes)
		return (max(past, 0)/interval + 1) * interval
	},
	raise: func(ctx context.Context, j job) (undo, error) {
		if j.Beat == nil {
			return nil, nil
		}
		return nil, j.Beat(ctx, j.waited)
	},
	describe: func(_ context.Context, j job) hint.Check {
		return given(j.Beat != nil, "tells who asked every "+minutes(j.set.HeartbeatIntervalMinutes).String()+" that the question waits",
			"who asks cannot be told anything before the answer")
	},
}
