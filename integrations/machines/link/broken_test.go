package link

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/askpane/askpane/bridge/address"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/tests/must"
	"github.com/askpane/askpane/tests/proxy"
)

// A link that is killed at any point of an answer's way loses nothing, and the other link
// and a new one bring it to its end. It is killed by ending it between two steps; that a
// step is not done by halves is the spool's and the hub's.
func TestKilled(t *testing.T) {
	t.Parallel()
	taken := chosen(1)
	taken.Machine = "laptop"
	for name, steps := range map[string]func(laptop, build *desk, q *asked){
		"the person's, after the answer and before the bid": func(laptop, _ *desk, q *asked) {
			laptop.stop()
			laptop.answers(q.id, 1)
			laptop.start()
		},
		"the person's, after the bid and before the verdict": func(laptop, build *desk, q *asked) {
			laptop.bidsAway(q)
			laptop.stop()
			laptop.start()
			build.start()
		},
		"the person's, after the verdict": func(laptop, build *desk, q *asked) {
			laptop.bidsAway(q)
			laptop.stop()
			build.start()
			laptop.until("it is over at the hub", func() bool { return !laptop.has(Bids, "build1."+q.id+".laptop") })
			laptop.start()
		},
		"the asking one, after the spool took the answer": func(laptop, build *desk, q *asked) {
			laptop.bidsAway(q)
			must.Do(build, q.Settle(taken))
			build.start()
		},
		"the asking one, after the agent has the answer": func(laptop, build *desk, q *asked) {
			laptop.bidsAway(q)
			must.Do(build, q.Settle(taken))
			q.gets()
			build.start()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, laptop, build := pair(t)
			q := build.ask()
			laptop.sees(q.id)
			steps(laptop, build, q)
			if !q.Status().Delivered {
				q.isAnsweredBy("laptop")
			}
			laptop.hasWon(q.id)
			w.until("the bid is taken away", func() bool { return !w.has(Bids, "build1."+q.id+".laptop") })
			if n := laptop.shown.Load(); n != 1 {
				t.Errorf("shown %d times", n)
			}
		})
	}
}

// bids waits until its answer is at the hub.
func (d *desk) bids(q *asked) {
	d.Helper()
	d.until("the bid is at the hub", func() bool { return d.has(Bids, "build1."+q.id+"."+d.name) })
}

// bidsAway answers a question whose machine has no link just now, and waits until that is at
// the hub.
func (d *desk) bidsAway(q *asked) {
	d.Helper()
	q.stop()
	d.answers(q.id, 1)
	d.bids(q)
}

// An entry that the person's link had settled by the verdict and not delivered, or not
// moved to the history yet, is delivered by the next; and the person is told once.
func TestKilledAfterTheVerdictWasWritten(t *testing.T) {
	t.Parallel()
	w, laptop, build := pair(t)
	q, moving := build.ask(), build.ask()
	laptop.sees(q.id)
	laptop.sees(moving.id)
	laptop.stop()
	for _, q := range []*asked{q, moving} {
		must.Do(w, q.Settle(chosen(0)))
		q.gets()
		won := chosen(0)
		won.Machine = "build1"
		must.Do(w, laptop.sees(q.id).Settle(won))
	}
	must.Do(w, os.WriteFile(filepath.Join(laptop.dir, "spool", moving.id, "delivered"), nil, 0o600))
	laptop.start()
	for _, q := range []*asked{q, moving} {
		if r, a := laptop.ends(q.id); r.Machine != "build1" || a.Verdict != "" {
			t.Errorf("%+v, %+v", r, a)
		}
	}
	if told := laptop.notes(&laptop.late); len(told) > 0 {
		t.Errorf("told %q", told)
	}
}

