package hub

import (
	"crypto/rand"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	ids "github.com/oklog/ulid/v2"

	"github.com/askpane/askpane/integrations/machines/link"
	"github.com/askpane/askpane/integrations/machines/trust"
	"github.com/askpane/askpane/tests/must"
)

// limited is a hub of two machines that may keep 16 MiB and 20 questions each.
func limited(t *testing.T) (w *world, build, box *trust.Identity) {
	w = &world{T: t, dir: t.TempDir(), quota: Quota{Bytes: 16 << 20, Questions: 20}, expects: []string{"and may have no more", "sends faster than"}}
	must.Do(w, Init(w.dir+"/hub", nobodys()))
	w.start()
	t.Cleanup(func() { w.hub.Close() })
	w.owner()
	return w, w.machine("build1", false), w.machine("box", false)
}

func question(id *trust.Identity) string {
	return id.Member.Name + "." + ids.MustNew(ids.Now(), rand.Reader).String()
}

// refusedOf is what machines are told of those that it refuses something.
func (w *world) refusedOf() map[string]string {
	w.Helper()
	all, err := w.admin().Machines(w.Context())
	must.Do(w, err)
	full := map[string]string{}
	for _, m := range all {
		if m.Full != "" {
			full[m.Name] = m.Full
		}
	}
	return full
}

// TestOpenQuestionsOfOneMachine: a machine has so many open questions at the hub, and no more
// until some are over, nor after the hub was started again. The hub says whose they are, and
// another machine's come through.
func TestOpenQuestionsOfOneMachine(t *testing.T) {
	t.Parallel()
	w, build, box := limited(t)
	_, js := w.connected(build)
	entries := w.bucket(js, link.Entries)
	var keys []string
	for range 20 {
		keys = append(keys, question(build))
		_, err := entries.Put(w.soon(), keys[len(keys)-1], []byte("waits"))
		must.Do(w, err)
	}
	_, err := entries.Put(w.soon(), question(build), []byte("one more"))
	w.refused(err, "the machine build1 has 20 open questions at the hub, and may have no more", "askpane hub revoke build1")
	if api := new(jetstream.APIError); !errors.As(err, &api) || api.ErrorCode != link.Full {
		t.Errorf("the code is another one: %v", err)
	}
	w.says("the machine build1 has 20 open questions")
	w.hub.suspect()
	w.until("hub machines says so", func() bool { return w.refusedOf()["build1"] != "" && w.refusedOf()["box"] == "" })
	_, theirs := w.connected(box)
	_, err = w.bucket(theirs, link.Entries).Put(w.soon(), question(box), []byte("waits"))
	must.Do(w, err)
	_, err = entries.Put(w.soon(), keys[0], []byte("it waits still"))
	must.Do(w, err)

	w.hub.Close()
	w.start()
	_, js = w.connected(build)
	entries = w.bucket(js, link.Entries)
	_, err = entries.Put(w.soon(), question(build), []byte("one more"))
	w.refused(err, "has 20 open questions")
	over := nats.NewMsg(link.Prefix + "build1.$KV.ask_entries." + keys[0])
	over.Header.Set(link.IsOver, "true")
	_, err = js.PublishMsg(w.soon(), over)
	must.Do(w, err)
	must.Do(w, entries.Purge(w.soon(), keys[1], jetstream.PurgeTTL(time.Minute)))
	for range 2 {
		_, err = entries.Put(w.soon(), question(build), []byte("one more"))
		must.Do(w, err)
	}
	_, err = entries.Put(w.soon(), question(build), []byte("one too many"))
	w.refused(err, "has 20 open questions")
}

// TestBytesAndKeysOfOneMachine: by neither large messages, nor many, nor by what it removes
// does a machine take more than its share of a bucket; what was removed is forgotten.
func TestBytesAndKeysOfOneMachine(t *testing.T) {
	t.Parallel()
	w, build, _ := limited(t)
	_, js := w.connected(build)
	entries, drafts, alive := w.bucket(js, link.Entries), w.bucket(js, link.Drafts), w.bucket(js, link.Alive)
	large := make([]byte, 3<<20)
	key := question(build)
	for range 8 { // again under one key takes no more
		_, err := entries.Put(w.soon(), key, large)
		must.Do(w, err)
	}
	var err error
	n := 1
	for ; err == nil && n < 8; n++ {
		_, err = entries.Put(w.soon(), question(build), large)
	}
	if w.refused(err, "has 15 of 16 MiB in ask_entries"); n != 6 {
		t.Errorf("the hub took %d", n)
	}
	_, err = drafts.Put(w.soon(), key+".build1", large) // an eighth, as the bucket is
	w.refused(err, "of 2 MiB in ask_drafts")
	_, err = alive.Put(w.soon(), "build1", make([]byte, 1<<20))
	w.refused(err, "of 0 MiB in ask_alive")

	first := question(build) + ".build1"
	err = drafts.Purge(w.soon(), first, jetstream.PurgeTTL(time.Minute))
	for n = 1; err == nil && n < 600; n++ {
		err = drafts.Purge(w.soon(), question(build)+".build1", jetstream.PurgeTTL(time.Minute))
	}
	if w.refused(err, "has 2 of 2 MiB in ask_drafts"); n != 2<<20/perKey+1 {
		t.Errorf("the hub took %d", n-1)
	}
	w.hub.ledger.put(link.Drafts, first, stored{size: perKey, until: time.Now()}) // a minute has passed
	must.Do(w, drafts.Purge(w.soon(), question(build)+".build1", jetstream.PurgeTTL(time.Minute)))
}

