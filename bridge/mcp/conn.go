package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxLine is the longest message taken: many times the longest request.
const maxLine = 16 << 20

// conn is the client's connection: one JSON document a line, both ways. It is
// not the library's own because that one ends the whole session at the first
// line that is no message, answers requests before initialize with an error
// that has no code, changes ids that are not integers, and does not tell whether
// a result has been written.
//
// To the library the id of a request is a string: the client's id as it came.
type conn struct {
	in  io.Closer
	out io.Writer
	// written is told what became of each result of a tool call: nil when it is
	// with the client.
	written func(result json.RawMessage, err error)
	lines   <-chan line

	mu          sync.Mutex
	open        map[jsonrpc.ID]bool // requests without a response; true: cancelled
	initialized bool
	writing     sync.Mutex
	once        sync.Once
	closed      chan struct{}
}

type line struct {
	data []byte
	err  error
}

var (
	errCancelled = errors.New("the call was cancelled")
	errClosed    = errors.New("the client's connection is closed")
	errTooLong   = fmt.Errorf("the message is longer than %d bytes", maxLine)
)

func newConn(in io.ReadCloser, out io.Writer, written func(json.RawMessage, error)) *conn {
	lines := make(chan line)
	c := &conn{in: in, out: out, written: written, lines: lines, open: map[jsonrpc.ID]bool{}, closed: make(chan struct{})}
	// Its own goroutine, since a read of standard input cannot be interrupted; it
	// ends with the input, or with the process.
	go c.scan(bufio.NewReader(in), lines)
	return c
}

// Connect makes the conn a transport of the library's.
func (c *conn) Connect(context.Context) (sdk.Connection, error) { return c, nil }

// SessionID is for connections over HTTP.
func (c *conn) SessionID() string { return "" }

// Close ends the reading, and with it the session.
func (c *conn) Close() error {
	var err error
	c.once.Do(func() { close(c.closed); err = c.in.Close() })
	return err
}

func (c *conn) scan(in *bufio.Reader, lines chan<- line) {
	for {
		var l line
		l.data, l.err = readLine(in)
		select {
		case lines <- l:
		case <-c.closed:
			return
		}
		if l.err != nil && !errors.Is(l.err, errTooLong) {
			return
		}
	}
}

// readLine reads a line; of one that is too long the rest is read and dropped.
func readLine(in *bufio.Reader) ([]byte, error) {
	var data []byte
	long := false
	for {
		part, err := in.ReadSlice('\n')
		if long = long || len(data)+len(part) > maxLine; !long {
			data = append(data, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err == io.EOF && len(data) > 0: // the last line has no end
			return data, nil
		case err != nil:
			return nil, err
		case long:
			return nil, errTooLong
		}
		return data, nil
	}
}

// Read returns the next message that is for the session.
func (c *conn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		var l line
		select {
		case l = <-c.lines:
		case <-c.closed:
			return nil, io.EOF
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		switch {
		case errors.Is(l.err, errTooLong):
			c.refuse("null", jsonrpc.CodeInvalidRequest, l.err.Error())
			continue
		case l.err != nil:
			return nil, l.err
		case len(bytes.TrimSpace(l.data)) == 0:
			continue
		}
		msg, err := decode(l.data)
		if err != nil {
			c.malformed(l.data)
			continue
		}
		if req, ok := msg.(*jsonrpc.Request); ok && !c.admit(req) {
			continue
		}
		return msg, nil
	}
}

// decode decodes a message; the id of a request becomes a string.
func decode(data []byte) (jsonrpc.Message, error) {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method json.RawMessage `json:"method"`
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, err
	}
	if m.Method != nil && string(m.ID) == "null" { // the library takes it for a notification
		return nil, errors.New("a request without an id")
	}
	msg, err := jsonrpc.DecodeMessage(data)
	if req, ok := msg.(*jsonrpc.Request); ok && req.IsCall() {
		req.ID, err = jsonrpc.MakeID(string(m.ID))
	}
	return msg, err
}

