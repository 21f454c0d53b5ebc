package keymap

import (
	"slices"
	"strings"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/popup/machine"
)

// Dialect is what a form of one dialect has of its own.
type Dialect struct {
	Keys Form
	Look Look
}

// Look is the signs of what all dialects have.
type Look struct {
	Open, Done string // marks of a question in the tab bar
	Review     string // name of the last tab
	Waited     string // before how long the question has waited
	Radio      bool   // a One's choices have ◉ and ○
}

// dialects are the ones whose contract publishes keys or signs (docs/contracts.md).
var dialects = map[string]Dialect{
	"AskUserQuestion":                {everywhere("answer", "change", typedKeys), Look{Open: "□", Done: "■", Review: "Submit", Waited: "⏱ "}},
	"AskUserQuestion " + form.Second: {everywhere("answer", "change", dialogKeys), Look{Open: "□", Done: "■", Review: "Submit", Waited: "⏱ "}},
	"ask_user_question":              {everywhere("submit", "change", formKeys), Look{Open: "·", Done: "✓", Review: "Submit", Radio: true}},
	"ask_user":                       {everywhere("answer", "open", decisionKeys), Look{Open: "·", Done: "✓", Review: "Review", Radio: true}},
	"buttons":                        {everywhere("answer", "change", buttonKeys), usual.Look},
}

// usual is every other dialect, whatever its forms have in them.
var usual = Dialect{everywhere("answer", "change", questionKeys), Look{Open: "·", Done: "✓", Review: "Review"}}

// Of is what the dialect that f was asked in has of its own: the usual where it has
// nothing.
func Of(f *form.Form) Dialect {
	if own, ok := dialects[strings.TrimSpace(f.Dialect+" "+f.Shape)]; ok {
		return own
	}
	return usual
}

// typedKeys are those of AskUserQuestion. Where an entry is open, `0` and the brackets
// are typed; on a text or a number that nobody has touched, so is whatever no row has.
var typedKeys = slices.Concat(typedLists, Form{
	rows(modes{machine.Number, machine.Closed}, "type", machine.Open, "Enter"),
	rows(modes{machine.Number, machine.Closed, machine.Danger}, "cancel", machine.Cancel, "Esc"),
	rows(question, "notes", machine.NoteQuestion, "Tab"),
	rows(question, "notes", machine.NoteQuestion, "n").where(touched),
	rows(question, "next", machine.Next, "]").where(several),
	rows(noEntry, "previous", machine.Prev, "[").where(several),
	rows(modes{machine.Number, machine.Closed}, "", machine.Next, "]", "[").where(not(several)), // and are not typed
	rows(modes{machine.List, machine.Number, machine.Closed, machine.Danger, machine.Entry, machine.Review}, "question", machine.GoTo, alts...).where(several),
	rows(modes{machine.List, machine.Closed}, "submit tab", machine.ToReview, "0").where(several),
}, typedNote)

// dialogKeys are those of its second shape: of the dialog that agents show themselves.
var dialogKeys = slices.Concat(typedLists, Form{
	row(machine.List, "next", machine.Next, "Tab", "Right", "]").where(several),
	rows(modes{machine.List, machine.Review}, "previous", machine.Prev, "Shift+Tab", "Left", "[").where(several),
	row(machine.Entry, "next", machine.Next, "Tab").where(several),
	row(machine.Entry, "previous", machine.Prev, "Shift+Tab").where(several),
	row(machine.List, "notes", machine.NoteQuestion, "n"),
	rows(modes{machine.List, machine.Entry, machine.Review}, "question", machine.GoTo, alts...).where(several),
	row(machine.List, "submit tab", machine.ToReview, "0").where(several),
}, typedNote)

// What both shapes have.
var (
	typedLists = Form{
		row(machine.List, "move", machine.Up, "Up", "Down"),
		row(machine.List, "choose", machine.Choose, "Enter").where(isOne),
		row(machine.List, "toggle", machine.Choose, "Enter").where(isMany),
		row(machine.List, "toggle", machine.Toggle, "Space").where(isMany),
		row(machine.List, "choose", machine.Pick, eight...),
		rows(modes{machine.List, machine.Review}, "cancel", machine.Cancel, "Esc"),
	}
	typedNote = Form{
		row(machine.Note, "save", machine.Accept, "Enter"),
		row(machine.Note, "back", machine.Leave, "Tab"),
	}
)

