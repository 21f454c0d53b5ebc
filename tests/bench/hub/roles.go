package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime/pprof"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/integrations/machines/hub"
	"github.com/askpane/askpane/integrations/machines/link"
	"github.com/askpane/askpane/integrations/machines/trust"
)

// role is what one process does. It says what happens by lines on its standard output, and
// is told what to do by lines on its standard input, until that ends.
type role struct {
	does map[string]func(arg string) error
	ends func()
}

var roles = map[string]func(ctx context.Context, args []string) (role, error){"hub": serves, "desks": links, "agents": asks}

func play(name string, args []string) error {
	ctx, cancel := context.WithCancel(context.Background())
	r, err := roles[name](ctx, args)
	if err != nil {
		cancel()
		return err
	}
	for in := bufio.NewScanner(os.Stdin); err == nil && in.Scan(); {
		what, arg, _ := strings.Cut(in.Text(), " ")
		if what == "profile" {
			err = profile(arg)
		} else {
			err = r.does[what](arg)
		}
	}
	cancel()
	r.ends()
	return err
}

// tells says that something has happened now. A line is written at once.
func tells(what, id string) { fmt.Printf("%s %s %d\n", what, id, time.Now().UnixNano()) }

// profile begins a profile of the processor, or ends it and adds one of the memory.
func profile(path string) error {
	if path == "" {
		pprof.StopCPUProfile()
		return nil
	}
	cpu, err := os.Create(path + ".cpu")
	if err != nil {
		return err
	}
	heap, err := os.Create(path + ".heap")
	if err != nil {
		return err
	}
	return errors.Join(pprof.WriteHeapProfile(heap), heap.Close(), pprof.StartCPUProfile(cpu))
}

// serves is the hub; it tells the owner's invite.
func serves(ctx context.Context, args []string) (r role, err error) {
	dir := args[0]
	if err := hub.Init(dir, "127.0.0.1:0"); err != nil {
		return r, err
	}
	h, err := hub.Start(ctx, hub.Config{Dir: dir, Log: func(err error) { fmt.Fprintf(os.Stderr, "the hub: %v\n", err) }})
	if err != nil {
		return r, err
	}
	inv, err := h.Owner(person(0))
	if err == nil {
		_, err = fmt.Println("owner", inv)
	}
	return role{ends: h.Close}, err
}

// linkDir and spoolDir are below a machine's directory.
const (
	linkDir  = "askpane/link"
	spoolDir = "spool"
)

// links are the links of the machines in these directories.
func links(ctx context.Context, dirs []string) (r role, err error) {
	var c counter
	var rest sync.WaitGroup
	for _, dir := range dirs {
		id, err := trust.Load(filepath.Join(dir, linkDir))
		if err != nil {
			return r, err
		}
		s, err := spool.Open(filepath.Join(dir, spoolDir))
		if err != nil {
			return r, err
		}
		rest.Go(func() {
			err := link.Serve(ctx, link.Config{ID: id, Dir: filepath.Join(dir, linkDir), Spool: s, Show: shows, Connect: c.connect,
				Late: func(e *spool.Entry, verdict string) { fmt.Fprintf(os.Stderr, "%s: %s\n", e.ID, verdict) },
				Log:  func(err error) { fmt.Fprintf(os.Stderr, "the link of %s: %v\n", id.Member.Name, err) }})
			if err != nil {
				fmt.Fprintf(os.Stderr, "the link of %s: %v\n", id.Member.Name, err)
			}
		})
	}
	count := func(string) error {
		data, err := json.Marshal(c.traffic())
		if err == nil {
			fmt.Printf("traffic %s\n", data)
		}
		return err
	}
	return role{map[string]func(string) error{"traffic": count}, rest.Wait}, nil
}

// shows is a popup: it tells when it is there, and goes when there is an answer.
func shows(ctx context.Context, e *spool.Entry) (form.Result, error) {
	if _, err := e.Request(); err != nil {
		return form.Result{}, err
	}
	tells("shown", e.ID)
	return awaits(ctx, e)
}

