package link

import (
	"cmp"
	"context"
	"math/rand/v2"
	"os"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/askpane/askpane/bridge/address"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/integrations/machines/trust"
	"github.com/askpane/askpane/settings/private"
)

// Config configures a link.
type Config struct {
	ID      *trust.Identity
	Dir     string // where address.LinkStatusFile goes
	Spool   *spool.Spool
	Secrets bool // secret questions leave this machine, too
	// Most bounds how many questions of one other machine wait here at once; the rest comes
	// after them. 0 means MostQuestions.
	Most int
	// Via is set on the person's side of a forward: only mirrored questions of the same Via
	// are its own to take over, questions of this machine stay here, and at the end what is
	// mirrored without an answer goes.
	Via string
	// Show sees to it that a mirrored question is answered: popups and alerts, until it has
	// an answer, whoever wrote it, or ctx ends.
	Show func(ctx context.Context, e *spool.Entry) (form.Result, error)
	// Pane returns the screen where a question was asked; nil lets nobody see it.
	Pane func(ctx context.Context, req spool.Request) (string, error)
	// Late tells the person that the answer given here was not the one that counts, or has to
	// wait for the hub. On a machine where no person sits it is never called.
	Late func(e *spool.Entry, verdict string)
	// Unsent receives the number of questions of which the hub does not know all yet; may be nil.
	Unsent func(n int)
	// Chat returns the same text on all machines that have the token of one chat, and nothing
	// without one; Yield learns whether another of them serves it. Both may be nil.
	Chat  func() string
	Yield func(bool)
	// Connect connects to the hub; nil means the function Connect.
	Connect func(id *trust.Identity, opts ...nats.Option) (*nats.Conn, error)
	// Log receives, once for each text, what went wrong beside the questions.
	Log func(error)
	// Beat sets how often this machine says that it is there; 0 means as a hub expects it.
	Beat time.Duration
	// hubTime, firstPause and lastPause take the place of the constants; 0 leaves them.
	hubTime, firstPause, lastPause time.Duration
}

// link serves a link. One goroutine decides, and owns all that is here. What takes time runs
// beside it and comes back as an event.
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
	unseen  bool           // the desk before had questions at the hub, which has not shown them yet
	yielded bool           // it was said who has the chat
	beaten  time.Time      // when our last heartbeat was sent that the hub has taken

	locals  map[string]*local    // questions of this machine
	unsent  map[*local]bool      // those of which the hub is to be told something
	stay    map[string]bool      // those that do not leave it, and whether they wait
	blind   bool                 // there are perhaps others, which could not be read
	mirrors map[string]*mirrored // questions of others that have an entry here
	peers   map[string]*peer
	logged  map[string]bool
	status  address.LinkStatus

	refused string            // why the hub takes no more of our questions now
	full    map[string]string // and what it says of that, of others too, by machine
}

// question follows an entry of the spool, ours or another machine's.
type question struct {
	machine, id string
	entry       *spool.Entry // nil when we have let go of it
	req         spool.Request
	stop        func() // ends following
	typing
}

func (l *link) me() string { return l.ID.Member.Name }

// newLink makes a link that nobody serves yet, with the defaults for what c leaves out.
func newLink(c Config) (*link, error) {
	members, err := c.ID.Members()
	if err != nil {
		return nil, err
	}
	l := &link{Config: c, events: make(chan func(), 64), members: members, locals: map[string]*local{}, unsent: map[*local]bool{}, stay: map[string]bool{},
		mirrors: map[string]*mirrored{}, peers: map[string]*peer{}, logged: map[string]bool{}}
	host, _ := os.Hostname()
	l.from = host + ":" + c.Spool.Path()
	l.life = boot() + " " + l.from
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
	if last, err := private.Read[address.LinkStatus](l.Dir, address.LinkStatusFile); err == nil {
		l.unseen = last.Open+last.Unpublished > 0
	}
	l.reportUnsent()
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
				l.post(func() {
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
	l.rest.Wait()
	for _, o := range l.locals {
		o.close()
	}
	withdrawn, leaves := make(chan error, len(l.mirrors)), l.Via != "" || l.ID.Left()
	for _, a := range l.mirrors {
		l.rest.Go(func() { // at once, since each waits for its form to close
			if leaves {
				withdrawn <- l.withdraw(a)
			}
			a.close()
		})
	}
	l.rest.Wait()
	for len(withdrawn) > 0 {
		l.log(<-withdrawn)
	}
	l.disconnected(nil)
}

// post runs f in the goroutine that decides.
func (l *link) post(f func()) {
	select {
	case l.events <- f:
	case <-l.ctx.Done():
	}
}

// retry posts f in a while: the disk was full, say.
func (l *link) retry(f func()) { time.AfterFunc(time.Second, func() { l.post(f) }) }

// The hub is tried again after a pause, which grows each time, unless the hub was there for a
// while; and varies, so that not all machines come back at the same moment.
const (
	firstPause = 100 * time.Millisecond
	lastPause  = 10 * time.Second
)

func (l *link) stayConnected() {
	for pause := l.firstPause; ; pause = min(2*pause, l.lastPause) {
		began := time.Now()
		err := l.connected()
		l.post(func() { l.disconnected(err) })
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

// connectedTo starts a session: nothing is known of the hub's contents, so that every question
// is compared again.
func (l *link) connectedTo(s *session) {
	l.hub = s
	for _, o := range l.locals {
		o.publication.reset()
		o.typing.reset()
	}
	for _, a := range l.mirrors {
		a.bidding.reset()
		a.typing.reset()
	}
	for _, p := range l.peers {
		p.heard, p.pulse = time.Now(), pulse{}
	}
	l.say(func(s *address.LinkStatus) { s.Connected, s.Since, s.Err = true, time.Now(), "" })
}

// disconnected records that the connection to the hub has ended.
func (l *link) disconnected(err error) {
	connected := l.hub != nil
	if l.hub = nil; !l.yielded { // it was not there yet, or not for long enough to know
		l.Yield(false)
	}
	l.say(func(s *address.LinkStatus) {
		if connected || s.Since.IsZero() {
			s.Since = time.Now()
		}
		s.Connected, s.LagMs, s.Err = false, 0, ""
		if err != nil {
			s.Err = err.Error()
		}
	})
}

// synced records that the hub has shown all questions that it has.
func (l *link) synced() {
	l.hub.synced, l.hub.shown, l.unseen = true, l.hub.newest, false
	l.hub.receiveAgain() // drafts may have come before their questions
	l.inspectAll()
	l.reportUnsent()
	l.beat()
}

// inspectAll inspects each question again.
func (l *link) inspectAll() {
	for _, o := range l.locals {
		l.inspect(o)
	}
	for _, a := range l.mirrors {
		l.step(a)
	}
}

// follow posts changed at each change of an entry, and when its bridge ends.
func (l *link) follow(q *question, changed func()) {
	ctx, stop := context.WithCancel(l.ctx)
	q.stop = stop
	if q.has == nil {
		q.typing.reset()
	}
	e, w := q.entry, q.entry.Watch()
	l.rest.Go(func() {
		defer w.Stop()
		for gone := (<-chan struct{})(nil); ; {
			if gone == nil && q.machine == l.me() && !e.Status().AgentGone {
				gone = e.AgentGone()
			}
			select {
			case <-ctx.Done():
				return
			case <-w.Changed:
			case <-gone:
				gone = nil
			}
			l.post(func() {
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
