package link

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/integrations/machines/trust"
)

// session holds one connection to the hub, until its first failure. The next session finds out
// anew what the hub has.
type session struct {
	*link
	ctx     context.Context
	fail    context.CancelCauseFunc
	nc      *nats.Conn
	buckets map[string]jetstream.KeyValue
	slots   chan struct{}   // how much is written at once
	heart   uint64          // the revision of our last heartbeat
	beating bool            // there is one under way
	ahead   *time.Duration  // by how much the hub's clock is ahead of ours; nil before our heart beat there
	synced  bool            // the hub has shown all questions that it has
	shown   uint64          // the newest revision of them then
	newest  uint64          // and by now
	member  bool            // it knows this machine, as it has joined or since
	record  uint64          // the revision of what it knows of it
	has     map[string]bool // the questions that it has, by key, whether we can read them or not
	later   map[string]item // what cannot be handled yet, by its place
}

// item holds a value of a bucket, or records that a key was removed.
type item struct {
	bucket   string
	key      []string
	value    []byte
	err      error // why it cannot be opened, where it is sealed
	revision uint64
	created  time.Time // by the hub's clock
	there    bool
}

// parts counts the parts of a bucket's keys.
var parts = map[string]int{Machines: 1, Entries: 2, Bids: 3, Drafts: 3, Alive: 1}

func (i item) name() string  { return strings.Join(i.key, ".") }
func (i item) place() string { return i.bucket + "/" + i.name() }

// hubTime bounds how long the hub takes for one request.
const hubTime = 10 * time.Second

var errGone = errors.New("the hub has gone")

// connected runs one session until it ends.
func (l *link) connected() error {
	s := &session{link: l, buckets: map[string]jetstream.KeyValue{}, slots: make(chan struct{}, 16),
		has: map[string]bool{}, later: map[string]item{}}
	s.ctx, s.fail = context.WithCancelCause(l.ctx)
	defer s.fail(nil)
	nc, err := l.Connect(l.ID, nats.NoReconnect(),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { s.fail(err) }),
		nats.ClosedHandler(func(nc *nats.Conn) { s.fail(cmp.Or(nc.LastError(), errGone)) }))
	if err != nil {
		return err
	}
	defer nc.Close()
	s.nc = nc
	if err = s.open(); err == nil {
		l.post(func() { l.connectedTo(s) })
		err = s.listen()
	}
	if err == nil {
		<-s.ctx.Done()
	}
	return cmp.Or(context.Cause(s.ctx), err)
}

// open finds the buckets.
func (s *session) open() (err error) {
	ctx, cancel := context.WithTimeout(s.ctx, s.link.hubTime)
	defer cancel()
	for name := range Buckets() {
		if s.buckets[name], err = Bucket(ctx, s.nc, s.ID, name); err != nil {
			return err
		}
	}
	return s.claim()
}

// listen watches all buckets. The machines come first, since by them the rest is believed.
func (s *session) listen() error {
	all := ">"
	if !s.ID.Member.Person {
		all = s.me() + ".>"
	}
	machines := make(chan struct{})
	err := s.watch(Machines, ">", func() { s.introduce(func() { close(machines) }) })
	if err != nil {
		return err
	}
	select {
	case <-machines:
	case <-s.ctx.Done():
		return nil
	}
	err = cmp.Or(s.servePeeks(), s.watch(Entries, all, s.link.synced), s.watch(Bids, s.me()+".>", nil), s.watch(Drafts, all, nil))
	if err == nil && s.ID.Member.Person {
		err = s.watch(Alive, ">", nil)
	}
	return err
}

