package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/askpane/askpane/integrations/adapter"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/integrations/process"
)

// answerLimit bounds the wait for `askpane run`. It is stopped, or its terminal is, where it
// takes longer.
const answerLimit = 2 * time.Second

// Below this a form could not be read or answered; as in tmux.
const leastWidth, leastHeight = 20, 5

// terminal stands for the one that `askpane run` draws on.
type terminal struct {
	adapter.Pane
	socket string
}

// newTerminal has no words for the asking pane: there is one, and the person looks at it.
func newTerminal(socket string) *terminal {
	h := &terminal{socket: socket}
	h.Ref, h.FindViewer = socket, h.findViewer
	return h
}

// Kind describes `askpane run`. Its variable is not among Env: what an agent's daemon was
// started with may name the terminal of somebody else.
var Kind = host.Kind{Name: "run", Find: find, Depth: depth, Pane: findPane, Resize: resize}

func (h *terminal) Kind() *host.Kind { return &Kind }

// findViewer finds the terminal that `askpane run` was started on.
func (h *terminal) findViewer(ctx context.Context) (host.Viewer, error) {
	r, err := h.describe(ctx)
	if err != nil {
		return host.Viewer{}, err
	}
	if r.Width < leastWidth || r.Height < leastHeight {
		return host.Viewer{}, fmt.Errorf("%w to a terminal that is large enough: it is %dx%d, and a form takes %dx%d", host.ErrNoViewer, r.Width, r.Height, leastWidth, leastHeight)
	}
	v := host.Viewer{ID: r.Terminal, Width: r.Width, Height: r.Height, Grows: true}
	if r.Active != 0 {
		v.Active = time.UnixMilli(r.Active)
	}
	return v, nil
}

// Terminal writes through `askpane run`, which knows when it is between two of the command's
// sequences.
func (h *terminal) Terminal(ctx context.Context) (host.Terminal, error) {
	r, err := h.describe(ctx)
	if err != nil {
		return host.Terminal{}, err
	}
	return host.Terminal{Program: r.Program, Name: r.Term, Device: r.Terminal, Write: h.notify}, nil
}

func (h *terminal) notify(sequence string) error {
	_, err := h.call(context.Background(), Request{Op: OpNotify, Text: sequence})
	return err
}

func (h *terminal) describe(ctx context.Context) (Reply, error) {
	return h.call(ctx, Request{Op: OpDescribe})
}

// call sends a request that is done with the first reply.
func (h *terminal) call(ctx context.Context, r Request) (Reply, error) {
	c, reply, err := h.send(ctx, r)
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
		return nil, Reply{}, fmt.Errorf("the askpane run that this is in has gone: %w", err)
	}
	if err := process.SameUser(c.(*net.UnixConn)); err != nil {
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
	columns, rows := cmd.Size.On(v)
	c, reply, err := h.send(ctx, Request{Op: OpOpen, Args: cmd.Args, Env: cmd.Env, Columns: columns, Rows: rows})
	if err != nil {
		return nil, err
	}
	hangUp := func() { c.Close() } // the popup lives on, as one in tmux does
	return adapter.Follow(v.ID, hangUp, func() error {
		var end Reply
		if reply.Busy || c.dec.Decode(&end) != nil || end.Error == "" { // that it goes and says nothing is its own end
			return nil
		}
		return fmt.Errorf("askpane run: %s", end.Error)
	}), nil
}

func resize(ctx context.Context, size host.Size) error {
	h := newTerminal(os.Getenv(BoxEnv))
	r, err := h.describe(ctx)
	if err != nil {
		return err
	}
	columns, rows := size.On(host.Viewer{Width: r.Width, Height: r.Height})
	_, err = h.call(ctx, Request{Op: OpSize, Columns: columns, Rows: rows})
	return err
}

// Mark titles the window for as long as this process keeps the connection.
func (h *terminal) Mark(ctx context.Context, title string) (func(context.Context) error, error) {
	c, _, err := h.send(ctx, Request{Op: OpMark, Text: host.MarkSign + title})
	if err != nil {
		return nil, err
	}
	return func(context.Context) error { return c.Close() }, nil
}

func (h *terminal) Ring(ctx context.Context, _ func(string) int) error {
	_, err := h.call(ctx, Request{Op: OpRing})
	return err
}
