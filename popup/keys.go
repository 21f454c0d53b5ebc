package popup

import (
	"strings"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/popup/machine"
)

// keymaps has one table a dialect that has published keys of its own, then those
// that mean the same everywhere.
var keymaps = map[string]keymap{
	"AskUserQuestion":   with(typedKeys),
	"ask_user_question": with(formKeys),
	"ask_user":          with(decisionKeys),
	"buttons":           with(buttonKeys),
}

// keysOf are the keys of a dialect: the usual ones where it has none of its own.
func keysOf(dialect string) keymap {
	if keys, ok := keymaps[dialect]; ok {
		return keys
	}
	return usual
}

func with(own keymap) keymap { return append(own[:len(own):len(own)], everywhere...) }

func does(a machine.Action) func(string) machine.Event {
	return func(string) machine.Event { return machine.Event{Action: a} }
}

// arrows moves by the arrow that was pressed.
func arrows(key string) machine.Event {
	if key == "Up" || key == "Left" {
		return machine.Event{Action: machine.Up}
	}
	return machine.Event{Action: machine.Down}
}

// digit picks by number.
func digit(key string) machine.Event {
	return machine.Event{Action: machine.Pick, N: int(key[0] - '0')}
}

// altDigit goes to a question by number.
func altDigit(key string) machine.Event {
	return machine.Event{Action: machine.GoTo, N: int(key[len(key)-1] - '1')}
}

func toReview(m *machine.Machine) func(string) machine.Event {
	return func(string) machine.Event {
		return machine.Event{Action: machine.GoTo, N: len(m.Form().Questions)}
	}
}

var (
	nine  = strings.Split("123456789", "")
	eight = nine[:8]
	alts  = []string{"Alt+1", "Alt+2", "Alt+3", "Alt+4"}
)

// What the conditions of rows say about the machine.
func several(m *machine.Machine) bool   { return len(m.Form().Questions) > 1 || m.Form().Review }
func onSubmit(m *machine.Machine) bool  { return m.Cursor() == len(m.Form().Questions) }
func offSubmit(m *machine.Machine) bool { return !onSubmit(m) }
func isMany(m *machine.Machine) bool    { return m.Question().Kind == form.Many }
func isOne(m *machine.Machine) bool     { return m.Question().Kind == form.One }
func isNumber(m *machine.Machine) bool {
	return m.Question() != nil && m.Question().Kind == form.Number
}
func onDropdown(m *machine.Machine) bool  { return m.Question().Style == form.Dropdown }
func offDropdown(m *machine.Machine) bool { return !onDropdown(m) }
func inARow(m *machine.Machine) bool      { return m.Question().Style == form.Buttons }
func offRow(m *machine.Machine) bool      { return !inARow(m) }
func onOption(m *machine.Machine) bool    { return m.Cursor() < len(m.Question().Options) }
func selectRow(m *machine.Machine) bool   { return m.Question().SelectRow }
func partial(m *machine.Machine) bool     { return m.Form().Partial }
func notes(m *machine.Machine) bool       { return m.Form().Remarks == form.Notes }
func comments(m *machine.Machine) bool    { return m.Form().Remarks == form.Comments }
func remarks(m *machine.Machine) bool     { return notes(m) || comments(m) }

func not(a func(*machine.Machine) bool) func(*machine.Machine) bool {
	return func(m *machine.Machine) bool { return !a(m) }
}

func both(a, b func(*machine.Machine) bool) func(*machine.Machine) bool {
	return func(m *machine.Machine) bool { return a(m) && b(m) }
}

func filterable(m *machine.Machine) bool {
	return len(m.Question().Options) >= machine.FilterFrom
}
func recommended(m *machine.Machine) bool {
	return m.Question() != nil && m.CanRecommend(m.Step())
}
func anyRecommended(m *machine.Machine) bool {
	for i := range m.Form().Questions {
		if m.CanRecommend(i) {
			return true
		}
	}
	return false
}

