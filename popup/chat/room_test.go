package chat

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/settings"
	"github.com/askpane/askpane/tests/must"
)

const patient = 30 * time.Second

// room is a spool, and a chat in memory in which its questions are shown.
type room struct {
	*testing.T
	dir      string
	spool    *spool.Spool
	limits   Limits
	rules    Rules
	never    bool // what is fickle is posted
	most     int
	unclosed atomic.Int64
	page     string
	hold     chan struct{} // until when the desk hangs; nil is that it does not
	stop     func()
	// patience makes the desk wait as long as the test does, since the machine may be busy.
	patience time.Duration
	ending   func()    // is called by it
	asked    time.Time // the newest question

	mu       sync.Mutex
	changed  chan struct{} // closed at each change
	do       func(Event)   // nil while nobody listens
	state    func(error)   // as Listen has it
	messages map[string]Message
	refs     []string // in the order in which they were posted
	refuse   func(ref string, m Message) error
	keys     []string                    // of each try
	crowd    int                         // that waited at once
	followed map[time.Time]bool          // whose rules were asked for, by when they were asked
	once     bool                        // of posts with one key comes one message
	lose     func(context.Context) error // what becomes of the answer to a post
	missed   int                         // edits of messages that were not there
	logged   []string
	ended    chan error
}

func newRoom(t *testing.T) *room {
	t.Helper()
	r := &room{T: t, asked: time.Now().Add(-time.Second), patience: patient, dir: t.TempDir(), changed: make(chan struct{}), messages: map[string]Message{}, followed: map[time.Time]bool{}, rules: Rules{When: settings.Always}, most: 5, ending: func() {},
		limits: Limits{Text: 4000, Length: func(b Block) int { return utf8.RuneCountInString(b.Text) }, Label: 80, Choice: 100, Description: 100, Choices: 25, Value: 4000, Controls: 30}}
	sp, err := spool.Open(filepath.Join(r.dir, "spool"))
	must.Do(r, err)
	r.spool = sp
	t.Cleanup(func() { sp.Close() })
	return r
}

// serve serves the chat until stop, or the end of the test.
func (r *room) serve() *room {
	ctx, cancel := context.WithCancel(r.Context())
	r.ended = make(chan error, 1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.ended <- Serve(ctx, Config{Spool: r.spool, Channel: r, Dir: r.dir, Unclosed: &r.unclosed, Patience: r.patience,
			May: func(user string) bool { return strings.HasPrefix(user, "u") },
			Rules: func(o spool.Origin, _ settings.Settings) Rules {
				r.mu.Lock()
				hold := r.hold
				r.mu.Unlock()
				if hold != nil {
					<-hold
				}
				r.mu.Lock()
				defer r.mu.Unlock()
				if !r.followed[o.Start] {
					r.followed[o.Start] = true
					r.tell()
				}
				switch {
				case o.Agent == "silent", o.Agent == "fickle" && r.never:
					return Rules{When: settings.Never}
				}
				return r.rules
			},
			Most: func() int { return r.most }, Page: func(id string) string { return r.page }, State: func(error) {},
			Log: func(err error) { r.mu.Lock(); defer r.mu.Unlock(); r.logged = append(r.logged, err.Error()); r.tell() }})
	}()
	r.stop = sync.OnceFunc(func() { cancel(); r.ending(); <-done; r.do = nil })
	r.Cleanup(r.stop)
	if r.hold == nil { // else nothing is served yet
		r.until("service that listens", func() bool { return r.do != nil })
	}
	return r
}

// begins is a question that is followed by nobody but the test.
func (r *room) begins(e *spool.Entry) *session {
	r.Helper()
	s := &service{Config: Config{Spool: r.spool, Channel: r, Page: func(string) string { return r.page }, Rules: func(spool.Origin, settings.Settings) Rules { return r.rules }}, ctx: r.Context(), happens: make(chan func())}
	a, err := s.newSession(e.ID)
	must.Do(r, err)
	r.Cleanup(a.release)
	return a
}

// The Channel.

func (r *room) Name() string   { return "discord" }
func (r *room) Limits() Limits { return r.limits }

func (r *room) Listen(ctx context.Context, do func(Event), state func(error)) error {
	state(nil) // has what is posted already looked at again
	r.mu.Lock()
	r.do, r.state = do, state
	r.tell()
	r.mu.Unlock()
	<-ctx.Done()
	return nil
}

// refuses has the service refuse messages so; nil is that it takes all.
func (r *room) refuses(refuse func(ref string, m Message) error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refuse = refuse
}

// isBack has the service tell that it can be reached: what failed before is tried at once.
func (r *room) isBack() {
	r.refuses(nil)
	r.state(nil)
}

// deletes has somebody delete a message by hand.
func (r *room) deletes(ref string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.messages, ref)
}

func (r *room) tell() {
	close(r.changed)
	r.changed = make(chan struct{})
}

func (r *room) Post(ctx context.Context, m Message) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	before := slices.Index(r.keys, m.Key)
	r.keys = append(r.keys, m.Key)
	if r.once && before >= 0 {
		return r.refs[before], nil
	}
	ref := fmt.Sprint("m", len(r.refs)+1)
	if err := r.put(ref, m); err != nil {
		return "", err
	}
	r.refs = append(r.refs, ref)
	if lose := r.lose; lose != nil {
		r.mu.Unlock()
		defer r.mu.Lock()
		return ref, lose(ctx)
	}
	return ref, nil
}

