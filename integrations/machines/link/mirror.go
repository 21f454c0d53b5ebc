package link

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/integrations/machines/trust"
)

// mirrored holds a question of another machine that has an entry here.
type mirrored struct {
	question
	bidding
	peer  *peer
	rec   record // what its machine says of it; zero where we have not heard
	large string // why the hub does not take the answer that was given here
	told  bool   // the person knows that the answer has to wait for the hub
	said  spool.AwayState
}

// receiveEntry handles what a machine says of a question. It reports whether it could.
func (l *link) receiveEntry(i item) bool {
	if l.hub.ahead == nil { // it is not known when that was
		return false
	}
	machine, id := i.key[0], i.key[1]
	a := l.mirrors[id]
	if !i.there {
		l.endVanished(l.peer(machine))
		return true
	}
	at := i.created.Add(-*l.hub.ahead)
	r, err := readRecord(i.value, at)
	switch {
	case err == nil && a == nil && r.State == over:
		return !l.blind // else it may have an entry here
	case err == nil && a == nil:
		a, err = l.mirror(machine, id, r, at)
	case err == nil && a.machine != machine:
		err = fmt.Errorf("%s has one of this id", a.machine)
	}
	if errors.Is(err, spool.ErrMirrored) { // by hub and forward both: once is enough, as long as that process is there
		return false
	}
	if err != nil {
		l.log(fmt.Errorf("the question %s of %s cannot be shown: %w", text.OneLine(id, 40), machine, err))
		return false
	}
	if a != nil {
		a.rec = r
		l.step(a)
	}
	return true
}

// readRecord reads what was published at a time by our clock. When it was over is by that clock, too.
func readRecord(data []byte, at time.Time) (r record, err error) {
	if err = json.Unmarshal(data, &r); err == nil && r.Version > form.Version {
		err = fmt.Errorf("it has format %d and this askpane knows %d; %w", r.Version, form.Version, spool.ErrNewer)
	}
	if r.Result != nil && r.AgeMs > 0 { // an older askpane does not say it
		r.Result.At = at.Add(-r.age())
	}
	return r, err
}

func (r record) age() time.Duration { return time.Duration(r.AgeMs) * time.Millisecond }

// mirror makes an entry here for a question of another machine, published at a time by our
// clock; nil if it is over here. The error is spool.ErrMirrored if it can be made only later.
func (l *link) mirror(machine, id string, r record, at time.Time) (*mirrored, error) {
	if len(l.peer(machine).mirrors) >= l.Most {
		l.log(hint.New("see what asks there, or askpane hub revoke "+machine, "%d questions of %s wait here; what else it asks is shown when some of them are over", l.Most, machine))
		return nil, spool.ErrMirrored
	}
	var req spool.Request
	if err := json.Unmarshal(r.Request, &req); err != nil {
		return nil, err
	}
	if req.ID != id {
		return nil, errors.New("it has the id of another")
	}
	o := req.Origin
	req.Origin.Away = &spool.Away{Machine: machine, Cwd: o.Cwd, Pane: o.Pane, Host: o.Host, Digest: digest(r.Request), Via: l.Via}
	if r.AgeMs > 0 {
		req.Origin.Start = at.Add(-r.age())
	}
	if req.Deadline = nil; r.LeftMs != nil { // rather too late: the machine that asked ends it
		req.Deadline = new(at.Add(time.Duration(*r.LeftMs) * time.Millisecond))
	}
	e, err := l.Spool.Mirror(req)
	if errors.Is(err, spool.ErrOver) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return l.hold(e, req), nil
}

// adopt takes over an entry that an earlier desk has left.
func (l *link) adopt(e *spool.Entry, req spool.Request) {
	ours, err := e.TakeOver()
	if err == nil && ours {
		l.step(l.hold(e, req))
		return
	}
	if l.log(err); e.Status().Delivered { // it only was not moved, as where a desk is killed just then
		l.log(e.Deliver())
		l.stay[e.ID] = false
	} else {
		l.blind = true
	}
	e.Close()
}

// hold starts to follow and show a mirrored question.
func (l *link) hold(e *spool.Entry, req spool.Request) *mirrored {
	machine := req.Origin.Away.Machine
	a := &mirrored{question: question{machine: machine, id: e.ID, entry: e, req: req}, bidding: bidding{stage: open}, said: e.Away(), peer: l.peer(machine)}
	l.mirrors[a.id], a.peer.mirrors[a.id] = a, a
	l.follow(&a.question, func() { l.step(a) })
	l.show(a)
	return a
}

// show shows a question, and again where that has failed. One whose files were removed here
// still waits on its machine, and is mirrored anew.
func (l *link) show(a *mirrored) {
	if a.entry.Status().Removed {
		e, err := l.Spool.Mirror(a.req)
		if err != nil {
			l.log(err)
			return
		}
		a.close()
		a.entry, a.said = e, e.Away()
		l.follow(&a.question, func() { l.step(a) })
	}
	if _, answered, _ := a.entry.Answer(); answered {
		return
	}
	a.showing = true
	e := a.entry
	l.rest.Go(func() {
		_, err := l.Show(l.ctx, e)
		l.post(func() {
			if a.showing = false; err != nil && l.ctx.Err() == nil { // else the link ends, and with it all that it shows
				l.log(fmt.Errorf("show the question %s of %s: %w", a.id, a.machine, err))
				l.retry(func() {
					if a.stage != settled && a.stage != left && !a.showing {
						l.show(a)
					}
				})
			}
			l.step(a)
		})
	})
}

