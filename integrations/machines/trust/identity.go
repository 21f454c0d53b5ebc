package trust

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"filippo.io/age"

	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/settings/private"
)

// File names the file of a machine that has joined.
const File = "link.json"

// The other files of this machine.
const (
	joiningFile = "joining.json" // File before the hub has taken the machine
	rootFile    = "root.seed"
	membersFile = "members.json" // []Member, as of the last revocation
)

// Identity holds this machine's membership of a hub, and its keys.
type Identity struct {
	Version int    `json:"version"`
	URL     string `json:"url"`
	Pin     string `json:"pin,omitempty"`
	Root    string `json:"root"`
	Member  Member `json:"member"` // published again where a hub has lost its disk
	Keys    struct {
		Sign string `json:"sign"`
		Age  string `json:"age"`
		User string `json:"user"`
	} `json:"keys"`

	// Credentials names the file of those for a NATS of the person's own.
	Credentials string `json:"-"`

	dir    string
	opener *age.X25519Identity
}

// Load reads this machine's identity; fs.ErrNotExist if it has not joined.
func Load(dir string) (*Identity, error) { return load(dir, File) }

func load(dir, name string) (*Identity, error) {
	id, err := private.Read[Identity](dir, name)
	if err != nil {
		return nil, err
	}
	id.dir = dir
	return &id, id.check(filepath.Join(dir, name))
}

// Parse reads what File holds; nothing of it goes to the disk.
func Parse(data []byte) (*Identity, error) {
	id := new(Identity)
	if err := json.Unmarshal(data, id); err != nil {
		return nil, err
	}
	return id, id.check("it")
}

// check returns an error unless the keys are those of the member, and the root has vouched for it.
func (id *Identity) check(where string) (err error) {
	id.opener, err = age.ParseX25519Identity(id.Keys.Age)
	if err != nil || id.opener.Recipient().String() != id.Member.Age || publicOf(id.Keys.Sign) != id.Member.Sign || publicOf(id.Keys.User) != id.Member.User {
		return hint.New("remove it and join again", "the keys in %s are not those that this machine has joined with", where)
	}
	return id.Member.check(id.Root)
}

// Join makes this machine's keys and membership by an invite; the owner's machine makes
// the root key as well. Until Save the machine stays what it was. The root never invites a
// name in use; a second member of a name replaces a revoked one.
func Join(dir string, inv Invite) (*Identity, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	root, noRoot := LoadRoot(dir)
	if inv.Root == "" && noRoot == nil {
		root.delegate(&inv)
	}
	old, err := private.Read[Identity](dir, File)
	switch {
	case err == nil && (old.Root != inv.Root || old.Member.Name != inv.Delegation.Name): // else it was revoked, or the hub was set up anew
		return nil, hint.New("to leave it, remove "+filepath.Join(dir, File), "this machine has joined %s already, as %s", cmp.Or(old.URL, "others"), old.Member.Name)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	if id, err := load(dir, joiningFile); err == nil && id.Member.Nonce == inv.Delegation.Nonce {
		return id, nil // the hub may have taken it, and its answer was lost
	}
	if inv.Root == "" {
		if !errors.Is(noRoot, errNoRoot) {
			return nil, noRoot
		}
		root.public, root.seed = newKey()
		if err := private.Write(dir, rootFile, root.seed); err != nil {
			return nil, err
		}
		root.delegate(&inv)
	}
	id, err := join(dir, inv)
	if err == nil {
		err = private.Write(dir, joiningFile, id)
	}
	return id, err
}

func join(dir string, inv Invite) (*Identity, error) {
	opener, err := age.GenerateX25519Identity()
	if err != nil {
		return nil, err
	}
	id := &Identity{Version: version, URL: inv.URL, Pin: inv.Pin, Root: inv.Root, dir: dir, opener: opener}
	m := &id.Member
	m.Version, m.Delegation, m.Age, id.Keys.Age = version, inv.Delegation, opener.Recipient().String(), opener.String()
	m.Sign, id.Keys.Sign = newKey()
	m.User, id.Keys.User = newKey()
	m.Signature = sign(inv.Key, m.message())
	return id, m.check(inv.Root) // the line may have been changed on its way
}

// Save ends joining: the hub has taken this machine.
func (id *Identity) Save() error {
	return os.Rename(filepath.Join(id.dir, joiningFile), filepath.Join(id.dir, File))
}

// Move keeps the URL by which the hub is reached from now on.
func (id *Identity) Move(url string) error {
	id.URL = url
	return private.Write(id.dir, File, id)
}

// Left reports whether this machine has left its hub since: its keys were removed.
func (id *Identity) Left() bool {
	_, err := os.Lstat(filepath.Join(id.dir, File))
	return errors.Is(err, fs.ErrNotExist)
}

// Login signs what a hub sends to whoever says that it is Member.User.
func (id *Identity) Login(nonce []byte) ([]byte, error) { return sign(id.Keys.User, nonce), nil }
