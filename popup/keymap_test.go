package popup

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/popup/display"
	"github.com/askpane/askpane/popup/keymap"
	"github.com/askpane/askpane/popup/layout"
	"github.com/askpane/askpane/popup/machine"
)

// walk goes through a form by random keys of its own table, the same at each
// run, and calls at wherever it comes by.
func walk(t *testing.T, f form.Form, at func(m *machine.Machine, keys keymap.Form)) {
	t.Helper()
	random := rand.New(rand.NewPCG(5, 4))
	keys := keymap.Of(&f).Keys
	typedElsewhere := machine.Draft{Beside: map[int]map[string]string{}}
	for i := range f.Questions {
		typedElsewhere.Beside[i] = map[string]string{"page": "another"}
	}
	for round := range 40 {
		m := machine.New(&f, nil, true)
		if round >= 30 {
			m = machine.New(&f, &typedElsewhere, true)
		}
		for range 60 {
			at(m, keys)
			var names []string
			for _, b := range keys {
				if b.Applies(m) {
					names = append(names, b.Keys...)
				}
			}
			switch {
			case m.Mode() == machine.Help:
				m.Handle(machine.Event{Action: machine.Back})
			case len(names) == 0 || m.Typing() && random.IntN(3) == 0:
				m.Handle(machine.Event{Action: machine.Type, Text: []string{"", "x", "3"}[random.IntN(3)]})
			default:
				e, bound := keys.Event(m, names[random.IntN(len(names))])
				if bound && (e.Action != machine.Cancel || m.Mode() == machine.Closed || random.IntN(4) == 0) {
					m.Handle(e)
				}
			}
		}
	}
}

// A key that two rows bind in one place would do what the first says while the
// footer promises the second too. The keys of the view and the new line keys go
// before the table's.
func TestNoKeyIsBoundTwice(t *testing.T) {
	t.Parallel()
	for _, f := range everyForm(t) {
		v := everything(&f)
		walk(t, f, func(m *machine.Machine, keys keymap.Form) {
			v.m = m
			bound := map[string]string{}
			if m.SeveralLines() {
				for _, k := range []string{"Shift+Enter", "Alt+Enter", "Ctrl+J"} {
					if !keymap.NewLine(k) {
						t.Fatalf("%s is no new line", k)
					}
					bound[k] = "new line"
				}
			}
			bind := func(row string, names []string) {
				for _, k := range names {
					if first, twice := bound[k]; twice {
						t.Errorf("%s, %s: %q and %q both bind %s", m.Form().Dialect, m.Mode(), first, row, k)
					}
					bound[k] = row
				}
			}
			for _, r := range viewKeys {
				if r.Do != nil && r.When(v) {
					bind(r.Help, r.Keys)
				}
			}
			for i, b := range keys {
				if b.Applies(m) {
					bind(fmt.Sprintf("row %d, %s", i, b.Help), b.Keys)
				}
			}
		})
	}
}

// The keys that go to another form do so wherever the form still takes
// something, whatever has the focus.
func TestTurnKeysWorkEverywhere(t *testing.T) {
	t.Parallel()
	for _, f := range everyForm(t) {
		s := newStage(t, oneQuestion, nil, 62, 16)
		var turns []int
		s.view.send = func(e event) {
			if e, ok := e.(otherWanted); ok {
				turns = append(turns, e.step)
			}
		}
		walk(t, f, func(m *machine.Machine, _ keymap.Form) {
			if m.Mode() == machine.Over {
				return
			}
			at := *m
			s.view.m, turns = &at, nil
			s.view.key(keysByName["Ctrl+N"])
			s.view.key(keysByName["Ctrl+B"])
			if len(turns) != 2 || turns[0] != 1 || turns[1] != -1 {
				t.Fatalf("%s, %s: Ctrl+N and Ctrl+B do %v", m.Form().Dialect, m.Mode(), turns)
			}
		})
	}
}

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
	kept := strings.Fields("Ctrl+G Ctrl+P Ctrl+O Ctrl+N Ctrl+B")
	s := newStage(t, oneQuestion, nil, 200, 24)
	s.view.pane, s.st.Others = &askingPane{}, 1
	s.draw()
	s.shows("1 more waiting, Ctrl+N")
	s.view.kept = kept
	s.draw()
	s.shows("1 more waiting, F5")
	s.press("?")
	for _, key := range []string{"F3", "F4", "F5", "F6"} {
		s.shows(key)
	}
	s.hides("Ctrl+P")
	for _, f := range everyForm(t) {
		v := everything(&f)
		v.kept = kept
		walk(t, f, func(m *machine.Machine, keys keymap.Form) {
			v.m = m
			for _, h := range v.hints() {
				for _, k := range shownKeys(strings.ReplaceAll(h.Keys, "//", "/")) {
					if slices.Contains(kept, k) {
						t.Errorf("%s, %s: %s for %q, which the terminal keeps", m.Form().Dialect, m.Mode(), k, h.Help)
					}
				}
			}
		})
	}
}

