package link

import (
	"io"
	"net"
	"sync"
)

// proxy is a way to the hub that can be cut.
type proxy struct {
	net.Listener
	to   string
	mu   sync.Mutex
	cut  bool
	open []net.Conn
}

func (w *world) proxy() *proxy {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	w.must(err)
	p := &proxy{Listener: l, to: w.server.Addr().String()}
	w.Cleanup(func() { l.Close(); p.cuts(true) })
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", p.to)
			p.mu.Lock()
			if err != nil || p.cut {
				in.Close()
				if out != nil {
					out.Close()
				}
			} else {
				p.open = append(p.open, in, out)
				go pipe(in, out)
				go pipe(out, in)
			}
			p.mu.Unlock()
		}
	}()
	return p
}

func pipe(a, b net.Conn) {
	_, _ = io.Copy(a, b)
	a.Close()
	b.Close()
}

// cuts cuts what goes through, and lets nothing through until it is called with false.
func (p *proxy) cuts(cut bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = cut
	for _, c := range p.open {
		c.Close()
	}
	p.open = nil
}
