// Package hub is the hub of one person or team: a NATS server with JetStream in this
// process, with keys and a certificate of its own, the gate before JetStream, and the
// service by which machines join.
//
// It may touch its own directory. The rule that must hold here: the hub lets machines in
// and keeps what they send, and what it keeps it can neither read nor make up. Whom the
// root key vouches for is a machine, and nobody else.
package hub

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/integrations/desk/link"
	"github.com/askpane/askpane/integrations/desk/link/trust"
)

// Listen is where a hub listens unless it was told otherwise.
const Listen = "127.0.0.1:4222"

// The limits of a hub. The buckets have theirs in link.Buckets.
const (
	maxMemory  = 512 << 20
	maxDisk    = 4 << 30
	maxStreams = 8
	maxConns   = 2048
	maxSubs    = 256 // of one machine
)

const (
	startTime     = 10 * time.Second
	inviteTime    = 15 * time.Minute
	peekTime      = 30 * time.Second // to answer one
	consumerStays = 5 * time.Minute  // after who made it has gone
)

// Config is what a hub is told.
type Config struct {
	Dir    string           // where its state is
	Listen string           // host:port, port 0 for any; empty for what Init was told
	Now    func() time.Time // of invites; nil for time.Now
	Log    func(format string, args ...any)
}

// Hub is one that is up.
type Hub struct {
	URL, Pin string // by which machines find it, and know it

	config   Config
	server   *server.Server
	nc       *nats.Conn // its own, in this process
	machines jetstream.KeyValue
	operator nkeys.KeyPair
	account  nkeys.KeyPair
	lock     *os.File

	mu      sync.Mutex // of what follows
	state   *state
	members *trust.Members // nil until there is a root
}

// Start has the hub of a directory up.
func Start(ctx context.Context, config Config) (h *Hub, err error) {
	h = &Hub{config: config}
	if h.config.Now == nil {
		h.config.Now = time.Now
	}
	if h.state, err = load(config.Dir); err != nil {
		return nil, err
	}
	if h.lock, err = hold(config.Dir); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			h.Close()
			h = nil
		}
	}()
	if err = h.serve(); err != nil {
		return h, err
	}
	if err = h.connect(ctx); err != nil {
		return h, fmt.Errorf("use the hub's own server: %w", err)
	}
	return h, nil
}

// options are the server's.
func (h *Hub) options(cert tls.Certificate) (*server.Options, error) {
	listen := h.config.Listen
	if listen == "" {
		listen = h.state.Listen
	}
	host, port, err := net.SplitHostPort(listen)
	number, bad := strconv.Atoi(port)
	if err != nil || bad != nil || number < 0 || number > 65535 {
		return nil, hint.New("for instance --listen 0.0.0.0:4222", "the hub cannot listen at %q, which is no address and port", listen)
	}
	if number == 0 {
		number = server.RANDOM_PORT
	}
	return &server.Options{
		ServerName: "askpane-hub", Host: host, Port: number, NoSigs: true,
		TLSConfig:  &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS13},
		TLSTimeout: 5, TLSHandshakeFirst: true, // nothing is said before it is encrypted
		MaxPayload: link.MaxMessage, MaxConn: maxConns, MaxSubs: maxSubs, MaxControlLine: 4096,
		JetStream: true, StoreDir: filepath.Join(h.config.Dir, "store"), JetStreamMaxMemory: maxMemory, JetStreamMaxStore: maxDisk,
		SyncAlways:          true, // what a machine was told is kept, is
		NoFastProducerStall: true, DisableShortFirstPing: true,
	}, nil
}

// serve starts the server, for the account that the state has.
func (h *Hub) serve() error {
	cert, pin, err := h.state.tls()
	if err != nil {
		return err
	}
	opts, err := h.options(cert)
	if err != nil {
		return err
	}
	var system string
	if h.operator, h.account, system, err = h.state.keys(); err != nil {
		return fmt.Errorf("use the hub's keys: %w", err)
	}
	public, _ := h.operator.PublicKey()
	operator := jwt.NewOperatorClaims(public)
	operator.SystemAccount = system
	resolver := &server.MemAccResolver{}
	for _, claims := range []*jwt.AccountClaims{jwt.NewAccountClaims(system), h.claims()} {
		coded, err := claims.Encode(h.operator)
		if err == nil {
			err = resolver.Store(claims.Subject, coded)
		}
		if err != nil {
			return err
		}
	}
	opts.TrustedOperators, opts.SystemAccount, opts.AccountResolver = []*jwt.OperatorClaims{operator}, system, resolver
	if h.server, err = server.NewServer(opts); err != nil {
		return fmt.Errorf("start the hub: %w", err)
	}
	said := &logger{log: h.config.Log, fatal: make(chan string, 1)}
	h.server.SetLoggerV2(said, false, false, false)
	go h.server.Start()
	for began := time.Now(); !h.server.ReadyForConnections(50 * time.Millisecond); {
		if err := said.why(opts); err != nil || time.Since(began) > startTime {
			return cmp.Or(err, errors.New("the hub does not start in ten seconds; see that its disk answers, and try again"))
		}
	}
	host, port := opts.Host, strconv.Itoa(h.server.Addr().(*net.TCPAddr).Port)
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() { // others need a name
		if host, err = os.Hostname(); err != nil {
			return err
		}
	}
	h.URL, h.Pin = "tls://"+net.JoinHostPort(host, port), pin
	return nil
}

