package hub

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/integrations/machines/link"
	"github.com/askpane/askpane/integrations/machines/trust"
)

// NATS limits accounts and streams, and all machines share one account and its streams. So
// what a machine keeps there is counted here, by who writes where it stands.

// Quota limits what one machine keeps at the hub; 0 means the default.
type Quota struct {
	Bytes     int64 // in the bucket of the questions; in the others as much less as they are smaller
	Questions int   // that are not over
}

const (
	defaultBytes = 256 << 20
	perKey       = 4 << 10 // bytes that a key counts at least, also one that was removed
)

// stored describes what a key holds.
type stored struct {
	size  int64
	open  int       // 1 for a question that is not over, as its machine says
	until time.Time // the server forgets it then: that it was removed, or is over; zero for what waits
}

// ledger lists what all machines keep.
type ledger struct {
	quota Quota
	log   func(error)

	mu   sync.Mutex
	used map[string]map[string]stored // by machine, and then by bucket, a slash and the key
	full map[string]excess            // by machine
}

// excess records that a machine was refused something.
type excess struct {
	why   error
	until time.Time // it counts as still wanting more
}

// reset forgets what was listed.
func (l *ledger) reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.used = map[string]map[string]stored{}
}

// count adds up what a machine keeps in a bucket, and forgets the keys that the server has forgotten
// there. The caller holds the lock.
func (l *ledger) count(machine, bucket string) (bytes int64, open int) {
	now, in := time.Now(), bucket+"/"
	for where, s := range l.used[machine] {
		switch {
		case !strings.HasPrefix(where, in):
		case !s.until.IsZero() && now.After(s.until):
			delete(l.used[machine], where)
		default:
			bytes, open = bytes+s.size, open+s.open
		}
	}
	return bytes, open
}

// most returns how many bytes a machine may have in a bucket.
func (l *ledger) most(bucket string) int64 {
	all := link.Buckets()
	return l.quota.Bytes * all[bucket].MaxBytes / all[link.Entries].MaxBytes
}

// allows returns an error unless a machine may write a key.
func (l *ledger) allows(bucket, key string, next stored) (err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	machine, most := trust.Writer(bucket, key), l.most(bucket)
	bytes, open := l.count(machine, bucket)
	old, what := l.used[machine][bucket+"/"+key], ""
	switch {
	case next.open > old.open && open >= l.quota.Questions:
		what = fmt.Sprintf("%d open questions", open)
	case next.size > old.size && bytes-old.size+next.size > most:
		what = fmt.Sprintf("%d of %d MiB in %s", bytes>>20, most>>20, bucket)
	default:
		return nil
	}
	return l.refuse(machine, "has "+what+" at the hub, and may have no more")
}

// refuse records that a machine has more than it may, and returns the error for it.
func (l *ledger) refuse(machine, what string) error {
	err := hint.New("see what asks there, and wait until its questions are over; askpane hub revoke "+machine+" takes them all away", "the machine %s %s", machine, what)
	if time.Now().After(l.full[machine].until) {
		l.log(err)
	}
	l.full[machine] = excess{err, time.Now().Add(link.AliveTime)}
	return full{err}
}

// full wraps the errors of machines that have used up their quota.
type full struct{ error }

func (f full) Unwrap() error { return f.error }

// put lists what was written.
func (l *ledger) put(bucket, key string, what stored) {
	l.mu.Lock()
	defer l.mu.Unlock()
	machine := trust.Writer(bucket, key)
	if l.used[machine] == nil {
		l.used[machine] = map[string]stored{}
	}
	l.used[machine][bucket+"/"+key] = what
}

// forget drops what a machine that was revoked has kept.
func (l *ledger) forget(machine string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.full, machine)
	delete(l.used, machine)
}

// refused lists the machines that were refused something lately, and why.
func (l *ledger) refused() map[string]string {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := map[string]string{}
	for machine, e := range l.full {
		if time.Now().Before(e.until) {
			all[machine] = text.OneLine(e.why.Error(), 300)
		}
	}
	return all
}

// written describes what a message leaves under a key.
func written(bucket string, size int64, header nats.Header, at time.Time) stored {
	s := stored{size: max(size, perKey)}
	if header.Get(jetstream.MsgTTLHeader) != "" {
		s.until = at.Add(lifetime(header))
	} else if bucket == link.Entries && header.Get(link.IsOver) == "" {
		s.open = 1
	}
	return s
}

// load counts what is in a bucket.
func (l *ledger) load(ctx context.Context, js jetstream.JetStream, bucket string) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	s, err := js.Stream(ctx, stream+bucket)
	if err != nil || s.CachedInfo().State.Msgs == 0 {
		return err
	}
	c, err := s.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{HeadersOnly: true})
	if err != nil {
		return err
	}
	all, err := c.Messages()
	if err != nil {
		return err
	}
	defer all.Stop()
	for {
		msg, err := all.Next(jetstream.NextContext(ctx))
		if err != nil {
			return err
		}
		about, err := msg.Metadata()
		if err != nil {
			return err
		}
		size, _ := strconv.ParseInt(msg.Headers().Get("Nats-Msg-Size"), 10, 64)
		l.put(bucket, strings.TrimPrefix(msg.Subject(), kv+bucket+"."), written(bucket, size, msg.Headers(), about.Timestamp))
		if about.NumPending == 0 {
			return nil
		}
	}
}

// refusal turns an error into what JetStream's clients expect: in the body, or for one key in
// the header.
func refusal(err error) *nats.Msg {
	code := uint16(link.Full + 1) // what is not allowed has a code that no error of the server's own has
	if errors.As(err, new(full)) {
		code = uint16(link.Full)
	}
	data := trust.Encode(map[string]any{"error": server.ApiError{Code: 403, ErrCode: code, Description: err.Error()}})
	return &nats.Msg{Data: data, Header: nats.Header{"Status": {"403"}, "Description": {err.Error()}}}
}
