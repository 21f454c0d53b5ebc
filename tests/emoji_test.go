package tests

import (
	"strings"
	"testing"

	"github.com/askpane/askpane/bridge/text/cells"
)

// An emoji of several signs, for which tmux and terminals count different cells, moves no
// border of a popup.
func TestEmojiMoveNoBorder(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 80, 24)
	a := s.ask("main", `{"questions":[{"id":"who","label":"Who","prompt":"Who comes along? 👩‍👩‍👧‍👦","options":[
 {"value":"a","label":"👩‍👩‍👧‍👦 the family"},{"value":"b","label":"👩‍💻 the office","description":"👨‍👩‍👦 all of them"}]}]}`)
	v.see("the family", "the office", "all of them")
	right, inside := 0, false
	for _, row := range v.rows() {
		switch last := cells.Width(strings.TrimRight(row, " ")); {
		case strings.ContainsAny(row, "╮┐"):
			right, inside = last, true
		case strings.ContainsAny(row, "╯┘"):
			inside = false
		case inside && last != right:
			t.Errorf("the right border stands in column %d and not %d:\n%s", last, right, v.screen())
		}
	}
	if right == 0 {
		t.Errorf("there is no border on\n%s", v.screen())
	}
	v.press("1")
	a.answered("Who: user selected: 1. 👩‍👩‍👧‍👦 the family")
}
