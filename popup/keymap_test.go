package popup

import (
	"strings"
	"testing"

	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/popup/display"
	"github.com/askpane/askpane/popup/keymap"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/scene"
)

// They are shown while there is another form, and only then.
func TestTurnKeysAreShown(t *testing.T) {
	t.Parallel()
	s := newStage(t, oneQuestion, nil, 200, 24)
	s.hides("Ctrl+N")
	s.st.Others = 1
	s.draw()
	s.shows("1 more waiting, Ctrl+N")
	s.press("?")
	s.shows("Ctrl+B  ")
	s.shows("previous waiting")
}

// What the terminal keeps for itself is not promised: the other key for the same
// is, and the help has it too.
func TestKeptKeysAreNotShown(t *testing.T) {
	t.Parallel()
	s := newStage(t, oneQuestion, nil, 200, 24)
	s.view.pane, s.st.Others = &askingPane{}, 1
	s.draw()
	s.shows("1 more waiting, Ctrl+N")
	s.view.kept = keptKeys
	s.draw()
	s.shows("1 more waiting, F5")
	s.press("?")
	for _, key := range []string{"F3", "F4", "F5", "F6"} {
		s.shows(key)
	}
	s.hides("Ctrl+P")
}

// everything is a view of f in which all that a view may have is there.
func everything(f *form.Form) *view {
	v := newView(machine.New(f, nil, true), display.ThemeOf("mono", nil))
	v.pane, v.back, v.opens, v.serves, v.st = &askingPane{}, true, true, true, scene.Status{Others: 1}
	return v
}

// shownKeys are the keys that a hint names.
func shownKeys(sign string) []string {
	names := map[string]string{}
	for _, k := range []string{"Up", "Down", "Left", "Right", "Shift+Tab"} {
		names[keymap.Text([]string{k})] = k
	}
	var keys []string
	for one := range strings.SplitSeq(sign, "/") {
		first, last, isRange := strings.Cut(one, "–")
		switch runes := []rune(one); {
		case one == "":
			keys = append(keys, "/")
		case isRange:
			before := first[:len(first)-1] // as in Alt+1–4
			keys = append(keys, first, before+last)
		case names[one] != "":
			keys = append(keys, names[one])
		case len(runes) == 2 && names[string(runes[0])] != "":
			keys = append(keys, names[string(runes[0])], names[string(runes[1])])
		default:
			keys = append(keys, one)
		}
	}
	return keys
}

// Alt and a digit go to a question, whatever there is to choose from.
func TestAltDigitsCountQuestions(t *testing.T) {
	t.Parallel()
	newStage(t, typedForm, nil, 200, 24).press("?").shows("Alt+1–4")
	newStage(t, typedDanger, nil, 200, 24).shows("Alt+1–2 question · ")
}

// A line break that an entry cannot hold is no line break in it.
func TestOneLineEntriesStayOneLine(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]*stage{
		"danger": newStage(t, typedDanger, nil, 62, 16),
		"number": newStage(t, typedForm, nil, 62, 16).press("]", "]", "]", "Enter", "Backspace"),
		"filter": newStage(t, twelveOptions, nil, 62, 16).press("/"),
	} {
		s.press("1", "Alt+Enter", "Shift+Enter", "Ctrl+J").paste("2\n3")
		if got := s.m.Buffer(); got != "12 3" {
			t.Errorf("%s holds %q", name, got)
		}
	}
}

// A dialect that was added without keys of its own has forms that work by the usual
// ones: from wherever the keys that are shown lead, Esc leaves the form in the end,
// and every question can be answered.
func TestUsualKeys(t *testing.T) {
	t.Parallel()
	for i, f := range newForms() {
		walk(t, f, func(m *machine.Machine, keys keymap.Form) {
			at := *m
			for presses := 0; at.Mode() != machine.Over; presses++ {
				if presses > 5 {
					t.Fatalf("form %d, %s: Esc does not leave it", i, m.Mode())
				}
				e, _ := keys.Event(&at, "Esc") // in the help, any key goes back
				if at.Mode() == machine.Help {
					e = machine.Event{Action: machine.Back}
				}
				at.Handle(e)
			}
			if r, _ := at.Result(); m.Mode() != machine.Over && r.Outcome != form.Cancelled {
				t.Fatalf("form %d, %s: Esc ends it as %s", i, m.Mode(), r.Outcome)
			}
		})
	}
}

// In a form of every dialect that there is, Esc leads out.
func TestEscLeavesEveryDialect(t *testing.T) {
	t.Parallel()
	dialects := map[string]bool{}
	for _, f := range everyForm(t) {
		dialects[f.Dialect] = true
		s := stageOf(t, f)
		for range 3 {
			s.press("Esc")
		}
		if r, over := s.m.Result(); !over || r.Outcome != form.Cancelled {
			t.Errorf("%s: Esc leads to %s, %+v:\n%s", f.Dialect, s.m.Mode(), r, s.text())
		}
	}
	for _, name := range dialect.Names() { // those with the usual keys are as newForms are
		if !dialects[name] && keymap.Of(&form.Form{Dialect: name}) != keymap.Of(&form.Form{}) {
			t.Errorf("there is no request of %s here (requests_test.go)", name)
		}
	}
}
