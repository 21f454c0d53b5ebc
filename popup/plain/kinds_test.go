package plain

import (
	"strings"

	"github.com/askpane/askpane/popup/machine"
)

func do(a machine.Action) machine.Event         { return machine.Event{Action: a} }
func nth(a machine.Action, n int) machine.Event { return machine.Event{Action: a, N: n} }
func typed(text string) machine.Event           { return machine.Event{Action: machine.Type, Text: text} }

const (
	auq     = "AskUserQuestion"
	oneText = `{"questions":[{"header":"Name","question":"Name?","type":"free_text","multiline":false}]}`
	number  = `{"questions":[{"header":"Port","question":"Port?","type":"number","min":1,"max":10,"default":4}]}`
	danger  = `{"questions":[{"header":"Drop","question":"Drop it?","type":"confirm_enum","is_dangerous":true,"default":"affirm"}]}`
	many    = `{"questions":[{"header":"Fruit","question":"Which?","type":"select_many","options":[{"label":"Apple"},{"label":"Pear"},{"label":"Plum"}],"default":["Pear"]}]}`
	radio   = `{"title":"T","questions":[{"id":"a","type":"radio","prompt":"A?","options":[{"value":"x","label":"X"},{"value":"y","label":"Y"}],"default":"y"},
		{"id":"b","type":"checkbox","prompt":"B?","options":[{"value":"m","label":"M"},{"value":"n","label":"N"}],"required":false},
		{"id":"c","type":"text","prompt":"C?"}]}`
	decide = `{"title":"Plan","questions":[{"type":"choice","id":"db","header":"Store","prompt":"Which?","options":[{"value":"p","label":"Postgres"},{"value":"s","label":"SQLite","preview":"a file"}],"recommendation":"s"},
		{"type":"text","id":"n","header":"Name","prompt":"Name?","recommendation":"orders"}]}`
	buttons  = `{"prompt":"Cache?","options":[{"label":"Redis"},{"label":"Memcached"}],"allowOther":true}`
	dropdown = `{"prompt":"Cache?","options":[{"label":"A"},{"label":"B"},{"label":"C"},{"label":"D"}],"multi":true}`
)

// selected ticks choice n of a Many and goes down to its select row.
var selected = []machine.Event{nth(machine.Pick, 2), nth(machine.Pick, 1), nth(machine.Pick, 3), do(machine.Last), do(machine.Choose)}

