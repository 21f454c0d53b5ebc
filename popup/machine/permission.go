package machine

import "github.com/askpane/askpane/bridge/form"

// unseen reports whether there is more to see before anything is allowed or approved, and says so.
func (m *Machine) unseen() bool {
	if m.Seen || m.form.Subject() == nil && m.doc == nil {
		return false
	}
	m.notice = "Look at all of it first: its end was not on view yet."
	return true
}

// Anew takes back what has just been answered, since what was on view has changed: that has to be
// seen, and answered, once more.
func (m *Machine) Anew(notice string) {
	m.outcome, m.Seen, m.notice = "", false, notice
	for i := range m.s.Answers {
		m.say(i, form.Answer{})
		if m.Dangerous(i) { // what was typed confirmed something else
			m.s.Entries[i] = ""
		}
	}
	m.change()
	m.anew++
}

// Anews counts how often that was: what is pressed after it was meant for what is not on view.
func (m *Machine) Anews() int { return m.anew }
