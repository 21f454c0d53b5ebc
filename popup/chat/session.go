package chat

import (
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/sitting"
	"github.com/askpane/askpane/settings"
)

// session follows one question and its message.
type session struct {
	*post
	*sitting.Sitting
	rules  Rules
	unseen time.Time // since when nobody is there who could see its form; zero where somebody is

	controls map[string]control // of the message as it is now, by id
	entries  map[string]control // those that somebody was given, by id of the button
	// Who presses faster than the message is edited still means what it showed, if nobody
	// else has changed anything since: the last editor, the state they produced, and the
	// states that they saw before it, whose buttons still count.
	editor, current string
	earlier         []string
}

// newSession begins to follow a question that somebody waits for, or that has a message.
func (s *service) newSession(id string) (*session, error) {
	e, err := s.Spool.Find(id)
	if err != nil {
		return nil, err
	}
	req, err := e.Request()
	if err == nil && e.Status().AgentGone && s.kept[id].Ref == "" { // until it is asked again
		err = spool.ErrNotFound
	}
	if err != nil {
		e.Close()
		return nil, err
	}
	name := s.Channel.Name()
	a := &session{post: &post{service: s, id: id, delivery: newDelivery(s.kept[id])}, entries: map[string]control{},
		Sitting: sitting.New(s.ctx, e, req, sitting.Surface{By: name, Name: name, Buttons: true, Post: sitting.Into(s.happens)})}
	a.Follow()
	for over := true; over; { // what somebody else has open is not open here
		before := a.M.Mode()
		a.M.Handle(machine.Event{Action: machine.Back})
		over = a.M.Mode() != before
	}
	return a, nil
}

// release ends the session.
func (a *session) release() {
	a.Close()
	a.Entry.Close()
}

// follow updates the message. It reports false where the question needs no session any more:
// it is over, and if it is another machine's, that has taken the answer; or nobody waits for
// it, and it is not posted.
func (a *session) follow() bool {
	if a.First == nil && a.Asker.Removed {
		a.First = &form.Result{Outcome: form.Aborted, At: time.Now()}
	}
	a.rules = a.Rules(a.Req.Origin, a.Known.Settings)
	switch {
	case !a.Asker.Unattended:
		a.unseen = time.Time{}
	case a.unseen.IsZero():
		a.unseen = time.Now()
	}
	there := a.Ref != "" || a.stage == posting
	switch elsewhere := a.Req.Origin.Away != nil && !a.Asker.Delivered && !a.Asker.Removed; {
	case a.First != nil && !elsewhere, !there && (a.First != nil || a.Asker.AgentGone):
		return false
	case there:
		a.send(a.draw())
	}
	return true
}

// wanted reports whether it is time to post the question; if that comes with the time
// alone, it is looked at again then.
func (a *session) wanted() bool {
	if a.First != nil || a.Asker.AgentGone || a.rules.When == settings.Never {
		return false
	}
	wait := time.Until(a.Req.Origin.Start.Add(a.rules.After))
	if !a.unseen.IsZero() {
		wait = min(wait, time.Until(a.unseen.Add(moment)))
	}
	if a.rules.When == settings.Always {
		wait = 0
	}
	if wait = max(wait, time.Until(a.retryAt)); wait > 0 {
		a.wakeIn(wait)
	}
	return wait <= 0
}
