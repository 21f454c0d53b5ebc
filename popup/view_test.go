package popup

import (
	"slices"
	"strings"
	"testing"

	"github.com/rivo/tview"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/popup/machine"
)

func TestKeysAnswer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		keys []string
		want form.Answer
	}{
		{"arrows and Enter", []string{"Down", "Down", "Up", "Enter"}, form.Choose(1)},
		{"a digit", []string{"3"}, form.Choose(2)},
		{"Home and End", []string{"End", "Home", "Enter"}, form.Choose(0)},
		{"gg and G", []string{"G", "g", "g", "j", "Enter"}, form.Choose(1)},
		{"a command of vim chooses nothing", []string{":", "q", "Enter", "j", ":", "2", "Esc", "Enter"}, form.Choose(1)},
		{"typed", []string{"End", "Enter", "my own", "Enter"}, form.Type("my own")},
		{"digits in an entry are text", []string{"4", "12", "Enter"}, form.Type("12")},
		{"arrows in an entry move in it", []string{"4", "bc", "Home", "a", "Enter"}, form.Type("abc")},
		{"Backspace", []string{"4", "abx", "Backspace", "Enter"}, form.Type("ab")},
		{"Ctrl+J", []string{"4", "a", "Ctrl+J", "b", "Enter"}, form.Type("a\nb")},
		{"Alt+Enter", []string{"4", "a", "Alt+Enter", "b", "Enter"}, form.Type("a\nb")},
		{"Shift+Enter", []string{"4", "a", "Shift+Enter", "b", "Enter"}, form.Type("a\nb")},
		{"wide signs", []string{"4", "日本語 é 👍", "Enter"}, form.Type("日本語 é 👍")},
		{"Esc keeps the text", []string{"4", "half", "Esc", "Enter", " whole", "Enter"}, form.Type("half whole")},
		{"blank is refused, then typed", []string{"4", " ", "Enter", "x", "Enter"}, form.Type(" x")},
		{"Ctrl+C is no answer and no cancel", []string{"Ctrl+C", "1"}, form.Choose(0)},
		{"a digit too high", []string{"7", "2"}, form.Choose(1)},
	} {
		t.Run(c.name, func(t *testing.T) {
			newStage(t, oneQuestion, nil, 80, 24).press(c.keys...).answered(c.want)
		})
	}
}

func TestCtrlCSaysWhatItDoes(t *testing.T) {
	t.Parallel()
	s := newStage(t, oneQuestion, nil, 80, 24).press("Ctrl+C")
	s.shows("Ctrl+C does nothing here. Esc cancels the question.")
	s.press("Down")
	s.hides("Ctrl+C does nothing")
}

func TestSeveralWithAChangeOnReview(t *testing.T) {
	t.Parallel()
	s := newStage(t, threeQuestions, nil, 62, 16)
	s.press("Tab").at(machine.List, 1, 0).press("Shift+Tab").at(machine.List, 0, 0)
	s.press("Right").at(machine.List, 1, 0).press("Left", "1", "2", "Enter", "shop", "Enter").at(machine.Review, 3, 3)
	s.shows("Database: PostgreSQL")
	s.press("1").at(machine.List, 0, 0).press("Down", "Enter").at(machine.Review, 3, 3)
	s.shows("Database: SQLite")
	s.press("Enter").answered(form.Choose(1), form.Choose(1), form.Type("shop"))
}

