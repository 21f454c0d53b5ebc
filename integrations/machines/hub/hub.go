// Package hub is the hub of one person or team: a NATS server with JetStream in this
// process, with a key of its own, the gate before JetStream, and the service by which
// machines join.
//
// It may touch its own directory. The rule that must hold here: the hub lets machines in
// and keeps what they send, and what it keeps it can neither read nor make up. Whom the
// root key vouches for is a machine, and nobody else.
package hub

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/bridge/watch"
	"github.com/askpane/askpane/integrations/machines/link"
	"github.com/askpane/askpane/integrations/machines/trust"
)

// Where a hub listens unless it was told otherwise, and where it does for other machines.
const (
	Listen     = "127.0.0.1:4222"
	Everywhere = "0.0.0.0:4222"
)

// The limits of a hub. The buckets have theirs in link.Buckets.
const (
	maxMemory = 512 << 20
	maxDisk   = 4 << 30
	maxConns  = 2048
	maxSubs   = maxConns + 64 // of one connection; the hub's own has one for each machine
)

const (
	startTime     = 10 * time.Second
	inviteTime    = 15 * time.Minute
	peekTime      = 30 * time.Second // to answer one
	lookTime      = 2 * time.Second  // to find out what a name is of
	consumerStays = 5 * time.Minute  // after who made it has gone
)

// Config configures a hub.
type Config struct {
	Dir    string // where its state is
	Listen string // host:port, port 0 for any; empty for what Init was told
	Quota  Quota
	Log    func(error)
}

// Hub runs a hub.
type Hub struct {
	URL, Pin string // by which machines on this one find it, and all know it

	config     Config
	own        string // the password of its own connection
	options    *server.Options
	lock       *os.File
	ledger     *ledger
	writing    sync.RWMutex // held for reading while something of a machine's is brought to JetStream
	everywhere bool         // it listens at all addresses
	stop       func()       // ends what looks after its health
	doubt      <-chan struct{}
	suspect    func() // asks by doubt for a check of the hub's health soon

	mu      sync.Mutex // of what follows
	server  *server.Server
	nc      *nats.Conn // its own, in this process
	kv      map[string]jetstream.KeyValue
	sick    error                         // why nothing can be kept now
	gates   map[string]*nats.Subscription // by machine
	state   state
	members *trust.Members
}

// Start runs the hub of a directory.
func Start(ctx context.Context, config Config) (*Hub, error) {
	h := &Hub{config: config, own: rand.Text(), stop: func() {}}
	h.doubt, h.suspect = watch.Merged()
	h.ledger = &ledger{log: config.Log, full: map[string]excess{},
		quota: Quota{cmp.Or(config.Quota.Bytes, defaultBytes), cmp.Or(config.Quota.Questions, link.MostQuestions)}}
	var err error
	h.state, h.lock, err = hold(config.Dir)
	if err == nil {
		h.members = trust.NewMembers(h.state.Root)
		for _, m := range h.state.Machines {
			err = errors.Join(err, h.members.Add(m))
		}
	}
	if err == nil {
		err = h.up(ctx)
	}
	if err != nil {
		h.Close()
		return nil, err
	}
	life, end := context.WithCancel(context.Background())
	over := make(chan struct{})
	h.stop = func() { end(); <-over }
	go func() { defer close(over); h.stayHealthy(life) }()
	return h, nil
}

// address returns where the hub is to listen, if it can, and sets by what URL this machine
// finds it.
func (h *Hub) address() (host string, port int, err error) {
	at := cmp.Or(h.config.Listen, h.state.Listen)
	l, err := net.Listen("tcp", at)
	if err != nil {
		return "", 0, hint.New("end what else listens there, or choose another address, for instance --listen "+Everywhere, "the hub cannot listen at %q: %w", at, err)
	}
	l.Close()
	port = l.Addr().(*net.TCPAddr).Port
	host, _, _ = net.SplitHostPort(at)
	found := host
	if h.everywhere = l.Addr().(*net.TCPAddr).IP.IsUnspecified(); h.everywhere {
		found = "127.0.0.1"
	}
	h.URL = "tls://" + net.JoinHostPort(found, strconv.Itoa(port))
	h.config.Listen = net.JoinHostPort(host, strconv.Itoa(port)) // again, if its server is started anew
	return host, port, err
}

// Reached returns the URL by which other machines find the hub.
func (h *Hub) Reached() string {
	if !h.everywhere {
		return h.URL
	}
	_, port, _ := net.SplitHostPort(h.config.Listen)
	return "tls://" + net.JoinHostPort(hostName(), port)
}

// hostName returns this machine's name, if other machines can resolve it, else its address on
// the way out.
func hostName() string {
	name, _ := os.Hostname()
	ctx, cancel := context.WithTimeout(context.Background(), lookTime)
	defer cancel()
	addrs, _ := net.DefaultResolver.LookupHost(ctx, name)
	if slices.ContainsFunc(addrs, func(a string) bool { return !net.ParseIP(a).IsLoopback() }) {
		return name
	}
	if c, err := net.Dial("udp", "192.0.2.1:9"); err == nil { // which sends nothing
		defer c.Close()
		return c.LocalAddr().(*net.UDPAddr).IP.String()
	}
	all, _ := net.InterfaceAddrs()
	for _, a := range all {
		if n, ok := a.(*net.IPNet); ok && n.IP.IsGlobalUnicast() {
			return n.IP.String()
		}
	}
	return name
}

