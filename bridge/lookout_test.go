package bridge

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askpane/askpane/integrations/host"
)

// paned is a stage whose asking pane is known.
type paned struct{ *stage }

func (paned) Asker() (words, ref string) { return "left", "%1" }

// However many questions wait for a viewer, their host is asked once a second, and
// all are told when it says something else.
func TestOneLooksForAll(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		says := host.ErrNoViewer
		s := &stage{viewer: func() (host.Viewer, error) { return host.Viewer{}, says }}
		var all Lookout
		var changed []<-chan struct{}
		for range 50 {
			one := all.of(paned{s})
			if _, err := one.look(context.Background()); !errors.Is(err, host.ErrNoViewer) {
				t.Errorf("look: %v", err)
			}
			c, stop := one.watch()
			defer stop()
			changed = append(changed, c)
		}
		time.Sleep(3*lookEvery + lookEvery/2)
		s.mu.Lock()
		if s.looks != 4 { // at once, and every second
			t.Errorf("the host was asked %d times in 3.5 s", s.looks)
		}
		for _, c := range changed {
			select {
			case <-c:
				t.Error("the host has said the same, and it is told")
			default:
			}
		}
		says = nil
		s.mu.Unlock()
		for _, c := range changed {
			<-c
		}
		if one, other := all.of(s), all.of(s); one == other {
			t.Error("two questions without a known pane have one lookout")
		}
	})
}
