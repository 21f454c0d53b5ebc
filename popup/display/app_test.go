package display

import (
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"
)

// Keys that come faster than they are handled never keep the loop from what is posted
// to it, also by what those keys do.
func TestPostsAmongManyKeys(t *testing.T) {
	t.Parallel()
	screen := tcell.NewSimulationScreen("UTF-8")
	if err := screen.Init(); err != nil {
		t.Fatal(err)
	}
	const keys = 300
	handled, posted, all := 0, 0, make(chan struct{})
	box := tview.NewBox()
	app := NewApp(screen, box)
	box.SetInputCapture(func(*tcell.EventKey) *tcell.EventKey {
		handled++
		app.Post(func() {
			if posted++; posted == keys {
				close(all)
			}
		})
		return nil
	})
	ended := make(chan error)
	go func() { ended <- app.Run(t.Context(), nil) }()
	go func() {
		for range keys {
			app.QueueEvent(tcell.NewEventKey(tcell.KeyRune, 'x', 0))
		}
	}()
	limit := time.After(30 * time.Second)
	select {
	case <-all:
	case <-limit:
		t.Fatal("the loop stands still")
	}
	app.QueueEvent(quit)
	select {
	case err := <-ended:
		if err != nil || handled != keys {
			t.Errorf("%d keys were handled: %v", handled, err)
		}
	case <-limit:
		t.Fatal("the loop does not end")
	}
}
