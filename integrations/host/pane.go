package host

import (
	"context"
	"strings"
)

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
