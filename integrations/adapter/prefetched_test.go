package adapter

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askpane/askpane/integrations/host"
)

func TestSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := Pane{FindViewer: func(context.Context) (host.Viewer, error) { return host.Viewer{ID: "now"}, nil }}
		sees := func(want string) {
			t.Helper()
			saw, err := p.Viewer(t.Context())
			if err != nil || saw.ID != want {
				t.Errorf("it is %q, %v; want %q", saw.ID, err, want)
			}
		}
		sees("now")
		p.Seen(host.Viewer{ID: "before"})
		sees("before")
		sees("now") // once
		p.Seen(host.Viewer{ID: "before"})
		time.Sleep(Fresh) // of the bubble's clock
		sees("now")
	})
}
