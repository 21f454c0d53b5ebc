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
type conn struct {
	in  io.Closer
	out io.Writer
	// written is told what became of each result of a tool call: nil when it is
	// with the client.
	written  func(result json.RawMessage, err error)
	messages chan jsonrpc.Message // closed when there are no more, because of ended
	ended    error

	mu          sync.Mutex
	number      float64                 // of the latest request
	open        map[jsonrpc.ID]*request // those without a response
	initialized bool

	writing sync.Mutex
	once    sync.Once
	closed  chan struct{}
}

// request is one that the client waits for. To the library its id is a number of
// ours.
type request struct {
	id        string // as the client wrote it
	cancelled bool
}

var (
	errCancelled = errors.New("the call was cancelled")
	errClosed    = errors.New("the client's connection is closed")
	errTooLong   = fmt.Errorf("the message is longer than %d bytes", maxLine)
)

func newConn(in io.ReadCloser, out io.Writer, written func(json.RawMessage, error)) *conn {
	c := &conn{in: in, out: out, written: written, messages: make(chan jsonrpc.Message), open: map[jsonrpc.ID]*request{}, closed: make(chan struct{})}
	// Its own goroutine, since a read of standard input cannot be interrupted; it
	// ends with the input, or with the process.
	go c.scan(bufio.NewReader(in))
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

// Read returns the next message that is for the session.
func (c *conn) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case msg, more := <-c.messages:
		if !more {
			return nil, c.ended
		}
		return msg, nil
	case <-c.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// scan passes on the messages that are for the session, and answers the lines
// that are none.
func (c *conn) scan(in *bufio.Reader) {
	defer close(c.messages)
	for {
		data, err := readLine(in)
		switch {
		case errors.Is(err, errTooLong):
			c.refuse("null", jsonrpc.CodeInvalidRequest, err.Error())
			continue
		case err != nil:
			c.ended = err
			return
		case len(bytes.TrimSpace(data)) == 0:
			continue
		}
		msg, ok := c.admit(data)
		if !ok {
			continue
		}
		select {
		case c.messages <- msg:
		case <-c.closed:
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

// admit decodes a message and reports whether it may go on; what may not has been
// answered.
func (c *conn) admit(data []byte) (jsonrpc.Message, bool) {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method json.RawMessage `json:"method"`
	}
	if !json.Valid(data) {
		c.refuse("null", jsonrpc.CodeParseError, "this line is not JSON")
		return nil, false
	}
	bad := json.Unmarshal(data, &m) != nil
	msg, err := jsonrpc.DecodeMessage(data)
	if bad || err != nil || m.Method != nil && string(m.ID) == "null" { // which the library takes for a notification
		id := "null"
		if len(m.ID) > 0 && strings.ContainsRune(`"-0123456789`, rune(m.ID[0])) {
			id = string(m.ID)
		}
		c.refuse(id, jsonrpc.CodeInvalidRequest,
			`this line is no JSON-RPC message: it needs "jsonrpc":"2.0", a "method" and, unless it is a notification, an "id" that is a string or a number`)
		return nil, false
	}
	req, isRequest := msg.(*jsonrpc.Request)
	switch {
	case !isRequest:
		return msg, true
	case req.IsCall():
		return msg, c.begin(req, string(m.ID))
	}
	return msg, req.Method != "notifications/cancelled" || c.cancel(req)
}

// begin takes note of a request and reports whether it may go on. Before
// initialize it may not: Claude Code asks for server/discover first, and turns
// to initialize where that does not exist (docs/agents.md, What was measured).
func (c *conn) begin(req *jsonrpc.Request, id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.initialized = c.initialized || req.Method == "initialize"
	if !c.initialized && req.Method != "ping" && !stateless(req) {
		code, message := int64(jsonrpc.CodeInvalidRequest), "before initialize"
		if !methods[req.Method] {
			code, message = jsonrpc.CodeMethodNotFound, "there is no such method"
		}
		go c.refuse(id, code, fmt.Sprintf("%s: %q", message, req.Method))
		return false
	}
	c.number++
	req.ID, _ = jsonrpc.MakeID(c.number) // a number always is one
	c.open[req.ID] = &request{id: id}
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
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, waits := range c.open {
		if waits.id == string(p["requestId"]) {
			waits.cancelled = true
			var err error
			p["requestId"], _ = json.Marshal(id.Raw()) // a number
			req.Params, err = json.Marshal(p)
			return err == nil
		}
	}
	return false
}

func (c *conn) refuse(id string, code int64, message string) {
	text, _ := json.Marshal(message) // a string
	_ = c.send(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, id, code, text))
}

// Write sends a message. The response to a call that was cancelled is kept
// back: the client has said that it ignores it.
func (c *conn) Write(_ context.Context, msg jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(msg)
	resp, isResponse := msg.(*jsonrpc.Response)
	if !isResponse {
		if err == nil {
			err = c.send(data)
		}
		return err
	}
	c.mu.Lock()
	answered := c.open[resp.ID]
	delete(c.open, resp.ID)
	c.mu.Unlock()
	switch {
	case answered != nil && answered.cancelled:
		c.written(resp.Result, errCancelled)
		return nil
	case answered != nil && err == nil: // the id is the first member of that name
		ours := fmt.Appendf(nil, `"id":%d`, resp.ID.Raw())
		data = bytes.Replace(data, ours, []byte(`"id":`+answered.id), 1)
	}
	if err == nil {
		err = c.send(data)
	}
	c.written(resp.Result, err)
	return err
}

func (c *conn) send(data []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err := c.out.Write(append(data, '\n'))
	return err
}
