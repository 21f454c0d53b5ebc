package hub

import (
	"cmp"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/bridge/watch"
	"github.com/askpane/askpane/integrations/machines/link"
	"github.com/askpane/askpane/integrations/machines/trust"
	"github.com/askpane/askpane/settings/private"
)

const (
	version   = 1
	stateFile = "hub.json"
	lockFile  = "hub.lock"
)

// state holds the content of hub.json, mode 0600: all of a hub but JetStream's store.
type state struct {
	Version int    `json:"version"`
	Listen  string `json:"listen"` // host:port
	// Key holds the seed of its certificate's key, which every machine pins.
	Key []byte `json:"key"`
	// Root holds the public root key, and Owner the name of the owner's machine: the first that joins.
	Root  string `json:"root,omitempty"`
	Owner string `json:"owner,omitempty"`
	// Invites maps nonces to when they expire.
	Invites map[string]time.Time `json:"invites"`
	// Machines holds all records, also of revoked machines.
	Machines []trust.Member `json:"machines,omitempty"`
}

// There reports whether there is a hub in dir.
func There(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, stateFile))
	return err == nil
}

// Init sets up a hub in dir, which listens at an address. It replaces none: machines know a
// hub by its key.
func Init(dir, listen string) error {
	if There(dir) {
		return hint.New("askpane hub serves it, askpane hub invite NAME invites a machine, and with --listen it listens elsewhere", "there is a hub already, in %s", dir)
	}
	key := make([]byte, ed25519.SeedSize)
	rand.Read(key)
	err := cmp.Or(os.MkdirAll(dir, 0o700), os.Chmod(dir, 0o700))
	if err == nil {
		err = private.Write(dir, stateFile, state{Version: version, Listen: listen, Key: key, Invites: map[string]time.Time{}})
	}
	if err != nil {
		return fmt.Errorf("set the hub up: %w", err)
	}
	return nil
}

// Relisten changes where the hub of a directory listens from its next start on. It returns the
// URL by which this machine finds it then, and its pin.
func Relisten(dir, listen string) (url, pin string, err error) {
	s, lock, err := hold(dir)
	defer lock.Close()
	if errors.Is(err, ErrUp) {
		err = hint.New("end it first: systemctl --user stop askpane-hub, or Ctrl+C where it runs", "%w", err)
	}
	h := Hub{config: Config{Listen: listen}}
	if err == nil {
		_, _, err = h.address()
	}
	if err == nil {
		_, pin, err = s.certificate()
	}
	if s.Listen = listen; err == nil {
		err = private.Write(dir, stateFile, s)
	}
	return h.URL, pin, err
}

// Undo undoes Init, where nothing can have joined yet.
func Undo(dir string) error { return os.Remove(filepath.Join(dir, stateFile)) }

// certificate makes a certificate for the hub's key, which alone counts in it. Machines pin
// that key.
func (s *state) certificate() (c tls.Certificate, pin string, err error) {
	if len(s.Key) != ed25519.SeedSize {
		return c, "", hint.New("bring it back from a backup", "the key in %s is damaged", stateFile)
	}
	key := ed25519.NewKeyFromSeed(s.Key)
	now := time.Now()
	leaf := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: now.AddDate(-1, 0, 0), NotAfter: now.AddDate(100, 0, 0), DNSNames: []string{"askpane-hub"}}
	der, err := x509.CreateCertificate(nil, leaf, leaf, key.Public(), key)
	if err == nil {
		leaf, err = x509.ParseCertificate(der)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}, link.Pin(leaf.RawSubjectPublicKeyInfo), err
}

// ErrUp reports that the hub runs already.
var ErrUp = errors.New("the hub is up already")

// hold reads the state, and takes the hub's lock until the file is closed: two servers on
// one store would destroy it.
func hold(dir string) (s state, lock *os.File, err error) {
	lock, err = os.OpenFile(filepath.Join(dir, lockFile), os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err == nil {
		err = watch.Flock(lock, unix.LOCK_EX|unix.LOCK_NB)
	}
	if err == nil {
		s, err = private.Read[state](dir, stateFile)
	}
	switch {
	case errors.Is(err, watch.ErrHeld):
		err = ErrUp
	case errors.Is(err, fs.ErrNotExist):
		err = hint.New("askpane hub init sets one up", "there is no hub on this machine")
	case err != nil:
		err = fmt.Errorf("read the hub's keys: %w", err)
	}
	return s, lock, err
}
