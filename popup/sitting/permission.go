package sitting

import (
	"time"

	"github.com/askpane/askpane/bridge/change"
	"github.com/askpane/askpane/bridge/form"
)

// leastGuard is the pause that a permission's form waits for, whatever the setting is.
const leastGuard = 400 * time.Millisecond

// Guard returns for how long no key may come before the first that counts.
func (s *Sitting) Guard() time.Duration {
	pause := time.Duration(s.Now.GuardMs) * time.Millisecond
	if s.Req.Form.Subject() != nil {
		return max(pause, leastGuard)
	}
	return pause
}

// renew has a permission show its file as it is now, if that is on this machine.
func (s *Sitting) renew() {
	if subject := s.Req.Form.Subject(); subject != nil {
		if s.asked = subject.Shown.Content; s.Req.Origin.Away == nil {
			change.Renew(subject)
		}
	}
}

// renewed returns what a permission shows where that is not what its request has.
func (s *Sitting) renewed() string {
	if subject := s.Req.Form.Subject(); subject != nil && subject.Shown.Content != s.asked {
		return subject.Shown.Content
	}
	return ""
}

// outdated reports whether r allows what is not done any more, since its file has changed after it
// was shown. It is shown as it is now, then.
func (s *Sitting) outdated(r form.Result) bool {
	d, _ := s.Req.Form.Decided(r)
	subject := s.Req.Form.Subject()
	if d != form.Allow || s.Req.Origin.Away != nil || !change.Changed(subject) {
		return false
	}
	change.Renew(subject)
	return true
}

// refused says why a permission is not decided on this surface; nil where it is.
func (s *Sitting) refused(r form.Result) error {
	r.By = s.By
	return s.Req.Check(r)
}
