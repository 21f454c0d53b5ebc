package machine

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// world is what a machine does its effects to, and where its events come from.
// It plays host, line, popup and person, badly.
type world struct {
	*testing.T
	dice *rand.Rand
	m    *Machine
	now  time.Time
	at   State // before the last event

	asked    bool // an Open that has not been replied to
	opened   bool // the host has a popup of ours in hand
	replies  []Event
	gone     bool   // PopupGone was asked for
	wakes    bool   // something may be woken for
	line     string // the viewer in whose line the question is
	attended int
	ended    []End
	facts    Facts
}

func (w *world) step(e Event) {
	w.at = w.m.State()
	for _, effect := range w.m.Step(w.now, w.facts, e) {
		w.do(effect)
	}
	if w.m.Asking() != w.asked {
		w.Errorf("%T in %s: asking is %t, want %t", e, w.at, w.m.Asking(), w.asked)
	}
}

func (w *world) do(effect Effect) {
	switch effect := effect.(type) {
	case Open:
		if w.asked || w.opened || len(w.ended) > 0 || w.at == Aside {
			w.Errorf("a popup is opened from %s: asked %t, opened %t, ended %t", w.at, w.asked, w.opened, len(w.ended) > 0)
		}
		w.asked, w.wakes = true, false
	case Abandon:
		if !w.opened {
			w.Error("nothing is open that could be given up")
		}
		w.opened = false
	case Present:
		w.gone = true
	case Queue:
		if effect.Viewer == "" || w.line != "" && w.line != effect.Viewer {
			w.Errorf("in line on %q and on %q", w.line, effect.Viewer)
		}
		w.line = effect.Viewer
		p := Position{Ahead: time.Duration(w.dice.IntN(2)) * time.Second, Taken: w.luck(2)}
		if w.luck(10) {
			p, w.line = Position{Err: errHost}, ""
		}
		w.wakes = p.Ahead > 0 || p.Taken
		w.replies = append(w.replies, p)
	case Leave:
		w.line = ""
	case Attend:
		w.attended++
	case End:
		w.ended = append(w.ended, effect)
	}
}

func (w *world) luck(n int) bool { return w.dice.IntN(n) == 0 }

func (w *world) err() error {
	if w.luck(2) {
		return nil
	}
	return errHost
}

// happens is something that could happen now.
func (w *world) happens() Event {
	if len(w.replies) > 0 {
		e := w.replies[0]
		w.replies = w.replies[1:]
		return e
	}
	w.now = w.now.Add(time.Duration(w.dice.Int64N(int64(time.Second))))
	switch w.dice.IntN(8) {
	case 0, 1:
		if w.asked {
			w.asked = false
			return w.reply()
		}
	case 2:
		if w.opened {
			w.opened = false
			return HostEnded{w.err(), w.luck(3)}
		}
	case 3:
		if w.gone && !w.facts.Shown {
			w.gone = false
			return PopupGone{}
		}
	case 4:
		w.facts.Shown = w.luck(2)
		w.facts.Viewer = []string{"", "v", "w"}[w.dice.IntN(3)]
		w.facts.Aside = !w.facts.Shown && w.luck(4)
		w.facts.Queued = !w.facts.Shown && w.luck(4)
		if w.gone && w.facts.Shown {
			return Changed{}
		}
	case 5:
		if w.wakes {
			w.wakes = false
			return Woken{w.luck(3)}
		}
	case 6:
		if next := w.m.Next(); !next.IsZero() && next.After(w.now) {
			w.now = next
		}
		return Tick{}
	}
	return Changed{}
}

func (w *world) reply() Event {
	viewer := []string{"v", "w"}[w.dice.IntN(2)]
	if w.luck(2) {
		w.opened = true
		return Opened{viewer}
	}
	why := []Refusal{Occupied, NotNow, NoViewer, NoReply, Failed, Looking}[w.dice.IntN(6)]
	if w.m.State() == Opening { // else what is waited for stays as it is
		w.wakes = why == NotNow || why == NoViewer || why == NoReply
	}
	r := Refused{Why: why, Viewer: viewer, Err: errHost}
	if w.luck(2) {
		r.After = time.Duration(w.dice.Int64N(int64(3 * time.Second)))
	}
	return r
}