// serve starts the server.
func (h *Hub) serve() error {
	host, port, err := h.address()
	if err != nil {
		return err
	}
	cert, pin, err := h.state.certificate()
	if err != nil {
		return fmt.Errorf("make the hub's certificate: %w", err)
	}
	h.Pin = pin
	h.mu.Lock() // a handler of the connection before may still run
	h.options = &server.Options{
		ServerName: "askpane-hub", Host: host, Port: port, NoSigs: true,
		TLSConfig:  &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS13},
		TLSTimeout: 5, TLSHandshakeFirst: true, // nothing is said before it is encrypted
		MaxPayload: link.MaxMessage, MaxConn: maxConns, MaxSubs: maxSubs, MaxControlLine: 4096,
		JetStream: true, StoreDir: h.store(), JetStreamMaxMemory: maxMemory, JetStreamMaxStore: maxDisk,
		SyncAlways:          true, // what a machine was told is kept, is
		NoFastProducerStall: true, DisableShortFirstPing: true,
	}
	s, err := server.NewServer(h.users())
	if err == nil {
		h.server = s
	}
	h.mu.Unlock()
	if err != nil {
		return fmt.Errorf("start the hub: %w", err)
	}
	s.SetLoggerV2(logger(func(err error) { h.config.Log(err); h.suspect() }), false, false, false)
	go s.Start()
	if !s.ReadyForConnections(startTime) {
		return errors.New("the hub does not start in ten seconds; see what its server has said, and that its disk answers, and try again")
	}
	return nil
}

// users returns the server's options with whom it lets in: the machines by their keys, whoever
// has a line and may only join, and the hub itself.
func (h *Hub) users() *server.Options {
	o := h.options.Clone()
	o.TLSConfig, o.Nkeys = h.options.TLSConfig, nil // NATS takes a copy for a new one
	o.Users = []*server.User{{Username: "hub", Password: h.own}}
	for nonce, expires := range h.state.Invites {
		if time.Now().Before(expires) {
			o.Users = append(o.Users, &server.User{Username: nonce, Password: nonce, Permissions: guest(nonce)})
		}
	}
	for _, m := range h.members.All() {
		if m.Revoked == nil {
			o.Nkeys = append(o.Nkeys, &server.NkeyUser{Nkey: m.User, Permissions: permissions(m.Name, m.Name == h.state.Owner)})
		}
	}
	return o
}

// connect makes the hub's own connection. By it, it creates the buckets, restores the records of
// machines, removes what revoked ones have there, counts the rest, and serves.
func (h *Hub) connect(ctx context.Context) error {
	nc, err := nats.Connect("", nats.InProcessServer(h.server), nats.CustomInboxPrefix("_HUB"), nats.MaxReconnects(-1), nats.UserInfo("hub", h.own), nats.ErrorHandler(h.dropped))
	if err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.nc, h.kv, h.gates = nc, map[string]jetstream.KeyValue{}, map[string]*nats.Subscription{}
	h.ledger.reset()
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	for name, config := range link.Buckets() {
		kv, err := js.CreateOrUpdateKeyValue(ctx, config)
		if api := new(jetstream.APIError); errors.As(err, &api) && api.ErrorCode == jetstream.ErrorCode(server.JSStreamCreateErrF) {
			h.config.Log(fmt.Errorf("what was in the hub's bucket %s could not be used, and is gone; the machines publish it again", name))
			kv, err = js.CreateOrUpdateKeyValue(ctx, config) // the server has removed the files that it could not use
		}
		if err != nil {
			return fmt.Errorf("make the bucket %s: %w", name, err)
		}
		h.kv[name] = kv
	}
	for _, m := range h.members.All() {
		work := h.admit
		if m.Revoked != nil {
			work = func(name string) error { return h.clear(ctx, name) }
		}
		if err = cmp.Or(work(m.Name), h.show(ctx, m)); err != nil { // the gate waits for h.mu, until all is counted
			return err
		}
	}
	for name := range link.Buckets() {
		if err := h.ledger.load(ctx, js, name); err != nil {
			return fmt.Errorf("count what is in the bucket %s: %w", name, err)
		}
	}
	_, joins := nc.Subscribe(link.Joins+"*", h.serving(h.register))
	_, invites := nc.Subscribe(link.Invites+"*", h.serving(h.expect))
	return cmp.Or(joins, invites, nc.Flush())
}

// Close ends the hub. What it has acknowledged is on the disk.
func (h *Hub) Close() {
	h.stop()
	h.down()
	h.writing.Lock() // until what was being written has failed
	defer h.writing.Unlock()
	h.lock.Close()
}

// logger passes on what the server says and somebody ought to know.
type logger func(error)

func (logger) Noticef(string, ...any) {}
func (logger) Debugf(string, ...any)  {}
func (logger) Tracef(string, ...any)  {}
func (l logger) Warnf(format string, args ...any) {
	for _, usual := range []string{"Clients that are not using", "Plaintext passwords", "Filestore ["} { // how we want it; and what it does after kill -9
		if strings.HasPrefix(format, usual) {
			return
		}
	}
	l.Errorf(format, args...)
}
func (l logger) Errorf(format string, args ...any) {
	if err := fmt.Errorf(format, args...); !strings.Contains(err.Error(), " - cid:") { // what is wrong with a connection is told there
		l(err)
	}
}
func (l logger) Fatalf(format string, args ...any) { l.Errorf(format, args...) }
