package chat

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/scene"
	"github.com/askpane/askpane/settings"
	"github.com/askpane/askpane/settings/private"
)

// Config configures the surface. One goroutine calls May, Most, Page and Rules.
type Config struct {
	Spool   *spool.Spool
	Channel Channel
	Dir     string                 // where it keeps which message is which question's
	May     func(user string) bool // answer there, by the service's id for them
	Most    func() int             // messages that wait at once
	Page    func(id string) string // the address of a question's page that the person can reach; empty for none
	State   func(error)            // of the connection; nil is that it is there
	Log     func(error)            // what went wrong, each kind of it once an hour
	// Patience bounds how long a press may wait for the disk before its person is told that
	// it does; 0 waits as long as all services allow.
	Patience time.Duration
	// Unclosed counts the messages that do not say yet that their question is over: the
	// service may be away, and nobody else would close them.
	Unclosed *atomic.Int64
	// Rules returns the rules for what is asked there, with the settings of its directory.
	Rules func(spool.Origin, settings.Settings) Rules
}

// Rules say when a question is posted, and whether it can be answered there.
type Rules struct {
	When      string        // as settings.Away: its bridge finds nobody who could see its form
	After     time.Duration // the most that it waits then
	Sensitive bool          // what is dangerous or secret can be answered there
}

const (
	// moment has to pass with nobody attached before nobody seems to be there: who attaches
	// again at once sees the form.
	moment = 3 * time.Second
	// follows bounds the questions without a message that are followed, the oldest first:
	// each takes a descriptor.
	follows = 50
	// patience stands in for a Config's that is 0: services wait for three seconds.
	patience = 2 * time.Second
	// closingLimit bounds how long a message that is not closed keeps a desk up while its
	// service is away.
	closingLimit = time.Hour
)

// service serves a chat. It belongs to one goroutine, which runs what happens; others wait
// for the service, and report to it what came of that.
type service struct {
	Config
	ctx        context.Context
	background sync.WaitGroup
	happens    chan func()

	mark     string               // of posted
	logged   map[string]time.Time // when an error of that kind was logged
	kept     map[string]message   // those that are not closed, by question
	sessions map[string]*session  // questions that are followed
	closing  map[string]*post     // messages whose question is not
	sending  int                  // posts and edits that are under way
	stale    bool                 // there may be others in the spool
	wake     time.Duration        // until it is looked again, whatever happens
}

// open reads the messages that were kept of a chat.
func open(ctx context.Context, c Config) (*service, error) {
	p, err := private.Read[posted](c.Dir, PostedFile(c.Channel.Name()))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read which messages were posted: %w", err)
	}
	s := &service{Config: c, ctx: ctx, happens: make(chan func()), mark: p.Mark, logged: map[string]time.Time{}, kept: map[string]message{},
		sessions: map[string]*session{}, closing: map[string]*post{}, stale: true}
	maps.Copy(s.kept, p.Messages)
	s.Unclosed = cmp.Or(c.Unclosed, new(atomic.Int64))
	if s.mark == "" {
		s.mark = rand.Text()[:8]
		s.save()
	}
	return s, nil
}

// Serve shows the spool's questions in the chat until ctx ends. It returns early only with
// what no try can mend (Channel.Listen).
func Serve(ctx context.Context, c Config) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	s, err := open(ctx, c)
	if err != nil {
		return err
	}
	w := s.Spool.Watch()
	defer w.Stop()
	s.background.Go(func() {
		if err := s.Channel.Listen(ctx, s.receive, s.connected); err != nil && ctx.Err() == nil {
			end(fmt.Errorf("%s: %w", s.Channel.Name(), err))
		}
	})
	for ctx.Err() == nil {
		s.follow()
		if s.finish(); !s.stale {
			s.await(w.Changed)
		}
	}
	for _, a := range s.sessions {
		a.release()
	}
	s.drain()
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return nil
}

// await waits until something happens.
func (s *service) await(changed <-chan struct{}) {
	soon := time.NewTimer(s.wake)
	defer soon.Stop()
	select {
	case <-s.ctx.Done():
	case <-soon.C:
	case <-changed:
		s.stale = true
	case do := <-s.happens:
		do()
	}
	s.wake = time.Hour
}

// wakeIn has the loop run again after wait, or sooner.
func (s *service) wakeIn(wait time.Duration) { s.wake = min(s.wake, max(wait, 0)) }

// drain waits for what is under way.
func (s *service) drain() {
	for s.sending > 0 {
		(<-s.happens)()
	}
	s.background.Wait()
	s.Unclosed.Store(0)
}

// run runs f in the chat's goroutine and waits for it, unless the chat ends before.
func (s *service) run(f func()) {
	ran := make(chan struct{})
	select {
	case <-s.ctx.Done():
	case s.happens <- func() {
		defer close(ran)
		if s.ctx.Err() == nil {
			f()
		}
	}:
		<-ran
	}
}

// connected notes a change of the connection: what could not be sent before may be now.
func (s *service) connected(err error) {
	s.State(err)
	s.run(func() {
		if err != nil {
			s.warn(trouble(err), err)
			return
		}
		for _, a := range s.sessions {
			a.reconnected()
		}
		for _, p := range s.closing {
			p.reconnected()
		}
	})
}

// warn logs what went wrong. Others may make up texts of one kind without end.
func (s *service) warn(kind string, err error) {
	if time.Since(s.logged[kind]) < time.Hour {
		return
	}
	if len(s.logged) == 1000 {
		clear(s.logged)
	}
	s.logged[kind] = time.Now()
	s.Log(err)
}

// trouble names the kind of an error of the channel.
func trouble(err error) string {
	for _, kind := range []error{ErrRefused, ErrNoPlace, ErrUnfit} {
		if errors.Is(err, kind) {
			return kind.Error()
		}
	}
	return "away"
}

