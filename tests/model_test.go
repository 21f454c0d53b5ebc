package tests

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/askpane/askpane/tests/needs"
)

// model is a scripted model on the loopback interface, in the four wire shapes
// that agents speak. Whenever a request offers the tool that its script wants
// next, it calls it; it says "all done" when the script is over.
type model struct {
	t   testing.TB
	url string

	script []turn
	sub    []turn // of a sub-agent, which is not offered some tool of the script
	twice  bool   // the first two turns, which are equal, come in one message; Claude's alone

	mu       sync.Mutex
	requests []modelRequest
}

// turn is one tool call of the script: a tool of that name, which may have its
// server's in front, and its arguments, which may need what the calls before it have said.
type turn struct {
	tool string
	args func(results []string) string
}

// calls is a turn with arguments that are known.
func calls(tool, args string) turn { return turn{tool, func([]string) string { return args }} }

// once is the turn, taken only when ready is closed.
func (t turn) once(ready <-chan struct{}) turn {
	return turn{t.tool, func(results []string) string {
		select {
		case <-ready:
		case <-time.After(agentPatience): // the test has failed by now
		}
		return t.args(results)
	}}
}

// oneByOne has each of the turns but the first wait for a call of next.
func oneByOne(turns []turn) (next func()) {
	ready := make([]chan struct{}, len(turns))
	for i := 1; i < len(turns); i++ {
		ready[i] = make(chan struct{})
		turns[i] = turns[i].once(ready[i])
	}
	return func() {
		if ready = ready[1:]; len(ready) > 0 {
			close(ready[0])
		}
	}
}

// modelRequest is what a request of an agent says.
type modelRequest struct {
	path    string
	body    []byte
	offered []string // names of tools; of Codex, with its namespace in front
	results []string // of the tool calls so far, oldest first
	system  string
}

// tool is the name under which a tool is offered, empty if it is not.
func (r modelRequest) tool(name string) string {
	if slices.Contains(r.offered, name) {
		return name
	}
	for _, offered := range r.offered {
		if strings.HasSuffix(offered, name) { // mcp__askpane__ask_human
			return offered
		}
	}
	return ""
}

const modelSaysLast = "all done"

func newModel(t testing.TB, script ...turn) *model {
	t.Helper()
	m := &model{t: t, script: script}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	m.url = "http://" + listener.Addr().String()
	server := &http.Server{Handler: m}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(listener) // until Close
	}()
	t.Cleanup(func() {
		_ = server.Close()
		<-done
	})
	return m
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the agent has gone
	}
	path := r.URL.Path
	for _, wire := range wires {
		if r.Method != http.MethodPost || !strings.Contains(path, wire.path) {
			continue
		}
		if strings.Contains(strings.ToLower(path), "count") { // tokens
			fmt.Fprint(w, `{"input_tokens":10,"totalTokens":10}`)
			return
		}
		var doc map[string]any
		if err := json.Unmarshal(body, &doc); err != nil {
			http.Error(w, `{"error":{"message":"not JSON"}}`, http.StatusBadRequest)
			return
		}
		if strings.Contains(path, "streamGenerateContent") {
			doc["stream"] = true // the others say so in the document
		}
		req := wire.read(doc)
		req.path, req.body = path, body
		tool, args := m.next(req)
		doc["twice"] = m.twice && tool != "" && len(req.results) == 0
		wire.reply(w, doc, tool, args)
		return
	}
	// Everything else, registries of packages for one, is not there.
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusNotFound)
	fmt.Fprint(w, `{"error":{"message":"not found"}}`)
}

// next notes a request and is the tool to call, if any.
func (m *model) next(req modelRequest) (tool, args string) {
	m.mu.Lock()
	m.requests = append(m.requests, req)
	m.mu.Unlock() // the turn may take its time
	script := m.script
	if m.sub != nil && slices.ContainsFunc(script, func(t turn) bool { return req.tool(t.tool) == "" }) {
		script = m.sub
	}
	if n := len(req.results); n < len(script) {
		if name := req.tool(script[n].tool); name != "" {
			return name, script[n].args(req.results)
		}
	}
	return "", ""
}

// result waits for the n-th tool result, from 1.
func (m *model) result(n int) string {
	m.t.Helper()
	return m.carrying(n).results[n-1]
}

// first finds the first request with n tool results.
func (m *model) first(n int) (found modelRequest, there bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := slices.IndexFunc(m.requests, func(r modelRequest) bool { return len(r.results) >= n })
	if i < 0 {
		return found, false
	}
	return m.requests[i], true
}

// carrying waits for the first request with n tool results.
func (m *model) carrying(n int) (found modelRequest) {
	m.t.Helper()
	if !needs.Within(agentPatience, func() (there bool) {
		found, there = m.first(n)
		return there
	}) {
		m.t.Fatalf("the model never got tool result %d; it got\n%s", n, m.log())
	}
	return found
}

// offered waits for a request that offers a tool, and is that request.
func (m *model) offered(tool string) modelRequest {
	m.t.Helper()
	var found modelRequest
	if !needs.Within(agentPatience, func() bool {
		m.mu.Lock()
		defer m.mu.Unlock()
		for _, r := range m.requests {
			if r.tool(tool) != "" {
				found = r
				return true
			}
		}
		return false
	}) {
		m.t.Fatalf("the model was never offered %s; it got\n%s", tool, m.log())
	}
	return found
}

// count is how many requests have carried tool results.
func (m *model) count() (withResults int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range m.requests {
		if len(r.results) > 0 {
			withResults++
		}
	}
	return withResults
}

// said are all requests' bodies.
func (m *model) said() (bodies []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range m.requests {
		bodies = append(bodies, string(r.body))
	}
	return bodies
}

func (m *model) log() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var b strings.Builder
	for _, r := range m.requests {
		fmt.Fprintf(&b, "%s offers %q, results %q\n", r.path, r.offered, r.results)
	}
	return b.String()
}
