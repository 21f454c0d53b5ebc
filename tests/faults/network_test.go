package faults

import (
	"math/rand/v2"
	"net"
	"sync"
	"time"
)

// network is between machines and their hub. Each machine has a way of its own through
// it; what the network does to all of them is here.
type network struct {
	to  string // where the hub listens
	mu  sync.Mutex
	now *sync.Cond // something has changed
	// held are connections that wait to be served, while holding.
	holding bool
	held    []func()
	pipes   sync.WaitGroup
}

// way is a machine's way to the hub.
type way struct {
	*network
	net.Listener
	name string
	seed uint64
	cut  bool
	slow time.Duration // how long each piece takes at most
	mute [2]bool       // nothing comes through to the hub; from the hub
	open map[net.Conn]bool
}

func newNetwork(to string) *network {
	n := &network{to: to}
	n.now = sync.NewCond(&n.mu)
	return n
}

// way opens one. It goes wherever the dice of seed say.
func (n *network) way(name string, seed uint64) (*way, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	w := &way{network: n, Listener: l, name: name, seed: seed, open: map[net.Conn]bool{}}
	go func() {
		for i := uint64(0); ; i++ {
			in, err := l.Accept()
			if err != nil {
				return
			}
			w.serve(in, i)
		}
	}()
	return w, nil
}

func (w *way) url() string { return "tls://" + w.Addr().String() }

// serve serves a connection, or holds it back.
func (w *way) serve(in net.Conn, i uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cut {
		in.Close()
		return
	}
	w.open[in] = true
	joins := func() {
		out, err := net.Dial("tcp", w.to)
		w.mu.Lock()
		defer w.mu.Unlock()
		if err != nil || !w.open[in] { // the hub is down, or it was cut meanwhile
			in.Close()
			delete(w.open, in)
			if out != nil {
				out.Close()
			}
			return
		}
		w.open[out] = true
		w.pipes.Go(func() { w.pipe(out, in, 0, rand.New(rand.NewPCG(w.seed, 2*i))) })
		w.pipes.Go(func() { w.pipe(in, out, 1, rand.New(rand.NewPCG(w.seed, 2*i+1))) })
	}
	if w.holding {
		w.held = append(w.held, joins)
		return
	}
	w.pipes.Go(joins)
}

// pipe brings what comes in one direction, in pieces, each in its time.
func (w *way) pipe(to, from net.Conn, direction int, dice *rand.Rand) {
	defer func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, c := range []net.Conn{to, from} {
			c.Close()
			delete(w.open, c)
		}
	}()
	for buf := make([]byte, 32<<10); ; {
		n, err := from.Read(buf[:1+dice.IntN(len(buf))])
		if err != nil {
			return
		}
		w.mu.Lock()
		for w.mute[direction] && w.open[from] {
			w.now.Wait()
		}
		slow := w.slow
		w.mu.Unlock()
		if slow > 0 {
			<-time.After(time.Duration(dice.Int64N(int64(slow))))
		}
		if _, err := to.Write(buf[:n]); err != nil {
			return
		}
	}
}

// broken reports whether something is wrong with the way.
func (w *way) broken() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.cut || w.mute != [2]bool{} || w.holding
}

// set changes the network. Ways that are cut lose what they carry.
func (w *way) set(change func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change()
	if w.cut {
		for c := range w.open {
			c.Close()
		}
		clear(w.open)
	}
	w.now.Broadcast()
}

// hold has connections wait until serveHeld.
func (n *network) hold() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.holding = true
}

// serveHeld serves those that were held back, in another order.
func (n *network) serveHeld(dice *rand.Rand) (served int) {
	n.mu.Lock()
	held := n.held
	n.held, n.holding = nil, false
	n.mu.Unlock()
	dice.Shuffle(len(held), func(i, j int) { held[i], held[j] = held[j], held[i] })
	for _, join := range held {
		join()
	}
	return len(held)
}

// end ends a way, and all that is on it.
func (w *way) end() {
	w.Close()
	w.set(func() { w.cut = true })
}
