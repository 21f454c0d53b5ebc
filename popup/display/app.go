package display

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"
)

// redraw is a key that no keyboard has, for what should be drawn though no key
// was pressed.
const redraw = tcell.KeyF64

// App is tview's loop around one screen. Ctrl+C ends it, whatever is on view.
type App struct {
	*tview.Application
	asked atomic.Bool // to draw, and it has not yet
}

// NewApp is the loop that draws root on screen.
func NewApp(screen tcell.Screen, root tview.Primitive) *App {
	a := &App{Application: tview.NewApplication().SetScreen(screen).SetRoot(root, true).EnableMouse(true).EnablePaste(true)}
	a.SetBeforeDrawFunc(func(tcell.Screen) bool {
		a.asked.Store(false)
		return false
	})
	a.SetInputCapture(func(e *tcell.EventKey) *tcell.EventKey { // tview would stop without asking the view
		switch e.Key() {
		case tcell.KeyCtrlC:
			a.Stop()
			return nil
		case redraw:
			return nil // it draws then, and that is all
		}
		return e
	})
	return a
}

// Redraw has the screen drawn soon; anybody may call it. It is not
// tview's QueueUpdateDraw, which waits for ever for a loop that has just stopped.
// The queue has an end too: so it asks once until it is drawn.
func (a *App) Redraw() {
	if a.asked.CompareAndSwap(false, true) {
		a.QueueEvent(tcell.NewEventKey(redraw, 0, 0))
	}
}

// Quit ends the loop; anybody may call it, also before Run.
func (a *App) Quit() { a.QueueEvent(tcell.NewEventKey(tcell.KeyCtrlC, 0, tcell.ModCtrl)) }

// Run draws until the loop or ctx ends. follow runs beside it until then, and Run
// waits for it.
func (a *App) Run(ctx context.Context, follow func(context.Context)) error {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		follow(ctx)
	}()
	stop := context.AfterFunc(ctx, a.Quit)
	err := a.Application.Run()
	stop()
	cancel()
	<-ended
	if err != nil {
		return fmt.Errorf("draw on the terminal: %w", err)
	}
	return nil
}
