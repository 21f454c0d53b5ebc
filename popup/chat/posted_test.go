package chat

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/settings"
	"github.com/askpane/askpane/tests/must"
)

// Where nobody is there for more than a moment it is posted; and no question waits for
// longer than is set.
func TestAway(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.rules = Rules{When: settings.Away, After: time.Hour}
	e := r.asks(colours)
	a := r.begins(e)
	for _, step := range []struct {
		unattended bool
		since      time.Duration // for how long nobody has been there
		waits      time.Duration // at most until it is looked at again
		wanted     bool
	}{
		{unattended: false, waits: time.Hour},
		{unattended: true, waits: moment},
		{unattended: true, since: moment, wanted: true},
		{unattended: false, waits: time.Hour},
		{unattended: true, waits: moment}, // they were there meanwhile
	} {
		must.Do(r, e.SetUnattended(step.unattended))
		for a.Asker.Unattended != step.unattended {
			r.happens(a)
		}
		a.follow()
		if step.since > 0 {
			a.unseen = time.Now().Add(-step.since)
		}
		a.wake = 2 * time.Hour
		if wanted := a.wanted(); wanted != step.wanted || !wanted && a.wake > step.waits {
			t.Errorf("%+v: it is wanted: %v; else it is looked at after %s", step, wanted, a.wake)
		}
	}
	if a.rules.After = time.Since(a.Req.Origin.Start); !a.wanted() {
		t.Error("it waits for longer than is set")
	}
}

// Nothing is posted of what no agent waits for, or is not to be.
func TestNever(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.asks(cache, func(req *spool.Request) { req.Origin.Agent = "silent" })
	gone := r.asks(two)
	must.Do(r, gone.Close())
	there := r.asks(cache, func(req *spool.Request) {
		req.ID, req.Origin.Away = "01M7YX0STBP1474D78SPT0A4J6", &spool.Away{Machine: "build1"}
	})
	must.Do(r, there.SetAway(spool.AwayState{AgentGone: true}))
	r.most = 1
	r.serve()
	left := r.asks(colours)
	r.sees("m1", "Which colour?")
	must.Do(r, left.Close())
	r.sees("m1", "agent gone") // and makes room
	again, err := r.spool.Open(gone.ID)
	must.Do(r, err)
	defer again.Close()
	if ok, err := again.TakeOver(); !ok || err != nil {
		t.Fatal("nobody waits for it", err)
	}
	r.sees("m2", "First?") // its agent has asked again
	must.Do(r, again.LetGo())
	r.sees("m2", "agent gone")
	must.Do(r, there.SetAway(spool.AwayState{}))
	r.sees("m3", "Which approach") // so has one on another machine
}

// So many at once, the oldest first; the next follows when one is over.
func TestMost(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.most = 2
	var all []*spool.Entry
	for i := range 5 {
		all = append(all, r.asks(fmt.Sprintf(`{"prompt":"No. %d?","options":[{"label":"A"},{"label":"B"}]}`, i+1)))
	}
	r.serve()
	for i := range all {
		r.sees(fmt.Sprint("m", i+1), fmt.Sprintf("No. %d?", i+1))
		if i > 0 {
			r.presses(fmt.Sprint("m", i), "A")
			r.answered(all[i-1], `"selected":"A"`)
		}
	}
	r.stop()
	if r.crowd != 2 {
		t.Errorf("%d messages waited at once", r.crowd)
	}
}

// Of very many that somebody waits for the oldest are followed, and others as soon as one of
// them ends.
func TestVeryMany(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.most = 1
	var all []*spool.Entry
	for i := range 5 + follows + 3 {
		all = append(all, r.asks(fmt.Sprintf(`{"prompt":"No. %d?","options":[{"label":"A"},{"label":"B"}]}`, i)))
		if i < 5 {
			must.Do(r, all[i].LetGo())
		}
	}
	all = all[5:]
	r.serve()
	r.sees("m1", "No. 5?")
	count := func() int { return len(r.followed) }
	r.mu.Lock()
	if n := count(); n != follows {
		t.Errorf("%d are followed", n)
	}
	r.mu.Unlock()
	must.Do(r, all[7].Settle(popup())) // the one with a message does not count
	before := 0
	r.until("another that is followed", func() bool { before = count(); return before > follows })
	must.Do(r, all[8].LetGo())
	r.until("another that is followed", func() bool { return count() > before })
}

// What is not to be posted any more is not, and in no other's way; what keeps the service from
// being reached is said once.
func TestFickle(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.most = 1
	tries := 0
	r.refuse = func(string, Message) error {
		tries++
		return fmt.Errorf("no network %d", tries)
	}
	r.serve()
	r.asks(colours, func(req *spool.Request) { req.Origin.Agent = "fickle" })
	r.until("second try", func() bool { return tries >= 2 })
	r.mu.Lock()
	r.never, r.refuse = true, nil
	r.mu.Unlock()
	r.asks(cache)
	r.sees("m1", "Which approach")
	r.stop()
	if len(r.logged) != 1 || r.keys[0] != r.keys[1] || len(r.keys[0]) != 25 {
		t.Errorf("logged %q; the keys are %q", r.logged, r.keys)
	}
}

// A desk that ends while it posts knows the message, and so does the next.
func TestEndsWhilePosting(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	begun, goes := make(chan struct{}), make(chan struct{})
	r.lose = func(ctx context.Context) error {
		close(begun)
		<-goes
		return ctx.Err()
	}
	r.ending = func() { close(goes) }
	r.serve()
	e := r.asks(colours)
	<-begun
	r.stop()
	r.lose, r.ending = nil, func() {}
	r.serve()
	r.quietly(r.presses("m1", "Green"))
	r.answered(e, "Green")
	r.stop()
	if len(r.refs) != 1 {
		t.Errorf("%d messages", len(r.refs))
	}
}

