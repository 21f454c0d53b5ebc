package tests

import (
	"fmt"
	"strings"
	"testing"

	"github.com/askpane/askpane/bridge/text/cells"
)

// box is how many columns and rows the popup on a screen has, with its border.
func box(screen string) (columns, rows int) {
	for line := range strings.Lines(screen) {
		first, last := strings.IndexAny(line, "╭┌╰└│"), strings.LastIndexAny(line, "╮┐╯┘│")
		if first >= 0 && last > first {
			columns, rows = max(columns, cells.Width(line[first:last])+1), rows+1
		}
	}
	return columns, rows
}

// manyLines is a question with a prompt of so many short lines.
func manyLines(n int) string {
	return fmt.Sprintf(`{"questions":[{"id":"q","label":"Lines","prompt":"The last one\n%s","options":[{"value":"a","label":"Go on"}]}]}`, strings.Repeat(`line\n`, n))
}

// sized are forms, and what their popup may be on a terminal of 120 by 40.
var sized = []struct {
	name, request            string
	columns, atLeast, atMost int
}{
	{"yes or no", `{"questions":[{"id":"q","prompt":"Deploy?","options":[{"value":"y","label":"Yes"},{"value":"n","label":"No"}]}]}`, 76, 8, 12},
	{"long", manyLines(14), 76, 19, 26},
	{"longer than there is room", manyLines(60), 76, 35, 36},
}

// A popup is as large as its form, and at most as large as the settings say.
func TestTmuxSizedPopup(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 120, 40)
	for _, c := range sized {
		a := s.ask("main", c.request)
		v.see(" asks")
		columns, rows := box(v.screen())
		if columns != c.columns || rows < c.atLeast || rows > c.atMost {
			t.Errorf("%s: %d columns and %d rows, want %d and %d to %d\n%s", c.name, columns, rows, c.columns, c.atLeast, c.atMost, v.screen())
		}
		v.press("\x1b")
		a.ends("cancelled", 3, "User cancelled")
		v.unsee(" asks")
	}
}

// several is a form of two questions, of which the second needs more rows.
var several = fmt.Sprintf(`{"questions":[{"id":"a","prompt":"Short?","options":[{"value":"y","label":"Yes"}]},
	{"id":"b","prompt":"Long?\n%s","options":[{"value":"y","label":"Yes"}]}]}`, strings.Repeat(`line\n`, 12))

// grows goes from one question to the other and back: the popup is as tall as each.
func grows(t *testing.T, v *terminal) {
	t.Helper()
	rows := func(question string, fits func(rows int) bool) {
		t.Helper()
		v.until("is as tall as its question", func(screen string) bool {
			_, rows := box(screen)
			return strings.Contains(screen, question) && strings.ContainsAny(screen, "╯┘") && fits(rows)
		})
	}
	short, long := func(n int) bool { return n > 6 && n < 14 }, func(n int) bool { return n > 18 }
	rows("Short?", short)
	v.press(tab)
	rows("Long?", long)
	v.press(shiftTab)
	rows("Short?", short)
}

func TestRunGrows(t *testing.T) {
	t.Parallel()
	p, a := newRun(t, 100, 30, several, `$ASK`)
	grows(t, p.v)
	p.v.press(esc)
	a.ends("cancelled", 3, "User cancelled")
}

func TestTmuxModalGrowsWithTheQuestion(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	if !s.modal() {
		t.Skip("this tmux has no modal panes, and a display-popup cannot be resized")
	}
	v := s.attach("main", 100, 30)
	a := s.ask("main", several)
	grows(t, v)
	v.press(esc)
	a.ends("cancelled", 3, "User cancelled")
}

// A form of twelve that follows a yes or no in a popup has the room of a popup of its own, and
// nothing that is pressed is lost between them.
func TestTmuxNextHasRoom(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 120, 40)
	small := s.ask("main", sized[0].request)
	v.see("Deploy?")
	_, before := box(v.screen())
	large := s.askWith([]string{unguarded}, "main", months)
	v.see("1 more waiting")
	v.press("y")
	small.answered("Q1: user selected: 1. Yes")
	v.until("shows all twelve", func(screen string) bool {
		_, rows := box(screen)
		return strings.Contains(screen, "12. December") && strings.Contains(screen, "Something else") && rows > before
	})
	v.press("9")
	large.answered("Q1: user selected: 9. September")
}

func TestZellijGrows(t *testing.T) {
	t.Parallel()
	s := newZellij(t, 120, 40)
	a := s.askWith([]string{unguarded}, several)
	s.see("Short?")
	short := strings.Count(s.screen(), "│")
	s.press(tab)
	s.until("is taller", func(screen string) bool {
		return strings.Contains(screen, "Long?") && strings.Count(screen, "│") > short+10
	})
	s.press(esc)
	a.ends("cancelled", 3, "User cancelled")
}
