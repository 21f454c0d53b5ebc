package keymap

import (
	"slices"

	"github.com/askpane/askpane/popup/machine"
)

// planKeys lists those of a plan: in the document, and on the choices.
var planKeys = slices.Concat(Form{
	rows(modes{machine.Document, machine.List}, "move", machine.Up, "Up", "Down"),
	row(machine.Document, "comment", machine.NoteLine, "Enter"),
	row(machine.Document, "", machine.NoteLine, "c"),
	row(machine.Document, "choices", machine.Turn, "Tab"),
	row(machine.Document, "", machine.Turn, "Shift+Tab"),
	row(machine.Document, "choose", machine.Pick, nine...),
	row(machine.Document, "search", machine.OpenSearch, "/"),
	row(machine.Document, "next match", machine.NextMatch, "n").where(searched),
	row(machine.Document, "match before", machine.PrevMatch, "N").where(searched),
	row(machine.Document, "heading", machine.PrevHeading, "["),
	row(machine.Document, "heading", machine.NextHeading, "]"),
	row(machine.Document, "move", machine.Up, "k", "j").quietly(),
	row(machine.Document, "first, last", machine.First, "Home", "g").quietly(),
	row(machine.Document, "first, last", machine.Last, "End", "G").quietly(),
	row(machine.List, "to the plan", machine.Turn, "Tab"),
	row(machine.List, "", machine.Turn, "Shift+Tab"),
	rows(modes{machine.List, machine.Document}, "comment on plan", machine.NoteForm, "C").quietly(),
}, list, Form{
	row(machine.Note, "send", machine.Accept, "Enter").where((*machine.Machine).Sends),
	row(machine.Note, "save", machine.Accept, "Enter").where(not((*machine.Machine).Sends)),
	row(machine.Search, "find", machine.Accept, "Enter"),
	row(machine.Search, "back", machine.Back, "Esc"),
	rows(modes{machine.List, machine.Document}, "cancel", machine.Cancel, "Esc"),
	row(machine.Document, "help", machine.ShowHelp, "?"),
	row(machine.Document, "", machine.ShowHelp, "F1", "Alt+?"),
	row(machine.Search, "help", machine.ShowHelp, "F1"),
	row(machine.Document, "no, because…", machine.Refuse, "Ctrl+X"),
	row(machine.Document, OtherText, machine.TakeOffer, "Ctrl+T", "Alt+t").where(offered).quietly(),
})

func searched(m *machine.Machine) bool { return m.Searched() != "" }
