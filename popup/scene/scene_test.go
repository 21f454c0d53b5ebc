package scene

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/tests/golden"
	"github.com/askpane/askpane/tests/must"
)

// told is a scene as a person can read it: what is not empty, a line for each, and of lists
// one for each that is in them.
func told(s Scene) string {
	var b strings.Builder
	s.Form = nil
	if s.Question != nil {
		fmt.Fprintf(&b, "Question: %s\n", s.Question.ID)
	}
	s.Question = nil
	for of, i := reflect.ValueOf(s), 0; i < of.NumField(); i++ {
		name, v := of.Type().Field(i).Name, of.Field(i)
		switch {
		case v.IsZero():
		case v.Kind() == reflect.Slice:
			for j := range v.Len() {
				fmt.Fprintf(&b, "%s: %s\n", name, filled(v.Index(j)))
			}
		default:
			fmt.Fprintf(&b, "%s: %s\n", name, filled(v))
		}
	}
	return b.String()
}

// filled is a value, of a struct what is not empty.
func filled(v reflect.Value) string {
	if at, is := v.Interface().(time.Time); is {
		return at.Local().Format(time.DateTime)
	}
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct {
		return fmt.Sprintf("%v", v)
	}
	var parts []string
	for i := range v.NumField() {
		if f := v.Field(i); !f.IsZero() && f.Kind() == reflect.Pointer {
			parts = append(parts, fmt.Sprintf("%s=%q", v.Type().Field(i).Name, fmt.Sprint(f.Elem())))
		} else if !f.IsZero() && f.Kind() == reflect.Struct {
			parts = append(parts, v.Type().Field(i).Name+"="+filled(f))
		} else if !f.IsZero() {
			parts = append(parts, fmt.Sprintf("%s=%q", v.Type().Field(i).Name, fmt.Sprint(f)))
		}
	}
	return strings.Join(parts, " ")
}

const (
	one = `{"questions":[{"id":"db","label":"Database","prompt":"It is late.\n\nWhich database ✓ \u001b[31m?","options":[{"value":"s","label":"SQLite ❯","emoji":"🗄","description":"a file"},
		{"value":"p","label":"Postgres"}]}]}`
	typed = `{"questions":[{"header":"Fruit","question":"Which?","type":"select_many","options":[{"label":"Apple"},{"label":"Pear"}],"default":["Pear"]},
		{"header":"Port","question":"Which port?","type":"number","min":1,"max":10,"default":4}]}`
	number = `{"questions":[{"header":"Port","question":"Which port?","type":"number","min":1}]}`
	danger = `{"questions":[{"header":"Drop shop","question":"Drop “shop”?","type":"confirm_enum","is_dangerous":true}]}`
	secret = `{"questions":[{"id":"key","prompt":"The key?","type":"text","secret":true}]}`
	decide = `{"title":"Plan","questions":[{"type":"choice","id":"db","header":"Store","prompt":"Which?","options":[{"value":"p","label":"Postgres"},{"value":"s","label":"SQLite","preview":"a file"}],"recommendation":"s"},
		{"type":"text","id":"n","header":"Name","prompt":"Name?","recommendation":"orders"}]}`
	row  = `{"prompt":"Cache?","options":[{"label":"Redis","description":"Fast"},{"label":"None"}],"allowOther":true}`
	many = `{"title":"New service","description":"Two things.","questions":[{"id":"lang","type":"radio","label":"Language","prompt":"Which?","options":[{"value":"go","label":"Go"},{"value":"rs","label":"Rust"}]},
		{"id":"why","type":"text","label":"Why","prompt":"Why?","placeholder":"a reason"}]}`
)

// does are events, of which an action alone is one.
func does(all ...any) (events []machine.Event) {
	for _, one := range all {
		switch one := one.(type) {
		case machine.Event:
			events = append(events, one)
		case machine.Action:
			events = append(events, machine.Event{Action: one})
		case string:
			events = append(events, machine.Event{Action: machine.Type, Text: one})
		case int:
			events = append(events, machine.Event{Action: machine.Pick, N: one})
		}
	}
	return events
}