// Cut off, both sides go on; when they are together again, the first that the asking
// spool took counts, and the other is told.
func TestSplit(t *testing.T) {
	t.Parallel()
	w, laptop, build := pair(t)
	p := proxy.New(w, w.server.Addr().String())
	laptop.through(p)
	q := build.ask()
	e := laptop.sees(q.id)
	p.Cut(true)
	must.Do(w, q.Settle(chosen(0)))
	q.gets()
	w.until("it is known that the hub is away", func() bool { return laptop.status().Err != "" })
	must.Do(w, e.Settle(chosen(1)))
	w.until("the person hears of that", func() bool { return len(laptop.notes(&laptop.late)) > 0 })
	other := build.ask() // it is not known here yet
	p.Cut(false)
	if r, a := laptop.ends(q.id); r.Machine != "" || a.Won == nil || a.Won.Machine != "build1" || a.Won.Answers[0].Choices[0] != 0 {
		t.Errorf("%+v, %+v", r, a)
	}
	laptop.answers(other.id, 1)
	other.isAnsweredBy("laptop")
	laptop.ends(other.id)
	if told := laptop.notes(&laptop.late); len(told) != 2 || told[0] != "it goes to build1 as soon as the hub is there again" {
		t.Errorf("told %q", told)
	}
}

// The hub loses its disk: all that waits is there again, nothing is asked twice, and
// answers given meanwhile arrive, also to a question that was over by then.
func TestHubLosesItsDisk(t *testing.T) {
	t.Parallel()
	w, laptop, build := pair(t)
	waiting, answered, ended, missed := build.ask(), build.ask(), build.ask(), build.ask()
	for _, q := range []*asked{waiting, answered, ended, missed} {
		laptop.sees(q.id)
	}
	w.hubDies()
	laptop.answers(answered.id, 1)
	laptop.answers(ended.id, 1)
	for _, q := range []*asked{ended, missed} {
		must.Do(w, q.Settle(chosen(0)))
		q.gets()
	}
	must.Do(w, os.RemoveAll(filepath.Join(w.dir, "hub")))
	w.hub()
	answered.isAnsweredBy("laptop")
	laptop.answers(waiting.id, 1)
	waiting.gets()
	laptop.ends(waiting.id)
	laptop.ends(answered.id)
	if _, a := laptop.ends(ended.id); a.Won == nil || a.Won.Machine != "build1" || a.Won.Outcome != form.Answered {
		t.Errorf("answered here, after it was over there: %+v", a)
	}
	if r, _ := laptop.ends(missed.id); r.Outcome == form.Answered && r.Machine != "build1" || r.Outcome != form.Answered && r.Outcome != form.Aborted {
		t.Errorf("over there, and nobody knows: %+v", r)
	}
	if n := laptop.shown.Load(); n != 4 {
		t.Errorf("4 questions were shown %d times", n)
	}
}

// A question that was over before the hub knew again for whom: it is sealed once more.
func TestOverBeforeItsReadersAreBack(t *testing.T) {
	t.Parallel()
	w, laptop, build := pair(t)
	q := build.ask()
	laptop.sees(q.id)
	laptop.stop()
	build.stop()
	laptop.answers(q.id, 1)
	must.Do(w, q.Settle(chosen(0)))
	w.hubDies()
	must.Do(w, os.RemoveAll(filepath.Join(w.dir, "hub")))
	w.hub()
	build.start()
	w.until("it is published", func() bool { return w.has(Entries, "build1."+q.id) })
	laptop.start()
	if _, a := laptop.ends(q.id); a.Won == nil || a.Won.Machine != "build1" {
		t.Errorf("%+v", a)
	}
}

// A machine that is not heard of any more: so it says here, it can be answered, and the
// answer arrives when it is back. What vanished from its spool meanwhile ends here, too.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	w, laptop, build := pair(t)
	q, other, vanished := build.ask(), build.ask(), build.ask()
	e, o := laptop.sees(q.id), laptop.sees(other.id)
	laptop.sees(vanished.id)
	build.stop()
	w.until("it is unreachable", func() bool { return !e.Away().Unreachable.IsZero() && !o.Away().Unreachable.IsZero() })
	laptop.answers(q.id, 1)
	must.Do(w, vanished.LetGo())
	must.Do(w, os.RemoveAll(filepath.Join(build.dir, "spool", vanished.id)))
	build.start()
	q.isAnsweredBy("laptop")
	w.until("it is there", func() bool { return o.Away().Unreachable.IsZero() })
	if r, _ := laptop.ends(vanished.id); r.Outcome != form.Aborted {
		t.Errorf("%+v", r)
	}
}

