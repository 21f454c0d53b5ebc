package asker

import (
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/tests/must"
)

// Who goes from the form to the agent's pane and does not answer gets the agent's own dialog; who
// puts the form off for later does not.
func TestHandBack(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("ASKPANE_SPOOL", dir)
	t.Setenv("ASKPANE_HAND_BACK_SECONDS", "1")
	sp, err := spool.Open(dir)
	must.Do(t, err)
	defer sp.Close()
	f := form.Form{Dialect: "question", Questions: []form.Question{{ID: "a", Label: "Why", Prompt: "Why?", Kind: form.Text}}}
	ask := func(host string, left bool) (e *spool.Entry, ended chan struct{}) {
		e, err := sp.Create(spool.Request{Form: f, Origin: spool.Origin{Host: host, Start: time.Now(), Native: spool.Serial}})
		must.Do(t, err)
		t.Cleanup(func() { e.Close() })
		ended = make(chan struct{})
		go func() {
			defer close(ended)
			Asker{Say: func(err error) { t.Error(err) }}.For(dir).HandBack(t.Context(), sp, e.ID)
		}()
		popup, err := sp.Open(e.ID)
		must.Do(t, err)
		_, err = popup.TakePopup()
		must.Do(t, err)
		if left {
			must.Do(t, sp.Queue(host, "").NoteLeft())
		}
		must.Do(t, popup.PutAside("v", "v"))
		must.Do(t, popup.Close())
		return e, ended
	}
	later, _ := ask("zellij", false)
	e, ended := ask("tmux", true)
	select {
	case <-ended:
	case <-time.After(20 * time.Second):
		t.Fatal("it was not handed back")
	}
	if r, over, err := e.Answer(); !over || err != nil || r.Outcome != form.Elsewhere || r.By != form.ByItself {
		t.Errorf("it ended as %+v, %v", r, err)
	}
	if _, over, _ := later.Answer(); over {
		t.Error("what was put off for later was handed back")
	}
}

// The time counts from when they came to the pane, and anew when they come again.
func TestCameAt(t *testing.T) {
	t.Parallel()
	at := func(seconds int64) time.Time { return time.Unix(1000+seconds, 0) }
	came := time.Time{}
	for i, c := range []struct {
		now, want int64
		there     bool
	}{{now: 5, want: 5, there: true}, {now: 7, want: 5, there: true}, {now: 8}, {now: 60, want: 60, there: true}, {now: 61, want: 60, there: true}} {
		if came = cameAt(came, at(c.now), c.there); came.IsZero() == c.there || c.there && came != at(c.want) {
			t.Errorf("%d: since %v", i, came)
		}
	}
}
