package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/settings"
	"github.com/askpane/askpane/tests/must"
)

// Most of these tests wait for the clock, and not for a processor.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

const raw = `{"questions":[{"id":"a","prompt":"A?","options":[{"value":"x","label":"Ex"}]}]}`

// patience is how long a test waits for something that should come at once.
const patience = 30 * time.Second

// stage is a real spool, and a host where each popup is a goroutine that works
// on the same spool.
type stage struct {
	*testing.T
	dir      string // the spool's
	spool    *spool.Spool
	bridge   Bridge
	settings settings.Loaded
	changed  chan struct{} // other settings count

	// These may be changed before anything is asked.
	viewer func() (host.Viewer, error)
	open   func(id string, v host.Viewer) (host.Opening, error)
	raise  func() // when alerts are raised

	mu     sync.Mutex
	opened int // popups
	looks  int // how often it was asked for a viewer
	warned []string
	alerts int // raised and not cleared
	raised int
	popups sync.WaitGroup
	ids    chan string // of each Open
}

var stageKind = host.Kind{Name: "stage"}

func (s *stage) Kind() *host.Kind        { return &stageKind }
func (s *stage) Asker() (string, string) { return "left", "" }
func (s *stage) Viewer(context.Context) (host.Viewer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.looks++
	return s.viewer()
}
func (s *stage) Open(_ context.Context, v host.Viewer, cmd host.Command) (host.Opening, error) {
	return s.open(cmd.Args[len(cmd.Args)-1], v)
}
func (s *stage) Ring(context.Context, func(string) int) error { return nil }
func (s *stage) Terminal(context.Context) (host.Terminal, error) {
	return host.Terminal{}, host.ErrNoViewer
}
func (s *stage) Now() (*settings.Loaded, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.settings
	return &now, s.changed
}

// set makes other settings count.
func (s *stage) set(change func(*settings.Settings)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.settings.Settings)
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *stage) Raise(host.Host, string, spool.Request) (clear func()) { return s.alert() }
func (s *stage) find(context.Context) (host.Host, error)               { return s, nil }

// borrowed is a stage on the asker's own terminal.
type borrowed struct{ *stage }

func (borrowed) Kind() *host.Kind { return &host.Kind{Name: "stage", Borrows: true} }

// popup is the host's side of one popup, and the popup.
type popup struct {
	*stage
	id        string
	viewer    string
	ended     chan struct{}
	once      sync.Once
	abandoned chan struct{}
	leave     sync.Once
	shown     chan struct{}
	seen      sync.Once
	redrawn   atomic.Int32  // how often the host was told that what it shows may be another
	released  chan struct{} // closed when the host looks after it no more
}

func (p *popup) Viewer() string { return p.viewer }
func (p *popup) Tend(ctx context.Context, _ string, changed <-chan struct{}) {
	p.seen.Do(func() { close(p.shown) })
	for {
		select {
		case <-changed:
			p.redrawn.Add(1)
		case <-ctx.Done():
			close(p.released)
			return
		}
	}
}
func (p *popup) Ended() <-chan struct{} { return p.ended }
func (p *popup) Err() error             { return nil }
func (p *popup) Abandon()               { p.leave.Do(func() { close(p.abandoned) }) }
func (p *popup) end()                   { p.once.Do(func() { close(p.ended) }) }

// newStage makes a stage on which popup number n (from 0) does what show says,
// each on a viewer of its own. show may be nil: then the viewer is busy and
// nothing comes up.
func newStage(t *testing.T, show func(n int, p *popup, e *spool.Entry)) *stage {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "spool")
	sp, err := spool.Open(dir)
	must.Do(t, err)
	s := &stage{T: t, dir: dir, spool: sp, ids: make(chan string, 100), changed: make(chan struct{}), raise: func() {}}
	t.Cleanup(func() { s.popups.Wait(); sp.Close() })
	s.settings.RecoverMinutes = int(openFor / time.Minute)
	s.settings.OpenMode = "popup"
	s.bridge = Bridge{Spool: sp, Popup: func() ([]string, error) { return []string{"popup"}, nil }, Size: func(spool.Request, host.Viewer) (size host.Size) { return size }, Settings: s.Now, Find: s.find, Lookout: new(Lookout), Raise: s.Raise, Warn: s.warn}
	viewers := 0
	s.viewer = func() (host.Viewer, error) {
		viewers++
		return host.Viewer{ID: fmt.Sprintf("viewer %p %d", s, viewers)}, nil
	}
	s.open = func(id string, v host.Viewer) (host.Opening, error) {
		p, n := s.opening(id, v)
		if show == nil {
			p.end() // as tmux does: status 0, and nothing was run
			return p, nil
		}
		s.popups.Go(func() {
			defer p.end()
			p.run(func(e *spool.Entry) { show(n, p, e) })
		})
		return p, nil
	}
	return s
}

