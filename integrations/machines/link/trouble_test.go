package link

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/address"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/integrations/machines/trust"
	"github.com/askpane/askpane/tests/must"
)

func (d *desk) said(what string) func() bool {
	return func() bool { return strings.Contains(strings.Join(d.notes(&d.logged), "\n"), what) }
}

// A question that cannot be read for a while is not gone, neither for those who have it nor
// for whoever answers it; and one that cannot be made here for a while is shown later.
func TestUnreadForAWhile(t *testing.T) {
	t.Parallel()
	w, laptop, build := pair(t)
	answered, waits := build.ask(), build.ask()
	laptop.sees(answered.id)
	e := laptop.sees(waits.id)
	build.stop()
	laptop.answers(answered.id, 1)
	laptop.bids(answered)
	for _, q := range []*asked{answered, waits} {
		must.Do(w, os.Chmod(filepath.Join(build.dir, "spool", q.id), 0o777)) // which is refused
	}
	unmade := build.ask()
	inTheWay := filepath.Join(laptop.dir, "spool", unmade.id)
	must.Do(w, os.WriteFile(inTheWay, nil, 0o600))
	build.start()
	w.until("it cannot be read", build.said("written by others"))
	w.until("the other cannot be made", laptop.said(unmade.id))
	w.until("it is there, and says so", func() bool { return e.Away().Unreachable.IsZero() && build.status().Connected })
	heard := laptop.ask() // and what the link has to say of those is said
	w.until("it is published", func() bool { return w.has(Entries, "laptop."+heard.id) })
	for _, q := range []*asked{answered, waits} {
		if _, over, _ := q.Answer(); over || q.Status().Removed {
			t.Errorf("%s is over there", q.id)
		}
		must.Do(w, os.Chmod(filepath.Join(build.dir, "spool", q.id), 0o700))
	}
	must.Do(w, os.Remove(inTheWay))
	laptop.answers(waits.id, 1)
	laptop.answers(unmade.id, 1)
	for _, q := range []*asked{answered, waits, unmade} {
		q.isAnsweredBy("laptop")
		laptop.hasWon(q.id)
	}
}

// A machine that has lost its spool has its question again, and the answer of before counts
// if that was first. Here that is no answer of ours, whatever its machine is called.
func TestAnsweredTwiceUnderOneName(t *testing.T) {
	t.Parallel()
	w, laptop, build := pair(t)
	q := build.ask()
	laptop.sees(q.id)
	build.stop()
	laptop.answers(q.id, 0)
	laptop.bids(q)
	laptop.stop()
	must.Do(w, os.RemoveAll(filepath.Join(laptop.dir, "spool")))
	var err error
	laptop.sp.Close()
	laptop.sp, err = spool.Open(filepath.Join(laptop.dir, "spool"))
	must.Do(w, err)
	laptop.start()
	laptop.answers(q.id, 1)
	build.start()
	if r := q.gets(); r.Machine != "laptop" || r.Answers[0].Choices[0] != 0 {
		t.Errorf("%+v", r)
	}
	if r, a := laptop.ends(q.id); r.Answers[0].Choices[0] != 1 || a.Won == nil || a.Won.Answers[0].Choices[0] != 0 || !strings.Contains(a.Verdict, "too late") {
		t.Errorf("%+v, %+v", r, a)
	}
}

// What a hub makes up, moves, or shows again does nothing: no question comes back, no
// answer counts elsewhere, and the link stays up.
func TestHubThatLies(t *testing.T) {
	t.Parallel()
	w, laptop, build := pair(t)
	old := func(name, key string) []byte {
		e, err := w.bucket(name).Get(t.Context(), key)
		must.Do(w, err)
		return e.Value()
	}
	q := build.ask()
	laptop.sees(q.id)
	entry, bid := "build1."+q.id, "build1."+q.id+".laptop"
	build.stop()
	laptop.answers(q.id, 1)
	laptop.bids(q)
	waiting, answer := old(Entries, entry), old(Bids, bid)
	build.start()
	q.gets()
	laptop.ends(q.id)
	second := build.ask()
	laptop.sees(second.id)
	for name, keys := range map[string][]string{
		Entries: {"x", "build1", "build1.a.b", "laptop.x", "build1.x", "nobody." + q.id}, Bids: {"build1", "build1.x", "build1.x.laptop", "laptop.x.y.z"},
		Drafts: {"x", "build1.x", "build1." + q.id + ".laptop", "laptop.a.b.c"}, Alive: {"build1.x", "nobody"}, Machines: {"x.y", "build2"},
	} {
		for _, key := range keys {
			w.put(name, key, []byte("x"))
			if key != "laptop.x" && key != "build1.x" {
				must.Do(w, w.bucket(name).Delete(t.Context(), key))
			}
		}
	}
	w.put(Entries, entry, waiting)
	w.put(Entries, "build1."+second.id, waiting)
	w.put(Bids, bid, answer)
	w.put(Bids, "build1."+second.id+".laptop", answer)
	w.until("the replayed bid is taken away", func() bool { return !w.has(Bids, bid) })
	third := build.ask()
	laptop.answers(third.id, 1)
	third.gets()
	if _, over, _ := second.Answer(); over || laptop.shown.Load() != 3 {
		t.Errorf("answered by a moved bid: %t; shown: %d", over, laptop.shown.Load())
	}
}

// beats waits until its heart has beaten once more.
func (d *desk) beats() {
	d.Helper()
	last := func() uint64 {
		e, err := d.bucket(Alive).Get(d.Context(), d.name)
		must.Do(d, err)
		return e.Revision()
	}
	was := last()
	d.until(d.name+"'s heart beats", func() bool { return last() > was })
}

// How a question is over is known for a while, also where nobody has said when it was; and
// what is typed to it later does not stay at the hub.
func TestOverIsKnownForAWhile(t *testing.T) {
	t.Parallel()
	w, laptop, build := pair(t)
	q := build.ask()
	laptop.sees(q.id)
	laptop.stop()
	r := chosen(1)
	r.At = time.Time{}
	must.Do(w, q.Settle(r))
	q.gets()
	key := "build1." + q.id + ".laptop"
	w.put(Drafts, key, w.sealed(laptop, build, Drafts, key, trust.Encode(map[string]int{"version": form.Version})))
	w.until("the draft is taken away", func() bool { return !w.has(Drafts, key) })
	for range 3 {
		build.beats()
	}
	laptop.start()
	if r, _ := laptop.ends(q.id); r.Machine != "build1" || r.Outcome != form.Answered {
		t.Errorf("%+v", r)
	}
}

// The status is written when there is something to say.
func TestStatusIsWrittenSeldom(t *testing.T) {
	l := &link{Config: Config{Dir: t.TempDir(), Log: func(err error) { t.Error(err) }}, logged: map[string]bool{}}
	for lag, written := range map[int64]bool{5: true, 7: false, 14: true} {
		l.status = address.LinkStatus{Version: 1, LagMs: 6}
		if lag == 5 {
			l.status.LagMs = 0
		}
		l.say(func(s *address.LinkStatus) { s.LagMs = lag })
		file := filepath.Join(l.Dir, address.LinkStatusFile)
		if _, err := os.Stat(file); (err == nil) != written {
			t.Errorf("lag %d: written %t", lag, err == nil)
		}
		os.Remove(file)
	}
}
