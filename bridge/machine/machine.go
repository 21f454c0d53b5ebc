// Package machine holds the rules by which a question waits for its answer: when a
// popup is opened, how long one that does not come up is waited for, what happens when
// it goes away, and what ends the wait. Events come in, effects go out as values; it
// knows no clock, file or host.
//
// The rules that must hold here, from every state: an answer on disk ends the
// wait; at most one popup is being opened; none that was opened is forgotten.
package machine

import (
	"cmp"
	"slices"
	"time"

	"github.com/askpane/askpane/bridge/form"
)

// State names what the question waits for.
type State string

const (
	Opening    State = "opening"     // the host was asked for a popup, which is not up yet
	Up         State = "up"          // a popup shows the form
	InLine     State = "in line"     // it is another question's turn on the viewer, or its popup's end is waited for
	Deferred   State = "deferred"    // a popup would disturb, or none opens by itself
	Unattended State = "no viewer"   // nobody is there to see a popup
	BackingOff State = "backing off" // the last popup failed or went away; the next is opened later
	Aside      State = "aside"       // the person put the question aside, and opens it by hand
	Over       State = "over"
)

const (
	// StartLimit bounds the time in which an opened popup has to say that it is up, if
	// the host's side of it has ended by then. After that the viewer was busy: tmux
	// reports success where a popup or a menu is open and it has shown nothing.
	StartLimit = time.Second
	// SlowStart bounds it where the host's side goes on: on a busy machine the popup is
	// still to come, and one that was opened beside it would be one too many.
	SlowStart = 5 * time.Second
	// Painting lets a host put a new form on view before the alerts are raised, whose
	// commands would hold it up.
	Painting = 100 * time.Millisecond
	// HoldBack keeps forms back from a viewer whose person has gone to look at an
	// asking pane, where they do not type there sooner.
	HoldBack = 10 * time.Second
	// Retry passes between a failure and the next try. A viewer on which more than
	// mostMisses popups in a row did not come up is tried every RetrySlowly: something
	// else is wrong there.
	Retry       = time.Second
	RetrySlowly = 5 * time.Second
	mostMisses  = 10
	// BorrowedStarts popups that end on a borrowed terminal without having come up
	// show that it cannot show a form.
	BorrowedStarts = 3
	// MostSlept bounds how late it is noticed that a time has come while the machine slept: timers
	// stand still meanwhile.
	MostSlept = time.Minute
	// A popup that lived less than shortLived is opened again ever more slowly, up
	// to maxCooldown, so that one that cannot start does not flicker.
	shortLived  = 2 * time.Second
	maxCooldown = 30 * time.Second
	// rejoining holds up the next in line where the viewer's popup was killed: the
	// question that it showed gets in line again, and goes first.
	rejoining = 200 * time.Millisecond
)

// Config comes with the question.
type Config struct {
	Asked    time.Time
	Deadline *time.Time    // nil where there is none
	HostWait time.Duration // how long to wait for a viewer; 0 is for ever
	// Borrowed: popups open on the asker's own terminal. None is busy there, and
	// one that ends before it was up could not be shown.
	Borrowed bool
	// Serial: the agent shows no dialog of its own before it gets the question back.
	Serial bool
}

// Machine follows one question that waits.
type Machine struct {
	Config
	state State
	next  time.Time // when to act on the state; zero where only an event changes it

	asking bool   // Open has not been replied to
	opened bool   // the host's side of a popup that we opened has not ended
	viewer string // of the popup that was opened or presented last
	line   string // the viewer in whose queue the question has a place; empty is none
	behind bool   // InLine: another question comes first

	openedAt  time.Time
	upSince   time.Time
	misses    int // popups since the last that came up
	cooldown  time.Duration
	notBefore time.Time // when the next popup may open, after one that lived shortly

	absent   time.Time // since when nobody could see a popup; zero where somebody can
	attended bool
	attendAt time.Time

	now     time.Time
	facts   Facts
	effects []Effect
}

// New begins the wait of a question. Its first event is a Tick.
func New(now time.Time, c Config) *Machine { return &Machine{Config: c, state: BackingOff, next: now} }

func (m *Machine) State() State { return m.state }

// Asking reports whether a popup is being opened. Where the wait is over, its
// reply is waited for all the same.
func (m *Machine) Asking() bool { return m.asking }

// Next tells when the next Tick is due; zero is never.
func (m *Machine) Next() time.Time {
	due := slices.DeleteFunc([]time.Time{m.deadline(), m.next, m.attendAt}, time.Time.IsZero)
	if len(due) == 0 {
		return time.Time{}
	}
	return slices.MinFunc(append(due, m.now.Add(MostSlept)), time.Time.Compare)
}

