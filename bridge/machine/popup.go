package machine

import (
	"fmt"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
)

// open asks the host for a popup. One that is being opened already will do.
func (m *Machine) open() {
	m.state, m.next = Opening, time.Time{}
	if !m.asking {
		m.asking = true
		m.emit(Open{})
	}
}

// popupOpened: the host was told to open the popup, which now has its time to come up.
func (m *Machine) popupOpened() {
	if m.state == Aside { // the person was quicker
		m.abandon()
		return
	}
	m.absent = time.Time{}
	m.state, m.next, m.openedAt = Opening, time.Time{}, m.now
	if !m.Borrowed { // there the end of its process says all
		m.next = m.now.Add(StartLimit)
	}
}

func (m *Machine) refused(e Refused) {
	if m.state != Opening {
		return
	}
	if e.Why == Looking {
		m.looking(e.After)
		return
	}
	m.attend()
	if e.Why == Occupied {
		m.misses = 0
		m.absent = time.Time{}
		m.queue(e.Viewer)
		return
	}
	m.leave()
	switch e.Why {
	case NotNow:
		m.absent = time.Time{}
		m.state, m.next = Deferred, time.Time{}
		if e.After > 0 {
			m.wait(Deferred, max(Retry, e.After))
		}
		return
	case NoViewer:
		if m.absent.IsZero() {
			m.absent = m.now
			m.emit(Warn{fmt.Errorf("the question waits: %w", e.Err)})
		}
	default:
		m.emit(Warn{e.Err})
	}
	alone := m.HostWait > 0 && !m.absent.IsZero()
	switch {
	case alone && m.now.Sub(m.absent) >= m.HostWait:
		m.settle(form.Result{Outcome: form.Unavailable, Reason: e.Err.Error()})
	case e.Why == Failed:
		m.wait(BackingOff, Retry)
	default:
		m.state, m.next = Unattended, time.Time{}
		if alone { // then the host is asked once more
			m.next = m.absent.Add(m.HostWait)
		}
	}
}

// looking keeps the form back, without alerts, from whoever looks at the asking pane.
func (m *Machine) looking(again time.Duration) {
	if m.leave(); again == 0 {
		by := text.If(m.facts.Aside, form.ByItself, "")
		m.settle(form.Result{Outcome: form.Elsewhere, By: by})
		return
	}
	m.absent = time.Time{}
	m.wait(Deferred, again)
}

// comeUp: a popup shows the form, whoever has opened it.
func (m *Machine) comeUp() {
	m.state, m.next, m.upSince, m.misses = Up, time.Time{}, m.now, 0
	m.leave()
	if !m.attended {
		m.attendAt = m.now.Add(Painting)
	}
	if !m.opened {
		m.viewer = m.facts.Viewer
		m.absent = time.Time{}
	}
	m.emit(Present{m.viewer})
}

// late waits on for a popup that the host still has in hand, up to SlowStart: giving it up
// could keep it from coming.
func (m *Machine) late() {
	m.attend()
	if m.next = m.openedAt.Add(SlowStart); !m.opened || m.due(m.next) {
		m.missed()
	}
}

// missed gives up on a popup that never came up: the viewer has another one open, or a
// menu, or one of ours was quicker.
func (m *Machine) missed() {
	m.attend()
	m.abandon()
	m.misses++
	m.queue(m.viewer)
}

// hostEnded takes note that the host's side has ended, which says nothing of the
// popup, unless the host says that another one is in the way.
func (m *Machine) hostEnded(e HostEnded) {
	if m.state != Opening {
		return
	}
	if e.Busy {
		m.missed()
		return
	}
	if e.Err != nil {
		m.emit(Warn{e.Err})
	}
	if !m.Borrowed {
		m.next = m.openedAt.Add(StartLimit)
		return
	}
	if m.misses++; m.misses >= BorrowedStarts {
		m.settle(form.Result{Outcome: form.Unavailable, Reason: fmt.Sprintf("the form could not be shown on the terminal: %v", e.Err)})
		return
	}
	m.wait(BackingOff, Retry)
}

// popupGone: the popup went away without an answer. The question goes back up,
// unless the person put it aside.
func (m *Machine) popupGone() {
	lived := m.now.Sub(m.upSince)
	m.absent = time.Time{} // it was seen, and the next counts anew
	m.emit(Release{})
	m.abandon()
	inLine := m.facts.Viewer != "" && !m.Borrowed
	switch {
	case inLine && m.facts.Queued: // the popup goes on with another form
		m.cooldown, m.notBefore = 0, time.Time{}
		m.queue(m.facts.Viewer)
		return
	case m.facts.Aside:
		m.state, m.next = Aside, time.Time{}
		if m.Serial { // it is looked where the person is
			m.wait(Deferred, Retry)
		}
		return
	case lived >= shortLived:
		m.cooldown = 0
	default:
		m.cooldown = min(maxCooldown, max(Retry, 2*m.cooldown))
	}
	m.notBefore = m.now.Add(m.cooldown)
	if inLine { // it keeps its place meanwhile
		m.queue(m.facts.Viewer)
		return
	}
	m.wait(BackingOff, m.cooldown)
}

// queue waits for the question's turn on viewer.
func (m *Machine) queue(viewer string) {
	if m.line != viewer {
		m.leave()
		m.line = viewer
	}
	m.state, m.next = InLine, time.Time{}
	m.emit(Queue{viewer})
}

func (m *Machine) leave() {
	if m.line != "" {
		m.line = ""
		m.emit(Leave{})
	}
}

// position waits as the place in line demands. Only the first in it watches the viewer:
// it waits for the popup there to end, and now and then sees whether the person has
// gone to another viewer, or what else was open has closed.
func (m *Machine) position(e Position) {
	if m.state != InLine {
		return
	}
	m.behind = e.Ahead > 0
	switch {
	case e.Err != nil: // then by the clock, and out of turn
		m.line = ""
		m.emit(Warn{e.Err})
		m.wait(BackingOff, RetrySlowly)
	case m.behind:
		m.wait(InLine, e.Ahead)
	case e.Taken || m.misses > mostMisses:
		m.wait(InLine, RetrySlowly)
	case e.Held || m.misses > 0:
		m.wait(InLine, Retry)
	default:
		m.wait(InLine, m.notBefore.Sub(m.now))
	}
}

func (m *Machine) woken(e Woken) {
	pause := m.notBefore.Sub(m.now)
	switch {
	case m.state == InLine && m.behind:
		m.queue(m.line)
	case m.state == InLine && e.Died:
		m.wait(InLine, max(pause, rejoining))
	case m.state == InLine || m.state == Deferred:
		m.wait(m.state, pause)
	case m.state == Unattended:
		m.open()
	}
}
