package page

import (
	"testing"
	"time"
)

// holds waits until the open entry holds a text.
func (t *tab) holds(text string) *tab {
	t.Helper()
	for limit := time.After(patient); t.view.Field == nil || t.view.Field.Value != text; {
		select {
		case t.view = <-t.views:
		case <-limit:
			t.Fatalf("the entry does not hold %q, but %+v", text, t.view.Field)
		}
	}
	return t
}

// Two pages at once: what is typed on one is on the other, unless somebody types there,
// who is offered it.
func TestTwoPages(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	e := d.ask(colours)
	sofa, desk := d.open("question", e.ID, ""), d.open("question", e.ID, "")
	sofa.presses("Something else…").sees(`id="entry0"`).types("mauve")
	desk.presses("Something else…").holds("mauve").types("mauve, or teal")
	sofa.sees("Another text was typed here: “mauve, or teal”.").holds("mauve")
	sofa.presses("Take it").holds("mauve, or teal").presses(":accept")
	desk.sees("Already answered in the browser")
	if r := d.answered(e); *r.Answers[0].Text != "mauve, or teal" {
		t.Errorf("the answer is %+v", r)
	}
}

// What was typed to an entry before another's text came there does not take that away.
func TestTypedWithoutHavingSeen(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	e := d.ask(colours)
	sofa, desk := d.open("question", e.ID, ""), d.open("question", e.ID, "")
	sofa.presses("Something else…").sees(`id="entry0"`)
	before := sofa.view.Field.Rev
	desk.presses("Something else…").types("teal")
	sofa.holds("teal")
	if problem := sofa.does(did{Do: "type", N: before, Text: "mauve"}); problem != "" {
		t.Fatal(problem)
	}
	sofa.sees("Another text was typed here: “teal”.").holds("mauve")
	if problem := sofa.does(did{Do: "type", N: before, Text: "mauve!"}); problem != "" { // as is typed fast
		t.Fatal(problem)
	}
	sofa.presses("Take it").holds("teal")
}
