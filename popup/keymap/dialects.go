package keymap

import (
	"slices"
	"strings"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/popup/machine"
)

// Dialect holds what a form of one dialect has of its own.
type Dialect struct {
	Keys  Form
	Signs Signs
}

// Signs has those of what all dialects have.
type Signs struct {
	Open, Done string // marks of a question in the tab bar
	Review     string // name of the last tab
	Waited     string // before how long the question has waited
}

// dialects lists those whose contract publishes keys or signs (docs/contracts.md).
var dialects = map[string]Dialect{
	"AskUserQuestion":                {everywhere(typedKeys), Signs{Open: "□", Done: "■", Review: "Submit", Waited: "⏱ "}},
	"AskUserQuestion " + form.Second: {everywhere(dialogKeys), Signs{Open: "□", Done: "■", Review: "Submit", Waited: "⏱ "}},
	"ask_user_question":              {everywhere(formKeys), Signs{Open: "·", Done: "✓", Review: "Submit"}},
	"ask_user":                       {everywhere(decisionKeys), Signs{Open: "○", Done: "✓", Review: "Review"}},
	"buttons":                        {everywhere(buttonKeys), usual.Signs},
	"permission":                     {everywhere(permissionKeys), usual.Signs},
	"plan":                           {everywhere(planKeys), usual.Signs},
}

// usual serves every other dialect, whatever its forms have in them.
var usual = Dialect{everywhere(questionKeys), Signs{Open: "○", Done: "✓", Review: "Review"}}

// Of returns what the dialect of f has of its own: the usual where it has nothing.
func Of(f *form.Form) Dialect {
	if own, ok := dialects[strings.TrimSpace(f.Dialect+" "+f.Shape)]; ok {
		return own
	}
	return usual
}

// typedKeys lists those of AskUserQuestion. Where an entry is open, `0` and the brackets
// are typed; on a text or a number that nobody has touched, so is whatever no row has.
var typedKeys = slices.Concat(typedBoth, Form{
	rows(modes{machine.Number, machine.Closed}, "type", machine.Open, "Enter"),
	rows(modes{machine.Number, machine.Closed, machine.Danger}, "cancel", machine.Cancel, "Esc"),
	rows(noEntry, "question", machine.Prev, "[").where(several),
	rows(question, "question", machine.Next, "]").where(several),
	rows(modes{machine.Number, machine.Closed}, "", machine.Next, "]", "[").where(not(several)), // and are not typed
	rows(modes{machine.Danger, machine.Entry}, "question", machine.GoTo, alts...).where(several),
	rows(noEntry, "question", machine.GoTo, alts...).where(several).quietly(),
	rows(question, "note", machine.NoteQuestion, "Tab"),
	rows(question, "note", machine.NoteQuestion, "n").where(touched),
	rows(modes{machine.List, machine.Closed}, "submit tab", machine.ToReview, "0").where(several),
})

// dialogKeys lists those of its second shape: of the dialog that agents show themselves.
var dialogKeys = slices.Concat(typedBoth, Form{
	rows(modes{machine.List, machine.Entry}, "question", machine.Next, "Tab").where(several),
	rows(modes{machine.List, machine.Entry, machine.Review}, "question", machine.Prev, "Shift+Tab").where(several),
	row(machine.List, "question", machine.Next, "Right", "]").where(several).quietly(),
	rows(modes{machine.List, machine.Review}, "question", machine.Prev, "Left", "[").where(several).quietly(),
	row(machine.List, "note", machine.NoteQuestion, "n"),
	rows(modes{machine.List, machine.Entry, machine.Review}, "question", machine.GoTo, alts...).where(several).quietly(),
	row(machine.List, "submit tab", machine.ToReview, "0").where(several),
})

// typedBoth lists what both shapes have.
var typedBoth = slices.Concat(Form{
	row(machine.List, "move", machine.Up, "Up", "Down"),
	row(machine.List, "choose", machine.Choose, "Enter").where(isOne),
}, ticking, Form{
	row(machine.List, "tick", machine.Toggle, "Space").where(isMany),
	row(machine.List, "choose", machine.Pick, eight...).where(isOne).quietly(),
	row(machine.List, "tick", machine.Pick, eight...).where(isMany).quietly(),
	rows(modes{machine.List, machine.Review}, "cancel", machine.Cancel, "Esc"),
	row(machine.Note, "save", machine.Accept, "Enter"),
	row(machine.Note, "back", machine.Leave, "Tab"),
})

// ticking lists those of a list with a row that commits what is ticked: there Enter ticks, and
// one key finishes from wherever the cursor is.
var ticking = Form{
	row(machine.List, "tick", machine.Choose, "Enter").where(both(selectRow, not(onSelect))),
	row(machine.List, "done", machine.Choose, "Enter").where(onSelect),
	row(machine.List, "done", machine.Commit, "Ctrl+D").where(selectRow),
}

