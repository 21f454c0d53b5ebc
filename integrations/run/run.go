package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/askpane/askpane/integrations/host"
)

// answerLimit is how long `askpane run` may take to answer. It is stopped, or
// its terminal is, where it takes longer.
const answerLimit = 2 * time.Second

// terminal is what `askpane run` draws on.
type terminal struct {
	socket string
	seen   host.Viewer
}

// Find finds the `askpane run` that this process runs in, from its environment.
// A multiplexer that was started inside it is nearer: it has set its own
// variables, or has others than `askpane run` had itself.
func Find(ctx context.Context) (host.Host, error) {
	socket := os.Getenv(SocketEnv)
	if socket == "" {
		return nil, errors.New("not inside askpane run ($" + SocketEnv + " is not set)")
	}
	h := &terminal{socket: socket}
	reply, err := h.look(ctx)
	if err != nil {
		return nil, err
	}
	if name, nearer := multiplexer(reply.Inside, os.Getenv); nearer {
		return nil, fmt.Errorf("$%s shows a multiplexer that was started inside askpane run", name)
	}
	h.seen = host.Viewer{ID: reply.Terminal, Width: reply.Width, Height: reply.Height}
	return h, nil
}

// multiplexer finds what was started between `askpane run`, which saw inside,
// and us. An agent that strips its tools' environment leaves nothing to compare.
func multiplexer(inside []string, env func(string) string) (name string, nearer bool) {
	for _, name := range Around {
		if here := env(name); here != "" && !slices.Contains(inside, name+"="+here) {
			return name, true
		}
	}
	return "", false
}

func (h *terminal) Name() string { return "run" }

// Pane is not known: there is one, and the person looks at it.
func (h *terminal) Pane() string { return "" }

// Viewer is the terminal that `askpane run` was started on.
func (h *terminal) Viewer(ctx context.Context) (host.Viewer, error) {
	if v := h.seen; v.ID != "" { // the first time it is Find's
		h.seen = host.Viewer{}
		return v, nil
	}
	reply, err := h.look(ctx)
	return host.Viewer{ID: reply.Terminal, Width: reply.Width, Height: reply.Height}, err
}

func (h *terminal) look(ctx context.Context) (Reply, error) {
	c, reply, err := h.send(ctx, Request{Op: OpLook})
	if err == nil {
		c.Close()
	}
	return reply, err
}

// send sends one request and waits for the first reply.
func (h *terminal) send(ctx context.Context, r Request) (*conn, Reply, error) {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	var d net.Dialer
	c, err := d.DialContext(ctx, "unix", h.socket)
	if err != nil {
		return nil, Reply{}, fmt.Errorf("$%s names an askpane run that has gone: %w", SocketEnv, err)
	}
	if err := SameUser(c.(*net.UnixConn)); err != nil {
		c.Close()
		return nil, Reply{}, fmt.Errorf("askpane run: %w", err)
	}
	talk := &conn{Conn: c, dec: json.NewDecoder(c)}
	deadline, _ := ctx.Deadline()
	_ = c.SetDeadline(deadline)
	var reply Reply
	if err = json.NewEncoder(c).Encode(r); err == nil {
		err = talk.dec.Decode(&reply)
	}
	if err == nil && reply.Error != "" {
		err = errors.New(reply.Error)
	}
	if err != nil {
		c.Close()
		if errors.Is(err, os.ErrDeadlineExceeded) {
			err = errors.New("it does not answer; is it stopped?")
		}
		return nil, Reply{}, fmt.Errorf("askpane run: %w", err)
	}
	_ = c.SetDeadline(time.Time{})
	return talk, reply, nil
}

type conn struct {
	net.Conn
	dec *json.Decoder
}

// Open shows the popup over what the agent has drawn. Where one is open already
// it has ended before it has begun, as in tmux.
func (h *terminal) Open(ctx context.Context, v host.Viewer, cmd host.Command) (host.Opening, error) {
	var env []string
	for _, e := range cmd.Env {
		if strings.HasPrefix(e, "ASKPANE_") && !strings.HasPrefix(e, SocketEnv+"=") { // it takes no others
			env = append(env, e)
		}
	}
	c, reply, err := h.send(ctx, Request{Op: OpOpen, Args: cmd.Args, Env: env, Width: cmd.Width, Height: cmd.Height})
	if err != nil {
		return nil, err
	}
	o := &opening{viewer: v.ID, conn: c, ended: make(chan struct{})}
	if reply.Busy {
		c.Close()
		close(o.ended)
		return o, nil
	}
	go o.wait()
	return o, nil
}

type opening struct {
	viewer string
	conn   *conn
	ended  chan struct{}
	err    error
	drop   sync.Once
}

func (o *opening) wait() {
	defer close(o.ended)
	var reply Reply
	// It says so when the popup has ended; that it says nothing and goes is its
	// own end.
	if err := o.conn.dec.Decode(&reply); err == nil && reply.Error != "" {
		o.err = fmt.Errorf("askpane run: %s", reply.Error)
	}
	o.conn.Close()
}

func (o *opening) Shown(context.Context)   {}
func (o *opening) Changed(context.Context) {}
func (o *opening) Viewer() string          { return o.viewer }
func (o *opening) Ended() <-chan struct{}  { return o.ended }
func (o *opening) Err() error              { return o.err }

// Abandon hangs up. The popup lives on, as one in tmux does.
func (o *opening) Abandon() {
	o.drop.Do(func() { o.conn.Close() })
	<-o.ended
}

// Mark titles the window for as long as this process keeps the connection.
func (h *terminal) Mark(ctx context.Context, title string) (func(context.Context) error, error) {
	c, _, err := h.send(ctx, Request{Op: OpMark, Text: host.MarkSign + title})
	if err != nil {
		return nil, err
	}
	return func(context.Context) error { return c.Close() }, nil
}

// Ring rings the terminal's bell.
func (h *terminal) Ring(ctx context.Context) error {
	c, _, err := h.send(ctx, Request{Op: OpRing})
	if err != nil {
		return err
	}
	return c.Close()
}