func TestMouse(t *testing.T) {
	t.Parallel()
	t.Run("chooses", func(t *testing.T) {
		newStage(t, oneQuestion, nil, 62, 16).mouse(tview.MouseLeftClick, "SQLite").answered(form.Choose(1))
	})
	t.Run("on the description", func(t *testing.T) {
		newStage(t, oneQuestion, nil, 62, 16).mouse(tview.MouseLeftClick, "The team").answered(form.Choose(0))
	})
	t.Run("on a row that wraps", func(t *testing.T) {
		newStage(t, oneQuestion, nil, 34, 7).mouse(tview.MouseLeftClick, "server").answered(form.Choose(0))
	})
	t.Run("opens the entry", func(t *testing.T) {
		newStage(t, oneQuestion, nil, 62, 16).mouse(tview.MouseLeftClick, "Something").at(machine.Entry, 0, 3)
	})
	t.Run("beside the choices does nothing", func(t *testing.T) {
		s := newStage(t, oneQuestion, nil, 62, 16)
		for _, text := range []string{"Which database", "claude", "move"} {
			s.mouse(tview.MouseLeftClick, text).at(machine.List, 0, 0)
		}
		s.mouse(tview.MouseLeftDown, "SQLite").mouse(tview.MouseMove, "DuckDB").at(machine.List, 0, 0)
	})
	t.Run("from the entry to an option", func(t *testing.T) {
		s := newStage(t, oneQuestion, nil, 62, 16).press("4", "half")
		s.mouse(tview.MouseLeftClick, "DuckDB").answered(form.Choose(2))
		if s.m.EntryText(0) != "half" {
			t.Errorf("the text is now %q", s.m.EntryText(0))
		}
	})
	t.Run("tabs", func(t *testing.T) {
		s := newStage(t, threeQuestions, nil, 62, 16)
		s.mouse(tview.MouseLeftClick, "Cache").at(machine.List, 1, 0)
		s.mouse(tview.MouseLeftClick, "Review").at(machine.Review, 3, 3)
		s.mouse(tview.MouseLeftClick, "Database").at(machine.List, 0, 0)
	})
	t.Run("keys in the footer", func(t *testing.T) {
		s := newStage(t, `{"questions":[{"id":"s","type":"checkbox","required":true,"allowOther":false,"prompt":"Which?","options":[{"value":"a","label":"api"},{"value":"w","label":"web"}]}]}`, nil, 62, 16)
		s.mouse(tview.MouseLeftClick, "web").mouse(tview.MouseLeftClick, "done").answered(form.Choose(1))
		s = newStage(t, oneQuestion, nil, 62, 16).mouse(tview.MouseLeftClick, "help").at(machine.Help, 0, 0)
		s.mouse(tview.MouseLeftClick, "any key closes").at(machine.List, 0, 0)
		s.mouse(tview.MouseLeftClick, "Something").mouse(tview.MouseLeftClick, "back").at(machine.List, 0, 3)
		s.mouse(tview.MouseLeftClick, "Esc").at(machine.Over, 0, 3)
	})
	t.Run("review", func(t *testing.T) {
		s := newStage(t, threeQuestions, nil, 62, 16).press("1", "1", "Enter", "x", "Enter")
		s.mouse(tview.MouseLeftClick, "Cache: Redis").at(machine.List, 1, 0).press("2")
		s.mouse(tview.MouseLeftClick, "Submit").answered(form.Choose(0), form.Choose(1), form.Type("x"))
	})
	t.Run("after scrolling", func(t *testing.T) {
		s := newStage(t, longQuestion, nil, 62, 16).mouse(tview.MouseScrollDown, "claude")
		for range 10 {
			s.mouse(tview.MouseScrollDown, "claude")
		}
		s.hides("The migration")
		s.mouse(tview.MouseLeftClick, "8. Ask again").answered(form.Choose(7))
	})
}

func TestWheelScrollsAndStops(t *testing.T) {
	t.Parallel()
	s := newStage(t, longQuestion, nil, 34, 7).press(slices.Repeat([]string{"PgUp"}, 9)...)
	top := s.text()
	s.mouse(tview.MouseScrollUp, "claude")
	if s.text() != top {
		t.Error("the wheel went above the top")
	}
	for range 100 {
		s.mouse(tview.MouseScrollDown, "claude")
	}
	s.shows("10. Something else…")
	bottom := s.text()
	s.mouse(tview.MouseScrollUp, "claude")
	if s.text() == bottom {
		t.Error("one turn back does not move")
	}
}

// However long a prompt is and however small the popup, an option is in view at
// once; where it is not any more, it is not chosen by Enter.
func TestNobodyChoosesBlindly(t *testing.T) {
	t.Parallel()
	s := newStage(t, longQuestion, nil, 34, 7)
	s.shows("How shall it run?")
	s.shows("> 1. At night")
	s.press("PgUp", "PgUp").hides("> 1.")
	s.press("Enter").at(machine.List, 0, 0)
	s.shows("> 1. At night")
	for _, size := range []size{{20, 6}, {40, 12}} {
		s = newStage(t, longQuestion, nil, size.width, size.height)
		s.shows("> 1. At night")
		s.press("1").answered(form.Choose(0))
	}
}

func TestPaste(t *testing.T) {
	t.Parallel()
	s := newStage(t, oneQuestion, nil, 62, 16).paste("2\n").at(machine.List, 0, 0)
	s.shows("To answer with the pasted text, choose “Something else…” first")
	s.press("4").paste("one\r\ntwo\rthree\tx\x1b[31m\x00\x7f")
	if got := s.m.EntryText(0); got != "one\ntwo\nthree\tx[31m" {
		t.Errorf("pasted %q", got)
	}
	s.at(machine.Entry, 0, 3)
	s.press("Enter").answered(form.Type("one\ntwo\nthree\tx[31m"))
	s.paste("more") // the form is over
}

