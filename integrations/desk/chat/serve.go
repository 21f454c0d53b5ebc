package chat

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/integrations/desk/private"
	"github.com/askpane/askpane/integrations/desk/question"
	"github.com/askpane/askpane/settings"
)

// Config is what the surface needs to know. Its functions may be called by several
// goroutines.
type Config struct {
	Spool   *spool.Spool
	Channel Channel
	Dir     string                 // where it keeps which message is which question's
	May     func(user string) bool // answer there, by the service's id for them
	Most    func() int             // messages that wait at once
	Page    func(id string) string // the address of a question's page that the person can reach; nil or empty for none
	State   func(error)            // of the connection; nil is that it is there
	Log     func(error)            // what went wrong, each kind of it once an hour
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
	// follows is how many questions are followed, the oldest first: each takes a descriptor.
	// Those whose agent is gone, which may wait for weeks, are counted apart.
	follows = 200
	// patience is how long what somebody pressed may wait for the disk before they are
	// told that it does: services wait for three seconds.
	patience = 2 * time.Second
	// owed is how long a message is owed its end: a service that is away for longer does
	// not keep a desk up.
	owed = time.Hour
)

// service is a chat that is served.
type service struct {
	Config
	ctx  context.Context
	rest sync.WaitGroup
	mark string // of posted

	telling sync.Mutex
	told    map[string]time.Time // when something of that kind was logged

	mu    sync.Mutex
	asked map[string]*asked  // those that are followed
	kept  map[string]message // those that are not closed, by question
}

// message is what is kept of one.
type message struct {
	Ref   string `json:"ref"`
	Again bool   `json:"again,omitempty"` // it was deleted, and posted a second time

	closes bool // it belongs to no question, and is being closed
}

// Serve shows the spool's questions in the chat until ctx ends. It returns early only with
// what no try can mend (Channel.Listen).
func Serve(ctx context.Context, c Config) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	p, err := readPosted(c.Channel, c.Dir)
	if err != nil {
		return err
	}
	s := &service{Config: c, ctx: ctx, asked: map[string]*asked{}, kept: p.Messages, mark: p.Mark, told: map[string]time.Time{}}
	if s.Owing = cmp.Or(c.Owing, new(atomic.Int64)); s.mark == "" {
		s.mark = rand.Text()[:8]
		s.save()
	}
	w := s.Spool.Watch()
	s.scan()
	s.rest.Go(func() {
		if err := s.Channel.Listen(ctx, s.do, s.connected); err != nil && ctx.Err() == nil {
			end(fmt.Errorf("%s: %w", s.Channel.Name(), err))
		}
	})
	w.Each(ctx, s.scan)
	s.rest.Wait()
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return nil
}

