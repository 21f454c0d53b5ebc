package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"
	"golang.org/x/sys/unix"

	"github.com/askpane/askpane/bridge/address"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/bridge/watch"
	"github.com/askpane/askpane/cmd/internal/asker"
	"github.com/askpane/askpane/cmd/internal/programs"
	"github.com/askpane/askpane/integrations/machines/link"
	"github.com/askpane/askpane/integrations/machines/trust"
	"github.com/askpane/askpane/settings"
)

// hello is one of the two lines that a stream begins with. First comes that of the machine that
// asks; before it, a shell may have said something.
type hello struct {
	Version int    `json:"version"`
	Askpane string `json:"askpane"`
	Name    string `json:"name,omitempty"` // of the machine that asks
	// Keys, of the other side, is a trust.File that makes that machine one of the hub's. They are
	// made where the hub is: whoever has the hub could make others, and the stream is as secret
	// as they are.
	Keys []byte `json:"keys,omitempty"`
}

const (
	forwardVersion = 1
	greets         = "askpane-forward "
	mostSaid       = 64 << 10 // bytes, before the first line and of the second
)

// errSilent reports that the other side went away before it said who it is.
var errSilent = errors.New("nobody who knows askpane forward is there")

// carry serves one stream on the person's side until it ends. It returns an error if the
// stream did not begin.
func (p *person) carry(r io.Reader, w io.Writer, up func(name string)) error {
	from := bufio.NewReaderSize(r, mostSaid)
	name, err := readName(from)
	if err != nil {
		return err
	}
	if name == p.name {
		name = strings.TrimRight(name[:min(len(name), 30)], "-") + "-2"
	}
	if _, already := p.here.LoadOrStore(name, true); already {
		return hint.New("give it another host name, or a socket of its own", "a machine %s is connected already", name)
	}
	defer p.here.Delete(name)
	keys, err := p.keys(name)
	if err != nil {
		return err
	}
	at, err := url.Parse(p.hub.URL)
	if err != nil {
		return err
	}
	conn, err := net.Dial("tcp", at.Host)
	if err != nil {
		return err
	}
	if json.NewEncoder(w).Encode(hello{Version: forwardVersion, Askpane: programs.Version(), Keys: keys}) != nil {
		conn.Close()
		return errSilent
	}
	up(name)
	relay(conn, from, w)
	return nil
}

// readName skips what a shell may have said, and reads the name of the machine that asks.
func readName(r *bufio.Reader) (string, error) {
	for said := 0; said < mostSaid; {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return "", errSilent
		}
		said += len(line)
		if line, ours := bytes.CutPrefix(line, []byte(greets)); ours {
			h, err := understood(line)
			return h.Name, cmp.Or(err, trust.ValidName(h.Name))
		}
	}
	return "", errSilent
}

// understood reads what the other side begins with.
func understood(line []byte) (h hello, err error) {
	if err = json.Unmarshal(line, &h); err == nil && h.Version != forwardVersion {
		err = hint.New("install the same version on both", "askpane there is of version %.60q, and this one, of %s, does not understand it", h.Askpane, programs.Version())
	}
	return h, err
}

// relay copies in both directions until one side has ended.
func relay(conn net.Conn, r io.Reader, w io.Writer) {
	over := make(chan bool, 2)
	go func() { _, _ = io.Copy(w, conn); over <- true }()
	go func() { _, _ = io.Copy(conn, r); over <- true }()
	<-over
	conn.Close()
}

// attend serves the side where agents ask until ctx or standard input ends; with a socket, it
// connects to that again and again.
func attend(ctx context.Context, socket string) error {
	signal.Ignore(syscall.SIGPIPE) // the end of a stream is no reason to leave things behind
	lock, err := settings.ForwardLock()
	if err != nil {
		return err
	}
	defer lock.Close()
	if watch.Flock(lock, unix.LOCK_EX|unix.LOCK_NB) != nil { // before a word is said: who hears it may ask at once
		go func() { _ = watch.Flock(lock, unix.LOCK_EX) }() // of two forwards, one holds it after the other
	}
	sp, err := asker.OpenSpool()
	if err != nil {
		return err
	}
	defer sp.Close()
	if socket == "" {
		return publish(ctx, sp, os.Stdin, os.Stdout)
	}
	return reconnect(ctx, true, func() (bool, error) {
		c, err := net.Dial("unix", socket)
		if err != nil {
			return false, fmt.Errorf("askpane forward does not listen there: %w", err)
		}
		defer c.Close()
		defer context.AfterFunc(ctx, func() { c.Close() })()
		if err = publish(ctx, sp, c, c); err == nil {
			err = errors.New("the connection has ended")
		}
		return true, err
	})
}

// publish serves one stream on that side.
func publish(ctx context.Context, sp *spool.Spool, r io.Reader, w io.Writer) error {
	if _, err := fmt.Fprintf(w, "%s%s\n", greets, trust.Encode(hello{Version: forwardVersion, Askpane: programs.Version(), Name: machineName()})); err != nil {
		return err
	}
	in := bufio.NewReaderSize(r, mostSaid)
	line, err := in.ReadSlice('\n')
	if err != nil {
		return nil // it has gone, and said why
	}
	theirs, err := understood(line)
	if err != nil {
		return err
	}
	id, err := trust.Parse(theirs.Keys) // they stay in memory
	if err != nil {
		return err
	}
	ctx, end := context.WithCancel(ctx)
	defer end()
	ours, far := net.Pipe()
	go func() { relay(far, in, w); end() }()
	return link.Serve(ctx, link.Config{ID: id, Spool: sp, Secrets: settings.Load("").HubSecrets, Log: programs.Warn,
		Connect: func(id *trust.Identity, opts ...nats.Option) (*nats.Conn, error) {
			defer func() { ours = nil }()
			return link.Connect(id, append(opts, nats.SetCustomDialer(dialer(func() (net.Conn, error) {
				if ours == nil { // a stream is good for one connection
					end()
					return nil, net.ErrClosed
				}
				return ours, nil
			})), nats.PingInterval(10*time.Second), nats.MaxPingsOutstanding(3))...)
		}})
}

type dialer func() (net.Conn, error)

// Dial implements nats.CustomDialer.
func (d dialer) Dial(string, string) (net.Conn, error) { return d() }

// machineName returns the name of this machine on its hub, else its host's.
func machineName() string {
	if keys, err := address.LinkDir(); err == nil {
		if id, err := trust.Load(keys); err == nil {
			return id.Member.Name
		}
	}
	if name := ownName(); trust.ValidName(name) == nil {
		return name
	}
	return "machine"
}

// A connection is tried again after a pause, which grows each time, unless the connection had
// held for a while.
const (
	firstPause = time.Second
	lastPause  = time.Minute
)

// reconnect makes one connection after the other until ctx ends. Unless been is set, it gives
// up where the first one fails.
func reconnect(ctx context.Context, been bool, connect func() (up bool, err error)) error {
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		began := time.Now()
		up, err := connect()
		if been = been || up; ctx.Err() != nil {
			return nil
		}
		if !been {
			return err
		}
		if up && time.Since(began) > lastPause {
			pause = firstPause
		}
		say("%v; trying again in %s.", err, text.Age(pause))
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause):
		}
	}
}

// say prints one line for the person.
func say(format string, args ...any) { fmt.Println(text.OneLine(fmt.Sprintf(format, args...), 0)) }
