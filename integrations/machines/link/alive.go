package link

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/askpane/askpane/bridge/address"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/integrations/machines/trust"
)

// pulse holds a heartbeat, which is sealed in Alive.
type pulse struct {
	// Synced: all that waits there and may leave it is at the hub, at Revision at most.
	Synced   bool   `json:"synced"`
	Revision uint64 `json:"revision"`
	// Chat tells machines that have the same chat, where a person sits.
	Chat string `json:"chat,omitempty"`
	// Life tells a desk that was started again from one that goes on elsewhere.
	Life string `json:"life,omitempty"`
}

// peer records what we hear of another machine.
type peer struct {
	heard       time.Time // by our own clock
	silentSince time.Time // since when nothing was heard; zero where it is there
	pulse       pulse
	mirrors     map[string]*mirrored // its questions that have an entry here
}

// silent counts the beats that may be missing.
const silent = 3

func (l *link) peer(name string) *peer {
	if l.peers[name] == nil {
		l.peers[name] = &peer{heard: time.Now(), mirrors: map[string]*mirrored{}}
	}
	return l.peers[name]
}

// stepAll steps all questions of a machine.
func (l *link) stepAll(p *peer) {
	for _, a := range p.mirrors {
		l.step(a)
	}
}

// beat tells others now and then that we are here, notes who is not, and removes what has been
// over for long.
func (l *link) beat() {
	l.markSilent()
	l.yield()
	if l.blind {
		l.scanned(l.Spool.Scan())
	}
	l.say(func(*address.LinkStatus) {})
	s := l.hub
	if s == nil || !s.synced {
		return
	}
	s.receiveAgain()
	for o := range l.unsent {
		l.send(o)
	}
	if s.beating {
		return
	}
	p := pulse{Synced: len(l.unsent) == 0 && !l.blind, Life: l.life}
	if l.ID.Member.Person {
		p.Chat = l.Chat()
	}
	for id, o := range l.locals {
		p.Revision = max(p.Revision, o.revision)
		if o.state == over && o.stage == published && time.Since(o.endedAt) > keep {
			s.purge(MarkerTime, Entries, o.key())
			delete(l.locals, id)
		}
	}
	began := time.Now()
	s.beating = true
	s.write(Alive, l.me(), l.readers, p, func(revision uint64, err error) {
		if s.beating, s.heart = false, revision; err == nil {
			l.beaten = began
		}
		l.say(func(s *address.LinkStatus) { s.LagMs = time.Since(began).Milliseconds() })
	})
}

// markSilent marks the machines of which nothing was heard for long.
func (l *link) markSilent() {
	for _, p := range l.peers {
		if p.silentSince.IsZero() && time.Since(p.heard) > silent*l.Beat {
			p.silentSince = p.heard.Truncate(time.Second)
			l.stepAll(p)
		}
	}
}

// yield leaves the chat to one of the machines that have its token and are there. A bot has one
// reader, which has to see all questions: a person's machine, of several the one with the lowest
// name. While there is no hub it stays as it was; one that is away for
// us alone takes our heartbeats no more than it brings those of others.
func (l *link) yield() {
	if l.hub == nil || !l.hub.synced {
		return
	}
	mark := l.Chat()
	yield := !l.ID.Member.Person
	for name, p := range l.peers {
		there := p.silentSince.IsZero() || l.beaten.Sub(p.heard) <= silent*l.Beat
		yield = yield || name < l.me() && there && p.pulse.Chat == mark
	}
	l.yielded = true
	l.Yield(yield && mark != "")
}

