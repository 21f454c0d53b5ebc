package machine

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/form"
)

// Real requests, one of each kind that the dialects have.
const (
	claudeOne    = `{"questions":[{"header":"Store","question":"Which?","type":"select_one","default":"B","options":[{"label":"A"},{"label":"B"}]}]}`
	claudeMany   = `{"questions":[{"header":"Parts","question":"Which?","type":"select_many","options":[{"label":"A"},{"label":"B"}]}]}`
	claudeSure   = `{"questions":[{"header":"Sure","question":"Go on?","type":"confirm_enum"}]}`
	claudeNumber = `{"questions":[{"header":"Count","question":"How many?","type":"number","min":-2,"max":3}]}`
	claudeText   = `{"questions":[{"header":"Name","question":"What?","type":"free_text","default":"shop"}]}`
	claudeDanger = `{"questions":[{"header":"Drop","question":"Drop it?","type":"confirm_enum","default":"affirm","is_dangerous":true},
		{"header":"Store","question":"Which?","type":"select_one","default":"B","options":[{"label":"A"},{"label":"B"}]}]}`
	claudeExpected = `{"questions":[{"header":"Drop","question":"Drop it?","type":"confirm_enum","is_dangerous":true,"expected":"prod"},{"header":"B","question":"B?","type":"number"}]}`
	claudeLimit    = `{"questions":[{"header":"Kill","question":"How many?","type":"number","min":1,"max":5,"is_dangerous":true}]}`
	plainMany      = `{"questions":[{"question":"Which?","header":"Parts","multiSelect":true,"options":[{"label":"A"},{"label":"B"}]}]}`
	claudeTwo      = `{"questions":[{"header":"Parts","question":"Which?","type":"select_many","options":[{"label":"A"},{"label":"B"}]},{"header":"Name","question":"What?","type":"free_text"}]}`

	formRadio = `{"questions":[{"id":"r","type":"radio","prompt":"Which?","default":"b","options":[{"value":"a","label":"A"},{"value":"b","label":"B"}]}]}`
	formCheck = `{"questions":[{"id":"c","type":"checkbox","prompt":"Which?","options":[{"value":"a","label":"A"},{"value":"b","label":"B"}]}]}`
	formText  = `{"questions":[{"id":"t","type":"text","prompt":"What?"}]}`
	formThree = `{"questions":[{"id":"r","type":"radio","prompt":"Which?","options":[{"value":"a","label":"A"}]},
		{"id":"c","type":"checkbox","required":false,"prompt":"Which?","options":[{"value":"a","label":"A"}]},
		{"id":"t","type":"text","required":false,"prompt":"What?"}]}`

	humanBoth = `{"questions":[{"type":"choice","id":"c","header":"Way","prompt":"Which?","options":[{"value":"a","label":"A"},{"value":"b","label":"B"}]},
		{"type":"text","id":"t","header":"Why","prompt":"Why?","recommendation":"because"}]}`
	humanMany = `{"questions":[{"type":"choice","id":"c","header":"Way","prompt":"Which?","multi":true,"recommendation":["b"],
		"options":[{"value":"a","label":"A"},{"value":"b","label":"B"}]}]}`

	buttonsRow  = `{"prompt":"Deploy?","options":[{"label":"Yes"},{"label":"No"}],"allowOther":true}`
	buttonsMany = `{"prompt":"Where?","options":[{"label":"A"},{"label":"B"}],"multi":true}`
	fourButtons = `{"prompt":"Where?","options":[{"label":"A"},{"label":"B"},{"label":"C"},{"label":"D"}]}`
)

// many is a question with n options, A00 and so on.
func many(n int) string {
	options := ""
	for i := range n {
		options += fmt.Sprintf(`,{"value":"v%02d","label":"A%02d","description":"12 lines"}`, i, i)
	}
	return `{"questions":[{"type":"choice","id":"c","header":"Way","prompt":"Which?","options":[` + options[1:] + `]}]}`
}

