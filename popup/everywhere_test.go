package popup

import (
	"strings"
	"testing"

	"github.com/rivo/tview"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/popup/machine"
)

// choices is a question with two choices in each dialect that has such.
var choices = map[string]string{
	"question":          `{"questions":[{"id":"s","prompt":"Which?","options":[{"value":"a","label":"A"},{"value":"b","label":"B"}]}]}`,
	"AskUserQuestion":   `{"questions":[{"header":"S","question":"Which?","type":"select_one","options":[{"label":"A"},{"label":"B"}]}]}`,
	"second shape":      `{"questions":[{"header":"S","question":"Which?","options":[{"label":"A"},{"label":"B"}]}]}`,
	"ask_user_question": `{"questions":[{"id":"s","type":"radio","prompt":"Which?","options":[{"value":"a","label":"A"},{"value":"b","label":"B"}]}]}`,
	"ask_user":          `{"questions":[{"type":"choice","id":"s","header":"S","prompt":"Which?","options":[{"value":"a","label":"A"},{"value":"b","label":"B"}]}]}`,
	"buttons":           `{"prompt":"Which?","options":[{"label":"A"},{"label":"B"}]}`,
}

// A person with several agents has one set of keys.
func TestSameKeysInEveryDialect(t *testing.T) {
	t.Parallel()
	for name, request := range choices {
		for _, keys := range [][]string{{"2"}, {"j", "Enter"}, {"End", "k", "Enter"}, {"Down", "Enter"}} {
			s := newStage(t, request, nil, 80, 24)
			if other := s.m.Question().Other != ""; keys[0] == "End" && !other {
				keys = keys[:1:1]
				keys = append(keys, "Enter")
			}
			s.press(keys...)
			if s.m.Form().Review {
				s.press("Enter")
			}
			if r, over := s.m.Result(); !over || len(r.Answers) == 0 || len(r.Answers[0].Choices) != 1 || r.Answers[0].Choices[0] != 1 {
				t.Errorf("%s: %v leads to %+v:\n%s", name, keys, r, s.text())
			}
		}
		if s := newStage(t, request, nil, 80, 30).press("?"); true {
			for _, row := range []string{"k/j", "PgUp/PgDn", "Home/g/End/G"} {
				s.shows(row)
			}
		}
	}
}

// Where a text or a number is asked for, typing just types, and so does a paste.
func TestTypingJustTypes(t *testing.T) {
	t.Parallel()
	typed := typedName
	number := typedNumber
	for _, c := range []struct {
		name, request string
		act           func(s *stage)
		want          form.Answer
	}{
		{"a text", typed, func(s *stage) { s.press("new line one") }, form.Type("new line one")},
		{"every letter that is a key elsewhere", typed, func(s *stage) { s.press("neo R0/jk1") }, form.Type("neo R0/jk1")},
		{"a blank first", typed, func(s *stage) { s.press("Space", "x") }, form.Type(" x")},
		{"a paste", typed, func(s *stage) { s.paste("one\r\ntwo") }, form.Type("one\ntwo")},
		{"a default is added to", typedText0, func(s *stage) { s.press(" 2") }, form.Type("shop 2")},
		{"a number", number, func(s *stage) { s.press("72") }, form.Count(72)},
		{"a number that begins with 0", number, func(s *stage) { s.press("090") }, form.Count(90)},
		{"after a nudge", number, func(s *stage) { s.press("Up", "12") }, form.Count(12)},
		{"a pasted number", number, func(s *stage) { s.paste("45") }, form.Count(45)},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStage(t, c.request, nil, 80, 24)
			c.act(s)
			s.press("Enter").answered(c.want)
		})
	}
	s := newStage(t, typed, nil, 80, 24)
	for _, key := range []string{"[", "]"} {
		s.press(key).at(machine.Closed, 0, 0)
	}
	s.press("?").at(machine.Help, 0, 0).press("x", "Tab").at(machine.Note, 0, 0)
	s.press("Tab", "x", "Esc").at(machine.Closed, 0, 0)
	s.press("n").at(machine.Note, 0, 0)                                                                       // it is not untouched any more
	newStage(t, typed, nil, 80, 24).press("bc", "Home", "F1", "Esc", "a", "Enter").answered(form.Type("abc")) // the cursor stays
	newStage(t, typedForm, nil, 80, 24).press("]", "]", "]", "0").at(machine.Entry, 3, 0)
	newStage(t, typedTwo, nil, 80, 24).press("0").at(machine.Review, 2, 2)
}