// In an entry, what can be typed is text, the new line keys are its own, and so
// is what moves in it, but in a number, which has one line.
func TestEntryKeysAreNoText(t *testing.T) {
	t.Parallel()
	for _, f := range everyForm(t) {
		walk(t, f, func(m *machine.Machine, keys keymap.Form) {
			if !m.Typing() {
				return
			}
			moves := []string{"Left", "Right", "Home", "End", "Backspace", "Delete"}
			if m.SeveralLines() {
				moves = append(moves, "Up", "Down")
			}
			for i, b := range keys {
				for _, k := range b.Keys {
					if b.Applies(m) && (len([]rune(k)) == 1 || k == "Space" || slices.Contains(moves, k)) {
						t.Errorf("%s: row %d takes %s away from the text of %s", m.Form().Dialect, i, k, m.Mode())
					}
				}
			}
		})
	}
}

// A row that no form of its dialect ever comes to is a promise to nobody; of those
// that every dialect has, it is enough that one comes to it.
func TestEveryRowIsReached(t *testing.T) {
	t.Parallel()
	reached, anywhere, tables := map[string]bool{}, map[string]bool{}, map[string]keymap.Form{}
	name := func(mode machine.Mode, b keymap.Binding) string {
		return fmt.Sprintf("%s %v, %q", mode, b.Keys, b.Help)
	}
	for _, f := range everyForm(t) {
		walk(t, f, func(m *machine.Machine, keys keymap.Form) {
			tables[f.Dialect+f.Shape] = keys
			for i, b := range keys {
				if b.Applies(m) {
					reached[fmt.Sprintf("%s %d %s", f.Dialect+f.Shape, i, m.Mode())], anywhere[name(m.Mode(), b)] = true, true
				}
			}
		})
	}
	in := map[string]int{}
	for _, keys := range tables {
		for _, b := range keys {
			for _, mode := range b.Modes {
				in[name(mode, b)]++
			}
		}
	}
	for dialect, keys := range tables {
		for i, b := range keys {
			for _, mode := range b.Modes {
				row := name(mode, b)
				if !anywhere[row] || in[row] < len(tables) && dialect != "question" && !reached[fmt.Sprintf("%s %d %s", dialect, i, mode)] {
					t.Errorf("%s: row %d (%s) is never reached", dialect, i, row)
				}
			}
		}
	}
}

// everything is a view of f in which all that a view may have is there.
func everything(f *form.Form) *view {
	v := newView(machine.New(f, nil, true), display.ThemeOf("mono"))
	v.pane, v.back, v.opens, v.st = &askingPane{}, true, true, layout.Status{Others: 1}
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

// The footer and the help say nothing that is not bound, and everything that
// has a name and is.
func TestFooterIsTheTable(t *testing.T) {
	t.Parallel()
	for _, f := range everyForm(t) {
		v := everything(&f)
		walk(t, f, func(m *machine.Machine, keys keymap.Form) {
			if m.Mode() == machine.Help || m.Mode() == machine.Over {
				return
			}
			v.m = m
			row := keymap.Footer(v.hints(), 400)
			for _, b := range keys {
				help := b.Help
				if help == "cancel" { // where there is a list to go back to, as here
					help = "back to the list"
				}
				if b.Applies(m) && !b.Quiet && !strings.Contains(row, help) {
					t.Errorf("%s, %s: no %q in %q", m.Form().Dialect, m.Mode(), help, row)
				}
			}
			for part := range strings.SplitSeq(row, " · ") {
				sign, help, ok := strings.Cut(part, " ")
				if !ok || help == "" {
					t.Errorf("%s, %s: %q says no key and what it does", m.Form().Dialect, m.Mode(), part)
				}
				for _, k := range shownKeys(strings.ReplaceAll(sign, "//", "/")) {
					_, bound := keys.Event(m, k)
					for _, r := range viewKeys {
						bound = bound || r.Do != nil && slices.Contains(r.Keys, k) && r.When(v)
					}
					if !bound && !(keymap.NewLine(k) && m.SeveralLines()) {
						t.Errorf("the footer of %s, %s says %q, and %s is not bound", m.Form().Dialect, m.Mode(), part, k)
					}
				}
			}
		})
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
	for _, name := range dialect.Names() {
		if !dialects[name] {
			t.Errorf("there is no request of %s here (requests_test.go)", name)
		}
	}
}
