package link

import (
	"cmp"
	"context"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/integrations/machines/trust"
	"github.com/askpane/askpane/settings/private"
)

// Config is what a link needs to know.
type Config struct {
	ID      *trust.Identity
	Dir     string // where Status goes
	Spool   *spool.Spool
	Secrets bool // secret questions leave this machine, too
	// Most is how many questions of one other machine wait here at once, and the rest after
	// them; 0 is MostQuestions.
	Most int
	// Via is set on the person's side of a forward: only mirrored questions of the same Via
	// are its own to take over, questions of this machine stay here, and at the end what is
	// mirrored without an answer goes.
	Via string
	// Show sees to it that a mirrored question is answered: popups and alerts, until it has
	// an answer, whoever wrote it, or ctx ends.
	Show func(ctx context.Context, e *spool.Entry) (form.Result, error)
	// Pane is what is to be seen where a question was asked; nil lets nobody see it.
	Pane func(ctx context.Context, req spool.Request) (string, error)
	// Late tells the person that the answer given here was not the one that counts, or has
	// to wait for the hub; nil tells nobody.
	Late func(e *spool.Entry, verdict string)
	// Unsent is told of how many questions the hub is to be told something; nil is nobody.
	Unsent func(n int)
	// Chat is the same for all machines that have the token of one chat, empty without one;
	// Yield is told whether another of them has it. Both may be nil.
	Chat  func() string
	Yield func(bool)
	// Connect is how the hub is reached; nil is Connect.
	Connect func(id *trust.Identity, opts ...nats.Option) (*nats.Conn, error)
	// Log is told, once for each text, what went wrong beside the questions.
	Log func(error)
	// Beat is how often this machine says that it is there; 0 is as a hub expects it.
	Beat time.Duration
	// hubTime, firstPause and lastPause take the place of the constants; 0 leaves them.
	hubTime, firstPause, lastPause time.Duration
}

// link is a link that is served. One goroutine decides, and all that is here belongs to
// it. What takes time runs beside it and comes back as an event.
type link struct {
	Config
	ctx     context.Context
	from    string // which spool this is
	life    string // and which of its machine's lives, between two boots
	events  chan func()
	rest    sync.WaitGroup // what runs beside
	members *trust.Members
	readers []trust.Member // of our questions: the persons' machines, and ours
	mark    string         // tells readers apart
	hub     *session       // nil while there is none
	owes    bool           // there may be something to tell the hub that is not known yet
	yielded bool           // it was said who has the chat
	beaten  time.Time      // when our last heartbeat was sent that the hub has taken

	own    map[string]*own  // questions of this machine
	unsent map[*own]bool    // those of which the hub is to be told something
	stay   map[string]bool  // those that do not leave it, and whether they wait
	blind  bool             // there are perhaps others, which could not be read
	away   map[string]*away // questions of others that have an entry here
	peers  map[string]*peer
	logged map[string]bool
	status Status

	refused string            // why the hub takes no more of our questions now
	full    map[string]string // and what it says of that, of others too, by machine
}

// question is one that is followed in the spool, ours or another machine's.
type question struct {
	machine, id string
	entry       *spool.Entry // nil when we have let go of it
	req         spool.Request
	stop        func() // ends following
	typing
}

func (l *link) me() string { return l.ID.Member.Name }

// newLink is a link that nobody serves yet, with what c leaves to it filled in.
func newLink(c Config) (*link, error) {
	members, err := c.ID.Members()
	if err != nil {
		return nil, err
	}
	l := &link{Config: c, events: make(chan func(), 64), members: members, own: map[string]*own{}, unsent: map[*own]bool{}, stay: map[string]bool{},
		away: map[string]*away{}, peers: map[string]*peer{}, logged: map[string]bool{}}
	host, _ := os.Hostname()
	l.from = host + ":" + c.Spool.Path()
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	l.life = strings.TrimSpace(string(boot)) + " " + l.from
	l.log(members.Add(c.ID.Member)) // by which its own heart is known
	l.Beat = cmp.Or(l.Beat, AliveTime/3)
	l.hubTime, l.Most = cmp.Or(l.hubTime, hubTime), cmp.Or(l.Most, MostQuestions)
	l.firstPause, l.lastPause = cmp.Or(l.firstPause, firstPause), cmp.Or(l.lastPause, lastPause)
	if l.Connect == nil {
		l.Connect = Connect
	}
	if l.Unsent == nil {
		l.Unsent = func(int) {}
	}
	if l.Chat == nil {
		l.Chat, l.Yield = func() string { return "" }, func(bool) {}
	}
	if l.Late == nil {
		l.Late = func(*spool.Entry, string) {}
	}
	if last, err := private.Read[Status](l.Dir, StatusFile); err == nil {
		l.owes = last.Open+last.Unpublished > 0
	}
	l.owing()
	return l, nil
}

