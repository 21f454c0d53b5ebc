package machine

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/form"
)

// noon is when the questions of these tests are asked.
var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

var errHost = errors.New("no server")

// step is an event after so long, with what the entry says then.
type step struct {
	after time.Duration // since noon
	facts Facts
	event Event
}

var (
	shown  = Facts{Shown: true, Viewer: "v"}
	went   = Facts{Viewer: "v"} // a popup was there
	begin  = step{0, Facts{}, Tick{}}
	opened = []step{begin, {0, Facts{}, Opened{"v"}}}
	up     = append(opened[:2:2], step{0, shown, Changed{}})
	slow   = append(opened[:2:2], step{StartLimit, Facts{}, Tick{}})
	aside  = append(up[:3:3], step{5 * time.Second, Facts{Viewer: "v", Aside: true}, PopupGone{}})
	inLine = []step{begin, {0, Facts{}, Refused{Why: Occupied, Viewer: "v"}}}
	behind = append(inLine[:2:2], step{0, Facts{}, Position{Ahead: 7 * time.Second}})
	first  = append(inLine[:2:2], step{0, Facts{}, Position{Taken: true}})
	alone  = []step{begin, {0, Facts{}, Refused{Why: NoViewer, Err: errHost}}}
	wait5  = Config{HostWait: 5 * time.Second}
	mine   = Config{Borrowed: true}
)

// missing is a viewer on which n popups in a row did not come up.
func missing(n int) []step {
	steps := []step{begin}
	for i := range n {
		at := time.Duration(i) * time.Minute
		steps = append(steps, step{at, Facts{}, Opened{"v"}}, step{at, Facts{}, HostEnded{}}, step{at + StartLimit, Facts{}, Tick{}}, step{at + StartLimit, Facts{}, Position{}},
			step{at + StartLimit + RetrySlowly, Facts{}, Tick{}})
	}
	return steps[:len(steps)-2] // its Position is still to come
}

