package link

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text/hint"
)

// How it stands with a question.
const (
	waiting   = "waiting"
	agentGone = "agent gone"
	over      = "over"
)

// record is what is sealed in Entries: a question of the machine that its key names.
type record struct {
	Version int    `json:"version"`
	State   string `json:"state"`
	Request []byte `json:"request,omitempty"` // request.json as it is in the spool; none when the question is over
	// LeftMs is what was left of the deadline when this was written, in milliseconds: no
	// clock is compared with another machine's.
	LeftMs  *int64            `json:"leftMs,omitempty"`
	Result  *form.Result      `json:"result,omitempty"`  // how it is over
	Refused map[string]string `json:"refused,omitempty"` // whose answers were not taken, and why
	Readers string            `json:"readers"`           // to whom it is sealed
}

// bid is what is sealed in Bids: an answer from another machine.
type bid struct {
	Version int         `json:"version"`
	Entry   string      `json:"entry"`
	Digest  string      `json:"digest"` // of what is answered: request.json of the machine that asked
	Result  form.Result `json:"result"`
}

// digest is what a bid is bound to.
func digest(request []byte) string {
	sum := sha256.Sum256(request)
	return hex.EncodeToString(sum[:])
}

// keep is how long the hub knows how a question has ended.
const keep = time.Hour

// own is a question of this machine.
type own struct {
	question
	digest   string
	state    string
	result   *form.Result
	refused  map[string]string
	bidders  []string // whose answers are at the hub
	have     string   // what the hub has, in the words of want
	revision uint64
	busy     bool // something is being written
}

// want says what the hub should have of a question.
func (o *own) want(readers string) string {
	if o.state == over {
		return over + readers
	}
	return o.state + readers + " refused " + strings.Join(slices.Sorted(maps.Keys(o.refused)), " ")
}

// scan looks for questions that have come to the spool, and gone from it.
func (l *link) scan() {
	pending, answered, err := l.Spool.Scan()
	l.log(err)
	there := map[string]bool{}
	for _, id := range append(pending, answered...) { // a mirrored one's answer has still to reach its machine
		there[id] = true
		if l.own[id] == nil && l.away[id] == nil && !l.stay[id] && !l.others[id] {
			l.found(id)
		}
	}
	gone := func(id string, _ bool) bool { return !there[id] }
	maps.DeleteFunc(l.stay, gone)
	maps.DeleteFunc(l.others, gone)
	for id, o := range l.own {
		if !there[id] && o.state != over {
			l.look(o)
		}
	}
}

// found takes on a question that is in the spool.
func (l *link) found(id string) {
	e, err := l.Spool.Open(id)
	if err != nil {
		return // it has gone, or cannot be read: its own surfaces say so
	}
	req, err := e.Request()
	file, unread := e.RequestFile()
	r, answered, _ := e.Answer()
	away := req.Origin.Away
	switch err = errors.Join(err, unread); {
	case err == nil && away != nil && away.Via == l.Via && l.ID.Member.Person:
		l.adopt(e, req)
		return
	case err == nil && (away != nil || l.Via != ""):
		l.others[id] = true
		e.Close()
		return
	case err != nil, req.Form.Secrets() && !l.Secrets, answered && time.Since(r.At) > keep:
	case len(file) > mib:
		l.log(hint.New("answer it there", "the question %s has %d bytes and stays on this machine: at most %d go over the hub", id, len(file), mib))
	default:
		o := &own{question: question{machine: l.me(), id: id, entry: e, req: req}, digest: digest(file), refused: map[string]string{}}
		l.follow(&o.question, func() { l.look(o) })
		l.own[id] = o
		l.catchUp(&o.question)
		l.look(o)
		return
	}
	l.stay[id] = true
	e.Close()
}

// look sees how it stands with a question in the spool.
func (l *link) look(o *own) {
	if o.state != over {
		switch status := o.entry.Status(); {
		case status.Over():
			l.ended(o)
		case status.AgentGone:
			o.state = agentGone
		default:
			o.state = waiting
		}
	}
	if o.state != over {
		l.typed(&o.question)
	}
	l.send(o)
}

// ended is that a question is over, as the spool says.
func (l *link) ended(o *own) {
	r := form.Result{Outcome: form.Aborted, Reason: "it is no longer on " + l.me(), By: form.ByBridge, At: time.Now()}
	if e, err := l.Spool.Find(o.id); err == nil { // its directory has moved, perhaps
		if found, ok, err := e.Answer(); ok {
			r = found
		} else {
			l.log(err)
		}
		e.Close()
	}
	r.Answers = o.req.Form.Withhold(r.Answers)
	if r.Machine == "" {
		r.Machine = l.me()
	}
	o.state, o.result = over, &r
	l.forget(&o.question)
	o.close()
}

