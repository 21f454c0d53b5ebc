package tests

import (
	"io"
	"net"
	"sync"
	"testing"
)

// network leads to a port, unless it is cut.
type network struct {
	net.Listener
	mu    sync.Mutex
	cut   bool
	conns []net.Conn
}

func newNetwork(t *testing.T, port string) *network {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	n := &network{Listener: l}
	t.Cleanup(func() { l.Close(); n.set(true) })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			there, err := net.Dial("tcp", "127.0.0.1:"+port)
			n.mu.Lock()
			n.conns = append(n.conns, c, there)
			if n.cut || err != nil {
				c.Close()
			}
			n.mu.Unlock()
			go func() { _, _ = io.Copy(c, there); c.Close() }()
			go func() { _, _ = io.Copy(there, c); there.Close() }()
		}
	}()
	return n
}

func (n *network) port() string { _, port, _ := net.SplitHostPort(n.Addr().String()); return port }

// set cuts it, or mends it.
func (n *network) set(cut bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.cut = cut
	for _, c := range n.conns {
		if cut && c != nil {
			c.Close()
		}
	}
}
