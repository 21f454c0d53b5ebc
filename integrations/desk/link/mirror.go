package link

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/integrations/desk/link/trust"
)

// away is a question of another machine that has an entry here, which we hold.
type away struct {
	question
	rec     record // what its machine says of it; zero where we have not heard
	seen    bool   // the hub has it
	placed  bool   // and the answer that was given here
	showing bool
	over    bool
	said    spool.AwayState
}

// sees notes which questions the hub has, whether we can read them or not.
func (s *session) sees(i item) {
	s.newest = max(s.newest, i.revision)
	if a := s.away[i.key[1]]; a != nil && a.machine == i.key[0] {
		a.seen = i.there
	}
}

// told is what a machine says of a question.
func (l *link) told(i item) {
	machine, id := i.key[0], i.key[1]
	a := l.away[id]
	delete(l.held, id)
	if !i.there {
		l.miss(machine)
		return
	}
	var r record
	err := json.Unmarshal(i.value, &r)
	switch {
	case err == nil && r.Version > form.Version:
		err = fmt.Errorf("it has format %d and this askpane knows %d; %w", r.Version, form.Version, spool.ErrNewer)
	case err == nil && a == nil && r.State != over:
		a, err = l.mirror(machine, id, r)
	case err == nil && a != nil && a.machine != machine:
		err = fmt.Errorf("%s has one of this id", a.machine)
	}
	if errors.Is(err, spool.ErrMirrored) { // by hub and forward both: once is enough, as long as that process is there
		l.held[id] = i
	} else if err != nil {
		l.log(fmt.Errorf("the question %s of %s cannot be shown: %w", text.OneLine(id, 40), machine, err))
	} else if a != nil {
		a.rec, a.seen = r, true
		l.step(a)
	}
}

// mirror makes an entry here for a question of another machine; nil where it is over here.
func (l *link) mirror(machine, id string, r record) (*away, error) {
	var req spool.Request
	if err := json.Unmarshal(r.Request, &req); err != nil {
		return nil, err
	}
	if req.ID != id {
		return nil, errors.New("it has the id of another")
	}
	o := req.Origin
	req.Origin.Away = &spool.Away{Machine: machine, Cwd: o.Cwd, Pane: o.Pane, Host: o.Host, Digest: digest(r.Request), Via: l.Via}
	if req.Deadline = nil; r.LeftMs != nil { // rather too late: the machine that asked ends it
		req.Deadline = new(time.Now().Add(time.Duration(*r.LeftMs) * time.Millisecond))
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

// adopt takes over what an earlier desk has left.
func (l *link) adopt(e *spool.Entry, req spool.Request) {
	if ours, err := e.TakeOver(); err != nil || !ours {
		l.log(err)
		e.Close()
		l.retry(l.scan) // the earlier one is just going
		return
	}
	l.step(l.hold(e, req))
}

// hold sees to a question of another machine, whose entry is ours.
func (l *link) hold(e *spool.Entry, req spool.Request) *away {
	machine := req.Origin.Away.Machine
	a := &away{question: question{machine: machine, id: e.ID, entry: e, req: req}, said: e.Away()}
	l.away[a.id] = a
	l.peer(machine)
	l.follow(&a.question, func() { l.step(a) })
	l.show(a)
	l.catchUp(&a.question)
	return a
}

// show has a question shown, and again where that has failed.
func (l *link) show(a *away) {
	if _, answered, _ := a.entry.Answer(); answered {
		return
	}
	a.showing = true
	e := a.entry
	l.rest.Go(func() {
		_, err := l.Show(l.ctx, e)
		l.do(func() {
			if a.showing = false; err != nil {
				l.log(fmt.Errorf("show the question %s of %s: %w", a.id, a.machine, err))
				l.retry(func() {
					if !a.over && !a.showing {
						l.show(a)
					}
				})
			}
			l.step(a)
		})
	})
}

// step brings our entry and the question on its machine together.
func (l *link) step(a *away) {
	if _, err := l.members.Get(a.machine); errors.Is(err, trust.ErrRevoked) && !a.over {
		a.rec = aborted(a.machine, "that machine was revoked")
	}
	theirs := a.rec.Result
	if !a.over && a.rec.State == over && theirs != nil {
		if err := a.entry.Settle(*theirs); err != nil && !errors.Is(err, spool.ErrAnswered) {
			l.log(err)
			l.retry(func() { l.step(a) })
			return
		}
		a.over = true
		if r, _, _ := a.entry.Answer(); r.Machine == "" && theirs.Machine != l.me() { // it was answered here, in vain
			l.late(a, *theirs)
		}
	}
	switch r, answered, err := a.entry.Answer(); {
	case a.over && !a.showing:
		l.leave(a)
	case a.over:
	case answered:
		l.place(a, r)
	default:
		l.log(err)
		l.state(a)
		l.typed(&a.question)
	}
}

// leave lets go of a question that is over and that nobody shows any more.
func (l *link) leave(a *away) {
	l.forget(&a.question)
	l.log(a.entry.Deliver())
	a.close()
	delete(l.away, a.id)
}

// withdraw takes a question away that goes on on its machine alone.
func (a *away) withdraw() error {
	err := a.entry.Withdraw()
	if errors.Is(err, spool.ErrAnswered) {
		err = hint.New("the next askpane forward brings it there", "the answer to %s has not reached %s", a.id, a.machine)
	}
	return err
}

// late tells the person that another answer than the one given here counts.
func (l *link) late(a *away, won form.Result) {
	said := fmt.Sprintf("too late: %s %s", won.Outcome, won.Surface())
	if a.entry.Away().Verdict != said { // else it was told before we were ended
		l.log(a.entry.SetAway(spool.AwayState{Verdict: said, Won: &won}))
		l.Late(a.entry, said)
	}
}

// state says in our entry how it stands there.
func (l *link) state(a *away) {
	state := spool.AwayState{Unreachable: l.peer(a.machine).lost, AgentGone: a.rec.State == agentGone}
	if why, refused := a.rec.Refused[l.me()]; refused {
		state.Verdict = "not taken by " + a.machine + ": " + why
	}
	if state != a.said {
		a.said = state
		l.log(a.entry.SetAway(state))
	}
}

// place brings an answer that was given here to the machine that asked.
func (l *link) place(a *away, r form.Result) {
	l.state(a)
	to, err := l.members.Get(a.machine)
	if l.hub == nil || !l.hub.synced || a.placed || err != nil {
		return // later; or that machine has left
	}
	a.placed = true
	b := bid{form.Version, a.id, a.req.Origin.Away.Digest, r}
	l.hub.write(Bids, a.key()+"."+l.me(), []trust.Member{to}, b, func(_ uint64, large error) { l.log(large) })
}

// aborted is how a question ends that its machine does not speak of any more.
func aborted(machine, why string) record {
	return record{State: over, Result: &form.Result{Outcome: form.Aborted, Reason: why, By: form.ByBridge, At: time.Now(), Machine: machine}}
}
