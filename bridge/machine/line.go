package machine

import "time"

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