// claudeTicked is claudeTwo with a default.
var claudeTicked = strings.Replace(claudeTwo, `"select_many"`, `"select_many","default":["B"]`, 1)

// manyOf is many, of which several may be chosen.
func manyOf(n int) string { return strings.Replace(many(n), `"prompt"`, `"multi":true,"prompt"`, 1) }

func decoded(t *testing.T, request string) *form.Form {
	t.Helper()
	_, f, err := dialect.Decode("", []byte(request))
	if err != nil {
		t.Fatal(err)
	}
	return &f
}

// tell is the state of m, or its result, in one line.
func tell(m *Machine) string {
	told := func(v any) string { text, _ := json.Marshal(v); return string(text) }
	if r, over := m.Result(); over {
		line := string(r.Outcome)
		if len(r.Answers) > 0 {
			line += " " + told(r.Answers)
		}
		if r.Comment != "" {
			line += " comment " + r.Comment
		}
		if r.Reason != "" {
			line += " reason " + r.Reason
		}
		return line
	}
	line := fmt.Sprintf("%s %d.%d %s", m.Mode(), m.Step(), m.Cursor(), told(m.Answers()))
	if m.Buffer() != "" {
		line += fmt.Sprintf(" %q", m.Buffer())
	}
	if m.Notice() != "" {
		line += " (" + m.Notice() + ")"
	}
	return line
}

