package link

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/askpane/askpane/integrations/desk/link/trust"
)

// session is one connection to the hub, from its beginning to its first failure. The next
// one finds out anew what the hub has.
type session struct {
	*link
	ctx     context.Context
	fail    context.CancelCauseFunc
	nc      *nats.Conn
	buckets map[string]jetstream.KeyValue
	slots   chan struct{} // how much is written at once
	synced  bool          // the hub has shown all questions that it has
	newest  uint64        // the newest revision of a question that it has shown
	member  bool          // and it knows this machine
}

// item is something in a bucket, or what was there.
type item struct {
	bucket   string
	key      []string
	value    []byte // opened, where it is sealed
	revision uint64
	there    bool
}

// hubTime is how long the hub may take for one thing.
const hubTime = 10 * time.Second

var errGone = errors.New("the hub has gone")

// connected is one session, to its end.
func (l *link) connected() error {
	s := &session{link: l, buckets: map[string]jetstream.KeyValue{}, slots: make(chan struct{}, 32)}
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
		l.do(func() { l.begin(s) })
		err = s.listen()
	}
	if err == nil {
		<-s.ctx.Done()
	}
	return cmp.Or(context.Cause(s.ctx), err)
}

// open finds the buckets. In a NATS of the person's own, whoever comes first makes them.
func (s *session) open() error {
	js, err := JetStream(s.nc, s.ID)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(s.ctx, hubTime)
	defer cancel()
	for _, b := range Buckets() {
		kv, err := js.KeyValue(ctx, b.Bucket)
		if errors.Is(err, jetstream.ErrBucketNotFound) && s.ID.Pin == "" {
			kv, err = js.CreateOrUpdateKeyValue(ctx, b)
		}
		if err != nil {
			return fmt.Errorf("use the hub's bucket %s: %w", b.Bucket, err)
		}
		s.buckets[b.Bucket] = kv
	}
	return nil
}

