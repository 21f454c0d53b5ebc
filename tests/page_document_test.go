package tests

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/askpane/askpane/tests/needs"
)

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
	at := b.place("document.querySelector('iframe')")
	b.do(chromedp.MouseClickXY(at[0], at[1]))
	b.until("document.querySelector('iframe')?.loads == 3")
	if all := visited(); len(all) != 0 {
		t.Errorf("the page has loaded %v", all)
	}
	b.clicks("the runbook")
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