// Each row is a rule of docs/contracts.md, or a promise of docs/design.md, seen
// through events.
func TestDialects(t *testing.T) {
	t.Parallel()
	type events = []Event
	for _, c := range []struct {
		name, request string
		events        events
		want          string
	}{
		// 2. AskUserQuestion
		{"a default has the cursor and is no answer yet", claudeOne, nil, `list 0.1 [{}]`},
		{"Enter takes it", claudeOne, events{do(Choose)}, `answered [{"choices":[1]}]`},
		{"R takes the default", claudeOne, events{do(Up), do(Recommend)}, `answered [{"choices":[1]}]`},
		{"Other opens the entry", claudeOne, events{nth(Pick, 3), typed("C"), do(Accept)}, `answered [{"text":"C"}]`},
		{"confirm", claudeSure, events{do(Down), do(Choose)}, `answered [{"choices":[1]}]`},
		{"confirm by typing", claudeSure, events{nth(Pick, 3), typed("later"), do(Accept)}, `answered [{"text":"later"}]`},

		{"select_many: Enter toggles and answers nothing", claudeMany, events{do(Choose)}, `list 0.0 [{}]`},
		{"select_many: the select row refuses nothing chosen", claudeMany, events{do(Last), do(Choose)}, `list 0.3 [{}] (Nothing is chosen yet.)`},
		{"select_many: the select row commits", claudeMany, events{nth(Pick, 2), do(First), do(Toggle), do(Last), do(Choose)}, `answered [{"choices":[0,1]}]`},
		{"select_many: a second toggle unticks", claudeMany, events{nth(Pick, 1), nth(Pick, 2), nth(Pick, 1), do(Commit)}, `answered [{"choices":[1]}]`},
		{"select_many: the select row has no number", claudeMany, events{nth(Pick, 4)}, `list 0.0 [{}] (There is no choice 4; there are 3.)`},
		{"select_many: typed besides", claudeMany, events{nth(Pick, 1), nth(Pick, 3), typed("C"), do(Accept), do(Commit)}, `answered [{"choices":[0],"text":"C"}]`},
		{"select_many: blank Other is refused", claudeMany, events{nth(Pick, 3), typed(" "), do(Accept)}, `entry 0.2 [{}] " " (Nothing is typed yet.)`},
		{"select_many: Other unticked keeps its text", claudeMany, events{nth(Pick, 1), nth(Pick, 3), typed("C"), do(Accept), nth(Pick, 3), nth(Pick, 3)},
			`entry 0.2 [{}] "C"`},

		{"number: up from nothing", claudeNumber, events{do(Up), do(Open)}, `entry 0.0 [{}] "0"`},
		{"number: nudged", claudeNumber, events{do(Up), do(Up), do(Up), do(Down), do(Open), do(Accept)}, `answered [{"number":1}]`},
		{"number: a nudge stops at max", claudeNumber, events{do(Up), do(Up), do(Up), do(Up), do(Up), do(Up), do(Open)}, `entry 0.0 [{}] "3"`},
		{"number: and at min", claudeNumber, events{do(Down), do(Down), do(Down), do(Down), do(Open)}, `entry 0.0 [{}] "-2"`},
		{"number: nudged in the entry", claudeNumber, events{do(Open), typed("1.5"), do(Up), do(Accept)}, `answered [{"number":2.5}]`},
		{"number: above max", claudeNumber, events{do(Open), typed("4"), do(Accept)}, `entry 0.0 [{}] "4" (The answer is 4, above max 3.)`},
		{"number: below min", claudeNumber, events{do(Open), typed("-3"), do(Accept)}, `entry 0.0 [{}] "-3" (The answer is -3, below min -2.)`},
		{"number: none at all", claudeNumber, events{do(Open), typed("two"), do(Accept)}, `entry 0.0 [{}] "two" ("two" is not a number.)`},
		{"number: not finite", claudeNumber, events{do(Open), typed("NaN"), do(Accept)}, `entry 0.0 [{}] "NaN" (The answer is not a finite number.)`},
		{"number: blank", claudeNumber, events{do(Open), do(Accept)}, `entry 0.0 [{}] (Nothing is typed yet.)`},

		{"free_text: the default waits in a closed entry", claudeText, events{}, `closed 0.0 [{}]`},
		{"free_text: opened it is there", claudeText, events{do(Open)}, `entry 0.0 [{}] "shop"`},
		{"free_text: and is accepted", claudeText, events{do(Open), do(Accept)}, `answered [{"text":"shop"}]`},
		{"free_text: blank is refused", claudeText, events{do(Open), typed("\n "), do(Accept)}, `entry 0.0 [{}] "\n " (Nothing is typed yet.)`},
		{"free_text: Esc leaves the entry", claudeText, events{do(Open), typed("x"), do(Back)}, `closed 0.0 [{}]`},
		{"free_text: Esc outside it cancels", claudeText, events{do(Cancel)}, `cancelled`},

		{"note: saved and still open", claudeOne, events{do(NoteQuestion), typed("n"), do(Accept)}, `note 0.1 [{"note":"n"}] "n" (Note saved. Enter again goes back.)`},
		{"note: a second Enter leaves it", claudeOne, events{do(NoteQuestion), typed("n"), do(Accept), do(Accept)}, `list 0.1 [{"note":"n"}] (Note saved.)`},
		{"note: one after more typing does not", claudeOne, events{do(NoteQuestion), typed("n"), do(Accept), typed("no"), do(Accept)},
			`note 0.1 [{"note":"no"}] "no" (Note saved. Enter again goes back.)`},
		{"note: opened again, it is saved first too", claudeOne, events{do(NoteQuestion), typed("n"), do(Leave), do(NoteQuestion), do(Accept)},
			`note 0.1 [{"note":"n"}] "n" (Note saved. Enter again goes back.)`},
		{"note: left with Tab it is kept", claudeOne, events{do(NoteQuestion), typed("n"), do(Leave), nth(Pick, 1)}, `answered [{"choices":[0],"note":"n"}]`},
		{"note: Esc discards what is unsaved", claudeOne, events{do(NoteQuestion), typed("n"), do(Accept), typed("nm"), do(Back)}, `list 0.1 [{"note":"n"}]`},
		{"note: blank is none", claudeOne, events{do(NoteQuestion), typed("n"), do(Accept), typed(" "), do(Leave)}, `list 0.1 [{}] (Note removed.)`},
		{"note: none on an option or the form", claudeOne, events{do(NoteOption), do(NoteForm)}, `list 0.1 [{}]`},
		{"note: no answer by itself", claudeOne, events{do(NoteQuestion), typed("n"), do(Leave), do(Cancel)}, `cancelled`},

		{"danger: takes no default", claudeDanger, nil, `danger 0.0 [{},{}]`},
		{"danger: blank is refused", claudeDanger, events{typed(" "), do(Accept)}, `danger 0.0 [{},{}] " " (Nothing is typed yet.)`},
		{"danger: arrows and digits do nothing", claudeDanger, events{do(Up), do(Down), nth(Pick, 1), do(Choose), do(Toggle)}, `danger 0.0 [{},{}]`},
		{"danger: the review is hidden", claudeDanger, events{nth(GoTo, 2)}, `danger 0.0 [{},{}]`},
		{"danger: never recommended", claudeDanger, events{do(Recommend)}, `danger 0.0 [{},{}] (Nothing is recommended here.)`},
		{"danger: not by all recommended either", claudeDanger, events{nth(GoTo, 1), do(RecommendAll)}, `review 2.2 [{},{"choices":[1]}]`},
		{"danger: not what is expected", claudeExpected, events{typed("Prod"), do(Accept)}, `danger 0.0 [{},{}] "Prod" (The answer must be exactly “prod”, as shown.)`},
		{"danger: as expected", claudeExpected, events{typed("prod"), do(Accept)}, `number 1.0 [{"text":"prod"},{}]`},
		{"danger: typed and on", claudeDanger, events{typed("prod"), do(Accept)}, `list 1.1 [{"text":"prod"},{}]`},
		{"danger: pre-filled on return", claudeDanger, events{typed("prod"), do(Accept), do(Prev)}, `danger 0.0 [{"text":"prod"},{}] "prod"`},
		{"danger: changed, it is not confirmed any more", claudeDanger, events{typed("prod"), do(Accept), do(Prev), typed("pro"), nth(GoTo, 2)},
			`danger 0.0 [{},{}] "pro"`},
		{"danger: Esc cancels", claudeDanger, events{typed("prod"), do(Cancel)}, `cancelled`},
		{"danger: left and not confirmed, it is missing", claudeDanger, events{typed("prod"), nth(GoTo, 1), do(Choose), do(Choose)},
			`review 2.0 [{},{"choices":[1]}] (Not answered yet: Drop)`},
		{"danger: a number must parse", claudeLimit, events{typed("many"), do(Accept)}, `danger 0.0 [{}] "many" ("many" is not a number.)`},
		{"danger: and be in range", claudeLimit, events{typed("9"), do(Accept)}, `danger 0.0 [{}] "9" (The answer is 9, above max 5.)`},
		{"danger: then it counts", claudeLimit, events{typed("3"), do(Accept)}, `answered [{"number":3}]`},

		{"second shape: many", plainMany, events{nth(Pick, 2), do(Last), do(Choose)}, `answered [{"choices":[1]}]`},

		// 3. ask_user_question
		{"radio: Enter selects", formRadio, events{do(Up), do(Commit)}, `answered [{"choices":[0]}]`},
		{"radio: Other", formRadio, events{do(Last), do(Commit), typed("c"), do(Accept)}, `answered [{"text":"c"}]`},
		{"checkbox: Enter with nothing", formCheck, events{do(Commit)}, `list 0.0 [{}] (Nothing is chosen yet.)`},
		{"checkbox: Space, Enter", formCheck, events{do(Toggle), do(Commit)}, `answered [{"choices":[0]}]`},
		{"checkbox: Enter on Other opens it", formCheck, events{do(Toggle), do(Last), do(Commit), typed("c"), do(Accept), do(Commit)},
			`answered [{"choices":[0],"text":"c"}]`},
		{"text: typed at once", formText, events{typed("x\ny"), do(Accept)}, `answered [{"text":"x\ny"}]`},
		{"text: required, so not blank", formText, events{do(Accept)}, `text 0.0 [{}] (Nothing is typed yet.)`},
		{"text: Esc cancels", formText, events{typed("x"), do(Cancel)}, `cancelled`},
		{"submit names the required ones alone", formThree, events{nth(GoTo, 3), do(Choose)}, `review 3.0 [{},{},{}] (Not answered yet: Q1)`},
		{"optional ones may stay open", formThree, events{do(Commit), nth(GoTo, 3), do(Choose)}, `answered [{"choices":[0]},{},{}]`},
		{"or be passed by, empty", formThree, events{do(Commit), do(Commit), do(Accept), do(Choose)},
			`answered [{"choices":[0]},{"empty":true},{"empty":true}]`},
		{"a text made empty again is none", formThree, events{do(Commit), nth(GoTo, 2), typed("x"), do(Accept), do(Prev), typed(""), nth(GoTo, 3), do(Choose)},
			`answered [{"choices":[0]},{},{}]`},

		// 4. ask_user
		{"a recommendation is selected", humanBoth, nil, `list 0.0 [{"choices":[0]},{"text":"because"}]`},
		{"the form ends on a review, its submit row focused", humanBoth, events{do(Next), do(Next)}, `review 2.2 [{"choices":[0]},{"text":"because"}]`},
		{"Space selects and stays", humanBoth, events{do(Down), do(Toggle)}, `list 0.1 [{"choices":[1]},{"text":"because"}]`},
		{"Enter selects and goes on", humanBoth, events{do(Down), do(Commit)}, `text 1.0 [{"choices":[1]},{"text":"because"}] "because"`},
		{"submitted", humanBoth, events{do(Commit), do(Accept), do(Choose)}, `answered [{"choices":[0]},{"text":"because"}]`},
		{"u leaves it open, and that needs discussion", humanBoth, events{do(Unanswer), nth(GoTo, 2), do(Choose)}, `needs_discussion [{},{"text":"because"}]`},
		{"u keeps comments", humanBoth, events{do(NoteQuestion), typed("q"), do(Accept), do(Unanswer)}, `list 0.0 [{"note":"q"},{"text":"because"}]`},
		{"u on a text", humanBoth, events{do(Next), do(Unanswer), do(Next), do(Choose)}, `needs_discussion [{"choices":[0]},{}]`},
		{"a blank text is left open", humanBoth, events{do(Next), typed(""), do(Accept), do(Choose)}, `needs_discussion [{"choices":[0]},{}]`},
		{"comments on an option", humanBoth, events{do(Down), do(NoteOption), typed("o"), do(Accept)}, `list 0.1 [{"choices":[0],"optionNotes":{"1":"o"}},{"text":"because"}] (Comment saved.)`},
		{"Esc discards a comment and stays", humanBoth, events{do(NoteOption), typed("o"), do(Back)}, `list 0.0 [{"choices":[0]},{"text":"because"}]`},
		{"a comment on form", humanBoth, events{nth(GoTo, 2), do(NoteForm), typed("f"), do(Accept), do(Choose)},
			`answered [{"choices":[0]},{"text":"because"}] comment f`},
		{"comments survive a change of the answer", humanBoth, events{do(NoteOption), typed("o"), do(Accept), do(Down), do(Toggle)},
			`list 0.1 [{"choices":[1],"optionNotes":{"0":"o"}},{"text":"because"}]`},
		{"multi: Enter accepts and never toggles", humanMany, events{do(Commit)}, `review 1.1 [{"choices":[1]}]`},
		{"multi: nothing may be chosen", humanMany, events{do(Down), do(Toggle), do(Commit), do(Choose)}, `needs_discussion [{}]`},
		{"opened from the review, saving returns there", humanBoth, events{nth(GoTo, 2), do(First), do(Choose), do(Down), do(Commit)},
			`review 2.2 [{"choices":[1]},{"text":"because"}]`},
		{"R after another choice", humanBoth, events{do(Down), do(Toggle), do(Recommend)}, `text 1.0 [{"choices":[0]},{"text":"because"}] "because"`},
		{"R leaves a typed text", humanBoth, events{nth(GoTo, 1), typed("mine"), do(Accept), nth(GoTo, 1), do(Recommend)},
			`text 1.0 [{"choices":[0]},{"text":"mine"}] "mine" (What you typed stays; empty it first.)`},
		{"Ctrl+R leaves it too", humanBoth, events{nth(GoTo, 1), typed("mine"), do(Accept), do(RecommendAll)},
			`review 2.2 [{"choices":[0]},{"text":"mine"}]`},
		{"R fills an emptied text", humanBoth, events{nth(GoTo, 1), typed(""), do(Recommend)},
			`review 2.2 [{"choices":[0]},{"text":"because"}]`},
		{"Ctrl+R goes to the review", humanBoth, events{do(Unanswer), do(RecommendAll)}, `review 2.2 [{"choices":[0]},{"text":"because"}]`},

		// 5. buttons
		{"a button", buttonsRow, events{do(Down), do(Commit)}, `answered [{"choices":[1]}]`},
		{"typed instead", buttonsRow, events{do(Last), do(Commit), typed("soon"), do(Accept)}, `answered [{"text":"soon"}]`},
		{"several buttons", buttonsMany, events{nth(Pick, 2), do(Toggle), do(First), do(Toggle), do(Commit)}, `answered [{"choices":[0]}]`},
		{"more than three are open at once", fourButtons, events{nth(Pick, 4)}, `answered [{"choices":[3]}]`},
		{"and Esc cancels", fourButtons, events{do(Down), do(Cancel)}, `cancelled`},

		// everywhere
		{"declined with a reason that is there", claudeOne, events{do(Refuse), do(Down), do(Choose)}, `cancelled reason rephrase the question`},
		{"by its number", formText, events{do(Refuse), nth(Pick, 3)}, `cancelled reason none of these fits`},
		{"with one's own", fourButtons, events{do(Refuse), nth(Pick, 4), typed(" too early "), do(Accept)}, `cancelled reason too early`},
		{"typed at once", fourButtons, events{do(Refuse), do(Write), typed("too early"), do(Accept)}, `cancelled reason too early`},
		{"not with a blank one", claudeDanger, events{do(Refuse), nth(Pick, 4), typed(" "), do(Accept)}, `reason 0.0 [{},{}] " " (Nothing is typed yet.)`},
		{"Esc takes the declining back", humanBoth, events{nth(GoTo, 2), do(Refuse), do(Back)}, `review 2.2 [{"choices":[0]},{"text":"because"}]`},
		{"no filter for nine", many(9), events{do(Find)}, `list 0.0 [{"choices":[0]}]`},
		{"the filter moves the cursor", many(12), events{do(Find), typed("a1")}, `filter 0.10 [{"choices":[0]}] "a1"`},
		{"arrows keep to what it leaves", many(12), events{do(Find), typed("A1"), do(Down), do(Down)}, `filter 0.11 [{"choices":[0]}] "A1"`},
		{"one Enter chooses what it has led to", many(12), events{do(Find), typed("A1"), do(Down), do(Accept)}, `review 1.1 [{"choices":[11]}]`},
		{"and of several toggles it", manyOf(12), events{do(Find), typed("A1"), do(Accept)}, `list 0.10 [{"choices":[10]}]`},
		{"Esc shows all again", many(12), events{do(Find), typed("A1"), do(Back), do(First)}, `list 0.0 [{"choices":[0]}]`},
		{"nothing left is nothing to choose", many(12), events{do(Find), typed("no"), do(Accept)},
			`filter 0.0 [{"choices":[0]}] "no" (No choice has “no” in it.)`},
		{"it looks at labels alone", many(12), events{do(Find), typed("lines"), do(Accept)},
			`filter 0.0 [{"choices":[0]}] "lines" (No choice has “lines” in it.)`},

		{"ticked and passed by, it counts", claudeTwo, events{nth(Pick, 2), do(Next)}, `closed 1.0 [{"choices":[1]},{}]`},
		{"by whatever leads on", claudeTwo, events{nth(Pick, 2), do(ToReview)}, `review 2.2 [{"choices":[1]},{}]`},
		{"what the agent ticked does not", claudeTicked, events{do(Next)}, `closed 1.0 [{},{}]`},
		{"until the person ticks more", claudeTicked, events{nth(Pick, 1), do(Next)}, `closed 1.0 [{"choices":[0,1]},{}]`},
		{"unticked again, nothing counts", claudeTwo, events{nth(Pick, 2), nth(Pick, 2), do(Next)}, `closed 1.0 [{},{}]`},
		{"typed words count too", claudeTwo, events{nth(Pick, 3), typed("C"), do(Accept), do(Next)}, `closed 1.0 [{"text":"C"},{}]`},
		{"typed and left, they do not", claudeTwo, events{nth(Pick, 3), typed("C"), do(Back), do(Next)}, `closed 1.0 [{},{}]`},

		{"a text is opened to type where it ends", claudeText, events{do(Write)}, `entry 0.0 [{}] "shop"`},
		{"a number to type it anew", claudeNumber, events{do(Up), do(Up), do(Write)}, `entry 0.0 [{}]`},
		{"there is nothing to write in a list", claudeOne, events{do(Write)}, `list 0.1 [{}]`},
		{"help goes with any event", humanBoth, events{do(ShowHelp), do(Cancel)}, `list 0.0 [{"choices":[0]},{"text":"because"}]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := decoded(t, c.request)
			m := New(f, nil, true)
			for _, e := range c.events {
				m.Handle(e)
				roundTrip(t, f, m)
			}
			if got := tell(m); got != c.want {
				t.Errorf("it is %s\nwant  %s", got, c.want)
			}
			if r, over := m.Result(); over && f.Check(r) != nil {
				t.Errorf("the form does not take it: %v", f.Check(r))
			}
		})
	}
}

// With the setting off a dangerous question is an ordinary one, but for what is
// taken without a look.
func TestDangerCheckOff(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		events []Event
		want   string
	}{
		{nil, `list 0.0 [{},{}]`},
		{[]Event{do(Choose)}, `list 1.1 [{"choices":[0]},{}]`},
		{[]Event{nth(GoTo, 2)}, `review 2.2 [{},{}]`},
		{[]Event{do(Recommend)}, `list 0.0 [{},{}] (Nothing is recommended here.)`},
		{[]Event{do(RecommendAll)}, `review 2.2 [{},{"choices":[1]}]`},
	} {
		f := decoded(t, claudeDanger)
		m := New(f, nil, false)
		for _, e := range c.events {
			m.Handle(e)
			roundTrip(t, f, m)
		}
		if got := tell(m); got != c.want {
			t.Errorf("%v: it is %s\nwant  %s", c.events, got, c.want)
		}
	}
	m := New(decoded(t, claudeDanger), nil, false)
	if m.SetDangerCheck(true); m.Mode() != Danger {
		t.Errorf("switched on, it is %s", m.Mode())
	}
	m = New(decoded(t, claudeDanger), nil, false)
	m.Handle(do(Choose))
	d := m.Draft()
	if again := New(m.Form(), &d, true); again.Answer(0).Given() {
		t.Errorf("opened again with the check on, a choice confirms: %s", tell(again))
	}
	if m.SetDangerCheck(true); m.Answer(0).Given() {
		t.Errorf("with the check on a choice confirms: %s", tell(m))
	}
}
