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

// A page that asks whether its stream still reaches it is told so there, whatever it shows,
// and nothing else comes of it.
func TestSignOfLife(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	e := d.ask(colours)
	for _, tab := range []*tab{d.open("question", e.ID, ""), d.open("inbox", "", ""), d.open("history", "", ""), d.open("question", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "")} {
		before := tab.view.N
		if problem := tab.sends(map[string]any{"page": tab.page}); problem != "" {
			t.Errorf("it says %q", problem)
		}
		select {
		case <-tab.heard:
		case <-time.After(patient):
			t.Fatalf("nothing is heard on\n%s", tab.view.HTML)
		}
		if len(tab.views) > 0 || tab.view.N != before {
			t.Error("the view is another")
		}
	}
	d.open("question", e.ID, "").presses("Green").sees("Answered in the browser")
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
	if problem := sofa.does(event{Do: "type", N: before, Text: "mauve"}); problem != "" {
		t.Fatal(problem)
	}
	sofa.sees("Another text was typed here: “teal”.").holds("mauve")
	if problem := sofa.does(event{Do: "type", N: before, Text: "mauve!"}); problem != "" { // as is typed fast
		t.Fatal(problem)
	}
	sofa.presses("Take it").holds("teal")
}

// So it does not where the page was cut off, and the form is at another question when it is back.
func TestTypedWhileTheFormWentOn(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	e := d.ask(`{"questions":[{"header":"T","question":"What may go?","type":"free_text"},{"header":"S","question":"Sure?","type":"select_one","options":[{"label":"Yes"},{"label":"No"}]}]}`)
	desk := d.open("question", e.ID, "").sees("What may go?").types("teal")
	if problem := desk.does(event{Do: "accept"}); problem != "" {
		t.Fatal(problem)
	}
	desk.sees("Sure?").close()
	d.lookers(0)
	back := d.open("question", e.ID, "").sees("Sure?")
	if problem := back.does(event{Do: "goto"}, event{Do: "open"}, event{Do: "type", Text: "mauve"}); problem != "" {
		t.Fatal(problem)
	}
	back.sees("Another text was typed here: “teal”.").holds("mauve")
}