func (d *desk) status() (s address.LinkStatus) {
	data, err := os.ReadFile(filepath.Join(d.dir, "state", address.LinkStatusFile))
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		d.Fatal(err)
	}
	return s
}

// The status says whether the hub is there, why it is not, and what is not published.
func TestStatus(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	build := w.machine("build1", true)
	w.until("it is connected", func() bool { return build.status().Connected })
	w.hubDies()
	build.ask()
	w.until("it says what is wrong", func() bool {
		s := build.status()
		return !s.Connected && s.Err != "" && s.Unpublished == 1 && !s.Since.IsZero()
	})
	w.hub()
	w.until("all is well", func() bool { s := build.status(); return s.Connected && s.Err == "" && s.Unpublished == 0 })
}

// A mirrored entry that loses its files is there again, as the question waits on its machine;
// one of this machine's own is over, with a draft that was left of it or without.
func TestEntryLosesItsFiles(t *testing.T) {
	t.Parallel()
	w, laptop, build := pair(t)
	q, gone := build.ask(), build.ask()
	laptop.sees(gone.id)
	laptop.sees(q.id)
	must.Do(w, os.WriteFile(filepath.Join(laptop.dir, "spool", q.id, "draft.json"), []byte("{}"), 0o600))
	lose(w, filepath.Join(laptop.dir, "spool", q.id))
	w.until("it is shown again", func() bool { return laptop.shown.Load() == 3 })
	laptop.answers(q.id, 1)
	q.isAnsweredBy("laptop")
	laptop.ends(q.id)
	must.Do(w, gone.LetGo())
	must.Do(w, os.WriteFile(filepath.Join(build.dir, "spool", gone.id, "draft.json"), []byte("{}"), 0o600))
	lose(w, filepath.Join(build.dir, "spool", gone.id))
	if r, _ := laptop.ends(gone.id); r.Outcome != form.Aborted {
		t.Errorf("%+v", r)
	}
}

// lose removes all files of an entry but its draft.
func lose(w *world, dir string) {
	w.Helper()
	files, err := os.ReadDir(dir)
	must.Do(w, err)
	for _, f := range files {
		if f.Name() != "draft.json" {
			must.Do(w, os.RemoveAll(filepath.Join(dir, f.Name())))
		}
	}
}

// A desk was killed, and its question ended before another was up, while the hub was down. The
// next desk is needed until the hub knows, though it has nothing of that question yet.
func TestEndedWithoutADesk(t *testing.T) {
	t.Parallel()
	w, laptop, build := pair(t)
	q := build.ask()
	e := laptop.sees(q.id)
	w.until("it is noted that the hub has it", func() bool { return build.status().Open == 1 })
	build.stop()
	w.hubDies()
	must.Do(w, q.Settle(chosen(0)))
	q.gets()
	var owed atomic.Int32
	owed.Store(-1)
	build.with(func(c *Config) { c.Unsent = func(n int) { owed.Store(int32(n)) } })
	w.until("it has tried the hub", func() bool { return build.status().Err != "" })
	if n := owed.Load(); n != 1 {
		t.Errorf("the hub is to be told %d things", n)
	}
	w.hub()
	w.until("it is over on the laptop", func() bool { return e.Status().Delivered })
	w.until("nothing is owed any more", func() bool { return owed.Load() == 0 && build.status().Open == 0 })
}

// More than so many questions of one machine are not shown at once; the others come when some
// of those are over.
func TestManyOfOneMachine(t *testing.T) {
	t.Parallel()
	w, laptop, build := pair(t)
	laptop.with(func(c *Config) { c.Most = 2 })
	first, second := build.ask(), build.ask()
	laptop.sees(first.id)
	laptop.sees(second.id)
	third := build.ask()
	w.until("it is said", laptop.said("2 questions of build1 wait here"))
	if waits(laptop, third.id) {
		t.Error("it is shown all the same")
	}
	laptop.answers(first.id, 1)
	first.isAnsweredBy("laptop")
	laptop.answers(third.id, 1)
	third.isAnsweredBy("laptop")
}