// watch receives everything in a bucket, then calls shown, then receives each change.
func (s *session) watch(bucket, keys string, shown func()) error {
	w, err := s.buckets[bucket].Watch(s.ctx, keys)
	if err != nil {
		return fmt.Errorf("watch the hub's bucket %s: %w", bucket, err)
	}
	s.rest.Go(func() {
		for {
			select {
			case <-s.ctx.Done(): // if it ends while nats.go (1.55) begins to watch, that channel stays open
				return
			case e, open := <-w.Updates():
				switch {
				case !open:
					s.fail(errGone)
					return
				case e != nil:
					i := s.opened(item{bucket: bucket, key: strings.Split(e.Key(), "."), value: e.Value(), revision: e.Revision(), created: e.Created(), there: e.Operation() == jetstream.KeyValuePut})
					s.post(func() { s.receive(i) })
				case shown != nil:
					s.post(shown)
				}
			}
		}
	})
	return nil
}

// post runs f as the link's post does, as long as this is its session.
func (s *session) post(f func()) {
	s.link.post(func() {
		if s.hub == s {
			f()
		}
	})
}

// receive handles what comes from the hub. It keeps what cannot be handled now (its machine is
// not known yet, our disk is full) until its key changes.
func (s *session) receive(i item) {
	if len(i.key) != parts[i.bucket] {
		return // no askpane has written that
	}
	if i.bucket == Entries {
		s.newest = max(s.newest, i.revision)
		if s.has[i.name()] = true; !i.there {
			delete(s.has, i.name())
		}
	}
	if delete(s.later, i.place()); !s.handle(i) {
		s.later[i.place()] = i
	}
}

// receiveAgain tries again to handle what could not be.
func (s *session) receiveAgain() {
	for _, i := range maps.Clone(s.later) { // they stay meanwhile, since others may depend on them
		s.receive(i)
	}
}

// opened opens what is sealed. It takes its time, so that it runs where nobody waits for it.
func (s *session) opened(i item) item {
	if i.there && i.bucket != Machines && i.name() != Hub {
		var plain []byte
		if _, plain, i.err = s.ID.Open(s.members, i.place(), i.value); i.err == nil {
			i.value = plain
		}
	}
	return i
}

// handle reports whether something could be handled.
func (s *session) handle(i item) bool {
	if i.err != nil { // its machine may have come meanwhile, or have joined again
		i = s.opened(i)
	}
	mine := i.key[0] == s.me()
	switch {
	case i.err == nil, i.bucket == Entries && mine: // whatever it is, it is under our name
	case errors.Is(i.err, trust.ErrUnknown), errors.Is(i.err, trust.ErrRevoked):
		return false
	default:
		if !errors.Is(i.err, trust.ErrReader) { // that is sealed again for us
			s.log(i.err)
		}
		return true
	}
	switch i.bucket {
	case Entries:
		if mine {
			return s.reconcile(i)
		}
		return s.receiveEntry(i)
	case Drafts:
		return s.receiveDraft(i)
	case Bids:
		return !i.there || s.receiveBid(i)
	case Machines:
		if mine {
			var m trust.Member
			_ = json.Unmarshal(i.value, &m) // what is none is not ours
			if s.member, s.record = m.Serial >= s.ID.Member.Serial, i.revision; !s.member {
				return true // it is from before we joined again
			}
		}
		s.receiveMember(i)
	case Alive:
		s.receiveHeartbeat(i)
	}
	return true
}

// counts reports whether a machine's record is of use here. A machine that only asks needs
// those of persons' machines.
func (l *link) counts(name string, record []byte) bool {
	var m trust.Member
	_, err := l.members.Get(name)
	return l.ID.Member.Person || name == l.me() || !errors.Is(err, trust.ErrUnknown) || json.Unmarshal(record, &m) != nil || m.Person
}

// receiveMember handles the record of a machine.
func (l *link) receiveMember(i item) {
	name := i.key[0]
	if !i.there || !l.counts(name, i.value) {
		return
	}
	m, err := l.members.AddRecord(name, i.value)
	if err != nil {
		l.log(err)
		return
	}
	l.hub.receiveAgain()
	if m.Person || name == l.me() {
		l.readers, l.mark = nil, ""
		for _, m := range l.members.All() {
			if m.Revoked == nil && (m.Person || m.Name == l.me()) {
				l.readers, l.mark = append(l.readers, m), l.mark+" "+string(m.Sign)
			}
		}
	}
	if l.hub.synced && (m.Person || m.Revoked != nil) {
		l.inspectAll() // for those who could not read it, or may not any more
	}
}

