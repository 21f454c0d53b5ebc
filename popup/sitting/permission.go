package sitting

import (
	"time"

	"github.com/askpane/askpane/bridge/change"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/popup/scene"
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
	subject := s.Req.Form.Subject()
	if s.asked = subject.Shown.Content; s.Req.Origin.Away == nil {
		change.Renew(subject)
	}
}

// undone takes a decision back that does not count, and says why: the agent's own prompt may have been
// answered, its file has changed since it was shown, or it is not for this surface.
func (s *Sitting) undone(r form.Result) bool {
	r.By = s.By
	decision := s.Req.Form.Decided(r)
	switch refused := s.Req.Check(r); {
	case s.Entry.Status().Maybe && decision != form.Undecided:
		s.M.Anew(scene.MaybeAnswered(s.Req.Origin.Agent))
	case s.Req.Origin.Away == nil && change.Holds(&s.Req.Form, r) != nil: // it is shown as it is now
		change.Renew(s.Req.Form.Subject())
		s.M.Anew(scene.FileChanged)
	case refused != nil:
		s.M.Anew(scene.Capital(refused.Error()) + ".")
	default:
		return false
	}
	return true
}