func (r *room) Edit(_ context.Context, ref string, m Message) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, there := r.messages[ref]; !there {
		r.missed++
		r.tell()
		return fmt.Errorf("edit: %w", ErrGone)
	}
	return r.put(ref, m)
}

func (r *room) put(ref string, m Message) error {
	if r.refuse != nil {
		if err := r.refuse(ref, m); err != nil {
			r.tell()
			return err
		}
	}
	r.fits(m)
	r.messages[ref] = m
	waiting := 0
	for _, m := range r.messages {
		waiting += map[State]int{Waiting: 1}[m.State]
	}
	r.crowd = max(r.crowd, waiting)
	r.tell()
	return nil
}

// fits checks a message as a service would.
func (r *room) fits(m Message) {
	n, controls, ids := 0, 0, map[string]bool{}
	id := func(id string) {
		if len(id) > 60 || ids[id] || strings.Contains(id, "=") {
			r.Errorf("the id %q is too long, or there twice", id)
		}
		ids[id] = true
	}
	for _, b := range m.Blocks {
		n += len([]rune(b.Text))
		for _, button := range b.Buttons {
			if l := len([]rune(button.Label)); l == 0 || l > r.limits.Label {
				r.Errorf("a button's label of %d characters", l)
			}
			id(button.ID)
		}
		if len(b.Buttons) > 0 || b.Select != nil {
			controls++
		}
		if s := b.Select; s != nil {
			if id(s.ID); len(s.Choices) == 0 || len(s.Choices) > r.limits.Choices {
				r.Errorf("a select of %d choices", len(s.Choices))
			}
			for _, c := range s.Choices {
				if len([]rune(c.Label)) > r.limits.Choice || len([]rune(c.Description)) > r.limits.Description {
					r.Errorf("a choice that is too long: %+v", c)
				}
			}
		}
	}
	if n > r.limits.Text || controls > r.limits.Controls || m.State != Waiting && controls > 0 {
		r.Errorf("%d characters and %d controls in state %d", n, controls, m.State)
	}
}

// What a test does.

// until waits until something is so in the chat.
func (r *room) until(what string, so func() bool) {
	r.Helper()
	for limit := time.After(patient); ; {
		r.mu.Lock()
		ok, changed := so(), r.changed
		r.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-changed:
		case <-limit:
			r.mu.Lock()
			defer r.mu.Unlock()
			r.Fatalf("no %s in\n%s\nlogged: %q", what, r.all(), r.logged)
		}
	}
}

func (r *room) all() (all string) {
	for _, ref := range r.refs {
		all += ref + " " + words(r.messages[ref]) + "\n"
	}
	return all
}

// sees waits until the message has all of that in it.
func (r *room) sees(ref string, all ...string) string {
	r.Helper()
	seen := ""
	for _, want := range all {
		r.until(want, func() bool {
			m, there := r.messages[ref]
			seen = words(m)
			return there && strings.Contains(seen, want)
		})
	}
	return seen
}

// asks puts a question into the spool, whose bridge waits as long as the test.
func (r *room) asks(request string, changes ...func(*spool.Request)) *spool.Entry {
	r.Helper()
	_, f, err := dialect.Decode("", []byte(request))
	must.Do(r, err)
	r.asked = r.asked.Add(time.Millisecond) // so that their names have an order; all have been asked by now
	req := spool.Request{Form: f, Raw: json.RawMessage(request), Origin: spool.Origin{Agent: "claude", Cwd: "/srv/shop", Host: "tmux", Pane: "main:1.0", Start: r.asked}}
	for _, change := range changes {
		change(&req)
	}
	create := r.spool.Create
	if req.Origin.Away != nil {
		create = r.spool.Mirror
	}
	e, err := create(req)
	must.Do(r, err)
	r.Cleanup(func() { e.Close() })
	return e
}

// answer waits for it on the disk.
func (r *room) answer(e *spool.Entry) form.Result {
	r.Helper()
	w := e.Watch()
	defer w.Stop()
	for limit := time.After(patient); ; {
		if a, ok, err := e.Answer(); ok {
			return a
		} else if err != nil {
			r.Fatal(err)
		}
		select {
		case <-w.Changed:
		case <-limit:
			r.Fatalf("no answer; %s", r.all())
		}
	}
}

// answered is what the agent is told, and that the person here has said it.
func (r *room) answered(e *spool.Entry, want string) {
	r.Helper()
	a := r.answer(e)
	req, err := e.Request()
	must.Do(r, err)
	d, _, err := dialect.Decode(req.Form.Dialect, req.Raw)
	must.Do(r, err)
	reply := d.EncodeIn(dialect.Context{}, &req.Form, a)
	if got := reply.Text + "\n" + string(reply.Details); !strings.Contains(got, want) {
		r.Errorf("the agent is told %s, not %s", got, want)
	}
	if a.By != "discord" || a.Via == nil || *a.Via != (form.Via{Name: "Dom", ID: "u1"}) {
		r.Errorf("it was given by %s %+v", a.By, a.Via)
	}
}

// revoked is a channel whose token is not valid any more.
type revoked struct{ *room }

func (revoked) Listen(context.Context, func(Event), func(error)) error { return ErrRefused }
