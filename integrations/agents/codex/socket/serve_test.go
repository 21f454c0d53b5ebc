package socket

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/integrations/adapter"
	"github.com/askpane/askpane/integrations/agents/codex"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/settings"
	"github.com/askpane/askpane/tests/must"
	"github.com/askpane/askpane/tests/needs"
)

// daemon plays Codex's: one thread T in the directory /shop, which has a question open.
type daemon struct {
	t       *testing.T
	home    string
	rollout string
	says    string // in place of all answers
	wants   string // to be allowed, in place of the question
	got     chan string

	mu    sync.Mutex
	conns []*websocket.Conn
}

func newDaemon(t *testing.T) *daemon {
	t.Helper()
	t.Parallel()
	home, err := os.MkdirTemp("", "codex") // a socket's path must be short
	must.Do(t, err)
	t.Cleanup(func() { os.RemoveAll(home) })
	d := &daemon{t: t, home: home, rollout: filepath.Join(home, "rollout.jsonl"), got: make(chan string, 100)}
	must.Do(t, os.WriteFile(d.rollout, []byte("{}\n"), 0o600))
	must.Do(t, os.Mkdir(filepath.Join(home, "app-server-control"), 0o700))
	l, err := net.Listen("unix", filepath.Join(home, "app-server-control", "app-server-control.sock"))
	must.Do(t, err)
	server := &http.Server{Handler: d}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { server.Close(); d.gone() })
	return d
}

const (
	request  = `{"id":0,"method":"item/tool/requestUserInput","params":{"threadId":"T","itemId":"call_0","questions":[{"id":"db","header":"DB","question":"Which database?","isOther":true,"isSecret":false,"options":[{"label":"Postgres","description":"big"},{"label":"SQLite","description":"small"}]}]}}`
	resolved = `{"method":"serverRequest/resolved","params":{"threadId":"T","requestId":0}}`
)

func (d *daemon) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	conn, err := new(websocket.Upgrader).Upgrade(w, r, nil)
	if err != nil {
		return
	}
	d.mu.Lock()
	d.conns = append(d.conns, conn)
	d.mu.Unlock()
	for {
		var m struct {
			ID     json.RawMessage
			Method string
			Result json.RawMessage
		}
		if conn.ReadJSON(&m) != nil {
			return
		}
		switch {
		case d.says != "":
			d.tell(d.says)
		case m.Method == "":
			d.got <- string(m.Result)
		case m.ID != nil:
			d.tell(fmt.Sprintf(`{"id":%s,"result":%s}`, m.ID, d.result(m.Method)))
		}
		if m.Method == "thread/resume" && d.wants != "" {
			d.tell(d.wants)
		} else if m.Method == "thread/resume" {
			d.tell(request)
		}
	}
}

func (d *daemon) result(method string) string {
	thread := fmt.Sprintf(`{"id":"T","cwd":%q,"path":%q,"status":{"type":"active"}}`, d.home, d.rollout)
	switch method {
	case "initialize":
		return `{"codexHome":"/h"}`
	case "thread/loaded/list":
		return `{"data":["T"]}`
	case "thread/read":
		return `{"thread":` + thread + `}`
	case "config/read":
		return `{"config":{"mcp_servers":{"askpane":{"args":["mcp","--permissions"]}}}}`
	case "thread/resume":
		return `{"thread":` + thread + `,"initialTurnsPage":{"data":[]}}`
	}
	return `{}`
}

// tell sends a message to whoever is connected.
func (d *daemon) tell(text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range d.conns {
		_ = c.WriteMessage(websocket.TextMessage, []byte(text))
	}
}

// gone ends all connections.
func (d *daemon) gone() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range d.conns {
		c.Close()
	}
	d.conns = nil
}

// ends tells that the question is over, and keeps the answer that the model got.
func (d *daemon) ends(answer string) {
	d.t.Helper()
	f, err := os.OpenFile(d.rollout, os.O_APPEND|os.O_WRONLY, 0o600)
	must.Do(d.t, err)
	line, _ := json.Marshal(map[string]any{"type": "response_item", "payload": map[string]any{"type": "function_call_output", "call_id": "call_0",
		"output": `{"answers":{"db":{"answers":["` + answer + `"]}}}`}})
	_, err = f.Write(append(line, '\n'))
	must.Do(d.t, err)
	must.Do(d.t, f.Close())
	d.tell(resolved)
}

