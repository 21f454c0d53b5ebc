package mcp

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// conn stands between the client and the library's transport, which ends the whole session at the first line
// that is no message, sends results of calls that were cancelled, and does not tell whether one has been written.
type conn struct {
	in      io.Closer
	session *io.PipeWriter
	// written gets what became of each result: nil when it is with the client.
	written func(result json.RawMessage, err error)

	mu    sync.Mutex
	open  map[jsonrpc.ID]*jsonrpc.Request // the client's without a response; nil is cancelled
	ended error                           // of the input; nil as long as that goes on

	writing sync.Mutex
	out     io.Writer
}

var errGivenUp = errors.New("the call was cancelled, or its client has gone")

// newConn returns a conn, and the transport for the session behind it.
func newConn(in io.ReadCloser, out io.Writer, written func(json.RawMessage, error)) (*conn, sdk.Transport) {
	reader, session := io.Pipe()
	c := &conn{in: in, session: session, out: out, written: written, open: map[jsonrpc.ID]*jsonrpc.Request{}}
	// Its own goroutine: a read of standard input cannot be interrupted. It ends with that, or with the process.
	go c.scan(bufio.NewReader(in))
	return c, &sdk.IOTransport{Reader: reader, Writer: c, MaxLineLength: -1}
}

// Close ends the reading, and with it the session.
func (c *conn) Close() error {
	_ = c.session.Close()
	return c.in.Close()
}

// scan passes on what the lines say until the input ends.
func (c *conn) scan(in *bufio.Reader) {
	for {
		line, err := in.ReadBytes('\n')
		c.admit(bytes.TrimSpace(line))
		if err != nil {
			c.rest(err)
			time.AfterFunc(5*time.Second, func() { _ = c.session.CloseWithError(err) })
			return
		}
	}
}

// rest ends the session where the input has ended and all is answered, as to a script that has piped its
// requests in and reads on. Calls of tools are not waited for, since their answers might reach nobody.
func (c *conn) rest(ended error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = cmp.Or(c.ended, ended)
	waits := func(req *jsonrpc.Request) bool { return req != nil && req.Method != "tools/call" }
	if c.ended != nil && !slices.ContainsFunc(slices.Collect(maps.Values(c.open)), waits) {
		_ = c.session.CloseWithError(c.ended)
	}
}

// admit passes a message on, or each of a list, which clients of the protocol of
// 2025-03-26 may send, and answers what is neither.
func (c *conn) admit(line []byte) {
	var list []json.RawMessage
	switch {
	case len(line) == 0:
		return
	case !json.Valid(line):
		c.refuse("null", jsonrpc.CodeParseError, "this line is not JSON")
		return
	case json.Unmarshal(line, &list) == nil && len(list) > 0:
		for _, one := range list {
			c.admit(one)
		}
		return
	}
	var m struct{ ID, Method json.RawMessage }
	bad := json.Unmarshal(line, &m) != nil
	msg, err := jsonrpc.DecodeMessage(line)
	if bad || err != nil || m.Method != nil && m.ID != nil && !validID(m.ID) {
		id := "null"
		if len(m.ID) > 0 && strings.ContainsRune(`"-0123456789`, rune(m.ID[0])) {
			id = string(m.ID)
		}
		c.refuse(id, jsonrpc.CodeInvalidRequest,
			`this is no JSON-RPC message: it needs "jsonrpc":"2.0", a "method" and, unless it is a notification, an "id" that is a string or a whole number`)
		return
	}
	if req, isRequest := msg.(*jsonrpc.Request); isRequest {
		c.note(req)
	}
	_, _ = c.session.Write(append(line, '\n')) // it fails when the session is over, and then nobody waits
}

// validID reports whether the library would give the id back as it came.
func validID(raw json.RawMessage) bool {
	var id any
	_ = json.Unmarshal(raw, &id) // it is a part of what is JSON
	n, isNumber := id.(float64)
	_, isText := id.(string)
	return isText || isNumber && n == math.Trunc(n) && math.Abs(n) < 1<<53
}

// note keeps account of the calls that wait for a response, and of those that are cancelled.
func (c *conn) note(req *jsonrpc.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if req.IsCall() {
		c.open[req.ID] = req
		return
	}
	var p sdk.CancelledParams
	if req.Method != "notifications/cancelled" || json.Unmarshal(req.Params, &p) != nil {
		return
	}
	id, _ := jsonrpc.MakeID(p.RequestID) // what is no id is nobody's
	if _, waits := c.open[id]; waits {
		c.open[id] = nil
	}
}

func (c *conn) refuse(id string, code int64, message string) {
	text, _ := json.Marshal(message) // a string
	_, _ = c.send(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`+"\n", id, code, text))
}

// Write sends a message. It keeps back the response to a call that was cancelled, which the client ignores.
func (c *conn) Write(line []byte) (int, error) {
	msg, err := jsonrpc.DecodeMessage(line)
	resp, isResponse := msg.(*jsonrpc.Response)
	if err != nil || !isResponse {
		return c.send(line)
	}
	defer c.rest(nil)
	c.mu.Lock()
	req, waits := c.open[resp.ID]
	delete(c.open, resp.ID)
	c.mu.Unlock()
	if waits && req == nil {
		c.written(resp.Result, errGivenUp)
		return len(line), nil
	}
	n, err := c.send(line)
	c.written(resp.Result, err)
	return n, err
}

func (c *conn) send(line []byte) (int, error) {
	c.writing.Lock()
	defer c.writing.Unlock()
	return c.out.Write(line)
}
