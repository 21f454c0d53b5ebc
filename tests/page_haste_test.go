package tests

import (
	"bytes"
	"context"
	"image/color"
	"image/png"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	cdpage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/askpane/askpane/integrations/desk/gate"
	"github.com/askpane/askpane/tests/must"
	"github.com/askpane/askpane/tests/needs"
)

// short is a question that the inbox answers.
const short = `{"questions":[{"header":"Go","question":"Go on?","type":"select_one","options":[{"label":"Yes"},{"label":"No"}]}]}`

// slow has the network hold what the tab posts to the desk, until it is let go.
func (t *browserTab) slow() (letGo func()) {
	t.Helper()
	var mu sync.Mutex
	var held []fetch.RequestID
	free := false
	pass := func(id fetch.RequestID) {
		_, _ = chromedp.Run(t.ctx, func(ctx context.Context, c *chromedp.Target) (none chromedp.Void, err error) {
			_, err = cdp.Call(ctx, c, fetch.ContinueRequest, fetch.ContinueRequestParams{RequestID: id})
			return none, err
		})
	}
	must.Do(t, chromedp.Listen(t.ctx, func(e any) {
		paused, is := e.(*fetch.EventRequestPaused)
		mu.Lock()
		defer mu.Unlock()
		if is && free {
			go pass(paused.RequestID)
		} else if is {
			held = append(held, paused.RequestID)
		}
	}))
	t.do(func(ctx context.Context, c *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, c, fetch.Enable, fetch.EnableParams{Patterns: []*fetch.RequestPattern{{URLPattern: "*/api/do"}}})
		return chromedp.Void{}, err
	})
	return func() {
		mu.Lock()
		defer mu.Unlock()
		free = true
		for _, id := range held {
			go pass(id)
		}
	}
}

// countsPosts has a page count in posted what the desk has answered of what it posts.
const countsPosts = `window.posted = 0
const fetched = fetch
window.fetch = async (...what) => {
  const answer = await fetched(...what)
  if (what[0] == '/api/do') setTimeout(() => posted++)
  return answer
}`

// Who is on a slow network is told that what they pressed is on its way. They press it once more, and are not told
// that it came too late.
func TestPagePressedAgain(t *testing.T) {
	t.Parallel()
	needs.Long(t, "the page in a browser")
	p := newPerson(t, newSpool(t))
	inbox := p.browse()
	for _, c := range []struct{ request, at, press, answer string }{
		{free, "q=", "Answer", "T: the logs"}, {colour, "q=", "Green", "Colour: user selected: 2. Green"}, {short, "", "Yes", "Go: Yes"},
	} {
		a, id := p.ask(c.request)
		b := inbox.another().comes(p.link(map[bool]string{true: id}[c.at != ""])).sees(c.press)
		if c.request == free {
			b.types("the logs")
			eventually(t, "it is saved", func() bool { return strings.Contains(p.spool.read(id, "draft.json"), "the logs") })
		}
		b.until("![...document.querySelectorAll('main button')].some((e) => Date.now() < e.moved + 500)").isRight() // nothing has just come
		b.eval(countsPosts)
		letGo := b.slow()
		b.clicks(c.press).sees("Sending…").clicks(c.press)
		letGo()
		a.answered(c.answer)
		b.until("posted > 1").until("document.querySelector('#said').textContent == ''").well()
	}
}

// A page that the desk does not have all of yet is not left without a word.
func TestPageLeftWhileItSends(t *testing.T) {
	t.Parallel()
	needs.Long(t, "the page in a browser")
	p := newPerson(t, newSpool(t))
	b := p.browse()
	a, id := p.ask(free)
	b.at("q=" + id).sees("#entry0")
	asked := make(chan cdpage.DialogType, 10)
	must.Do(t, chromedp.Listen(b.ctx, func(e any) {
		if d, is := e.(*cdpage.EventJavascriptDialogOpening); is {
			asked <- d.Type
			go chromedp.Do(b.ctx, func(ctx context.Context, c *chromedp.Target) (chromedp.Void, error) {
				_, err := cdp.Call(ctx, c, cdpage.HandleJavaScriptDialog, cdpage.HandleJavaScriptDialogParams{Accept: false})
				return chromedp.Void{}, err
			})
		}
	}))
	letGo := b.slow()
	b.types("half a text")
	b.eval("setTimeout(() => location.reload()); 0")
	eventually(t, "it is asked whether the page is to be left", func() bool { return len(asked) > 0 })
	letGo()
	eventually(t, "it is saved", func() bool { return strings.Contains(p.spool.read(id, "draft.json"), "half a text") })
	b.isRight().types("{Enter}").sees(said).well()
	a.answered("T: half a text")
}

