package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"strings"
	"testing"

	"github.com/askpane/askpane/tests/must"
)

// wire is a client that writes its lines by hand.
type wire struct {
	*stage
	in  io.WriteCloser
	out *bufio.Reader
}

func (s *stage) wire() *wire {
	in, out, served := s.serve(context.Background())
	s.Cleanup(func() {
		in.Close()
		go io.Copy(io.Discard, out)
		if err := s.ends(served); err != nil {
			s.Errorf("Serve: %v", err)
		}
	})
	return &wire{stage: s, in: in, out: bufio.NewReader(out)}
}

type answered struct {
	ID     any
	Result json.RawMessage
	Error  struct {
		Code    int
		Message string
	}
}

// line writes lines and reads one.
func (w *wire) line(lines ...string) string {
	w.Helper()
	for _, l := range lines {
		if _, err := io.WriteString(w.in, l+"\n"); err != nil {
			w.Fatal(err)
		}
	}
	data, err := w.out.ReadString('\n')
	must.Do(w, err)
	return data
}

// says is line, for an answer.
func (w *wire) says(lines ...string) answered {
	w.Helper()
	data := w.line(lines...)
	var a answered
	if err := json.Unmarshal([]byte(data), &a); err != nil {
		w.Fatalf("%s: %v", data, err)
	}
	return a
}

const initialize = `{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"wire","version":"1"}}}`

// What is no request of the protocol's is answered, and the session goes on.
func TestBeforeInitialize(t *testing.T) {
	t.Parallel()
	w := newStage(t).wire()
	for _, c := range []struct {
		line string
		id   any
		code int
	}{
		{`{"jsonrpc":"2.0","id":"server-discover-probe-1","method":"server/discover","params":{}}`, "server-discover-probe-1", -32601},
		{`not JSON`, nil, -32700},
		{`{"id":9,"method":1}`, 9.0, -32600},
		{`[]`, nil, -32600},
		{"\n" + `{"jsonrpc":"2.0","id":11,"method":"ping"}`, 11.0, 0},
	} {
		if got := w.says(c.line); got.ID != c.id || got.Error.Code != c.code {
			t.Errorf("%.60s: %+v", c.line, got)
		}
	}
	if got := w.says(`{"jsonrpc":"2.0","id":8,"method":"tools/list"}`); got.ID != 8.0 || got.Error.Message == "" {
		t.Errorf("tools/list: %+v", got)
	}
	if got := w.says(initialize); got.ID != "i" || !strings.Contains(string(got.Result), `"name":"askpane"`) {
		t.Errorf("initialize: %+v", got)
	}
	if got := w.says(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, `{"jsonrpc":"2.0","id":1,"method":"bogus"}`); got.Error.Code != -32601 {
		t.Errorf("afterwards: %+v", got)
	}
}

// Each message of a list is answered, on a line of its own, and a list of none is no message.
func TestBatches(t *testing.T) {
	t.Parallel()
	w := newStage(t).wire()
	const ping = `{"jsonrpc":"2.0","id":%d,"method":"ping"}`
	batch := "[" + initialize + `,{"jsonrpc":"2.0","method":"notifications/initialized"},5,` + fmt.Sprintf(ping, 1) + "," + fmt.Sprintf(ping, 2) + "]"
	got := map[any]int{}
	for _, said := range []answered{w.says(batch), w.says(), w.says(), w.says()} {
		got[said.ID] = said.Error.Code
	}
	if want := map[any]int{"i": 0, nil: -32600, 1.0: 0, 2.0: 0}; !maps.Equal(got, want) {
		t.Errorf("answered %v, want %v", got, want)
	}
}

// A script pipes its requests in and reads on: what asks nobody is answered before the session ends
// with its input.
func TestPipedRequests(t *testing.T) {
	t.Parallel()
	const initialized, list = `{"jsonrpc":"2.0","method":"notifications/initialized"}`, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	s := newStage(t)
	for range 20 {
		in, out, served := s.serve(context.Background())
		go func() {
			_, _ = io.WriteString(in, initialize+"\n"+initialized+"\n"+list) // without an end of the line
			in.Close()
		}()
		said, err := io.ReadAll(out)
		if must.Do(t, err); strings.Count(string(said), "\n") != 2 || !strings.Contains(string(said), `"collect_answer"`) {
			t.Fatalf("said %s", said)
		}
		must.Do(t, s.ends(served))
	}
}

