package bridge

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/machine"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/settings"
	"github.com/askpane/askpane/tests/must"
)

// Who goes from the form to the agent's pane and does not answer gets the agent's own dialog. Who puts
// the form off for later does not: there the person opens it by hand, after which they went to the pane.
// No popup opens by itself a second time.
func TestHandBack(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	s.set(func(now *settings.Settings) { now.HandBackSeconds = 1 })
	try := func(err error) {
		if err != nil {
			t.Error(err)
		}
	}
	s.open = func(id string, v host.Viewer) (host.Opening, error) {
		p, _ := s.opening(id, v)
		s.popups.Go(func() {
			defer p.end()
			p.run(func(e *spool.Entry) {
				p.wait("Shown", p.shown)
				try(e.PutAside("viewer", ""))
			})
			p.wait("the bridge to give the popup up", p.abandoned)
			e, err := s.spool.Open(id)
			if err != nil {
				t.Errorf("what was put off for later was handed back: %v", err)
				return
			}
			defer e.Close()
			byHand := &popup{stage: s, id: p.id, viewer: "by hand"}
			byHand.run(func(e *spool.Entry) {
				req, err := e.Request()
				try(err)
				try(s.spool.Queue(req.Origin.Host, "").NoteLeft())
				try(e.PutAside("by hand", ""))
			})
		})
		return p, nil
	}
	began := time.Now()
	got := s.ask(t.Context(), native(spool.Serial))
	if r := s.history(got.ID); got.Outcome != form.Elsewhere || r.By != form.ByItself || time.Since(began) < time.Second {
		t.Errorf("it ended as %s after %s, and the history says %+v", got.Outcome, time.Since(began), r)
	}
	if n := s.opens(); n != 1 {
		t.Errorf("%d popups were opened", n)
	}
}

// Where the clock was set back since the form was put off, that was long ago.
func TestHandBackByAClockSetBack(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	s.set(func(now *settings.Settings) { now.HandBackSeconds = 60 })
	e := s.unasked(native(spool.Serial))
	if _, err := e.TakePopup(); err != nil {
		t.Fatal(err)
	}
	must.Do(t, e.PutAside("viewer", ""))
	must.Do(t, e.Close())
	lock := filepath.Join(s.dir, e.ID, "popup.lock")
	said, err := os.ReadFile(lock)
	must.Do(t, err)
	must.Do(t, os.WriteFile(lock, bytes.Replace(said, []byte(`"since":"2`), []byte(`"since":"3`), 1), 0o600)) // a thousand years later
	e, err = s.spool.Open(e.ID)
	must.Do(t, err)
	defer e.Close()
	req, err := e.Request()
	must.Do(t, err)
	req.Origin.Ref = "pane"
	w := &waiting{call: &call{Bridge: &s.bridge, entry: e, req: req}, came: time.Now().Add(-time.Minute)}
	if r := w.handBack(host.Viewer{Pane: "pane"}, nil); r == nil || r.event != (machine.Refused{Why: machine.Looking}) {
		t.Errorf("it does not go back: %+v", r)
	}
}
