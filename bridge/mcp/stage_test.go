package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/settings"
	"github.com/askpane/askpane/tests/must"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a test waits for something that should come at once.
const patience = 30 * time.Second

// stage is a real spool, and the server with the library's own client. Nobody
// is there to see a popup: the tests answer as askpane answer does.
type stage struct {
	*testing.T
	spool  *spool.Spool
	config Config
	keep   atomic.Bool     // the setting keepAfterCancel
	alert  func(beat Beat) // raises the alerts; may be nil

	mu     sync.Mutex
	warned []string
}

func newStage(t *testing.T) *stage {
	t.Helper()
	sp, err := spool.Open(filepath.Join(t.TempDir(), "spool"))
	must.Do(t, err)
	t.Cleanup(func() { sp.Close() })
	s := &stage{T: t, spool: sp}
	s.keep.Store(true)
	s.config = Config{
		Version: "test", Cwd: "/srv/shop", Env: func(string) string { return "" }, Warn: s.warn,
		Tools: dialect.Tools(), Bridge: func(_ string, beat Beat) (*bridge.Bridge, bridge.Question, error) {
			return &bridge.Bridge{Spool: sp, Settings: defaults{}.Now, Find: empty{}.find, Lookout: new(bridge.Lookout), Raise: alerts{s, beat}.Raise, Warn: s.warn},
				bridge.Question{Keep: s.keep.Load}, nil
		},
	}
	return s
}

// defaults are settings that nobody has changed.
type defaults struct{}

func (defaults) Now() (*settings.Loaded, <-chan struct{}) {
	return &settings.Loaded{Settings: settings.Settings{OpenMode: settings.OpenPopup, RecoverMinutes: 60, DebounceMs: 300, DangerCheckEnabled: true}}, nil
}

// alerts go to the test.
type alerts struct {
	stage *stage
	beat  Beat
}

func (a alerts) Raise(host.Host, string, spool.Request) (clear func()) {
	if a.stage.alert != nil {
		a.stage.alert(a.beat)
	}
	return func() {}
}

// empty is a host without a viewer.
type empty struct{}

func (e empty) find(context.Context) (host.Host, error)    { return e, nil }
func (empty) Kind() *host.Kind                             { return &host.Kind{Name: "stage"} }
func (empty) Asker() (words, ref string)                   { return "", "" }
func (empty) Viewer(context.Context) (host.Viewer, error)  { return host.Viewer{}, host.ErrNoViewer }
func (empty) Ring(context.Context, func(string) int) error { return nil }
func (empty) Terminal(context.Context) (host.Terminal, error) {
	return host.Terminal{}, host.ErrNoViewer
}
func (empty) Open(context.Context, host.Viewer, host.Command) (host.Opening, error) {
	return nil, host.ErrNoViewer
}

func (s *stage) warn(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.warned = append(s.warned, err.Error())
}

func (s *stage) warnings() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.warned)
}

// client is a session with a server of its own.
type client struct {
	*sdk.ClientSession
	*stage
	stop   context.CancelFunc // as SIGTERM does
	served chan error
	hangUp func() error // as a client does that just goes
	ended  atomic.Bool
}

// serve starts a server, and returns what a client of it writes to and reads.
func (s *stage) serve(ctx context.Context) (in io.WriteCloser, out io.ReadCloser, served chan error) {
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	served = make(chan error, 1)
	go func() {
		err := Serve(ctx, s.config, toServer, fromServer)
		fromServer.Close()
		served <- err
	}()
	return fromClient, toClient, served
}

// ends waits until a server has ended, and returns how.
func (s *stage) ends(served <-chan error) error {
	s.Helper()
	select {
	case err := <-served:
		return err
	case <-time.After(patience):
		s.Fatalf("the server has not ended after %v", patience)
		return nil
	}
}

// connect starts the server and its client. The client's name decides how long
// it waits.
func (s *stage) connect(name string, options *sdk.ClientOptions) *client {
	s.Helper()
	return s.connectAs(sdk.NewClient(&sdk.Implementation{Name: name, Version: "1"}, options), "2025-11-25")
}

// connectAs is connect with the protocol of that version.
func (s *stage) connectAs(as *sdk.Client, version string) *client {
	s.Helper()
	ctx, stop := context.WithCancel(context.Background())
	in, out, served := s.serve(ctx)
	c := &client{stage: s, stop: stop, served: served, hangUp: in.Close}
	var err error
	c.ClientSession, err = as.Connect(s.Context(), &sdk.IOTransport{Reader: out, Writer: in},
		&sdk.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() {
		if !c.ended.Load() {
			c.leave()
		}
	})
	return c
}

