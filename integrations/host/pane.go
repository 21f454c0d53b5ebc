package host

import "context"

// Paned is implemented by hosts that can show the asking pane, and take a viewer
// there, from another process.
type Paned interface {
	// Ref names the asking pane for that; empty where it is not known.
	Ref() string
}

// Pane is an asking pane found again by its Ref.
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