// send brings to the hub what it should have of a question, one thing after the other.
func (l *link) send(o *own) {
	s, want := l.hub, o.want(l.mark)
	defer func() { l.Unsent(len(l.unsent)) }()
	if o.have == want {
		delete(l.unsent, o)
		if s != nil && o.state == over && len(o.bidders) > 0 { // whose answer comes later finds out that it is over
			s.purge(time.Minute, Bids, o.bidders...)
			o.bidders = nil
		}
		return
	}
	l.unsent[o] = true
	if s == nil || !s.synced || o.busy {
		return
	}
	r := record{Version: form.Version, State: o.state, Result: o.result, Refused: maps.Clone(o.refused), Readers: l.mark}
	if o.state != over {
		var err error
		if r.Request, err = o.entry.RequestFile(); err != nil {
			return // it has just gone; the spool tells
		}
		if o.req.Deadline != nil {
			r.LeftMs = new(time.Until(*o.req.Deadline).Milliseconds())
		}
	}
	o.busy = true
	s.write(Entries, o.key(), l.readers, r, func(revision uint64, large error) {
		o.busy = false
		switch {
		case large == nil:
			o.have, o.revision = want, revision
		case o.state == over: // that it is, must be known
			o.result = &form.Result{Outcome: o.result.Outcome, By: o.result.By, At: o.result.At, Machine: o.result.Machine}
		default:
			l.log(large)
			o.close()
			delete(l.own, o.id)
			delete(l.unsent, o)
			l.stay[o.id] = true
			return
		}
		l.send(o)
	})
}

func (q *question) key() string { return q.machine + "." + q.id }

// before takes what the hub has of ours from an earlier session.
func (l *link) before(i item) {
	if l.hub.synced || !i.there {
		return // it is from this one
	}
	id, r := i.key[1], record{}
	_ = json.Unmarshal(i.value, &r) // what cannot be read was written before we joined again
	o := l.own[id]
	if o == nil {
		if o = l.gone(id); o == nil {
			l.hub.purge(markerTime, Entries, l.me()+"."+id)
			return
		}
		if r.State == over && r.Result != nil {
			o.result = r.Result
		}
	}
	if o.refused == nil {
		o.refused = map[string]string{}
	}
	maps.Copy(o.refused, r.Refused)
	was := own{state: r.State, refused: r.Refused}
	o.have, o.revision = was.want(r.Readers), i.revision
}

// gone is a question of ours that does not wait any more, or is unknown; nil where it
// waits, and is nobody's but this machine's.
func (l *link) gone(id string) *own {
	o := &own{question: question{machine: l.me(), id: id, stop: func() {}}}
	if l.stay[id] || l.others[id] || l.away[id] != nil {
		return nil
	}
	if e, err := l.Spool.Find(id); err == nil {
		o.req, _ = e.Request()
		e.Close()
	}
	l.ended(o)
	l.own[id] = o
	return o
}

// bid takes an answer from another machine: the first that the spool takes wins.
func (l *link) bid(i item) {
	id, bidder := i.key[1], i.key[2]
	o := l.own[id]
	if o == nil {
		if o = l.gone(id); o == nil {
			return
		}
	}
	if key := strings.Join(i.key, "."); !slices.Contains(o.bidders, key) {
		o.bidders = append(o.bidders, key)
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
				l.retry(func() { l.bid(i) })
				return
			}
		}
	}
	l.look(o)
}

// check reads a bid that could be the answer.
func (o *own) check(plain []byte) (r form.Result, err error) {
	var b bid
	if err := json.Unmarshal(plain, &b); err != nil {
		return r, err
	}
	switch {
	case b.Version > form.Version:
		return r, fmt.Errorf("it has format %d and this askpane knows %d; %w", b.Version, form.Version, spool.ErrNewer)
	case b.Entry != o.id || b.Digest != o.digest:
		return r, errors.New("it answers another question")
	case !slices.Contains([]form.Outcome{form.Answered, form.NeedsDiscussion, form.Cancelled}, b.Result.Outcome):
		return r, fmt.Errorf("nobody answers with the outcome %.20q", b.Result.Outcome)
	}
	b.Result.Dismissed = false
	return b.Result, o.req.Form.Check(b.Result)
}