// A row is what the person types line by line, and what the form on a screen
// would be told instead.
var kinds = []struct {
	name, dialect, request string
	lines                  []string
	events                 []machine.Event
	text                   string
	seen                   []string
}{
	{"choose one", "question", `{"questions":[{"id":"c","label":"Colour","prompt":"Colour?","options":[{"value":"r","label":"Red","description":"warm"},{"value":"g","label":"Green"}]}]}`,
		[]string{"9", "zz", ", ,", "", "2"}, []machine.Event{nth(machine.Pick, 2)}, "Colour: user selected: 2. Green",
		[]string{"robin asks, in /a/b.", "  1. Red\n     warm", "  3. Something else…", "There is no choice 9; type a number from 1 to 3.",
			"There is no choice zz", "There is no number in that.", "Nothing is chosen yet", "Sent."}},
	{"something else by its number", "question", `{"questions":[{"id":"c","label":"Colour","prompt":"Colour?","options":[{"value":"r","label":"Red"}]}]}`,
		[]string{"2", "", "2", "blue, or so"}, []machine.Event{nth(machine.Pick, 2), typed("blue, or so"), do(machine.Accept)}, "Colour: user wrote: blue, or so",
		[]string{"Nothing is typed."}},
	{"something else in one line", "question", `{"questions":[{"id":"c","label":"Colour","prompt":"Colour?","options":[]}]}`,
		[]string{"o b, c"}, []machine.Event{nth(machine.Pick, 1), typed("b, c"), do(machine.Accept)}, "Colour: user wrote: b, c", nil},
	{"several, back and changed on review", "question", pair,
		[]string{"1", "b", "", "f", "s", "2", "1", "1", "2", "s"},
		[]machine.Event{nth(machine.Pick, 1), do(machine.Next), nth(machine.Pick, 2), nth(machine.Pick, 1), nth(machine.Pick, 1), nth(machine.Pick, 2), do(machine.Choose)},
		"Q1: user selected: 2. Green\nSize: user selected: 1. One",
		[]string{"robin asks 2 questions", "Question 2 of 2: Size", "Taken:\n  Red", "Not answered yet: Size", "  2. Size: not answered", "  1. Q1: Green"}},
	{"cancel asks first", "question", pair, []string{"q", "n", "q", "y"}, []machine.Event{do(machine.Cancel)}, "User cancelled",
		[]string{"Type y or n.", "Not cancelled."}},
	{"decline with a reason picked", "question", pair, []string{"x", "", "x", "7", "x", "2"},
		[]machine.Event{do(machine.Refuse), nth(machine.Pick, 2)}, "User cancelled: rephrase the question", []string{"Not declined.", "There is no reason 7"}},
	{"decline with a reason typed", "question", pair, []string{"x not now"},
		[]machine.Event{do(machine.Refuse), nth(machine.Pick, 4), typed("not now"), do(machine.Accept)}, "User cancelled: not now", nil},

	{"select_one default and a note", auq, `{"questions":[{"header":"Way","question":"Which?","type":"select_one","options":[{"label":"A","preview":{"type":"text","content":"look"}},{"label":"B"}],"default":"B"}]}`,
		[]string{"n since it is", "p 1", ""},
		[]machine.Event{do(machine.NoteQuestion), typed("since it is"), do(machine.Leave), do(machine.Recommend)}, "Way: B\nnote (Way): since it is",
		[]string{"2. B [default]", "Preview of 1, text:\n  look", "Note saved.", "Taken:\n  B"}},
	{"select_many", auq, many, []string{"1 3"}, selected, "Fruit: Apple, Plum", []string{"2. Pear [default] [chosen]"}},
	{"select_many, what is ticked", auq, many, []string{""}, []machine.Event{do(machine.Last), do(machine.Choose)}, "Fruit: Pear", []string{"Taken:\n  Pear"}},
	{"select_many with text", auq, many, []string{"0", "1, 3 o fig, dried"},
		[]machine.Event{nth(machine.Pick, 2), nth(machine.Pick, 1), nth(machine.Pick, 3), nth(machine.Pick, 4), typed("fig, dried"), do(machine.Accept), do(machine.Last), do(machine.Choose)},
		"Fruit: Apple, Plum, (Other) fig, dried", []string{"Nothing is chosen yet."}},
	{"select_many, text first", auq, many, []string{"o fig", "o date", ""},
		[]machine.Event{nth(machine.Pick, 4), typed("date"), do(machine.Accept), do(machine.Last), do(machine.Choose)}, "Fruit: Pear, (Other) date",
		[]string{"Taken:\n  Pear, date"}},
	{"confirm", auq, `{"questions":[{"header":"Go","question":"Go?","type":"confirm_enum","options":[{"label":"Do"},{"label":"Leave"}]}]}`,
		[]string{"2"}, []machine.Event{nth(machine.Pick, 2)}, "Go: decline", nil},
	{"number", auq, number, []string{"12", "0", "x7", "", ""}, []machine.Event{do(machine.Open), typed("4"), do(machine.Accept)}, "Port: 4",
		[]string{"Type a number from 1 to 10.", "above max 10", "below min 1", `"x7" is not a number.`, "Taken:\n  4"}},
	{"number typed", auq, number, []string{"7.5"}, []machine.Event{do(machine.Open), typed("7.5"), do(machine.Accept)}, "Port: 7.5", nil},
	{"text that looks like a command", auq, oneText, []string{"", "/n mind", "q"},
		[]machine.Event{do(machine.NoteQuestion), typed("mind"), do(machine.Leave), do(machine.Open), typed("q"), do(machine.Accept)}, "Name: q\nnote (Name): mind",
		[]string{"Nothing is typed yet."}},
	{"text with a slash", auq, oneText, []string{"/?", "//q"}, []machine.Event{do(machine.Open), typed("/q"), do(machine.Accept)}, "Name: /q",
		[]string{"/q: cancel"}},
	{"text of several lines", auq, `{"questions":[{"header":"Why","question":"Why?","type":"free_text"}]}`, []string{"one", "", "..", "."},
		[]machine.Event{do(machine.Open), typed("one\n\n."), do(machine.Accept)}, "Why: one\n\n.", []string{"a line with only a dot ends it"}},
	{"danger takes no default", auq, danger, []string{"", "", "prod"}, []machine.Event{typed("prod"), do(machine.Accept)}, "Drop: (Other) prod",
		[]string{"DESTRUCTIVE — Drop", "Type the resource name to confirm:", "An empty line confirms nothing"}},

	{"danger that expects a name", auq, strings.Replace(danger, `"default":"affirm"`, `"expected":"prod db"`, 1), []string{"prod", "prod db"},
		[]machine.Event{typed("prod db"), do(machine.Accept)}, "Drop: (Other) prod db",
		[]string{"Type the resource name to confirm: “prod db” What you type is sent to the agent.", "The answer must be exactly “prod db”, as shown."}},

	{"radio, checkbox, text", "ask_user_question", radio, []string{"", "1 2", "a", "b", ".", "s"},
		[]machine.Event{nth(machine.Pick, 2), nth(machine.Pick, 1), nth(machine.Pick, 2), do(machine.First), do(machine.Commit), typed("a\nb"), do(machine.Accept), do(machine.Choose)},
		"Q1: y\nQ2: m, n\nQ3: a\nb", []string{"Taken:\n  Y"}},
	{"optional left empty, own words", "ask_user_question", radio, []string{"3", "mine", "0", "z", ".", "s"},
		[]machine.Event{nth(machine.Pick, 3), typed("mine"), do(machine.Accept), do(machine.Commit), typed("z"), do(machine.Accept), do(machine.Choose)},
		"Q1: (wrote) mine\nQ2: (none selected)\nQ3: z", nil},

	{"recommended", "ask_user", decide, []string{"", "+", "table", ".", "s"},
		[]machine.Event{nth(machine.Pick, 2), typed("orders\ntable"), do(machine.Accept), do(machine.Choose)}, "Store: SQLite\nName: orders\ntable",
		[]string{"2. SQLite [recommended] [chosen] [p 2 shows more]", "Taken:\n  SQLite", "a + alone adds to it:\n  orders"}},
	{"comments and left unanswered", "ask_user", decide, []string{"c 1 too big", "n hm", "u", "new", ".", "n all in all", "s"},
		[]machine.Event{do(machine.First), do(machine.NoteOption), typed("too big"), do(machine.Leave), do(machine.NoteQuestion), typed("hm"), do(machine.Leave), do(machine.Unanswer),
			do(machine.Next), typed("new"), do(machine.Accept), do(machine.NoteForm), typed("all in all"), do(machine.Leave), do(machine.Choose)},
		"User needs discussion before a complete decision.\nUnanswered: Store\nForm comment: all in all\nStore question comment: hm\nStore option comment (Postgres): too big\nName: new",
		[]string{"1 left for discussion."}},
	{"a note taken back", "ask_user", decide, []string{"n", "hm", "n -", "r", "/r", "s"},
		[]machine.Event{nth(machine.Pick, 2), do(machine.Accept), do(machine.Choose)}, "Store: SQLite\nName: orders", []string{"Comment removed."}},

	{"buttons", "buttons", buttons, []string{"1"}, []machine.Event{nth(machine.Pick, 1)}, "User selected: Redis", []string{"Cache?"}},
	{"buttons with own words", "buttons", buttons, []string{"o none"}, []machine.Event{nth(machine.Pick, 3), typed("none"), do(machine.Accept)}, "User selected: none", nil},
	{"dropdown", "buttons", dropdown, []string{"4 2"},
		[]machine.Event{do(machine.Open), nth(machine.Pick, 2), nth(machine.Pick, 4), do(machine.First), do(machine.Commit)}, "User selected: B, D", nil},
	{"plan sent back", "plan", `{"plan":"# Move\n\n1. Copy.\n2. Drop.","before":{"plan":"# Move\n\n1. Copy.\n2. Keep.","comments":[{"line":3,"comment":"Why copy?"}],"sent":true}}`,
		[]string{"2", "Keep it"}, []machine.Event{nth(machine.Pick, 2), typed("Keep it"), do(machine.Accept)}, "The person did not approve the plan: keep planning, and carry nothing out yet.\n\nKeep it",
		[]string{"The document:\n  # Move", "Comment on line 3: you said before: Why copy?", "Changed since you saw it: lines 4.", "Type what should change; an empty line sends nothing more than your choice."}},
	{"dropdown cancelled after a look", "buttons", dropdown, []string{"0", "q", "y"}, []machine.Event{do(machine.Cancel)}, "User cancelled", nil},
}
