// Package proxy is a way to a server that tests can cut.
package proxy

import (
	"io"
	"net"
	"slices"
	"sync"
	"testing"

	"github.com/askpane/askpane/tests/must"
)

// Proxy listens on a port of its own and passes on what comes there.
type Proxy struct {
	net.Listener
	to   string // the server's host and port
	mu   sync.Mutex
	cut  bool
	open []net.Conn
	dead []net.Conn
}

// New is a way to a server, open until the test ends.
func New(t testing.TB, to string) *Proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must.Do(t, err)
	p := &Proxy{Listener: l, to: to}
	t.Cleanup(func() { l.Close(); p.Cut(true) })
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			p.lead(in)
		}
	}()
	return p
}

// lead leads a connection to the server, or ends it where the way is cut.
func (p *Proxy) lead(in net.Conn) {
	out, err := net.Dial("tcp", p.to)
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil || p.cut {
		in.Close()
		if out != nil {
			out.Close()
		}
		return
	}
	p.open = append(p.open, in, out)
	go p.pipe(in, out)
	go p.pipe(out, in)
}

func (p *Proxy) pipe(a, b net.Conn) {
	_, _ = io.Copy(p.way(a), b)
	a.Close()
	b.Close()
}

// way writes to a connection, and nowhere once that is dead.
func (p *Proxy) way(to net.Conn) io.Writer {
	return writer(func(data []byte) (int, error) {
		p.mu.Lock()
		dead := slices.Contains(p.dead, to)
		p.mu.Unlock()
		if dead {
			return len(data), nil
		}
		return to.Write(data)
	})
}

type writer func([]byte) (int, error)

func (w writer) Write(data []byte) (int, error) { return w(data) }

// Deaden has what goes through now get nowhere, and nobody told: as after a sleep or on
// another network. What comes later goes through.
func (p *Proxy) Deaden() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dead = slices.Clone(p.open)
}

// Cut ends what goes through, and lets nothing through until it is called with false.
func (p *Proxy) Cut(cut bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = cut
	for _, c := range p.open {
		c.Close()
	}
	p.open = nil
}

// Port is where it listens.
func (p *Proxy) Port() string {
	_, port, _ := net.SplitHostPort(p.Addr().String())
	return port
}