// listen has all that comes from the hub taken. First come the machines, since by them
// the rest is believed.
func (s *session) listen() error {
	all, alive := ">", ">"
	if !s.ID.Member.Person {
		all, alive = s.me()+".>", s.me()
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
	return cmp.Or(s.watch(Entries, all, s.link.synced), s.watch(Bids, s.me()+".>", nil), s.watch(Drafts, all, nil),
		s.watch(Alive, alive, nil), s.servePeeks())
}

// watch has everything in a bucket taken, and then each change. shown is called in between.
func (s *session) watch(bucket, keys string, shown func()) error {
	w, err := s.buckets[bucket].Watch(s.ctx, keys)
	if err != nil {
		return fmt.Errorf("watch the hub's bucket %s: %w", bucket, err)
	}
	s.rest.Go(func() {
		for {
			select {
			case <-s.ctx.Done():
				return
			case e, open := <-w.Updates():
				switch {
				case !open:
					s.fail(errGone)
					return
				case e != nil:
					s.do(func() {
						s.take(item{bucket, strings.Split(e.Key(), "."), e.Value(), e.Revision(), e.Operation() == jetstream.KeyValuePut})
					})
				case shown != nil:
					s.do(shown)
				}
			}
		}
	})
	return nil
}

// do is the link's, as long as this is its session.
func (s *session) do(f func()) {
	s.link.do(func() {
		if s.hub == s {
			f()
		}
	})
}

// take takes what comes from the hub.
func (s *session) take(i item) {
	if i.bucket == Entries {
		s.sees(i)
	}
	sealed := i.there && i.bucket != Machines
	switch mine := i.key[0] == s.me(); {
	case sealed && !s.believes(&i):
	case i.bucket == Entries && mine:
		s.before(i)
	case i.bucket == Entries:
		s.told(i)
	case i.bucket == Drafts:
		s.draft(i)
	case !i.there:
	case i.bucket == Machines:
		s.member = s.member || i.key[0] == s.me()
		s.joined(i.key[0], i.value)
	case i.bucket == Bids:
		s.bid(i)
	case i.bucket == Alive:
		s.heard(i)
	}
}

// believes opens what is sealed. What is of a machine that is not known yet is taken when
// that is.
func (s *session) believes(i *item) bool {
	_, plain, err := s.ID.Open(s.members, i.bucket+"/"+strings.Join(i.key, "."), i.value)
	switch {
	case i.bucket == Entries && i.key[0] == s.me(): // whatever it is, it is under our name
		err = nil
	case errors.Is(err, trust.ErrUnknown):
		s.later = append(s.later, *i)
	case errors.Is(err, trust.ErrReader): // it is sealed again for us
	default:
		s.log(err)
	}
	i.value = plain
	return err == nil
}

// joined takes the record of a machine.
func (l *link) joined(name string, record []byte) {
	m, err := l.members.Take(name, record)
	if err != nil {
		l.log(err)
		return
	}
	later := l.later
	l.later = nil
	for _, i := range later {
		l.hub.take(i)
	}
	if m.Person || name == l.me() {
		l.readers, l.mark = nil, ""
		for _, m := range l.members.All() {
			if m.Revoked == nil && (m.Person || m.Name == l.me()) {
				l.readers, l.mark = append(l.readers, m), l.mark+" "+string(m.Sign)
			}
		}
	}
	if l.hub.synced && (m.Person || m.Revoked != nil) {
		l.all() // for those who could not read it, or may not any more
	}
}

// introduce writes our own record where the hub has none, since it has lost its disk.
func (s *session) introduce(done func()) {
	if s.member {
		done()
		return
	}
	record := marshal(s.ID.Member)
	s.joined(s.me(), record)
	s.beside(func(ctx context.Context) error {
		_, err := s.buckets[Machines].Update(ctx, s.me(), record, 0)
		return err
	}, done)
}

// beside does work at the hub, and then done. What fails there ends the session: in the
// next one it is done again.
func (s *session) beside(work func(ctx context.Context) error, done func()) {
	s.rest.Go(func() {
		select {
		case s.slots <- struct{}{}:
			defer func() { <-s.slots }()
		case <-s.ctx.Done():
			return
		}
		ctx, cancel := context.WithTimeout(s.ctx, hubTime)
		defer cancel()
		if err := work(ctx); err != nil {
			s.fail(err)
		} else if done != nil {
			s.do(done)
		}
	})
}

// write seals a value for its readers and writes it to a key, if it is not too large.
func (s *session) write(bucket, key string, readers []trust.Member, value any, done func(revision uint64, large error)) {
	var revision uint64
	var large error
	s.beside(func(ctx context.Context) error {
		sealed, err := s.ID.Seal(readers, bucket+"/"+key, marshal(value))
		if err != nil {
			return err
		}
		if most := s.nc.MaxPayload() - 4096; int64(len(sealed)) > most { // less the headers
			large = fmt.Errorf("%s has %d bytes, and the hub takes %d at once; it stays on this machine", strings.Split(key, ".")[1], len(sealed), most)
			return nil
		}
		if bucket == Bids { // once; the one that is there is ours, from before
			if _, err = s.buckets[bucket].Update(ctx, key, sealed, 0); errors.Is(err, jetstream.ErrKeyRevisionMismatch) {
				err = nil
			}
		} else {
			revision, err = s.buckets[bucket].Put(ctx, key, sealed)
		}
		if err != nil {
			err = fmt.Errorf("write %s to the hub's bucket %s: %w", key, bucket, err)
		}
		return err
	}, func() { done(revision, large) })
}

// purge removes keys. That they were there is known for so long.
func (s *session) purge(known time.Duration, bucket string, keys ...string) {
	s.beside(func(ctx context.Context) (err error) {
		for _, key := range slices.Sorted(slices.Values(keys)) {
			err = cmp.Or(err, s.buckets[bucket].Purge(ctx, key, jetstream.PurgeTTL(known)))
		}
		return err
	}, nil)
}

// marshal is for types of our own alone.
func marshal(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}