// awaits waits for an answer.
func awaits(ctx context.Context, e *spool.Entry) (form.Result, error) {
	w := e.Watch()
	defer w.Stop()
	for {
		if r, ok, err := e.Answer(); ok || err != nil {
			return r, err
		}
		select {
		case <-w.Changed:
		case <-ctx.Done():
			return form.Result{}, ctx.Err()
		}
	}
}

// asks are agents on the machines below a directory. Each waits for its answer and takes
// it, as the bridge does.
func asks(ctx context.Context, args []string) (role, error) {
	spools := map[string]*spool.Spool{}
	var rest sync.WaitGroup
	ask := func(machine string) (err error) {
		s := spools[machine]
		if s == nil {
			if s, err = spool.Open(filepath.Join(args[0], machine, spoolDir)); err != nil {
				return err
			}
			spools[machine] = s
		}
		_, f, err := dialect.Decode("", []byte(asked))
		if err != nil {
			return err
		}
		e, err := s.Create(spool.Request{Form: f, Raw: []byte(asked), Origin: spool.Origin{Agent: "claude", Cwd: "/srv/" + machine, Pane: "main:1.1", Ref: "%1", PID: os.Getpid(), Start: time.Now()}})
		if err != nil {
			return err
		}
		tells("asked", e.ID)
		rest.Go(func() {
			defer e.Close()
			_, err := awaits(ctx, e)
			if ctx.Err() != nil {
				return
			}
			tells("got", e.ID)
			if err = errors.Join(err, e.StopWaiting(), e.Deliver()); err != nil {
				fmt.Fprintf(os.Stderr, "%s: %v\n", e.ID, err)
			}
		})
		return nil
	}
	return role{map[string]func(string) error{"ask": ask}, rest.Wait}, nil
}

// asked is a question as agents ask.
const asked = `{"title":"Release 4.2","questions":[{"id":"store","label":"Store","prompt":"Which database should the sessions be in?",
"context":"They are in memory today, so that every release logs everybody out. Both have been tried on the staging machine: PostgreSQL takes 3 ms a request more, SQLite 1 ms, but then there can be one server alone.",
"options":[{"value":"pg","label":"PostgreSQL","description":"Another 3 ms a request; several servers"},{"value":"sqlite","label":"SQLite","description":"Another 1 ms a request; one server"},{"value":"no","label":"Leave them in memory","description":"Everybody logs in again after each release"}]}]}`

// traffic is what has gone over the connections of a process's links.
type traffic struct {
	Messages uint64 // both ways
	Bytes    int64  // both ways, with TLS and all
}

// counter counts it.
type counter struct {
	mu    sync.Mutex
	conns []*nats.Conn
	bytes atomic.Int64
}

func (c *counter) connect(id *trust.Identity, opts ...nats.Option) (*nats.Conn, error) {
	nc, err := link.Connect(id, append(opts, nats.SetCustomDialer(c))...)
	if err == nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.conns = append(c.conns, nc)
	}
	return nc, err
}

func (c *counter) traffic() (t traffic) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, nc := range c.conns {
		s := nc.Stats()
		t.Messages += s.InMsgs + s.OutMsgs
	}
	t.Bytes = c.bytes.Load()
	return t
}

// Dial is nats.go's way to have a dialer of one's own.
func (c *counter) Dial(network, address string) (net.Conn, error) {
	conn, err := net.Dial(network, address)
	return counted{conn, &c.bytes}, err
}

type counted struct {
	net.Conn
	bytes *atomic.Int64
}

func (c counted) Read(p []byte) (n int, err error) {
	n, err = c.Conn.Read(p)
	c.bytes.Add(int64(n))
	return n, err
}

func (c counted) Write(p []byte) (n int, err error) {
	n, err = c.Conn.Write(p)
	c.bytes.Add(int64(n))
	return n, err
}