var start = time.Date(2026, 3, 4, 5, 6, 7, 0, time.Local)

func ended(outcome form.Outcome, mine bool, verdict string) func(*Status) {
	return func(st *Status) {
		st.Ended, st.Mine, st.Verdict = &form.Result{Outcome: outcome, By: form.ByPage, At: start}, mine, verdict
	}
}

// What is said of each kind of question, wherever it stands.
func TestScenes(t *testing.T) {
	t.Parallel()
	buttons := func(st *Status) { st.Buttons = true }
	for _, c := range []struct {
		name, request string
		events        []machine.Event
		status        func(*Status) // changes that of a question that waits
	}{
		{name: "one", request: one},
		{"one-buttons", one, nil, buttons},
		{"one-other-typed", one, does(3, "later", machine.Back), buttons},
		{"many-answered-by-other", `{"questions":[{"id":"a","label":"A","prompt":"A?","multiSelect":true,"options":[{"value":"x","label":"X"}]},{"id":"b","label":"B","prompt":"B?","options":[]}]}`, does(2, "mine", machine.Accept), buttons},
		{"select-row", typed, nil, buttons},
		{"number", number, does(machine.Open, "0", machine.Accept), buttons},
		{"danger", danger, nil, buttons},
		{"secret", secret, does("hush"), buttons},
		{"advised", decide, nil, buttons},
		{"notes", decide, does(machine.NoteOption, "big", machine.Leave, machine.NoteQuestion, "who?", machine.Leave), buttons},
		{"note-open", decide, does(machine.NoteQuestion, "who"), buttons},
		{"in-a-row", row, nil, buttons},
		{"text", many, does(1, "because"), buttons},
		{"review", many, does(1, "because", machine.Accept), buttons},
		{"review-unanswered", many, does(machine.ToReview), buttons},
		{"review-open", decide, does(machine.NoteOption, "big", machine.Leave, machine.ToReview, machine.NoteForm, "all good", machine.Leave), buttons},
		{"decline", one, does(machine.Refuse), buttons},
		{"decline-own-reason", one, does(machine.Refuse, 4, "too early"), buttons},
		{"help", one, does(machine.ShowHelp), buttons},
		{"leaving", decide, does(1, machine.Cancel), buttons},
		{"leaving-agent-gone", decide, does(1, machine.Cancel), func(st *Status) { buttons(st); st.Gone = true }},
		{"leaving-screen", decide, does(1, machine.Cancel), nil},
		{"not-saved", one, does(1), func(st *Status) { buttons(st); st.Notice = NotSaved + "no space left" }},
		{"agent-gone", one, nil, func(st *Status) { buttons(st); st.Gone = true }},
		{"another-machine", one, nil, func(st *Status) { st.Machine, st.Others = "build1", 2 }},
		{"unreachable", one, nil, func(st *Status) { st.Away, st.Gone = Unreachable(spool.Status{Unreachable: start}), true }},
		{"deadline", one, nil, func(st *Status) { st.Deadline, st.Left = &start, time.Minute }},
		{"held", one, nil, func(st *Status) { st.Guarded, st.Notice = true, "a failure" }},
		{"twice", one, nil, func(st *Status) { st.Twice = true }},
		{"expired", one, does(machine.End), ended(form.Timeout, false, "")},
		{"answered-elsewhere", one, does(machine.End), ended(form.Answered, false, "")},
		{"answered-here", one, does(machine.End), ended(form.Answered, true, "")},
		{"withdrawn", one, does(machine.End), ended(form.Aborted, false, "")},
		{"too-late", one, does(machine.End), ended(form.Answered, true, "too late: answered in the popup on build1")},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, f, err := dialect.Decode("", []byte(c.request))
			must.Do(t, err)
			m := machine.New(&f, nil, true)
			m.Confirms = true
			for _, e := range c.events {
				m.Handle(e)
			}
			golden.Check(t, c.name, told(Of(m, waiting(c.status))))
		})
	}
}

