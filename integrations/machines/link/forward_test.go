package link

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/integrations/machines/trust"
	"github.com/askpane/askpane/tests/must"
)

// A hub and a forward bring the same question to one spool: it is shown once, and by the
// other as soon as one goes.
func TestHubAndForward(t *testing.T) {
	t.Parallel()
	w, laptop, build := pair(t)
	forward := w.machine("forward", true)
	laptop.stop()
	forward.with(func(c *Config) { c.Spool, c.Via = laptop.sp, "build1" })
	shows := func(what string, hub, forwarded int32) {
		t.Helper()
		w.until(what, func() bool { return laptop.showing.Load() == hub && forward.showing.Load() == forwarded })
	}
	q := build.ask()
	shows("the forward shows it", 0, 1)
	laptop.start()
	shows("it is shown once", 0, 1)
	forward.stop()
	shows("the hub's link shows it", 1, 0)
	forward.start()
	other := build.ask()
	laptop.sees(other.id)
	w.until("each is shown once", func() bool { return laptop.showing.Load()+forward.showing.Load() == 2 })
	laptop.stop()
	shows("the forward shows what the hub's link has left", 0, 2)
	laptop.answers(q.id, 1)
	q.isAnsweredBy("forward")
	build.answers(other.id, 0)
	other.gets()
	laptop.ends(other.id)
	if logged := append(laptop.notes(&laptop.logged), forward.notes(&forward.logged)...); len(logged) > 0 {
		t.Errorf("%q", logged)
	}
}

// A forward that ends takes with it what has no answer; an answer that has not reached
// its machine stays, and the next one brings it there.
func TestForwardEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	forward, build := w.machine("forward", true), w.machine("build1", false)
	forward.with(func(c *Config) { c.Via = "build1" })
	q, answered, mine := build.ask(), build.ask(), forward.ask()
	forward.sees(q.id)
	forward.sees(answered.id)
	build.stop() // nobody is there who takes it
	forward.answers(answered.id, 1)
	forward.stop()
	if waiting, kept, err := forward.sp.Scan(); len(waiting) != 1 || waiting[0] != mine.id || len(kept) != 1 || err != nil {
		t.Errorf("left: %v, %v, %v", waiting, kept, err)
	}
	if _, there, _ := q.Answer(); there {
		t.Error("it has ended where it was asked")
	}
	forward.start()
	build.start()
	answered.isAnsweredBy("forward")
	forward.sees(q.id)
	forward.answers(q.id, 0)
	q.gets()
	if w.has(Entries, "forward."+mine.id) {
		t.Error("a question of this machine has left it")
	}
}

// A machine that leaves its hub takes away what it had of others, also what was answered and did
// not get there; what it was asked itself stays.
func TestLeft(t *testing.T) {
	t.Parallel()
	_, laptop, build := pair(t)
	q, answered, mine := build.ask(), build.ask(), laptop.ask()
	laptop.sees(q.id)
	laptop.sees(answered.id)
	build.stop()
	laptop.answers(answered.id, 1)
	must.Do(t, os.Remove(filepath.Join(laptop.dir, trust.File)))
	laptop.stop()
	if waiting, kept, err := laptop.sp.Scan(); len(waiting) != 1 || waiting[0] != mine.id || len(kept) != 0 || err != nil {
		t.Errorf("left: %v, %v, %v", waiting, kept, err)
	}
	if r, a := laptop.ends(answered.id); r.Outcome != form.Answered || !strings.Contains(a.Verdict, "given before this machine left its hub") {
		t.Errorf("%+v, %+v", r, a)
	}
	if _, there, _ := q.Answer(); there {
		t.Error("it has ended where it was asked")
	}
}

// An answer that has to wait for a forward waits for that: there is no hub that a person knows of.
func TestForwardIsAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	forward, build := w.machine("forward", true), w.machine("build1", false)
	forward.with(func(c *Config) { c.Via = "build1" })
	q := build.ask()
	e := forward.sees(q.id)
	w.hubDies()
	w.until("it is known", func() bool { return forward.status().Err != "" })
	must.Do(w, e.Settle(chosen(1)))
	w.until("the person hears of that", func() bool { return len(forward.notes(&forward.late)) > 0 })
	if told := forward.notes(&forward.late); told[0] != "it goes to build1 as soon as askpane forward is connected again" {
		t.Errorf("told %q", told)
	}
	w.hub()
	q.isAnsweredBy("forward")
}
