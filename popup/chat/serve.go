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

// Config is what the surface needs to know. May, Most, Page and Rules are called by one
// goroutine.
type Config struct {
	Spool   *spool.Spool
	Channel Channel
	Dir     string                 // where it keeps which message is which question's
	May     func(user string) bool // answer there, by the service's id for them
	Most    func() int             // messages that wait at once
	Page    func(id string) string // the address of a question's page that the person can reach; nil or empty for none
	State   func(error)            // of the connection; nil is that it is there
	Log     func(error)            // what went wrong, each kind of it once an hour
	// Patience is how long what somebody pressed may wait for the disk before they are told
	// that it does; 0 is as long as all services allow.
	Patience time.Duration
	// Owing counts the messages whose question is over while they do not say so yet: the
	// service may be away, and nobody else would close them.
	Owing *atomic.Int64
	// Rules are those for what is asked there, with the settings of its directory.
	Rules func(spool.Origin, settings.Settings) Rules
}

// Rules say of a question when it is posted.
type Rules struct {
	When      string        // as settings.ChatAway: its bridge finds nobody who could see its form
	After     time.Duration // the most that it waits then
	Sensitive bool          // what is dangerous or secret can be answered there
}

const (
	// moment is how long nobody is there before nobody seems to be: who attaches again at
	// once sees the form.
	moment = 3 * time.Second
	// follows is how many questions without a message are followed, the oldest first: each
	// takes a descriptor.
	follows = 50
	// patience is that of a Config that has none: services wait for three seconds.
	patience = 2 * time.Second
	// owed is how long a message is owed its end: a service that is away for longer does
	// not keep a desk up.
	owed = time.Hour
)

// service is a chat that is served. It belongs to one goroutine, which runs what happens;
// what waits for the service is done by others, which tell it what has come of that.
type service struct {
	Config
	ctx     context.Context
	rest    sync.WaitGroup
	happens chan func()

	mark    string               // of posted
	told    map[string]time.Time // when something of that kind was logged
	kept    map[string]message   // those that are not closed, by question
	asked   map[string]*asked    // questions that are followed
	closing map[string]*post     // messages whose question is not
	sending int                  // posts and edits that are under way
	stale   bool                 // there may be others in the spool
	wake    time.Duration        // until it is looked again, whatever happens
}

// open is a chat with the messages that were kept.
func open(ctx context.Context, c Config) (*service, error) {
	p, err := private.Read[posted](c.Dir, PostedFile(c.Channel.Name()))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read which messages were posted: %w", err)
	}
	s := &service{Config: c, ctx: ctx, happens: make(chan func()), mark: p.Mark, told: map[string]time.Time{}, kept: map[string]message{},
		asked: map[string]*asked{}, closing: map[string]*post{}, stale: true}
	maps.Copy(s.kept, p.Messages)
	s.Owing = cmp.Or(c.Owing, new(atomic.Int64))
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
	s.rest.Go(func() {
		if err := s.Channel.Listen(ctx, s.do, s.connected); err != nil && ctx.Err() == nil {
			end(fmt.Errorf("%s: %w", s.Channel.Name(), err))
		}
	})
	for ctx.Err() == nil {
		s.follow()
		if s.finish(); !s.stale {
			s.await(w.Changed)
		}
	}
	for _, a := range s.asked {
		a.release()
	}
	s.end()
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

// in has it looked again after so long.
func (s *service) in(wait time.Duration) { s.wake = min(s.wake, max(wait, 0)) }

// end waits for what is under way.
func (s *service) end() {
	for s.sending > 0 {
		(<-s.happens)()
	}
	s.rest.Wait()
	s.Owing.Store(0)
}

// run runs what another goroutine wants done, and waits for that, unless the chat ends before.
func (s *service) run(do func()) {
	ran := make(chan struct{})
	select {
	case <-s.ctx.Done():
	case s.happens <- func() {
		defer close(ran)
		if s.ctx.Err() == nil {
			do()
		}
	}:
		<-ran
	}
}

// connected: what could not be sent before may be now.
func (s *service) connected(err error) {
	s.State(err)
	s.run(func() {
		if err != nil {
			s.warn(trouble(err), err)
			return
		}
		for _, a := range s.asked {
			a.reconnected()
		}
		for _, p := range s.closing {
			p.reconnected()
		}
	})
}

