package asker

import (
	"slices"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
)

// The panes of a host are those from which the questions that wait were asked, as of now;
// one of another machine has none here.
func TestPanes(t *testing.T) {
	t.Parallel()
	sp, err := spool.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer sp.Close()
	f := form.Form{Dialect: "question", Questions: []form.Question{{ID: "a", Label: "Why", Prompt: "Why?", Kind: form.Text}}}
	ask := func(host, ref string) *spool.Entry {
		t.Helper()
		e, err := sp.Create(spool.Request{Form: f, Origin: spool.Origin{Host: host, Ref: ref, Start: time.Now()}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { e.Close() })
		return e
	}
	p := panes{spool: sp}
	are := func(want ...string) {
		t.Helper()
		if refs := p.refs("tmux"); !slices.Equal(slices.Sorted(slices.Values(refs)), want) {
			t.Errorf("the panes are %q, want %q", refs, want)
		}
	}
	are()
	first := ask("tmux", "%1 /a")
	ask("zellij", "2 work")
	ask("tmux", "")
	away := spool.Request{ID: "01M7YX0STBP1474D78SPT0A4J6", Form: f, Origin: spool.Origin{Away: &spool.Away{Machine: "build1", Digest: "d"}}}
	mirror, err := sp.Mirror(away)
	if err != nil {
		t.Fatal(err)
	}
	defer mirror.Close()
	are("%1 /a")
	ask("tmux", "%2 /b")
	are("%1 /a", "%2 /b")
	if err := first.Settle(form.Result{Outcome: form.Cancelled, By: form.ByAnswer, At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	if err := first.Deliver(); err != nil {
		t.Fatal(err)
	}
	are("%2 /b")
}
