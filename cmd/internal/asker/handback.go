package asker

import (
	"context"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
)

// HandBack hands a question back to the agent's own dialog, which waits for that, when its
// person has gone from the form to the agent's pane and not answered for as long as the setting
// handBackSeconds says, unless ctx ends first.
func (a Asker) HandBack(ctx context.Context, id string) {
	sp, err := OpenSpool()
	if err != nil {
		return // the question itself says so
	}
	defer sp.Close()
	e, err := sp.Open(id)
	if err != nil {
		return
	}
	defer e.Close()
	req, err := e.Request()
	if err != nil {
		a.Warn(err)
		return
	}
	watch := e.Watch()
	defer watch.Stop()
	var due <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-watch.Changed:
			due = nil
			if after, at := a.handBackAt(sp, e, req.Origin); after {
				due = time.After(time.Until(at))
			}
		case <-due:
			err := e.Settle(form.Result{Outcome: form.Elsewhere, By: form.ByItself, At: time.Now()})
			if err != nil && ctx.Err() == nil {
				a.Warn(err)
			}
			return
		}
	}
}

// handBackAt returns when the question goes back by itself, if it does as things stand.
func (a Asker) handBackAt(sp *spool.Spool, e *spool.Entry, o spool.Origin) (yes bool, at time.Time) {
	wait, left := time.Duration(a.Settings().HandBackSeconds)*time.Second, sp.Queue(o.Host, "").LastLeft()
	return wait > 0 && e.Status().Aside && left.After(o.Start), left.Add(wait)
}
