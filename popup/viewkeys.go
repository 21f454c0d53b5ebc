package popup

import (
	"github.com/askpane/askpane/popup/keymap"
	"github.com/askpane/askpane/popup/layout"
	"github.com/askpane/askpane/popup/machine"
)

// viewKeys are the keys that change what is on view and nothing in the machine, the
// same in every dialect.
var viewKeys = keymap.Table[*view]{
	{Keys: []string{"PgUp"}, When: always, Do: func(v *view) { v.pageBy(-1) }},
	{Keys: []string{"PgDn"}, When: always, Do: func(v *view) { v.pageBy(1) }},
	{Keys: []string{"Ctrl+C"}, When: always, Do: func(v *view) { v.say("Ctrl+C does nothing here. Esc cancels the question.") }},
	{Keys: []string{"e"}, Help: "preview", When: (*view).previewable, Do: (*view).togglePreview},
	{Keys: []string{"Ctrl+J"}, Help: "new line", When: func(v *view) bool { return v.m.SeveralLines() }}, // keymap.NewLine binds it
	{Keys: []string{"Ctrl+G", "F2"}, Help: "editor", When: func(v *view) bool { return v.m.Typing() }, Do: (*view).openEditor,
		Silent: func(v *view) bool { return v.m.TypingSecret() }},
	{Keys: []string{"Ctrl+P", "F3"}, Help: "peek at the pane", When: (*view).paned, Do: func(v *view) { v.say("Looking at the pane…"); v.send(peekWanted{}) }},
	{Keys: []string{"Ctrl+O", "F4"}, Help: "go there, answer later", When: (*view).paned, Do: func(v *view) { v.say("Going to the pane…"); v.send(paneWanted{}) }},
	{Keys: []string{"Ctrl+N", "F5"}, Help: "next waiting", When: (*view).taking, Do: func(v *view) { v.send(otherWanted{1}) }, Silent: (*view).alone},
	{Keys: []string{"Ctrl+B", "F6"}, Help: "previous waiting", When: (*view).taking, Do: func(v *view) { v.send(otherWanted{-1}) }, Silent: (*view).alone},
	{Keys: []string{"Ctrl+L"}, Help: "back to the list", When: func(v *view) bool { return v.back && v.taking() }, Do: func(v *view) { v.send(listWanted{}) }},
}

func always(*view) bool { return true }

// taking reports whether the form still takes something.
func (v *view) taking() bool { return v.m.Mode() != machine.Over }

// previewable reports whether the choice under the cursor has a preview.
func (v *view) previewable() bool {
	return v.m.Mode() == machine.List && layout.FocusedPreview(v.m) != nil
}

// paned reports whether there is an asking pane to look at.
func (v *view) paned() bool { return v.pane != nil && v.taking() }

// alone reports whether no other question waits here.
func (v *view) alone() bool { return v.st.Others == 0 }

// hints are the keys that work now, those of the view itself last.
func (v *view) hints() []keymap.Hint {
	hints := v.dialect.Keys.Hints(v.m)
	for i := range hints {
		if v.st.Gone && hints[i].Help == "cancel" { // nobody is there to be told
			hints[i].Help = "dismiss"
		}
	}
	return append(hints, viewKeys.Footer(v, v.kept)...)
}

// hintsBelow are those of the question or the review under the help.
func (v *view) hintsBelow() []keymap.Hint {
	below, under := *v, *v.m
	under.Handle(machine.Event{Action: machine.Back}) // any event leaves the help
	below.m = &under
	return below.hints()
}
