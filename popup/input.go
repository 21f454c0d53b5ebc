package popup

import (
	"slices"
	"time"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/askpane/askpane/popup/display"
	"github.com/askpane/askpane/popup/keymap"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/scene"
)

// viewKeys lists the keys that change what is on view and nothing in the machine, the
// same in every dialect.
var viewKeys = keymap.Table[*view]{
	{Keys: []string{"PgUp"}, Help: "scroll", When: always, Do: func(v *view) { v.turnPage(-1) }, Silent: always},
	{Keys: []string{"PgDn"}, Help: "scroll", When: always, Do: func(v *view) { v.turnPage(1) }, Silent: always},
	{Keys: []string{"Ctrl+C"}, When: always, Do: func(v *view) { v.say("Ctrl+C does nothing here. Esc cancels the question.") }},
	{Keys: []string{":"}, When: func(v *view) bool { return v.lettered() || v.m.Mode() == machine.Decline }, Do: func(v *view) {
		v.command = true
		v.say("There are no commands here. Keys count again after Enter or Esc.")
	}},
	{Keys: []string{"e", "Esc"}, When: func(v *view) bool { return v.expanded && v.previewable() }, Do: (*view).expand},
	{Keys: []string{"e"}, Help: "preview", When: (*view).previewable, Do: (*view).expand},
	{Keys: []string{"Ctrl+J"}, Help: "new line", When: func(v *view) bool { return v.m.SeveralLines() }}, // keymap.NewLine binds it
	{Keys: []string{"Ctrl+G", "F2"}, Help: "editor", When: func(v *view) bool {
		return v.m.Typing() && v.m.Mode() != machine.Filter && v.m.Mode() != machine.Search
	}, Do: (*view).openEditor,
		Silent: func(v *view) bool { return v.m.TypingSecret() }},
	{Keys: []string{"Ctrl+P", "F3"}, Help: "peek at the pane", When: (*view).paned, Do: func(v *view) { v.say("Looking at the pane…"); v.lookThere() }},
	{Keys: []string{"Ctrl+O", "F4"}, Help: "go there, answer later", When: (*view).paned, Do: func(v *view) { v.say("Going to the pane…"); v.goThere() }},
	{Keys: []string{"o", "F7"}, Help: "browser", When: func(v *view) bool { return v.openable() && v.serves && v.lettered() }, Do: (*view).wantPage},
	{Keys: []string{"F7"}, Help: "browser", When: func(v *view) bool { return v.openable() && !(v.serves && v.lettered()) }, Do: (*view).wantPage},
	{Keys: []string{"Ctrl+N", "F5"}, Help: keymap.NextWaiting, When: (*view).taking, Do: func(v *view) { v.goToOther(1) }, Silent: (*view).alone},
	{Keys: []string{"Ctrl+B", "F8"}, Help: keymap.HandBack, When: (*view).serial, Do: func(v *view) { v.handle(machine.Event{Action: machine.HandBack}) }, Silent: func(v *view) bool { return v.escDoes(machine.HandBack) }},
	{Keys: []string{"F6"}, Help: "previous waiting", When: (*view).serial, Do: func(v *view) { v.goToOther(-1) }, Silent: (*view).alone},
	{Keys: []string{"Ctrl+B", "F6"}, Help: "previous waiting", When: func(v *view) bool { return v.taking() && !v.serial() }, Do: func(v *view) { v.goToOther(-1) }, Silent: (*view).alone},
	{Keys: []string{"Ctrl+L"}, Help: toList, When: func(v *view) bool { return v.back && v.taking() }, Do: func(v *view) { v.putAside() }, Silent: func(v *view) bool { return v.escDoes(machine.Cancel) }},
}

// Esc does this in a form that was opened from the inbox.
const toList = "back to the list"

func always(*view) bool { return true }

// escDoes reports whether Esc does that now.
func (v *view) escDoes(a machine.Action) bool {
	e, bound := v.keys.Event(v.m, "Esc")
	return bound && e.Action == a
}

// taking reports whether the form still takes something.
func (v *view) taking() bool { return v.m.Mode() != machine.Over && !v.m.ReadOnly() }

// serial reports whether the form can be handed back to the agent's own dialog.
func (v *view) serial() bool { return v.m.Takes(machine.HandBack) }