// TestTransitions has a row for each: what an event makes of a state, what is to
// be done, and when there is something to do next.
func TestTransitions(t *testing.T) {
	t.Parallel()
	const s = time.Second
	deadline := noon.Add(9 * s)
	late := Config{Deadline: &deadline}
	for _, c := range []struct {
		name   string
		config Config
		before []step
		step   step
		state  State
		do     string        // the effects
		next   time.Duration // after noon; -1 is never
	}{
		{"asked", Config{}, nil, begin, Opening, "Open", -1},
		{"taken over with its popup", Config{}, nil, step{0, shown, Tick{}}, Up, "Present{v}", Painting},
		{"taken over with its answer", Config{}, nil, step{0, Facts{Answered: true}, Tick{}}, Over, "Release End{answered}", -1},

		{"opened", Config{}, opened[:1], opened[1], Opening, "", StartLimit},
		{"opened, borrowed", mine, opened[:1], opened[1], Opening, "", -1},
		{"comes up", Config{}, opened, step{0, shown, Changed{}}, Up, "Present{v} Redraw", Painting},
		{"comes up before the host's reply", Config{}, opened[:1], step{0, shown, Opened{"v"}}, Up, "Present{v}", Painting},
		{"opened by hand before the host's reply", Config{}, append(opened[:1:1], step{0, shown, Changed{}}), step{0, shown, Opened{"w"}}, Up, "Release Present{w}", Painting},
		{"the host has shown nothing", Config{}, append(opened[:2:2], step{0, Facts{}, HostEnded{}}), step{s, Facts{}, Tick{}}, InLine, "Attend Queue{v}", -1},
		{"is slow to come up", Config{}, opened, step{s, Facts{}, Tick{}}, Opening, "Attend", SlowStart},
		{"comes up late", Config{}, slow, step{9 * s, shown, Changed{}}, Up, "Present{v} Redraw", -1},
		{"is slow, and the host's side ends", Config{}, slow, step{9 * s, Facts{}, HostEnded{}}, Opening, "", StartLimit},
		{"has not come up when that has ended", Config{}, append(slow[:3:3], step{9 * s, Facts{}, HostEnded{}}), step{9 * s, Facts{}, Tick{}}, InLine, "Queue{v}", -1},
		{"does not come up", Config{}, slow, step{SlowStart, Facts{}, Tick{}}, InLine, "Abandon Queue{v}", -1},
		{"another is in the way", Config{}, opened, step{0, Facts{}, HostEnded{errHost, true}}, InLine, "Attend Queue{v}", -1},
		{"the host's side ends", Config{}, opened, step{0, Facts{}, HostEnded{}}, Opening, "", StartLimit},
		{"the host's side fails", Config{}, opened, step{0, Facts{}, HostEnded{Err: errHost}}, Opening, "Warn{no server}", StartLimit},
		{"the borrowed form ends", mine, opened, step{0, Facts{}, HostEnded{}}, BackingOff, "", Retry},
		{"the borrowed form cannot start", mine, append(opened[:2:2], step{0, Facts{}, HostEnded{}}, step{s, Facts{}, Tick{}}, step{s, Facts{}, Opened{"v"}},
			step{s, Facts{}, HostEnded{}}, step{2 * s, Facts{}, Tick{}}, step{2 * s, Facts{}, Opened{"v"}}),
			step{2 * s, Facts{}, HostEnded{Err: errHost}}, Over, "Warn{no server} Release End{settled unavailable the form could not be shown on the terminal: no server}", -1},

		{"occupied", Config{}, inLine[:1], inLine[1], InLine, "Attend Queue{v}", -1},
		{"not by itself", Config{}, inLine[:1], step{0, Facts{}, Refused{Why: NotNow}}, Deferred, "Attend", -1},
		{"not yet", Config{}, inLine[:1], step{0, Facts{}, Refused{Why: NotNow, After: 3 * s}}, Deferred, "Attend", 3 * s},
		{"not at once", Config{}, inLine[:1], step{0, Facts{}, Refused{Why: NotNow, After: 1}}, Deferred, "Attend", Retry},
		{"nobody there", Config{}, inLine[:1], alone[1], Unattended, "Attend Warn{the question waits: no server}", -1},
		{"nobody there, for a time", wait5, inLine[:1], alone[1], Unattended, "Attend Warn{the question waits: no server}", 5 * s},
		{"the host does not answer", wait5, inLine[:1], step{0, Facts{}, Refused{Why: NoReply, Err: errHost}}, Unattended, "Attend Warn{no server}", -1},
		{"the host fails", Config{}, inLine[:1], step{0, Facts{}, Refused{Why: Failed, Err: errHost}}, BackingOff, "Attend Warn{no server}", Retry},
		{"a retry in line finds nobody", Config{}, append(first[:3:3], step{5 * s, Facts{}, Tick{}}), step{5 * s, Facts{}, Refused{Why: NoViewer, Err: errHost}},
			Unattended, "Leave Warn{the question waits: no server}", -1},
		{"a retry in line is occupied", Config{}, append(first[:3:3], step{5 * s, Facts{}, Tick{}}), step{5 * s, Facts{}, Refused{Why: Occupied, Viewer: "v"}},
			InLine, "Queue{v}", -1},
		{"another viewer is occupied", Config{}, append(first[:3:3], step{5 * s, Facts{}, Tick{}}), step{5 * s, Facts{}, Refused{Why: Occupied, Viewer: "w"}},
			InLine, "Leave Queue{w}", -1},

		{"one is ahead", Config{}, inLine, step{0, Facts{}, Position{Ahead: 7 * s}}, InLine, "", 7 * s},
		{"the one ahead does nothing", Config{}, behind, step{7 * s, Facts{}, Tick{}}, InLine, "Queue{v}", -1},
		{"the one ahead leaves", Config{}, behind, step{s, Facts{}, Woken{}}, InLine, "Queue{v}", -1},
		{"the first, a form is up", Config{}, inLine, step{0, Facts{}, Position{Taken: true}}, InLine, "", RetrySlowly},
		{"the first, the person is at a pane", Config{}, inLine, step{0, Facts{}, Position{Held: true}}, InLine, "", Retry},
		{"the first, and free", Config{}, inLine, step{0, Facts{}, Position{}}, InLine, "", 0},
		{"the viewer is free", Config{}, first, step{s, Facts{}, Woken{}}, InLine, "", s},
		{"its popup was killed", Config{}, first, step{s, Facts{}, Woken{Died: true}}, InLine, "", s + rejoining},
		{"its turn", Config{}, first, step{5 * s, Facts{}, Tick{}}, Opening, "Open", -1},
		{"a popup did not come up", Config{}, missing(1), step{s, Facts{}, Position{}}, InLine, "", s + Retry},
		{"so many did not, and no more", Config{}, missing(mostMisses), step{9*time.Minute + s, Facts{}, Position{}}, InLine, "", 9*time.Minute + s + Retry},
		{"many did not", Config{}, missing(mostMisses + 1), step{10*time.Minute + s, Facts{}, Position{}}, InLine, "", 10*time.Minute + s + RetrySlowly},
		{"no place in line", Config{}, inLine, step{0, Facts{}, Position{Err: errHost}}, BackingOff, "Warn{no server}", RetrySlowly},
		{"shown by another's popup", Config{}, behind, step{s, shown, Changed{}}, Up, "Leave Present{v} Redraw", -1},
		{"opened out of turn", Config{}, append(up[:3:3], step{s, Facts{Viewer: "v", Queued: true}, PopupGone{}}), step{s, shown, Position{}}, Up,
			"Leave Present{v}", s + Painting},

		{"somebody comes", Config{}, alone, step{s, Facts{}, Woken{}}, Opening, "Open", -1},
		{"nobody came", wait5, alone, step{5 * s, Facts{}, Tick{}}, Opening, "Open", -1},
		{"nobody has come", wait5, append(alone[:2:2], step{5 * s, Facts{}, Tick{}}), step{5 * s, Facts{}, Refused{Why: NoViewer, Err: errHost}},
			Over, "Release End{settled unavailable no server}", -1},
		{"still nobody", wait5, append(alone[:2:2], step{s, Facts{}, Woken{}}), step{s, Facts{}, Refused{Why: NoReply, Err: errHost}}, Unattended, "Warn{no server}", 5 * s},

		{"other settings", Config{}, []step{begin, {0, Facts{}, Refused{Why: NotNow}}}, step{s, Facts{}, Woken{}}, Deferred, "", s},
		{"quiet now", Config{}, []step{begin, {0, Facts{}, Refused{Why: NotNow, After: s}}}, step{s, Facts{}, Tick{}}, Opening, "Open", -1},
		{"opened by hand meanwhile", Config{}, []step{begin, {0, Facts{}, Refused{Why: NotNow}}}, step{s, shown, Changed{}}, Up, "Present{v} Redraw", -1},
		{"retried", Config{}, []step{begin, {0, Facts{}, Refused{Why: Failed, Err: errHost}}}, step{s, Facts{}, Tick{}}, Opening, "Open", -1},

		{"painted", Config{}, up, step{Painting, shown, Tick{}}, Up, "Attend", -1},
		{"a draft is saved", Config{}, up, step{0, shown, Changed{}}, Up, "Redraw", Painting},
		{"the host's side ends first", Config{}, up, step{0, shown, HostEnded{Err: errHost}}, Up, "", Painting},
		{"refused, but up", Config{}, append(opened[:1:1], step{0, shown, Changed{}}), step{0, shown, Refused{Why: Failed, Err: errHost}}, Up, "", Painting},

		{"the popup goes", Config{}, up, step{5 * s, went, PopupGone{}}, InLine, "Release Abandon Queue{v}", Painting},
		{"the popup dies at once", Config{}, up, step{s, went, PopupGone{}}, InLine, "Release Abandon Queue{v}", Painting},
		{"and is opened more slowly", Config{}, append(up[:3:3], step{Painting, shown, Tick{}}, step{s, went, PopupGone{}}), step{s, went, Position{}}, InLine, "", s + Retry},
		{"the borrowed one dies at once", mine, up, step{s, went, PopupGone{}}, BackingOff, "Release Abandon", Painting},
		{"the borrowed one goes", mine, append(up[:3:3], step{Painting, shown, Tick{}}), step{5 * s, went, PopupGone{}}, BackingOff, "Release Abandon", 5 * s},
		{"put back in line", Config{}, up, step{s, Facts{Viewer: "v", Queued: true}, PopupGone{}}, InLine, "Release Abandon Queue{v}", Painting},
		{"put aside", Config{}, up, step{5 * s, Facts{Viewer: "v", Aside: true}, PopupGone{}}, Aside, "Release Abandon", Painting},
		{"shown again at once", Config{}, up, step{5 * s, shown, PopupGone{}}, Up, "Release Abandon Queue{v} Leave Present{v}", 5*s + Painting},
		{"put aside, and its agent waits for it", Config{Serial: true}, up, step{5 * s, Facts{Viewer: "v", Aside: true}, PopupGone{}}, Deferred, "Release Abandon", Painting},
		{"stays aside", Config{}, aside, step{6 * s, Facts{Viewer: "v", Aside: true}, Changed{}}, Aside, "", Painting},
		{"opened by hand", Config{}, aside, step{6 * s, shown, Changed{}}, Up, "Present{v} Redraw", 6*s + Painting},
		{"opened by hand, and not up yet", Config{}, append(aside[:4:4], step{6 * s, Facts{Viewer: "v", Aside: true}, Tick{}}), step{6 * s, went, Changed{}}, BackingOff, "", 7 * s},
		{"opened by hand, and goes", Config{}, append(aside[:4:4], step{6 * s, shown, Changed{}}), step{9 * s, went, PopupGone{}}, InLine, "Release Queue{v}", 6*s + Painting},

		{"answered", Config{}, up, step{s, Facts{Answered: true}, Changed{}}, Over, "Release End{answered}", -1},
		{"answered as the popup went", Config{}, up, step{s, Facts{Answered: true}, PopupGone{}}, Over, "Release End{answered}", -1},
		{"answered in line", Config{}, behind, step{s, Facts{Answered: true}, Changed{}}, Over, "Leave Release End{answered}", -1},
		{"answered in the last instant", late, up, step{9 * s, Facts{Answered: true}, Tick{}}, Over, "Release End{answered}", -1},
		{"answered as the call went", Config{}, up, step{s, Facts{Answered: true}, Interrupted{Keep: true}}, Over, "Release End{answered}", -1},
		{"removed", Config{}, up, step{s, Facts{Err: errHost}, Changed{}}, Over, "Release End{broken no server}", -1},
		{"too late", late, behind, step{9 * s, Facts{}, Tick{}}, Over, "Leave Release End{settled timeout 9s}", -1},
		{"withdrawn", Config{}, up, step{s, shown, Interrupted{}}, Over, "Release End{settled aborted}", -1},
		{"ended in the agent's own dialog", Config{}, up, step{s, shown, Interrupted{Keep: true, Elsewhere: true}}, Over, "Release End{settled elsewhere}", -1},
		{"answered as its own dialog was", Config{}, up, step{s, Facts{Answered: true}, Interrupted{Elsewhere: true}}, Over, "Release End{answered}", -1},
		{"kept", Config{}, up, step{s, shown, Interrupted{Keep: true}}, Over, "Release End{kept}", -1},
		{"withdrawn from a borrowed terminal", mine, up, step{s, shown, Interrupted{}}, Over, "Release End{settled aborted, give back}", -1},
		{"nobody there, and the deadline comes first", Config{Deadline: &deadline, HostWait: 20 * s}, inLine[:1], alone[1], Unattended, "Attend Warn{the question waits: no server}", 9 * s},
		{"withdrawn while it opens on a borrowed terminal", mine, []step{begin}, step{s, Facts{}, Interrupted{}}, Over, "Release End{settled aborted, give back}", -1},
		{"the borrowed one goes on with another form", mine, append(up[:3:3], step{Painting, shown, Tick{}}), step{5 * s, Facts{Viewer: "v", Queued: true}, PopupGone{}}, BackingOff, "Release Abandon", 5 * s},
		{"it lived just long enough", mine, append(up[:3:3], step{Painting, shown, Tick{}}), step{shortLived, went, PopupGone{}}, BackingOff, "Release Abandon", shortLived},
		{"it was on no viewer", Config{}, up, step{5 * s, Facts{}, PopupGone{}}, BackingOff, "Release Abandon", Painting},
		{"it was behind once, and is opened by hand", Config{}, append(behind[:3:3], step{s, shown, Changed{}}, step{5 * s, Facts{Viewer: "v", Aside: true}, PopupGone{}}, step{6 * s, Facts{Viewer: "v"}, Changed{}}), step{7 * s, Facts{Viewer: "v"}, Tick{}}, Opening, "Open", -1},
		{"it was behind once, and nobody was there", Config{}, append(behind[:3:3], step{s, shown, Changed{}}, step{s + Painting, shown, Tick{}}, step{5 * s, Facts{Viewer: "v", Aside: true}, PopupGone{}}, step{6 * s, Facts{Viewer: "v"}, Changed{}}, step{7 * s, Facts{}, Tick{}}, step{7 * s, Facts{}, Refused{Why: NoViewer, Err: errHost}}), step{8 * s, Facts{}, Woken{}}, Opening, "Open", -1},
		{"what is open is given up", Config{}, append(up[:3:3], step{s, shown, Interrupted{}}), step{s, shown, Tick{}}, Over, "Abandon", -1},
		{"what comes too late, too", Config{}, []step{begin, {s, Facts{}, Interrupted{}}}, step{s, Facts{}, Opened{"v"}}, Over, "Abandon", -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.config.Asked = noon
			m := New(noon, c.config)
			for _, b := range c.before {
				m.Step(noon.Add(b.after), b.facts, b.event)
			}
			effects := m.Step(noon.Add(c.step.after), c.step.facts, c.step.event)
			if got := said(effects); m.State() != c.state || got != c.do {
				t.Errorf("%q is %s: %s, want %s: %s", c.name, m.State(), got, c.state, c.do)
			}
			next := time.Duration(-1)
			if !m.Next().IsZero() {
				next = m.Next().Sub(noon)
			}
			if next != c.next {
				t.Errorf("%q has the next after %v, want %v", c.name, next, c.next)
			}
		})
	}
}

// said is effects in short.
func said(effects []Effect) string {
	var words []string
	for _, e := range effects {
		word := strings.TrimPrefix(fmt.Sprintf("%T", e), "machine.")
		switch e := e.(type) {
		case Present:
			word += "{" + e.Viewer + "}"
		case Queue:
			word += "{" + e.Viewer + "}"
		case Warn:
			word += "{" + e.Err.Error() + "}"
		case End:
			word += "{" + ending(e) + "}"
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

func ending(e End) string {
	words := []string{string(e.How)}
	if e.How == Settled {
		words = append(words, string(e.Result.Outcome))
		if e.Result.By != form.ByBridge || e.Result.At.IsZero() {
			words = append(words, "by nobody")
		}
	}
	if e.Result.Reason != "" {
		words = append(words, e.Result.Reason)
	}
	if e.Result.Waited > 0 {
		words = append(words, e.Result.Waited.String())
	}
	if e.Err != nil {
		words = append(words, e.Err.Error())
	}
	if e.GiveBack {
		return strings.Join(words, " ") + ", give back"
	}
	return strings.Join(words, " ")
}
