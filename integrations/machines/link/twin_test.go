package link

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/tests/must"
)

// A desk of another spool, with a copy of the keys, stays away while the other is there, and
// later leaves the questions of that one alone, also if they are answered then.
func TestTwoOfOneName(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.beat = time.Second // a heart that is late is one that has stopped
	laptop, build := w.machine("laptop", true), w.machine("build1", false)
	q, unanswered := build.asks(essay()), build.ask()
	e := laptop.sees(q.id)
	laptop.sees(unanswered.id)
	laptop.opens(e).types("typed")
	w.until("that is at the hub", func() bool { return w.has(Drafts, "build1."+q.id+".laptop") })
	copied := &desk{world: w, name: "build1", id: build.id, dir: filepath.Join(w.dir, "copy"), change: func(*Config) {}}
	var err error
	copied.sp, err = spool.Open(filepath.Join(copied.dir, "spool"))
	must.Do(w, err)
	copied.start()
	t.Cleanup(func() { copied.stop(); copied.sp.Close() })
	w.until("it stays away", copied.said("linked from elsewhere"))
	second := copied.ask()
	third := build.ask()
	laptop.answers(third.id, 1)
	third.gets()
	if w.has(Entries, "build1."+second.id) || build.said("elsewhere")() {
		t.Error("it does not stay away, or the other one does")
	}
	build.stop()
	must.Do(w, e.Settle(form.Result{Outcome: form.Answered, Answers: []form.Answer{form.Type("typed")}, By: form.ByPopup}))
	laptop.bids(q)
	laptop.answers(second.id, 1)
	second.gets()
	laptop.ends(second.id)
	w.until("it has looked at the others", copied.said("another spool"))
	copied.stop()
	if !w.has(Entries, "build1."+unanswered.id) || !w.has(Drafts, "build1."+q.id+".laptop") {
		t.Error("what is another spool's is taken from the hub")
	}
	build.start()
	if r := q.gets(); r.Machine != "laptop" || *r.Answers[0].Text != "typed" {
		t.Errorf("%+v", r)
	}
	laptop.answers(unanswered.id, 1)
	unanswered.isAnsweredBy("laptop")
	laptop.hasWon(unanswered.id)
}