// share makes a stage of one viewer, on which popup shows what it shows.
func (s *stage) share(show func(id string, p *popup, e *spool.Entry)) {
	s.viewer = func() (host.Viewer, error) { return host.Viewer{ID: "viewer"}, nil }
	s.open = func(id string, v host.Viewer) (host.Opening, error) {
		p, _ := s.opening(id, v)
		s.popups.Go(func() {
			defer p.end()
			p.run(func(e *spool.Entry) { show(id, p, e) })
		})
		return p, nil
	}
}

func (s *stage) opening(id string, v host.Viewer) (*popup, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := &popup{stage: s, id: id, viewer: v.ID, ended: make(chan struct{}), abandoned: make(chan struct{}), shown: make(chan struct{}), released: make(chan struct{})}
	s.opened++
	s.ids <- id
	return p, s.opened - 1
}

// run is the popup: it takes the seat and popup.lock, does its work and lets go.
func (p *popup) run(work func(*spool.Entry)) {
	leave, ok, err := p.spool.Queue("stage", p.Viewer()).TakeSeat()
	if !ok || err != nil {
		p.Errorf("popup: Sit = %v, %v", ok, err)
		return
	}
	defer leave()
	e, err := p.spool.Open(p.id)
	if err != nil {
		p.Errorf("popup: %v", err)
		return
	}
	defer e.Close()
	if p.take(e) {
		work(e)
	}
}

// take has the popup show the entry.
func (p *popup) take(e *spool.Entry) (ok bool) {
	ok, err := e.TakePopup()
	if ok && err == nil {
		err = e.Painted(p.Viewer(), "")
	}
	if !ok || err != nil {
		p.Errorf("popup: takes the entry: %v, %v", ok, err)
	}
	return ok && err == nil
}

// wait waits for a channel on behalf of a popup.
func (p *popup) wait(what string, c <-chan struct{}) {
	select {
	case <-c:
	case <-time.After(patience):
		p.Errorf("%s: nothing after %v", what, patience)
	}
}

func (s *stage) warn(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.warned = append(s.warned, err.Error())
}

func (s *stage) alert() func() {
	s.raise()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.alerts++
	s.raised++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.alerts--
	}
}

func (s *stage) opens() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opened
}

// ask asks and returns the one envelope.
func (s *stage) ask(ctx context.Context, q Question) Envelope {
	s.Helper()
	var got []Envelope
	err := s.bridge.Ask(ctx, q, func(e Envelope) error {
		got = append(got, e)
		return nil
	})
	if err != nil {
		s.Fatalf("Ask: %v", err)
	}
	if len(got) != 1 {
		s.Fatalf("%d envelopes: %+v", len(got), got)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.alerts != 0 {
		s.Errorf("%d alerts are not cleared", s.alerts)
	}
	return got[0]
}

// undelivered asks what no call gets the answer to, and returns Ask's error.
func (s *stage) undelivered(ctx context.Context, q Question) error {
	return s.bridge.Ask(ctx, q, func(e Envelope) error {
		s.Errorf("was delivered as %+v", e)
		return nil
	})
}

func question(timeout time.Duration) Question {
	return Question{Dialect: "question", Raw: []byte(raw), Timeout: timeout,
		Origin: spool.Origin{Agent: "test", PID: os.Getpid(), Start: time.Now()}}
}

// is checks an envelope's main points.
func (s *stage) is(e Envelope, o form.Outcome, text string, isError bool) {
	s.Helper()
	if e.Outcome != o || e.Text != text || e.IsError != isError || !json.Valid(e.Details) {
		s.Errorf("envelope %+v, want %s, %q, error %v", e, o, text, isError)
	}
}

// history is what the delivered entry id says.
func (s *stage) history(id string) form.Result {
	s.Helper()
	if waiting, answered, err := s.spool.Scan(); err != nil || len(waiting)+len(answered) != 0 {
		s.Errorf("still in the spool: %v, %v, %v", waiting, answered, err)
	}
	e, err := s.spool.Find(id)
	must.Do(s, err)
	defer e.Close()
	r, ok, err := e.Answer()
	if !ok || err != nil {
		s.Fatalf("no answer in the history: %v", err)
	}
	return r
}

func settle(p *popup, e *spool.Entry, r form.Result) {
	r.By, r.At = "popup", time.Now()
	if err := e.Settle(r); err != nil && !errors.Is(err, spool.ErrAnswered) {
		p.Errorf("Settle: %v", err)
	}
}

func (s *stage) warnings() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.warned)
}

var chosen = form.Result{Outcome: form.Answered, Answers: []form.Answer{form.Choose(0)}}
