// Package proxy is a way to a server that tests can cut.
package proxy

import (
	"io"
	"net"
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
	go pipe(in, out)
	go pipe(out, in)
}

func pipe(a, b net.Conn) {
	_, _ = io.Copy(a, b)
	a.Close()
	b.Close()
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
