package tests

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"github.com/askpane/askpane/tests/needs"
)

// presses has a key pressed with modifiers, or says as a keyboard does that it is held down.
func (t *browserTab) presses(key, text string, modifiers int64, held bool) *browserTab {
	t.Helper()
	press := input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: key, Code: key, Text: text, Modifiers: modifiers, AutoRepeat: new(held)}
	if key == "Enter" {
		press.WindowsVirtualKeyCode = 13
	}
	t.do(func(ctx context.Context, c *chromedp.Target) (none chromedp.Void, err error) {
		_, err = cdp.Call(ctx, c, input.DispatchKeyEvent, press)
		return none, err
	})
	return t
}

// waits fails where a question is over.
func (t *browserTab) waits(id string) {
	t.Helper()
	if answer := t.spool.read(id, "answer.json"); answer != "" || slices.Contains(t.spool.history(), id) {
		t.Fatalf("it is over: %s", answer)
	}
}

// A key that is held down is one press: it answers one question, and writes nothing into the next.
func TestPageKeyHeldDown(t *testing.T) {
	t.Parallel()
	needs.Long(t, "the page in a browser")
	p := newPerson(t, newSpool(t))
	b := p.browse()
	for _, c := range []struct{ request, key, text, next string }{
		{trip, "Enter", "\r", "#q1-c0"}, {trip, "1", "1", "#q1-c0"},
		{`{"questions":[{"header":"T","question":"What may go?","type":"free_text"},{"header":"U","question":"What not?","type":"free_text"}]}`, "Enter", "\r", "#entry1"},
	} {
		_, id := p.ask(c.request)
		b.at("q=" + id).until("document.activeElement.closest('#form')").isRight()
		if strings.HasPrefix(c.next, "#entry") {
			b.types("all of it")
		}
		b.presses(c.key, c.text, 0, false).sees(c.next)
		for range 20 {
			b.presses(c.key, c.text, 0, true)
		}
		b.clicks("Help").sees("go through what can be done").types("{Esc}").sees(c.next) // after all that was sent before
		if typed := b.eval("document.activeElement.value"); typed != `""` {
			t.Errorf("held down it wrote %s", typed)
		}
		b.waits(id)
		p.commands("answer", id, "--cancel")
	}
	b.well()
}