// previewable reports whether the choice under the cursor has a preview.
func (v *view) previewable() bool {
	return v.m.Mode() == machine.List && scene.FocusedPreview(v.m) != nil
}

// lettered reports whether letters are keys that may answer.
func (v *view) lettered() bool {
	return v.taking() && slices.Contains([]machine.Mode{machine.List, machine.Document, machine.Review}, v.m.Mode())
}

// paned reports whether there is an asking pane to look at.
func (v *view) paned() bool { return v.pane != nil && v.taking() }

// alone reports whether no other question waits here.
func (v *view) alone() bool { return v.st.Others == 0 }

// hints returns the keys that work now, those of the view itself last; quiet ones for the help.
func (v *view) hints(help bool) []keymap.Hint {
	hints := v.keys.Hints(v.m, help)
	for i := range hints {
		switch {
		case v.expanded && v.previewable() && hints[i].Keys == "Esc":
			hints[i].Help = "back"
		case hints[i].Help != "cancel":
		case v.back:
			hints[i].Help = toList
		case v.st.Gone: // nobody is there to be told
			hints[i].Help = scene.Dismiss
		}
	}
	return keymap.Joined(append(hints, viewKeys.Footer(v, v.kept, help)...))
}

// hintsBelow returns those of the question or the review under the help.
func (v *view) hintsBelow() []keymap.Hint {
	below, under := *v, *v.m
	under.Handle(machine.Event{Action: machine.Back}) // any event leaves the help
	below.m = &under
	return below.hints(true)
}

func (v *view) InputHandler() func(*tcell.EventKey, func(tview.Primitive)) {
	return v.WrapInputHandler(func(e *tcell.EventKey, _ func(tview.Primitive)) {
		name := display.KeyName(e)
		if v.counts(name, keymap.Answers(v.m, name), false) {
			v.press(name, e)
		}
	})
}

func (v *view) PasteHandler() func(string, func(tview.Primitive)) {
	return v.WrapPasteHandler(func(text string, _ func(tview.Primitive)) {
		if v.counts("", false, true) {
			v.paste(text)
		}
	})
}

// press handles a key, or a click on what the footer says of it.
func (v *view) press(name string, e *tcell.EventKey) {
	v.fresh = false
	v.m.Seen = v.m.Seen || v.toEnd // and not before: rows that were drawn in between may be more
	switch {
	case v.cramped:
	case v.peek.rows != nil:
		v.peekKey(name)
	case v.command: // as :q of vim: its Enter chooses nothing
		if v.command = name != "Enter" && name != "Esc"; !v.command {
			v.say("")
		}
	case v.m.Leaving() && name != "Esc":
		v.handle(machine.Event{Action: machine.Back})
	case keymap.NewLine(name) && v.m.Typing():
		if v.m.SeveralLines() { // the text area would break any line at Alt+Enter
			v.toEntry(tcell.NewEventKey(tcell.KeyEnter, 0, 0))
		}
	case viewKeys.Do(v, name):
	default:
		v.formKey(name, e)
	}
}

// formKey handles a key of the dialect's, or text.
func (v *view) formKey(name string, e *tcell.EventKey) {
	event, bound := v.keys.Event(v.m, name)
	opens, begins := keymap.Begins(v.m, name)
	switch {
	case v.m.Mode() == machine.Help:
		v.handle(machine.Event{Action: machine.Back}) // any key
	case bound && event.Action == machine.Cancel && v.back:
		v.putAside()
	case bound && v.unseen(event):
	case bound:
		v.handle(event)
	case name == "Tab" || name == "Shift+Tab": // never text: where it goes on, it is bound
	case e.Key() == tcell.KeyRune && e.Modifiers()&(tcell.ModAlt|tcell.ModCtrl) == 0 && begins:
		v.handle(machine.Event{Action: opens})
		v.toEntry(e)
	case v.m.Typing():
		v.toEntry(e)
	}
}

// expand gives the preview all the room, or the options theirs back.
func (v *view) expand() { v.expanded, v.follow, v.top, v.paneFrom = !v.expanded, true, 0, 0 }

