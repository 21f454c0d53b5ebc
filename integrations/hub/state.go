package hub

import (
	"cmp"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/google/renameio/v2"
	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nkeys"
	"golang.org/x/sys/unix"

	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/bridge/watch"
	"github.com/askpane/askpane/integrations/desk/link"
	"github.com/askpane/askpane/integrations/desk/link/trust"
)

const (
	version   = 1
	stateFile = "hub.json"
	lockFile  = "hub.lock"
)

// state is hub.json, mode 0600: all that makes this hub that hub but for what waits in it.
type state struct {
	Version  int    `json:"version"`
	Listen   string `json:"listen"` // host:port
	Operator string `json:"operator"`
	Account  string `json:"account"` // the seeds of the keys that sign
	System   string `json:"system"`
	// Certificate and Key are PEM. Every machine pins the key.
	Certificate string `json:"certificate"`
	Key         string `json:"key"`
	// Root is the owner's. It is written once, by the first that joins.
	Root  trust.Public `json:"root,omitempty"`
	Owner string       `json:"owner,omitempty"` // the name of the owner's machine
	// Invites are those that have not expired, by nonce.
	Invites map[string]invite `json:"invites,omitempty"`
	// Revoked are the users who are let in no more, with the time of the hub.
	Revoked map[string]time.Time `json:"revoked,omitempty"`
}

type invite struct {
	Name    string    `json:"name"`
	Expires time.Time `json:"expires"`
	User    string    `json:"user,omitempty"` // who has used it
}

// Exists reports whether a hub was set up in dir.
func Exists(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, stateFile))
	return err == nil
}

// Init makes the keys of a hub in dir, which listens at an address. It is an error where
// there is one: machines know it by its keys.
func Init(dir, listen string) error {
	if err := cmp.Or(os.MkdirAll(dir, 0o700), os.Chmod(dir, 0o700)); err != nil {
		return fmt.Errorf("make the hub's directory: %w", err)
	}
	if Exists(dir) {
		return hint.New("askpane hub serves it, and askpane hub invite NAME invites a machine", "there is a hub already, in %s", dir)
	}
	s := state{Version: version, Listen: listen}
	for seed, kind := range map[*string]nkeys.PrefixByte{&s.Operator: nkeys.PrefixByteOperator, &s.Account: nkeys.PrefixByteAccount, &s.System: nkeys.PrefixByteAccount} {
		pair, err := nkeys.CreatePair(kind)
		if err != nil {
			return err
		}
		data, err := pair.Seed()
		if err != nil {
			return err
		}
		*seed = string(data)
	}
	if err := s.certify(); err != nil {
		return fmt.Errorf("make the hub's certificate: %w", err)
	}
	return s.save(dir)
}

// Undo takes Init back, where nothing can have joined yet.
func Undo(dir string) error { return os.Remove(filepath.Join(dir, stateFile)) }

// certify makes a key for TLS, and a certificate, in which that key alone counts.
func (s *state) certify() error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	now := time.Now()
	leaf := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: now.AddDate(-1, 0, 0), NotAfter: now.AddDate(100, 0, 0), DNSNames: []string{"askpane-hub"}}
	der, err := x509.CreateCertificate(rand.Reader, leaf, leaf, key.Public(), key)
	if err != nil {
		return err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	s.Certificate = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	s.Key = string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}))
	return err
}

// tls is the certificate and what machines pin of it.
func (s *state) tls() (cert tls.Certificate, pin string, err error) {
	if cert, err = tls.X509KeyPair([]byte(s.Certificate), []byte(s.Key)); err != nil {
		return cert, "", fmt.Errorf("use the hub's certificate: %w", err)
	}
	return cert, link.Pin(cert.Leaf.RawSubjectPublicKeyInfo), nil
}

func load(dir string) (s *state, err error) {
	path := filepath.Join(dir, stateFile)
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, hint.New("askpane hub init sets one up", "there is no hub on this machine")
	}
	if err == nil && (!info.Mode().IsRegular() || info.Mode().Perm()&0o077 != 0 || int(info.Sys().(*syscall.Stat_t).Uid) != os.Geteuid()) {
		return nil, hint.New("see who has changed it, then chmod 600 "+hint.Word(path), "%s, which has the hub's keys, is not yours alone", path)
	}
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err == nil && s.Version > version {
		err = hint.New("install a newer askpane", "%s is of format %d, and this askpane knows formats up to %d", path, s.Version, version)
	}
	if err != nil {
		return nil, fmt.Errorf("read the hub's keys: %w", err)
	}
	return s, nil
}

func (s *state) save(dir string) error {
	data, err := json.MarshalIndent(s, "", "  ")
	if err == nil {
		err = renameio.WriteFile(filepath.Join(dir, stateFile), append(data, '\n'), 0o600, renameio.WithTempDir(dir))
	}
	if err != nil {
		return fmt.Errorf("keep the hub's keys: %w", err)
	}
	return nil
}

// hold takes the hub's lock until the file is closed: two servers on one store would
// destroy it.
func hold(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, lockFile), os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the hub: %w", err)
	}
	if err = watch.Flock(f, unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, watch.ErrHeld) {
			err = ErrUp
		}
		return nil, err
	}
	return f, nil
}

// Up reports whether the hub of dir is served.
func Up(dir string) bool { return watch.Held(filepath.Join(dir, lockFile)) }

// ErrUp is that the hub is served already.
var ErrUp = errors.New("the hub is up already")

// keys are the signing keys out of their seeds.
func (s *state) keys() (operator, account nkeys.KeyPair, system string, err error) {
	if operator, err = nkeys.FromSeed([]byte(s.Operator)); err != nil {
		return
	}
	if account, err = nkeys.FromSeed([]byte(s.Account)); err != nil {
		return
	}
	pair, err := nkeys.FromSeed([]byte(s.System))
	if err == nil {
		system, err = pair.PublicKey()
	}
	return
}

// accountClaims are what the server knows of the one account: its limits, and who is let
// in no more.
func (s *state) accountClaims(account string) *jwt.AccountClaims {
	c := jwt.NewAccountClaims(account)
	c.Name = "askpane"
	c.Limits.DisallowBearer = true // who has no key of his own is not let in
	c.Limits.JetStreamLimits = jwt.JetStreamLimits{MemoryStorage: maxMemory, DiskStorage: maxDisk, Streams: maxStreams, Consumer: jwt.NoLimit}
	for user, at := range s.Revoked {
		c.RevokeAt(user, at)
	}
	return c
}
