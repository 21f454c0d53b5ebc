package popup

import "github.com/askpane/askpane/popup/machine"

// usual are the keys of a dialect that has none of its own, whatever its forms
// have in them. They are those of the dialect question.
var usual = with(func() keymap {
	km := keymap{
		row(machine.List, "move", arrows, "Up", "Down").where(offRow),
		row(machine.List, "move", arrows, "Left", "Right").where(inARow),
		row(machine.List, "choose", does(machine.Choose), "Enter").where(isOne),
		row(machine.List, "choose", digit, nine...).where(isOne),
		row(machine.List, "toggle", does(machine.Choose), "Enter").where(both(isMany, selectRow)),
		row(machine.List, "accept", does(machine.Commit), "Enter").where(both(isMany, not(selectRow))),
		row(machine.List, "toggle", does(machine.Toggle), "Space").where(isMany),
		row(machine.List, "toggle", digit, nine...).where(isMany),
		row(machine.List, "cancel", does(machine.Cancel), "Esc").where(offDropdown),
		row(machine.List, "close", does(machine.Cancel), "Esc").where(onDropdown),
		row(machine.List, "next", does(machine.Next), "Tab", "Right").where(both(several, offRow)),
		row(machine.List, "previous", does(machine.Prev), "Shift+Tab", "Left").where(both(several, offRow)),
		row(machine.List, "next", does(machine.Next), "Tab").where(both(several, inARow)),
		row(machine.List, "previous", does(machine.Prev), "Shift+Tab").where(both(several, inARow)),
		row(machine.List, "comment the option", does(machine.NoteOption), "n").where(both(comments, onOption)),

		row(machine.Number, "up or down by 1", arrows, "Up", "Down"),
		row(machine.Number, "type", does(machine.Open), "Enter"),
		row(machine.Closed, "open", does(machine.Open), "Enter"),
		row(machine.Closed, "open", does(machine.Open), "Space", "Down").where(onDropdown),

		row(machine.Entry, "answer", does(machine.Accept), "Enter"),
		row(machine.Entry, "back", does(machine.Back), "Esc"),
		row(machine.Entry, "up or down by 1", arrows, "Up", "Down").where(isNumber),
		row(machine.Text, "answer", does(machine.Accept), "Enter"),
		row(machine.Text, "comment", does(machine.NoteQuestion), "Alt+c").where(remarks),
		row(machine.Text, "unanswered", does(machine.Unanswer), "Alt+u").where(partial),
		row(machine.Danger, "confirm", does(machine.Accept), "Enter"),
		row(machine.Danger, "", nil, "Up", "Down"),

		row(machine.Note, "save", does(machine.Leave), "Enter"),
		row(machine.Note, "discard", does(machine.Back), "Esc"),

		row(machine.Review, "submit", does(machine.Choose), "Enter").where(onSubmit),
		row(machine.Review, "change", does(machine.Choose), "Enter").where(offSubmit),
		row(machine.Review, "move", arrows, "Up", "Down"),
		row(machine.Review, "change", digit, nine...),
		row(machine.Review, "cancel", does(machine.Cancel), "Esc"),
		row(machine.Review, "previous", does(machine.Prev), "Shift+Tab", "Left"),
		row(machine.Review, "comment the form", does(machine.NoteForm), "c").where(comments),
	}
	for _, mode := range []machine.Mode{machine.Number, machine.Closed, machine.Text, machine.Danger} {
		km = append(km, row(mode, "cancel", does(machine.Cancel), "Esc"))
	}
	for _, mode := range []machine.Mode{machine.Number, machine.Closed, machine.Text, machine.Danger, machine.Entry} {
		km = append(km,
			row(mode, "next", does(machine.Next), "Tab").where(several),
			row(mode, "previous", does(machine.Prev), "Shift+Tab").where(several),
		)
	}
	for _, mode := range []machine.Mode{machine.List, machine.Number, machine.Closed} {
		km = append(km,
			row(mode, "note", does(machine.NoteQuestion), "n").where(notes),
			row(mode, "comment the question", does(machine.NoteQuestion), "c").where(comments),
			row(mode, "unanswered", does(machine.Unanswer), "u").where(partial),
		)
	}
	return km
}())