// An id comes back as it was sent; one that would not is refused.
func TestIDsComeBackAsTheyWere(t *testing.T) {
	t.Parallel()
	w := newStage(t).wire()
	w.says(initialize, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	for _, id := range []string{"1", "-7", "9007199254740991", `"1"`, `"1.5"`, `""`, `"é<>\n\"null\""`} {
		for _, method := range []string{"ping", "bogus"} {
			line := w.line(`{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `"}`)
			if !strings.Contains(line, `"id":`+id+`,`) {
				t.Errorf("%s: %s", id, line)
			}
		}
	}
	for id, answered := range map[string]string{"null": "null", "true": "null", "[1]": "null", `{"a":1}`: "null", "1.5": "1.5", "9007199254740993": "9007199254740993"} {
		line := w.line(`{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`)
		if !strings.Contains(line, `"id":`+answered+`,"error":{"code":-32600`) {
			t.Errorf("%s: %s", id, line)
		}
	}
}

// A result that only asks for input has no content, which is an empty list.
func TestInputRequiredHasContent(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.config.Elicit = true
	line := s.wire().line(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"question","arguments":` + store + `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}},"io.modelcontextprotocol/clientInfo":{"name":"wire","version":"1"}}}}`)
	if !strings.Contains(line, `"inputRequests":`) || strings.Contains(line, `"content":null`) {
		t.Error(line)
	}
}

// What is said of a line that is no message is for a person, who knows no Go.
func TestParseErrorsInPlainWords(t *testing.T) {
	t.Parallel()
	w := newStage(t).wire()
	for _, line := range []string{`[]`, `"x"`, `{"id":9,"method":1}`, `{"jsonrpc":"1.0","id":1,"method":"x"}`, `{"jsonrpc":"2.0","id":true,"method":"x"}`,
		`{"jsonrpc":"2.0"}`, `nonsense`, `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\x00"} {
		got := w.says(line)
		if got.Error.Code == 0 {
			t.Errorf("%s: it is accepted", line)
		}
		for _, word := range []string{"Go ", "jsonrpc2", "unmarshal", "float64", "map["} {
			if strings.Contains(got.Error.Message, word) {
				t.Errorf("%s: %q", line, got.Error.Message)
			}
		}
	}
}

// The result of a cancelled call is not sent, and its answer not delivered,
// also where the answer came first.
func TestCancelledCallGetsNoResult(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	w := s.wire()
	w.says(initialize)
	call := `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"question","arguments":` + store + `}}`
	fmt.Fprintf(w.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"+call+"\n", 1)
	id := s.pending(1)[0]
	fmt.Fprintln(w.in, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"test"}}`)
	s.until("its agent is gone", func() bool { return s.open(id).Status().AgentGone })
	s.answers(id)
	got := w.says(fmt.Sprintf(call, 2))
	if got.ID != 2.0 {
		t.Errorf("got %+v %s", got, got.Result)
	}
	for _, part := range []string{stored, `"Recovered: `, "when no call was waiting", `"askpane/recovered":true`, `"recovered":true`, `"answeredAt":"20`} {
		if !strings.Contains(string(got.Result), part) {
			t.Errorf("it does not say %s: %s", part, got.Result)
		}
	}
	s.delivered(id)
	// opencode cancels what it has been answered.
	got = w.says(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"question","arguments":{}}}`)
	if got.ID != 3.0 || !strings.Contains(string(got.Result), "No questions provided") {
		t.Errorf("got %+v %s", got, got.Result)
	}
}

// A client that does not read its result has not got the answer.
func TestResultNotWritten(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	toServer, fromClient := io.Pipe()
	broken := &brokenPipe{after: make(chan struct{}), first: make(chan struct{})}
	served := make(chan error, 1)
	go func() { served <- Serve(context.Background(), s.config, toServer, broken) }()
	fmt.Fprintln(fromClient, initialize)
	<-broken.first
	fmt.Fprintln(fromClient, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	fmt.Fprintln(fromClient, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"question","arguments":`+store+`}}`)
	id := s.pending(1)[0]
	close(broken.after)
	s.answers(id)
	s.until("the answer is left", func() bool { return s.open(id).Status().AgentGone })
	fromClient.Close()
	_ = s.ends(served) // with the write's error or none
	s.undelivered(id)
	s.is(s.connect("wire", nil).begin("question", store).result(), "answered", stored)
}

type brokenPipe struct {
	after, first chan struct{}
	wrote        bool
}

func (b *brokenPipe) Write(p []byte) (int, error) {
	select {
	case <-b.after:
		return 0, io.ErrClosedPipe
	default:
	}
	if !b.wrote {
		b.wrote = true
		close(b.first)
	}
	return len(p), nil
}