// warn logs what went wrong. Others may make up texts of one kind without end.
func (s *service) warn(kind string, err error) {
	if time.Since(s.told[kind]) < time.Hour {
		return
	}
	if len(s.told) == 1000 {
		clear(s.told)
	}
	s.told[kind] = time.Now()
	s.Log(err)
}

// trouble is the kind of an error of the channel.
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
		if len(s.asked) >= follows+len(s.kept) {
			break
		}
		if s.asked[id] != nil || s.closing[id] != nil {
			continue
		}
		switch a, err := s.begin(id); {
		case err == nil:
			s.asked[id] = a
		case s.kept[id].Ref != "" && errors.Is(err, spool.ErrNotFound):
			s.bury(id, s.kept[id], overWords)
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
	for id, a := range s.asked {
		if a.follow() {
			continue
		}
		if a.First != nil {
			s.close(a.post, a.draw())
		} else {
			s.keep(id, a.message) // none: the one that it had was deleted by hand
		}
		a.release()
		s.stale = s.stale || len(s.asked) >= follows || a.First == nil // it may have been asked again
		delete(s.asked, id)
	}
	s.grant()
}

// grant lets the oldest that is wanted be posted, one after the other: so many as may
// wait at once.
func (s *service) grant() {
	var next *asked
	taken := len(s.closing)
	for _, id := range slices.Sorted(maps.Keys(s.asked)) {
		switch a := s.asked[id]; {
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

// do is what somebody has done in the chat. It returns when that is on the disk.
func (s *service) do(e Event) {
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
	s.run(func() { s.take(e) })
}

// deleted has a message looked for that may have been deleted.
func (s *service) deleted(ref string) {
	for _, a := range s.asked {
		if a.Ref == ref || a.Ref == "" { // it may be on its way, and deleted before that is known
			a.doubt()
		}
	}
}

// take does it, if it is a question's and may be done.
func (s *service) take(e Event) {
	id, _, _ := strings.Cut(e.ID, ".")
	if !s.May(e.User.ID) {
		s.warn("user "+e.User.ID, fmt.Errorf("%s: %s (%s), who is not on the list of allowed users, pressed something on %s", s.Channel.Name(),
			text.Quoted(e.User.Name, 40), text.OneLine(e.User.ID, 40), text.OneLine(id, 40)))
		s.tell(e, Reply{Notice: "You may not answer here."})
		return
	}
	if a := s.asked[id]; a != nil {
		a.take(e)
	} else {
		s.tell(e, Reply{Notice: s.ended(id) + unsent(e)})
	}
}

// tell replies, and does not wait until they have it: others have pressed, too.
func (s *service) tell(e Event, r Reply) { s.rest.Go(func() { s.reply(e, r) }) }

// reply answers somebody, who gets back what they have typed unless all is well.
func (s *service) reply(e Event, r Reply) {
	if r.Notice != "" && !e.Secret {
		r.Typed = text.Visible(e.Text)
	}
	if err := e.Reply(r); err != nil && s.ctx.Err() == nil {
		s.run(func() { s.warn("reply", fmt.Errorf("%s: answer what was pressed: %w", s.Channel.Name(), err)) })
	}
}

// ended says of a question that is not followed how it has ended.
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
	return farewell(e, req, r)
}

// hosts are those that are better known by their names than their popups.
var hosts = []string{"tmux", "zellij", "screen", "kitty", "wezterm"}

// hostOf is where its popup opens, where that is one of them.
func hostOf(req spool.Request) string {
	_, _, host, _ := req.Origin.Where()
	if !slices.Contains(hosts, host) {
		return ""
	}
	return host
}

// farewell is a sentence on how a question has ended.
func farewell(e *spool.Entry, req spool.Request, r form.Result) string {
	words := scene.Over(r, true, e.Away().Verdict)
	if host := hostOf(req); host != "" && r.Machine == "" {
		words = strings.Replace(words, "in the "+form.ByPopup, "in "+host, 1)
	}
	return words
}

// unsent says to somebody that they have typed in vain.
func unsent(e Event) string {
	if e.Text == "" {
		return ""
	}
	return " What you typed was not sent."
}