// step reconciles our entry with the question on its machine.
func (l *link) step(a *mirrored) {
	if a.stage == left {
		return
	}
	synced := l.hub != nil && l.hub.synced
	to, stranger := l.members.Get(a.machine)
	if errors.Is(stranger, trust.ErrRevoked) && synced && a.stage != settled { // before, it may have joined again
		a.rec = aborted(a.machine, spool.Revoked)
	}
	if a.rec.State == over && a.stage != settled {
		if err := l.conclude(a); err != nil {
			l.log(err)
			l.retry(func() { l.step(a) })
			return
		}
	}
	r, given, err := a.entry.Answer()
	l.log(err)
	ended := a.rec.State == over || r.Machine != "" // by us, before we were ended
	place := a.next(given, ended, synced && stranger == nil)
	switch a.stage {
	case left:
		l.leave(a)
	case open:
		l.state(a)
		l.typed(&a.question)
	case answered, placed:
		l.state(a)
		l.late(a)
	}
	if place {
		l.place(a, to, r)
	}
}

// conclude ends our entry as the question ended on its machine. If another answer was given
// here, it tells the person, once.
func (l *link) conclude(a *mirrored) error {
	won := aborted(a.machine, "it is over there, and nobody knows how").Result
	if a.rec.Result != nil {
		*won = *a.rec.Result
	}
	if trust.ValidName(won.Machine) != nil {
		won.Machine = a.machine
	}
	err := a.entry.Settle(*won)
	if !errors.Is(err, spool.ErrAnswered) {
		return err
	}
	r, _, _ := a.entry.Answer()
	// An answer with our name may be one from before we lost our spool.
	ours := won.Machine == l.me() && (len(won.Answers) == 0 || bytes.Equal(trust.Encode(won.Answers), trust.Encode(a.req.Form.Withhold(r.Answers))))
	said := fmt.Sprintf("too late: %s %s", won.Outcome.Words(), won.Surface())
	if r.Machine != "" || ours || a.entry.Away().Verdict == said {
		return nil
	}
	if err = a.entry.SetAway(spool.AwayState{Verdict: said, Won: won}); err == nil {
		l.Late(a.entry, said)
	}
	return err
}

// leave lets go of a question that is over and that nobody shows any more.
func (l *link) leave(a *mirrored) {
	l.forget(&a.question)
	if err := a.entry.Deliver(); err != nil {
		l.log(err)
		l.blind = true // it is found again
	}
	a.close()
	delete(l.mirrors, a.id)
	delete(a.peer.mirrors, a.id)
}

// withdraw removes a question here, which goes on on its machine alone. One that was answered here
// waits for the next forward, and is over where there is no hub any more to bring the answer.
func (l *link) withdraw(a *mirrored) error {
	err := a.entry.Withdraw()
	if errors.Is(err, spool.ErrAnswered) && l.Via == "" {
		said := "given before this machine left its hub; whether " + a.machine + " has it is not known here"
		if err = a.entry.SetAway(spool.AwayState{Verdict: said}); err == nil { // else it would seem to have arrived
			err = a.entry.Deliver()
		}
	} else if errors.Is(err, spool.ErrAnswered) {
		err = hint.New("the next askpane forward brings it there", "the answer to %s has not reached %s", a.id, a.machine)
	}
	return err
}

// state says in our entry how it stands there.
func (l *link) state(a *mirrored) {
	state := spool.AwayState{Unreachable: a.peer.silentSince, AgentGone: a.rec.State == agentGone, Unattended: a.rec.State == alone}
	if why := cmp.Or(a.rec.Refused[l.me()], a.large); why != "" {
		state.Verdict = "not taken by " + a.machine + ": " + why
	}
	if state == a.said {
		return
	}
	if err := a.entry.SetAway(state); err != nil {
		l.log(err)
		l.retry(func() { l.step(a) })
		return
	}
	a.said = state
}

// late tells the person, once, where an answer has to wait for the hub.
func (l *link) late(a *mirrored) {
	if l.status.Err != "" && !a.told { // who closes the form believes that it is there
		a.told = true
		when := "the hub is there again"
		if l.Via != "" {
			when = "askpane forward is connected again"
		}
		l.Late(a.entry, "it goes to "+a.machine+" as soon as "+when)
	}
}

// place brings an answer that was given here to the machine that asked.
func (l *link) place(a *mirrored, to trust.Member, r form.Result) {
	b := bid{form.Version, a.id, a.req.Origin.Away.Digest, r}
	l.hub.write(Bids, a.key()+"."+l.me(), []trust.Member{to}, b, func(_ uint64, large error) {
		if errors.Is(large, errFull) {
			l.log(large)
			time.AfterFunc(l.Beat, func() { l.post(func() { a.bidding.reset(); l.step(a) }) })
		} else if large != nil {
			l.log(large)
			a.large = large.Error()
			l.step(a)
		}
	})
}

// aborted returns the record of a question that its machine does not speak of any more.
func aborted(machine, why string) record {
	return record{State: over, Result: &form.Result{Outcome: form.Aborted, Reason: why, By: form.ByBridge, At: time.Now(), Machine: machine}}
}

func (l *link) log(err error) {
	said := text.OneLine(fmt.Sprint(err), 1000)
	if err == nil || l.logged[said] {
		return
	}
	if len(l.logged) == 1000 { // others may make them up
		clear(l.logged)
	}
	l.logged[said] = true
	l.Log(errors.New(said))
}
