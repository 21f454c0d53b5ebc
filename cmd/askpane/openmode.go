package main

import (
	"time"

	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/settings"
)

// openMode is when a form opens by itself (settings openMode and idleSeconds).
type openMode struct {
	mode string
	idle time.Duration // how long the viewer must have typed nothing
}

// The values of openMode.
const (
	openPopup  = "popup"  // at once
	openIdle   = "idle"   // once the viewer has typed nothing for so long
	openManual = "manual" // never: the person opens it with askpane next
)

func openModeOf(s settings.Settings) openMode {
	return openMode{s.OpenMode, time.Duration(s.IdleSeconds) * time.Second}
}

// disturbs reports whether a popup would come into the viewer's typing, and
// after how long it is worth looking again. Where the host cannot tell, it does
// not: such a host is the asker's own terminal, where nothing else is typed.
func (m openMode) disturbs(v host.Viewer, now time.Time) (wait time.Duration, yes bool) {
	idle, known := v.Idle(now)
	if m.mode != openIdle || !known || idle >= m.idle {
		return 0, false
	}
	return m.idle - idle, true
}
