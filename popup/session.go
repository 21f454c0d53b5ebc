package popup

import (
	"context"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/popup/display"
	"github.com/askpane/askpane/popup/layout"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/preview/styled"
	"github.com/askpane/askpane/popup/scene"
)

// session runs one popup in front of a person: its screen, and the form on it. Its
// fields belong to tview's event loop: the view asks it there, and what happens elsewhere
// is posted to it. Where other questions wait for the same viewer, one form follows the
// other and the popup stays (setting chain).
type session struct {
	Config
	*current
	app *display.App

	opened   form.Form        // that the popup was opened for
	queue    *spool.Queue     // nil where no other form can follow
	waiting  []string         // the questions in the queue, oldest first
	left     []string         // those that the person has left without an answer, and nobody waits for
	moving   bool             // another form is being looked for
	counting bool             // who waits
	now      func() time.Time // as the guard is told

	ctx    context.Context
	saving sync.WaitGroup // forms that are being put away

	size    host.Size                 // that the host was asked for last
	next    atomic.Pointer[host.Size] // that it is still to be told
	fitting sync.Mutex                // held while it is told
}

// A form that ended elsewhere says so for that long before it closes. The
// contract of buttons sets that time for an expired form, and the others keep it too.
const farewell = 5 * time.Second

// A form that the agent's own dialog has ended says so for that long, and takes keys that come
// in this time to nobody. It is closed a second after the answer, of which its carrier may need
// some 0.3 s to hear.
const swallowing = 500 * time.Millisecond

func newSession(c Config, screen tcell.Screen, queue *spool.Queue, entry *spool.Entry, req spool.Request) *session {
	s := &session{Config: c, opened: req.Form, queue: queue, now: time.Now}
	s.current = s.newCurrent(entry, req)
	s.Begins = nil // of the forms that follow they are read
	s.app = display.NewApp(screen, s.view)
	if c.NoMouse {
		screen.DisableMouse()
	}
	s.app.Interrupt = func(e *tcell.EventKey) { s.view.InputHandler()(e, nil) } // the view says what it does
	return s
}

// run shows forms until the popup is to close, or ctx ends.
func (s *session) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.ctx = ctx
	s.present()
	err := s.app.Run(ctx, nil)
	s.current.end()
	s.saving.Wait()
	return err
}

// post has do run in the event loop, then everything drawn, unless its form is not on
// view any more; about is nil for whichever is.
func (s *session) post(about *current, do func()) {
	s.app.Post(func() {
		if about == nil || about == s.current {
			do()
		}
	})
}

// counts reports whether what the person does is meant for the form. Once that has
// ended, a key goes on from there.
func (s *session) counts(key string, answers, pasted bool) bool {
	switch {
	case s.M.Mode() != machine.Over:
		return s.guard.Takes(s.now(), key, answers)
	case pasted:
	case s.Unsaved():
		if s.take(machine.Event{}); s.Unsaved() && key == "Esc" { // else nothing leads out of a popup
			s.putAside()
			s.app.Stop()
		}
	case s.told:
		s.proceed()
	}
	return false
}

// roomAgain holds keys back that were meant for a form which could not be read.
func (s *session) roomAgain() {
	s.beginGuard(time.Time{})
	s.guard.Held = true
}

// beginGuard holds keys back from now on. typed is when the person last typed elsewhere.
func (s *session) beginGuard(typed time.Time) {
	s.guard.Start(s.now(), typed)
	s.awaitGuard()
}

// awaitGuard ends the guard when no key has come for as long as that takes. Where this loop
// was late, on a busy machine, there may be keys that it has yet to read.
func (s *session) awaitGuard() {
	left, about := s.guard.Tick(s.now()), s.current
	if left == 0 {
		return
	}
	due := s.now().Add(left)
	time.AfterFunc(left, func() {
		s.post(about, func() {
			if late := s.now().Sub(due); late > busy {
				time.AfterFunc(late, func() { s.post(about, s.awaitGuard) })
				return
			}
			s.awaitGuard()
		})
	})
}

// A loop that is later than busy has had no time for keys either.
const busy = 100 * time.Millisecond

// take gives the machine what the person does, and follows it.
func (s *session) take(e machine.Event) {
	s.Handle(e)
	if n := s.M.Anews(); n > s.anew { // keys on their way were meant for what was shown before
		s.anew = n
		s.beginGuard(time.Time{})
	}
	if s.First != nil {
		s.over()
	}
}

// over follows the end of the form. Where somebody else was first it says who, and closes on
// a key or after a while; a question that was withdrawn just closes.
func (s *session) over() {
	if s.closing {
		return
	}
	s.closing, s.view.peek.rows = true, nil // it says how it has ended, which nothing may hide
	if s.Mine || s.First.Outcome == form.Aborted || s.Borrowed {
		s.proceed()
		return
	}
	about := s.current
	s.Notice = s.Scene().Over
	if s.First.Outcome == form.Elsewhere && s.First.By == form.ByBridge { // the next keys were meant for the agent's dialog
		time.AfterFunc(swallowing, func() { s.post(about, s.proceed) })
		return
	}
	if said := scene.Gist(&s.Req.Form, *s.First); said != "" && s.Status().Verdict == "" {
		s.Notice = strings.TrimSuffix(s.Notice, ".") + ": " + said + "."
	}
	s.post(about, func() { about.told = true }) // once it is drawn
	time.AfterFunc(farewell, func() { s.post(about, s.proceed) })
}

