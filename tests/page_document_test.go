package tests

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"github.com/askpane/askpane/tests/needs"
)

// waysOut lists what an HTML or SVG document loads or leads to by itself; URL leads elsewhere.
var waysOut = map[string]string{
	"html": `<link rel=stylesheet href=URL/1><link rel=preload as=image href=URL/2><link rel=prefetch href=URL/3><link rel=modulepreload href=URL/4><link rel=icon href=URL/5><link rel=manifest href=URL/6><link rel=preconnect href=URL>
		<style>@import "URL/7"; @font-face { font-family: f; src: url(URL/8) } p { font-family: f; background: url(URL/9); list-style-image: url(URL/10); cursor: url(URL/11), auto; content: url(URL/12) }</style>
		<p>words</p><img src=URL/13><img srcset="URL/14 1x"><picture><source srcset=URL/15><img></picture><video src=URL/16 autoplay poster=URL/17><track src=URL/18 default></video><audio src=URL/19 autoplay></audio>
		<object data=URL/20></object><embed src=URL/21><iframe src=URL/22></iframe><iframe srcdoc="<img src=URL/23>"></iframe><input type=image src=URL/24><table background=URL/25></table>
		<script src=URL/26></script><script>fetch('URL/27'); location = 'URL/28'; top.location = 'URL/29'</script><body background=URL/30 onload="new Image().src = 'URL/31'">
		<svg><image href=URL/32 /><use href="URL/33#a"/><feImage href=URL/34 /></svg><base href=URL/35/><img src=36><meta http-equiv=refresh content="0; url=URL/37">`,
	"svg": `<?xml-stylesheet href="URL/1"?><svg xmlns="http://www.w3.org/2000/svg" xmlns:x="http://www.w3.org/1999/xlink" onload="fetch('URL/2')"><style>@import "URL/3"; text { fill: url(URL/4#a); font-family: f } @font-face { font-family: f; src: url(URL/5) }</style>
		<text>words</text><image href="URL/6"/><image x:href="URL/7"/><use href="URL/8#a"/><feImage href="URL/9"/><filter id="f"><feImage href="URL/10"/></filter><rect filter="url(#f)" width="9" height="9"/>
		<foreignObject width="9" height="9"><img xmlns="http://www.w3.org/1999/xhtml" src="URL/11"/><iframe xmlns="http://www.w3.org/1999/xhtml" src="URL/12"/></foreignObject><script href="URL/13"/><script>location = 'URL/14'</script><animate attributeName="href" values="URL/15"/></svg>`,
}