// Each press of what counts up counts, however fast they come.
func TestPageCountsEachPress(t *testing.T) {
	t.Parallel()
	needs.Long(t, "the page in a browser")
	p := newPerson(t, newSpool(t))
	b := p.browse()
	a, id := p.ask(typed)
	b.at("q=" + id).sees("#q0-c0").steps("[□ Port] → #entry2")
	b.until("getComputedStyle(document.querySelector('.nudge')).touchAction == 'manipulation'") // else a phone takes two for a zoom
	at := b.place("document.querySelector('[aria-label=\"Up by 1\"]')")
	for n := range 4 {
		b.do(chromedp.MouseClickXY(at[0], at[1], func(e *input.DispatchMouseEventParams) { e.ClickCount = int64(n + 1) }))
	}
	b.until("document.querySelector('#entry2').value == '9'").well()
	p.commands("answer", id, "--cancel")
	a.ends("cancelled", 3, "User cancelled the questionnaire")
}

// A search shows what is searched for: that of the list on view, and no other's.
func TestPageSearchIsOfItsList(t *testing.T) {
	t.Parallel()
	needs.Long(t, "the page in a browser")
	p := newPerson(t, newSpool(t))
	b := p.browse()
	searched := func(what string) {
		t.Helper()
		b.until("document.querySelector('[type=search]').value == '" + what + "'")
	}
	b.until("document.querySelector('#search')").eval("document.querySelector('#search').focus()")
	b.types("foo{Enter}").until("location.hash == '#i=foo'")
	b.clicks("Inbox").until("location.hash == ''")
	searched("")
	b.eval("history.back()")
	searched("foo")
	b.eval("document.querySelector('#search').focus()")
	b.types("d").clicks("History").sees("Search what was asked")
	searched("")
	b.eval("history.back()")
	searched("foo")
	b.well()
}

// A question that somebody opens in a tab of its own is on view there.
func TestPageInTabOfItsOwn(t *testing.T) {
	t.Parallel()
	needs.Long(t, "the page in a browser")
	p := newPerson(t, newSpool(t))
	b := p.browse()
	a, id := p.ask(colour)
	b.sees("1 waiting").until("performance.now() > 1000")
	at := b.place("document.querySelector('.rows a')")
	for _, how := range []func(*input.DispatchMouseEventParams){
		func(e *input.DispatchMouseEventParams) { e.Button = "middle" },
		func(e *input.DispatchMouseEventParams) { e.Modifiers = 2 },
	} {
		before, err := chromedp.Targets(b.ctx)
		must.Do(t, err)
		b.do(chromedp.MouseClickXY(at[0], at[1], how))
		var opened *browserTab
		eventually(t, "another tab opens", func() bool {
			all, err := chromedp.Targets(b.ctx)
			must.Do(t, err)
			for _, one := range all {
				known := one.Type != "page"
				for _, was := range before {
					known = known || was.TargetID == one.TargetID
				}
				if !known {
					opened = b.tab(chromedp.WithTargetID(one.TargetID))
				}
			}
			return opened != nil
		})
		opened.until("document.body.innerText.includes('Which colour?')")
	}
	b.sees("1 waiting").well()
	p.commands("answer", id, "--json", `{"colour":"r"}`)
	a.answered("Colour: user selected: 1. Red")
}