// leave ends the client, and sees the server end with it.
func (c *client) leave() {
	c.Helper()
	c.ended.Store(true)
	_ = c.hangUp()
	c.end(nil)
}

func (c *client) end(want error) {
	c.Helper()
	c.ended.Store(true)
	if err := c.ends(c.served); !errors.Is(err, want) {
		c.Errorf("Serve: %v, want %v", err, want)
	}
	c.stop()
}

// call calls a tool.
func (c *client) call(ctx context.Context, name, arguments string) (*sdk.CallToolResult, error) {
	return c.CallTool(ctx, &sdk.CallToolParams{Name: name, Arguments: json.RawMessage(arguments)})
}

// called is a call on its way.
type called struct {
	*client
	got    chan *sdk.CallToolResult
	cancel context.CancelFunc
}

func (c *client) begin(name, arguments string) *called {
	ctx, cancel := context.WithCancel(c.Context())
	d := &called{c, make(chan *sdk.CallToolResult, 1), cancel}
	go func() {
		defer close(d.got)
		if r, err := c.call(ctx, name, arguments); err == nil {
			d.got <- r
		} else if ctx.Err() == nil && !c.ended.Load() {
			c.Errorf("%s: %v", name, err)
		}
	}()
	return d
}

func (d *called) result() *sdk.CallToolResult {
	d.Helper()
	select {
	case r := <-d.got:
		if r == nil {
			d.Fatal("the call has no result")
		}
		return r
	case <-time.After(patience):
		d.Fatalf("no result after %v; warnings %q", patience, d.warnings())
	}
	return nil
}

// pending waits until n questions wait, and returns their ids.
func (s *stage) pending(n int) []string {
	s.Helper()
	var ids []string
	s.until("so many questions wait", func() bool {
		waiting, answered, err := s.spool.Scan()
		must.Do(s, err)
		ids = append(waiting, answered...)
		return len(ids) == n
	})
	return ids
}

func (s *stage) until(what string, done func() bool) {
	s.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for late := time.After(patience); !done(); {
		select {
		case <-tick.C:
		case <-late:
			s.Fatalf("gave up waiting until %s; warnings %q", what, s.warnings())
		}
	}
}

func (s *stage) open(id string) *spool.Entry {
	s.Helper()
	e, err := s.spool.Open(id)
	must.Do(s, err)
	s.Cleanup(func() { e.Close() })
	return e
}

// answers answers a question with its first option each.
func (s *stage) answers(id string) {
	s.Helper()
	e := s.open(id)
	req, err := e.Request()
	must.Do(s, err)
	r := form.Result{Outcome: form.Answered, By: form.ByAnswer, At: time.Now()}
	for _, q := range req.Form.Questions {
		if len(q.Options) > 0 {
			r.Answers = append(r.Answers, form.Choose(0))
		} else {
			r.Answers = append(r.Answers, form.Type("typed"))
		}
	}
	must.Do(s, e.Settle(r))
}

func textOf(r *sdk.CallToolResult) string {
	var lines []string
	for _, c := range r.Content {
		lines = append(lines, c.(*sdk.TextContent).Text)
	}
	return strings.Join(lines, "\n")
}

func details(t *testing.T, r *sdk.CallToolResult) string {
	t.Helper()
	data, err := json.Marshal(r.StructuredContent)
	must.Do(t, err)
	return string(data)
}

// is checks a result's first text and how it came.
func (s *stage) is(r *sdk.CallToolResult, outcome form.Outcome, first string) {
	s.Helper()
	if got, _, _ := strings.Cut(textOf(r), "\n"); got != first || r.Meta["askpane/outcome"] != string(outcome) {
		s.Errorf("%v %q, want %s %q", r.Meta, textOf(r), outcome, first)
	}
}

const (
	store  = `{"questions":[{"id":"a","label":"Store","prompt":"Where?","options":[{"value":"pg","label":"Postgres"},{"value":"r","label":"Redis"}]}]}`
	stored = "Store: user selected: 1. Postgres"
)

// settled is the history's answer, once it is there.
func (s *stage) delivered(id string) form.Result {
	s.Helper()
	var r form.Result
	s.until("the entry is in the history", func() bool {
		e, err := s.spool.Find(id)
		if err != nil {
			return false
		}
		defer e.Close()
		var ok bool
		r, ok, err = e.Answer()
		return ok && err == nil
	})
	return r
}

// undelivered checks that the entry is in the spool with its answer.
func (s *stage) undelivered(id string) {
	s.Helper()
	if e := s.open(id); e.Status().State() != "answered" {
		s.Errorf("its state is %q", e.Status().State())
	}
}
