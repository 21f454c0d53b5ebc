package keymap

import (
	"slices"
	"strings"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/popup/machine"
)

// Dialect holds what a form of one dialect has of its own.
type Dialect struct {
	own   []Form
	Signs Signs
}

// Keys returns the dialect's own keys among those that every dialect has. A process that shows no form
// makes no table of them.
func (d *Dialect) Keys() Form { return slices.Concat(first, slices.Concat(d.own...), general) }

// Signs has those of what all dialects have.
type Signs struct {
	Open, Done string // marks of a question in the tab bar
	Review     string // name of the last tab
	Waited     string // before how long the question has waited
}

// dialects lists those whose contract publishes keys or signs (docs/contracts.md).
var dialects = map[string]*Dialect{
	"AskUserQuestion":                {[]Form{typedBoth, ticking, typedMore, typedOwn}, Signs{Open: "□", Done: "■", Review: "Submit", Waited: "⏱ "}},
	"AskUserQuestion " + form.Second: {[]Form{typedBoth, ticking, typedMore, dialogOwn}, Signs{Open: "□", Done: "■", Review: "Submit", Waited: "⏱ "}},
	"ask_user_question":              {[]Form{move, list, questionOwn}, Signs{Open: "·", Done: "✓", Review: "Submit"}},
	"ask_user":                       {[]Form{move, list, decisionOwn, questionOwn}, Signs{Open: "○", Done: "✓", Review: "Review"}},
	"buttons":                        {[]Form{buttonOwn, move, list, questionOwn}, usual.Signs},
	"permission":                     {[]Form{move, list, permissionOwn}, usual.Signs},
	"plan":                           {[]Form{planOwn, list, planMore}, usual.Signs},
}

// usual serves every other dialect, whatever its forms have in them.
var usual = &Dialect{[]Form{move, ticking, list, questionOwn}, Signs{Open: "○", Done: "✓", Review: "Review"}}

// Of returns what the dialect of f has of its own: the usual where it has nothing.
func Of(f *form.Form) *Dialect {
	if own, ok := dialects[strings.TrimSpace(f.Dialect+" "+f.Shape)]; ok {
		return own
	}
	return usual
}

// typedOwn lists those of AskUserQuestion. Where an entry is open, `0` and the brackets
// are typed; on a text or a number that nobody has touched, so is whatever no row has.
var typedOwn = Form{
	{Modes: modes{machine.Number, machine.Closed}, Keys: keys{"Enter"}, Help: "type", Action: machine.Open},
	{Modes: modes{machine.Number, machine.Closed, machine.Danger}, Keys: keys{"Esc"}, Help: "cancel", Action: machine.Cancel},
	{Modes: noEntry, Keys: keys{"["}, Help: "question", Action: machine.Prev, When: several},
	{Modes: question, Keys: keys{"]"}, Help: "question", Action: machine.Next, When: several},
	{Modes: modes{machine.Number, machine.Closed}, Keys: keys{"]", "["}, Action: machine.Next, Unless: several}, // and are not typed
	{Modes: modes{machine.Danger, machine.Entry}, Keys: alts, Help: "question", Action: machine.GoTo, When: several},
	{Modes: noEntry, Keys: alts, Help: "question", Action: machine.GoTo, When: several, Quiet: true},
	{Modes: question, Keys: keys{"Tab"}, Help: "note", Action: machine.NoteQuestion},
	{Modes: question, Keys: keys{"n"}, Help: "note", Action: machine.NoteQuestion, When: touched},
	{Modes: modes{machine.List, machine.Closed}, Keys: keys{"0"}, Help: "submit tab", Action: machine.ToReview, When: several},
}

// dialogOwn lists those of its second shape: of the dialog that agents show themselves.
var dialogOwn = Form{
	{Modes: modes{machine.List, machine.Entry}, Keys: keys{"Tab"}, Help: "question", Action: machine.Next, When: several},
	{Modes: modes{machine.List, machine.Entry, machine.Review}, Keys: keys{"Shift+Tab"}, Help: "question", Action: machine.Prev, When: several},
	{Modes: modes{machine.List}, Keys: keys{"Right", "]"}, Help: "question", Action: machine.Next, When: several, Quiet: true},
	{Modes: modes{machine.List, machine.Review}, Keys: keys{"Left", "["}, Help: "question", Action: machine.Prev, When: several, Quiet: true},
	{Modes: modes{machine.List}, Keys: keys{"n"}, Help: "note", Action: machine.NoteQuestion},
	{Modes: modes{machine.List, machine.Entry, machine.Review}, Keys: alts, Help: "question", Action: machine.GoTo, When: several, Quiet: true},
	{Modes: modes{machine.List}, Keys: keys{"0"}, Help: "submit tab", Action: machine.ToReview, When: several},
}

