package link

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/integrations/machines/trust"
	"github.com/askpane/askpane/tests/must"
	"github.com/askpane/askpane/tests/proxy"
)

// world is a hub, which is a NATS of the person's own, and machines with their links, all
// in this process.
type world struct {
	*testing.T
	dir     string
	host    string // an address that nobody else is given, so that a hub finds its port free again
	server  *server.Server
	url     string
	port    int
	most    int32 // bytes of a message
	beat    time.Duration
	hubTime time.Duration
	root    *trust.Root
	ms      *trust.Members
	js      jetstream.JetStream // of somebody who may see all
	showed  sync.Map            // the questions that were shown anywhere, by id
}

// patience is how long anything may take on a machine that has much else to do.
const patience = 2 * time.Minute

var hosts atomic.Int32

// nobodys is an address of this machine that nobody else is given.
func nobodys() string {
	n := hosts.Add(1)
	return fmt.Sprintf("127.%d.%d.%d", 79+n/250, os.Getpid()%256, 1+n%250)
}

func newWorld(t *testing.T) *world {
	w := &world{T: t, dir: t.TempDir(), host: nobodys(), port: -1, most: MaxMessage, beat: 200 * time.Millisecond}
	w.hub()
	t.Cleanup(func() { w.server.Shutdown(); w.server.WaitForShutdown() })
	return w
}

// pair is a hub with a machine where a person sits, and one that only asks.
func pair(t *testing.T) (w *world, laptop, build *desk) {
	w = newWorld(t)
	return w, w.machine("laptop", true), w.machine("build1", false)
}

// hub starts the hub, on the port that it had.
func (w *world) hub() {
	w.Helper()
	s, err := server.NewServer(&server.Options{Host: w.host, Port: w.port, JetStream: true, StoreDir: filepath.Join(w.dir, "hub"),
		MaxPayload: w.most, NoLog: true, NoSigs: true})
	must.Do(w, err)
	s.Start()
	if !s.ReadyForConnections(patience) {
		w.Fatal("the hub does not start")
	}
	w.server, w.port, w.url = s, s.Addr().(*net.TCPAddr).Port, s.ClientURL()
	w.looks()
}

// looks connects somebody who may see all.
func (w *world) looks() {
	nc, err := nats.Connect(w.url, nats.MaxReconnects(-1), nats.ReconnectWait(100*time.Millisecond))
	must.Do(w, err)
	w.Cleanup(nc.Close)
	w.js, err = jetstream.New(nc)
	must.Do(w, err)
}

// hubDies ends the hub.
func (w *world) hubDies() {
	w.server.Shutdown()
	w.server.WaitForShutdown()
}

// until waits for something to be so.
func (w *world) until(what string, so func() bool) {
	w.Helper()
	tick := time.NewTicker(3 * time.Millisecond)
	defer tick.Stop()
	late := time.After(patience)
	for !so() {
		select {
		case <-tick.C:
		case <-late:
			w.Fatalf("in vain waited until %s", what)
		}
	}
}

// bucket is one of the hub's.
func (w *world) bucket(name string) jetstream.KeyValue {
	w.Helper()
	kv, err := w.js.KeyValue(w.Context(), name)
	must.Do(w, err)
	return kv
}

// put writes to the hub what no link has written.
func (w *world) put(bucket, key string, value []byte) {
	w.Helper()
	_, err := w.bucket(bucket).Put(w.Context(), key, value)
	must.Do(w, err)
}

// sealed is something of one machine's for another, at a place in a bucket.
func (w *world) sealed(from, to *desk, bucket, key string, plain []byte) []byte {
	w.Helper()
	reader, err := w.ms.Get(to.name)
	must.Do(w, err)
	box, err := from.id.Seal([]trust.Member{reader}, bucket+"/"+key, plain)
	must.Do(w, err)
	return box
}

// has reports whether the hub has a key.
func (w *world) has(bucket, key string) bool {
	kv, err := w.js.KeyValue(w.Context(), bucket)
	if err == nil {
		_, err = kv.Get(w.Context(), key)
	}
	return err == nil
}

// desk is a machine, and its link while that is served.
type desk struct {
	*world
	name  string
	id    *trust.Identity
	dir   string
	sp    *spool.Spool
	shown atomic.Int32
	// showing is for how many questions Show has not returned.
	showing atomic.Int32
	change  func(*Config)
	stop    func()

	mu     sync.Mutex
	late   []string
	logged []string
}

// machine is one that has joined. The first is the owner's.
func (w *world) machine(name string, person bool) *desk {
	w.Helper()
	d := &desk{world: w, name: name, dir: filepath.Join(w.dir, name), stop: func() {}, change: func(*Config) {}}
	inv, err := trust.OwnerInvite(name)
	if w.root != nil {
		inv, err = w.root.Invite(w.ms, name, person)
	}
	must.Do(w, err)
	inv.URL = w.url
	d.id, err = trust.Join(d.dir, inv)
	must.Do(w, err)
	must.Do(w, d.id.Save())
	if w.root == nil {
		w.root, err = trust.LoadRoot(d.dir)
		must.Do(w, err)
		w.ms = trust.NewMembers(d.id.Root)
	}
	_, err = w.ms.AddRecord(name, trust.Encode(d.id.Member))
	must.Do(w, err)
	d.sp, err = spool.Open(filepath.Join(d.dir, "spool"))
	must.Do(w, err)
	w.Cleanup(func() { d.stop(); d.sp.Close() })
	d.start()
	return d
}

