package popup

import (
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/popup/display"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/preview/styled"
	"github.com/askpane/askpane/tests/needs"
)

// One form of each kind in each dialect, and what can lie over it.
func TestDialectScreens(t *testing.T) {
	needs.Unraced(t)
	t.Parallel()
	for _, c := range []screen{
		{name: "typed-one-preview", request: typedForm, act: untouched, also: []size{large}, marked: true},
		{name: "typed-preview-markdown", request: typedForm, act: keys("Down")},
		{name: "typed-preview-expanded", request: typedForm, act: keys("e"), also: []size{large}},
		{name: "typed-one-chosen", request: typedForm, act: keys("2", "["), says: []string{"[■ Store]", "> 2. SQLite ✓"}},
		{name: "typed-one-other", request: typedForm, act: keys("3", "MariaDB", "Enter", "[")},
		{name: "typed-many", request: typedForm, act: keys("1", "Space", "3", "Docs", "Enter", "Down")},
		{name: "typed-confirm", request: typedForm, act: keys("]", "]"), says: []string{"> 1. Affirm", "2. Decline"}},
		{name: "typed-number", request: typedForm, act: keys("]", "]", "]", "Up")},
		{name: "typed-number-refused", request: typedForm, act: keys("]", "]", "]", "Enter", "0", "Enter"), says: []string{"The answer is 40, above max 8.", "from 1 to 8"}},
		{name: "typed-text", request: typedText, act: untouched, says: []string{"> just type", "Enter type · Esc cancel"}},
		{name: "typed-text-open", request: typedText, act: keys("Enter")},
		{name: "typed-note", request: typedForm, act: keys("n", "mind the licence")},
		{name: "typed-note-kept", request: typedForm, act: keys("n", "mind the licence", "Tab")},
		{name: "typed-review", request: typedForm, act: keys("n", "why?", "Tab", "2", "1", "Down", "Down", "Down", "Enter", "0"), marked: true},
		{name: "typed-review-missing", request: typedForm, act: keys("2", "0", "Enter")},
		{name: "typed-danger", request: typedDanger, act: untouched, marked: true},
		{name: "typed-danger-blank", request: typedDanger, act: keys(" ", "Enter"), says: []string{"Nothing is typed yet.", "⚠  DESTRUCTIVE — Drop shop", "Enter confirm"}},
		{name: "typed-danger-back", request: typedDanger, act: keys("shop", "Enter", "[")},
		{name: "typed-help", request: typedForm, act: keys("?"), also: []size{large}},
		{name: "plain-many", request: plainForm, act: keys("Down", "Space"), says: []string{"☑ Web"}},
		{name: "setup-radio", request: setupForm, act: untouched},
		{name: "setup-checkbox", request: setupForm, act: keys("Enter", "Space", "Down")},
		{name: "setup-text", request: setupForm, act: keys("Tab", "Tab", "shop", "Shift+Enter", "api"), says: []string{"│ shop", "│ api", "Enter answer · Esc cancel · Tab/⇧Tab question · F1 help"}},
		{name: "setup-text-blank", request: setupText, act: keys("Enter"), says: []string{"Nothing is typed yet."}},
		{name: "setup-review", request: setupForm, act: keys("Enter", "Enter", "Tab")},
		{name: "setup-review-missing", request: setupForm, act: keys("Tab", "Tab", "Tab", "Enter"), says: []string{"> 3. Name: not answered yet", "Parts: not answered", "Submit  (1 not answered yet)", "Not answered yet: Name"}},
		{name: "decision-one", request: decisionForm, act: untouched, marked: true},
		{name: "decision-unanswered", request: decisionForm, act: keys("u")},
		{name: "decision-many", request: decisionForm, act: keys("Tab", "Down", "Space")},
		{name: "decision-text", request: decisionForm, act: keys("Tab", "Tab", "because", "Ctrl+J", "it is late")},
		{name: "decision-comment-option", request: decisionForm, act: keys("n", "who runs it?")},
		{name: "decision-comment-question", request: decisionForm, act: keys("c", "not now", "Enter"), says: []string{"comment: not now"}},
		{name: "decision-review", request: decisionForm, act: keys("n", "who runs it?", "Enter", "c", "not now", "Enter", "Tab", "Tab", "Tab", "c", "ask me tomorrow", "Enter"), also: []size{large}},
		{name: "decision-help", request: decisionForm, act: keys("?"), says: []string{"u  unanswered"}},
		{name: "filter", request: twelveOptions, act: keys("/", "1")},
		{name: "filter-nothing", request: twelveOptions, act: keys("/", "zzz", "Enter", "Enter")},
		{name: "decline", request: decisionForm, act: keys("Ctrl+X", "Down"), also: []size{small}, marked: true},
		{name: "decline-own-reason", request: buttonsRow, act: keys("Ctrl+X", "4", "too early")},
		{name: "buttons", request: buttonsRow, act: func(s *stage) { s.st.Deadline, s.st.Left = &time.Time{}, 9*time.Minute+5*time.Second }, also: []size{large}, marked: true},
		{name: "buttons-other", request: buttonsRow, act: keys("3", "on Monday")},
		{name: "buttons-many", request: buttonsMany, act: keys("1", "Right", "Right", "Space"), says: []string{"[ ☑ eu ]  [ ☐ us ]  > ☑ asia", "Enter done"}},
		{name: "buttons-four", request: buttonsDropdown, act: keys("Down"), marked: true},
		{name: "expired", request: buttonsRow, act: func(s *stage) {
			s.m.Handle(machine.Event{Action: machine.End})
			s.st.Ended, s.st.Notice = &form.Result{Outcome: form.Timeout}, "Expired: the deadline passed."
		}, marked: true},
	} {
		c.hold(t, ofSize)
	}
}

// A theme changes colours and nothing else, uses its own alone, and has something
// stand out without them too. What is grey, dim or bold in all of them comes from the
// golden screens.
func TestThemes(t *testing.T) {
	t.Parallel()
	for _, request := range []string{oneQuestion, threeQuestions, typedDanger, setupForm, twelveOptions, buttonsRow} {
		want := newStage(t, request, nil, 62, 16).press("Down").text()
		for _, name := range []string{"auto", "dark", "light", "high-contrast", "mono"} {
			s := newStage(t, request, nil, 62, 16).press("Down")
			th := display.ThemeOf(name, nil)
			s.view.theme = th
			s.draw()
			if s.text() != want {
				t.Errorf("theme %s changes the text:\n%s\nwas\n%s", name, s.text(), want)
			}
			own := map[tcell.Color]bool{}
			for _, style := range []tcell.Style{th[styled.Text], th[styled.Strong], th[styled.Dim], th[styled.Accent], th[styled.Cursor], th[styled.Done], th[styled.Warn], th[styled.Danger]} {
				fg, _, _ := style.Decompose()
				own[fg] = true
			}
			coloured, marked := 0, false
			for y := range 16 {
				for x := range 62 {
					_, style, _ := s.screen.Get(x, y)
					fg, bg, attributes := style.Decompose()
					marked = marked || attributes != 0
					if !own[fg] || bg != tcell.ColorDefault {
						t.Fatalf("theme %s: %v on %v at %d,%d", name, fg, bg, x, y)
					}
					if fg != tcell.ColorDefault {
						coloured++
					}
				}
			}
			if plain := name == "mono" || name == "high-contrast"; plain != (coloured == 0) {
				t.Errorf("theme %s: %d cells have a colour", name, coloured)
			}
			if !marked {
				t.Errorf("theme %s: nothing stands out at all", name)
			}
		}
	}
}
