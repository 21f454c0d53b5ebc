package asker

import (
	"testing"
	"time"

	"github.com/askpane/askpane/integrations/host"
)

func TestDisturbs(t *testing.T) {
	now := time.Unix(1000, 0)
	idleFor := func(d time.Duration) host.Viewer { return host.Viewer{Active: now.Add(-d)} }
	for _, c := range []struct {
		name   string
		mode   OpenMode
		viewer host.Viewer
		wait   time.Duration
		yes    bool
	}{
		{"popups come at once", OpenMode{OpenPopup, 5 * time.Second}, idleFor(0), 0, false},
		{"typing", OpenMode{OpenIdle, 5 * time.Second}, idleFor(0), 5 * time.Second, true},
		{"typed a moment ago", OpenMode{OpenIdle, 5 * time.Second}, idleFor(4 * time.Second), time.Second, true},
		{"typed just long enough ago", OpenMode{OpenIdle, 5 * time.Second}, idleFor(5 * time.Second), 0, false},
		{"the host cannot tell", OpenMode{OpenIdle, 5 * time.Second}, host.Viewer{}, 0, false},
		{"no pause wanted", OpenMode{OpenIdle, 0}, idleFor(0), 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if wait, yes := c.mode.disturbs(c.viewer, now); wait != c.wait || yes != c.yes {
				t.Errorf("disturbs = %v, %v, want %v, %v", wait, yes, c.wait, c.yes)
			}
		})
	}
}