// What lists have where digits choose up to the ninth, and Enter goes on with the boxes
// that are ticked.
var (
	list = Form{
		row(machine.List, "choose", machine.Commit, "Enter").where(isOne),
		row(machine.List, "tick", machine.Toggle, "Space").where(isMany),
		row(machine.List, "choose", machine.Pick, nine...).where(both(isOne, not(inARow))).quietly(),
		row(machine.List, "tick", machine.Pick, nine...).where(both(isMany, not(inARow))).quietly(),
	}
	yesNo = Form{
		row(machine.List, "yes", machine.Pick, "y").where(asksYesNo),
		row(machine.List, "no", machine.Pick, "n").where(asksYesNo),
	}
	numbers = Form{ // which buttons in a row do not show
		row(machine.List, "choose", machine.Pick, nine...).where(both(isOne, inARow)),
		row(machine.List, "tick", machine.Pick, nine...).where(both(isMany, inARow)),
	}
	next = row(machine.List, "next", machine.Commit, "Enter").where(both(commits, several))
	done = row(machine.List, "done", machine.Commit, "Enter").where(both(commits, not(several)))
)

// formKeys lists those of ask_user_question.
var formKeys = slices.Concat(Form{row(machine.List, "move", machine.Up, "Up", "Down")}, list, yesNo, Form{
	next, done,
	row(machine.Text, "answer", machine.Accept, "Enter"),
	rows(modes{machine.List, machine.Text, machine.Review}, "cancel", machine.Cancel, "Esc"),
	rows(modes{machine.List, machine.Text, machine.Entry}, "question", machine.Next, "Tab").where(several),
	rows(modes{machine.List, machine.Text, machine.Entry, machine.Review}, "question", machine.Prev, "Shift+Tab").where(several),
	row(machine.List, "question", machine.Next, "Right").where(several).quietly(),
	rows(modes{machine.List, machine.Review}, "question", machine.Prev, "Left").where(several).quietly(),
})

// decisionKeys lists those of ask_user.
var decisionKeys = slices.Concat(Form{row(machine.List, "move", machine.Up, "Up", "Down")}, list, Form{
	next,
	row(machine.List, "select", machine.Toggle, "Space").where(isOne),
	row(machine.Text, "answer", machine.Accept, "Enter"),
	row(machine.Review, "comment on form", machine.NoteForm, "c"),
	rows(modes{machine.List, machine.Text, machine.Review}, "cancel", machine.Cancel, "Esc"),
	rows(modes{machine.List, machine.Text}, "question", machine.Next, "Tab"),
	rows(modes{machine.List, machine.Text, machine.Review}, "question", machine.Prev, "Shift+Tab"),
	row(machine.List, "question", machine.Next, "Right").quietly(),
	rows(modes{machine.List, machine.Review}, "question", machine.Prev, "Left").quietly(),
	row(machine.List, "comment on option", machine.NoteOption, "n").where(onOption),
	row(machine.List, "comment on question", machine.NoteQuestion, "c"),
	row(machine.List, "unanswered", machine.Unanswer, "u"),
	row(machine.Text, "comment", machine.NoteQuestion, "Alt+c"),
	row(machine.Text, "unanswered", machine.Unanswer, "Alt+u"),

	row(machine.Note, "save", machine.Accept, "Enter"),
})

// buttonKeys lists keys of our own: the contract of buttons publishes none.
var buttonKeys = slices.Concat(Form{
	row(machine.List, "move", machine.Up, "Left", "Right").where(inARow),
	row(machine.List, "move", machine.Up, "Up", "Down").where(not(inARow)),
	row(machine.List, "", machine.Up, "Up", "Down").where(inARow),
	row(machine.List, "", machine.Down, "Tab"),
	row(machine.List, "", machine.Up, "Shift+Tab"),
}, list, yesNo, numbers, Form{
	done,
	row(machine.List, "cancel", machine.Cancel, "Esc"),
})

// questionKeys lists those of the dialect question, and of every dialect that has none
// of its own.
var questionKeys = slices.Concat(Form{
	row(machine.List, "move", machine.Up, "Up", "Down").where(not(inARow)),
	row(machine.List, "move", machine.Up, "Left", "Right").where(inARow),
}, ticking, list, yesNo, numbers, Form{
	next, done,
	row(machine.List, "cancel", machine.Cancel, "Esc"),
	rows(modes{machine.Number, machine.Closed}, "answer", machine.Accept, "Enter").where(standing),
	rows(modes{machine.Number, machine.Closed}, "type", machine.Open, "Enter").where(not(standing)),
	row(machine.Text, "answer", machine.Accept, "Enter"),
	row(machine.Text, "comment", machine.NoteQuestion, "Alt+c").where(remarks),
	row(machine.Text, "unanswered", machine.Unanswer, "Alt+u").where(partial),
	rows(modes{machine.Number, machine.Closed, machine.Text, machine.Danger, machine.Review}, "cancel", machine.Cancel, "Esc"),
	rows(modes{machine.List, machine.Number, machine.Closed, machine.Text, machine.Danger, machine.Entry}, "question", machine.Next, "Tab").where(several),
	rows(append(modes{machine.Entry}, passable...), "question", machine.Prev, "Shift+Tab").where(several),
	row(machine.List, "question", machine.Next, "Right").where(both(several, not(inARow))).quietly(),
	row(machine.List, "question", machine.Prev, "Left").where(both(several, not(inARow))).quietly(),
	row(machine.Review, "question", machine.Prev, "Left").quietly(),
	row(machine.Review, "comment on form", machine.NoteForm, "c").where(comments),
	row(machine.List, "comment on option", machine.NoteOption, "n").where(both(comments, onOption)),
	rows(modes{machine.List, machine.Number}, "note", machine.NoteQuestion, "n").where(both(notes, touched)),
	rows(modes{machine.List, machine.Number}, "comment on question", machine.NoteQuestion, "c").where(both(comments, touched)),
	rows(modes{machine.List, machine.Number}, "unanswered", machine.Unanswer, "u").where(both(partial, touched)),
	row(machine.Note, "save", machine.Leave, "Enter"),
})