// However many tabs are left open, the next one works: a browser has six connections for all of them. The first inbox
// tells in its title what waits, also in the background.
func TestPageInManyTabs(t *testing.T) {
	t.Parallel()
	needs.Long(t, "the page in a browser")
	p := newPerson(t, newSpool(t))
	b := p.browse()
	var all []*browserTab
	for range 7 {
		n := b.another(chromedp.WithNewWindow(false))
		n.front()
		all = append(all, n.comes(p.link("")).sees("No question waits"))
	}
	a, id := p.ask(colour)
	b.until("document.hidden && document.title == '(1) askpane'")
	all[0].until("document.hidden && document.title == 'askpane'").front()
	all[0].until("!document.hidden && document.title == '(1) askpane'").at("q=" + id).sees("#q0-c0").types("2").sees(said).well()
	a.answered("Colour: user selected: 2. Green")
	b.front()
	b.at("h=").sees("Search what was asked") // and is no inbox any more: the next one tells
	all[2].until("document.hidden").eval("dispatchEvent(new Event('online'))")
	_, id = p.ask(short)
	all[1].until("document.hidden && document.title == '(1) askpane'")
	all[2].until("document.title == 'askpane'").well()
	p.commands("answer", id, "--cancel")
}

// Who goes by keys is not sent back to the beginning where what they pressed goes.
func TestPageKeepsTheFocus(t *testing.T) {
	t.Parallel()
	needs.Long(t, "the page in a browser")
	p := newPerson(t, newSpool(t))
	b := p.browse()
	a, _ := p.ask(short)
	_, second := p.ask(short)
	b.sees("2 waiting").until("performance.now() > 1000").eval("document.querySelector('.quick button').focus()")
	b.types("{Enter}").sees("1 waiting").until("document.activeElement.matches('.rows a') && document.activeElement.hash == '#q=" + second + "'")
	a.answered("Go: Yes")
	b.eval("document.querySelector('summary').focus()")
	b.types("{Enter}{Tab}{Enter}").sees("0 waiting").until("document.activeElement.innerText == 'Filter'").well()
}

// The Enter that ends a composition answers nothing, and Escape cancels nothing, also in Safari, where their code alone says so.
func TestPageEnterOfAComposition(t *testing.T) {
	t.Parallel()
	needs.Long(t, "the page in a browser")
	p := newPerson(t, newSpool(t))
	b := p.browse()
	a, id := p.ask(free)
	b.at("q=" + id).sees("#entry0").types("kanji").isRight()
	for _, key := range []string{"Enter", "Escape"} {
		b.eval("document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: '" + key + "', keyCode: 229, bubbles: true, cancelable: true}))")
	}
	b.types(" more").isRight().types("{Enter}").sees(said).well()
	a.answered("T: kanji more")
}

// A device whose network lost the answer, and whose person then loads the page anew, is let in by the same link.
func TestPhoneLoadsItsLinkAgain(t *testing.T) {
	t.Parallel()
	needs.Long(t, "the page in a browser")
	p := newPerson(t, newSpool(t), "ASKPANE_PAGE_HOSTS=desk.example")
	phone := p.browse().another()
	desk, _ := p.desk()
	link, err := gate.Keys(p.home+"/.local/state/askpane/desk").Link(desk.URL, true, "")
	must.Do(t, err)
	for range 2 {
		_, phone.token, _ = strings.Cut(link, "=")
		phone.do(chromedp.Navigate("about:blank"), chromedp.Navigate(link))
		phone.sees("No question waits")
		phone.eval("localStorage.clear()") // as if it had never come
	}
	out, err := p.command(binary, "phone", "list").Output()
	if err != nil || strings.Count(string(out), "paired") != 1 {
		t.Errorf("askpane phone list: %v, %s", err, out)
	}
	phone.well()
}

// Who looks at one choice after another on a slow network does not wait for all of them.
func TestPageLooksAtTheLast(t *testing.T) {
	t.Parallel()
	needs.Long(t, "the page in a browser")
	p := newPerson(t, newSpool(t))
	b := p.browse()
	_, id := p.ask(decision)
	b.at("q=" + id).sees("#q0-c0").isRight().eval(countsPosts)
	letGo := b.slow()
	b.types("{Down}{Up}{Down}{Up}{Down}{Up}{Down}{Up}{Down}").sees("#q0-c1")
	letGo()
	b.types("c").sees("#note0").well()
	if n := b.eval("posted"); len(n) > 1 || n > "5" { // the first, the last and the press, and what came between on a busy machine; with each look it is 11
		t.Errorf("the desk was asked %s times", n)
	}
	p.commands("answer", id, "--cancel")
}

