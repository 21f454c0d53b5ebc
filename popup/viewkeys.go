package popup

import (
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/popup/machine"
)

// viewKey is a key that changes what is on view and nothing in the machine.
type viewKey struct {
	// keys do the same. One is shown: the first that the terminal does not keep for
	// itself.
	keys []string
	help string
	when func(*machine.Machine) bool
	do   func(*formView)
	// pane: only where there is an asking pane to look at.
	pane bool
	// others: shown only while other questions wait here. It is bound all the
	// same, so that it never does something else.
	others bool
	// back: only where the form was opened from a list.
	back bool
	// unsaid: the footer is silent about it then.
	unsaid func(*machine.Machine) bool
}

func (k viewKey) applies(m *machine.Machine, pane, back bool) bool {
	return k.when(m) && (pane || !k.pane) && (back || !k.back)
}

// viewKeys are the same in every dialect.
var viewKeys = []viewKey{
	{keys: []string{"e"}, help: "preview", when: previewable, do: (*formView).togglePreview},
	{keys: []string{"Ctrl+J"}, help: "new line", when: severalLines}, // newlineKeys binds it
	{keys: []string{"Ctrl+G", "F2"}, help: "editor", when: typing, do: (*formView).openEditor, unsaid: secretEntry},
	{keys: []string{"Ctrl+P", "F3"}, help: "peek at the pane", when: anywhere, do: (*formView).openPeek, pane: true},
	{keys: []string{"Ctrl+O", "F4"}, help: "go there, answer later", when: anywhere, do: (*formView).goTo, pane: true},
	{keys: []string{"Ctrl+N", "F5"}, help: "next waiting", when: anywhere, do: func(v *formView) { v.turn(1) }, others: true},
	{keys: []string{"Ctrl+B", "F6"}, help: "previous waiting", when: anywhere, do: func(v *formView) { v.turn(-1) }, others: true},
	{keys: []string{"Ctrl+L"}, help: "back to the list", when: anywhere, do: func(v *formView) { v.putAside() }, back: true},
}

// typing reports whether a text entry is open.
func typing(m *machine.Machine) bool {
	switch m.Mode() {
	case machine.Entry, machine.Text, machine.Danger, machine.Note, machine.Reason, machine.Filter:
		return true
	}
	return false
}

// severalLines reports whether the open entry may hold more than one line.
func severalLines(m *machine.Machine) bool {
	switch m.Mode() {
	case machine.Danger, machine.Filter:
		return false
	case machine.Entry, machine.Text:
		q := m.Question()
		return q.Kind != form.Number && (q.Kind != form.Text || q.Multiline)
	}
	return typing(m)
}

// previewable reports whether the choice under the cursor has a preview.
func previewable(m *machine.Machine) bool {
	return m.Mode() == machine.List && focusedPreview(m) != nil
}

func focusedPreview(m *machine.Machine) *form.Preview {
	q := m.Question()
	if q == nil || m.Cursor() >= len(q.Options) {
		return nil
	}
	return q.Options[m.Cursor()].Preview
}
