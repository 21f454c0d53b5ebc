package machine

import "github.com/askpane/askpane/bridge/form"

// Serial lets the form be handed back to the agent's own dialog, which waits for that.
func (m *Machine) Serial() { m.serial = true }

// ConfirmCancel has a cancel confirmed where the person has said or typed something.
func (m *Machine) ConfirmCancel(on bool) { m.confirm = on }

// Leaving reports whether a cancel waits to be confirmed by another. Any other event takes
// it back and does nothing else.
func (m *Machine) Leaving() bool { return m.leaving }

func (m *Machine) cancel() {
	if m.confirm && m.s.Begun(m.form) {
		m.leaving = true
		return
	}
	m.outcome = form.Cancelled
}