// permissionKeys lists those of a permission: leaving it to the agent's own prompt is one key.
var permissionKeys = slices.Concat(Form{row(machine.List, "move", machine.Up, "Up", "Down")}, list, Form{
	rows(modes{machine.List, machine.Danger}, HandBack, machine.HandBack, "Esc"),
	rows(modes{machine.List, machine.Danger}, "cancel", machine.Cancel, "Esc").where(not(handsBack)),
})

// everywhere puts around a dialect's own keys what every dialect has besides them.
func everywhere(own Form) Form { return slices.Concat(first, own, general) }

var first = Form{
	row(machine.Entry, "answer", machine.Accept, "Enter"),
	row(machine.Entry, "back", machine.Back, "Esc"),
	rows(modes{machine.Number, machine.Entry}, "up or down by 1", machine.Up, "Up", "Down").where(isNumber),
	row(machine.Danger, "confirm", machine.Accept, "Enter"),
	row(machine.Danger, "", machine.Up, "Up", "Down"), // the contract: they do nothing
	row(machine.Review, "submit", machine.Choose, "Enter").where(onSubmit),
	row(machine.Review, "change", machine.Choose, "Enter").where(not(onSubmit)),
	row(machine.Review, "move", machine.Up, "Up", "Down"),
	row(machine.Review, "change", machine.Pick, nine...).quietly(),
}

var general = Form{
	row(machine.Note, "discard", machine.Back, "Esc"),
	row(machine.List, "filter", machine.Find, "/").where(filterable),
	row(machine.Filter, "choose", machine.Accept, "Enter"),
	row(machine.Filter, "move", machine.Up, "Up", "Down"),
	row(machine.Filter, "show all", machine.Back, "Esc"),

	row(machine.Decline, "decline", machine.Choose, "Enter"),
	row(machine.Decline, "decline", machine.Pick, nine[:len(machine.Reasons)+1]...).quietly(),
	row(machine.Decline, "move", machine.Up, "Up", "Down"),
	row(machine.Reason, "decline", machine.Accept, "Enter"),
	rows(modes{machine.Decline, machine.Reason}, "back", machine.Back, "Esc"),

	// The help first: it lists what a narrow footer has no room for.
	rows(append(modes{machine.Decline}, noEntry...), "help", machine.ShowHelp, "?"),
	rows(append(modes{machine.Decline}, noEntry...), "", machine.ShowHelp, "F1", "Alt+?"),
	rows(entries, "help", machine.ShowHelp, "F1"),
	rows(entries, "help", machine.ShowHelp, "Alt+?").quietly(), // where a terminal keeps F1 for a help of its own
	rows(passable, "no, because…", machine.Refuse, "Ctrl+X"),
	rows(passable, "all recommended", machine.RecommendAll, "Ctrl+R").where((*machine.Machine).AnyRecommended),
	row(machine.List, "recommended", machine.Recommend, "R").where(recommended),
	rows(append(modes{machine.Entry, machine.Text, machine.Danger, machine.Note, machine.Review}, question...), OtherText, machine.TakeOffer, "Ctrl+T", "Alt+t").where(offered).quietly(),
	rows(modes{machine.List, machine.Review}, "move", machine.Up, "k", "j").quietly(),
	rows(modes{machine.List, machine.Review}, "first, last", machine.First, "Home").quietly(),
	rows(modes{machine.List, machine.Review}, "first, last", machine.Last, "End").quietly(),
	rows(modes{machine.List, machine.Review}, "first, last", machine.First, "g").quietly(),
	rows(modes{machine.List, machine.Review}, "first, last", machine.Last, "G").quietly(),
}

type modes = []machine.Mode

// question lists the modes of a question in which no entry is open, noEntry those in
// which letters are keys; in passable ones nothing lies over the question or the review;
// in entries, a question mark is typed.
var (
	question = modes{machine.List, machine.Number, machine.Closed}
	noEntry  = append(modes{machine.Review}, question...)
	passable = append(modes{machine.Text, machine.Danger}, noEntry...)
	entries  = modes{machine.Text, machine.Danger, machine.Entry, machine.Note, machine.Filter, machine.Reason}
)
