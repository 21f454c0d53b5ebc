package bridge

import (
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/settings"
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
