// Package host says what a host is: all that the rest of askpane has to know of
// a multiplexer or a terminal. It holds no code that talks to one.
//
// A Kind is a value that describes every host of its kind before one is found;
// a Host is one that was found. What only some hosts can do is a field of Kind
// that may be nil, or one of three small interfaces that a Host may implement as
// well: Marker, for those whose panes have a title or a status line of their
// own, Adopter, for those where a popup needs looking after also by an asker
// who has not opened it, and Shared, for those where one asker can look for all.
package host

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

// Kind is what is known of a host before it is found. Only Name and Find must be
// there.
type Kind struct {
	Name string // as --host takes it
	// Find finds the one that this process runs in; the error says why there is
	// none that can be used.
	Find func(context.Context) (Host, error)
	// Depth is how many parents up the nearest process of the host is: its place in
	// ancestors, which begin with this process; -1 where none is. It is cheap and
	// runs nothing. Nil: no process of the host's is ever among them.
	Depth func(ancestors []Process) int
	// Pane finds an asking pane again, by what Asker called it; nil where that names
	// none. Nothing is asked of the host yet. Nil where it cannot show one.
	Pane func(ref string) Pane
	// Version is the command that prints its version; nil where there is none.
	Version []string

	// Env are the variables of the environment that help to find it, which an agent
	// that gives its tools a bare environment should hand on to them.
	Env []string
	// Attach is the command by which a person becomes its viewer; empty where there
	// is none.
	Attach string
	// Borrows: popups open on the asker's own terminal. They must be gone when the
	// question is over, and an agent with a screen of its own leaves no room for
	// them.
	Borrows bool
	// NoScreen: nothing but plain text may be written there, line by line.
	NoScreen bool
	// Anywhere is how to find each that this person has, wherever this process runs; nil
	// where it is found by its ancestors alone. What is found has no asking pane. refs
	// are what Asker called the panes from which questions that wait were asked: the
	// hosts of these are the person's, wherever they are.
	Anywhere func(refs []string) []func(context.Context) (Host, error)
	// NoPopup: nothing opens there. Its questions wait to be answered elsewhere.
	NoPopup bool
	// Quirks are those of the terminal that this process runs on, where that is one
	// of the host's; nil where it has none.
	Quirks func() Quirks
	// Resize gives the popup that this process is in the size that Command.Size would
	// have given it; nil where none can be resized.
	Resize func(ctx context.Context, size func(width, height int) (columns, rows int)) error
	// Coarse: Viewer.Active may be some seconds too early.
	Coarse bool
	// Setup is what `askpane install` writes into the host's own configuration; nil
	// where it has none.
	Setup *Setup
}

// Quirks are what a form has to heed on a host's terminal.
type Quirks struct {
	Keeps   []string // the keys that never arrive, as a form names them: "Ctrl+P"
	NoMouse bool     // reading the mouse would do harm
	Floats  bool     // it covers the panes, and has to close before one can be seen
	Framed  bool     // there is a border around it
}

// Process is one process as the system knows it.
type Process struct {
	PID    int
	Parent int
	// TTY is the device number of the controlling terminal; 0 is none. It
	// compares with the Rdev of the terminal's file.
	TTY uint64
	// Name is the beginning of its program's name, 15 bytes at least where it is
	// longer than that.
	Name string
}

// Host is a host that was found: a place where popups can be opened.
type Host interface {
	// Kind is what is known of it beforehand.
	Kind() *Kind
	// Asker is the asking pane: in words for a person, and as Kind.Pane takes it.
	// Either is empty where it is not known.
	Asker() (words, ref string)
	// Viewer is the person's terminal to open the popup on: the most recently
	// active one that can show it and take keys. ErrNoViewer if there is none.
	Viewer(ctx context.Context) (Viewer, error)
	// Open starts cmd as a popup on v. That it started is no sign that anybody
	// sees it: only the popup itself can say so.
	Open(ctx context.Context, v Viewer, cmd Command) (Opening, error)
	// Ring rings the bell of the asking pane and of the most active viewer. Where
	// the bell of a pane in the background would disturb what is on view, it is
	// that of the popup that is up on a viewer, whoever asks in it: popup gives its
	// process, 0 where there is none.
	Ring(ctx context.Context, popup func(viewer string) (pid int)) error
	// Terminal is the viewer's own, past the multiplexer. ErrNoViewer if there
	// is none; another error where it cannot be written to.
	Terminal(ctx context.Context) (Terminal, error)
}