// Where there is room for all that was typed, all of it is on view.
func TestEntryShowsAllOfItsText(t *testing.T) {
	t.Parallel()
	s := newStage(t, oneQuestion, nil, 62, 20).press("4", "first row", "Ctrl+J", "second row")
	s.shows("│ first row")
	s.shows("│ second row")
	s = newStage(t, oneQuestion, nil, 62, 20).press("4").paste("first row\nsecond row\nthird row")
	s.shows("│ first row")
	s.shows("│ third row")
	s = newStage(t, oneQuestion, nil, 62, 20).press("4", strings.Repeat("word ", 15))
	if got := strings.Count(s.text(), "word"); got != 15 {
		t.Errorf("%d of 15 words are on view:\n%s", got, s.text())
	}
}

func TestResizeKeepsThePlace(t *testing.T) {
	t.Parallel()
	s := newStage(t, longQuestion, nil, 120, 40).press("Down", "Down", "Down", "Down")
	for _, size := range sizes {
		s.resize(size.width, size.height)
		s.at(machine.List, 0, 4)
	}
	s.resize(34, 7)
	if !strings.Contains(s.text(), "> 5. On a copy") {
		t.Errorf("the cursor is lost:\n%s", s.text())
	}
}

func TestDraftOnScreen(t *testing.T) {
	t.Parallel()
	s := newStage(t, threeQuestions, nil, 62, 16).press("2", "3", "half an ans")
	d := s.m.Draft()
	again := newStage(t, threeQuestions, &d, 62, 16)
	again.at(machine.Entry, 1, 2)
	if again.text() != s.text() {
		t.Errorf("from the draft it is\n%s\nand was\n%s", again.text(), s.text())
	}
	again.press("wer", "Enter", "Shift+Tab").shows("✎ half an answer")
}

// What stands beside the ✓ is what the agent would get.
func TestShownIsAnswered(t *testing.T) {
	t.Parallel()
	s := newStage(t, threeQuestions, nil, 62, 16).press("3", "accepted", "Enter", "Shift+Tab", "Enter", " and edited", "Esc")
	got := *s.m.Answer(0).Text
	if strings.Contains(s.text(), "Something else… ✓") && !strings.Contains(s.text(), "✎ "+got+"\n") {
		t.Errorf("the answer is %q, and what is ticked is another text:\n%s", got, s.text())
	}
}

// What nobody can read nobody answers; and when there is room again all is as it was.
func TestTooSmallToAnswer(t *testing.T) {
	t.Parallel()
	s := newStage(t, oneQuestion, nil, 80, 24)
	for _, size := range [][2]int{{leastWidth - 1, 24}, {80, leastHeight - 1}} {
		s.resize(size[0], size[1])
		s.shows("too small")
		s.press("Enter", "1", "Esc")
		if s.m.Mode() != machine.List {
			t.Fatalf("at %v a key that nobody could see the effect of did something: %s", size, s.m.Mode())
		}
	}
	s.resize(leastWidth, leastHeight)
	s.hides("too small")
	s.press("1")
	if s.m.Mode() != machine.Over {
		t.Errorf("with room again, 1 answers nothing: %s", s.m.Mode())
	}
}

// What does not fit of how it stands with a form is cut at its end.
func TestStandingOnASmallTerminal(t *testing.T) {
	t.Parallel()
	s := newStage(t, oneQuestion, nil, 20, 10)
	s.st.Gone, s.st.Guarded, s.st.Others = true, true, 12
	s.draw()
	s.shows("agent gone · held")
}

// A form that is too small to be read asks for its size whenever it gets another: the host
// may have heard of it last when the terminal was smaller.
func TestTooSmallAsksForMore(t *testing.T) {
	t.Parallel()
	s := newStage(t, oneQuestion, nil, 80, 24)
	for i, size := range [][2]int{{20, 5}, {14, 2}, {12, 2}} {
		s.resize(size[0], size[1])
		asked := slices.DeleteFunc(slices.Clone(s.asked), func(what string) bool { return what != "its size" })
		if len(asked) != i+1 {
			t.Fatalf("at %v it has asked %d times", size, len(asked))
		}
	}
}
