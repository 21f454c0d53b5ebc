package popup

import "github.com/gdamore/tcell/v2"

// event is what a view says to the session: one of the types below.
type event any

// What the person does. The view gets it from tview and passes it on, and it comes
// back to the view if it counts.
type (
	keyPressed struct{ key *tcell.EventKey }
	textPasted struct{ text string }
	clicked    struct{ x, y int }
)

// What the view tells and asks for.
type (
	formChanged  struct{}           // the machine has taken an event
	roomAgain    struct{}           // the terminal was too small to be read, and is not any more
	editorWanted struct{}           // for the open entry
	peekWanted   struct{}           // at the asking pane
	paneWanted   struct{}           // the viewer wants to be there, and to answer later
	otherWanted  struct{ step int } // the next (1) or the previous (-1) form that waits
	listWanted   struct{}           // the form is to be left for where it was opened from
	readingEnds  struct{}           // of a form that is only read
)
