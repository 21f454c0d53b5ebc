package tests

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/tests/needs"
)

const ctrlN = "\x0e"

// about is a request of one question with two options.
func about(what string) string {
	return fmt.Sprintf(`{"questions":[{"id":"q","label":%q,"prompt":"Which %s?","options":[{"value":"1","label":"First %s"},{"value":"2","label":"Second %s"}]}]}`,
		what, what, what, what)
}

// inLine asks one question after the other, each when the one before waits, and
// the first when its form is up.
func (s *tmuxServer) inLine(v *terminal, env []string, what ...string) []call {
	s.t.Helper()
	var calls []call
	for i, w := range what {
		calls = append(calls, s.askWith(env, "main", about(w)))
		v.see("Which " + what[0] + "?")
		if i > 0 {
			v.see(fmt.Sprintf("%d more waiting", i))
		}
	}
	return calls
}

// popups are the processes of the popups on this spool.
func (s spoolDir) popups() []int { return s.askpanes("popup") }

// Two people, or one at two terminals: each terminal has its own popup.
func TestTmuxTwoViewers(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	s.session("second")
	first, second := s.attach("main", 100, 30), s.attach("second", 100, 30)
	s.use(first, second)
	cup := s.ask("main", about("Cup"))
	first.see("Which Cup?")
	s.use(second, first)
	plate := s.ask("main", about("Plate"))
	second.see("Which Plate?")
	if screen := first.screen(); strings.Contains(screen, "Which Plate?") {
		t.Errorf("the terminal that was used before shows the form too:\n%s", screen)
	}
	if n := len(s.spool.popups()); n != 2 {
		t.Errorf("%d popups for two viewers", n)
	}
	for _, v := range []*terminal{first, second} {
		if strings.Contains(v.screen(), " more waiting") {
			t.Errorf("nothing waits, but the screen is\n%s", v.screen())
		}
	}
	second.press("1")
	plate.answered("Plate: user selected: 1. First Plate")
	first.press("2")
	cup.answered("Cup: user selected: 2. Second Cup")
}

// toSecond moves to the second choice, once the guard of the opening lets it: a key
// that does nothing but show that.
func (v *terminal) toSecond(choice string) {
	v.t.Helper()
	moved := func() bool { return strings.Contains(v.screen(), choice) }
	v.until("took a key", func(screen string) bool {
		if !moved() && !strings.Contains(screen, "held back") {
			v.press(down)
			return needs.Within(200*time.Millisecond, moved)
		}
		return moved()
	})
}

// Three agents ask at once: one popup, which shows one form after the other, the oldest
// first. The form on view is answered elsewhere: it says who, and then the next comes.
// One that is answered while it waits in line never comes up.
func TestTmuxAnsweredElsewhereInLine(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	calls := s.inLine(v, []string{unguarded}, "Cup", "Plate", "Spoon")
	before := s.spool.popups()
	if len(before) != 1 {
		t.Fatalf("%d popups for one viewer", len(before))
	}
	ids := map[string]string{}
	for _, q := range s.spool.listed(t) {
		ids[q.Header] = q.ID
	}
	for i, what := range []string{"Plate", "Cup"} {
		s.spool.answers(t, ids[what], `{"q":"2"}`)
		calls[1-i].answered(fmt.Sprintf("%s: user selected: 2. Second %s", what, what))
		if what == "Plate" {
			v.see("Which Cup?", "1 more waiting")
		}
	}
	v.see("Already answered by askpane answer, ", "any key closes this")
	v.press("1")
	v.see("Which Spoon?")
	v.unsee(" more waiting")
	calls[2].waits()
	if after := s.spool.popups(); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("the popup was process %v and is %v", before, after)
	}
	v.press("1")
	calls[2].answered("Spoon: user selected: 1. First Spoon")
}