// start starts its link, as it was left.
func (d *desk) start() {
	ctx, cancel := context.WithCancel(context.Background())
	c := Config{ID: d.id, Dir: filepath.Join(d.dir, "state"), Spool: d.sp, Show: d.show, Beat: d.beat,
		Late:    func(_ *spool.Entry, verdict string) { d.note(&d.late, verdict) },
		Log:     func(err error) { d.note(&d.logged, err.Error()) },
		hubTime: d.hubTime, firstPause: 10 * time.Millisecond, lastPause: 200 * time.Millisecond}
	d.change(&c)
	over := make(chan struct{})
	go func() {
		defer close(over)
		if err := Serve(ctx, c); err != nil {
			d.Error(err)
		}
	}()
	d.stop = sync.OnceFunc(func() { cancel(); <-over })
}

// with starts its link again, otherwise than it was.
func (d *desk) with(change func(*Config)) {
	d.stop()
	d.change = change
	d.start()
}

// through has its link reach the hub by a proxy.
func (d *desk) through(p *proxy.Proxy) {
	d.with(func(c *Config) {
		c.Connect = func(id *trust.Identity, opts ...nats.Option) (*nats.Conn, error) {
			return Dial("nats://"+p.Addr().String(), id.Pin, id.Member.Name, opts...)
		}
	})
}

func (d *desk) note(list *[]string, what string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	*list = append(*list, what)
}

func (d *desk) notes(list *[]string) []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]string(nil), *list...)
}

// show is what the desk's bridge does: it waits for an answer.
func (d *desk) show(ctx context.Context, e *spool.Entry) (form.Result, error) {
	d.shown.Add(1)
	d.showed.Store(e.ID, true)
	d.showing.Add(1)
	defer d.showing.Add(-1)
	w := e.Watch()
	defer w.Stop()
	for {
		if r, ok, err := e.Answer(); ok || err != nil {
			return r, err
		}
		if e.Status().Removed {
			return form.Result{}, errors.New("it was removed from the spool while it waited")
		}
		select {
		case <-w.Changed:
		case <-ctx.Done():
			return form.Result{}, ctx.Err()
		}
	}
}

// choice is a form with one question, of two options or other words.
func choice() form.Form {
	return form.Form{Dialect: "question", Echo: json.RawMessage(`{}`), Questions: []form.Question{{ID: "store", Label: "Store", Prompt: "Which store?", Kind: form.One,
		Options: []form.Option{{Value: "pg", Label: "PostgreSQL"}, {Value: "sq", Label: "SQLite"}}, Other: "Other"}}}
}

func request() spool.Request {
	return spool.Request{Form: choice(), Raw: json.RawMessage(`{}`), Digest: "0123456789abcdef0123456789abcdef",
		Origin: spool.Origin{Agent: "test", Cwd: "/srv", Pane: "main:1.1", Ref: "%1", PID: 1, Start: time.Now()}}
}

// asked is a question whose agent waits for the answer.
type asked struct {
	*desk
	*spool.Entry
	id string
}

func (d *desk) ask() *asked { return d.asks(request()) }

func (d *desk) asks(req spool.Request) *asked {
	d.Helper()
	e, err := d.sp.Create(req)
	must.Do(d, err)
	q := &asked{desk: d, Entry: e, id: e.ID}
	d.Cleanup(func() { e.Close() })
	return q
}

// gets waits for the answer and takes it, as the bridge does.
func (q *asked) gets() form.Result {
	q.Helper()
	var r form.Result
	q.until(q.id+" has its answer", func() (ok bool) {
		var err error
		r, ok, err = q.Answer()
		must.Do(q, err)
		return ok
	})
	must.Do(q, q.StopWaiting())
	must.Do(q, q.Deliver())
	return r
}

// isAnsweredBy waits for the answer, and holds that it is the second option, from a machine.
func (q *asked) isAnsweredBy(machine string) {
	q.Helper()
	if r := q.gets(); r.Machine != machine || !reflect.DeepEqual(r.Answers, chosen(1).Answers) {
		q.Errorf("%s is answered by %+v", q.id, r)
	}
}

// sees waits until a question is mirrored and shown: one that has its answer before is not.
func (d *desk) sees(id string) *spool.Entry {
	d.Helper()
	var e *spool.Entry
	d.until(d.name+" has "+id, func() (ok bool) {
		var err error
		if _, ok = d.showed.Load(id); ok {
			e, err = d.sp.Open(id)
		}
		return ok && err == nil
	})
	d.Cleanup(func() { e.Close() })
	return e
}

// answers answers a mirrored question with an option.
func (d *desk) answers(id string, option int) {
	d.Helper()
	must.Do(d, d.sees(id).Settle(chosen(option)))
}

func chosen(option int) form.Result {
	return form.Result{Outcome: form.Answered, Answers: []form.Answer{form.Choose(option)}, By: form.ByPopup, At: time.Now()}
}

// ends waits until a question is in the history, and is how it ended there.
func (d *desk) ends(id string) (form.Result, spool.AwayState) {
	d.Helper()
	var e *spool.Entry
	d.until(d.name+" has "+id+" in its history", func() bool {
		var err error
		if e, err = d.sp.Find(id); err != nil {
			return false
		}
		if s := e.Status(); s.Delivered && !waits(d, id) {
			return true
		}
		e.Close()
		return false
	})
	defer e.Close()
	r, ok, err := e.Answer()
	if err != nil || !ok {
		d.Fatalf("%s of %s: %v, %v", id, d.name, ok, err)
	}
	return r, e.Away()
}

// hasWon waits until a question is in the history, and holds that what was answered here is
// the answer.
func (d *desk) hasWon(id string) {
	d.Helper()
	if r, a := d.ends(id); r.Machine != "" || a.Verdict != "" {
		d.Errorf("%s on %s: %+v, %+v", id, d.name, r, a)
	}
}

func waits(d *desk, id string) bool {
	e, err := d.sp.Open(id)
	if err == nil {
		e.Close()
	}
	return !errors.Is(err, spool.ErrNotFound)
}
