package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
)

// wire is a client that writes its lines by hand.
type wire struct {
	*stage
	in     io.WriteCloser
	out    *bufio.Reader
	served chan error
}

func (s *stage) wire() *wire {
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	w := &wire{stage: s, in: fromClient, out: bufio.NewReader(toClient), served: make(chan error, 1)}
	go func() {
		err := Serve(context.Background(), s.config, toServer, fromServer)
		fromServer.Close()
		w.served <- err
	}()
	s.Cleanup(func() {
		fromClient.Close()
		go io.Copy(io.Discard, toClient)
		select {
		case err := <-w.served:
			if err != nil {
				s.Errorf("Serve: %v", err)
			}
		case <-time.After(patience):
			s.Error("the server has not ended")
		}
	})
	return w
}

type answered struct {
	ID     any
	Result json.RawMessage
	Error  struct {
		Code    int
		Message string
	}
}

// says writes lines and reads one answer.
func (w *wire) says(lines ...string) answered {
	w.Helper()
	for _, l := range lines {
		if _, err := io.WriteString(w.in, l+"\n"); err != nil {
			w.Fatal(err)
		}
	}
	data, err := w.out.ReadBytes('\n')
	if err != nil {
		w.Fatal(err)
	}
	var a answered
	if err := json.Unmarshal(data, &a); err != nil {
		w.Fatalf("%s: %v", data, err)
	}
	return a
}

const initialize = `{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"wire","version":"1"}}}`

// What is no request of the protocol's is answered, and the session goes on.
func TestBeforeInitialize(t *testing.T) {
	w := newStage(t).wire()
	for _, c := range []struct {
		line string
		id   any
		code int
	}{
		{`{"jsonrpc":"2.0","id":"server-discover-probe-1","method":"server/discover","params":{}}`, "server-discover-probe-1", -32601},
		{`{"jsonrpc":"2.0","id":7,"method":"bogus"}`, 7.0, -32601},
		{`{"jsonrpc":"2.0","id":8,"method":"tools/list"}`, 8.0, -32600},
		{`not JSON`, nil, -32700},
		{`{"id":9,"method":1}`, 9.0, -32600},
		{`[]`, nil, -32600},
		{`{"jsonrpc":"2.0","id":10,"method":"x","params":"` + strings.Repeat("y", maxLine) + `"}`, nil, -32600},
		{"\n" + `{"jsonrpc":"2.0","id":11,"method":"ping"}`, 11.0, 0},
	} {
		if got := w.says(c.line); got.ID != c.id || got.Error.Code != c.code {
			t.Errorf("%.60s: %+v", c.line, got)
		}
	}
	if got := w.says(initialize); got.ID != "i" || !strings.Contains(string(got.Result), `"name":"askpane"`) {
		t.Errorf("initialize: %+v", got)
	}
	if got := w.says(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, `{"jsonrpc":"2.0","id":1,"method":"bogus"}`); got.Error.Code != -32601 {
		t.Errorf("afterwards: %+v", got)
	}
}

// The result of a cancelled call is not sent, and its answer not delivered,
// also where the answer came first.
func TestCancelledCallGetsNoResult(t *testing.T) {
	s := newStage(t)
	w := s.wire()
	w.says(initialize)
	call := `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"question","arguments":` + store + `}}`
	fmt.Fprintf(w.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"+call+"\n", 1)
	id := s.pending(1)[0]
	fmt.Fprintln(w.in, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"test"}}`)
	s.until("its agent is gone", func() bool { return !s.open(id).Waits() })
	s.answers(id)
	got := w.says(fmt.Sprintf(call, 2))
	if got.ID != 2.0 || !strings.Contains(string(got.Result), `"askpane/recovered":true`) {
		t.Errorf("got %+v %s", got, got.Result)
	}
	s.delivered(id)
	// opencode cancels what it has been answered; the id may come again.
	got = w.says(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"question","arguments":{}}}`)
	if got.ID != 2.0 || !strings.Contains(string(got.Result), "No questions provided") {
		t.Errorf("got %+v %s", got, got.Result)
	}
}

// A client that does not read its result has not got the answer.
func TestResultNotWritten(t *testing.T) {
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
	s.until("the answer is left", func() bool { return !s.open(id).Waits() })
	fromClient.Close()
	select {
	case <-served: // with the write's error or none
	case <-time.After(patience):
		t.Fatal("the server has not ended")
	}
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
