package display

import (
	"context"
	"fmt"
	"sync"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"
)

// App runs tview's loop around one screen and adds what it lacks: news from elsewhere
// reach the loop without ever blocking it, and it ends with a context.
type App struct {
	*tview.Application
	// Interrupt handles Ctrl+C, on which tview would stop without asking. It
	// ends the loop unless set otherwise.
	Interrupt func(*tcell.EventKey)

	screen tcell.Screen
	mu     sync.Mutex
	posts  []func()
	posted chan struct{} // since the loop was last told
}

// wake tells the loop of posts. No keyboard has such a key.
const wake = tcell.KeyF64

// quit ends the loop. An error gets through a paste, which swallows keys, and may be
// queued before the loop runs.
var quit = tcell.NewEventError(context.Canceled)

// NewApp makes the loop that draws root on screen.
func NewApp(screen tcell.Screen, root tview.Primitive) *App {
	a := &App{Application: tview.NewApplication(), screen: screen, posted: make(chan struct{}, 1)}
	if q, ok := screen.(*quiet); ok {
		q.tty.told = func() { a.Post(func() {}) } // it is drawn once more
	}
	a.SetScreen(screen).SetRoot(root, true).EnablePaste(true)
	screen.EnableMouse(tcell.MouseDragEvents) // a move with no button down would go on with a drag that has ended elsewhere
	a.Interrupt = func(*tcell.EventKey) { a.Stop() }
	a.SetInputCapture(func(e *tcell.EventKey) *tcell.EventKey {
		for _, post := range a.pending() { // what these post comes after the next drawing
			post()
		}
		switch e.Key() {
		case wake:
			return nil
		case tcell.KeyCtrlC:
			a.Interrupt(e)
			return nil
		}
		return e
	})
	return a
}

// Post runs f in the loop, then draws; anybody may call it, the loop as well. It is not
// tview's QueueUpdateDraw, which waits for ever for a loop that has just ended: here f is
// forgotten then.
func (a *App) Post(f func()) {
	a.mu.Lock()
	a.posts = append(a.posts, f)
	a.mu.Unlock()
	select {
	case a.posted <- struct{}{}:
	default: // it will be told
	}
}

// pending returns the posts so far and forgets them; the caller runs them.
func (a *App) pending() []func() {
	a.mu.Lock()
	defer a.mu.Unlock()
	posts := a.posts
	a.posts = nil
	return posts
}

// tell tells the loop of posts, and that ctx ends. Beside it, since telling waits while
// tview's queue is full of what the person types. It tells of each: a paste swallows keys.
func (a *App) tell(ctx context.Context) {
	for {
		select {
		case <-a.posted:
			a.QueueEvent(tcell.NewEventKey(wake, 0, 0))
		case <-ctx.Done():
			a.QueueEvent(quit)
			return
		}
	}
}

// Copy puts text into the clipboard of the person's own terminal, also over ssh, where
// that lets it.
func (a *App) Copy(text string) { a.screen.SetClipboard([]byte(text)) }

// Run draws until the loop or ctx ends. follow, which may be nil, runs beside it until
// then, and Run waits for it.
func (a *App) Run(ctx context.Context, follow func(context.Context)) error {
	ctx, cancel := context.WithCancel(ctx)
	var following sync.WaitGroup
	if follow != nil {
		following.Go(func() { follow(ctx) })
	}
	go a.tell(ctx)
	err := a.Application.Run()
	cancel()
	following.Wait()
	if err != nil && err != error(quit) {
		return fmt.Errorf("draw on the terminal: %w", err)
	}
	return nil
}
