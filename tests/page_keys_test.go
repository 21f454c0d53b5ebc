package tests

import (
	"slices"
	"strings"
	"testing"

	"github.com/askpane/askpane/tests/needs"
)

// waits fails where a question is over.
func (t *browserTab) waits(id string) {
	t.Helper()
	if answer := t.spool.read(id, "answer.json"); answer != "" || slices.Contains(t.spool.history(), id) {
		t.Fatalf("it is over: %s", answer)
	}
}

// No key takes a choice that is not on view: whoever reads a long plan or question there, and pages on by Space, sees
// its end and the choices first.
func TestPageNoChoiceUnseen(t *testing.T) {
	t.Parallel()
	needs.Long(t, "the page in a browser")
	p := newPerson(t, newSpool(t))
	b := p.browse()
	long := strings.Repeat(`First write to both, then read.\n\n`, 60)
	for _, request := range []string{`{"plan":"# Move\n\n` + long + `Last, drop the old.","modes":[{"label":"Yes"}]}`,
		`{"questions":[{"header":"Doc","question":"` + long + `Go on?","type":"select_one","options":[{"label":"Yes"},{"label":"No"}]}]}`} {
		for _, key := range []string{" ", "{Enter}", "1"} {
			_, id := p.ask(request)
			choice := "document.querySelector('#q0-c0').getBoundingClientRect()"
			b.at("q=" + id).sees("#q0-c0").until("scrollY == 0 && " + choice + ".top > innerHeight").isRight()
			b.types(key).until(choice + ".bottom <= innerHeight + 1")
			b.waits(id)
			b.types(key).sees(said).well()
		}
	}
}