// stuck: nothing would ever happen to this question but an answer.
func (w *world) stuck() bool {
	waits := slices.Contains([]State{Up, Aside}, w.m.State()) || w.asked || w.opened || w.wakes || len(w.replies) > 0
	return !waits && w.m.Next().IsZero()
}

// TestWalks lets anything happen in any order. From every state an answer ends
// the wait at the next event, and so do the deadline and the end of the call;
// one popup is opened at a time; and in the end none is left in hand.
func TestWalks(t *testing.T) {
	t.Parallel()
	type end struct {
		from State
		how  string
	}
	reached := map[end]int{}
	for seed := range uint64(20_000) {
		w := &world{T: t, dice: rand.New(rand.NewPCG(seed, 0)), now: noon}
		c := Config{Asked: noon, Borrowed: w.luck(4), Serial: w.luck(3)}
		if w.luck(2) {
			c.HostWait = time.Duration(1+w.dice.IntN(5)) * time.Second
		}
		if w.luck(4) {
			deadline := noon.Add(time.Duration(w.dice.IntN(60)) * time.Second)
			c.Deadline = &deadline
		}
		w.m = New(noon, c)
		w.step(Tick{})
		for range w.dice.IntN(60) {
			if w.m.State() == Over {
				break
			}
			if w.stuck() {
				t.Fatalf("seed %d: nothing ends %s", seed, w.m.State())
			}
			w.step(w.happens())
		}
		if w.m.State() != Over {
			from, how := w.m.State(), w.finish(c)
			reached[end{from, how}]++
			if w.m.State() != Over {
				t.Errorf("seed %d: from %s it goes on, %s", seed, from, how)
			}
		}
		w.drain()
		if len(w.ended) != 1 || w.opened || w.asked || w.line != "" || w.attended > 1 || !w.m.Next().IsZero() {
			t.Errorf("seed %d: %d ends, opened %t, asked %t, in line %q, attended %d times, next %v",
				seed, len(w.ended), w.opened, w.asked, w.line, w.attended, w.m.Next())
		}
		if t.Failed() {
			return
		}
	}
	for _, from := range []State{Opening, Up, InLine, Deferred, Unattended, BackingOff, Aside} {
		for _, how := range []string{"answered", "elsewhere", "removed", "kept", "withdrawn", "too late"} {
			if reached[end{from, how}] == 0 {
				t.Errorf("never %s from %s", how, from)
			}
		}
	}
}

// finish ends the wait in one of the ways that end it from every state.
func (w *world) finish(c Config) (how string) {
	var want Ending
	switch w.dice.IntN(6) {
	case 0:
		how, want = "elsewhere", Settled
		w.step(Interrupted{Elsewhere: true, Keep: w.luck(2)})
	case 1:
		how, want, w.facts.Answered = "answered", Answered, true
		w.step(w.happens())
	case 2:
		how, want, w.facts.Err = "removed", Broken, errors.New("removed")
		w.step(w.happens())
	case 3:
		how, want = "kept", Kept
		w.step(Interrupted{Keep: true})
	case 4:
		how, want = "withdrawn", Settled
		w.step(Interrupted{})
	default:
		how, want = "too late", Settled
		if c.Deadline == nil { // one that is set now would be no other
			deadline := w.now
			w.m.Deadline = &deadline
		}
		w.now = w.now.Add(time.Hour)
		w.step(Tick{})
	}
	if len(w.ended) == 1 && w.ended[0].How != want {
		w.Errorf("%s ends it as %s", how, w.ended[0].How)
	}
	return how
}

// drain lets what is under way come to its end.
func (w *world) drain() {
	w.step(Tick{})
	for w.asked || len(w.replies) > 0 {
		w.step(w.happens())
	}
}