// served is a process that serves the daemon, or waits to.
type served struct {
	*daemon
	spool *spool.Spool
	stop  func()

	mu     sync.Mutex
	warned []string
}

// serve begins to serve the daemon for the spool in state.
func (d *daemon) serve(state string, pid int) *served {
	d.t.Helper()
	sp, err := spool.Open(filepath.Join(state, "spool"))
	must.Do(d.t, err)
	s := &served{daemon: d, spool: sp}
	ctx, cancel := context.WithCancel(d.t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		Serve(ctx, Config{Place: codex.PlaceOf(state, d.home, pid), Version: "1", Warn: s.warn,
			Bridge: func(string) (*bridge.Bridge, bridge.Question, error) {
				b := &bridge.Bridge{Spool: sp, Settings: settings.Follow(state).Now, Lookout: new(bridge.Lookout), Raise: quiet{}.Raise, Warn: s.warn,
					Find: func(context.Context) (host.Host, error) { return nowhere{}, nil }}
				return b, bridge.Question{Origin: spool.Origin{PID: os.Getpid()}}, nil
			}})
	}()
	s.stop = func() { cancel(); <-ended }
	d.t.Cleanup(func() { s.stop(); sp.Close() })
	return s
}

func (s *served) warn(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.warned = append(s.warned, err.Error())
}

func (s *served) warnings() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.warned)
}

type quiet struct{}

func (quiet) Raise(host.Host, string, spool.Request) func() { return func() {} }

// nowhere is a host on which nothing opens: the question waits.
type nowhere struct{ adapter.Paneless }

func (nowhere) Kind() *host.Kind                            { return &host.Kind{Name: "page", NoPopup: true} }
func (nowhere) Viewer(context.Context) (host.Viewer, error) { return host.Viewer{ID: "somebody"}, nil }
func (nowhere) Open(context.Context, host.Viewer, host.Command) (host.Opening, error) {
	return nil, host.ErrNoViewer
}

// eventually waits for what happens in another goroutine.
func eventually(t *testing.T, what string, happened func() bool) {
	t.Helper()
	if !needs.Within(20*time.Second, happened) {
		t.Fatalf("it never happened: %s", what)
	}
}

// asks waits for the question, and is its id.
func (s *served) asks() (id string) {
	s.t.Helper()
	eventually(s.t, "the question waits", func() bool {
		waiting, _, _ := s.spool.Scan()
		if len(waiting) == 1 {
			id = waiting[0]
		}
		return id != ""
	})
	return id
}

// answers answers a question with its second option.
func (s *served) answers(id string) {
	s.t.Helper()
	e, err := s.spool.Open(id)
	must.Do(s.t, err)
	defer e.Close()
	must.Do(s.t, e.Settle(form.Result{Outcome: form.Answered, By: form.ByPage, At: time.Now(), Answers: []form.Answer{form.Choose(1)}}))
}

// record waits until a question is in the history.
func (s *served) record(id string) (r spool.Record) {
	s.t.Helper()
	eventually(s.t, "the question is over", func() bool {
		e, err := s.spool.Find(id)
		if err != nil {
			return false
		}
		defer e.Close()
		r, err = e.Record()
		return err == nil && r.Status.Delivered
	})
	return r
}

const reply = `{"answers":{"db":{"answers":["SQLite"]}}}`

// Ours goes to Codex; the thread's file says whose it took.
func TestOursFirst(t *testing.T) {
	for kept, want := range map[string]form.Outcome{"SQLite": form.Answered, "Postgres": form.Elsewhere} {
		t.Run(kept, func(t *testing.T) {
			s := newDaemon(t).serve(t.TempDir(), os.Getpid())
			id := s.asks()
			s.answers(id)
			if got := <-s.got; got != reply {
				t.Errorf("Codex got %s", got)
			}
			s.ends(kept)
			if r := s.record(id); r.Result.Outcome != want || r.Request.Origin.Native != spool.Beside || r.Request.Origin.Agent != "codex" || r.Request.Origin.Session != "T" {
				t.Errorf("the history says %+v of %+v", r.Result, r.Request.Origin)
			}
		})
	}
}

