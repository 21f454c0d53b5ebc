package bridge

import (
	"time"

	"github.com/askpane/askpane/bridge/machine"
	"github.com/askpane/askpane/integrations/host"
)

// handBack keeps back the form of an agent that shows no dialog of its own meanwhile, once its person
// has put it off. The agent's dialog gets the question when they were at its pane for as long as the setting
// handBackSeconds says. It returns nil for a form that was not put off.
func (w *waiting) handBack(v host.Viewer, err error) *reply {
	status, o := w.entry.Status(), w.req.Origin
	if !status.Aside && !status.Shown {
		return nil
	}
	there := status.Put.Sub(w.Spool.Queue(o.Host, "").LastLeft()).Abs() < time.Second // they went there from the form
	if err == nil && v.Pane != "" && o.Ref != "" {
		there = v.Pane == o.Ref // else the host does not tell
	}
	now, _ := w.Settings()
	switch limit := time.Duration(now.HandBackSeconds) * time.Second; {
	case limit == 0 && status.Aside: // never, and nobody has to be looked for
		return &reply{event: machine.Refused{Why: machine.Looking, After: machine.MostSlept}}
	case !there || status.Shown:
		w.came = time.Time{}
	case w.came.IsZero():
		w.came = time.Now()
	case min(time.Since(w.came), time.Since(status.Put).Abs()) >= limit: // a clock may have been set back
		return &reply{event: machine.Refused{Why: machine.Looking}}
	}
	return &reply{event: machine.Refused{Why: machine.Looking, After: machine.Retry}}
}