// typedKeys are those of AskUserQuestion (docs/contracts.md). `0` and the brackets
// mean the same on every question; where an entry is open they are typed.
var typedKeys = func() keymap {
	km := keymap{
		row(machine.List, "move", arrows, "Up", "Down"),
		row(machine.List, "choose", does(machine.Choose), "Enter").where(isOne),
		row(machine.List, "toggle", does(machine.Choose), "Enter").where(isMany),
		row(machine.List, "toggle", does(machine.Toggle), "Space").where(isMany),
		row(machine.List, "choose", digit, eight...),
		row(machine.Number, "up or down by 1", arrows, "Up", "Down"),
		row(machine.Number, "type", does(machine.Open), "Enter"),
		row(machine.Closed, "type", does(machine.Open), "Enter"),

		row(machine.Entry, "answer", does(machine.Accept), "Enter"),
		row(machine.Entry, "back", does(machine.Back), "Esc"),
		row(machine.Entry, "up or down by 1", arrows, "Up", "Down").where(isNumber),
		row(machine.Danger, "confirm", does(machine.Accept), "Enter"),
		row(machine.Danger, "cancel", does(machine.Cancel), "Esc"),
		row(machine.Danger, "", nil, "Up", "Down"), // the contract: they do nothing
		row(machine.Danger, "question", altDigit, alts...).where(several),
		row(machine.Entry, "question", altDigit, alts...).where(several),

		row(machine.Note, "save", does(machine.Accept), "Enter"),
		row(machine.Note, "back", does(machine.Leave), "Tab"),
		row(machine.Note, "discard", does(machine.Back), "Esc"),

		row(machine.Review, "submit", does(machine.Choose), "Enter").where(onSubmit),
		row(machine.Review, "change", does(machine.Choose), "Enter").where(offSubmit),
		row(machine.Review, "move", arrows, "Up", "Down"),
		row(machine.Review, "cancel", does(machine.Cancel), "Esc"),
		row(machine.Review, "previous", does(machine.Prev), "["),
		row(machine.Review, "question", altDigit, alts...),
	}
	for _, mode := range []machine.Mode{machine.List, machine.Number, machine.Closed} {
		km = append(km,
			row(mode, "cancel", does(machine.Cancel), "Esc"),
			row(mode, "notes", does(machine.NoteQuestion), "Tab", "n"),
			row(mode, "next", does(machine.Next), "]").where(several),
			row(mode, "previous", does(machine.Prev), "[").where(several),
			row(mode, "question", altDigit, alts...).where(several),
			binding{mode: mode, keys: []string{"0"}, help: "submit tab", when: several, bind: toReview},
		)
	}
	return km
}()

// formKeys are those of ask_user_question (docs/contracts.md).
var formKeys = keymap{
	row(machine.List, "navigate", arrows, "Up", "Down"),
	row(machine.List, "select", does(machine.Commit), "Enter").where(isOne),
	row(machine.List, "toggle", does(machine.Toggle), "Space").where(isMany),
	row(machine.List, "next", does(machine.Commit), "Enter").where(isMany),
	row(machine.List, "cancel", does(machine.Cancel), "Esc"),
	row(machine.List, "next question", does(machine.Next), "Tab", "Right").where(several),
	row(machine.List, "previous", does(machine.Prev), "Shift+Tab", "Left").where(several),

	row(machine.Text, "submit", does(machine.Accept), "Enter"),
	row(machine.Text, "cancel", does(machine.Cancel), "Esc"),
	row(machine.Text, "next question", does(machine.Next), "Tab").where(several),
	row(machine.Text, "previous", does(machine.Prev), "Shift+Tab").where(several),

	row(machine.Entry, "submit", does(machine.Accept), "Enter"),
	row(machine.Entry, "back", does(machine.Back), "Esc"),
	row(machine.Entry, "next question", does(machine.Next), "Tab").where(several),
	row(machine.Entry, "previous", does(machine.Prev), "Shift+Tab").where(several),

	row(machine.Review, "submit", does(machine.Choose), "Enter").where(onSubmit),
	row(machine.Review, "change", does(machine.Choose), "Enter").where(offSubmit),
	row(machine.Review, "move", arrows, "Up", "Down"),
	row(machine.Review, "cancel", does(machine.Cancel), "Esc"),
	row(machine.Review, "previous", does(machine.Prev), "Shift+Tab", "Left"),
}