// connected: what could not be sent before may be now.
func (s *service) connected(err error) {
	if s.State(err); err != nil {
		if s.ctx.Err() == nil {
			s.warn(trouble(err), err)
		}
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.asked {
		s.rest.Go(func() { a.Post(func() { a.hold(false) }) })
	}
}

// warn logs what went wrong. Others may make up texts of one kind without end.
func (s *service) warn(kind string, err error) {
	s.telling.Lock()
	defer s.telling.Unlock()
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

// posted is the file in which messages are kept.
type posted struct {
	Version  int                `json:"version"`
	Mark     string             `json:"mark,omitempty"` // tells what is posted from here from what others post of the same questions
	Messages map[string]message `json:"messages"`
}

// PostedFile is its name for a service.
func PostedFile(service string) string { return "posted-" + service + ".json" }

// readPosted is what was kept.
func readPosted(c Channel, dir string) (posted, error) {
	p, err := private.Read[posted](dir, PostedFile(c.Name()))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return p, fmt.Errorf("read which messages were posted: %w", err)
	}
	if p.Messages == nil {
		p.Messages = map[string]message{}
	}
	return p, nil
}

// keep has the message of a question kept, or, with an empty reference, forgotten.
func (s *service) keep(id string, m message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept[id] == m {
		return
	}
	if s.kept[id] = m; m.Ref == "" {
		delete(s.kept, id)
	}
	s.save()
}

func (s *service) save() {
	if err := private.Write(s.Dir, PostedFile(s.Channel.Name()), posted{1, s.mark, s.kept}); err != nil {
		s.warn("keep", fmt.Errorf("keep which messages were posted: %w", err))
	}
}

// scan follows what waits, and what has a message.
func (s *service) scan() {
	ids, _, err := s.Spool.Scan()
	if err != nil {
		s.warn(err.Error(), err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range slices.Concat(slices.Sorted(maps.Keys(s.kept)), ids) {
		if s.full(false) || s.ctx.Err() != nil {
			break
		}
		if s.asked[id] != nil || s.kept[id].closes {
			continue
		}
		a, err := s.begin(id)
		switch {
		case err == nil:
			s.asked[id] = a
			s.rest.Go(a.run)
		case s.kept[id].Ref != "" && errors.Is(err, spool.ErrNotFound):
			ref := s.kept[id].Ref
			s.kept[id] = message{Ref: ref, closes: true}
			s.rest.Go(func() { s.bury(id, ref, overWords) })
		case !errors.Is(err, spool.ErrNotFound) && !errors.Is(err, errFull):
			s.warn(err.Error(), err)
		}
	}
	s.grant()
}

var errFull = errors.New("so many are followed")

// full reports whether no more are followed of those that an agent waits for, or of those
// that none waits for any more. s.mu is held.
func (s *service) full(gone bool) bool {
	n := 0
	for _, a := range s.asked {
		if a.alone == gone {
			n++
		}
	}
	return n >= follows
}

// bury closes a message that belongs to no question, and was kept for id; it tries until
// that is done.
func (s *service) bury(id, ref, words string) {
	s.Owing.Add(1)
	defer s.Owing.Add(-1)
	ctx, cancel := context.WithTimeout(s.ctx, owed)
	defer cancel()
	for pause := firstPause; ctx.Err() == nil; pause = min(2*pause, mostPause) {
		err := s.Channel.Edit(ctx, ref, Message{State: Over, Blocks: []Block{{Text: words, Style: Dim}}})
		if err == nil || errors.Is(err, ErrGone) || errors.Is(err, ErrUnfit) {
			s.keep(id, message{})
			s.scan() // it may have come back
			return
		}
		if ctx.Err() == nil {
			s.warn(trouble(err), fmt.Errorf("%s: close a message that belongs to no question: %w", s.Channel.Name(), err))
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// Withdraw closes all messages of a chat that is not served from here any more. Those that
// it cannot close are kept for the next time.
func Withdraw(ctx context.Context, c Channel, dir string) error {
	p, err := readPosted(c, dir)
	for id, m := range p.Messages {
		e := c.Edit(ctx, m.Ref, Message{State: Over, Blocks: []Block{{Text: "askpane does not ask here any more.", Style: Dim}}})
		if e == nil || errors.Is(e, ErrGone) || errors.Is(e, ErrUnfit) { // no try can do more
			delete(p.Messages, id)
		} else {
			err = cmp.Or(err, e)
		}
	}
	if len(p.Messages) > 0 {
		return cmp.Or(err, private.Write(dir, PostedFile(c.Name()), p))
	}
	return cmp.Or(err, os.RemoveAll(filepath.Join(dir, PostedFile(c.Name()))))
}

const overWords = "This question is over."

// grant lets the oldest that is wanted be posted, one after the other: so many as may
// wait at once. s.mu is held.
func (s *service) grant() {
	var next *asked
	taken := 0
	for _, id := range slices.Sorted(maps.Keys(s.asked)) {
		switch a := s.asked[id]; {
		case a.turn == posting:
			return
		case a.turn == shows:
			taken++
		case next == nil && a.turn == waits && a.wanted():
			next = a
		}
	}
	if next != nil && taken < s.Most() {
		next.turn = posting
		s.rest.Go(func() { next.Post(func() {}) })
	}
}

// do is what somebody has done in the chat. It returns when that is on the disk.
func (s *service) do(e Event) {
	var once sync.Once
	reply := e.Reply
	e.Reply = func(r Reply) (err error) {
		once.Do(func() { err = reply(r) })
		return err
	}
	id, _, _ := strings.Cut(e.ID, ".")
	if id == Setup {
		return
	}
	if !s.May(e.User.ID) {
		s.warn("user "+e.User.ID, fmt.Errorf("%s: %s (%s), who is not on the list of allowed users, pressed something on %s", s.Channel.Name(),
			text.Quoted(e.User.Name, 40), text.OneLine(e.User.ID, 40), text.OneLine(id, 40)))
		s.tell(e, Reply{Notice: "You may not answer here."})
		return
	}
	slow := time.AfterFunc(patience, func() {
		s.tell(e, Reply{Notice: "This takes longer than it should. Look at the message in a moment: if it does not show what you did, do it again."})
	})
	defer slow.Stop()
	s.mu.Lock()
	a := s.asked[id]
	s.mu.Unlock()
	if a == nil || !a.Do(func() { a.take(e) }) {
		s.tell(e, Reply{Notice: s.ended(id) + unsent(e)})
	}
}

// tell answers somebody, who gets back what they have typed unless all is well. Nobody waits
// until they have it: others have pressed, too.
func (s *service) tell(e Event, r Reply) {
	if r.Notice != "" && !e.Secret {
		r.Typed = text.Visible(e.Text)
	}
	s.rest.Go(func() {
		if err := e.Reply(r); err != nil && s.ctx.Err() == nil {
			s.warn("reply", fmt.Errorf("%s: answer what was pressed: %w", s.Channel.Name(), err))
		}
	})
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
	words := question.Farewell(e, r)
	if host := hostOf(req); host != "" && r.Machine == "" {
		words = strings.Replace(words, "in the "+form.ByPopup, "in "+host, 1)
	}
	return question.Capital(words) + "."
}

// unsent says to somebody that they have typed in vain.
func unsent(e Event) string {
	if e.Text == "" {
		return ""
	}
	return " What you typed was not sent."
}