// scan follows what waits, and what has a message.
func (s *service) scan() {
	ids, _, err := s.Spool.Scan()
	if err != nil {
		s.warn(err.Error(), err)
	}
	for _, id := range slices.Concat(slices.Sorted(maps.Keys(s.kept)), ids) {
		if len(s.sessions) >= follows+len(s.kept) {
			break
		}
		if s.sessions[id] != nil || s.closing[id] != nil {
			continue
		}
		switch a, err := s.newSession(id); {
		case err == nil:
			s.sessions[id] = a
		case s.kept[id].Ref != "" && errors.Is(err, spool.ErrNotFound):
			s.retire(id, s.kept[id], overWords)
		case !errors.Is(err, spool.ErrNotFound):
			s.warn(err.Error(), err)
		}
	}
	s.stale = false
}

// follow brings all messages to what is so now, and has another one posted.
func (s *service) follow() {
	if s.stale {
		s.scan()
	}
	for id, a := range s.sessions {
		if a.follow() {
			continue
		}
		if a.First != nil {
			s.close(a.post, a.draw())
		} else {
			s.keep(id, a.message) // none: the one that it had was deleted by hand
		}
		a.release()
		s.stale = s.stale || len(s.sessions) >= follows || a.First == nil // it may have been asked again
		delete(s.sessions, id)
	}
	s.postNext()
}

// postNext posts the oldest question that is wanted there, one at a time, as long as fewer
// wait than may.
func (s *service) postNext() {
	var next *session
	taken := len(s.closing)
	for _, id := range slices.Sorted(maps.Keys(s.sessions)) {
		switch a := s.sessions[id]; {
		case a.stage == posting:
			return
		case a.Ref != "" && a.stage != left && a.First == nil && !a.Asker.AgentGone:
			taken++
		case a.stage == unposted && next == nil && a.wanted():
			next = a
		}
	}
	if next != nil && taken < s.Most() {
		next.send(next.draw())
	}
}

// receive handles an event of the channel. It returns when what came of it is on the disk.
func (s *service) receive(e Event) {
	if strings.HasPrefix(e.ID, Setup+".") {
		return
	}
	if e.Gone {
		s.run(func() { s.deleted(e.Ref) })
		return
	}
	var once sync.Once
	reply := e.Reply
	e.Reply = func(r Reply) (err error) {
		once.Do(func() { err = reply(r) })
		return err
	}
	slow := time.AfterFunc(cmp.Or(s.Patience, patience), func() {
		s.reply(e, Reply{Notice: "This takes longer than it should. Look at the message in a moment: if it does not show what you did, do it again."})
	})
	defer slow.Stop()
	s.run(func() { s.route(e) })
}

// deleted has a message checked that may have been deleted.
func (s *service) deleted(ref string) {
	for _, a := range s.sessions {
		if a.Ref == ref || a.Ref == "" { // it may be on its way, and deleted before that is known
			a.doubt()
		}
	}
}

// route hands an event to its question, if the person may answer there.
func (s *service) route(e Event) {
	id, _, _ := strings.Cut(e.ID, ".")
	if !s.May(e.User.ID) {
		s.warn("user "+e.User.ID, fmt.Errorf("%s: %s (%s), who is not on the list of allowed users, pressed something on %s", s.Channel.Name(),
			text.Quoted(e.User.Name, 40), text.OneLine(e.User.ID, 40), text.OneLine(id, 40)))
		s.tell(e, Reply{Notice: "You may not answer here."})
		return
	}
	if a := s.sessions[id]; a != nil {
		a.respond(e)
	} else {
		s.tell(e, Reply{Notice: s.ended(id) + unsent(e)})
	}
}

// tell replies, and does not wait until they have it: others have pressed, too.
func (s *service) tell(e Event, r Reply) { s.background.Go(func() { s.reply(e, r) }) }

// reply answers an event. Unless all is well, the person gets back what they have typed.
func (s *service) reply(e Event, r Reply) {
	if r.Notice != "" && !e.Secret {
		r.Typed = text.Visible(e.Text)
	}
	if err := e.Reply(r); err != nil && s.ctx.Err() == nil {
		s.run(func() { s.warn("reply", fmt.Errorf("%s: answer what was pressed: %w", s.Channel.Name(), err)) })
	}
}

// ended says how a question that is not followed has ended.
func (s *service) ended(id string) string {
	e, err := s.Spool.Find(id)
	if err != nil {
		return overWords
	}
	defer e.Close()
	req, unread := e.Request()
	r, over, err := e.Answer()
	if !over || err != nil || unread != nil {
		return "This question cannot be answered here now."
	}
	return howEnded(e, req, r)
}

// unnamed lists the hosts whose names are askpane's own, and tell a person less than “the popup”.
var unnamed = []string{"run", "terminal", "plain", "window", "page"}

// hostOf returns the program in which the question's popup opens; empty where that has no
// name of its own.
func hostOf(req spool.Request) string {
	_, _, host, _ := req.Origin.Where()
	if host == "" || slices.Contains(unnamed, host) {
		return ""
	}
	return text.Agent(host, 24)
}

// howEnded says in a sentence how a question has ended.
func howEnded(e *spool.Entry, req spool.Request, r form.Result) string {
	words := scene.Over(req.Origin.Agent, r, true, e.Away().Verdict)
	if host := hostOf(req); host != "" && r.Machine == "" {
		words = strings.Replace(words, "in the "+form.ByPopup, "in "+host, 1)
	}
	return words
}

// unsent tells somebody that what they typed was lost, if they did.
func unsent(e Event) string {
	if e.Text == "" {
		return ""
	}
	return " What you typed was not sent."
}