// Step handles an event that came at now.
func (m *Machine) Step(now time.Time, f Facts, e Event) []Effect {
	m.now, m.facts, m.effects = now, f, nil
	over := m.state == Over
	m.track(e)
	switch {
	case over:
		m.abandon() // also what was on its way when the wait ended
	case f.Err != nil:
		m.end(End{How: Broken, Err: f.Err})
	case f.Answered:
		m.end(End{How: Answered})
	default:
		m.handle(e)
	}
	return m.effects
}

// track keeps count of what the host has in hand, in every state.
func (m *Machine) track(e Event) {
	switch e := e.(type) {
	case Opened:
		m.asking, m.opened, m.viewer = false, true, e.Viewer
	case Refused:
		m.asking = false
	case HostEnded:
		m.opened = false
	}
}

// handle follows an event while there is no answer.
func (m *Machine) handle(e Event) {
	if _, gone := e.(PopupGone); gone { // comes of what is up
		m.popupGone()
	} else if m.state == Up {
		m.whileUp(e)
	} else if m.facts.Shown {
		m.comeUp()
		if _, ours := e.(Opened); !ours {
			m.whileUp(e)
		}
	} else {
		m.whileDown(e)
	}
	switch {
	case m.state == Over || m.state == Up:
	case m.facts.Shown: // another popup was quicker
		m.comeUp()
	case m.state == Aside && !m.facts.Aside: // somebody opened it by hand, and it is not up yet
		m.wait(BackingOff, Retry)
	}
}

func (m *Machine) whileUp(e Event) {
	switch e := e.(type) {
	case Changed: // a draft was saved: the person has done something
		m.emit(Redraw{})
	case Opened: // the popup was quicker than the host's reply, or was opened by hand
		m.emit(Release{}, Present(e))
	case Tick:
		m.tick()
	case Interrupted:
		m.interrupted(e)
	}
}

func (m *Machine) whileDown(e Event) {
	switch e := e.(type) {
	case Tick:
		m.tick()
	case Opened:
		m.popupOpened()
	case Refused:
		m.refused(e)
	case HostEnded:
		m.hostEnded(e)
	case Position:
		m.position(e)
	case Woken:
		m.woken(e)
	case Interrupted:
		m.interrupted(e)
	}
}

// tick acts on one thing that is due: Next names the rest.
func (m *Machine) tick() {
	switch {
	case m.due(m.deadline()):
		m.settle(form.Result{Outcome: form.Timeout, Waited: m.Deadline.Sub(m.Asked)})
	case m.due(m.attendAt):
		m.attend()
	case !m.due(m.next):
	case m.state == Opening:
		m.late()
	case m.state == InLine && m.behind:
		m.queue(m.line)
	default:
		m.open()
	}
}

func (m *Machine) due(t time.Time) bool { return !t.IsZero() && !m.now.Before(t) }

func (m *Machine) deadline() time.Time {
	if m.Deadline == nil || m.state == Over {
		return time.Time{}
	}
	return m.Deadline.Round(0) // by the clock that the form shows, which does not stand still in a sleep
}

func (m *Machine) interrupted(e Interrupted) {
	switch {
	case e.Elsewhere:
		m.settle(form.Result{Outcome: form.Elsewhere})
	case e.Keep:
		m.end(End{How: Kept})
	default:
		m.settle(form.Result{Outcome: form.Aborted})
	}
}

// attend emits Attend once: it waits until the popup is on view or cannot come up yet.
func (m *Machine) attend() {
	m.attendAt = time.Time{}
	if !m.attended {
		m.attended = true
		m.emit(Attend{})
	}
}

// settle ends the question from the asker's side.
func (m *Machine) settle(r form.Result) {
	r.By, r.At = cmp.Or(r.By, form.ByBridge), m.now
	m.end(End{How: Settled, Result: r})
}

func (m *Machine) end(e End) {
	m.leave()
	m.emit(Release{})
	e.GiveBack = m.Borrowed && (m.opened || m.asking)
	m.state, m.next, m.attendAt = Over, time.Time{}, time.Time{}
	m.emit(e)
}

func (m *Machine) abandon() {
	if m.opened {
		m.opened = false
		m.emit(Abandon{})
	}
}

// wait stays in a state for so long, or until an event ends it.
func (m *Machine) wait(s State, d time.Duration) { m.state, m.next = s, m.now.Add(max(0, d)) }

func (m *Machine) emit(effects ...Effect) { m.effects = append(m.effects, effects...) }
