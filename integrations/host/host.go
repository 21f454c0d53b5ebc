// Package host says what a host is: all that the rest of askpane has to know of
// a multiplexer or a terminal. It holds no code that talks to one.
//
// A Kind is a value that describes every host of its kind before one is found; a Host was
// found. What only some hosts can do is a field of Kind that may be nil, or one of the small
// interfaces that a Host may implement as well: Marker, Tender, Shared, Several, Adviser.
package host

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/askpane/askpane/bridge/text/hint"
)

// Kind describes a host before it is found. Only Name and Find must be there.
type Kind struct {
	Name string // as --host takes it
	// Find finds the one that this process runs in, or says why none can be used.
	Find func(context.Context) (Host, error)
	// Process is in the names of the host's processes, where that is how to tell them.
	Process string
	// Depth returns the place of the host's nearest process in ancestors, which begin with
	// this process, where Process does not tell; -1 where none is among them. It is cheap and
	// runs nothing.
	Depth func(ancestors []Process) int
	// Pane finds an asking pane again, by what Asker called it, without asking the host; nil
	// where that names none. Nil where the host cannot show one.
	Pane    func(ref string) Pane
	Version []string // the command that prints its version; nil where there is none
	Env     []string // variables that help to find it, which a bare environment should have, too
	Attach  string   // the command by which a person becomes its viewer; empty where there is none

	// Borrows says that popups open on the asker's own terminal. They must be gone when the
	// question is over, and an agent with a screen of its own leaves no place for them.
	Borrows  bool
	NoScreen bool // nothing but plain text may be written there, line by line
	NoPopup  bool // nothing opens there: its questions wait to be answered elsewhere
	Coarse   bool // Viewer.Active may be some seconds too early

	// Anywhere finds each that this person has, wherever this process runs; nil where it is
	// found by its ancestors alone. What is found has no asking pane. refs are the
	// panes, as Asker named them, from which questions that wait were asked: the hosts of
	// these are the person's, wherever they are.
	Anywhere func(refs []string) []func(context.Context) (Host, error)
	// Quirks lists those of the host's terminal, by the variables that tell of it.
	Quirks []Quirks
	// Resize gives the popup that this process is in another size; nil where none can be
	// resized.
	Resize func(ctx context.Context, size Size) error
	Setup  *Setup // of the host's own configuration; nil where it has none
}

// Quirks say what a form has to heed on a host's terminal.
type Quirks struct {
	// On and Unless name variables of the environment: on that terminal the first is set
	// and the second is not.
	On, Unless string

	Keeps   []string // the keys that never arrive, as a form names them: "Ctrl+P"
	NoMouse bool     // reading the mouse would do harm
	Floats  bool     // it covers the panes, has to close before one can be seen, and keeps its size
	Framed  bool     // there is a border around it
}

// Process describes a process as the system knows it.
type Process struct {
	PID    int
	Parent int
	TTY    uint64 // the controlling terminal's device number, as the Rdev of its file; 0 is none
	User   int    // who runs it; on Linux 0 also where the program may do more than its user (setgid)
	Name   string // how its program's name begins; 15 bytes at least, if it has so many
	Began  uint64 // when, in the kernel's ticks; 0 where the system does not tell
}

// Host is a place where popups can be opened.
type Host interface {
	Kind() *Kind
	// Asker names the asking pane: in words for a person, and as Kind.Pane takes it.
	// Either is empty where it is not known.
	Asker() (words, ref string)
	// Viewer finds the person's terminal to open the popup on: the most recently active
	// one that can show it and take keys. ErrNoViewer if there is none.
	Viewer(ctx context.Context) (Viewer, error)
	// Open starts cmd as a popup on v. That it started is no sign that anybody
	// sees it: only the popup itself can say so.
	Open(ctx context.Context, v Viewer, cmd Command) (Opening, error)
	// Ring rings the bell of the asking pane and of the most active viewer. Where the bell
	// of a pane in the background would disturb what is on view, it rings that of the
	// popup that is up on a viewer, whoever asks in it: popup gives its process, 0 where
	// there is none.
	Ring(ctx context.Context, popup func(viewer string) (pid int)) error
	// Terminal finds the viewer's own, past the multiplexer. ErrNoViewer if there is none;
	// another error where it cannot be written to.
	Terminal(ctx context.Context) (Terminal, error)
}

// Marker is implemented by a host that can show at the asking pane that a question waits.
type Marker interface {
	// Mark makes the pane's title MarkSign and title. restore gives back the one before, unless
	// another was set meanwhile.
	Mark(ctx context.Context, title string) (restore func(context.Context) error, err error)
}

// Shared is implemented by a host whose viewers are the same for all who ask in it.
type Shared interface {
	Shares() string // its name: who has the same for a host of its kind sees the same viewers
}

// Several is implemented by a host that stands for several (Kind.Anywhere).
type Several interface {
	// At returns the one that the viewer with that ID is on, or was seen on last.
	At(viewer string) Host
}

