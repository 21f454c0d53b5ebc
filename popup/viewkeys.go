package popup

import (
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/popup/keymap"
	"github.com/askpane/askpane/popup/machine"
)

// viewKeys are the keys that change what is on view and nothing in the machine, the
// same in every dialect.
var viewKeys = keymap.Table[*formView]{
	{Keys: []string{"e"}, Help: "preview", When: (*formView).previewable, Do: (*formView).togglePreview},
	{Keys: []string{"Ctrl+J"}, Help: "new line", When: func(v *formView) bool { return v.m.SeveralLines() }}, // keymap.NewLine binds it
	{Keys: []string{"Ctrl+G", "F2"}, Help: "editor", When: func(v *formView) bool { return v.m.Typing() }, Do: (*formView).openEditor,
		Silent: func(v *formView) bool { return v.m.TypingSecret() }},
	{Keys: []string{"Ctrl+P", "F3"}, Help: "peek at the pane", When: (*formView).paned, Do: (*formView).openPeek},
	{Keys: []string{"Ctrl+O", "F4"}, Help: "go there, answer later", When: (*formView).paned, Do: (*formView).goTo},
	{Keys: []string{"Ctrl+N", "F5"}, Help: "next waiting", When: (*formView).taking, Do: func(v *formView) { v.turn(1) }, Silent: (*formView).alone},
	{Keys: []string{"Ctrl+B", "F6"}, Help: "previous waiting", When: (*formView).taking, Do: func(v *formView) { v.turn(-1) }, Silent: (*formView).alone},
	{Keys: []string{"Ctrl+L"}, Help: "back to the list", When: func(v *formView) bool { return v.back && v.taking() }, Do: func(v *formView) { v.putAside() }},
}

// taking reports whether the form still takes something.
func (v *formView) taking() bool { return v.m.Mode() != machine.Over }

// previewable reports whether the choice under the cursor has a preview.
func (v *formView) previewable() bool {
	return v.m.Mode() == machine.List && focusedPreview(v.m) != nil
}

// paned reports whether there is an asking pane to look at.
func (v *formView) paned() bool { return v.pane != nil && v.taking() }

// alone reports whether no other question waits here.
func (v *formView) alone() bool { return v.st.others == 0 }

// hints are the keys that work now, those of the view itself last.
func (v *formView) hints() []keymap.Hint {
	hints := v.dialect.Keys.Hints(v.m)
	for i := range hints {
		if v.st.gone && hints[i].Help == "cancel" { // nobody is there to be told
			hints[i].Help = "dismiss"
		}
	}
	return append(hints, viewKeys.Footer(v, v.kept)...)
}

// hintsBelow are those of the question or the review under the help.
func (v *formView) hintsBelow() []keymap.Hint {
	below, under := *v, *v.m
	under.Handle(machine.Event{Action: machine.Back}) // any event leaves the help
	below.m = &under
	return below.hints()
}

// focusedPreview is what the choice under the cursor has to show; nil for nothing.
func focusedPreview(m *machine.Machine) *form.Preview {
	q := m.Question()
	if q == nil || m.Cursor() >= len(q.Options) {
		return nil
	}
	return q.Options[m.Cursor()].Preview
}