// Marker is a host that can show at the asking pane that a question waits.
type Marker interface {
	// Mark counts the question where a status line can show it, and makes the
	// pane's title MarkSign and title; with an empty title it only counts. restore
	// takes both back, the title when the last question of the pane is done.
	Mark(ctx context.Context, title string) (restore func(context.Context) error, err error)
}

// Shared is a host whose viewers are the same for all who ask in it.
type Shared interface {
	// Shares names it: who has the same name for a host of its kind sees the same viewers.
	Shares() string
}

// Several is a host that stands for several (Kind.Anywhere).
type Several interface {
	// At is the one that the viewer with that ID is on, or was seen on last.
	At(viewer string) Host
}

// At is h, or the one of several that the viewer is on.
func At(h Host, viewer string) Host {
	if all, ok := h.(Several); ok {
		return all.At(viewer)
	}
	return h
}

// MarkSign begins every title that Mark sets.
const MarkSign = "🔔 "

// Adopter is a host that does something for a popup that is up (Shown, Changed)
// also where another asker has opened it.
type Adopter interface {
	// Adopt is the popup on the viewer with that ID. It never ends. Nil is that
	// nothing is to be done there.
	Adopt(viewer string) Opening
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

// ErrUnfit means that somebody is attached, in ways that show no popup or take no
// keys. It is an ErrNoViewer.
var ErrUnfit = fmt.Errorf("%w who could answer", ErrNoViewer)

// Viewer is a person's terminal attached to a host.
type Viewer struct {
	ID     string // the host's own name for it
	Name   string // what a person calls it, where ID says little
	Width  int    // columns
	Height int    // rows
	Grows  bool   // a popup that is up there can get another size
	// Active is when the viewer last typed something, attached or came to the
	// terminal, and at most a second too late; zero where the host cannot tell.
	// What is typed into a popup does not count.
	Active time.Time
}

// Idle is how long the viewer has typed nothing at now; known is false where
// the host cannot tell.
func (v Viewer) Idle(now time.Time) (idle time.Duration, known bool) {
	return max(0, now.Sub(v.Active)), !v.Active.IsZero()
}

// On less a border costs more than it gives.
const SmallWidth, SmallHeight = 60, 16

// Small reports whether a form takes all of the viewer, without a border.
func (v Viewer) Small() bool { return v.Width < SmallWidth || v.Height < SmallHeight }

// Command is the program a popup runs, and how large the popup should be.
type Command struct {
	Args []string // Args[0] is an absolute path
	Env  []string // NAME=value, on top of the environment that the host gives
	// Size is how many columns and rows it should have, its border included, on a
	// viewer with so many.
	Size func(width, height int) (columns, rows int)
}

// Border is how many columns, and rows, the border of a popup takes.
const Border = 2

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

// Pane is an asking pane found again by what Host.Asker called it.
type Pane interface {
	// Screen is the text it shows now, without colours, and some of what has
	// scrolled off it.
	Screen(ctx context.Context) (string, error)
	// GoTo makes the viewer look at it. viewer is a Viewer.ID; empty is the most
	// recently active one.
	GoTo(ctx context.Context, viewer string) error
}

// History is how many lines that have scrolled off Screen gives at most.
const History = 500

// Last is the end of a screen with all that has scrolled off it, for hosts that
// give all or nothing: History lines, and as many as a large screen has.
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

// Setup is a block of lines for a host's own configuration: keys for the
// questions that wait, and what askpane needs there to open popups.
type Setup struct {
	What string // what it is, in words
	// File is where that configuration is; env looks a variable up, and exists a file.
	File    func(home string, env func(string) string, exists func(path string) bool) string
	Comment string // what begins a comment there
	Lines   func(binary string) string
	// Oldest and Inbox are the keys for the question that waits longest and for all of
	// them.
	Oldest func() string
	Inbox  string
	// Then is what has a running host read File, whose name it ends with; empty where it
	// has to be started anew.
	Then string
	// Fit finds where in the file the lines go, and may change them; nil is its end.
	Fit func(content []byte, lines string) (at int, fitted string, err error)
}

// Dir is the directory (or file) that a variable's value names, and else the one
// below home.
func Dir(home, value string, below ...string) string {
	if filepath.IsAbs(value) {
		return value
	}
	return filepath.Join(append([]string{home}, below...)...)
}