// Enter with Ctrl, by which somebody sends what they write elsewhere, is held back like any other key.
func TestPageHoldsBackEveryEnter(t *testing.T) {
	t.Parallel()
	needs.Long(t, "the page in a browser")
	p := newPerson(t, newSpool(t), "ASKPANE_GUARD_MS=5000")
	b := p.browse()
	a, id := p.ask(`{"questions":[{"header":"N","question":"How many?","type":"number","default":7}]}`)
	b.at("q="+id).sees("#entry0").presses("Enter", "", 2, false).sees("Held back: the question has only just come up")
	b.waits(id)
	b.unguarded().presses("Enter", "", 2, false).sees(said).well()
	a.answered("N: 7")
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

// A key brings a choice on view, whole, also in a window of a few lines, as one is where text is large.
func TestPageChoiceInASmallWindow(t *testing.T) {
	t.Parallel()
	needs.Long(t, "the page in a browser")
	p := newPerson(t, newSpool(t))
	b := p.browse()
	a, id := p.ask(`{"plan":"# Move\n` + strings.Repeat(`\none more\n`, 80) + `\nthe end\n"}`)
	b.do(chromedp.EmulateViewport(320, 110))
	b.at("q=" + id).until("document.activeElement.closest('#form') && scrollY == 0").isRight()
	b.types("1").until("scrollY > 0 && document.querySelector('#q0-c0').getBoundingClientRect().top >= 0")
	b.waits(id)
	b.types("1").sees(said).well()
	a.answered("The person approved the plan (Approve).")
}

// What is said over the lower edge of a page does not cover what a key brings on view, or puts the focus on.
func TestPageNothingCovered(t *testing.T) {
	t.Parallel()
	needs.Long(t, "the page in a browser")
	p := newPerson(t, newSpool(t), "ASKPANE_GUARD_MS=5000")
	b := p.browse()
	a, id := p.ask(runsThat(hidden), "--dialect", "permission")
	b.at("q=" + id).until("document.activeElement.closest('#form')").types("1").sees("Held back: the question has only just come up").unguarded()
	shown := func(element string) {
		t.Helper()
		b.until("scrollY > 0").until("((e, {x, y, width, height}) => document.elementFromPoint(x + width / 2, y + height / 2)?.closest('button') === e)(" + element + ", " + element + ".getBoundingClientRect())")
	}
	b.types("1")
	shown("document.querySelector('#q0-c0')")
	b.until("scrollTo(0, 0), scrollY == 0").types("{Up}")
	shown("document.activeElement")
	b.steps("[No] → " + said).well()
	a.answered("Denied.")
}

// Whoever does not see a page is told what is asked when the focus comes to where that is answered, also of the second
// question: a screen reader says of an entry what describes it, and the same of a group where the focus comes into it.
func TestPageSaysWhatIsAsked(t *testing.T) {
	t.Parallel()
	needs.Long(t, "the page in a browser")
	p := newPerson(t, newSpool(t))
	b := p.browse()
	told := func(asked ...string) {
		t.Helper()
		for _, words := range asked {
			b.isRight().until(`[document.activeElement, document.activeElement.closest('fieldset')].filter((e) => e && !e.told).flatMap((e) => e.getAttribute('aria-describedby').split(' ')).some((id) => document.getElementById(id)?.innerText.includes("` + words + `"))`)
		}
		b.eval("for (let e = document.activeElement; e; e = e.parentElement) e.told = true")
	}
	a, id := p.ask(`{"questions":[{"header":"Q","question":"Which may go?","type":"select_one","options":[{"label":"Yes"},{"label":"No"}]},{"header":"R","question":"Which not?","type":"select_one","options":[{"label":"Yes"},{"label":"No"}]},
		{"header":"T","question":"What is it called?","type":"free_text"},{"header":"K","question":"The key of what?","type":"free_text","secret":true}]}`)
	b.at("q=" + id).sees("#q0-c0")
	told("Which may go?")
	b.types("1").sees("#q1-c0")
	told("Which not?")
	b.types("1").sees("#entry2")
	told("What is it called?")
	b.types("x{Enter}").sees("#entry3")
	told("The key of what?", "Secret")
	b.types("k{Enter}").sees("#submit").types("{Enter}").sees(said)
	a.answered("Q: Yes\nR: Yes\nT: x\nK: k")
	_, id = p.ask(danger)
	b.at("q=" + id).sees("#entry0")
	told("DESTRUCTIVE", "Drop the old table?")
	b.well()
}

// Who comes back to a long list is where they were in it.
func TestPageBackInTheList(t *testing.T) {
	t.Parallel()
	needs.Long(t, "the page in a browser")
	p := newPerson(t, newSpool(t))
	b := p.browse()
	ids := []string{}
	for range 12 {
		_, id := p.ask(free)
		ids = append(ids, id)
	}
	row := "document.getElementById('#q=" + ids[9] + "')"
	b.sees("12 waiting").eval(row + ".querySelector('a').focus()")
	b.until("scrollY > 0").types("{Enter}").sees("#entry0").eval("history.back()")
	b.sees("12 waiting").until(row + ".contains(document.activeElement) && scrollY > 0 && " + row + ".getBoundingClientRect().bottom <= innerHeight").well()
	b.types("{Enter}").sees("#entry0").isRight()
	p.commands("answer", ids[9], "--cancel")
	b.sees("#over").clicks("Inbox").sees("11 waiting").until("scrollY == 0").well()
}

// Who has zoomed in with two fingers, or has a phone's keyboard up, sees what is said.
func TestPageSaysItOnView(t *testing.T) {
	t.Parallel()
	needs.Long(t, "the page in a browser")
	p := newPerson(t, newSpool(t), "ASKPANE_GUARD_MS=5000")
	b := p.browse()
	_, id := p.ask(colour)
	b.do(chromedp.EmulateViewport(360, 740, chromedp.EmulateMobile, chromedp.EmulateTouch))
	b.at("q=" + id).sees("#q0-c0").eval("void Object.defineProperty(window, 'innerHeight', {get: () => visualViewport.height})") // as in Safari
	b.types("2").sees("Held back").do(func(ctx context.Context, c *chromedp.Target) (none chromedp.Void, err error) {
		_, err = cdp.Call(ctx, c, emulation.SetPageScaleFactor, emulation.SetPageScaleFactorParams{PageScaleFactor: 2})
		return none, err
	})
	b.until(`((r, v) => v.scale == 2 && r.height > 0 && r.left >= v.offsetLeft && r.right <= v.offsetLeft + v.width && r.top >= v.offsetTop && Math.abs(r.bottom - v.offsetTop - v.height) < 1)(document.querySelector('#said').getBoundingClientRect(), visualViewport)`).well()
}
