package main

import (
	"os"
	"strconv"
	"time"

	"github.com/askpane/askpane/integrations/host"
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

// openModeNow is the mode in force.
//
// TODO(settings): take it from settings.Settings, which will name these two.
func openModeNow() openMode {
	m := openMode{mode: openPopup, idle: 5 * time.Second}
	if mode := os.Getenv("ASKPANE_OPEN_MODE"); mode == openIdle || mode == openManual {
		m.mode = mode
	}
	if n, err := strconv.Atoi(os.Getenv("ASKPANE_IDLE_SECONDS")); err == nil && n >= 0 && n <= 3600 {
		m.idle = time.Duration(n) * time.Second
	}
	return m
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
