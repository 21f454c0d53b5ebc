package keymap

import (
	"slices"

	"github.com/askpane/askpane/popup/machine"
)

// Dialect is what a form of one dialect has of its own.
type Dialect struct {
	Keys Form
	Look Look
}

// Look is the signs of what all dialects have.
type Look struct {
	Cursor     string // before the focused choice
	Open, Done string // marks of a question in the tab bar
	Review     string // name of the last tab
	Waited     string // before how long the question has waited
	Numbered   bool   // choices have numbers
	Radio      bool   // a One's choices have ◉ and ○
}

// dialects are the ones whose contract publishes keys or signs (docs/contracts.md).
var dialects = map[string]Dialect{
	"AskUserQuestion":   {everywhere("answer", "change", typedKeys), Look{Cursor: "> ", Open: "□", Done: "■", Review: "Submit", Waited: "⏱ ", Numbered: true}},
	"ask_user_question": {everywhere("submit", "change", formKeys), Look{Cursor: "❯ ", Open: "·", Done: "✓", Review: "Submit", Waited: "waited ", Radio: true}},
	"ask_user":          {everywhere("answer", "open", decisionKeys), Look{Cursor: "❯ ", Open: "·", Done: "✓", Review: "Review", Waited: "waited ", Radio: true}},
	"buttons":           {everywhere("answer", "change", buttonKeys), usual.Look},
}

// usual is every other dialect, whatever its forms have in them.
var usual = Dialect{everywhere("answer", "change", questionKeys), Look{Cursor: "❯ ", Open: "·", Done: "✓", Review: "Review", Waited: "waited ", Numbered: true}}

// Of is what a dialect has of its own: the usual where it has nothing.
func Of(dialect string) Dialect {
	if own, ok := dialects[dialect]; ok {
		return own
	}
	return usual
}

// question are the modes of a question in which no entry is open.
var question = []machine.Mode{machine.List, machine.Number, machine.Closed}

// typedKeys are those of AskUserQuestion. `0` and the brackets mean the same on every
// question; where an entry is open they are typed.
var typedKeys = Form{
	row(machine.List, "move", arrows, "Up", "Down"),
	row(machine.List, "choose", does(machine.Choose), "Enter").where(isOne),
	row(machine.List, "toggle", does(machine.Choose), "Enter").where(isMany),
	row(machine.List, "toggle", does(machine.Toggle), "Space").where(isMany),
	row(machine.List, "choose", digit, eight...),
	rows([]machine.Mode{machine.Number, machine.Closed}, "type", does(machine.Open), "Enter"),
	rows(question, "cancel", does(machine.Cancel), "Esc"),
	rows(question, "notes", does(machine.NoteQuestion), "Tab", "n"),
	rows(question, "next", does(machine.Next), "]").where(several),
	rows(question, "previous", does(machine.Prev), "[").where(several),
	rows(question, "question", altDigit, alts...).where(several),
	rows(question, "submit tab", does(machine.ToReview), "0").where(several),

	row(machine.Danger, "cancel", does(machine.Cancel), "Esc"),
	rows([]machine.Mode{machine.Danger, machine.Entry}, "question", altDigit, alts...).where(several),

	row(machine.Note, "save", does(machine.Accept), "Enter"),
	row(machine.Note, "back", does(machine.Leave), "Tab"),

	row(machine.Review, "cancel", does(machine.Cancel), "Esc"),
	row(machine.Review, "previous", does(machine.Prev), "["),
	row(machine.Review, "question", altDigit, alts...),
}

// formKeys are those of ask_user_question.
var formKeys = Form{
	row(machine.List, "navigate", arrows, "Up", "Down"),
	row(machine.List, "select", does(machine.Commit), "Enter").where(isOne),
	row(machine.List, "toggle", does(machine.Toggle), "Space").where(isMany),
	row(machine.List, "next", does(machine.Commit), "Enter").where(isMany),
	row(machine.List, "cancel", does(machine.Cancel), "Esc"),
	row(machine.List, "next question", does(machine.Next), "Tab", "Right").where(several),
	row(machine.List, "previous", does(machine.Prev), "Shift+Tab", "Left").where(several),

	row(machine.Text, "submit", does(machine.Accept), "Enter"),
	row(machine.Text, "cancel", does(machine.Cancel), "Esc"),
	rows([]machine.Mode{machine.Text, machine.Entry}, "next question", does(machine.Next), "Tab").where(several),
	rows([]machine.Mode{machine.Text, machine.Entry}, "previous", does(machine.Prev), "Shift+Tab").where(several),

	row(machine.Review, "cancel", does(machine.Cancel), "Esc"),
	row(machine.Review, "previous", does(machine.Prev), "Shift+Tab", "Left"),
}

// decisionKeys are those of ask_user.
var decisionKeys = Form{
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

	row(machine.Review, "comment the form", does(machine.NoteForm), "c"),
	row(machine.Review, "cancel", does(machine.Cancel), "Esc"),
	row(machine.Review, "back", does(machine.Prev), "Shift+Tab", "Left"),
}

