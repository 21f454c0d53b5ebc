package popup

import (
	"github.com/gdamore/tcell/v2"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/settings"
)

// event is something that happened: one of the types below.
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

// What happens elsewhere.
type (
	ticked          struct{} // a second has passed
	painted         struct{} // the form is on the screen
	guardDue        struct{} // it may be over
	agentLeft       struct{}
	agentBack       struct{} // it has asked again
	answeredBy      struct{ form.Result }
	farewellOver    struct{}
	settingsChanged struct{ settings.Settings }
	queueChanged    struct{ waiting []string }
	failed          struct{ notice string } // something that leaves the form usable
	peeked          struct {                // the pane's screen has come
		screen string
		err    error
	}
	wentThere  struct{ err error } // the viewer is at the pane, or could not be taken there
	otherFound struct {            // another form, that was looked for; nil where there is none
		other  *current
		closes bool // the popup closes then
	}
)
