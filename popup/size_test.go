package popup

import (
	"slices"
	"strings"
	"testing"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/scene"
)

// On three rows, the fewest on which a form is read, the choice that Enter would take is on view also where
// there are several questions.
func TestThreeRowsShowTheChoice(t *testing.T) {
	t.Parallel()
	newStage(t, threeQuestions, nil, 40, 3).press("Down").shows("> 2. SQLite")
	newStage(t, threeQuestions, nil, 40, 3).press("Down", "Tab", "Tab", "Tab").shows("> Submit")
}

// What was typed makes a form larger where the host can resize the popup, with room for more.
func TestTypedMakesRoom(t *testing.T) {
	t.Parallel()
	f := &form.Form{Questions: []form.Question{{ID: "q", Label: "Q", Kind: form.Text, Open: true, Multiline: true, Prompt: "Why?"}}}
	m := machine.New(f, nil, true)
	rows := func() int {
		_, rows := wants(m, scene.Status{}, "", true, 100)
		return rows
	}
	untouched := rows()
	for i, lines := range []string{"one", "1\n2\n3\n4\n5\n6\n7\n8\n9"} {
		m.Handle(machine.Event{Action: machine.Type, Text: lines})
		if got := rows(); i == 0 && got != untouched || i == 1 && got != untouched+8 {
			t.Errorf("%q: %d rows, and untouched %d", lines, got, untouched)
		}
	}
}

// What is typed stays on view, with every key and where a notice takes its rows.
func TestTypedStaysOnView(t *testing.T) {
	t.Parallel()
	for _, height := range []int{4, 5, 6} {
		s := newStage(t, oneQuestion, nil, 18, height).press("4")
		for _, word := range []string{"one ", "two ", "three ", "four ", "five "} {
			s.press(word)
			s.shows(strings.TrimSpace(word))
		}
	}
	s := newStage(t, oneQuestion, nil, 62, 9).press("4", "eins")
	s.st.Notice = strings.Repeat("What you type is not being saved. ", 4)
	s.draw()
	s.shows("eins")
	s.press("PgUp")
	s.draw()
	s.hides("eins")
}

// All that was typed is on view where the text area breaks and measures it in its own way, and so is
// its cursor.
func TestTypedIsShownWhole(t *testing.T) {
	t.Parallel()
	for typed, last := range map[string]string{"fine 👍🏽 thanks": "thanks", "👋🏿👋🏿 hello": "hello", "a\tb\tc\td\te\tf\tg\th\ti\tj\tk\tl\tend": "end", "first ☃️☃️☃️☃️☃️☃️☃️☃️☃️☃️☃️☃️☃️☃️☃️ end": "end"} {
		s := newStage(t, oneQuestion, nil, 46, 20).press("4").paste(typed)
		s.shows("│ " + string([]rune(typed)[:1]))
		s.shows(last)
		s.points(typed)
	}
	for length := range 40 { // to behind a full row, where there is one alone
		typed := strings.Repeat("x", length)
		newStage(t, oneQuestion, nil, 30, 4).press("4").paste(typed).points(typed)
		newStage(t, twelveOptions, nil, 30, 20).press("/").paste(typed).points(typed)
	}
	newStage(t, oneQuestion, nil, 30, 4).press("4", "one", "Ctrl+J", "two", "Alt+b", "Alt+b").points("a word above")
	s := newStage(t, typedRm, nil, 40, 20).paste(strings.Repeat("word ", 40) + "end") // an entry that takes all the rows, less those of a notice
	s.st.Notice = strings.Repeat("What you type is not being saved. ", 3)
	s.draw()
	s.shows("end")
	s.points("the end of a tall entry")
}

// points checks that the cursor is on the screen.
func (s *stage) points(typed string) {
	s.Helper()
	if _, _, shown := s.screen.GetCursor(); !shown {
		s.Errorf("no cursor behind %q on\n%s", typed, s.text())
	}
}

// A notice moves nothing that can be pressed, whether it comes first or later.
func TestNoticeMovesNothing(t *testing.T) {
	t.Parallel()
	for _, request := range []string{permitted, planRequest, longQuestion, decisionForm} {
		for _, size := range []size{{20, 3}, {20, 4}, {24, 9}, {34, 14}, {40, 20}} {
			for _, first := range [][]string{nil, {"Down"}} {
				s := newStage(t, request, nil, size.width, size.height).press(first...)
				where := func() (all []int) {
					for _, h := range s.view.page.Hits {
						all = append(all, s.view.bodyTop+h.Row-s.view.top)
					}
					return all
				}
				before := where()
				s.st.Notice = strings.Repeat("What you type is not being saved. ", 3)
				if s.draw(); !slices.Equal(where(), before) {
					t.Errorf("%v after %v: it was at %v, and with a notice is at %v:\n%s", size, first, before, where(), s.text())
				}
			}
		}
	}
}

// On few columns no mark is cut off, and no reason has its number twice.
func TestNarrowRowsAreWhole(t *testing.T) {
	t.Parallel()
	s := newStage(t, decisionForm, nil, 24, 20)
	s.shows("[recommended] ✓")
	newStage(t, strings.Replace(threeQuestions, "Database", strings.Repeat("データ", 6), 1), nil, 24, 20).shows("…] ›")
	s = newStage(t, strings.Replace(threeQuestions, "Database", strings.Repeat("データ", 6)+" end", 1), nil, 34, 20).press("1", "1", "Enter", "x", "Enter")
	s.shows("end:")
	newStage(t, typedNumber, nil, 18, 20).shows("120")
	s.press("Ctrl+X")
	s.resize(20, 20)
	s.shows("> 1. explain more\n     first")
}