func (h *Hub) claims() *jwt.AccountClaims {
	public, _ := h.account.PublicKey()
	return h.state.accountClaims(public)
}

// connect is the hub's own connection: it makes the buckets, reads who is there, and
// serves.
func (h *Hub) connect(ctx context.Context) error {
	user, err := nkeys.CreateUser()
	if err != nil {
		return err
	}
	public, err := user.PublicKey()
	if err != nil {
		return err
	}
	token, err := h.token(public, "hub", jwt.Permissions{}, 0)
	if err != nil {
		return err
	}
	h.nc, err = nats.Connect("", nats.InProcessServer(h.server), nats.CustomInboxPrefix("_HUB"), nats.MaxReconnects(-1),
		nats.UserJWT(func() (string, error) { return token, nil }, user.Sign))
	if err != nil {
		return err
	}
	js, err := jetstream.New(h.nc)
	if err != nil {
		return err
	}
	for _, bucket := range link.Buckets() {
		kv, err := js.CreateOrUpdateKeyValue(ctx, bucket)
		if err != nil {
			return fmt.Errorf("make the bucket %s: %w", bucket.Bucket, err)
		}
		if bucket.Bucket == link.Machines {
			h.machines = kv
		}
	}
	if h.state.Root != "" {
		h.members = trust.NewMembers(h.state.Root)
	}
	if err := h.read(ctx); err != nil {
		return err
	}
	for subject, serve := range map[string]nats.MsgHandler{
		link.Prefix + "*.>": h.gate, link.Joins + "*": serving(h.join),
		link.Owner + "invite": serving(h.invite), link.Owner + "revoke": serving(h.revoke),
	} {
		if _, err := h.nc.Subscribe(subject, serve); err != nil {
			return err
		}
	}
	return h.nc.Flush()
}

// read takes in the machines that the bucket has.
func (h *Hub) read(ctx context.Context) error {
	names, err := h.machines.ListKeys(ctx)
	if err != nil || h.members == nil {
		return err
	}
	for name := range names.Keys() {
		record, err := h.machines.Get(ctx, name)
		if err == nil {
			_, err = h.members.Take(name, record.Value())
		}
		if err != nil && !errors.Is(err, jetstream.ErrKeyNotFound) {
			h.config.Log("the machine %s: %v", name, err)
		}
	}
	return nil
}

// Wait ends when ctx does, or when the server has.
func (h *Hub) Wait(ctx context.Context) error {
	ended := make(chan struct{})
	go func() { h.server.WaitForShutdown(); close(ended) }()
	select {
	case <-ctx.Done():
		return nil
	case <-ended:
		return errors.New("the hub's server has ended by itself; what it said stands above")
	}
}

// Close ends the hub. What it was sent is on the disk.
func (h *Hub) Close() {
	if h.nc != nil {
		h.nc.Close()
	}
	if h.server != nil {
		h.server.Shutdown()
		h.server.WaitForShutdown()
	}
	h.lock.Close()
}

// token is the JWT of a user, for ever or for a time.
func (h *Hub) token(user, name string, p jwt.Permissions, lives time.Duration) (string, error) {
	c := jwt.NewUserClaims(user)
	c.Name, c.Permissions = name, p
	if lives > 0 {
		c.Expires = h.config.Now().Add(lives).Unix()
	}
	return c.Encode(h.account)
}

// serving is a service that takes JSON and answers with it, or with a link.Fault.
func serving[Q, A any](serve func(subject string, q Q) (A, error)) nats.MsgHandler {
	return func(msg *nats.Msg) {
		var q Q
		var data []byte
		err := json.Unmarshal(msg.Data, &q)
		if err == nil {
			var a A
			if a, err = serve(msg.Subject, q); err == nil {
				data, err = json.Marshal(a)
			}
		}
		if err != nil {
			data, _ = json.Marshal(link.Fault{Error: err.Error()})
		}
		if !strings.HasPrefix(msg.Reply, link.Inbox("")) {
			return // it would be written there
		}
		_ = msg.Respond(data) // where that fails, who asked asks again
	}
}

// logger has what the server says and somebody ought to know.
type logger struct {
	log   func(format string, args ...any)
	fatal chan string
}

func (l *logger) Noticef(string, ...any) {}
func (l *logger) Debugf(string, ...any)  {}
func (l *logger) Tracef(string, ...any)  {}
func (l *logger) Warnf(format string, args ...any) {
	if strings.HasPrefix(format, "Stream create failed") { // whoever creates it is not told why
		l.log(format, args...)
	}
}
func (l *logger) Errorf(format string, args ...any) { l.log(format, args...) }
func (l *logger) Fatalf(format string, args ...any) {
	select {
	case l.fatal <- fmt.Sprintf(format, args...):
	default: // the first says why
	}
}

// why is the error of a server that cannot start.
func (l *logger) why(opts *server.Options) error {
	select {
	case said := <-l.fatal:
		if strings.Contains(said, "address already in use") {
			return hint.New("end that, or choose another port with --listen", "something else listens at %s:%d", opts.Host, opts.Port)
		}
		return fmt.Errorf("the hub cannot start: %s", said)
	default:
		return nil
	}
}