// Serve links this machine to its hub until ctx ends. It connects again for ever.
func Serve(ctx context.Context, c Config) error {
	l, err := newLink(c)
	if err != nil {
		return err
	}
	var cancel context.CancelFunc
	l.ctx, cancel = context.WithCancel(ctx)
	defer l.close()
	defer cancel()
	watch := c.Spool.Watch()
	defer watch.Stop()
	beat := time.NewTicker(l.Beat)
	defer beat.Stop()
	l.scanned(c.Spool.Scan()) // first: what the hub has is held against it
	l.rest.Go(l.stayConnected)
	var rested <-chan time.Time // where the spool changes all the time, it is not looked at all the time
	for changed := watch.Changed; ; {
		select {
		case <-ctx.Done():
			return nil
		case f := <-l.events:
			f()
		case <-changed:
			changed = nil
			l.rest.Go(func() { // a large spool takes its time
				began := time.Now()
				pending, answered, err := c.Spool.Scan()
				l.do(func() {
					l.scanned(pending, answered, err)
					rested = time.After(10 * time.Since(began))
				})
			})
		case <-rested:
			rested, changed = nil, watch.Changed
		case <-beat.C:
			l.beat()
		}
	}
}

// close waits for what runs beside, and lets go of the entries.
func (l *link) close() {
	for _, o := range l.own {
		o.stop()
	}
	for _, a := range l.away {
		a.stop()
	}
	l.rest.Wait()
	for _, o := range l.own {
		o.close()
	}
	for _, a := range l.away {
		if l.Via != "" {
			l.log(a.withdraw())
		}
		a.close()
	}
	l.lost(nil)
}

// do has f happen in the goroutine that decides.
func (l *link) do(f func()) {
	select {
	case l.events <- f:
	case <-l.ctx.Done():
	}
}

// retry is do in a while: the disk was full, say.
func (l *link) retry(f func()) { time.AfterFunc(time.Second, func() { l.do(f) }) }

func (l *link) log(err error) {
	if err != nil && !l.logged[err.Error()] {
		if len(l.logged) == 1000 { // others may make them up
			clear(l.logged)
		}
		l.logged[err.Error()] = true
		l.Log(err)
	}
}

// How long it takes until the hub is tried again: longer each time, unless it was there
// for a while. Not all machines come back at the same moment.
const (
	firstPause = 100 * time.Millisecond
	lastPause  = 10 * time.Second
)

func (l *link) stayConnected() {
	for pause := l.firstPause; ; pause = min(2*pause, l.lastPause) {
		began := time.Now()
		err := l.connected()
		l.do(func() { l.lost(err) })
		if time.Since(began) > l.lastPause {
			pause = l.firstPause
		}
		select {
		case <-l.ctx.Done():
			return
		case <-time.After(pause/2 + rand.N(pause)):
		}
	}
}

// begin is that there is a hub. What it has is not known: all is to be done again.
func (l *link) begin(s *session) {
	l.hub = s
	for _, o := range l.own {
		o.publication.begin()
		o.typing.begin()
	}
	for _, a := range l.away {
		a.bidding.begin()
		a.typing.begin()
	}
	for _, p := range l.peers {
		p.heard, p.pulse = time.Now(), pulse{}
	}
	l.say(func(s *Status) { s.Connected, s.Since, s.Err = true, time.Now(), "" })
}

// lost is that there is none any more.
func (l *link) lost(err error) {
	connected := l.hub != nil
	if l.hub = nil; !l.yielded { // it was not there yet, or not for long enough to know
		l.Yield(false)
	}
	l.say(func(s *Status) {
		if connected || s.Since.IsZero() {
			s.Since = time.Now()
		}
		s.Connected, s.LagMs, s.Err = false, 0, ""
		if err != nil {
			s.Err = err.Error()
		}
	})
}

// synced is that the hub has shown all questions that it has.
func (l *link) synced() {
	l.hub.synced, l.hub.shown, l.owes = true, l.hub.newest, false
	l.hub.again() // drafts may have come before their questions
	l.all()
	l.owing()
	l.beat()
}

// all has each question looked at again.
func (l *link) all() {
	for _, o := range l.own {
		l.look(o)
	}
	for _, a := range l.away {
		l.step(a)
	}
}

// follow has changed happen in our goroutine at each change of an entry, and when its
// bridge goes.
func (l *link) follow(q *question, changed func()) {
	w, done := q.entry.Watch(), make(chan struct{})
	q.stop = sync.OnceFunc(func() { close(done) })
	e := q.entry
	l.rest.Go(func() {
		defer w.Stop()
		for gone := (<-chan struct{})(nil); ; {
			if gone == nil && q.machine == l.me() && !e.Status().AgentGone {
				gone = e.AgentGone()
			}
			select {
			case <-done:
				return
			case <-w.Changed:
			case <-gone:
				gone = nil
			}
			l.do(func() {
				if q.entry != nil {
					changed()
				}
			})
		}
	})
}

// close lets go of the entry.
func (q *question) close() {
	if q.entry != nil {
		q.stop()
		q.entry.Close()
		q.entry = nil
	}
}
