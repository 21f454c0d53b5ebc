package asker

import (
	"time"

	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/settings"
)

// OpenMode is when a form opens by itself (settings openMode and idleSeconds).
type OpenMode struct {
	Mode string
	Idle time.Duration // how long the viewer must have typed nothing
}

// The values of openMode.
const (
	OpenPopup  = "popup"  // at once
	OpenIdle   = "idle"   // once the viewer has typed nothing for so long
	OpenManual = "manual" // never: the person opens it with askpane next
)

func OpenModeOf(s settings.Settings) OpenMode {
	return OpenMode{s.OpenMode, time.Duration(s.IdleSeconds) * time.Second}
}

// disturbs reports whether a popup would come into the viewer's typing, and
// after how long it is worth looking again. Where the host cannot tell, it does
// not: such a host is the asker's own terminal, where nothing else is typed.
func (m OpenMode) disturbs(v host.Viewer, now time.Time) (wait time.Duration, yes bool) {
	idle, known := v.Idle(now)
	if m.Mode != OpenIdle || !known || idle >= m.Idle {
		return 0, false
	}
	return m.Idle - idle, true
}