// buttonKeys are our own: the contract of buttons publishes none.
var buttonKeys = Form{
	row(machine.List, "move", arrows, "Left", "Right").where(inARow),
	row(machine.List, "move", arrows, "Up", "Down").where(not(inARow)),
	row(machine.List, "", arrows, "Up", "Down").where(inARow),
	row(machine.List, "", does(machine.Down), "Tab"),
	row(machine.List, "", does(machine.Up), "Shift+Tab"),
	row(machine.List, "press", does(machine.Commit), "Enter").where(isOne),
	row(machine.List, "done", does(machine.Commit), "Enter").where(isMany),
	row(machine.List, "press", digit, nine...).where(isOne),
	row(machine.List, "toggle", digit, nine...).where(isMany),
	row(machine.List, "toggle", does(machine.Toggle), "Space").where(isMany),
	row(machine.List, "cancel", does(machine.Cancel), "Esc").where(not(onDropdown)),
	row(machine.List, "close", does(machine.Cancel), "Esc").where(onDropdown),
	row(machine.Closed, "open", does(machine.Open), "Enter", "Space", "Down"),
	row(machine.Closed, "cancel", does(machine.Cancel), "Esc"),
}

// questionKeys are those of the dialect question, and of every dialect that has none
// of its own.
var questionKeys = Form{
	row(machine.List, "move", arrows, "Up", "Down").where(not(inARow)),
	row(machine.List, "move", arrows, "Left", "Right").where(inARow),
	row(machine.List, "choose", does(machine.Choose), "Enter").where(isOne),
	row(machine.List, "choose", digit, nine...).where(isOne),
	row(machine.List, "toggle", does(machine.Choose), "Enter").where(both(isMany, selectRow)),
	row(machine.List, "accept", does(machine.Commit), "Enter").where(both(isMany, not(selectRow))),
	row(machine.List, "toggle", does(machine.Toggle), "Space").where(isMany),
	row(machine.List, "toggle", digit, nine...).where(isMany),
	row(machine.List, "cancel", does(machine.Cancel), "Esc").where(not(onDropdown)),
	row(machine.List, "close", does(machine.Cancel), "Esc").where(onDropdown),
	row(machine.List, "next", does(machine.Next), "Tab", "Right").where(both(several, not(inARow))),
	row(machine.List, "previous", does(machine.Prev), "Shift+Tab", "Left").where(both(several, not(inARow))),
	row(machine.List, "next", does(machine.Next), "Tab").where(both(several, inARow)),
	row(machine.List, "previous", does(machine.Prev), "Shift+Tab").where(both(several, inARow)),
	row(machine.List, "comment the option", does(machine.NoteOption), "n").where(both(comments, onOption)),

	row(machine.Number, "type", does(machine.Open), "Enter"),
	row(machine.Closed, "open", does(machine.Open), "Enter"),
	row(machine.Closed, "open", does(machine.Open), "Space", "Down").where(onDropdown),

	row(machine.Text, "answer", does(machine.Accept), "Enter"),
	row(machine.Text, "comment", does(machine.NoteQuestion), "Alt+c").where(remarks),
	row(machine.Text, "unanswered", does(machine.Unanswer), "Alt+u").where(partial),

	row(machine.Note, "save", does(machine.Leave), "Enter"),

	row(machine.Review, "change", digit, nine...),
	row(machine.Review, "cancel", does(machine.Cancel), "Esc"),
	row(machine.Review, "previous", does(machine.Prev), "Shift+Tab", "Left"),
	row(machine.Review, "comment the form", does(machine.NoteForm), "c").where(comments),

	rows([]machine.Mode{machine.Number, machine.Closed, machine.Text, machine.Danger}, "cancel", does(machine.Cancel), "Esc"),
	rows([]machine.Mode{machine.Number, machine.Closed, machine.Text, machine.Danger, machine.Entry}, "next", does(machine.Next), "Tab").where(several),
	rows([]machine.Mode{machine.Number, machine.Closed, machine.Text, machine.Danger, machine.Entry}, "previous", does(machine.Prev), "Shift+Tab").where(several),
	rows(question, "note", does(machine.NoteQuestion), "n").where(notes),
	rows(question, "comment the question", does(machine.NoteQuestion), "c").where(comments),
	rows(question, "unanswered", does(machine.Unanswer), "u").where(partial),
}

// everywhere puts around a dialect's own keys what every dialect has besides them.
// accept is the dialect's word for what Enter does in an entry, change for what it does
// on a row of the review.
func everywhere(accept, change string, own Form) Form {
	return slices.Concat(Form{
		row(machine.Number, "up or down by 1", arrows, "Up", "Down"),
		row(machine.Entry, accept, does(machine.Accept), "Enter"),
		row(machine.Entry, "back", does(machine.Back), "Esc"),
		row(machine.Entry, "up or down by 1", arrows, "Up", "Down").where(isNumber),
		row(machine.Danger, "confirm", does(machine.Accept), "Enter"),
		row(machine.Danger, "", nil, "Up", "Down"), // the contract: they do nothing
		row(machine.Review, "submit", does(machine.Choose), "Enter").where(onSubmit),
		row(machine.Review, change, does(machine.Choose), "Enter").where(not(onSubmit)),
		row(machine.Review, "move", arrows, "Up", "Down"),
	}, own, general)
}

var general = Form{
	row(machine.Note, "discard", does(machine.Back), "Esc"),
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

	// The help first: it lists what a narrow footer has no room for.
	rows(noEntry, "help", does(machine.ShowHelp), "?"),
	rows(passable, "decline with a reason", does(machine.Refuse), "Ctrl+X"),
	rows(passable, "all recommended", does(machine.RecommendAll), "Ctrl+R").where((*machine.Machine).AnyRecommended),
	rows(question, "recommended", does(machine.Recommend), "R").where(recommended),
}

// noEntry are the modes in which letters are keys; passable those in which nothing
// lies over the question or the review.
var (
	noEntry  = []machine.Mode{machine.List, machine.Number, machine.Closed, machine.Review}
	passable = []machine.Mode{machine.List, machine.Number, machine.Closed, machine.Text, machine.Danger, machine.Review}
)