// encode encodes a message; the id of a response is as the request's came.
func encode(msg jsonrpc.Message) ([]byte, error) {
	data, err := jsonrpc.EncodeMessage(msg)
	resp, ok := msg.(*jsonrpc.Response)
	if err != nil || !ok {
		return data, err
	}
	var m struct {
		Version json.RawMessage `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  json.RawMessage `json:"result,omitempty"`
		Error   json.RawMessage `json:"error,omitempty"`
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, err
	}
	m.ID = json.RawMessage(clientID(resp.ID))
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false) // the id would not be as it came
	err = enc.Encode(m)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}

// clientID is an id as the client wrote it.
func clientID(id jsonrpc.ID) string {
	text, ok := id.Raw().(string)
	if !ok {
		return "null"
	}
	return text
}

// admit takes note of a request and reports whether it may go on. Before
// initialize it may not: Claude Code asks for server/discover first, and turns
// to initialize where that does not exist (docs/agents.md, What was measured).
func (c *conn) admit(req *jsonrpc.Request) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !req.IsCall() {
		return req.Method != "notifications/cancelled" || c.cancel(req)
	}
	if req.Method == "initialize" {
		c.initialized = true
	}
	if !c.initialized && req.Method != "ping" && !stateless(req) {
		code, message := int64(jsonrpc.CodeInvalidRequest), "before initialize"
		if !methods[req.Method] {
			code, message = jsonrpc.CodeMethodNotFound, "there is no such method"
		}
		go c.refuse(clientID(req.ID), code, fmt.Sprintf("%s: %q", message, req.Method))
		return false
	}
	c.open[req.ID] = false
	return true
}

// methods are the requests that a server with tools answers.
var methods = map[string]bool{"tools/list": true, "tools/call": true, "logging/setLevel": true}

// stateless reports whether a request is of a protocol that has no initialize
// (2026-07-28 and later): each of its requests says which it is.
func stateless(req *jsonrpc.Request) bool {
	var p struct {
		Meta struct {
			Version      string          `json:"io.modelcontextprotocol/protocolVersion"`
			Capabilities json.RawMessage `json:"io.modelcontextprotocol/clientCapabilities"`
		} `json:"_meta"`
	}
	return json.Unmarshal(req.Params, &p) == nil && p.Meta.Version >= "2026-07-28" && p.Meta.Capabilities != nil
}

// cancel takes note that the client does not want a response any more, and
// reports whether it still has one to come. opencode cancels what it has been
// answered; the library would apply that to a later request with the same id.
func (c *conn) cancel(req *jsonrpc.Request) bool {
	var p map[string]json.RawMessage
	if json.Unmarshal(req.Params, &p) != nil {
		return false
	}
	id, err := jsonrpc.MakeID(string(p["requestId"]))
	if _, waits := c.open[id]; err != nil || !waits {
		return false
	}
	c.open[id] = true
	p["requestId"], _ = json.Marshal(clientID(id)) // a string, as the library has it
	req.Params, err = json.Marshal(p)
	return err == nil
}

// malformed answers a line that is no message, with its id if it has one.
func (c *conn) malformed(data []byte) {
	if !json.Valid(data) {
		c.refuse("null", jsonrpc.CodeParseError, "this line is not JSON")
		return
	}
	id := "null"
	var m struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(data, &m) == nil && len(m.ID) > 0 && strings.ContainsRune(`"-0123456789`, rune(m.ID[0])) {
		id = string(m.ID)
	}
	c.refuse(id, jsonrpc.CodeInvalidRequest,
		`this line is no JSON-RPC message: it needs "jsonrpc":"2.0", a "method" and, unless it is a notification, an "id" that is a string or a number`)
}

func (c *conn) refuse(id string, code int64, message string) {
	text, _ := json.Marshal(message) // a string
	_ = c.send(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, id, code, text))
}

// Write sends a message. The response to a call that was cancelled is kept
// back: the client has said that it ignores it.
func (c *conn) Write(_ context.Context, msg jsonrpc.Message) error {
	resp, isResponse := msg.(*jsonrpc.Response)
	if isResponse {
		c.mu.Lock()
		cancelled := c.open[resp.ID]
		delete(c.open, resp.ID)
		c.mu.Unlock()
		if cancelled {
			c.written(resp.Result, errCancelled)
			return nil
		}
	}
	data, err := encode(msg)
	if err == nil {
		err = c.send(data)
	}
	if isResponse {
		c.written(resp.Result, err)
	}
	return err
}

func (c *conn) send(data []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err := c.out.Write(append(data, '\n'))
	return err
}
