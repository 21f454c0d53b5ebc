// Package link connects a machine to a hub: it publishes this machine's questions, and mirrors
// those of other machines.
//
// It speaks NATS, and reaches no server's code. The rule that must hold here: what leaves
// this machine is sealed and signed (trust), and what comes is believed by its signature
// alone.
package link

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/integrations/machines/trust"
	"github.com/askpane/askpane/settings"
)

// The subjects of a hub. A machine's name stands last, or before what it asks.
const (
	Prefix  = "ask.js."     // and a machine's name, a dot, a subject: what the gate is to pass on (integrations/machines/hub/gate.go)
	Peek    = "ask.peek."   // and a machine's name: a person wants to see a pane there
	Invites = "ask.invite." // and an invite's nonce: one machine may join by it; for the owner's
	Joins   = "ask.join."   // and an invite's nonce: the record of a machine that joins, or that is revoked
)

// Inbox returns the prefix of the subjects of replies to a machine, where nobody else can
// listen.
func Inbox(name string) string { return "_INBOX_" + name }

// Load reads this machine's identity. A NATS of the person's own, which the settings name, takes
// the place of the hub. The error is fs.ErrNotExist if it has joined none, and is to join none.
func Load(dir string, s settings.Settings) (*trust.Identity, error) {
	id, err := trust.Load(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) && s.HubURL != "":
		err = hint.New("run askpane hub init on the first of your machines, and on the others askpane join with the line of askpane hub invite", "hubUrl is set, and this machine has no keys yet")
	case err == nil && s.HubURL != "":
		id.URL, id.Pin, id.Credentials = s.HubURL, "", s.HubCredentials
	case err == nil && id.URL == "":
		err = hint.New("run askpane settings set hubUrl URL", "this machine has joined others at a NATS server of yours, and hubUrl does not say where that is")
	}
	return id, err
}

// Connect connects this machine to its hub. What options say comes last.
func Connect(id *trust.Identity, opts ...nats.Option) (*nats.Conn, error) {
	if id.Pin == "" {
		return connectOwn(id, opts)
	}
	nc, err := Dial(id.URL, id.Pin, id.Member.Name, append([]nats.Option{nats.Nkey(id.Member.User, id.Login)}, opts...)...)
	if errors.Is(err, nats.ErrAuthorization) {
		err = hint.New("have its owner run askpane hub invite "+id.Member.Name+", and join again", "the hub at %s does not let this machine in as %s; it was revoked, or the hub was set up anew: %w", withoutUsers(id.URL), id.Member.Name, err)
	}
	return nc, err
}

// connectOwn connects to a NATS of the person's own.
func connectOwn(id *trust.Identity, opts []nats.Option) (*nats.Conn, error) {
	if file := id.Credentials; file != "" {
		if rest, ok := strings.CutPrefix(file, "~/"); ok {
			home, _ := os.UserHomeDir()
			file = filepath.Join(home, rest)
		}
		if _, err := os.Stat(file); err != nil {
			return nil, hint.New("mend the setting hubCredentials", "the credentials for hubUrl: %w", err)
		}
		opts = append(opts, nats.UserCredentials(file))
	}
	nc, err := Dial(id.URL, "", id.Member.Name, opts...)
	if errors.Is(err, nats.ErrAuthorization) || errors.Is(err, nats.ErrAuthRevoked) || errors.Is(err, nats.ErrAuthExpired) {
		err = hint.New("mend the settings hubUrl and hubCredentials", "the server of hubUrl does not let this machine in: %w", err)
	}
	return nc, err
}

// Dial connects to a hub whose certificate has the key that pin names, or, where that is
// empty, to a NATS of the person's own. Replies come to the inbox of name.
func Dial(urls, pin, name string, opts ...nats.Option) (*nats.Conn, error) {
	all := []nats.Option{nats.Name("askpane " + name), nats.CustomInboxPrefix(Inbox(name)), nats.Timeout(10 * time.Second)}
	if pin != "" {
		all = append(all, nats.TLSHandshakeFirst(), nats.Secure(&tls.Config{
			MinVersion:         tls.VersionTLS13,
			InsecureSkipVerify: true, // no authority has signed it: the key is compared
			VerifyConnection:   pinned(pin),
		}))
	}
	nc, err := nats.Connect(urls, append(all, opts...)...)
	at := withoutUsers(urls)
	if err != nil && at == "" { // the error may have the password in it
		return nil, hint.New("see that it is like tls://HOST:PORT", "the URL of the hub cannot be used")
	}
	switch {
	case err == nil, errors.Is(err, errPin), errors.Is(err, nats.ErrAuthorization):
	case errors.As(err, new(tls.RecordHeaderError)):
		err = hint.New("see what runs there", "what answers at %s is no hub: %w", at, err)
	case errors.Is(err, nats.ErrNoServers), errors.Is(err, nats.ErrTimeout), errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded): // the last two of one that is stopped or out of reach
		err = hint.New("see that askpane hub runs there, and that this machine reaches it", "the hub at %s does not answer: %w", at, err)
	}
	return nc, err
}

// withoutUsers returns one URL or several with commas between without users and passwords;
// nothing where they cannot be read, since a password may have any character.
func withoutUsers(urls string) string {
	var all []string
	for _, one := range strings.Split(urls, ",") {
		one = strings.TrimSpace(one)
		if !strings.Contains(one, "://") {
			one = "nats://" + one
		}
		u, err := url.Parse(one)
		if err != nil || u.Host == "" || strings.Trim(u.RequestURI(), "/")+u.Fragment != "" {
			return ""
		}
		all = append(all, u.Scheme+"://"+u.Host)
	}
	return strings.Join(all, ", ")
}