// A post whose answer was lost is tried again as the same message, which shows then what is so
// now; and so does one that shows something else for another reason.
func TestPostedTwice(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.once = true
	r.lose = func(context.Context) error { r.lose = nil; return errors.New("cut") }
	r.serve()
	r.asks(two)
	x := r.control("m1", "X")
	r.quietly(r.does(Event{Ref: "m1", ID: x}))
	r.sees("m1", "Second?")
	r.mu.Lock()
	r.messages["m1"] = Message{}
	r.mu.Unlock()
	shows := func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return strings.Contains(words(r.messages["m1"]), "Second?")
	}
	for limit := time.Now().Add(patient); !shows() && time.Now().Before(limit); { // not by a press while the edit before is under way
		r.says(r.does(Event{Ref: "m1", ID: x}), "does not show any more")
	}
	r.sees("m1", "Second?")
}

// The message of a question that is gone is closed as soon as the service is there, by the next
// desk if need be.
func TestBuried(t *testing.T) {
	t.Parallel()
	r := newRoom(t).serve()
	e := r.asks(colours)
	r.sees("m1", "Which colour?")
	r.stop()
	must.Do(r, e.Close())
	must.Do(r, os.RemoveAll(r.dir+"/spool/"+e.ID))
	tries := 0
	r.refuse = func(string, Message) error { tries++; return errors.New("away") }
	for range 2 {
		tries = 0
		r.serve()
		r.until("second try", func() bool { return tries >= 2 })
		if n := r.unclosed.Load(); n != 1 {
			t.Errorf("%d are unclosed", n)
		}
		r.stop()
	}
	r.serve()
	r.refuses(nil)
	r.sees("m1", "over\n~ This question is over.")
}

// What the service refuses is announced, or left to the other surfaces; what cannot be
// reached is tried again.
func TestRefused(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.page = "https://desk.example/#q=1"
	tries := 0
	r.refuse = func(_ string, m Message) error {
		switch tries++; tries {
		case 1:
			return fmt.Errorf("no network")
		case 2:
			return fmt.Errorf("component 3: %w", ErrUnfit)
		}
		return nil
	}
	r.serve()
	r.asks(colours)
	r.until("try", func() bool { return tries > 0 })
	r.state(nil) // it is there again
	r.sees("m1", "# Colour\nThis question does not fit here: answer it in tmux or on the page.", "https://desk.example/#q=1")
	r.refuses(func(_ string, m Message) error {
		if strings.Contains(words(m), "First?") {
			return ErrUnfit
		}
		return nil
	})
	r.asks(two)
	r.asks(cache)
	r.sees("m2", "Which approach")
}

func TestRevoked(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.do = func(Event) {}
	err := Serve(t.Context(), Config{Spool: r.spool, Channel: revoked{r}, Dir: r.dir, Page: func(string) string { return "" }, May: func(string) bool { return true },
		Rules: func(spool.Origin, settings.Settings) Rules { return r.rules }, Most: func() int { return 1 }, State: func(error) {}, Log: func(error) {}})
	if err == nil || !strings.Contains(err.Error(), ErrRefused.Error()) {
		t.Errorf("it ends with %v", err)
	}
}

// A message on which the service fails is tried again, and keeps none of the others back.
func TestFailsOnOne(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.refuse = func(_ string, m Message) error {
		if strings.Contains(words(m), "First?") {
			return errors.New("status 500")
		}
		return nil
	}
	r.serve()
	r.asks(two)
	r.asks(colours)
	r.sees("m1", "Which colour?")
	r.refuses(nil)
	r.sees("m2", "First?")
}

// What can be closed is, once, whatever becomes of the rest.
func TestWithdraw(t *testing.T) {
	t.Parallel()
	r := newRoom(t).serve()
	for _, m := range []string{"m1", "m2", "m3"} {
		r.asks(colours)
		r.sees(m, "Which colour?")
	}
	r.stop()
	tries := map[string]int{}
	r.refuse = func(ref string, _ Message) error {
		tries[ref]++
		return map[string]error{"m1": ErrUnfit, "m2": errors.New("status 500")}[ref]
	}
	ctx, cancel := context.WithTimeout(t.Context(), firstPause/2)
	defer cancel()
	c := Config{Channel: r, Dir: r.dir, Log: func(error) {}}
	if err := Withdraw(ctx, c); err == nil {
		t.Error("it says nothing of what it could not close")
	}
	r.refuse = nil
	must.Do(r, Withdraw(t.Context(), c))
	if tries["m1"] != 1 || tries["m2"] != 1 || tries["m3"] != 1 {
		t.Errorf("edits: %v", tries)
	}
	if !strings.HasPrefix(words(r.messages["m2"]), "over") || !strings.HasPrefix(words(r.messages["m3"]), "over") {
		t.Error(r.all())
	}
	if _, err := os.Stat(filepath.Join(r.dir, PostedFile(r.Name()))); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what was posted is still kept: %v", err)
	}
}

// Questions that no agent waits for any more take no place of those that one waits for.
func TestManyLeft(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.most = 2 * follows
	r.serve()
	var left []*spool.Entry
	for range follows {
		left = append(left, r.asks(colours))
	}
	r.sees(fmt.Sprintf("m%d", follows), "Which colour?")
	for _, e := range left {
		must.Do(r, e.StopWaiting())
	}
	for n := range follows {
		r.sees(fmt.Sprintf("m%d", n+1), "agent gone")
	}
	r.asks(two)
	r.sees(fmt.Sprintf("m%d", follows+1), "First?")
}