// A question is a document that loads nothing from elsewhere; a link opens in a tab of its own,
// which is told nothing, and in a preview's frame it leads nowhere.
func TestPageDocuments(t *testing.T) {
	t.Parallel()
	needs.Long(t, "the page in a browser")
	var mu sync.Mutex
	var visits []string
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		visits = append(visits, r.URL.Path+" "+r.Referer())
	}))
	defer elsewhere.Close()
	visited := func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.DeleteFunc(slices.Clone(visits), func(v string) bool { return strings.HasPrefix(v, "/favicon.ico") })
	}
	p := newPerson(t, newSpool(t))
	b := p.browse()
	_, long := p.ask(`{"questions":[{"header":"Doc","question":"هل أحذف الجدول orders_old الآن؟\n\n` + strings.Repeat("It has been there for a year. ", 100) + `\n\nGo on?","type":"select_one","options":[{"label":"Yes"},{"label":"No"}]}]}`)
	b.at("q=" + long).sees("#q0-c0").until("scrollY == 0 && document.documentElement.scrollHeight > 2 * innerHeight") // it begins where one reads
	b.until("getComputedStyle(document.querySelector('#asked .doc')).direction == 'rtl'")
	_, id := p.ask(strings.NewReplacer("URL", elsewhere.URL, "DOT", dot).Replace(`{"questions":[{"header":"Doc","question":"See [the runbook](URL/run), ![a](URL/a.png) <img src='URL/b.png'>?","type":"select_one","options":[
		{"label":"a","preview":{"type":"markdown","content":"![dot](DOT) ![c](URL/c.png)\n\n| a | b |\n|---|---|\n| 1 | 2 |"}},
		{"label":"b","preview":{"type":"html","content":"<a style='position: fixed; inset: 0' href='URL/framed'>x</a>"}}]}]}`))
	b.at("q="+id).sees("See the runbook ("+elsewhere.URL+"/run)", "picture: a", "<img src='").until("document.querySelector('.doc img').naturalWidth == 1 && document.querySelector('.doc td')")
	b.well()
	b.types("{Tab}").until("document.querySelector('iframe')?.loads == 1")
	b.eval("document.querySelector('iframe').focus()")                                                  // a click would be lost where the frame's own process has not drawn it yet
	b.types("{Tab}").do(func(ctx context.Context, c *chromedp.Target) (none chromedp.Void, err error) { // no key comes up, which would reach no frame any more
		_, err = cdp.Call(ctx, c, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: "Enter", Code: "Enter", Text: "\r", WindowsVirtualKeyCode: 13})
		return none, err
	})
	b.until("document.querySelector('iframe')?.loads == 3")
	for kind, content := range waysOut {
		content, _ := json.Marshal(strings.ReplaceAll(content, "URL", elsewhere.URL))
		_, out := p.ask(`{"questions":[{"header":"Out","question":"Which way?","type":"select_one","options":[{"label":"a","preview":{"type":"` + kind + `","content":` + string(content) + `}},{"label":"b"}]}]}`)
		b.at("q=" + out).until("document.querySelector('iframe')?.loads == 1").sees("Which way?").looks(kind)
	}
	if all := visited(); len(all) != 0 {
		t.Errorf("the page has loaded %v", all)
	}
	b.at("q=" + id).clicks("the runbook")
	eventually(t, "the link is followed", func() bool { return slices.Equal(visited(), []string{"/run "}) })
	b.sees("See the runbook")
}

// A short question is answered in the inbox.
func TestPageInPlace(t *testing.T) {
	t.Parallel()
	needs.Long(t, "the page in a browser")
	p := newPerson(t, newSpool(t))
	b := p.browse()
	a, _ := p.ask(`{"questions":[{"header":"Go","question":"Go on?","type":"select_one","options":[{"label":"Yes"},{"label":"No"}]}]}`)
	b.until("Date.now() - document.querySelector('.quick button')?.moved > 500").clicks("No").sees("No question waits.")
	a.answered("Go: No")
	b.well()
}

// Of a plan, and of a question, nothing stands beside the window, however narrow that is or becomes: who approves it
// has had all of it on view.
func TestPageNothingBeside(t *testing.T) {
	t.Parallel()
	needs.Long(t, "the page in a browser")
	p := newPerson(t, newSpool(t))
	b := p.browse()
	wide := "|" + strings.Repeat(" column |", 9) + "\n|" + strings.Repeat("-|", 9) + "\n|" + strings.Repeat(" value |", 8) + " drop all |\n\n" +
		"```mermaid\nsequenceDiagram\nparticipant Alpha\nparticipant Beta\nparticipant Gamma\nparticipant Delta\nparticipant Epsilon\nAlpha->>Epsilon: drop all\n```\n\n" +
		"```sh\n" + strings.Repeat("echo ", 30) + "; drop all\n```"
	said, _ := json.Marshal(strings.Repeat("First.\n\n", 40) + wide)
	for _, request := range []string{`{"plan":` + string(said) + `}`, `{"questions":[{"header":"Q","question":` + string(said) + `,"type":"select_one","options":[{"label":"Yes"},{"label":"No"}]}]}`} {
		_, id := p.ask(request)
		for _, width := range []int64{320, 1000} {
			b.do(chromedp.EmulateViewport(width, 740))
			b.at("q=" + id).sees("#q0-c0")
			b.do(chromedp.EmulateViewport(320, 740))
			const within = "innerWidth == 320 && document.documentElement.scrollWidth <= 320 && ((all) => all.length >= 3 && all.every((e) => e.scrollWidth <= e.clientWidth))([...document.querySelectorAll('#form :is(pre, .table, .diagram)')])"
			b.until(within)
			b.steps("[Help] → go through what can be done", "{Esc} → #q0-c0").until(within).well() // it stays so when it is drawn anew
		}
	}
}
