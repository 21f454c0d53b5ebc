package hub

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"
	"go.uber.org/goleak"

	"github.com/askpane/askpane/integrations/machines/link"
	"github.com/askpane/askpane/integrations/machines/trust"
	"github.com/askpane/askpane/settings"
	"github.com/askpane/askpane/tests/must"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is a hub and the machines that have joined it.
type world struct {
	*testing.T
	dir   string
	hub   *Hub
	quota Quota
	beat  time.Duration // of the links of this world; 0 is as usual

	expects []string // words of what the hub may say
	mu      sync.Mutex
	said    []string // what it has said of that
}

// patience is how long anything may take on a machine that has much else to do.
const patience = time.Minute

var hosts atomic.Int32

// nobodys is where a hub may listen, at an address of this machine that nobody else is given:
// one that is started again finds its port free.
func nobodys() string { return fmt.Sprintf("127.80.%d.%d:0", os.Getpid()%256, hosts.Add(1)) }

func newWorld(t *testing.T) *world {
	w := &world{T: t, dir: t.TempDir()}
	must.Do(w, Init(w.dir+"/hub", nobodys()))
	w.start()
	t.Cleanup(func() { w.hub.Close() })
	return w
}

func (w *world) start() {
	w.Helper()
	listen := ""
	if w.hub != nil {
		listen = strings.TrimPrefix(w.hub.URL, "tls://")
	}
	var err error
	w.hub, err = Start(w.Context(), Config{Dir: w.dir + "/hub", Listen: listen, Quota: w.quota, Log: w.log})
	must.Do(w, err)
}

// log is told of what nobody else hears of.
func (w *world) log(err error) {
	for _, words := range w.expects {
		if strings.Contains(err.Error(), words) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.said = append(w.said, err.Error())
			return
		}
	}
	if !strings.Contains(err.Error(), "which is not its inbox") {
		w.Errorf("the hub says %v", err)
	}
}

// says waits until the hub has said something.
func (w *world) says(words string) {
	w.Helper()
	w.until("the hub says "+words, func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return strings.Contains(strings.Join(w.said, "\n"), words)
	})
}

// refused is that err says all of these words.
func (w *world) refused(err error, words ...string) {
	w.Helper()
	if err == nil {
		w.Fatal("it was not refused")
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			w.Errorf("%q is missing in: %v", word, err)
		}
	}
}

// toDo returns what askpane doctor says to do about an error of the link, whose text it has.
func toDo(err error) string {
	said := err.Error()
	return said[strings.LastIndex(said, "; ")+2:]
}

// owner is the machine that brings the root key.
func (w *world) owner() *trust.Identity {
	w.Helper()
	inv, err := w.hub.Owner("laptop")
	must.Do(w, err)
	id, err := Join(w.Context(), w.dir+"/laptop", inv)
	must.Do(w, err)
	return id
}

// line is an invite by the owner's machine.
func (w *world) line(name string, person bool) trust.Invite {
	w.Helper()
	inv, err := w.admin().Invite(w.Context(), name, person)
	must.Do(w, err)
	return inv
}

func (w *world) admin() *Admin {
	w.Helper()
	admin, err := Administer(w.Context(), w.dir+"/laptop", settings.Settings{})
	must.Do(w, err)
	w.Cleanup(admin.Close)
	return admin
}

func (w *world) machine(name string, person bool) *trust.Identity {
	w.Helper()
	id, err := Join(w.Context(), w.dir+"/"+name, w.line(name, person))
	must.Do(w, err)
	return id
}

// connected is a machine's connection, and JetStream as it has it.
func (w *world) connected(id *trust.Identity, opts ...nats.Option) (*nats.Conn, jetstream.JetStream) {
	w.Helper()
	nc, err := link.Connect(id, opts...)
	must.Do(w, err)
	w.Cleanup(nc.Close)
	js, err := link.JetStream(nc, id)
	must.Do(w, err)
	return nc, js
}

func (w *world) bucket(js jetstream.JetStream, name string) jetstream.KeyValue {
	w.Helper()
	kv, err := js.KeyValue(w.Context(), name)
	must.Do(w, err)
	return kv
}

// take is that a record comes to the hub.
func (w *world) take(line trust.Invite, q joining) error {
	data, err := json.Marshal(q)
	must.Do(w, err)
	w.hub.mu.Lock()
	defer w.hub.mu.Unlock()
	return w.hub.register(line.Delegation.Nonce, data)
}