// At returns h, or the one of several that the viewer is on.
func At(h Host, viewer string) Host {
	if all, ok := h.(Several); ok {
		return all.At(viewer)
	}
	return h
}

const MarkSign = "🔔 " // begins every title that Mark sets

// Tender is implemented by an Opening for whose popup there is something to do while it is up,
// and by a Host that has to do it for what another asker has opened.
type Tender interface {
	// Tend does it on the viewer with that ID until ctx is over. changed tells that the form
	// may look different from before.
	Tend(ctx context.Context, viewer string, changed <-chan struct{})
}

// Adviser is implemented by a host whose own settings can be in askpane's way.
type Adviser interface {
	Advice(context.Context) []hint.Check // what askpane doctor says of them
}

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

// ErrUnfit means that somebody is attached, in ways that show no popup or take no keys; it
// wraps ErrNoViewer.
var ErrUnfit = fmt.Errorf("%w who could answer", ErrNoViewer)

// ErrBusy means that a popup did not open because the viewer shows another.
var ErrBusy = errors.New("another popup is open there")

// Viewer is a person's terminal attached to a host.
type Viewer struct {
	ID     string // the host's own name for it
	Name   string // what a person calls it, where ID says little
	Width  int    // columns; 0 where the host cannot tell
	Height int    // rows; so, too
	Grows  bool   // a popup that is up there can get another size
	// Pane names the pane that the person has before them there, as Asker names one for the host:
	// none of its own where their terminal has not the focus. Empty where the host cannot tell.
	Pane string
	// Active tells when the viewer last typed something, attached or came to the terminal,
	// at most a second too late; zero where the host cannot tell. What is typed into a
	// popup does not count.
	Active time.Time
}

// Idle returns for how long the viewer has typed nothing at now; known is false where the
// host cannot tell.
func (v Viewer) Idle(now time.Time) (idle time.Duration, known bool) {
	return max(0, now.Sub(v.Active)), !v.Active.IsZero()
}

// On less a border costs more than it gives.
const SmallWidth, SmallHeight = 60, 16

// Small reports whether a form takes all of the viewer, without a border.
func (v Viewer) Small() bool { return v.Width < SmallWidth || v.Height < SmallHeight }

// Command says which program a popup runs, and how large the popup should be.
type Command struct {
	Args []string // Args[0] is an absolute path
	Env  []string // NAME=value, on top of the environment that the host gives
	Size Size
}

// Size tells a host how many columns and rows a popup needs, its border included, and which
// share of its viewer, in percent, it may take at most.
type Size struct{ Columns, Rows, Width, Height int }

// On returns the columns and rows that it gets on a viewer: all of them where that is small.
func (s Size) On(v Viewer) (columns, rows int) {
	if v.Small() {
		return v.Width, v.Height
	}
	return min(s.Columns, v.Width*s.Width/100), min(s.Rows, v.Height*s.Height/100)
}

// Border counts the columns, and the rows, of a popup's border.
const Border = 2

// Opening is a popup on its way.
type Opening interface {
	Viewer() string // the ID of the one it was opened on
	// Ended is closed when the host's side of it has ended, which may be before or after
	// the popup itself does.
	Ended() <-chan struct{}
	Err() error // says why it ended, once Ended is closed
	Abandon()   // ends the host's side, and not the popup
}

// Pane is an asking pane found again by what Host.Asker called it.
type Pane interface {
	// Screen returns the text it shows now, without colours, and some that has scrolled off.
	Screen(ctx context.Context) (string, error)
	// GoTo makes the viewer with that ID look at it, or else the one that was active last.
	GoTo(ctx context.Context, viewer string) error
}

const History = 500 // bounds the lines that Screen gives of what has scrolled off

// Last cuts a screen with all that has scrolled off it, for hosts that give all or nothing:
// to History lines, and as many as a large screen has.
func Last(text string) string {
	const screen = 100
	end := len(text)
	for lines := 0; lines <= History+screen; lines++ {
		if end = strings.LastIndexByte(text[:end], '\n'); end < 0 {
			return text
		}
	}
	return text[end+1:]
}

// Setup describes a block of lines for a host's own configuration: keys for the questions
// that wait, and what askpane needs there to open popups.
type Setup struct {
	What string // what it is, in words
	// File returns where that configuration is; env looks a variable up, and exists a file.
	File    func(home string, env func(string) string, exists func(path string) bool) string
	Comment string // what begins a comment there
	Lines   func(binary string) string
	// Oldest and Inbox name the keys for the question that waits longest and for all of
	// them.
	Oldest func() string
	Inbox  string
	// Then has a running host read File, whose name it ends with; empty where the host has
	// to be started anew.
	Then string
	// Fit finds where in the file the lines go, and may change them; nil is its end.
	Fit func(content []byte, lines string) (at int, fitted string, err error)
}

// Dir returns the directory (or file) that a variable's value names, and else the one below
// home.
func Dir(home, value string, below ...string) string {
	if filepath.IsAbs(value) {
		return value
	}
	return filepath.Join(append([]string{home}, below...)...)
}
