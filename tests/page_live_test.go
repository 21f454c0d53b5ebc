package tests

import (
	"strings"
	"syscall"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/askpane/askpane/tests/needs"
)

// What is typed in a popup is on the page and the other way round, key by key. A desk that is killed is not in the popup's way, and
// one that is started again has all that was typed, on pages that were open, too.
func TestPageBesidePopup(t *testing.T) {
	t.Parallel()
	needs.Long(t, "the page in a browser")
	s := newTmux(t)
	p := newPerson(t, s.spool)
	b := p.browse()
	v := s.attach("main", 100, 30)
	a := s.ask("main", colour)
	openEntry(place{terminal: v}, 4)
	id := s.spool.only(t)
	b.at("q=" + id).clicks(other).sees("#entry0")
	typed := ""
	for _, key := range []string{"0", "1", "2", "3", "4"} {
		typed += key
		v.press(key)
		b.until("document.activeElement.value == '" + typed + "'")
	}
	for n := range typed {
		b.types(typed[n : n+1])
		v.see("│ 01234", "“01234"+typed[:n+1]+"”") // offered, since it was typed here, too
	}
	v.press("\x14") // Ctrl+T
	v.see("│ 0123401234")
	eventually(t, "it is saved", func() bool { return strings.Contains(s.spool.read(id, "draft.json"), "0123401234") })

	desk, _ := p.desk()
	p.end(desk.PID, syscall.SIGKILL)
	b.sees("The connection to the desk is lost; it is tried again. What you type is kept.").types(" and half")
	v.press(esc)
	v.see("not your answer yet: 0123401234", "Esc cancel")
	p.link("") // starts it
	b.until("document.querySelector('#said').textContent == '' && document.activeElement.value == '0123401234 and half'").well()
	b.another().comes(p.link(id)).sees("0123401234 and half")
	v.see("not your answer yet: 0123401234 and half")
	b.types("{Enter}").sees(said).well()
	a.answered("Colour: user wrote: 0123401234 and half")
	v.unsee("Which colour?")
	b.at("q=" + id).sees("This was answered in the browser")
}

// Two pages have one question open, and a third the inbox: what is said on one is on the
// other, a reload in the middle changes nothing, and the first answer counts.
func TestPageTwice(t *testing.T) {
	t.Parallel()
	needs.Long(t, "the page in a browser")
	p := newPerson(t, newSpool(t))
	inbox := p.browse()
	a, id := p.ask(controls)
	inbox.sees("1 waiting", "Project setup")
	one := inbox.another().comes(p.link(id)).sees("#q0-c0")
	two := inbox.another().comes(p.link(id)).sees("#q0-c0")
	one.steps("[MySQL] → #q1-c0", "1 → ☑ Unit tests", "[Answer] → #entry2", "the sh → the sh")
	two.until("document.querySelector('#q0-c1[aria-checked=true]')").steps("[✓ Testing] → ☑ Unit tests", "[· Name] → the sh")
	two.types("op").sees("the shop")
	one.sees("Another text was typed here: “the shop”").steps("[Take it] → “the sh” & #entry2", "s → the shops")
	eventually(t, "the desk has what was typed", func() bool { return strings.Contains(p.spool.read(id, "draft.json"), "the shops") })
	one.do(chromedp.Reload())
	one.sees("#entry2", "the shops").steps("{Enter} → #entry3", "[✓ Testing] → ☑ Unit tests", "[Submit] → #submit & Name: ✎ the shops")
	inbox.steps("[Project setup] → ✓ Name", "[Inbox] → 1 waiting")
	one.types("{Enter}").sees(said)
	two.sees("Already answered in the browser, ")
	inbox.sees("No question waits.")
	inbox.steps("[History] → Project setup & answered", "[Project setup] → This was answered in the browser & ✎ the shops")
	a.answered("Database: my\nTesting: unit\nName: the shops\nNotes: (empty)")
	for _, tab := range []*browserTab{one, two, inbox} {
		tab.well()
	}
}