// decisionKeys are those of ask_user (docs/contracts.md).
var decisionKeys = keymap{
	row(machine.List, "move", arrows, "Up", "Down"),
	row(machine.List, "choose, next", does(machine.Commit), "Enter").where(isOne),
	row(machine.List, "accept, next", does(machine.Commit), "Enter").where(isMany),
	row(machine.List, "select", does(machine.Toggle), "Space").where(isOne),
	row(machine.List, "toggle", does(machine.Toggle), "Space").where(isMany),
	row(machine.List, "cancel", does(machine.Cancel), "Esc"),
	row(machine.List, "next", does(machine.Next), "Tab", "Right"),
	row(machine.List, "back", does(machine.Prev), "Shift+Tab", "Left"),
	row(machine.List, "comment the option", does(machine.NoteOption), "n").where(onOption),
	row(machine.List, "comment the question", does(machine.NoteQuestion), "c"),
	row(machine.List, "unanswered", does(machine.Unanswer), "u"),

	row(machine.Text, "submit, next", does(machine.Accept), "Enter"),
	row(machine.Text, "cancel", does(machine.Cancel), "Esc"),
	row(machine.Text, "next", does(machine.Next), "Tab"),
	row(machine.Text, "back", does(machine.Prev), "Shift+Tab"),
	row(machine.Text, "comment", does(machine.NoteQuestion), "Alt+c"),
	row(machine.Text, "unanswered", does(machine.Unanswer), "Alt+u"),

	row(machine.Note, "save", does(machine.Accept), "Enter"),
	row(machine.Note, "discard", does(machine.Back), "Esc"),

	row(machine.Review, "submit", does(machine.Choose), "Enter").where(onSubmit),
	row(machine.Review, "open", does(machine.Choose), "Enter").where(offSubmit),
	row(machine.Review, "move", arrows, "Up", "Down"),
	row(machine.Review, "comment the form", does(machine.NoteForm), "c"),
	row(machine.Review, "cancel", does(machine.Cancel), "Esc"),
	row(machine.Review, "back", does(machine.Prev), "Shift+Tab", "Left"),
}

// buttonKeys are our own: the contract of buttons publishes none.
var buttonKeys = keymap{
	row(machine.List, "move", arrows, "Left", "Right").where(inARow),
	row(machine.List, "move", arrows, "Up", "Down").where(offRow),
	row(machine.List, "", arrows, "Up", "Down").where(inARow),
	row(machine.List, "", does(machine.Down), "Tab"),
	row(machine.List, "", does(machine.Up), "Shift+Tab"),
	row(machine.List, "press", does(machine.Commit), "Enter").where(isOne),
	row(machine.List, "done", does(machine.Commit), "Enter").where(isMany),
	row(machine.List, "press", digit, nine...).where(isOne),
	row(machine.List, "toggle", digit, nine...).where(isMany),
	row(machine.List, "toggle", does(machine.Toggle), "Space").where(isMany),
	row(machine.List, "cancel", does(machine.Cancel), "Esc").where(offDropdown),
	row(machine.List, "close", does(machine.Cancel), "Esc").where(onDropdown),
	row(machine.Closed, "open", does(machine.Open), "Enter", "Space", "Down"),
	row(machine.Closed, "cancel", does(machine.Cancel), "Esc"),
	row(machine.Entry, "answer", does(machine.Accept), "Enter"),
	row(machine.Entry, "back", does(machine.Back), "Esc"),
}

// everywhere is what every dialect has besides its own keys.
var everywhere = func() keymap {
	km := keymap{
		row(machine.List, "", does(machine.First), "Home"),
		row(machine.List, "", does(machine.Last), "End"),
		row(machine.List, "filter", does(machine.Find), "/").where(filterable),
		row(machine.Review, "", does(machine.First), "Home"),
		row(machine.Review, "", does(machine.Last), "End"),

		row(machine.Filter, "keep", does(machine.Accept), "Enter"),
		row(machine.Filter, "show all", does(machine.Back), "Esc"),

		row(machine.Decline, "decline", does(machine.Choose), "Enter"),
		row(machine.Decline, "decline", digit, nine[:len(machine.Reasons)+1]...),
		row(machine.Decline, "move", arrows, "Up", "Down"),
		row(machine.Decline, "back", does(machine.Back), "Esc"),
		row(machine.Reason, "decline", does(machine.Accept), "Enter"),
		row(machine.Reason, "back", does(machine.Back), "Esc"),
	}
	// The help first: it lists what a narrow footer has no room for.
	for _, mode := range []machine.Mode{machine.List, machine.Number, machine.Closed, machine.Review} {
		km = append(km, row(mode, "help", does(machine.ShowHelp), "?"))
	}
	for _, mode := range []machine.Mode{machine.List, machine.Number, machine.Closed, machine.Text, machine.Danger, machine.Review} {
		km = append(km,
			row(mode, "decline with a reason", does(machine.Refuse), "Ctrl+X"),
			row(mode, "all recommended", does(machine.RecommendAll), "Ctrl+R").where(anyRecommended),
		)
	}
	for _, mode := range []machine.Mode{machine.List, machine.Number, machine.Closed} {
		km = append(km, row(mode, "recommended", does(machine.Recommend), "R").where(recommended))
	}
	return km
}()