// A denial goes to Codex; how the item ends says whose decision it took.
func TestPermission(t *testing.T) {
	for status, want := range map[string]form.Outcome{"declined": form.Answered, "completed": form.Elsewhere} {
		t.Run(status, func(t *testing.T) {
			d := newDaemon(t)
			d.wants = `{"id":0,"method":"item/commandExecution/requestApproval","params":{"kind":"command","threadId":"T","itemId":"call_0","environmentId":"local","command":"ls","cwd":"/","availableDecisions":["accept"]}}`
			s := d.serve(t.TempDir(), os.Getpid())
			id := s.asks()
			s.answers(id)
			if got := <-s.got; got != `{"decision":"decline"}` {
				t.Errorf("Codex got %s", got)
			}
			s.tell(resolved)
			s.tell(`{"method":"item/completed","params":{"threadId":"T","item":{"type":"commandExecution","id":"call_0","status":"` + status + `"}}}`)
			if r := s.record(id); r.Result.Outcome != want || r.Unconfirmed || r.Request.Form.Subject() == nil {
				t.Errorf("the history says %+v of %+v", r.Result, r.Request.Form)
			}
		})
	}
}

// An answer in Codex ends ours.
func TestItsOwnFirst(t *testing.T) {
	s := newDaemon(t).serve(t.TempDir(), os.Getpid())
	id := s.asks()
	s.ends("Postgres")
	if r := s.record(id); r.Result.Outcome != form.Elsewhere {
		t.Errorf("the history says %+v", r.Result)
	}
	if len(s.got) != 0 {
		t.Errorf("Codex got %s", <-s.got)
	}
}

// A request that comes again has a form of its own, which the end of the one before leaves alone.
func TestAskedAgain(t *testing.T) {
	s := newDaemon(t).serve(t.TempDir(), os.Getpid())
	first := s.asks()
	s.tell(resolved)
	s.tell(request)
	s.record(first)
	again := s.asks()
	s.ends("Postgres")
	if r := s.record(again); r.Result.Outcome != form.Elsewhere {
		t.Errorf("the history says %+v", r.Result)
	}
}

// The next process takes over what the one before had asked.
func TestTakesOver(t *testing.T) {
	d, state := newDaemon(t), t.TempDir()
	one := d.serve(state, os.Getpid())
	id := one.asks()
	e, err := one.spool.Open(id)
	must.Do(t, err)
	defer e.Close()
	eventually(t, "the first waits for a viewer", func() bool { return e.Status().Unattended })
	two := d.serve(state, os.Getpid())
	one.stop()
	must.Do(t, e.SetUnattended(false))
	// Before it waits, an answer would be that of the call that has gone.
	eventually(t, "the next waits for a viewer", func() bool { return e.Status().Unattended })
	if again := two.asks(); again != id {
		t.Fatalf("%s was asked, and %s before", again, id)
	}
	two.answers(id)
	if got := <-d.got; got != reply {
		t.Errorf("Codex got %s", got)
	}
}

// With the daemon its questions are gone.
func TestDaemonEnds(t *testing.T) {
	s := newDaemon(t).serve(t.TempDir(), os.Getpid())
	id := s.asks()
	s.gone()
	if r := s.record(id); r.Result.Outcome != form.Aborted {
		t.Errorf("the history says %+v", r.Result)
	}
	if w := s.warnings(); len(w) != 1 {
		t.Errorf("it says %q", w)
	}
}

// A socket that is not that of the daemon which started us is left alone, with one line.
func TestStrangers(t *testing.T) {
	for name, c := range map[string]struct {
		says string
		pid  int
		want string
	}{
		"another process":  {"", 1, "listens there"},
		"no JSON":          {"hello", os.Getpid(), "was closed"},
		"another protocol": {`{"id":1,"result":{"hello":true}}`, os.Getpid(), codex.ErrStranger.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDaemon(t)
			d.says = c.says
			s := d.serve(t.TempDir(), c.pid)
			eventually(t, "it says so", func() bool { return len(s.warnings()) > 0 })
			if w := s.warnings(); len(w) != 1 || !strings.Contains(w[0], c.want) {
				t.Errorf("it says %q", w)
			}
			if waiting, _, _ := s.spool.Scan(); len(waiting) > 0 {
				t.Errorf("it asks %q", waiting)
			}
		})
	}
}
