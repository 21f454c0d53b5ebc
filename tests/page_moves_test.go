package tests

import (
	"syscall"
	"testing"

	"github.com/askpane/askpane/tests/needs"
)

// places says where all is that can be pressed.
const places = `JSON.stringify([...document.querySelectorAll('main button, main textarea, .site a')].map((e) => {
	const {x, y} = e.getBoundingClientRect()
	return [x, y]
}))`

// unguarded waits for as long as the longest guard from now on.
func (t *browserTab) unguarded() *browserTab {
	t.Helper()
	t.eval("window.since = performance.now()")
	return t.until("performance.now() > since + 5000")
}

// Nothing that can be pressed moves by itself: not by what is said of a press that came too
// soon, of the connection, of other questions, of the agent or of what was typed elsewhere.
func TestPageNothingMoves(t *testing.T) {
	t.Parallel()
	needs.Long(t, "the page in a browser")
	p := newPerson(t, newSpool(t), "ASKPANE_GUARD_MS=5000")
	b := p.browse()
	a, id := p.ask(colour)
	b.at("q=" + id).sees("#q0-c0").eval("document.querySelector('#q0-c1').scrollIntoView({block: 'center'})")
	before := b.eval(places)
	still := func(after string) {
		t.Helper()
		if now := b.eval(places); now != before {
			t.Errorf("after %s there is\n%s\nbefore\n%s", after, now, before)
		}
	}
	b.clicks("Green").sees("Held back: the question has only just come up.")
	still("a press that came too soon")
	_, second := p.ask(colour)
	b.sees("1 more")
	still("another question")
	a.kill(syscall.SIGKILL)
	b.sees("agent gone")
	still("the agent has gone")
	desk, _ := p.desk()
	p.end(desk.PID, syscall.SIGKILL)
	b.sees("The connection to the desk is lost")
	still("the connection is lost")
	p.link("") // starts it
	b.isRight()
	still("it is back")

	b.at("q=" + second).sees("#q0-c0").unguarded().clicks(other).sees("#entry0").types("mauve").until("document.activeElement.value == 'mauve'")
	before = b.eval(places)
	typedElsewhere(t, p.spool, second, 4)("teal")
	b.sees("Another text was typed here: “teal”.")
	if now := b.eval(`[...document.querySelectorAll('#offered button')].forEach((e) => e.remove()), ` + places); now != before {
		t.Errorf("after an offer there is\n%s\nbefore\n%s", now, before)
	}
	b.well()
}

// What has only just come under the finger does not count.
func TestPageMoved(t *testing.T) {
	t.Parallel()
	needs.Long(t, "the page in a browser")
	p := newPerson(t, newSpool(t), "ASKPANE_GUARD_MS=5000")
	b := p.browse()
	a, id := p.ask(colour)
	b.at("q=" + id).sees("#q0-c0").unguarded()
	typedElsewhere(t, p.spool, id, 4)("mauve")
	b.sees("✎ not your answer yet: mauve")
	b.clicks("Cancel").sees("Held back: this has only just come here.").clicks("Green").sees(said).well()
	a.answered("Colour: user selected: 2. Green")
}

// Neither does a button that answers the question which has only just come, though the one before had the same there.
func TestPageAnswerPressedTwice(t *testing.T) {
	t.Parallel()
	needs.Long(t, "the page in a browser")
	p := newPerson(t, newSpool(t), "ASKPANE_GUARD_MS=5000")
	b := p.browse()
	a, id := p.ask(`{"questions":[{"header":"N","question":"How many?","type":"number","default":7},{"header":"M","question":"How much?","type":"number","default":8}]}`)
	b.at("q=" + id).sees("#entry0").unguarded()
	b.clicks("Answer").sees("#entry1").clicks("Answer").sees("Held back: this has only just come here.", "□ M")
	b.unguarded().clicks("Answer").sees("#submit", "M: 8").unguarded().types("{Enter}").sees(said).well()
	a.answered("N: 7\nM: 8")
}
