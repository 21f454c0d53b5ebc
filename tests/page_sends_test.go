package tests

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"github.com/askpane/askpane/tests/needs"
)

// refuses has the network answer by a status, or drop at 0, what the tab posts to the desk
// for as long as it is told to.
func (t *browserTab) refuses(status int64) (on *atomic.Bool, refused *atomic.Int64) {
	t.Helper()
	on, refused = &atomic.Bool{}, &atomic.Int64{}
	on.Store(true)
	err := chromedp.Listen(t.ctx, func(e any) {
		paused, is := e.(*fetch.EventRequestPaused)
		if !is {
			return
		}
		go chromedp.Do(t.ctx, func(ctx context.Context, c *chromedp.Target) (none chromedp.Void, err error) {
			switch {
			case !on.Load():
				_, err = cdp.Call(ctx, c, fetch.ContinueRequest, fetch.ContinueRequestParams{RequestID: paused.RequestID})
			case status == 0:
				refused.Add(1)
				_, err = cdp.Call(ctx, c, fetch.FailRequest, fetch.FailRequestParams{RequestID: paused.RequestID, ErrorReason: network.ErrorReasonInternetDisconnected})
			default:
				refused.Add(1)
				_, err = cdp.Call(ctx, c, fetch.FulfillRequest, fetch.FulfillRequestParams{RequestID: paused.RequestID, ResponseCode: status})
			}
			return none, err
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	t.do(func(ctx context.Context, c *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, c, fetch.Enable, fetch.EnableParams{Patterns: []*fetch.RequestPattern{{URLPattern: "*/api/do"}}})
		return chromedp.Void{}, err
	})
	return on, refused
}

const free = `{"questions":[{"header":"T","question":"What may go?","type":"free_text"}]}`

// What stands in the entry is the answer, also where a request that had a part of it was lost.
func TestPageSendsWhatStands(t *testing.T) {
	t.Parallel()
	needs.Long(t, "the page in a browser")
	p := newPerson(t, newSpool(t))
	inbox := p.browse()
	for _, status := range []int64{0, 502} {
		a, id := p.ask(free)
		b := inbox.another().comes(p.link(id)).sees("#entry0").types("only")
		eventually(t, "it is saved", func() bool { return strings.Contains(p.spool.read(id, "draft.json"), "only") })
		on, refused := b.refuses(status)
		b.types(" the staging table")
		eventually(t, "a request is lost", func() bool { return refused.Load() > 0 })
		b.types(", NOT production")
		on.Store(false)
		b.isRight().clicks("Answer").sees(said).well()
		a.answered("T: only the staging table, NOT production")
	}
}

// What is typed and taken back, while the network is slow, does not stay with the desk.
func TestPageSendsWhatIsTakenBack(t *testing.T) {
	t.Parallel()
	needs.Long(t, "the page in a browser")
	p := newPerson(t, newSpool(t))
	b := p.browse()
	a, id := p.ask(`{"questions":[{"header":"T","question":"What may go?","type":"free_text"},{"header":"U","question":"What not?","type":"free_text"}]}`)
	b.at("q=" + id).sees("#entry0").types("stage")
	eventually(t, "it is saved", func() bool { return strings.Contains(p.spool.read(id, "draft.json"), "stage") })
	b.isRight().eval(countsPosts)
	letGo := b.slow()
	b.types("x{Del}")
	letGo()
	b.until("posted > 0").steps("[□ U] → #entry1", "[□ T] → #entry0").until("document.activeElement.value == 'stage'").well()
	p.commands("answer", id, "--cancel")
	a.ends("cancelled", 3, "User cancelled the questionnaire")
}

// A text that is too long is not sent, and neither is a part of it.
func TestPageSendsNoPart(t *testing.T) {
	t.Parallel()
	needs.Long(t, "the page in a browser")
	p := newPerson(t, newSpool(t))
	b := p.browse()
	a, id := p.ask(free)
	b.at("q=" + id).sees("#entry0").types("see the log: ")
	eventually(t, "it is saved", func() bool { return strings.Contains(p.spool.read(id, "draft.json"), "see the log: ") })
	b.eval(fmt.Sprintf("document.execCommand('insertText', false, 'x'.repeat(%d))", 1<<20))
	b.sees("That is too long").eval("document.querySelector('#said').textContent = ''")
	b.clicks("Answer").sees("That is too long")
	if slices.Contains(p.spool.history(), id) || p.spool.read(id, "answer.json") != "" {
		t.Fatal("a part of it was sent")
	}
	b.eval("document.querySelector('#entry0').select()")
	b.types("no log{Enter}").sees(said).well()
	a.answered("T: no log")
}