// typedBoth lists what both shapes have, typedMore what they have after the keys that tick.
var typedBoth = Form{
	{Modes: modes{machine.List}, Keys: keys{"Up", "Down"}, Help: "move", Action: machine.Up},
	{Modes: modes{machine.List}, Keys: keys{"Enter"}, Help: "choose", Action: machine.Choose, When: isOne},
}
var typedMore = Form{
	{Modes: modes{machine.List}, Keys: keys{"Space"}, Help: "tick", Action: machine.Toggle, When: isMany},
	{Modes: modes{machine.List}, Keys: eight, Help: "choose", Action: machine.Pick, When: isOne, Quiet: true},
	{Modes: modes{machine.List}, Keys: eight, Help: "tick", Action: machine.Pick, When: isMany, Quiet: true},
	{Modes: modes{machine.List, machine.Review}, Keys: keys{"Esc"}, Help: "cancel", Action: machine.Cancel},
	{Modes: modes{machine.Note}, Keys: keys{"Enter"}, Help: "save", Action: machine.Accept},
	{Modes: modes{machine.Note}, Keys: keys{"Tab"}, Help: "back", Action: machine.Leave},
}

// ticking lists those of a list with a row that commits what is ticked: there Enter ticks, and
// one key finishes from wherever the cursor is.
var ticking = Form{
	{Modes: modes{machine.List}, Keys: keys{"Enter"}, Help: "tick", Action: machine.Choose, When: selectRow, Unless: onSelect},
	{Modes: modes{machine.List}, Keys: keys{"Enter"}, Help: "done", Action: machine.Choose, When: onSelect},
	{Modes: modes{machine.List}, Keys: keys{"Ctrl+D"}, Help: "done", Action: machine.Commit, When: selectRow},
}

// move goes up and down in a list, or along a row of buttons.
var move = Form{
	{Modes: modes{machine.List}, Keys: keys{"Up", "Down"}, Help: "move", Action: machine.Up, Unless: inARow},
	{Modes: modes{machine.List}, Keys: keys{"Left", "Right"}, Help: "move", Action: machine.Up, When: inARow},
}

// list lists what lists have where digits choose up to the ninth, which buttons in a row do not show.
var list = Form{
	{Modes: modes{machine.List}, Keys: keys{"Enter"}, Help: "choose", Action: machine.Commit, When: isOne},
	{Modes: modes{machine.List}, Keys: keys{"Space"}, Help: "tick", Action: machine.Toggle, When: isMany},
	{Modes: modes{machine.List}, Keys: nine, Help: "choose", Action: machine.Pick, When: isOne, Unless: inARow, Quiet: true},
	{Modes: modes{machine.List}, Keys: nine, Help: "tick", Action: machine.Pick, When: isMany, Unless: inARow, Quiet: true},
	{Modes: modes{machine.List}, Keys: nine, Help: "choose", Action: machine.Pick, When: both(isOne, inARow)},
	{Modes: modes{machine.List}, Keys: nine, Help: "tick", Action: machine.Pick, When: both(isMany, inARow)},
}

// decisionOwn lists what ask_user has besides those of question.
var decisionOwn = Form{
	{Modes: modes{machine.List}, Keys: keys{"Space"}, Help: "select", Action: machine.Toggle, When: isOne},
}

// buttonOwn lists keys of our own: the contract of buttons publishes none.
var buttonOwn = Form{
	{Modes: modes{machine.List}, Keys: keys{"Up", "Down"}, Action: machine.Up, When: inARow},
	{Modes: modes{machine.List}, Keys: keys{"Tab"}, Action: machine.Down, Unless: several},
	{Modes: modes{machine.List}, Keys: keys{"Shift+Tab"}, Action: machine.Up, Unless: several},
}