const typedText0 = `{"questions":[{"header":"Name","question":"What?","type":"free_text","default":"shop"}]}`

// What was ticked counts by any key that leads on.
func TestTickedAndPassedBy(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"]", "0", "["} {
		s := newStage(t, typedForm, nil, 80, 24).press("]", "2")
		s.shows("□ Parts")
		s.press(key)
		s.shows("■ Parts")
	}
	newStage(t, plainTwo, nil, 80, 24).press("2", "Tab").shows("■ Parts")
}

// The second shape has the keys of the dialog that agents show themselves.
func TestSecondShapeKeys(t *testing.T) {
	t.Parallel()
	s := newStage(t, plainTwo, nil, 80, 24)
	for _, turn := range [][2]string{{"Tab", "Shift+Tab"}, {"Right", "Left"}, {"]", "["}} {
		s.press(turn[0]).at(machine.List, 1, 0).press(turn[1]).at(machine.List, 0, 0)
	}
	s.press("Tab", "Tab").at(machine.Review, 2, 2).press("Left").at(machine.List, 1, 0)
	s.press("n").at(machine.Note, 1, 0).press("why", "Enter").at(machine.Note, 1, 0).shows("Note saved. Enter again goes back.")
	s.press("Enter").at(machine.List, 1, 0).shows("note: why")
	s.press("3", "Tab").at(machine.Review, 2, 2).press("Shift+Tab", "Enter", "Shift+Tab").at(machine.List, 0, 0)
}

// A filter shows what is typed; one Enter chooses what it has found, and the arrows go
// through the rest.
func TestFilterChooses(t *testing.T) {
	t.Parallel()
	s := newStage(t, twelveOptions, nil, 80, 24).press("/", "1", "Down", "Down")
	s.shows("/ 1")
	s.shows("> 11. Region 11")
	s.press("Enter").at(machine.Review, 1, 1).shows("Region: Region 11")
	newStage(t, twelveOptions, nil, 80, 24).press("/", "12").mouse(tview.MouseLeftClick, "Region 12").at(machine.Review, 1, 1)
	newStage(t, twelveOptions, nil, 62, 10).press("End", "/", "R").shows("/ R") // also where the list was at its end
}

// A filter that leaves nothing shows what is typed also beside a preview.
func TestFilterBesideAPreview(t *testing.T) {
	t.Parallel()
	f := newStage(t, twelveOptions, nil, 120, 30).m.Form()
	f.Questions[0].Options[0].Preview, f.Questions[0].Other = &form.Preview{Content: "a preview"}, ""
	s := stageOf(t, *f)
	s.resize(120, 30)
	s.press("/", "zebra").shows("/ zebra")
}

// Going up from the first choice, or to it, shows what is asked.
func TestUpShowsThePrompt(t *testing.T) {
	t.Parallel()
	s := newStage(t, longQuestion, nil, 34, 9).press("PgUp", "PgUp", "PgUp")
	top := s.text()
	s.press("End", "Home", "Up")
	if s.text() != top {
		t.Errorf("it was\n%s\nand is\n%s", top, s.text())
	}
	s.press("Down").hides(strings.Split(top, "\n")[1])
}

// A letter that is no key is typed into the list's own entry, and none is lost.
func TestTypingOnAList(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"question", "AskUserQuestion", "ask_user_question"} {
		s := newStage(t, choices[name], nil, 80, 24).press("Bone").at(machine.Entry, 0, 2)
		s.press("Enter").answered(form.Type("Bone"))
	}
	newStage(t, choices["ask_user"], nil, 80, 24).press("Bone").at(machine.Note, 0, 0)
}

// Nobody takes a default that is not on view.
func TestDefaultsAreSeen(t *testing.T) {
	t.Parallel()
	q := form.Question{ID: "q", Label: "Q", Prompt: strings.Repeat("and so on\n", 60) + "How many?", Kind: form.Number, Initial: form.Count(3)}
	s := stageWith(t, form.Form{Dialect: "question", Questions: []form.Question{q}}, nil)
	s.resize(62, 16)
	s.press("PgUp", "PgUp", "PgUp", "PgUp", "PgUp", "PgUp", "Enter").at(machine.Number, 0, 0).shows("Enter answer")
	s.press("Enter").answered(form.Count(3))
}
