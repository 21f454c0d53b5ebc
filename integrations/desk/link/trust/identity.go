package trust

import (
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"filippo.io/age"
	"github.com/google/renameio/v2"
	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nkeys"

	"github.com/askpane/askpane/bridge/text/hint"
)

// The files of this machine.
const (
	linkFile        = "link.json"
	joiningFile     = "joining.json" // link.json before the hub has taken the machine
	rootFile        = "root.seed"
	revokedFile     = "revoked.json" // []Member
	credentialsFile = "user.creds"
)

// Link is what hub this machine has joined, and as whom. Its record is published again
// where a hub has lost its disk.
type Link struct {
	Version int    `json:"version"`
	URL     string `json:"url"`
	Pin     string `json:"pin,omitempty"`
	Root    Public `json:"root"`
	Member  Member `json:"member"`
}

// Identity is this machine on a hub, with its keys.
type Identity struct {
	Link
	dir  string
	sign ed25519.PrivateKey
	age  *age.X25519Identity
	user string // its nkey's seed
}

// saved is an Identity in its file.
type saved struct {
	Link
	SignKey []byte `json:"signKey"`
	AgeKey  string `json:"ageKey"`
	UserKey string `json:"userKey"`
}

// Load is this machine as it has joined; fs.ErrNotExist where it has not.
func Load(dir string) (*Identity, error) { return load(dir, linkFile) }

func load(dir, name string) (*Identity, error) {
	s, err := read[saved](dir, name)
	if err != nil {
		return nil, err
	}
	if err := known(s.Version, filepath.Join(dir, name)); err != nil {
		return nil, err
	}
	id := &Identity{Link: s.Link, dir: dir, user: s.UserKey}
	if id.sign, err = keyOf(s.SignKey); err == nil {
		id.age, err = age.ParseX25519Identity(s.AgeKey)
	}
	if err != nil || public(id.sign) != id.Member.Sign || id.age.Recipient().String() != id.Member.Age {
		return nil, hint.New("remove it and join again", "the keys in %s are not those that this machine has joined with", filepath.Join(dir, name))
	}
	return id, id.Member.Verify(id.Root)
}

// Join makes this machine's keys and membership by an invite; the owner's machine makes
// the root key as well. It has not joined before Save: tried again by the same invite, it
// is the same.
func Join(dir string, inv Invite) (*Identity, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if l, err := read[Link](dir, linkFile); err == nil {
		return nil, hint.New("to leave it, remove "+filepath.Join(dir, linkFile), "this machine has joined %s already, as %s", l.URL, l.Member.Name)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if id, err := load(dir, joiningFile); err == nil && id.Member.Delegation.Nonce == inv.Delegation.Nonce {
		return id, nil
	}
	if inv.Root == "" {
		root, err := LoadRoot(dir)
		if errors.Is(err, fs.ErrNotExist) {
			_, root.key, _ = ed25519.GenerateKey(nil) // never fails
			err = write(dir, rootFile, encode(root.key.Seed()))
		}
		if err != nil {
			return nil, err
		}
		root.delegate(&inv)
	}
	return join(dir, inv)
}

func join(dir string, inv Invite) (*Identity, error) {
	delegate, err := keyOf(inv.Key)
	if err != nil {
		return nil, err
	}
	opener, err := age.GenerateX25519Identity()
	if err != nil {
		return nil, err
	}
	user, err := nkeys.CreateUser()
	if err != nil {
		return nil, err
	}
	seed, _ := user.Seed() // it was made here and is not wiped
	login, _ := user.PublicKey()
	_, sign, _ := ed25519.GenerateKey(nil)
	id := &Identity{dir: dir, sign: sign, age: opener, user: string(seed)}
	d := inv.Delegation
	m := Member{Version: version, Name: d.Name, Person: d.Person, User: login, Sign: public(id.sign), Age: opener.Recipient().String(), Delegation: d}
	m.Signature = ed25519.Sign(delegate, m.message())
	id.Link = Link{version, inv.URL, inv.Pin, inv.Root, m}
	if err := m.Verify(inv.Root); err != nil { // a line that was changed on its way
		return nil, err
	}
	return id, write(dir, joiningFile, encode(saved{id.Link, id.sign.Seed(), opener.String(), id.user}))
}

// Save is the end of joining. token is the JWT that a hub of ours has given for
// Member.User.
func (id *Identity) Save(token string) error {
	if token != "" {
		content, err := jwt.FormatUserConfig(token, []byte(id.user))
		if err == nil {
			err = write(id.dir, credentialsFile, content)
		}
		if err != nil {
			return fmt.Errorf("keep what the hub lets this machine in by: %w", err)
		}
	}
	return os.Rename(filepath.Join(id.dir, joiningFile), filepath.Join(id.dir, linkFile))
}

// Credentials is the file by which a hub of ours lets this machine in.
func (id *Identity) Credentials() string { return filepath.Join(id.dir, credentialsFile) }

// read reads a file that nobody else can have read or written.
func read[T any](dir, name string) (v T, err error) {
	path := filepath.Join(dir, name)
	for _, p := range []string{dir, path} {
		info, err := os.Lstat(p)
		switch {
		case err != nil:
			return v, err
		case int(info.Sys().(*syscall.Stat_t).Uid) != os.Geteuid(), info.Mode().IsRegular() != (p == path):
			return v, hint.New("remove it and join again", "%s is not yours, or not a plain file", p)
		case info.Mode().Perm()&0o077 != 0 && p == path, info.Mode().Perm()&0o022 != 0:
			return v, hint.New("run chmod go= "+hint.Word(p)+"; if others use this machine, revoke it and join again as well", "%s is open to others (mode %04o)", p, info.Mode().Perm())
		}
	}
	data, err := os.ReadFile(path)
	if err == nil && json.Unmarshal(data, &v) != nil {
		err = hint.New("bring it back from a backup, or remove it and join again", "%s is damaged", path)
	}
	return v, err
}

func write(dir, name string, content []byte) error {
	return renameio.WriteFile(filepath.Join(dir, name), content, 0o600, renameio.WithTempDir(dir))
}
