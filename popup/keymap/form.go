package keymap

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/popup/machine"
)

// Form lists the keys of a form in one dialect.
type Form []Binding

// Binding binds, in some modes, keys that belong together.
type Binding struct {
	Modes modes
	Keys  keys
	Help  string // what the footer says; empty keeps the row out of it
	// Action says what a key of the row does. Of arrows it is Up, and the key says which
	// way; digits say what is picked or gone to.
	Action machine.Action
	// When says whether the row means something now, and Unless that it does not; nil is always.
	When, Unless func(*machine.Machine) bool
	// Quiet: the footer leaves it to the help.
	Quiet bool
}

// Applies reports whether the row means something to m now.
func (b Binding) Applies(m *machine.Machine) bool {
	return slices.Contains(b.Modes, m.Mode()) && m.Takes(b.Action) && (b.When == nil || b.When(m)) && (b.Unless == nil || !b.Unless(m))
}

// The help says these of the key to the next question, and of the one that returns it to the agent's own dialog.
const NextWaiting, HandBack = "next waiting", "hand back"

// TakesOther lists the keys that take what is offered.
var TakesOther = keys{"Ctrl+T", "Alt+t"}

// NewLine reports whether a key puts a line break into an entry that may have
// several lines, in every dialect. A terminal without an extended keyboard protocol
// cannot send Shift+Enter.
func NewLine(key string) bool { return key == "Shift+Enter" || key == "Alt+Enter" || key == "Ctrl+J" }

// Event returns the event that a key means to m, if any.
func (f Form) Event(m *machine.Machine, key string) (e machine.Event, bound bool) {
	i := slices.IndexFunc(f, func(b Binding) bool { return slices.Contains(b.Keys, key) && b.Applies(m) })
	if i < 0 {
		return e, false
	}
	e.Action = f[i].Action
	digit := int(key[len(key)-1] - '0')
	switch e.Action {
	case machine.Up:
		if key == "Down" || key == "Right" || key == "j" {
			e.Action = machine.Down
		}
	case machine.Pick:
		if e.N = digit; key == "y" || key == "n" {
			yes, no := m.YesNo()
			e.N = map[string]int{"y": yes, "n": no}[key]
		}
	case machine.GoTo:
		e.N = digit - 1
	}
	return e, true
}

// Hints returns a hint for each row that works now, the most important first; quiet ones for the help.
func (f Form) Hints(m *machine.Machine, help bool) (hints []Hint) {
	for _, b := range f {
		if b.Help == "" || b.Quiet && !help || !b.Applies(m) {
			continue
		}
		keys, key := Text(b.Keys), b.Keys[0]
		switch {
		case b.Action == machine.Pick && len(b.Keys) > 1:
			keys, key = digits(b.Keys, m.Picks()), ""
		case b.Action == machine.GoTo:
			keys, key = digits(b.Keys, len(m.Form().Questions)), ""
		case b.Action == machine.Up:
			key = ""
		}
		if m.ReadOnly() && slices.Contains([]machine.Action{machine.Pick, machine.Choose}, b.Action) {
			b.Help = "look at"
		}
		if keys != "" {
			hints = append(hints, Hint{keys, b.Help, key})
		}
	}
	return hints
}

// Reading returns the table with the keys that close a form which is only read.
func (f Form) Reading() Form {
	return append(slices.Clip(f), Binding{Modes: append(modes{machine.Document}, noEntry...), Keys: keys{"Esc", "q"}, Help: "close", Action: machine.End})
}

var (
	nine  = keys{"1", "2", "3", "4", "5", "6", "7", "8", "9"}
	eight = keys{"1", "2", "3", "4", "5", "6", "7", "8"}
	alts  = []string{"Alt+1", "Alt+2", "Alt+3", "Alt+4"}
)

// What the conditions of rows say about the machine.

func several(m *machine.Machine) bool     { return len(m.Form().Questions) > 1 || m.Form().Review }
func onSubmit(m *machine.Machine) bool    { return m.Cursor() == len(m.Form().Questions) }
func isMany(m *machine.Machine) bool      { return m.Question().Kind == form.Many }
func isOne(m *machine.Machine) bool       { return m.Question().Kind == form.One }
func isNumber(m *machine.Machine) bool    { return m.Question().Kind == form.Number }
func inARow(m *machine.Machine) bool      { return m.Question().Style == form.Buttons }
func onOption(m *machine.Machine) bool    { return m.Cursor() < len(m.Question().Options) }
func commits(m *machine.Machine) bool     { return isMany(m) && !selectRow(m) }
func selectRow(m *machine.Machine) bool   { return m.Question().SelectRow }
func onSelect(m *machine.Machine) bool    { return selectRow(m) && m.Cursor() == m.Picks() }
func notes(m *machine.Machine) bool       { return m.Form().Remarks == form.Notes }
func comments(m *machine.Machine) bool    { return m.Form().Remarks == form.Comments }
func recommended(m *machine.Machine) bool { return m.CanRecommend(m.Step()) }
func offered(m *machine.Machine) bool     { return m.Offered() != "" }
func handsBack(m *machine.Machine) bool   { return m.Takes(machine.HandBack) }

// standing reports whether the default of a number or a text stands there, or another number,
// and is nobody's answer yet.
func standing(m *machine.Machine) bool {
	return m.EntryText(m.Step()) != "" && !m.Answer(m.Step()).Given() && (isNumber(m) || m.Untouched(m.Step()))
}

func asksYesNo(m *machine.Machine) bool {
	yes, _ := m.YesNo()
	return yes > 0 && !m.Takes(machine.NoteQuestion) // which have n
}

// touched reports whether letters are keys: on a text or a number that nobody has touched
// they are typed.
func touched(m *machine.Machine) bool { return !m.Takes(machine.Write) || !m.Untouched(m.Step()) }

func both(a, b func(*machine.Machine) bool) func(*machine.Machine) bool {
	return func(m *machine.Machine) bool { return a(m) && b(m) }
}

// Begins returns what opens an entry for a key that is bound to nothing, to be typed there. On
// a list the letters that are keys on no list open the question's Other; where o is published
// it is none of them.
func Begins(m *machine.Machine, key string) (opens machine.Action, begins bool) {
	if m.Takes(machine.Write) {
		return machine.Write, true
	}
	keys := "jkgGRencu"
	if m.Form().Dialect == "AskUserQuestion" {
		keys += "o"
	}
	letter, size := utf8.DecodeRuneInString(key)
	return machine.TypeOther, m.Takes(machine.TypeOther) && m.Form().Document() == nil && size == len(key) && unicode.IsLetter(letter) && !strings.ContainsRune(keys, letter)
}

// Answers reports whether a key may answer m by itself or call it off, or begin an answer on a
// list, as far as its fingers know: no letter or digit does where text is typed.
func Answers(m *machine.Machine, key string) bool {
	opens, begins := Begins(m, key)
	typed := m.Typing() || m.Takes(machine.Write) && m.Mode() != machine.Decline
	return key == "Enter" || key == "Esc" || m.Takes(machine.HandBack) && (key == "Ctrl+B" || key == "F8") || !typed && (key == "Space" || key == "Ctrl+D" || len(key) == 1 && strings.Contains("0123456789ynR", key)) ||
		begins && opens == machine.TypeOther
}
