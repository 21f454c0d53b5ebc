package link

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/askpane/askpane/bridge/address"
	"github.com/askpane/askpane/bridge/change"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text/hint"
)

// How it stands with a question.
const (
	waiting   = "waiting"
	alone     = "nobody there" // it waits, and nobody could see its form
	agentGone = "agent gone"
	over      = "over"
)

// record holds a question of the machine that its key names, sealed in Entries.
type record struct {
	Version int    `json:"version"`
	State   string `json:"state"`
	Request []byte `json:"request,omitempty"` // request.json as it is in the spool; none when the question is over
	// LeftMs holds the milliseconds that were left of the deadline when this was written, and AgeMs
	// those since it was asked, or over: the clocks of two machines are not compared. Who shows it counts on by the hub's.
	LeftMs  *int64            `json:"leftMs,omitempty"`
	AgeMs   int64             `json:"ageMs,omitempty"`
	Result  *form.Result      `json:"result,omitempty"`  // how it is over
	Refused map[string]string `json:"refused,omitempty"` // whose answers were not taken, and why
	Readers string            `json:"readers"`           // to whom it is sealed
	From    string            `json:"from,omitempty"`    // the spool that it is in: it alone knows that it is gone
}

// bid holds an answer from another machine, sealed in Bids.
type bid struct {
	Version int         `json:"version"`
	Entry   string      `json:"entry"`
	Digest  string      `json:"digest"` // of what is answered: request.json of the machine that asked
	Result  form.Result `json:"result"`
}

// digest binds a bid to a request.
func digest(request []byte) string { return fmt.Sprintf("%x", sha256.Sum256(request)) }

// keep sets how long a desk has the hub remember how a question has ended.
const keep = time.Hour

// local holds a question of this machine.
type local struct {
	question
	publication
	digest   string
	state    string
	result   *form.Result
	refused  map[string]string
	from     string   // whose it is by what the hub has, where it is not in our spool
	bidders  []string // whose answers are at the hub
	revision uint64
	endedAt  time.Time // by our own clock, whatever becomes of the time of day
}

// want says what the hub should have of a question.
func (o *local) want(readers string) string {
	if o.state == over {
		return over + readers
	}
	return o.state + readers + " refused " + strings.Join(slices.Sorted(maps.Keys(o.refused)), " ")
}

// scanned finds the questions that have come to the spool, and left it.
func (l *link) scanned(pending, answered []string, err error) {
	l.log(err)
	l.blind = err != nil
	there := map[string]bool{}
	for _, id := range append(pending, answered...) { // a mirrored one's answer has still to reach its machine
		there[id] = true
		if _, stays := l.stay[id]; !stays && l.locals[id] == nil && l.mirrors[id] == nil {
			l.found(id)
		}
	}
	maps.DeleteFunc(l.stay, func(id string, _ bool) bool { return !there[id] })
	for id, o := range l.locals {
		if !there[id] && o.state != over {
			l.inspect(o)
		}
	}
}

// found takes on a question that is in the spool.
func (l *link) found(id string) {
	e, err := l.Spool.Open(id)
	if errors.Is(err, spool.ErrNotFound) { // it has just gone
		return
	}
	if err != nil {
		l.blind = true
		l.log(err)
		return
	}
	req, err := e.Request()
	file, unread := e.RequestFile()
	r, answered, _ := e.Answer()
	away := req.Origin.Away
	switch err = errors.Join(err, unread); {
	case err != nil: // no descriptor was left, perhaps
		l.blind = true
		l.log(err)
	case away != nil && away.Via == l.Via && l.ID.Member.Person:
		l.adopt(e, req)
		return
	case away != nil || l.Via != "": // another link's
		l.stay[id] = false
	case answered && time.Since(r.At) > keep: // the hub hears of it if it asks
		l.stay[id] = false
	case req.Form.Secrets() && !l.Secrets, !req.Admits("machines"):
		l.stay[id] = true
	default:
		o := l.addLocal(id)
		o.entry, o.req, o.digest = e, req, digest(file)
		l.follow(&o.question, func() { l.inspect(o) })
		l.inspect(o)
		return
	}
	e.Close()
}