// fit has the host make the popup as large as the question on view needs.
func (s *session) fit() {
	if s.Resize == nil {
		return
	}
	_, _, width, height := s.view.GetRect()
	first := s.size == host.Size{}
	if width+host.Border >= s.size.Columns && !first { // it has got what it was to have
		width = math.MaxInt
	}
	columns, rows := wants(s.M, s.status(), scene.Stands(s.Req.Origin), s.Now.DangerCheckEnabled, width)
	s.size = host.Size{Columns: columns + host.Border, Rows: rows + host.Border}
	s.size.Width, s.size.Height = s.Now.Shares()
	size := s.size
	if first && size.Columns == width+host.Border && size.Rows == height+host.Border { // the asker has seen to it
		return
	}
	s.next.Store(&size)
	go func() {
		s.fitting.Lock()
		defer s.fitting.Unlock()
		if size := s.next.Swap(nil); size != nil { // else a later one has been told
			_ = s.Resize(s.ctx, *size) // it scrolls then
		}
	}()
}

// wants returns how many columns and rows the question on view needs, with what was typed to it.
func wants(m *machine.Machine, st scene.Status, notice string, danger bool, width int) (columns, rows int) {
	_, least := layout.Size(m.Form(), notice, danger, false, width, math.MaxInt)
	columns, most := layout.Size(m.Form(), notice, danger, true, width, math.MaxInt)
	unseen := func(form.Preview, int) []styled.Row { return nil } // its lines are in both
	p, step := layout.Form(scene.Of(m, st), layout.Screen{Previews: unseen}, min(width, columns)-2*layout.Padding, math.MaxInt), min(m.Step(), len(most)-1)
	return columns, max(most[step], p.Rows()+most[step]-least[step])
}

// putAside closes the form and leaves it waiting, until the person opens it.
func (s *session) putAside() {
	if err := s.current.Entry.PutAside(s.Viewer, s.ViewerName); err != nil {
		s.Notice = err.Error()
		return
	}
	s.app.Stop()
}

// lookThere asks the host for the pane's screen.
func (s *session) lookThere() {
	about, pane := s.current, s.view.pane
	go func() {
		ctx, cancel := context.WithTimeout(s.ctx, paneLimit)
		defer cancel()
		screen, err := pane.Screen(ctx)
		s.post(about, func() { s.view.showPeek(screen, err) })
	}()
}

// goThere has the host take the viewer to the pane.
func (s *session) goThere() {
	about, pane := s.current, s.view.pane
	go func() {
		problem := GoTo(s.ctx, pane, s.Viewer)
		s.post(about, func() {
			if problem != "" {
				s.view.say(problem)
				return
			}
			if s.Spool != nil { // the other forms hold back on all of the host: a viewer may be a window
				_ = s.Spool.Queue(s.Req.Origin.Host, "").NoteLeft()
			}
			s.putAside()
		})
	}()
}

// status says how it stands with the form on view.
func (s *session) status() scene.Status {
	st := s.Status()
	st.Waited, st.Others, st.Guarded, st.Twice = clock(time.Since(s.Req.Origin.Start)), len(s.others()), s.guard.Holds(), s.guard.Twice()
	if s.M.Leaving() {
		st.Notice = scene.Leaving(st.Gone) + " Esc again cancels; any other key keeps it"
	}
	if s.Req.Deadline != nil {
		st.Left = clock(max(time.Second, time.Until(*s.Req.Deadline)))
	}
	return st
}

// unit returns the steps in which a form's clock shows a time: minutes, after the first.
func unit(d time.Duration) time.Duration {
	if d < time.Minute {
		return time.Second
	}
	return time.Minute
}

// clock cuts a time to what a form shows of it.
func clock(d time.Duration) time.Duration { return d.Truncate(unit(d)) }

// stays returns for how long a form that has waited for so long shows the same time; or one that has
// so long left, where it ends.
func stays(waited, left time.Duration, ends bool) time.Duration {
	switch {
	case !ends:
		return unit(waited) - waited%unit(waited)
	case left <= time.Second: // it shows one until it is over
		return time.Minute
	}
	return left%unit(left) + time.Millisecond
}

// tick has the form drawn again when its clock shows another time.
func (s *session) tick() {
	about, next := s.current, stays(time.Since(s.Req.Origin.Start), 0, false)
	if s.Req.Deadline != nil {
		next = stays(0, time.Until(*s.Req.Deadline), true)
	}
	s.clock = time.AfterFunc(next, func() { s.post(about, s.tick) })
}
