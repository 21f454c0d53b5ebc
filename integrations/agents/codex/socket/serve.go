// Package socket carries the questions that Codex asks with its own tools: it is a second client
// of the daemon's socket, has package bridge ask what the machine in package codex finds there,
// and brings the answers back.
//
// The rule that must hold here: whatever fails, Codex's own dialog stays usable and an answer
// that Codex did not get stays in the spool.
package socket

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/watch"
	"github.com/askpane/askpane/integrations/agents/codex"
)

// Config says what is served, and by which means.
type Config struct {
	Place   codex.Place
	Version string
	// Bridge returns the bridge for one question of a thread in the directory cwd, and of the
	// question Timeout, and in its Origin the asking process.
	Bridge func(cwd string) (*bridge.Bridge, bridge.Question, error)
	Warn   func(error) // may be called from several goroutines
}

const (
	// silence is the longest that the daemon may take to answer; it takes some 0.1 s.
	silence = 10 * time.Second
	// parting passes at the end, in which a daemon that has ended lets go of its socket.
	parting = 100 * time.Millisecond
)

// server serves one daemon. One goroutine owns the machine and what follows it.
type server struct {
	Config
	*codex.Machine
	events chan func()   // what it is to do
	ended  chan struct{} // closed when events are read no more

	conn *connection // nil where there is none
	open map[codex.Key]*asking
	work sync.WaitGroup // of the askings
}

// asking is a question that the person has before them.
type asking struct {
	end   context.CancelCauseFunc
	taken chan codex.Taken // what became of the answer
}

// Causes by which an asking ends, beside bridge.ErrElsewhere.
var (
	errLetGo     = errors.New("another process serves Codex now")
	errWithdrawn = errors.New("the question's thread is gone")
)

// causes are those of an End, by whether the question is withdrawn.
var causes = map[bool]error{true: errWithdrawn, false: bridge.ErrElsewhere}

// Serve serves the daemon until ctx ends, as soon as no other process does. It returns when all
// is let go of.
func Serve(ctx context.Context, c Config) {
	release, err := c.Place.Lead(ctx)
	if err != nil {
		if ctx.Err() == nil {
			c.Warn(fmt.Errorf("answer Codex's own questions: %w", err))
		}
		return
	}
	defer release()
	s := &server{Config: c, Machine: codex.New(c.Version), events: make(chan func()), ended: make(chan struct{}), open: map[codex.Key]*asking{}}
	s.run(ctx)
	close(s.ended)
	s.leave()
	s.work.Wait()
}

// tell has the server do something, unless it is over.
func (s *server) tell(do func()) bool {
	select {
	case s.events <- do:
		return true
	case <-s.ended:
		return false
	}
}

// run follows the daemon until ctx ends. One that ends, or is no daemon of Codex's, is tried again
// when something has changed in the folder of its socket.
func (s *server) run(ctx context.Context) {
	changed, tell := watch.Merged()
	defer watch.Dir(filepath.Dir(s.Place.Socket), func(name string) {
		if name != "" { // else it would be tried, and fail, again and again
			tell()
		}
	}).Stop()
	s.connect()
	for {
		select {
		case do := <-s.events:
			do()
		case <-changed:
			if s.conn == nil {
				s.connect()
			}
		case <-ctx.Done():
			return
		}
	}
}

// connect opens a connection; what fails is logged, and Codex's dialog is Codex's alone.
func (s *server) connect() {
	conn, err := dial(s.Place)
	if err != nil {
		s.Warn(fmt.Errorf("the socket of Codex's daemon: %w", err))
		return
	}
	s.conn = conn
	go s.read(conn)
	s.step(codex.Opened{})
}

// read tells of what comes in over a connection, and of its end.
func (s *server) read(c *connection) {
	defer close(c.over)
	for {
		var m codex.Received
		if err := c.ReadJSON(&m); err != nil {
			s.tell(func() { s.lost(err) })
			return
		}
		s.tell(func() { s.step(m) })
	}
}