// questionOwn lists those of the dialect question, of every dialect that has none of its own, and of
// those whose own keys are among these. Enter goes on with the boxes that are ticked.
var questionOwn = Form{
	{Modes: modes{machine.List}, Keys: keys{"y"}, Help: "yes", Action: machine.Pick, When: asksYesNo},
	{Modes: modes{machine.List}, Keys: keys{"n"}, Help: "no", Action: machine.Pick, When: asksYesNo},
	{Modes: modes{machine.List}, Keys: keys{"Enter"}, Help: "next", Action: machine.Commit, When: both(commits, several)},
	{Modes: modes{machine.List}, Keys: keys{"Enter"}, Help: "done", Action: machine.Commit, When: commits, Unless: several},
	{Modes: modes{machine.Number, machine.Closed}, Keys: keys{"Enter"}, Help: "answer", Action: machine.Accept, When: standing},
	{Modes: modes{machine.Number, machine.Closed}, Keys: keys{"Enter"}, Help: "type", Action: machine.Open, Unless: standing},
	{Modes: modes{machine.Text}, Keys: keys{"Enter"}, Help: "answer", Action: machine.Accept},
	{Modes: modes{machine.Review}, Keys: keys{"c"}, Help: "comment on form", Action: machine.NoteForm, When: comments},
	{Modes: passable, Keys: keys{"Esc"}, Help: "cancel", Action: machine.Cancel},
	{Modes: modes{machine.List, machine.Number, machine.Closed, machine.Text, machine.Danger, machine.Entry}, Keys: keys{"Tab"}, Help: "question", Action: machine.Next, When: several},
	{Modes: append(modes{machine.Entry}, passable...), Keys: keys{"Shift+Tab"}, Help: "question", Action: machine.Prev, When: several},
	{Modes: modes{machine.List}, Keys: keys{"Right"}, Help: "question", Action: machine.Next, When: several, Unless: inARow, Quiet: true},
	{Modes: modes{machine.List}, Keys: keys{"Left"}, Help: "question", Action: machine.Prev, When: several, Unless: inARow, Quiet: true},
	{Modes: modes{machine.Review}, Keys: keys{"Left"}, Help: "question", Action: machine.Prev, Quiet: true},
	{Modes: modes{machine.List}, Keys: keys{"n"}, Help: "comment on option", Action: machine.NoteOption, When: both(comments, onOption)},
	{Modes: modes{machine.List, machine.Number}, Keys: keys{"n"}, Help: "note", Action: machine.NoteQuestion, When: both(notes, touched)},
	{Modes: modes{machine.List, machine.Number}, Keys: keys{"c"}, Help: "comment on question", Action: machine.NoteQuestion, When: both(comments, touched)},
	{Modes: modes{machine.Text}, Keys: keys{"Alt+c"}, Help: "comment", Action: machine.NoteQuestion},
	{Modes: modes{machine.Note}, Keys: keys{"Enter"}, Help: "save", Action: machine.Leave, When: notes},
	{Modes: modes{machine.Note}, Keys: keys{"Enter"}, Help: "save", Action: machine.Accept, When: comments},
}

// permissionOwn lists those of a permission: leaving it to the agent's own prompt is one key.
var permissionOwn = Form{
	{Modes: modes{machine.List, machine.Danger}, Keys: keys{"Esc"}, Help: HandBack, Action: machine.HandBack},
	{Modes: modes{machine.List, machine.Danger}, Keys: keys{"Esc"}, Help: "cancel", Action: machine.Cancel, Unless: handsBack},
}

var first = Form{
	{Modes: modes{machine.Entry}, Keys: keys{"Enter"}, Help: "answer", Action: machine.Accept},
	{Modes: modes{machine.Entry}, Keys: keys{"Esc"}, Help: "back", Action: machine.Back},
	{Modes: modes{machine.Number, machine.Entry}, Keys: keys{"Up", "Down"}, Help: "up or down by 1", Action: machine.Up, When: isNumber},
	{Modes: modes{machine.Danger}, Keys: keys{"Enter"}, Help: "confirm", Action: machine.Accept},
	{Modes: modes{machine.Danger}, Keys: keys{"Up", "Down"}, Action: machine.Up}, // the contract: they do nothing
	{Modes: modes{machine.Review}, Keys: keys{"Enter"}, Help: "submit", Action: machine.Choose, When: onSubmit},
	{Modes: modes{machine.Review}, Keys: keys{"Enter"}, Help: "change", Action: machine.Choose, Unless: onSubmit},
	{Modes: modes{machine.Review}, Keys: keys{"Up", "Down"}, Help: "move", Action: machine.Up},
	{Modes: modes{machine.Review}, Keys: nine, Help: "change", Action: machine.Pick, Quiet: true},
}