// Pin names the key of a TLS certificate.
func Pin(publicKeyInfo []byte) string {
	sum := sha256.Sum256(publicKeyInfo)
	return "sha256:" + base64.RawURLEncoding.EncodeToString(sum[:])
}

var errPin = errors.New("it has another key")

// pinned compares the key of the server's certificate with the pinned one.
func pinned(pin string) func(tls.ConnectionState) error {
	return func(s tls.ConnectionState) error {
		if len(s.PeerCertificates) > 0 && bytes.Equal([]byte(pin), []byte(Pin(s.PeerCertificates[0].RawSubjectPublicKeyInfo))) {
			return nil
		}
		return hint.New("join again by a new line of askpane hub invite for this machine, if the hub was set up anew, or else see who is in between", "this is not the hub that this machine has joined: %w", errPin)
	}
}

// JetStream returns this machine's way to JetStream. A hub of ours has a gate before it, which
// decides what a machine may do; a NATS of the person's own has none. A consumer that
// is more than a watch's (durable, pulled) is refused there.
func JetStream(nc *nats.Conn, id *trust.Identity) (jetstream.JetStream, error) {
	if id.Pin == "" {
		return jetstream.New(nc)
	}
	return jetstream.NewWithAPIPrefix(nc, Prefix+id.Member.Name)
}

// through returns the subject by which this machine sends to another: by that gate, where there
// is one.
func through(id *trust.Identity, subject string) string {
	if id.Pin == "" {
		return subject
	}
	return Prefix + id.Member.Name + "." + subject
}

// The buckets; trust says who writes what there.
const (
	Machines, Entries, Bids = trust.Machines, trust.Entries, trust.Bids
	Drafts, Alive           = trust.Drafts, trust.Alive
)

const (
	mib = 1 << 20
	// MaxMessage bounds a message, in bytes.
	MaxMessage = 4 * mib
	// AliveTime sets how long a machine counts as there after a heartbeat.
	AliveTime = 30 * time.Second
	// MostQuestions bounds how many of a machine's may be open at once.
	MostQuestions = 1000
	// MarkerTime sets how long the hub remembers a deleted key, for those who were away.
	MarkerTime = time.Hour
	// OverTime sets how long it remembers how a question has ended whose machine has no desk any more: somebody
	// may be away over a weekend.
	OverTime = 72 * time.Hour
)

// What a hub of ours says of itself and of what it refuses.
const (
	Hub    = "_hub"         // its own key in Alive, where Said stands, unsealed
	Full   = 18001          // the code of the error where a machine has as much at the hub as it may
	IsOver = "Askpane-Over" // the header of a question that is over, since that does not count
)

// Said names the machines that the hub refuses something, and why.
type Said struct {
	Full map[string]string `json:"full"`
}

// Buckets returns the buckets of a hub, by name.
func Buckets() map[string]jetstream.KeyValueConfig {
	all := map[string]jetstream.KeyValueConfig{
		Machines: {MaxBytes: 64 * mib},
		Entries:  {MaxBytes: 2048 * mib},
		Bids:     {MaxBytes: 1024 * mib},
		Drafts:   {MaxBytes: 256 * mib, Storage: jetstream.MemoryStorage},
		Alive:    {MaxBytes: 16 * mib, Storage: jetstream.MemoryStorage, TTL: AliveTime},
	}
	for name, b := range all {
		b.Bucket, b.MaxValueSize, b.LimitMarkerTTL = name, MaxMessage, MarkerTime
		all[name] = b
	}
	return all
}

// Bucket opens one of them. In a NATS of the person's own, whoever comes first makes it.
func Bucket(ctx context.Context, nc *nats.Conn, id *trust.Identity, name string) (jetstream.KeyValue, error) {
	js, err := JetStream(nc, id)
	if err != nil {
		return nil, err
	}
	kv, err := js.KeyValue(ctx, name)
	if errors.Is(err, jetstream.ErrBucketNotFound) && id.Pin == "" {
		config := Buckets()[name]
		config.Replicas = 3 // it stays while one server of a cluster is down
		if kv, err = js.CreateOrUpdateKeyValue(ctx, config); tooFew(err) {
			config.Replicas = 1
			kv, err = js.CreateOrUpdateKeyValue(ctx, config)
		}
	}
	if err != nil {
		err = fmt.Errorf("use the hub's bucket %s: %w", name, err)
	}
	return kv, err
}

// tooFew reports whether the server is alone, or one of two.
func tooFew(err error) bool {
	var refused *jetstream.APIError
	return errors.As(err, &refused) && (refused.ErrorCode == 10074 || // no cluster
		refused.ErrorCode == 10005 && refused.Description == "no suitable peers for placement") // else with what is wrong with them
}

// Each calls f with what a bucket holds of some keys.
func Each(ctx context.Context, nc *nats.Conn, id *trust.Identity, bucket, keys string, f func(key string, value []byte)) error {
	kv, err := Bucket(ctx, nc, id, bucket)
	if err != nil {
		return err
	}
	w, err := kv.Watch(ctx, keys, jetstream.IgnoreDeletes())
	if err != nil {
		return err
	}
	defer func() { _ = w.Stop() }()
	for e := range w.Updates() {
		if e == nil {
			return nil
		}
		f(e.Key(), e.Value())
	}
	return cmp.Or(ctx.Err(), errGone)
}

// Known reads the machines that the hub has, and that are believed.
func Known(ctx context.Context, nc *nats.Conn, id *trust.Identity) (*trust.Members, error) {
	ms := trust.NewMembers(id.Root)
	return ms, Each(ctx, nc, id, Machines, ">", func(name string, record []byte) { _, _ = ms.AddRecord(name, record) })
}