// claim claims this machine's name at the hub by a heartbeat, which ends the session of whoever
// else had it. While a copy of our keys beats there, we stay away: two of one name would answer
// for each other's questions.
func (s *session) claim() error {
	kv := s.buckets[Alive]
	w, err := kv.Watch(s.ctx, s.me())
	if err != nil {
		return fmt.Errorf("watch the hub's bucket %s: %w", Alive, err)
	}
	defer func() { _ = w.Stop() }()
	var still <-chan time.Time // after which the other one is not there any more
	for alone, last := false, s.life; !alone; {
		select {
		case <-s.ctx.Done():
			return nil
		case <-still:
			alone = true
		case e := <-w.Updates():
			if e == nil { // that is all there is
				alone, still = last == s.life, time.After(2*s.Beat)
				continue
			}
			p := pulse{Life: s.life}
			if s.heart = e.Revision(); e.Operation() == jetstream.KeyValuePut {
				p.Life = ""
				if _, plain, err := s.ID.Open(s.members, Alive+"/"+s.me(), e.Value()); err == nil {
					_ = json.Unmarshal(plain, &p)
				}
			}
			if last = p.Life; still != nil && last != s.life {
				_, where, _ := strings.Cut(last, " ")
				err := hint.New("have one of them join under a name of its own: remove its link.json, and askpane join", "%s is linked from elsewhere as well, with a copy of its keys (%s); this desk stays away, and its questions are answered here", s.me(), where)
				s.link.post(func() { s.log(err) })
				return err
			}
			alone = still != nil
		}
	}
	sealed, err := s.ID.Seal([]trust.Member{s.ID.Member}, Alive+"/"+s.me(), trust.Encode(pulse{Life: s.life}))
	if err == nil {
		s.heart, err = kv.Update(s.ctx, s.me(), sealed, s.heart)
	}
	return err
}

// receiveHeartbeat handles the heartbeat of a machine, or what the hub itself says there.
func (l *link) receiveHeartbeat(i item) {
	if i.name() == Hub {
		l.receiveRefusals(i)
		return
	}
	if i.name() == l.me() { // each time, since somebody may set a clock
		l.hub.ahead = new(time.Until(i.created))
		l.hub.receiveAgain() // questions that came before the first of them
	}
	p := l.peer(i.key[0])
	var now pulse // not over the one before: what this one leaves out is no more
	if json.Unmarshal(i.value, &now) != nil {
		return
	}
	p.pulse, p.heard = now, time.Now()
	l.yield()
	if !p.silentSince.IsZero() {
		p.silentSince = time.Time{}
		l.stepAll(p)
	}
	l.endVanished(p)
}

// receiveRefusals records, for askpane doctor alone, which machines the hub refuses something.
func (l *link) receiveRefusals(i item) {
	var said Said
	_ = json.Unmarshal(i.value, &said)
	l.full = said.Full
	l.say(func(*address.LinkStatus) {})
}

// endVanished ends the questions that a machine no longer has: it is there and says that all of
// its questions are at the hub, and we have seen all up to that. It keeps those that have an
// answer from here: their machine will say what has become of that.
func (l *link) endVanished(p *peer) {
	if !l.hub.synced || !p.pulse.Synced || p.pulse.Revision > l.hub.newest {
		return
	}
	for _, a := range p.mirrors {
		if l.hub.has[a.key()] {
			continue
		}
		if _, answered, _ := a.entry.Answer(); !answered {
			a.rec = record{State: over}
			l.step(a)
		}
	}
}

// say changes the status.
func (l *link) say(change func(*address.LinkStatus)) {
	s := l.status
	change(&s)
	s.Version, s.Unpublished, s.Open, s.Staying, s.Hub = 1, len(l.unsent), 0, 0, cmp.Or(l.refused, text.OneLine(strings.Join(slices.Sorted(maps.Values(l.full)), "; "), 1000))
	for _, o := range l.locals {
		if o.have != "" && o.state != over {
			s.Open++
		}
	}
	for _, waits := range l.stay {
		if waits {
			s.Staying++
		}
	}
	if lag := l.status.LagMs; s.LagMs < 2*lag+2 && lag < 2*s.LagMs+2 { // the disk need not hear of each millisecond
		s.LagMs = lag
	}
	if s == l.status || l.Dir == "" {
		return
	}
	l.status = s
	err := os.MkdirAll(l.Dir, 0o700)
	path := filepath.Join(l.Dir, address.LinkStatusFile)
	if err == nil {
		err = os.WriteFile(path+".new", append(trust.Encode(l.status), '\n'), 0o600)
	}
	if err == nil {
		err = os.Rename(path+".new", path) // without waiting for the disk: it is for the moment
	}
	l.log(err)
}
