package asker

import (
	"context"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/integrations/host"
)

// HandBack hands a question back to the agent's own dialog, which waits for that, when its
// person has put the form off and then been at the agent's pane for as long as the setting
// handBackSeconds says, unless ctx ends first.
func (a Asker) HandBack(ctx context.Context, sp *spool.Spool, id string) {
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
	if !a.wants(ctx, sp, e, req.Origin) {
		return
	}
	err = e.Settle(form.Result{Outcome: form.Elsewhere, By: form.ByItself, At: time.Now()})
	if err != nil && ctx.Err() == nil {
		a.Warn(err)
	}
}

// wants waits until the person wants the agent's own dialog; it is false where ctx ends first.
func (a Asker) wants(ctx context.Context, sp *spool.Spool, e *spool.Entry, o spool.Origin) bool {
	watch := e.Watch()
	defer watch.Stop()
	var h host.Host
	var came time.Time // to the pane; zero while they are elsewhere
	for aside, went := false, false; ; {
		var again <-chan time.Time
		was := aside
		if aside = e.Status().Aside; aside && !was {
			went = sp.Queue(o.Host, "").LastLeft().After(o.Start)
			h, _ = a.FindLater(ctx) // the question itself says why there is none
		}
		wait := time.Duration(a.Now().HandBackSeconds) * time.Second
		if aside && wait > 0 {
			again = time.After(lookEvery)
		}
		if came = cameAt(came, time.Now(), aside && looks(ctx, h, o.Ref, went)); wait > 0 && !came.IsZero() && time.Since(came) >= wait {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-watch.Changed:
		case <-again:
		}
	}
}

// lookEvery passes between looks at where the person is, while a form is put off whose agent shows no dialog.
const lookEvery = time.Second

// looks reports whether the person is at the pane with that name; where the host does not tell, whether
// they went there from the form.
func looks(ctx context.Context, h host.Host, pane string, went bool) bool {
	if h == nil || pane == "" {
		return went
	}
	v, err := h.Viewer(ctx)
	if err != nil || v.Pane == "" {
		return went
	}
	return v.Pane == pane
}

// cameAt returns since when the person is at the pane, if they are there now and came before.
func cameAt(before, now time.Time, there bool) time.Time {
	switch {
	case !there:
		return time.Time{}
	case before.IsZero():
		return now
	}
	return before
}