// introduce writes our own record where the hub has none, or one from before we joined again:
// a NATS of the person's own hears of it by us.
func (s *session) introduce(done func()) {
	if s.member {
		done()
		return
	}
	record := trust.Encode(s.ID.Member)
	s.receiveMember(item{key: []string{s.me()}, value: record, there: true})
	s.beside(func(ctx context.Context) error {
		_, err := s.buckets[Machines].Update(ctx, s.me(), record, s.record)
		return err
	}, done)
}

// beside runs work at the hub, and then done. An error ends the session: the next one does the
// work again.
func (s *session) beside(work func(ctx context.Context) error, done func()) {
	s.rest.Go(func() {
		select {
		case s.slots <- struct{}{}:
			defer func() { <-s.slots }()
		case <-s.ctx.Done():
			return
		}
		ctx, cancel := context.WithTimeout(s.ctx, s.link.hubTime)
		defer cancel()
		if err := work(ctx); err != nil {
			s.fail(err)
		} else if done != nil {
			s.post(done)
		}
	})
}

// write seals a value for its readers and writes it to a key, if it is not too large.
func (s *session) write(bucket, key string, readers []trust.Member, value any, done func(revision uint64, large error)) {
	var revision uint64
	var large error
	s.beside(func(ctx context.Context) error {
		sealed, err := s.ID.Seal(readers, bucket+"/"+key, trust.Encode(value))
		if err != nil {
			return err
		}
		if most := s.nc.MaxPayload() - 4096; int64(len(sealed)) > most { // less the headers
			large = hint.New("answer it where it was asked", "%s has %d bytes, and the hub takes %d at once; it stays on this machine", strings.Split(key, ".")[1], len(sealed), most)
			return nil
		}
		switch kv := s.buckets[bucket]; bucket {
		case Bids: // once; the one that is there is ours, from before
			if _, err = kv.Update(ctx, key, sealed, 0); errors.Is(err, jetstream.ErrKeyRevisionMismatch) {
				err = nil
			}
		case Alive:
			revision, err = kv.Update(ctx, key, sealed, s.heart)
		case Entries:
			revision, err = s.publish(ctx, key, sealed, value.(record).State == over)
		default:
			revision, err = kv.Put(ctx, key, sealed)
		}
		if refused := new(jetstream.APIError); errors.As(err, &refused) && refused.ErrorCode == Full && bucket != Alive {
			large, err = fmt.Errorf("%w: %s", errFull, refused.Description), nil
		}
		if err != nil {
			err = fmt.Errorf("write %s to the hub's bucket %s: %w", key, bucket, err)
		}
		return err
	}, func() { done(revision, large) })
}

// publish writes a question, with word in the open of whether it is over.
func (s *session) publish(ctx context.Context, key string, sealed []byte, over bool) (revision uint64, err error) {
	js, err := JetStream(s.nc, s.ID)
	if err != nil {
		return 0, err
	}
	msg := nats.NewMsg(through(s.ID, "$KV."+Entries+"."+key))
	if msg.Data = sealed; over {
		msg.Header.Set(IsOver, "true")
		msg.Header.Set(jetstream.MsgTTLHeader, OverTime.String()) // no desk of ours may be up by then
	}
	ack, err := js.PublishMsg(ctx, msg)
	if err != nil {
		return 0, err
	}
	return ack.Sequence, nil
}

// errFull reports that the hub has no room for something now.
var errFull = errors.New("the hub refuses more")

// purge removes keys. The hub remembers for the given time that they were there.
func (s *session) purge(known time.Duration, bucket string, keys ...string) {
	s.beside(func(ctx context.Context) (err error) {
		for _, key := range slices.Sorted(slices.Values(keys)) {
			err = cmp.Or(err, s.buckets[bucket].Purge(ctx, key, jetstream.PurgeTTL(known)))
		}
		return err
	}, nil)
}
