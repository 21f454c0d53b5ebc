package keymap

import "github.com/askpane/askpane/popup/machine"

// planOwn lists those of a plan: in the document, and on the choices.
var planOwn = Form{
	{Modes: modes{machine.Document, machine.List}, Keys: keys{"Up", "Down"}, Help: "move", Action: machine.Up},
	{Modes: modes{machine.Document}, Keys: keys{"Enter"}, Help: "comment", Action: machine.NoteLine},
	{Modes: modes{machine.Document}, Keys: keys{"c"}, Action: machine.NoteLine},
	{Modes: modes{machine.Document}, Keys: keys{"Tab"}, Help: "choices", Action: machine.Turn},
	{Modes: modes{machine.Document}, Keys: keys{"Shift+Tab"}, Action: machine.Turn},
	{Modes: modes{machine.Document}, Keys: nine, Help: "choose", Action: machine.Pick},
	{Modes: modes{machine.Document}, Keys: keys{"/"}, Help: "search", Action: machine.OpenSearch},
	{Modes: modes{machine.Document}, Keys: keys{"n"}, Help: "next match", Action: machine.NextMatch, When: searched},
	{Modes: modes{machine.Document}, Keys: keys{"N"}, Help: "match before", Action: machine.PrevMatch, When: searched},
	{Modes: modes{machine.Document}, Keys: keys{"["}, Help: "heading", Action: machine.PrevHeading},
	{Modes: modes{machine.Document}, Keys: keys{"]"}, Help: "heading", Action: machine.NextHeading},
	{Modes: modes{machine.List}, Keys: keys{"Tab"}, Help: "to the plan", Action: machine.Turn},
	{Modes: modes{machine.List}, Keys: keys{"Shift+Tab"}, Action: machine.Turn},
	{Modes: modes{machine.List, machine.Document}, Keys: keys{"C"}, Help: "comment on plan", Action: machine.NoteForm, Quiet: true},
}

var planMore = Form{
	{Modes: modes{machine.Note}, Keys: keys{"Enter"}, Help: "send", Action: machine.Accept, When: (*machine.Machine).Sends},
	{Modes: modes{machine.Note}, Keys: keys{"Enter"}, Help: "save", Action: machine.Accept, Unless: (*machine.Machine).Sends},
	{Modes: modes{machine.Search}, Keys: keys{"Enter"}, Help: "find", Action: machine.Accept},
	{Modes: modes{machine.Search}, Keys: keys{"Esc"}, Help: "back", Action: machine.Back},
	{Modes: modes{machine.List, machine.Document}, Keys: keys{"Esc"}, Help: "cancel", Action: machine.Cancel},
}

func searched(m *machine.Machine) bool { return m.Searched() != "" }