// formKeys are those of ask_user_question.
var formKeys = Form{
	row(machine.List, "navigate", machine.Up, "Up", "Down"),
	row(machine.List, "select", machine.Commit, "Enter").where(isOne),
	row(machine.List, "select", machine.Pick, nine...).where(isOne),
	row(machine.List, "toggle", machine.Toggle, "Space").where(isMany),
	row(machine.List, "toggle", machine.Pick, nine...).where(isMany),
	row(machine.List, "next", machine.Commit, "Enter").where(isMany),
	row(machine.Text, "submit", machine.Accept, "Enter"),
	rows(modes{machine.List, machine.Text, machine.Review}, "cancel", machine.Cancel, "Esc"),
	row(machine.List, "next question", machine.Next, "Tab", "Right").where(several),
	rows(modes{machine.Text, machine.Entry}, "next question", machine.Next, "Tab").where(several),
	rows(modes{machine.List, machine.Review}, "previous", machine.Prev, "Shift+Tab", "Left").where(several),
	rows(modes{machine.Text, machine.Entry}, "previous", machine.Prev, "Shift+Tab").where(several),
}

// decisionKeys are those of ask_user.
var decisionKeys = Form{
	row(machine.List, "move", machine.Up, "Up", "Down"),
	row(machine.List, "choose, next", machine.Commit, "Enter").where(isOne),
	row(machine.List, "choose, next", machine.Pick, nine...).where(isOne),
	row(machine.List, "accept, next", machine.Commit, "Enter").where(isMany),
	row(machine.List, "select", machine.Toggle, "Space").where(isOne),
	row(machine.List, "toggle", machine.Toggle, "Space").where(isMany),
	row(machine.List, "toggle", machine.Pick, nine...).where(isMany),
	row(machine.Text, "submit, next", machine.Accept, "Enter"),
	row(machine.Review, "comment the form", machine.NoteForm, "c"),
	rows(modes{machine.List, machine.Text, machine.Review}, "cancel", machine.Cancel, "Esc"),
	row(machine.List, "next", machine.Next, "Tab", "Right"),
	row(machine.Text, "next", machine.Next, "Tab"),
	rows(modes{machine.List, machine.Review}, "back", machine.Prev, "Shift+Tab", "Left"),
	row(machine.Text, "back", machine.Prev, "Shift+Tab"),
	row(machine.List, "comment the option", machine.NoteOption, "n").where(onOption),
	row(machine.List, "comment the question", machine.NoteQuestion, "c"),
	row(machine.List, "unanswered", machine.Unanswer, "u"),
	row(machine.Text, "comment", machine.NoteQuestion, "Alt+c"),
	row(machine.Text, "unanswered", machine.Unanswer, "Alt+u"),

	row(machine.Note, "save", machine.Accept, "Enter"),
}

// buttonKeys are our own: the contract of buttons publishes none.
var buttonKeys = Form{
	row(machine.List, "move", machine.Up, "Left", "Right").where(inARow),
	row(machine.List, "move", machine.Up, "Up", "Down").where(not(inARow)),
	row(machine.List, "", machine.Up, "Up", "Down").where(inARow),
	row(machine.List, "", machine.Down, "Tab"),
	row(machine.List, "", machine.Up, "Shift+Tab"),
	row(machine.List, "press", machine.Commit, "Enter").where(isOne),
	row(machine.List, "done", machine.Commit, "Enter").where(isMany),
	row(machine.List, "press", machine.Pick, nine...).where(isOne),
	row(machine.List, "toggle", machine.Pick, nine...).where(isMany),
	row(machine.List, "toggle", machine.Toggle, "Space").where(isMany),
	row(machine.List, "cancel", machine.Cancel, "Esc"),
}