// lost has the connection renewed, once, where the daemon is still there: its questions go on.
// Else they are withdrawn.
func (s *server) lost(err error) {
	was := s.conn
	s.conn = nil
	_ = was.Close()
	if was.reason != nil || time.Since(was.since) < silence {
		s.Warn(fmt.Errorf("the socket of Codex's daemon was closed: %w", cmp.Or(was.reason, err)))
	} else if s.connect(); s.conn != nil {
		return
	}
	s.endAll(errWithdrawn)
	s.Machine = codex.New(s.Version)
}

// leave ends at the end of this process: questions stay open for the process that serves Codex
// next, unless the daemon is ending, too.
func (s *server) leave() {
	cause := errLetGo
	if s.conn != nil {
		select {
		case <-s.conn.over:
			cause = errWithdrawn
		case <-time.After(parting):
		}
		_ = s.conn.Close()
	}
	s.endAll(cause)
}

func (s *server) endAll(cause error) {
	for _, a := range s.open {
		a.end(cause)
	}
}

// step tells the machine of an event and carries out its effects.
func (s *server) step(e codex.Event) {
	for _, effect := range s.Step(e) {
		switch effect := effect.(type) {
		case codex.Send:
			if s.conn != nil {
				s.conn.send(effect.Message)
			}
		case codex.Ask:
			s.ask(effect.Question)
		case codex.End:
			if a := s.open[effect.Key]; a != nil {
				a.end(causes[effect.Withdrawn])
			}
		case codex.Taken:
			if a := s.open[effect.Key]; a != nil {
				a.taken <- effect // once a question
			}
		case codex.Close:
			if s.conn != nil {
				s.conn.reason = effect.Err
				_ = s.conn.Close()
			}
		}
	}
	if s.conn != nil {
		s.conn.expect(s.Awaits())
	}
}

// ask puts a question to the person, in a goroutine of its own.
func (s *server) ask(q codex.Question) {
	ctx, end := context.WithCancelCause(context.Background())
	a := &asking{end: end, taken: make(chan codex.Taken, 1)}
	s.open[q.Key] = a
	s.work.Go(func() {
		defer end(nil)
		if err := s.put(ctx, q, a); err != nil && !errors.Is(err, bridge.ErrKept) {
			s.Warn(fmt.Errorf("a question of Codex's own: %w", err))
		}
		s.tell(func() {
			if s.open[q.Key] == a {
				delete(s.open, q.Key)
			}
		})
	})
}

func (s *server) put(ctx context.Context, q codex.Question, a *asking) error {
	b, question, err := s.Bridge(q.Cwd)
	if err != nil {
		return err
	}
	question.Dialect, question.Raw = q.Dialect, q.Raw
	question.Keep = func() bool { return context.Cause(ctx) == errLetGo }
	o := &question.Origin
	o.Agent, o.Cwd, o.Session, o.Start, o.Native = "codex", q.Cwd, q.Thread, time.Now(), spool.Beside
	if q.Async() {
		o.Native = spool.Queued
	}
	return b.Ask(ctx, question, func(e bridge.Envelope) error { return s.deliver(q, a, e) })
}

// deliver sends what the person said to Codex, and returns what Codex made of it.
func (s *server) deliver(q codex.Question, a *asking, e bridge.Envelope) error {
	said := codex.Said{Key: q.Key, Declined: e.Outcome == form.Cancelled}
	if e.Outcome == form.Answered || said.Declined {
		said.Answer = e.Details
	}
	if e.Outcome == form.Rejected || e.Outcome == form.Unavailable {
		s.Warn(fmt.Errorf("a question of Codex's own stays in Codex: %s", e.Text))
	}
	told := s.tell(func() {
		if s.open[q.Key] == a {
			s.step(said)
		} else { // Codex has asked the same again since
			a.taken <- codex.Taken{Err: codex.ErrOver}
		}
	})
	switch {
	case said.Answer == nil:
		return nil
	case !told:
		return bridge.ErrUncollected
	}
	select {
	case taken := <-a.taken:
		switch taken.Err {
		case codex.ErrOver:
			return bridge.ErrOutrun
		case codex.ErrCompare:
			return compare(q, taken.Sent)
		}
		return taken.Err
	case <-s.ended:
		return bridge.ErrUnconfirmed
	case <-time.After(silence):
		return bridge.ErrUnconfirmed
	}
}
