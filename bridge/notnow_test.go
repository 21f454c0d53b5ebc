package bridge

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/settings"
)

func answers(_ int, p *popup, e *spool.Entry) { settle(p, e, chosen) }

// Whether a popup would come into somebody's typing.
func TestDisturbs(t *testing.T) {
	t.Parallel()
	now := time.Unix(1000, 0)
	at := func(seconds int64) host.Viewer { return host.Viewer{Active: time.Unix(seconds, 0)} }
	for _, c := range []struct {
		name, mode string
		viewer     host.Viewer
		wait       time.Duration // 0 is no
	}{
		{"always", "popup", at(1000), 0},
		{"typed just now", "idle", at(1000), 5 * time.Second},
		{"typed a while ago", "idle", at(997), 2 * time.Second},
		{"long since", "idle", at(995), 0},
		{"cannot be told", "idle", host.Viewer{}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			wait, yes := disturbs(&settings.Settings{OpenMode: c.mode, IdleSeconds: 5}, c.viewer, now)
			if wait != c.wait || yes != (c.wait > 0) {
				t.Errorf("disturbs = %v, %v, want %v", wait, yes, c.wait)
			}
		})
	}
}

// manual makes a stage where nothing opens by itself; the first question that
// has been asked there is told of.
func manual(t *testing.T) (s *stage, asked <-chan string) {
	s = newStage(t, answers)
	s.settings.OpenMode = "manual"
	ids := make(chan string, 1)
	s.raise = func() {
		all, _, err := s.spool.Scan()
		if err != nil || len(all) != 1 {
			t.Errorf("waiting are %v, %v", all, err)
			return
		}
		ids <- all[0]
	}
	return s, ids
}

// A form that does not open by itself opens when other settings count. The alerts are
// raised meanwhile, and nobody is warned.
func TestOtherSettingsCount(t *testing.T) {
	t.Parallel()
	s, asked := manual(t)
	go func() {
		<-asked
		if n := s.opens(); n != 0 {
			t.Errorf("%d popups were opened before", n)
		}
		s.set(func(now *settings.Settings) { now.OpenMode = "popup" })
	}()
	s.is(s.ask(t.Context(), question(0)), form.Answered, "Q1: user selected: 1. Ex", false)
	if w := s.warnings(); len(w) != 0 || s.raised != 1 {
		t.Errorf("%d alerts, warnings %q", s.raised, w)
	}
}

// The form of a muted question opens when the mute ends, by itself or taken off, and not
// before. The asker's own terminal is not muted.
func TestMuted(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(s *stage){
		"by itself": func(*stage) {},
		"taken off": func(s *stage) { s.set(func(now *settings.Settings) { now.MutedUntil = time.Time{} }) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, asked := manual(t)
			s.settings.OpenMode, s.settings.MutedUntil = "popup", time.Now().Add(time.Hour)
			var soonest time.Time
			if name == "by itself" {
				soonest = time.Now().Add(1200 * time.Millisecond)
				s.settings.MutedUntil = soonest
			}
			s.popups.Go(func() {
				<-asked
				if n := s.opens(); n != 0 {
					t.Errorf("%d popups were opened before", n)
				}
				end(s)
			})
			s.is(s.ask(t.Context(), question(0)), form.Answered, "Q1: user selected: 1. Ex", false)
			if time.Now().Before(soonest) || s.opens() != 1 {
				t.Errorf("%d popups, the first before the mute ended: %t", s.opens(), time.Now().Before(soonest))
			}
		})
	}
	s := newStage(t, answers)
	s.settings.MutedUntil = time.Now().Add(time.Hour)
	s.bridge.Find = func(context.Context) (host.Host, error) { return borrowed{s}, nil }
	s.is(s.ask(t.Context(), question(0)), form.Answered, "Q1: user selected: 1. Ex", false)
}

// Nothing opens by itself: the form that the person opens is seen all the same,
// and when it goes away the host is not pressed.
func TestOpenedByHand(t *testing.T) {
	t.Parallel()
	s, asked := manual(t)
	s.popups.Go(func() {
		id := <-asked
		for last := range 2 {
			p := &popup{stage: s, id: id, viewer: "by hand"}
			p.run(func(e *spool.Entry) {
				if last == 1 {
					settle(p, e, chosen)
				}
			})
		}
	})
	s.is(s.ask(t.Context(), question(0)), form.Answered, "Q1: user selected: 1. Ex", false)
	if s.raised != 1 || s.opens() != 0 {
		t.Errorf("%d alerts, %d popups", s.raised, s.opens())
	}
}

// The entry says that nobody could see its form, also where none opens by itself or at all.
func TestUnattended(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, mode string
		viewer     error
		find       func(s *stage) host.Host
		unattended bool
	}{
		{"somebody is there", "popup", nil, nil, false},
		{"nobody", "popup", host.ErrNoViewer, nil, true},
		{"nobody who could answer", "popup", host.ErrUnfit, nil, true},
		{"nobody can tell", "popup", errors.New("no reply"), nil, false},
		{"nothing opens by itself", "manual", nil, nil, false},
		{"nor would anybody see it", "manual", host.ErrNoViewer, nil, true},
		{"there is no host", "popup", nil, func(s *stage) host.Host { return nowhere{s} }, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, asked := manual(t)
			s.settings.OpenMode = c.mode
			viewer := s.viewer
			s.viewer = func() (host.Viewer, error) {
				if c.viewer != nil {
					return host.Viewer{}, c.viewer
				}
				return viewer()
			}
			if c.find != nil {
				s.bridge.Find = func(context.Context) (host.Host, error) { return c.find(s), nil }
			}
			s.open = func(id string, v host.Viewer) (host.Opening, error) { return nil, errors.New("it fails") }
			s.popups.Go(func() {
				e, err := s.spool.Open(<-asked)
				if err != nil {
					t.Error(err)
					return
				}
				defer e.Close()
				if got := e.Status().Unattended; got != c.unattended {
					t.Errorf("unattended: %t", got)
				}
				s.says(e, chosen, form.ByAnswer)
			})
			s.ask(t.Context(), question(0))
		})
	}
}

// nowhere is a stage on which nothing opens.
type nowhere struct{ *stage }

func (nowhere) Kind() *host.Kind { return &host.Kind{Name: "stage", NoPopup: true} }

// Who has gone from a form to a pane is left alone there until they have typed, or
// for ten seconds.
func TestHeld(t *testing.T) {
	t.Parallel()
	went := time.Unix(1000, 0)
	at := func(seconds int64) time.Time { return time.Unix(1000+seconds, 0) }
	for _, c := range []struct {
		name        string
		active, now time.Time
		held        bool
	}{
		{"just gone", at(-3), at(0), true},
		{"typed before, told late", at(2), at(2), true},
		{"typed there", at(3), at(3), false},
		{"looked at for long", at(-3), at(10), false},
		{"cannot be told", time.Time{}, at(9), true},
		{"cannot be told, for long", time.Time{}, at(10), false},
		{"the clock was set back", at(-3600), at(-3500), false},
	} {
		if got := heldBack(went, host.Viewer{Active: c.active}, c.now); got != c.held {
			t.Errorf("%s: held = %v", c.name, got)
		}
	}
	if heldBack(time.Time{}, host.Viewer{}, went) {
		t.Error("nobody has gone anywhere, and forms are held back")
	}
}
