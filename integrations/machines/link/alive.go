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

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/integrations/machines/trust"
)

// pulse is what is sealed in Alive.
type pulse struct {
	// Synced: all that waits there and may leave it is at the hub, at Revision at most.
	Synced   bool   `json:"synced"`
	Revision uint64 `json:"revision"`
	// Chat tells machines that have the same chat, where a person sits.
	Chat string `json:"chat,omitempty"`
	// Life tells a desk that was started again from one that goes on elsewhere.
	Life string `json:"life,omitempty"`
}

// peer is another machine, as we hear of it.
type peer struct {
	heard time.Time // by our own clock
	lost  time.Time // since when nothing was heard; zero where it is there
	pulse pulse
	away  map[string]*away // its questions that have an entry here
}

// silent is how many beats may be missing.
const silent = 3

func (l *link) peer(name string) *peer {
	if l.peers[name] == nil {
		l.peers[name] = &peer{heard: time.Now(), away: map[string]*away{}}
	}
	return l.peers[name]
}

// each has the questions of a machine looked at again.
func (l *link) each(p *peer) {
	for _, a := range p.away {
		l.step(a)
	}
}

// beat is what is done now and then: to say that we are here, to see who is not, and to
// take away what is over for long.
func (l *link) beat() {
	l.missing()
	l.yield()
	if l.blind {
		l.scanned(l.Spool.Scan())
	}
	l.say(func(*Status) {})
	s := l.hub
	if s == nil || !s.synced {
		return
	}
	s.again()
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
	for id, o := range l.own {
		p.Revision = max(p.Revision, o.revision)
		if o.state == over && o.stage == published && time.Since(o.endedAt) > keep {
			s.purge(MarkerTime, Entries, o.key())
			delete(l.own, id)
		}
	}
	began := time.Now()
	s.beating = true
	s.write(Alive, l.me(), l.readers, p, func(revision uint64, err error) {
		if s.beating, s.heart = false, revision; err == nil {
			l.beaten = began
		}
		l.say(func(s *Status) { s.LagMs = time.Since(began).Milliseconds() })
	})
}

// missing are machines of which nothing was heard for long.
func (l *link) missing() {
	for _, p := range l.peers {
		if p.lost.IsZero() && time.Since(p.heard) > silent*l.Beat {
			p.lost = p.heard.Truncate(time.Second)
			l.each(p)
		}
	}
}

// yield leaves the chat to one of the machines that have its token and are there: a bot has
// one reader, which sees all questions, so that it is where a person sits; of several the
// one with the lowest name. While there is no hub it stays as it was; one that is away for
// us alone takes our heartbeats no more than it brings those of others.
func (l *link) yield() {
	if l.hub == nil || !l.hub.synced {
		return
	}
	mark := l.Chat()
	yield := !l.ID.Member.Person
	for name, p := range l.peers {
		there := p.lost.IsZero() || l.beaten.Sub(p.heard) <= silent*l.Beat
		yield = yield || name < l.me() && there && p.pulse.Chat == mark
	}
	l.yielded = true
	l.Yield(yield && mark != "")
}

// alone takes this machine's name at the hub: from here on its heart beats by us, and ends
// the session of whoever else has it beat. Where it beats already, by a copy of our keys,
// we stay away: two of one name would answer for each other's questions.
func (s *session) alone() error {
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
				s.link.do(func() { s.log(err) })
				return err
			}
			alone = still != nil
		}
	}
	return s.claim(kv, w)
}

// claim is the first beat. By it the hub tells what time it is there.
func (s *session) claim(kv jetstream.KeyValue, w jetstream.KeyWatcher) error {
	sealed, err := s.ID.Seal([]trust.Member{s.ID.Member}, Alive+"/"+s.me(), marshal(pulse{Life: s.life}))
	if err == nil {
		s.heart, err = kv.Update(s.ctx, s.me(), sealed, s.heart)
	}
	for err == nil && s.ctx.Err() == nil {
		if e := <-w.Updates(); e != nil && e.Revision() == s.heart {
			s.ahead = time.Until(e.Created())
			break
		}
	}
	return err
}

// heard is the heartbeat of a machine, or what the hub itself says there.
func (l *link) heard(i item) {
	if i.name() == Hub {
		l.refuses(i)
		return
	}
	p := l.peer(i.key[0])
	var now pulse // not over the one before: what this one leaves out is no more
	if json.Unmarshal(i.value, &now) != nil {
		return
	}
	p.pulse, p.heard = now, time.Now()
	l.yield()
	if !p.lost.IsZero() {
		p.lost = time.Time{}
		l.each(p)
	}
	l.miss(p)
}

// refuses is what the hub says of machines that it refuses something. Nothing follows from
// it but what doctor says.
func (l *link) refuses(i item) {
	var said Said
	_ = json.Unmarshal(i.value, &said)
	l.full = said.Full
	l.say(func(*Status) {})
}

// miss ends the questions of a machine that it does not have any more: it is there and
// says that all of its are at the hub, and we have seen all up to that. One that has an
// answer from here is not among them: its machine still says what has become of that.
func (l *link) miss(p *peer) {
	if !l.hub.synced || !p.pulse.Synced || p.pulse.Revision > l.hub.newest {
		return
	}
	for _, a := range p.away {
		if l.hub.has[a.key()] {
			continue
		}
		if _, answered, _ := a.entry.Answer(); !answered {
			a.rec = record{State: over}
			l.step(a)
		}
	}
}

// Status is what a link says of itself in StatusFile, for askpane doctor.
type Status struct {
	Version     int       `json:"version"`
	Connected   bool      `json:"connected"`
	Since       time.Time `json:"since"` // it is, or is not
	LagMs       int64     `json:"lagMs"` // of the last heartbeat
	Unpublished int       `json:"unpublished"`
	Open        int       `json:"open,omitempty"`    // questions of this machine that the hub has as waiting
	Staying     int       `json:"staying,omitempty"` // questions that do not leave this machine: secret, or too large
	Err         string    `json:"err,omitempty"`
	Hub         string    `json:"hub,omitempty"` // what it says of machines that it refuses something
}

// StatusFile is in Config.Dir.
const StatusFile = "status.json"

// say changes the status.
func (l *link) say(change func(*Status)) {
	s := l.status
	change(&s)
	s.Version, s.Unpublished, s.Open, s.Staying, s.Hub = 1, len(l.unsent), 0, 0, cmp.Or(l.refused, text.OneLine(strings.Join(slices.Sorted(maps.Values(l.full)), "; "), 1000))
	for _, o := range l.own {
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
	path := filepath.Join(l.Dir, StatusFile)
	if err == nil {
		err = os.WriteFile(path+".new", append(marshal(l.status), '\n'), 0o600)
	}
	if err == nil {
		err = os.Rename(path+".new", path) // without waiting for the disk: it is for the moment
	}
	l.log(err)
}
