package tests

import (
	"context"
	"strings"
	"syscall"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	cdpage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/askpane/askpane/tests/needs"
	"github.com/askpane/askpane/tests/proxy"
)

// front brings a tab to the front, and so the others of its window to the back.
func (t *browserTab) front() {
	t.Helper()
	t.do(func(ctx context.Context, c *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, c, cdpage.BringToFront, cdp.Empty{})
		return chromedp.Void{}, err
	})
}

// looked moves the mouse, as somebody does who looks at the page.
func (t *browserTab) looked() *browserTab {
	t.Helper()
	t.do(chromedp.MouseEvent(chromedp.MouseMoved, 5, 5), chromedp.MouseEvent(chromedp.MouseMoved, 9, 9))
	return t
}

// commands runs one of theirs that has to succeed.
func (p *person) commands(args ...string) {
	p.Helper()
	if out, err := p.command(binary, args...).CombinedOutput(); err != nil {
		p.Fatalf("askpane %v: %v, %s", args, err, out)
	}
}

// A question's page that was in the background, as while a phone's screen was locked, is
// right again when it comes back, and takes the first press.
func TestPageComesBack(t *testing.T) {
	t.Parallel()
	needs.Long(t, "the page in a browser")
	p := newPerson(t, newSpool(t))
	inbox := p.browse()
	a, id := p.ask(colour)
	b := inbox.another(chromedp.WithNewWindow(false))
	b.front()
	b.comes(p.link(id)).sees("#q0-c0")
	inbox.front()
	b.until("document.hidden").until("document.body.matches('.lost')") // its connection was given back
	b.front()
	b.until("!document.hidden").until("document.querySelector('#said').textContent == ''").clicks("Green").sees(said).well()
	a.answered("Colour: user selected: 2. Green")
	a, id = p.ask(colour)
	b.at("q=" + id).sees("#q0-c0")
	inbox.front()
	b.until("document.hidden").until("document.body.matches('.lost')")
	p.commands("answer", id, "--json", `{"colour":"r"}`)
	b.front()
	b.sees("This was answered by askpane answer").well()
	a.answered("Colour: user selected: 1. Red")
}

// A connection that has died without a word is noticed as soon as somebody looks, and by a
// press; the page is right again by another one.
func TestPageDeadConnection(t *testing.T) {
	t.Parallel()
	needs.Long(t, "the page in a browser")
	p := newPerson(t, newSpool(t))
	b := p.browse()
	desk, _ := p.desk()
	host := strings.TrimSuffix(strings.TrimPrefix(desk.URL, "http://"), "/")
	for _, c := range []struct{ press, clock bool }{{false, false}, {true, false}, {false, true}} {
		way := proxy.New(t, host)
		a, id := p.ask(colour)
		b.comes(strings.Replace(p.link(id), host, "127.0.0.1:"+way.Port(), 1)).sees("#q0-c0")
		if c.clock { // the device's clock is set back
			b.eval("((now) => { Date.now = () => now() - 600000 })(Date.now)")
		}
		way.Deaden()
		p.commands("answer", id, "--json", `{"colour":"r"}`)
		if c.press {
			b.types("2")
		}
		b.looked().sees("This was answered by askpane answer").well()
		a.answered("Colour: user selected: 1. Red")
	}
}

// A desk that does not answer is said to be lost, and nothing that is pressed meanwhile is
// sent, then or later.
func TestPageSilentDesk(t *testing.T) {
	t.Parallel()
	needs.Long(t, "the page in a browser")
	p := newPerson(t, newSpool(t))
	b := p.browse()
	a, id := p.ask(colour)
	b.at("q=" + id).sees("#q0-c0")
	desk, _ := p.desk()
	if err := syscall.Kill(desk.PID, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Kill(desk.PID, syscall.SIGCONT) })
	b.until("performance.now() > 3000").looked().sees("The connection to the desk is lost").judged("lost")
	b.clicks("Red").sees("Not sent: this page is not up to date")
	if err := syscall.Kill(desk.PID, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	b.isRight().sees("Which colour?").clicks("Green").sees(said).well()
	a.answered("Colour: user selected: 2. Green")
}

// A page from before an upgrade loads itself anew, with what was typed, before it takes a
// press; where that does not help, it takes none.
func TestPageOutdated(t *testing.T) {
	t.Parallel()
	needs.Long(t, "the page in a browser")
	p := newPerson(t, newSpool(t))
	b := p.browse()
	a, id := p.ask(free)
	b.at("q=" + id).sees("#entry0").types("half")
	b.eval("document.documentElement.dataset.digest = 'older'")
	desk, _ := p.desk()
	p.end(desk.PID, syscall.SIGKILL)
	b.until("document.body.matches('.lost')").types(" and more")
	p.link("") // starts it
	b.until("document.documentElement?.dataset.digest != 'older' && document.activeElement?.value == 'half and more'").isRight()

	b.do(func(ctx context.Context, c *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, c, cdpage.AddScriptToEvaluateOnNewDocument, cdpage.AddScriptToEvaluateOnNewDocumentParams{
			Source: "addEventListener('readystatechange', () => document.documentElement.dataset.digest = 'older', true)"})
		return chromedp.Void{}, err
	})
	b.at("q=" + id).sees("This page is of another askpane than the desk")
	b.judged("outdated")
	b.eval("document.querySelector('#said').textContent = ''")
	b.clicks("Answer").sees("This page is of another askpane than the desk").well()
	if answer := p.spool.read(id, "answer.json"); answer != "" {
		t.Fatalf("it was answered: %s", answer)
	}
	p.commands("answer", id, "--cancel")
	a.ends("cancelled", 3, "User cancelled the questionnaire")
}

// What was typed in the popup while the page had lost the desk, and typed something else, is offered
// on the page when the desk is back, as the page's is in the popup. Until then the page is not left for another.
func TestPageOffersWhatWasTypedMeanwhile(t *testing.T) {
	t.Parallel()
	needs.Long(t, "the page in a browser")
	s := newTmux(t)
	p := newPerson(t, s.spool)
	b := p.browse()
	v := s.attach("main", 100, 30)
	a := s.ask("main", free)
	v.see("What may go?")
	id := s.spool.only(t)
	b.at("q=" + id).sees("#entry0").types("the logs")
	v.see("not your answer yet: the logs")
	desk, _ := p.desk()
	p.end(desk.PID, syscall.SIGKILL)
	b.sees("The connection to the desk is lost").types(" of today")
	b.clicks("Inbox").sees("This page stays until the desk is back").eval("document.querySelector('#entry0').focus()")
	v.press(enter)
	v.see("Enter answer")
	v.press(" of May")
	v.see("the logs of May")
	eventually(t, "it is saved", func() bool { return strings.Contains(s.spool.read(id, "draft.json"), "the logs of May") })
	p.link("") // starts it
	b.sees("the logs of today", "Another text was typed here: “the logs of May”")
	v.see("Another text was typed here: “the logs of today”")
	b.types("{Enter}").sees(said).well()
	a.answered("T: the logs of today")
}
