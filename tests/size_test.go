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
	{"longer than there is room", manyLines(60), 76, 31, 32},
}

// A popup is as large as its form, and at most as large as the settings say.
func TestTmuxSizedPopup(t *testing.T) {
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