// questionKeys are those of the dialect question, and of every dialect that has none
// of its own.
var questionKeys = Form{
	row(machine.List, "move", machine.Up, "Up", "Down").where(not(inARow)),
	row(machine.List, "move", machine.Up, "Left", "Right").where(inARow),
	row(machine.List, "choose", machine.Choose, "Enter").where(isOne),
	row(machine.List, "choose", machine.Pick, nine...).where(isOne),
	row(machine.List, "toggle", machine.Choose, "Enter").where(both(isMany, selectRow)),
	row(machine.List, "accept", machine.Commit, "Enter").where(both(isMany, not(selectRow))),
	row(machine.List, "toggle", machine.Toggle, "Space").where(isMany),
	row(machine.List, "toggle", machine.Pick, nine...).where(isMany),
	row(machine.List, "cancel", machine.Cancel, "Esc"),
	row(machine.Number, "type", machine.Open, "Enter"),
	row(machine.Closed, "open", machine.Open, "Enter"),
	row(machine.Text, "answer", machine.Accept, "Enter"),
	row(machine.Text, "comment", machine.NoteQuestion, "Alt+c").where(remarks),
	row(machine.Text, "unanswered", machine.Unanswer, "Alt+u").where(partial),
	rows(modes{machine.Number, machine.Closed, machine.Text, machine.Danger, machine.Review}, "cancel", machine.Cancel, "Esc"),
	rows(modes{machine.List, machine.Number, machine.Closed, machine.Text, machine.Danger, machine.Entry}, "next", machine.Next, "Tab").where(several),
	row(machine.List, "next", machine.Next, "Right").where(both(several, not(inARow))),
	rows(append(modes{machine.Entry}, passable...), "previous", machine.Prev, "Shift+Tab").where(several),
	row(machine.List, "previous", machine.Prev, "Left").where(both(several, not(inARow))),
	row(machine.Review, "previous", machine.Prev, "Left"),
	row(machine.Review, "comment the form", machine.NoteForm, "c").where(comments),
	row(machine.List, "comment the option", machine.NoteOption, "n").where(both(comments, onOption)),
	rows(modes{machine.List, machine.Number}, "note", machine.NoteQuestion, "n").where(both(notes, touched)),
	rows(modes{machine.List, machine.Number}, "comment the question", machine.NoteQuestion, "c").where(both(comments, touched)),
	rows(modes{machine.List, machine.Number}, "unanswered", machine.Unanswer, "u").where(both(partial, touched)),
	row(machine.Note, "save", machine.Leave, "Enter"),
}

// everywhere puts around a dialect's own keys what every dialect has besides them.
// accept is the dialect's word for what Enter does in an entry, change for what it does
// on a row of the review.
func everywhere(accept, change string, own Form) Form {
	return slices.Concat(Form{
		row(machine.Entry, accept, machine.Accept, "Enter"),
		row(machine.Entry, "back", machine.Back, "Esc"),
		rows(modes{machine.Number, machine.Entry}, "up or down by 1", machine.Up, "Up", "Down").where(isNumber),
		row(machine.Danger, "confirm", machine.Accept, "Enter"),
		row(machine.Danger, "", machine.Up, "Up", "Down"), // the contract: they do nothing
		row(machine.Review, "submit", machine.Choose, "Enter").where(onSubmit),
		row(machine.Review, change, machine.Choose, "Enter").where(not(onSubmit)),
		row(machine.Review, "move", machine.Up, "Up", "Down"),
		row(machine.Review, change, machine.Pick, nine...),
	}, own, general)
}

var general = Form{
	row(machine.Note, "discard", machine.Back, "Esc"),
	row(machine.List, "filter", machine.Find, "/").where(filterable),
	row(machine.Filter, "choose", machine.Accept, "Enter"),
	row(machine.Filter, "move", machine.Up, "Up", "Down"),
	row(machine.Filter, "show all", machine.Back, "Esc"),

	row(machine.Decline, "decline", machine.Choose, "Enter"),
	row(machine.Decline, "decline", machine.Pick, nine[:len(machine.Reasons)+1]...),
	row(machine.Decline, "move", machine.Up, "Up", "Down"),
	row(machine.Reason, "decline", machine.Accept, "Enter"),
	rows(modes{machine.Decline, machine.Reason}, "back", machine.Back, "Esc"),

	// The help first: it lists what a narrow footer has no room for.
	rows(noEntry, "help", machine.ShowHelp, "?"),
	rows(passable, "decline with a reason", machine.Refuse, "Ctrl+X"),
	rows(passable, "all recommended", machine.RecommendAll, "Ctrl+R").where((*machine.Machine).AnyRecommended),
	row(machine.List, "recommended", machine.Recommend, "R").where(recommended),
	rows(append(modes{machine.Entry, machine.Text, machine.Danger}, question...), OtherText, machine.TakeOffer, "Ctrl+T", "Alt+t").where(offered).quietly(),
	rows(modes{machine.List, machine.Review, machine.Decline}, "move", machine.Up, "k", "j").quietly(),
	rows(modes{machine.List, machine.Review}, "first, last", machine.First, "Home").quietly(),
	rows(modes{machine.List, machine.Review}, "first, last", machine.Last, "End").quietly(),
}

type modes = []machine.Mode

// question are the modes of a question in which no entry is open, noEntry those in
// which letters are keys; in passable ones nothing lies over the question or the review.
var (
	question = modes{machine.List, machine.Number, machine.Closed}
	noEntry  = append(modes{machine.Review}, question...)
	passable = append(modes{machine.Text, machine.Danger}, noEntry...)
)
