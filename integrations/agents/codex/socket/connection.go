package socket

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"time"

	"github.com/gorilla/websocket"

	"github.com/askpane/askpane/integrations/agents/codex"
	"github.com/askpane/askpane/integrations/process"
)

const (
	// connecting bounds the opening of a connection, which takes a few milliseconds.
	connecting = 5 * time.Second
	// largest bounds a message, in bytes; the daemon's own limit is the same.
	largest = 64 << 20
)

// connection is one to the daemon. Its owner sends, and reads in another goroutine.
type connection struct {
	*websocket.Conn
	since  time.Time
	over   chan struct{} // closed when it has ended
	reason error         // why we have ended it; nil where we have not
}

// dial connects to the daemon that has started this process, and to no other.
func dial(p codex.Place) (*connection, error) {
	path, err := filepath.EvalSymlinks(p.Socket)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), connecting)
	defer cancel()
	d := websocket.Dialer{HandshakeTimeout: connecting, NetDialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, "unix", path)
		if err != nil {
			return nil, err
		}
		if pid, _, err := process.Peer(conn.(*net.UnixConn)); err != nil || pid != p.Daemon {
			conn.Close()
			return nil, fmt.Errorf("process %d listens there, and %d has started this one, %v", pid, p.Daemon, err)
		}
		return conn, nil
	}}
	socket, _, err := d.DialContext(ctx, "ws://localhost/", nil)
	if err != nil {
		return nil, err
	}
	socket.SetReadLimit(largest)
	return &connection{Conn: socket, since: time.Now(), over: make(chan struct{})}, nil
}

// expect bounds the daemon's silence where it has something to answer.
func (c *connection) expect(answer bool) {
	var until time.Time
	if answer {
		until = time.Now().Add(silence)
	}
	_ = c.SetReadDeadline(until)
}

// send writes a message. What fails shows in reading, too.
func (c *connection) send(m codex.Message) {
	_ = c.SetWriteDeadline(time.Now().Add(silence))
	if err := c.WriteJSON(m); err != nil {
		_ = c.Close()
	}
}
