// Package mcp serves agents over the Model Context Protocol, on standard input and
// output, with tools that ask the person through package bridge.
//
// The rule that must hold here: an answer counts as delivered only when the result that
// carries it has been written to a client that still wants it; until then it stays in
// the spool.
package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/url"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/form"
)

// Config sets a server up.
type Config struct {
	Version string
	Tools   []string // to offer, as Chosen returns them; collect_answer is always there
	Agent   string   // who asks; empty: by what the client calls itself
	Cwd     string   // where the agent works, unless its client says otherwise
	// CallLimit bounds the client's wait for a call; 0 is for ever, and nil takes what
	// is known of the client.
	CallLimit *time.Duration
	// Elicit puts forms into the client's own dialog where it has one that can
	// hold them.
	Elicit  bool
	Prompts Prompts // none without a tool
	// Bridge returns the bridge for one question of an agent in the directory cwd, and
	// of the question Timeout, Keep for when its call is cancelled or its client has
	// gone, and in its Origin the asking process and session.
	Bridge func(cwd string, beat Beat) (b *bridge.Bridge, q bridge.Question, err error)
	Env    func(string) string // reads a variable of the environment
	// Warn tells the person of what went wrong beside the questions. It may be
	// called from several goroutines.
	Warn func(error)

	progressEvery time.Duration // progressInterval, but for tests
}

// Beat tells the client that a question has waited so long and still does. It
// fails where the client has not said that it wants to hear of progress.
type Beat = func(ctx context.Context, waited time.Duration) error

const (
	// A call that waits says so this often. Of the clients that we know, opencode waits
	// longer for one that does; the others take no notice.
	progressInterval = 10 * time.Second
	// The first question waits so long for the client to say where it works.
	rootsPatience = time.Second
)

type server struct {
	Config
	ctx  context.Context // of the askings: it ends when the client has gone
	work sync.WaitGroup

	mu      sync.Mutex
	askings map[*asking]bool
	handing map[string]handover        // by the entry's id: results on their way out
	given   map[string]bridge.Envelope // by the question's digest: answers that a silent client may have let drop

	rooted chan struct{} // closed when root is known, or will not be
	root   string        // the client's own directory; empty where it names none
}

// Serve serves the client at in and out until it goes away (nil) or ctx ends
// (its error). The questions that are open then are kept or withdrawn, and
// Serve returns when that is done.
func Serve(ctx context.Context, c Config, in io.ReadCloser, out io.Writer) error {
	if c.progressEvery == 0 {
		c.progressEvery = progressInterval
	}
	askings, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	s := &server{Config: c, ctx: askings, askings: map[*asking]bool{}, handing: map[string]handover{}, given: map[string]bridge.Envelope{}, rooted: make(chan struct{})}
	lib := sdk.NewServer(&sdk.Implementation{Name: "askpane", Title: "askpane", Version: c.Version}, &sdk.ServerOptions{
		Instructions:       "Its tools ask the person at this machine and wait for the answer.",
		Capabilities:       &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}},
		InitializedHandler: func(_ context.Context, r *sdk.InitializedRequest) { s.work.Go(func() { s.findRoot(r.Session) }) },
	})
	for _, name := range c.Tools {
		lib.AddTool(toolDefinition(name), s.ask(name))
	}
	if c.Prompts.Tool != "" {
		lib.AddTool(promptDefinition(c.Prompts.Tool), s.prompt)
	}
	lib.AddTool(collectDefinition(), s.collect)
	link, transport := newConn(in, out, s.written)
	session, err := lib.Connect(ctx, transport, nil)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = link.Close() }) // the session ends with its input
	defer stop()
	err = session.Wait()
	_ = link.Close()
	cancel()
	s.dropHandovers()
	s.work.Wait()
	return cmp.Or(ctx.Err(), err)
}

// findRoot asks the client where it works, if it can say so.
func (s *server) findRoot(session *sdk.ServerSession) {
	defer close(s.rooted)
	p := session.InitializeParams()
	//lint:ignore SA1019 as below
	if p == nil || p.Capabilities == nil || p.Capabilities.RootsV2 == nil {
		return
	}
	ctx, cancel := context.WithTimeout(s.ctx, rootsPatience)
	defer cancel()
	//lint:ignore SA1019 deprecated in 2026, and what today's clients have
	roots, err := session.ListRoots(ctx, nil)
	if err != nil {
		return
	}
	for _, r := range roots.Roots {
		if u, err := url.Parse(r.URI); err == nil && u.Scheme == "file" && u.Path != "" {
			s.root = u.Path
			return
		}
	}
}

// cwd returns the agent's directory.
func (s *server) cwd(ctx context.Context, protocol string) string {
	if protocol >= "2026-07-28" { // from then on there are no roots, and no initialized either
		return s.Cwd
	}
	select {
	case <-s.rooted:
		return cmp.Or(s.root, s.Cwd)
	case <-time.After(rootsPatience):
	case <-ctx.Done():
	}
	return s.Cwd
}

// register notes a result that is about to be written. The connection reports through
// written what became of it; a silent client may have given the call up.
func (s *server) register(h handover, silent bool) {
	if h.ID == "" || h.Outcome == bridge.Pending {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handing[h.ID] = h
	if silent && h.Recoverable {
		h.Given, h.Recovered = true, true
		s.given[h.digest] = h.Envelope
	}
}

// takeGiven takes the answer that was given to the same question and may have been let
// drop. It returns it once; and who asks something else has gone on without it.
func (s *server) takeGiven(digest string) (e bridge.Envelope, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e, ok = s.given[digest]; ok {
		delete(s.given, digest)
	} else {
		clear(s.given)
	}
	return e, ok
}

// written reports what became of a handover, which our own members of the result name.
func (s *server) written(result json.RawMessage, err error) {
	var r struct {
		Meta struct {
			ID      string       `json:"askpane/id"`
			Outcome form.Outcome `json:"askpane/outcome"`
		} `json:"_meta"`
	}
	if json.Unmarshal(result, &r) != nil || r.Meta.Outcome == bridge.Pending {
		return
	}
	s.mu.Lock()
	h, handing := s.handing[r.Meta.ID]
	delete(s.handing, r.Meta.ID)
	s.mu.Unlock()
	if handing {
		h.done(err)
	}
}

// dropHandovers fails the results that the library did not write any more.
func (s *server) dropHandovers() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range s.handing {
		h.done(errGivenUp)
	}
	clear(s.handing)
}