// waiting is the status of a question that waits, and what is changed of that.
func waiting(change func(*Status)) Status {
	st := StatusOf(spool.Origin{Agent: "claude", Cwd: "/srv/shop", Host: "tmux", Pane: "main:2.1", Start: start}, spool.Status{})
	if st.Waited = 65 * time.Second; change != nil {
		change(&st)
	}
	return st
}

// What is only read says how it has ended in the words that it is given, and of the form what
// was said.
func TestReadingScene(t *testing.T) {
	t.Parallel()
	_, f, err := dialect.Decode("", []byte(many))
	must.Do(t, err)
	m := machine.Finished(&f, form.Result{Outcome: form.Answered, Answers: []form.Answer{form.Choose(1), {}}, Comment: "so"})
	golden.Check(t, "reading", told(Of(m, waiting(func(st *Status) { st.How, st.Notes = "answered", []string{"This was \x1b[31manswered."} }))))
}

// Nothing of an agent's or a person's in a scene can move a cursor, but for what an entry holds.
func TestScenesAreVisible(t *testing.T) {
	t.Parallel()
	bad := "x\x1b[2J\u202ey"
	q := form.Question{ID: "q", Label: bad, Prompt: bad, Description: bad, Kind: form.One, Other: bad, Placeholder: bad, Named: true,
		Options: []form.Option{{Label: bad, Description: bad, Emoji: bad}}}
	f := form.Form{Title: bad, Intro: bad, Review: true, Remarks: form.Comments, Questions: []form.Question{q, q}}
	m := machine.New(&f, nil, true)
	for _, e := range does(machine.NoteOption, bad, machine.Leave, machine.NoteForm, bad, machine.Leave, 2, bad, machine.Accept, machine.Prev, machine.ToReview, 1, machine.ToReview) {
		m.Handle(e)
		s := Of(m, Status{Agent: bad, Machine: bad, Cwd: bad, Pane: bad, Away: Unreachable(spool.Status{Unreachable: start}), Notes: []string{bad}, Buttons: true})
		for _, entry := range []*Entry{s.Entry, s.Remark} {
			if entry != nil {
				entry.Text = ""
			}
		}
		s.Preview, s.Answer, s.Primary, s.Actions = nil, form.Answer{}, nil, append(s.Primary, s.Actions...)
		for i := range s.Actions {
			s.Actions[i].Events = nil
		}
		if said := told(s); strings.ContainsAny(said, "\x1b\u202e") || strings.Contains(said, `\x1b`) || strings.Contains(said, `\u202e`) {
			t.Fatalf("after %+v it says\n%s", e, said)
		}
	}
}

// What can be done is tried on a copy of the machine: what somebody types stays under their fingers,
// also while another surface's text is offered.
func TestSceneLeavesWhatIsTyped(t *testing.T) {
	t.Parallel()
	_, f, err := dialect.Decode("", []byte(`{"questions":[{"header":"T","question":"What may go?","type":"free_text"}]}`))
	must.Do(t, err)
	typed := func(by string, texts ...any) *machine.Machine {
		m := machine.New(&f, nil, true).As(by)
		for _, e := range does(append([]any{machine.Open}, texts...)...) {
			m.Handle(e)
		}
		return m
	}
	here := typed("browser", "here")
	here.Meet(typed("popup", "over", "over there").Draft())
	for range 2 {
		if Of(here, waiting(func(st *Status) { st.Buttons = true })); here.Buffer() != "here" || here.Offered() != "over there" {
			t.Fatalf("%q stands there, and %q is offered", here.Buffer(), here.Offered())
		}
	}
}
