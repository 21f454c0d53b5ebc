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

// The files of this machine, each of mode 0600 in a directory of mode 0700.
const (
	linkFile        = "link.json"
	keysFile        = "keys.json"
	rootFile        = "root.seed"
	credentialsFile = "user.creds"
)

// Link is link.json: what hub this machine has joined, and as whom.
type Link struct {
	Version int    `json:"version"`
	URL     string `json:"url"`
	Pin     string `json:"pin,omitempty"`
	Root    Public `json:"root"`
	// Member is the record of this machine, which is published again where a hub has lost
	// its disk.
	Member Member `json:"member"`
}

// Identity is this machine on a hub, with its keys.
type Identity struct {
	Link
	dir  string
	sign ed25519.PrivateKey
	age  *age.X25519Identity
	user nkeys.KeyPair
}

// keys is keys.json.
type keys struct {
	Version int    `json:"version"`
	Nonce   string `json:"nonce"` // of the invite that they were made for
	User    string `json:"user"`
	Sign    []byte `json:"sign"`
	Age     string `json:"age"`
}

// Load is this machine as it has joined; fs.ErrNotExist where it has not.
func Load(dir string) (*Identity, error) {
	id, err := &Identity{dir: dir}, error(nil)
	if id.Link, err = readJSON[Link](dir, linkFile); err != nil {
		return nil, err
	}
	if err := known(id.Version, filepath.Join(dir, linkFile)); err != nil {
		return nil, err
	}
	k, err := readJSON[keys](dir, keysFile)
	if errors.Is(err, fs.ErrNotExist) { // not as if it had never joined
		err = errors.New("they are not there")
	}
	if err == nil {
		err = id.use(k)
	}
	if m := id.Member; err == nil && (m.Sign != publicOf(id.sign) || m.Age != id.age.Recipient().String()) {
		err = errors.New("they are not those that it has joined with")
	}
	if err != nil {
		return nil, hint.New("remove "+filepath.Join(dir, linkFile)+" and join again", "the keys of this machine in %s cannot be used: %w", dir, err)
	}
	return id, id.Member.Verify(id.Root)
}

// use takes keys as they are on the disk.
func (id *Identity) use(k keys) (err error) {
	if err := known(k.Version, keysFile); err != nil {
		return err
	}
	if len(k.Sign) != ed25519.SeedSize {
		return errors.New("the signing key is too short or too long")
	}
	id.sign = ed25519.NewKeyFromSeed(k.Sign)
	if id.age, err = age.ParseX25519Identity(k.Age); err != nil {
		return errors.New("what it opens with is no key of age") // age's error has the key in it
	}
	id.user, err = nkeys.FromSeed([]byte(k.User))
	return err
}

// Join makes the keys of this machine in dir and its membership by an invite; the owner's
// makes the root key, too. Nothing has joined before Save: tried again with the same
// invite, it has the same keys.
func Join(dir string, inv Invite) (*Identity, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if l, err := readJSON[Link](dir, linkFile); err == nil {
		return nil, hint.New("to leave it, remove "+filepath.Join(dir, linkFile), "this machine has joined %s already, as %s", l.URL, l.Member.Name)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	id := &Identity{dir: dir}
	k, err := readJSON[keys](dir, keysFile)
	if err != nil || k.Nonce != inv.Delegation.Nonce || id.use(k) != nil {
		if err = id.make(inv.Delegation.Nonce); err != nil {
			return nil, err
		}
	}
	if inv.Root == "" {
		root, err := ownRoot(dir)
		if err == nil {
			err = root.delegate(&inv, 0)
		}
		if err != nil {
			return nil, err
		}
	}
	user, err := id.user.PublicKey()
	if err != nil {
		return nil, err
	}
	d := inv.Delegation
	m := Member{Version: version, Name: d.Name, Person: d.Person, User: user, Sign: publicOf(id.sign), Age: id.age.Recipient().String(), Delegation: d}
	m.Signature = ed25519.Sign(ed25519.NewKeyFromSeed(inv.Key), m.signed())
	id.Link = Link{version, inv.URL, inv.Pin, inv.Root, m}
	return id, m.Verify(inv.Root)
}

// make makes new keys.
func (id *Identity) make(nonce string) error {
	_, sign, err := ed25519.GenerateKey(nil)
	if err != nil {
		return err
	}
	opener, err := age.GenerateX25519Identity()
	if err != nil {
		return err
	}
	user, err := nkeys.CreateUser()
	if err != nil {
		return err
	}
	seed, err := user.Seed()
	if err != nil {
		return err
	}
	id.sign, id.age, id.user = sign, opener, user
	return writeJSON(id.dir, keysFile, keys{version, nonce, string(seed), sign.Seed(), opener.String()})
}

// Save is the end of joining. token is the JWT that the hub has given for Member.User;
// empty where the hub is a NATS of the person's own.
func (id *Identity) Save(token string) error {
	if token != "" {
		claims, err := jwt.DecodeUserClaims(token)
		if err != nil || claims.Subject != id.Member.User {
			return hint.New("run askpane hub invite again and join by its line", "the hub has answered with credentials of somebody else")
		}
		seed, err := id.user.Seed()
		if err != nil {
			return err
		}
		content, err := jwt.FormatUserConfig(token, seed)
		if err != nil {
			return err
		}
		if err := writeOwn(id.dir, credentialsFile, content); err != nil {
			return err
		}
	}
	return writeJSON(id.dir, linkFile, id.Link)
}

// Credentials is the file by which NATS lets this machine in, where a hub gave one.
func (id *Identity) Credentials() string { return filepath.Join(id.dir, credentialsFile) }

// readOwn reads a file of this machine's if nobody else can have read or written it.
func readOwn(dir, name string) ([]byte, error) {
	for _, path := range []string{dir, filepath.Join(dir, name)} {
		info, err := os.Lstat(path)
		if err != nil {
			return nil, err
		}
		switch st, ok := info.Sys().(*syscall.Stat_t); {
		case info.Mode().Perm()&0o077 != 0:
			return nil, hint.New(fmt.Sprintf("run chmod go= %s, and join anew if others use this machine", hint.Word(path)), "%s is open to others (mode %04o)", path, info.Mode().Perm())
		case !info.IsDir() && !info.Mode().IsRegular(), ok && int(st.Uid) != os.Geteuid():
			return nil, hint.New("remove it and join again", "%s is not a file of yours", path)
		}
	}
	return os.ReadFile(filepath.Join(dir, name))
}

func writeOwn(dir, name string, content []byte) error {
	return renameio.WriteFile(filepath.Join(dir, name), content, 0o600, renameio.WithTempDir(dir))
}

func readJSON[T any](dir, name string) (v T, err error) {
	data, err := readOwn(dir, name)
	if err == nil {
		if err = json.Unmarshal(data, &v); err != nil {
			err = hint.New("remove it and join again", "%s cannot be read: %w", filepath.Join(dir, name), err)
		}
	}
	return v, err
}

func writeJSON(dir, name string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return writeOwn(dir, name, append(data, '\n'))
}
