// Package host says what a host is: what the bridge needs of a multiplexer or
// a terminal. It holds no code that talks to one.
package host

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Host is a place where popups can be opened.
type Host interface {
	// Name is the host's name, as --host takes it.
	Name() string
	// Pane is the asking pane in words for a person; empty if not known.
	Pane() string
	// Viewer is the person's terminal to open the popup on: the most recently
	// active one that can show it and take keys. ErrNoViewer if there is none.
	Viewer(ctx context.Context) (Viewer, error)
	// Open starts cmd as a popup on v. That it started is no sign that anybody
	// sees it: only the popup itself can say so.
	Open(ctx context.Context, v Viewer, cmd Command) (Opening, error)
	// Mark shows at the asking pane that a question waits: it is counted where a
	// status line can show it, and the pane's title becomes MarkSign and title;
	// with an empty title it is counted only. restore takes both back, the title
	// when the last question of the pane is done.
	Mark(ctx context.Context, title string) (restore func(context.Context) error, err error)
	// Ring rings the bell of the asking pane and of the most active viewer.
	Ring(ctx context.Context) error
	// Terminal is the viewer's own, past the multiplexer. ErrNoViewer if there
	// is none; another error where it cannot be written to.
	Terminal(ctx context.Context) (Terminal, error)
}

// Untitled is embedded in a host whose panes have no title that could be set.
type Untitled struct{}

// Mark does nothing.
func (Untitled) Mark(context.Context, string) (func(context.Context) error, error) {
	return func(context.Context) error { return nil }, nil
}

// HasTitle reports whether Mark of that host can set a title.
func HasTitle(h Host) bool {
	_, none := h.(interface{ HasNoTitle() })
	return !none
}

// HasNoTitle is for HasTitle.
func (Untitled) HasNoTitle() {}

// MarkSign begins every title that Mark sets.
const MarkSign = "🔔 "

// NotInside says that this process is in no pane of a program.
type NotInside struct {
	Program  string
	Variable string // of the environment, which every pane of it has
}

func (n NotInside) Error() string {
	return "not inside " + n.Program + " ($" + n.Variable + " is not set)"
}

// ErrNoViewer means that the host is there and nobody is attached to it.
var ErrNoViewer = errors.New("nobody is attached")

// ErrUnfit means that somebody is attached, in ways that show no popup or take no
// keys. It is an ErrNoViewer.
var ErrUnfit = fmt.Errorf("%w who could answer", ErrNoViewer)

// Viewer is a person's terminal attached to a host.
type Viewer struct {
	ID     string // the host's own name for it
	Name   string // what a person calls it, where ID says little
	Width  int    // columns
	Height int    // rows
	// Active is when the viewer last typed something, attached or came to the
	// terminal, and at most a second too late; zero where the host cannot tell.
	// What is typed into a popup does not count.
	Active time.Time
	// Absent is why nobody can see what opens there, where it waits for them all
	// the same; it wraps ErrNoViewer. Nil is that somebody can.
	Absent error
}

// Idle is how long the viewer has typed nothing at now; known is false where
// the host cannot tell.
func (v Viewer) Idle(now time.Time) (idle time.Duration, known bool) {
	return max(0, now.Sub(v.Active)), !v.Active.IsZero()
}

// Command is the program a popup runs, and how large the popup should be.
type Command struct {
	Args   []string // Args[0] is an absolute path
	Env    []string // NAME=value, on top of the environment that the host gives
	Width  string   // of the viewer, "80%"
	Height string
}

// Fronted is a host where the bell of a pane in the background disturbs what is
// on view.
type Fronted interface {
	// RingFront rings the bell where the person looks. seated gives the process
	// of the popup that is up on a viewer, whoever asks in it; 0 is none.
	RingFront(ctx context.Context, seated func(viewer string) (pid int)) error
}

// Adopter is a host that does something for a popup that is up (Shown, Changed)
// also where another asker has opened it.
type Adopter interface {
	// Adopt is the popup on the viewer with that ID. It never ends. Nil is that
	// nothing is to be done there.
	Adopt(viewer string) Opening
}

// Opening is a popup on its way.
type Opening interface {
	// Viewer is the ID of the viewer it was opened on.
	Viewer() string
	// Shown is called once the popup has said that it is up.
	Shown(ctx context.Context)
	// Changed is called when the form may look different from before.
	Changed(ctx context.Context)
	// Ended is closed when the host's side of it has ended, which may be
	// before or after the popup itself does.
	Ended() <-chan struct{}
	// Err is why it ended; valid once Ended is closed.
	Err() error
	// Abandon gives up waiting for it: the host's side is ended, the popup is not.
	Abandon()
}

// Unseen is implemented by openings that can be up while nobody is attached.
type Unseen interface {
	// Seen tells, when that changes, why nobody can see the popup (ErrNoViewer),
	// or nil when somebody can. Until it has told anything somebody can.
	Seen() <-chan error
}