// addLocal adds a question of this machine.
func (l *link) addLocal(id string) *local {
	l.locals[id] = &local{question: question{machine: l.me(), id: id}, publication: publication{stage: unknown}, refused: map[string]string{}}
	return l.locals[id]
}

// inspect reads the state of a question from the spool, and publishes it.
func (l *link) inspect(o *local) {
	if o.entry == nil && o.state != over {
		return // it stays here, since it is too large
	}
	if o.state != over {
		switch status := o.entry.Status(); {
		case status.Over():
			if !l.ended(o) {
				l.retry(func() { l.inspect(o) })
				return
			}
		case status.AgentGone:
			o.state = agentGone
		case status.Unattended:
			o.state = alone
		default:
			o.state = waiting
		}
	}
	if o.entry != nil {
		l.typed(&o.question)
	}
	l.send(o)
}

// ended records how a question is over, and reports whether that is known: while its files
// cannot be read, or are being moved, nobody is told that it is over.
func (l *link) ended(o *local) bool {
	r := form.Result{Outcome: form.Aborted, Reason: "it is no longer on " + l.me(), By: form.ByBridge, At: time.Now()}
	e, err := l.Spool.Find(o.id) // its directory has moved, perhaps
	if err == nil {
		defer e.Close()
		o.req, err = e.Request()
	}
	if err == nil {
		found, answered, unread := e.Answer()
		if damaged := unread != nil && !errors.As(unread, new(syscall.Errno)); !answered && !damaged && !e.Status().Delivered {
			l.log(unread)
			return false // it waits, or is being moved
		} else if l.log(unread); answered {
			r = found
		}
	}
	if errors.Is(err, spool.ErrNotFound) && cmp.Or(o.from, l.from) != l.from {
		err = hint.New("it goes on with that spool's desk; if there is none any more, revoke this machine and join again", "the question %s is in another spool of the name %s, %s, and is left alone", o.id, l.me(), o.from)
	} else if errors.Is(err, spool.ErrNotFound) {
		err = nil
	}
	if err != nil {
		l.log(err)
		return false
	}
	r.Answers, r.Attachments = o.req.Form.Withhold(r.Answers), nil // pictures stay here
	if r.Machine == "" {
		r.Machine = l.me()
	}
	l.forget(&o.question)
	o.close()
	o.state, o.result, o.endedAt = over, &r, time.Now()
	o.req, o.typing = spool.Request{}, typing{} // it is known for an hour yet
	return true
}

// reportUnsent reports of how many questions the hub does not know all yet. Before it has shown
// what it has, it counts one more if the desk before this one had some there that waited.
func (l *link) reportUnsent() {
	n := len(l.unsent)
	if l.unseen {
		n++
	}
	l.Unsent(n)
}

// send brings to the hub what it should have of a question, one thing after the other.
func (l *link) send(o *local) {
	s := l.hub
	write := o.should(o.want(l.mark), s != nil && s.synced)
	defer l.reportUnsent()
	if o.stage == published {
		if delete(l.unsent, o); len(l.unsent) == 0 && l.status.Unpublished > 0 {
			l.say(func(*address.LinkStatus) {})
		}
		if s != nil && o.state == over && len(o.bidders) > 0 { // whose answer comes later finds out that it is over
			s.purge(time.Minute, Bids, o.bidders...)
			o.bidders = nil
		}
		return
	}
	l.unsent[o] = true
	if !write {
		return
	}
	r := record{Version: form.Version, State: o.state, Result: o.result, Refused: maps.Clone(o.refused), Readers: l.mark, From: l.from}
	began := o.req.Origin.Start
	if o.state == over {
		began = o.result.At
	} else if file, err := o.entry.RequestFile(); err != nil {
		o.wrote(false) // it has just gone, and the spool tells; or it is tried again at the next beat
		return
	} else {
		r.Request = file
	}
	if o.req.Deadline != nil {
		r.LeftMs = new(time.Until(*o.req.Deadline).Milliseconds())
	}
	r.AgeMs = max(1, time.Since(began).Milliseconds())
	s.write(Entries, o.key(), l.readers, r, func(revision uint64, refused error) { l.sent(o, revision, refused) })
}