var general = Form{
	{Modes: modes{machine.Note}, Keys: keys{"Esc"}, Help: "discard", Action: machine.Back},
	{Modes: modes{machine.List}, Keys: keys{"/"}, Help: "filter", Action: machine.Find},
	{Modes: modes{machine.List, machine.Number, machine.Closed}, Keys: keys{"u"}, Help: "unanswered", Action: machine.Unanswer, When: touched},
	{Modes: modes{machine.Text}, Keys: keys{"Alt+u"}, Help: "unanswered", Action: machine.Unanswer},
	{Modes: modes{machine.Filter}, Keys: keys{"Enter"}, Help: "choose", Action: machine.Accept},
	{Modes: modes{machine.Decline}, Keys: keys{"Enter"}, Help: "decline", Action: machine.Choose},
	{Modes: modes{machine.Decline}, Keys: nine[:len(machine.Reasons)+1], Help: "decline", Action: machine.Pick, Quiet: true},
	{Modes: modes{machine.Filter, machine.Decline}, Keys: keys{"Up", "Down"}, Help: "move", Action: machine.Up},
	{Modes: modes{machine.Filter}, Keys: keys{"Esc"}, Help: "show all", Action: machine.Back},
	{Modes: modes{machine.Reason}, Keys: keys{"Enter"}, Help: "decline", Action: machine.Accept},
	{Modes: modes{machine.Decline, machine.Reason}, Keys: keys{"Esc"}, Help: "back", Action: machine.Back},

	// The help first: it lists what a narrow footer has no room for.
	{Modes: helped, Keys: keys{"?"}, Help: "help", Action: machine.ShowHelp},
	{Modes: helped, Keys: keys{"F1", "Alt+?"}, Action: machine.ShowHelp},
	{Modes: entries, Keys: keys{"F1"}, Help: "help", Action: machine.ShowHelp},
	{Modes: entries, Keys: keys{"Alt+?"}, Help: "help", Action: machine.ShowHelp, Quiet: true}, // where a terminal keeps F1 for a help of its own
	{Modes: append(modes{machine.Document}, passable...), Keys: keys{"Ctrl+X"}, Help: "no, because…", Action: machine.Refuse},
	{Modes: passable, Keys: keys{"Ctrl+R"}, Help: "all recommended", Action: machine.RecommendAll, When: (*machine.Machine).AnyRecommended},
	{Modes: modes{machine.List}, Keys: keys{"R"}, Help: "recommended", Action: machine.Recommend, When: recommended},
	{Modes: modes{machine.Entry, machine.Text, machine.Danger, machine.Note, machine.Review, machine.List, machine.Document, machine.Number, machine.Closed}, Keys: TakesOther, Help: "take the other text", Action: machine.TakeOffer, When: offered, Quiet: true},
	{Modes: listing, Keys: keys{"k", "j"}, Help: "move", Action: machine.Up, Quiet: true},
	{Modes: listing, Keys: keys{"Home", "g"}, Help: "first, last", Action: machine.First, Quiet: true},
	{Modes: listing, Keys: keys{"End", "G"}, Help: "first, last", Action: machine.Last, Quiet: true},
}

type (
	modes = []machine.Mode
	keys  = []string
)

// question lists the modes of a question in which no entry is open, noEntry those in
// which letters are keys; in passable ones nothing lies over the question or the review;
// in entries, a question mark is typed; in listing, a cursor goes from row to row.
var (
	question = modes{machine.List, machine.Number, machine.Closed}
	noEntry  = modes{machine.Review, machine.List, machine.Number, machine.Closed}
	helped   = modes{machine.Decline, machine.Review, machine.List, machine.Document, machine.Number, machine.Closed}
	passable = modes{machine.Text, machine.Danger, machine.Review, machine.List, machine.Number, machine.Closed}
	entries  = modes{machine.Text, machine.Danger, machine.Entry, machine.Note, machine.Filter, machine.Reason, machine.Search}
	listing  = modes{machine.List, machine.Review, machine.Document}
)