// TestRemovedForAWhile: what a machine has removed does not stay for ever, whatever it says, nor does a
// question that is over, whose machine may have no desk any more; and neither counts for longer.
func TestRemovedForAWhile(t *testing.T) {
	t.Parallel()
	w, build, _ := limited(t)
	_, js := w.connected(build)
	removed, over, said := question(build), question(build), question(build)
	must.Do(w, w.bucket(js, link.Entries).Purge(w.soon(), removed)) // with no time
	for _, key := range []string{over, said} {
		end := nats.NewMsg(link.Prefix + "build1.$KV.ask_entries." + key)
		if end.Header.Set(link.IsOver, "true"); key == said {
			end.Header.Set("Nats-TTL", link.OverTime.String())
		}
		_, err := js.PublishMsg(w.soon(), end)
		must.Do(w, err)
	}
	raw, err := jetstream.New(w.hub.nc)
	must.Do(w, err)
	s, err := raw.Stream(w.soon(), stream+link.Entries)
	must.Do(w, err)
	for key, want := range map[string]string{removed: "1h0m0s", over: "1h0m0s", said: "72h0m0s"} {
		m, err := s.GetLastMsgForSubject(w.soon(), kv+link.Entries+"."+key)
		must.Do(w, err)
		if ttl := m.Header.Get("Nats-TTL"); ttl != want {
			t.Errorf("it is there for %q", ttl)
		}
	}
	w.hub.ledger.mu.Lock()
	defer w.hub.ledger.mu.Unlock()
	kept := w.hub.ledger.used["build1"]
	for where, one := range kept {
		if !one.until.IsZero() {
			one.until = one.until.Add(-2 * link.OverTime)
			kept[where] = one
		}
	}
	if bytes, open := w.hub.ledger.count("build1", link.Entries); bytes > 0 || open > 0 {
		t.Errorf("in the end %d bytes and %d open questions count", bytes, open)
	}
}

// TestFlood: a machine that sends without waiting for the hub waits for itself alone, and the
// hub keeps no more of it in memory than it may, and says whose it is.
func TestFlood(t *testing.T) {
	t.Parallel()
	w, build, box := limited(t)
	flood, _ := w.connected(build)
	_, js := w.connected(box)
	large, key := make([]byte, 1<<20), question(build)
	w.hub.writing.Lock() // the disk takes nothing meanwhile
	for range 200 {
		must.Do(w, flood.Publish(link.Prefix+"build1.$KV.ask_entries."+key, large))
	}
	w.says("the machine build1 sends faster than the hub writes")
	w.hub.writing.Unlock()
	_, err := w.bucket(js, link.Entries).Put(w.soon(), question(box), []byte("waits"))
	must.Do(w, err)
	w.hub.suspect()
	w.until("hub machines says so", func() bool { return w.refusedOf()["build1"] != "" && w.refusedOf()["box"] == "" })
}

// TestRevokedMachineLeavesNothing: what a revoked machine has at the hub is gone, while what others have stays; and so it is where the hub was ended in between.
func TestRevokedMachineLeavesNothing(t *testing.T) {
	t.Parallel()
	w, build, box := limited(t)
	phone := w.machine("phone", true)
	_, js := w.connected(build)
	_, theirs := w.connected(box)
	_, hers := w.connected(phone)
	for range 4 {
		_, err := w.bucket(js, link.Entries).Put(w.soon(), question(build), make([]byte, 3<<20))
		must.Do(w, err)
	}
	q := question(box)
	_, err := w.bucket(theirs, link.Entries).Put(w.soon(), q, []byte("waits"))
	must.Do(w, err)
	_, err = w.bucket(hers, link.Bids).Update(w.soon(), q+".phone", []byte("yes"), 0)
	must.Do(w, err)
	holds := func(bucket string) uint64 {
		raw, err := jetstream.New(w.hub.nc)
		must.Do(w, err)
		s, err := raw.Stream(w.soon(), stream+bucket)
		must.Do(w, err)
		info, err := s.Info(w.soon(), jetstream.WithSubjectFilter(">"))
		must.Do(w, err)
		if info.State.Bytes > 1<<20 {
			t.Errorf("the bucket %s has %d KiB", bucket, info.State.Bytes>>10)
		}
		n := uint64(0)
		for subject := range info.State.Subjects {
			if subject != kv+link.Bids+"."+link.Hub+".health" {
				n++
			}
		}
		return n
	}
	admin := w.admin()
	must.Do(w, admin.Revoke(w.soon(), "build1"))
	must.Do(w, admin.Revoke(w.soon(), "phone"))
	if entries, bids := holds(link.Entries), holds(link.Bids); entries != 1 || bids != 0 {
		t.Errorf("the hub has %d questions and %d answers", entries, bids)
	}
	raw, err := jetstream.New(w.hub.nc)
	must.Do(w, err)
	_, err = w.bucket(raw, link.Entries).Put(w.soon(), question(build), []byte("left"))
	must.Do(w, err)
	w.hub.Close()
	w.start()
	if entries := holds(link.Entries); entries != 1 {
		t.Errorf("the hub has %d questions after it was started again", entries)
	}
}

// TestDefaultQuota is what a hub that was told nothing keeps of a machine.
func TestDefaultQuota(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if q := w.hub.ledger.quota; fmt.Sprint(q) != "{268435456 1000}" || w.hub.ledger.most(link.Entries) != q.Bytes {
		t.Errorf("it is %+v", q)
	}
}