// sent records that the hub has what it should of a question, or why not.
func (l *link) sent(o *local, revision uint64, refused error) {
	o.wrote(refused == nil)
	switch {
	case refused == nil:
		o.revision, l.refused = revision, ""
		l.say(func(*address.LinkStatus) {})
	case errors.Is(refused, errFull): // it is tried again at the next beat
		l.log(refused)
		l.refused = refused.Error()
		l.say(func(*address.LinkStatus) {})
		return
	case o.state == over: // that it is, must be known
		o.result = &form.Result{Outcome: o.result.Outcome, By: o.result.By, At: o.result.At, Machine: o.result.Machine}
	default:
		l.log(refused)
		o.close()
		delete(l.locals, o.id)
		delete(l.unsent, o)
		l.stay[o.id] = true
		return
	}
	l.send(o)
}

func (q *question) key() string { return q.machine + "." + q.id }

// reconcile handles what the hub has of our questions from an earlier session.
func (l *link) reconcile(i item) bool {
	s, id, r := l.hub, i.key[1], record{}
	o := l.locals[id]
	switch {
	case !i.there, s.synced && (o != nil || i.revision > s.shown): // it is from this one
		return true
	case o == nil && l.stay[id]:
		s.purge(MarkerTime, Entries, i.name())
		return true
	}
	_ = json.Unmarshal(i.value, &r) // what cannot be read was written before we joined again
	if o == nil {
		if o = l.departed(id, r.From); o == nil {
			return false
		}
		if r.State == over && r.Result != nil {
			o.result = r.Result
		}
	}
	maps.Copy(o.refused, r.Refused)
	o.have, o.revision = (&local{state: r.State, refused: r.Refused}).want(r.Readers), i.revision
	l.send(o)
	return true
}

// departed returns what to publish for a question that left our spool; nil if it still waits,
// or cannot be read yet.
func (l *link) departed(id, from string) *local {
	if l.Via != "" {
		return nil
	}
	o := l.addLocal(id)
	if o.from = from; !l.ended(o) {
		delete(l.locals, id)
		return nil
	}
	return o
}

// undecided reports whether a question of our name that is not here may be another spool's.
func (s *session) undecided(id string) bool {
	_, later := s.later[Entries+"/"+s.me()+"."+id]
	return later || !s.synced
}

// receiveBid handles an answer from another machine: the first that the spool takes wins.
func (l *link) receiveBid(i item) bool {
	id, bidder := i.key[1], i.key[2]
	o := l.locals[id]
	if o == nil && !l.hub.undecided(id) {
		o = l.departed(id, "")
	}
	if o == nil {
		return false
	}
	if !slices.Contains(o.bidders, i.name()) {
		o.bidders = append(o.bidders, i.name())
	}
	if o.state != over {
		r, err := o.check(i.value)
		if err != nil {
			o.refused[bidder] = err.Error()
			l.log(fmt.Errorf("the answer to %s from %s is not taken: %w", id, bidder, err))
		} else {
			r.Machine, r.At = bidder, time.Now() // by our clock, since it is compared with that of who asks
			if err := o.entry.Settle(r); err != nil && !errors.Is(err, spool.ErrAnswered) {
				l.log(err)
				return false
			}
		}
	}
	l.inspect(o)
	return true
}

// check reads a bid that could be the answer.
func (o *local) check(plain []byte) (r form.Result, err error) {
	var b bid
	switch err = json.Unmarshal(plain, &b); {
	case err != nil:
		return r, fmt.Errorf("%.200s", err) // which goes to the hub
	case b.Version > form.Version:
		return r, fmt.Errorf("it has format %d and this askpane knows %d; %w", b.Version, form.Version, spool.ErrNewer)
	case b.Entry != o.id || b.Digest != o.digest:
		return r, errors.New("it answers another question")
	case o.req.Form.Decided(b.Result) != form.Undecided && o.entry.Status().Maybe:
		return r, errors.New("it may have been answered in the agent's own dialog")
	case !slices.Contains([]form.Outcome{form.Answered, form.NeedsDiscussion, form.Cancelled}, b.Result.Outcome):
		return r, fmt.Errorf("nobody answers with the outcome %.20q", b.Result.Outcome)
	}
	b.Result.Dismissed = false
	return b.Result, cmp.Or(o.req.Form.Check(b.Result), change.Holds(&o.req.Form, b.Result))
}
