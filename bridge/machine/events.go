package machine

import (
	"time"

	"github.com/askpane/askpane/bridge/form"
)

// Facts were read from the entry just before an event is handled. That there is no
// answer must have been read after the rest: a popup that ends in between has left its
// answer.
type Facts struct {
	Shown    bool   // a popup is up with the form
	Viewer   string // where the last popup showed it; empty where none has
	Aside    bool   // the last popup put the question aside
	Queued   bool   // that popup has put it back in Viewer's queue
	Answered bool   // there is an answer that can be used
	Err      error  // there can be none: it does not fit, or the entry was removed
}

// Event has happened: one of the types that follow.
type Event any

type (
	// Tick: the time that Next named has come.
	Tick struct{}
	// Changed: the entry may have changed.
	Changed struct{}
	// Opened: the host was told to open a popup on Viewer, which says nothing of
	// whether it comes up.
	Opened struct{ Viewer string }
	// Refused: no popup was opened.
	Refused struct {
		Why    Refusal
		Viewer string        // Occupied: whose
		After  time.Duration // NotNow: when to ask again; 0 is not by the clock
		Err    error
	}
	// HostEnded: the host's side of the popup has ended, Busy because another one
	// was in the way.
	HostEnded struct {
		Err  error
		Busy bool
	}
	// PopupGone: the popup has let go of the entry.
	PopupGone struct{}
	// Position: the question's place in line, in reply to Queue.
	Position struct {
		Ahead time.Duration // for how long yet another one comes first; Woken tells of its end
		Taken bool          // a popup is open on the viewer; Woken tells of its end
		Held  bool          // the person has gone to look at a pane
		Err   error         // it could not be put in line
	}
	// Woken: what was awaited beside the clock has come: the place in line has
	// changed, there is a viewer, or other settings count. Died says that the
	// viewer's popup was killed.
	Woken struct{ Died bool }
	// Interrupted: the call has gone. With Keep its question stays open. Elsewhere: the agent's
	// own dialog has ended it.
	Interrupted struct{ Keep, Elsewhere bool }
)

// Refusal says why no popup was opened.
type Refusal string

const (
	Occupied Refusal = "occupied"  // a form is open on the viewer, or older questions wait for it
	NotNow   Refusal = "not now"   // it would disturb, or the person opens forms by hand
	NoViewer Refusal = "no viewer" // nobody is there; Woken tells when somebody is
	NoReply  Refusal = "no reply"  // the host cannot say who is there; Woken tells when it can
	Failed   Refusal = "failed"    // the host could not open it
	// Looking: the person looks at the asking pane, where the agent's own prompt stands (Hold), or has put
	// the form off. After says when to look again; 0: the question goes back to that prompt.
	Looking Refusal = "looking"
)

// Effect is to be carried out: one of the types that follow. Those of one Step are in
// order.
type Effect any

type (
	// Open asks the host for a popup; the reply is Opened or Refused.
	Open struct{}
	// Abandon gives up the host's side of the popup that was opened.
	Abandon struct{}
	// Present: a popup is on view, ours or else somebody's on Viewer; the host may
	// have to see to its painting. PopupGone tells of its end.
	Present struct{ Viewer string }
	// Redraw: what the popup shows may have changed.
	Redraw struct{}
	// Release ends what the host does for the popup that was up.
	Release struct{}
	// Queue joins Viewer's queue, unless the question is in it, and asks for its
	// Position.
	Queue struct{ Viewer string }
	// Leave gives the place in line up, if there is one.
	Leave struct{}
	// Attend raises the alerts, and starts what else could wait until now.
	Attend struct{}
	// Warn tells the asker, once for each text.
	Warn struct{ Err error }
	// End ends the wait; each event after it gives up what the host still has in
	// hand. GiveBack: the popup is on the asker's own terminal, and must be gone
	// before anything is printed there.
	End struct {
		How      Ending
		Result   form.Result // Settled: to be written, unless an answer is there
		Err      error       // Broken
		GiveBack bool
	}
)

// Ending says how the wait ends.
type Ending string

const (
	Answered Ending = "answered" // by the answer on disk
	Settled  Ending = "settled"  // from the asker's side
	Kept     Ending = "kept"     // not at all: the call goes, the question stays
	Broken   Ending = "broken"   // by an error
)