func TestJoin(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	owner := w.owner()
	if _, err := w.hub.Owner("other"); err == nil {
		t.Error("a hub has two owners")
	}
	line := w.line("build1", false)
	build, err := Join(t.Context(), w.dir+"/build1", line)
	must.Do(w, err)
	if build.Member.Person || build.Root != owner.Root {
		t.Errorf("it has joined as %+v", build.Member)
	}
	_, err = Join(t.Context(), w.dir+"/thief", line)
	w.refused(err, "used already", "askpane hub revoke build1")
	_, err = Join(t.Context(), w.dir+"/build1", w.line("build2", false))
	w.refused(err, "has joined", "as build1")

	admin := w.admin()
	_, err = admin.Invite(t.Context(), "build1", false)
	w.refused(err, "there is a machine build1 already", "another name")
	_, err = admin.Invite(t.Context(), "a.b", false)
	w.refused(err, "cannot be the name of a machine")

	// Two lines for one name: the second to come finds it taken.
	first, second := w.line("box", false), w.line("box", true)
	_, err = Join(t.Context(), w.dir+"/box", first)
	must.Do(w, err)
	_, err = Join(t.Context(), w.dir+"/box2", second)
	w.refused(err, "there is a machine box already", "another name")

	// Whoever did not get the answer asks again with the same keys.
	again := w.line("slow", false)
	id, err := trust.Join(w.dir+"/slow", again)
	must.Do(w, err)
	for range 2 {
		must.Do(w, w.take(again, joining{id.Member, id.Root}))
	}
	w.connected(id)

	// Nor is it stuck where the hub could not keep its record: its disk was full.
	again = w.line("full", false)
	state := w.dir + "/hub/" + stateFile
	must.Do(w, os.Rename(state, state+".aside"))
	must.Do(w, os.MkdirAll(state+"/x", 0o700))
	_, err = Join(t.Context(), w.dir+"/full", again)
	w.refused(err, "keep the hub's keys")
	must.Do(w, os.RemoveAll(state))
	must.Do(w, os.Rename(state+".aside", state))
	id, err = Join(t.Context(), w.dir+"/full", again)
	must.Do(w, err)
	w.connected(id)

	// What the root has not signed is let in by no hub, nor by the line of another.
	forged := w.line("forged", false)
	id, err = trust.Join(w.dir+"/forged", forged)
	must.Do(w, err)
	w.refused(w.take(again, joining{id.Member, id.Root}), "for another machine", "another line")
	q := joining{Member: id.Member}
	q.Member.Person = true
	w.refused(w.take(forged, q), "forged", "not believed")

	// Nor does a machine come by another's key, which would have its rights for that.
	q = joining{Member: id.Member}
	q.Member.User, q.Member.Signature = owner.Member.User, nil
	record, err := json.Marshal(q.Member)
	must.Do(w, err)
	delegate, err := nkeys.FromSeed([]byte(forged.Key))
	must.Do(w, err)
	q.Member.Signature, err = delegate.Sign(append([]byte("askpane member 1\n"), record...))
	must.Do(w, err)
	w.refused(w.take(forged, q), "or one with its key")

	all, err := w.admin().Machines(t.Context())
	must.Do(w, err)
	var names []string
	for _, m := range all {
		names = append(names, m.Name)
	}
	if got := strings.Join(names, " "); got != "box build1 full laptop slow" {
		t.Errorf("the machines are %s", got)
	}
}

func TestInviteExpires(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.owner()
	line := w.line("build1", false)
	w.hub.mu.Lock()
	expires := w.hub.state.Invites[line.Delegation.Nonce]
	w.hub.state.Invites[line.Delegation.Nonce] = time.Now().Add(-time.Second)
	w.hub.mu.Unlock()
	if left := time.Until(expires); left > inviteTime || left < inviteTime-time.Minute {
		t.Errorf("it expires in %v", left)
	}
	_, err := Join(t.Context(), w.dir+"/build1", line)
	w.refused(err, "has expired", "another line of askpane hub invite")
	w.machine("build1", false)

	// Whoever is in already, is too late as well.
	line = w.line("build2", false)
	id, err := trust.Join(w.dir+"/build2", line)
	must.Do(w, err)
	w.hub.mu.Lock()
	w.hub.state.Invites[line.Delegation.Nonce] = time.Now().Add(-time.Second)
	w.hub.mu.Unlock()
	w.refused(w.take(line, joining{id.Member, id.Root}), "has expired", "another line of askpane hub invite")
}

func TestWrongHub(t *testing.T) {
	t.Parallel()
	w, other := newWorld(t), newWorld(t)
	id := w.owner()
	other.owner()
	id.URL = other.hub.URL
	_, err := link.Connect(id)
	w.refused(err, "not the hub that this machine has joined", "another key")
	if do := toDo(err); !strings.HasPrefix(do, "join again by a new line") {
		w.Errorf("askpane doctor says to do: %q", do)
	}
	id.Pin = other.hub.Pin // as if it had that hub's private key
	_, err = link.Connect(id)
	w.refused(err, "does not let this machine in as laptop", "askpane hub invite")
	id.URL, id.Pin = "tls://127.0.0.1:1", w.hub.Pin
	_, err = link.Connect(id)
	w.refused(err, "does not answer", "askpane hub")
}

func TestRevoke(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.owner()
	build := w.machine("build1", false)
	cut := make(chan bool, 1)
	nc, _ := w.connected(build, nats.NoReconnect(), nats.ClosedHandler(func(*nats.Conn) { cut <- true }))
	admin := w.admin()
	w.refused(admin.Revoke(t.Context(), "nobody"), "nobody", "askpane hub machines")
	w.refused(admin.Revoke(t.Context(), "laptop"), "owner's machine")
	must.Do(w, admin.Revoke(t.Context(), "build1"))
	select {
	case <-cut:
	case <-time.After(patience):
		t.Fatalf("it is still connected: %v", nc.IsConnected())
	}
	_, err := link.Connect(build)
	w.refused(err, "was revoked", "askpane hub invite")
	w.hub.Close()
	w.start()
	_, err = link.Connect(build)
	w.refused(err, "was revoked")

	// The name can be had again by the machine that had it, with other keys.
	w.connected(w.machine("build1", false))
	_, err = link.Connect(build)
	w.refused(err, "was revoked")
}
