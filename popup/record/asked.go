package record

import (
	"time"

	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/popup/layout"
)

// Asked is what a form says of who asks and from where, and of how that stands.
func Asked(o spool.Origin, s spool.Status) layout.Status {
	machine, cwd, _, pane := o.Where()
	return layout.Status{Agent: o.Agent, Machine: machine, Cwd: cwd, Pane: pane, Gone: s.AgentGone, Away: Unreachable(s)}
}

// Unreachable says since when nothing was heard of the machine of a question, as in
// "unreachable since 12:03"; empty where it is there.
func Unreachable(s spool.Status) string {
	if s.Unreachable.IsZero() {
		return ""
	}
	return "unreachable since " + clock(s.Unreachable)
}

// clock is a time of today, and else with its day.
func clock(at time.Time) string {
	layout := "15:04"
	if time.Since(at) > 12*time.Hour {
		layout = "2 Jan 15:04"
	}
	return at.Local().Format(layout)
}
