package bridge

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/tests/must"
)

// away is the question of build1.
func (s *stage) away() spool.Request {
	s.Helper()
	req := s.request()
	req.ID, req.Origin.Away = "01M7YX0STBP1474D78SPT0A4J6", &spool.Away{Machine: "build1", Digest: "d"}
	return req
}

// mirrored is its entry, which the caller holds.
func (s *stage) mirrored(req spool.Request) *spool.Entry {
	s.Helper()
	e, err := s.spool.Mirror(req)
	must.Do(s, err)
	s.Cleanup(func() { e.Close() })
	return e
}

// Nobody here gets the answer of another machine's question: neither who collects it nor
// who asks the same, even where the index says that it is theirs.
func TestAwayIsNotTakenHere(t *testing.T) {
	t.Parallel()
	for _, answered := range []bool{false, true} {
		s := newStage(t, answers)
		e := s.mirrored(s.away())
		if answered {
			s.says(e, chosen, form.ByAnswer)
		}
		must.Do(t, e.LetGo())
		for _, wait := range []bool{false, true} {
			if got, err := s.collect(e.ID, wait); !errors.Is(err, ErrAway) {
				t.Errorf("collected: %+v, %v", got, err)
			}
		}
		q := question(0)
		req, err := e.Request()
		must.Do(t, err)
		digest := spool.Digest(req.Form, q.Origin) // the entry's own as well: neither has a directory
		if how, err := s.bridge.fits(e, digest, q.Origin); how != unfit || err != nil {
			t.Errorf("asked again: fits as %d, %v", how, err)
		}
	}
}

// anywhere is a host that stands for the stage.
type anywhere struct{ *stage }

func (anywhere) Kind() *host.Kind           { return &host.Kind{Name: "anywhere"} }
func (a anywhere) At(string) host.Host      { return a.stage }
func (anywhere) Asker() (words, ref string) { return "", "anywhere" }

// mirror shows an entry as the desk does.
func (s *stage) mirror(ctx context.Context, e *spool.Entry) (form.Result, error) {
	b := s.bridge
	b.Find = func(context.Context) (host.Host, error) { return anywhere{s}, nil }
	return b.Mirror(ctx, e)
}

// The question is asked by a popup, and no clock of this machine ends it: not its
// deadline, and not that nobody is there for longer than a local question would wait.
func TestMirror(t *testing.T) {
	t.Parallel()
	s := newStage(t, answers)
	s.settings.HostWaitSeconds = 1
	attended := s.viewer
	s.viewer = func() (host.Viewer, error) {
		if s.looks < 2 {
			return host.Viewer{}, host.ErrNoViewer
		}
		return attended()
	}
	req := s.away()
	req.Deadline = new(time.Now().Add(-time.Minute))
	if c := (call{Bridge: &s.bridge, req: req}); c.config(s).HostWait != 0 {
		t.Errorf("nobody is waited for longer than %v", c.config(s).HostWait)
	}
	e := s.mirrored(req)
	if r, err := s.mirror(t.Context(), e); err != nil || r.Outcome != form.Answered || s.opens() != 1 {
		t.Errorf("%+v, %v, %d popups", r, err, s.opens())
	}
	if s := e.Status(); !s.Answered || s.Delivered {
		t.Errorf("it is delivered by whoever mirrors it: %+v", s)
	}
	if len(s.warned) > 0 {
		t.Errorf("it is nothing to warn of that nobody is here: %q", s.warned)
	}
	if s.raised != 1 || s.alerts != 0 {
		t.Errorf("%d alerts were raised, %d are left", s.raised, s.alerts)
	}
}

// The desk ends while the question waits: it stays. The next one does not alert again.
func TestMirrorAgain(t *testing.T) {
	t.Parallel()
	s := newStage(t, untilOver)
	for range 2 {
		ctx, end := context.WithCancel(t.Context())
		e := s.mirrored(s.away())
		go func() {
			s.await("the form is up and alerted to", func() bool {
				_, err := os.Stat(filepath.Join(s.dir, e.ID, "alerted"))
				return err == nil && e.Status().Painted
			})
			end()
		}()
		if _, err := s.mirror(ctx, e); !errors.Is(err, ErrKept) {
			t.Errorf("Mirror: %v", err)
		}
		if st := e.Status(); st.Over() || st.AgentGone {
			t.Errorf("%+v", st)
		}
		e.Close()
	}
	e := s.mirrored(s.away())
	s.says(e, chosen, form.ByPage)
	if r, err := s.mirror(t.Context(), e); err != nil || r.By != form.ByPage || s.raised != 1 {
		t.Errorf("with an answer from before: %+v, %v; %d alerts", r, err, s.raised)
	}
}

// A mirrored question and a local one stand in one line.
func TestMirrorInLine(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	release := make(chan struct{})
	s.share(func(id string, p *popup, e *spool.Entry) {
		p.wait("the release", release)
		settle(p, e, chosen)
	})
	var local sync.WaitGroup
	local.Go(func() { askOnly(s, question(0)) })
	line := s.spool.Queue("stage", "viewer")
	s.await("the local one is shown", func() bool { return seated(line) })
	e := s.mirrored(s.away())
	var away sync.WaitGroup
	away.Go(func() {
		if r, err := s.mirror(t.Context(), e); err != nil || r.Outcome != form.Answered {
			t.Errorf("%+v, %v", r, err)
		}
	})
	s.await("the mirrored one waits", func() bool { return slices.Equal(line.Waiting(), []string{e.ID}) })
	close(release)
	local.Wait()
	away.Wait()
	if s.opens() != 2 {
		t.Errorf("%d popups", s.opens())
	}
}