// Where the system has its own colours, as for people who see little, it still shows where one is.
func TestPageForcedColours(t *testing.T) {
	t.Parallel()
	needs.Long(t, "the page in a browser")
	p := newPerson(t, newSpool(t))
	b := p.browse()
	a, id := p.ask(trip)
	b.at("q=" + id).sees("#q0-c0")
	b.do(func(ctx context.Context, c *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, c, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "forced-colors", Value: "active"}}})
		return chromedp.Void{}, err
	})
	b.until("matchMedia('(forced-colors: active)').matches")
	ground := func(element string) color.Color {
		at := b.place(element)
		data, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
		must.Do(t, err)
		view, err := png.Decode(bytes.NewReader(data))
		must.Do(t, err)
		return view.At(int(at[0]), int(at[1])+15) // below its words
	}
	if is := ground("document.querySelector('.tabs [aria-current]')"); is == ground("document.querySelector('.tabs button:not([aria-current])')") {
		t.Errorf("the step on view has the ground %v, as all others", is)
	}
	b.well()
	p.commands("answer", id, "--cancel")
	a.ends("cancelled", 3, "User cancelled")
}

// A page whose network was cut in the middle of it says so, and is not just empty.
func TestPageThatHasNotAllCome(t *testing.T) {
	t.Parallel()
	needs.Long(t, "the page in a browser")
	p := newPerson(t, newSpool(t))
	b := p.browse().another()
	b.do(func(ctx context.Context, c *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, c, fetch.Enable, fetch.EnableParams{Patterns: []*fetch.RequestPattern{{URLPattern: "*/enter.js"}}})
		return chromedp.Void{}, err
	})
	must.Do(t, chromedp.Listen(b.ctx, func(e any) {
		if paused, is := e.(*fetch.EventRequestPaused); is {
			go chromedp.Do(b.ctx, func(ctx context.Context, c *chromedp.Target) (none chromedp.Void, err error) {
				_, err = cdp.Call(ctx, c, fetch.FailRequest, fetch.FailRequestParams{RequestID: paused.RequestID, ErrorReason: network.ErrorReasonInternetDisconnected})
				return none, err
			})
		}
	}))
	b.do(chromedp.Navigate(p.link("")))
	b.sees("Not all of this page has come: load it again.").looks("not all has come")
	b.do(func(ctx context.Context, c *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, c, fetch.Disable, cdp.Empty{})
		return chromedp.Void{}, err
	}, chromedp.Reload())
	b.sees("No question waits").until("!document.body.innerText.includes('Not all of this page')")
}

// A page that the desk has refused says why, and not that it is tried again.
func TestPageRefusedStaysSo(t *testing.T) {
	t.Parallel()
	needs.Long(t, "the page in a browser")
	p := newPerson(t, newSpool(t))
	b := p.browse()
	link := p.link("")
	b.another().comes(link).sees("No question waits")
	late := b.another()
	late.token = b.token
	late.do(chromedp.Navigate(link))
	late.sees("This link is used up").looked()
	late.until("performance.now() > 6000").until("document.querySelector('#said').textContent == ''").well()
}

// At twice the size of text, on the narrowest of phones, nothing is beside the window.
func TestPageLargeText(t *testing.T) {
	t.Parallel()
	needs.Long(t, "the page in a browser")
	p := newPerson(t, newSpool(t))
	b := p.browse()
	var ids []string
	for _, request := range []string{colour, typed, controls, cache, danger} {
		_, id := p.ask(request)
		ids = append(ids, id)
	}
	b.do(chromedp.EmulateViewport(320, 640))
	for _, id := range append(ids, "") {
		b.at(map[bool]string{true: "q=" + id}[id != ""]).until("document.querySelector('main').children.length")
		b.eval("document.documentElement.style.fontSize = '200%'")
		b.looks(id)
		b.well()
	}
}