// unseen scrolls to the cursor instead of moving it or choosing with it while
// it is not on view: a long prompt is read first, and nobody chooses blindly.
func (v *view) unseen(e machine.Event) bool {
	if v.m.Typing() {
		return false
	}
	picks := e.Action == machine.Pick && (v.m.Mode() == machine.List || v.m.Mode() == machine.Document)
	moves := slices.Contains([]machine.Action{machine.Up, machine.Down, machine.Choose, machine.Commit, machine.Toggle, machine.Accept}, e.Action)
	subject := v.m.Form().Subject() != nil
	switch {
	case v.expanded && subject && (picks || moves): // in the place of the choices
		v.expand()
		return true
	case picks:
		return v.scrollTo(e, subject || v.m.Form().Document() != nil)
	}
	return moves && v.toFocus(e.Action)
}

// A host may take so long to show a pane or to go there.
const paneLimit = 5 * time.Second

// wheel says by how many rows it scrolls.
var wheel = map[tview.MouseAction]int{tview.MouseScrollUp: -2, tview.MouseScrollDown: 2}

func (v *view) MouseHandler() func(tview.MouseAction, *tcell.EventMouse, func(tview.Primitive)) (bool, tview.Primitive) {
	return v.WrapMouseHandler(func(action tview.MouseAction, e *tcell.EventMouse, set func(tview.Primitive)) (bool, tview.Primitive) {
		v.m.Seen = v.m.Seen || v.toEnd
		x, y := e.Position()
		left, _, _, _ := v.GetInnerRect()
		if by := wheel[action]; by != 0 {
			v.fresh = false
			if top, rows := v.paneOnView(); y >= top && y < top+rows && x >= left+v.page.Pane.Col {
				v.scrollPane(by)
			} else {
				v.top += by
			}
			return true, nil
		}
		if v.cramped {
			return true, nil
		}
		if v.m.Typing() && !v.m.Leaving() && v.peek.rows == nil && v.entry.InRect(x, y) {
			return v.entry.MouseHandler()(action, e, func(tview.Primitive) {})
		}
		// tview calls any two clicks in quick succession a double click. On the
		// same spot the second is a slip of the hand: what it would choose has
		// only just appeared there.
		spot := [2]int{x, y}
		if action == tview.MouseLeftDoubleClick && spot != v.clicked {
			action = tview.MouseLeftClick
		}
		if action != tview.MouseLeftClick {
			return false, nil
		}
		v.clicked = spot
		if v.counts("", false, false) {
			v.click(x, y)
		}
		return true, nil
	})
}

func (v *view) click(x, y int) {
	if key := v.keyAt(x, y); key != "" {
		v.press(key, tcell.NewEventKey(tcell.KeyNUL, 0, 0)) // it is bound, and no text
		return
	}
	e, ok := v.hitAt(x, y)
	if v.m.Leaving() || v.m.Mode() == machine.Help {
		e, ok = machine.Event{Action: machine.Back}, true
	}
	if !ok || v.peek.rows != nil {
		return
	}
	if v.m.Mode() == machine.Entry || v.m.Mode() == machine.Filter { // a click beside the entry leaves it first
		v.handle(machine.Event{Action: machine.Back})
	}
	if v.m.Mode() == machine.Review && e.Action == machine.Choose {
		v.handle(machine.Event{Action: machine.Last})
	}
	v.handle(e)
}

// keyAt returns the key that the footer names there, if any.
func (v *view) keyAt(x, y int) string {
	left, _, _, _ := v.GetInnerRect()
	last := len(v.page.Foot) - 1
	if last < 0 || y != v.footTop+last {
		return ""
	}
	if v.peek.rows != nil {
		return "Esc"
	}
	return keymap.Clicked(v.page.Foot[last].String(), x-left, v.hints(false))
}

// hitAt returns the event of a click there, if any.
func (v *view) hitAt(x, y int) (e machine.Event, ok bool) {
	left, top, width, _ := v.GetInnerRect()
	if x < left-v.padding || x >= left+width+v.padding { // beside the box
		return e, false
	}
	if line := v.lineAt(y); line > 0 {
		return machine.Event{Action: machine.ToLine, N: line}, true
	}
	row, hits := y-top, v.page.Tabs
	if y >= v.bodyTop {
		row, hits = y-v.bodyTop+v.top, v.page.Hits
	}
	for _, h := range hits {
		if h.Row == row && (h.To == 0 || x-left >= h.From && x-left < h.To) && y < v.bodyTop+v.bodyRows {
			return h.Event, true
		}
	}
	return e, false
}
