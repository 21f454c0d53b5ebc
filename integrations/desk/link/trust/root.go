package trust

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/askpane/askpane/bridge/text/hint"
)

// Root is the person's key, on the owner's machine alone.
type Root struct{ key ed25519.PrivateKey }

// LoadRoot reads the root key of this machine.
func LoadRoot(dir string) (*Root, error) {
	data, err := readOwn(dir, rootFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, hint.New("run this on the machine that askpane hub init has run on, or that joined as the owner's", "only the owner's machine can do this: the root key is not here")
	}
	if err != nil {
		return nil, err
	}
	seed, err := base64.RawURLEncoding.DecodeString(strings.TrimSpace(string(data)))
	if err != nil || len(seed) != ed25519.SeedSize {
		return nil, hint.New("bring it back from a backup", "%s holds no root key", filepath.Join(dir, rootFile))
	}
	return &Root{ed25519.NewKeyFromSeed(seed)}, nil
}

// ownRoot is the root key of this machine, which is made where there is none.
func ownRoot(dir string) (*Root, error) {
	if _, err := os.Lstat(filepath.Join(dir, rootFile)); !errors.Is(err, fs.ErrNotExist) {
		return LoadRoot(dir)
	}
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		return nil, err
	}
	return &Root{key}, writeOwn(dir, rootFile, []byte(base64.RawURLEncoding.EncodeToString(key.Seed())+"\n"))
}

// Public is what every invite pins.
func (r *Root) Public() Public { return publicOf(r.key) }

// Invite is what one line carries to a machine that is to join. It is a secret until it
// is used: whoever has it first is that machine.
type Invite struct {
	URL  string `json:"url"`
	Pin  string `json:"pin,omitempty"`  // of the hub's TLS certificate
	Root Public `json:"root,omitempty"` // empty in the owner's, who makes it
	// JWT and Seed are for asking the hub once, at ask.join.NONCE. Both are the hub's to
	// fill in, and empty for a NATS of the person's own.
	JWT  string `json:"jwt,omitempty"`
	Seed string `json:"seed,omitempty"`
	// Delegation names the machine. Key is the delegate's seed, which no wire sees.
	Delegation Delegation `json:"delegation"`
	Key        []byte     `json:"key,omitempty"`
}

const (
	invitePrefix = "askpane-join-"
	inviteStart  = invitePrefix + "1:"
)

// OwnerInvite invites the machine that makes the root key and is the owner's.
func OwnerInvite(name string) (Invite, error) {
	return Invite{Delegation: Delegation{Name: name, Person: true, Nonce: rand.Text()}}, ValidName(name)
}

// Invite vouches for a machine to come. ms are the machines there are: a name is given
// once, and again after it was revoked. URL, Pin, JWT and Seed are for the caller.
func (r *Root) Invite(ms *Members, name string, person bool) (Invite, error) {
	if err := ValidName(name); err != nil {
		return Invite{}, err
	}
	old, err := ms.Get(name)
	if err == nil {
		return Invite{}, hint.New("choose another name, or run askpane hub revoke "+name+" first", "there is a machine %s already", name)
	}
	inv := Invite{Delegation: Delegation{Name: name, Person: person, Nonce: rand.Text()}}
	return inv, r.delegate(&inv, old.Delegation.Serial)
}

// delegate signs an invite, which is to be later than a serial.
func (r *Root) delegate(inv *Invite, after int64) error {
	public, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		return err
	}
	d := &inv.Delegation
	d.Delegate, d.Serial = Public(base64.RawURLEncoding.EncodeToString(public)), max(time.Now().UnixMilli(), after+1)
	d.Signature = ed25519.Sign(r.key, d.signed())
	inv.Root, inv.Key = r.Public(), key.Seed()
	return nil
}

// Revoke is the record that takes the place of a machine's: from then on nobody seals to
// it, and believes nothing that it has signed.
func (r *Root) Revoke(m Member) (Member, error) {
	if err := m.Verify(r.Public()); err != nil {
		return m, err
	}
	m.Revoked = &Revocation{At: time.Now().UTC().Truncate(time.Second)}
	m.Revoked.Signature = ed25519.Sign(r.key, m.signedRevocation())
	return m, nil
}

// String is the invite as one line for askpane join.
func (inv Invite) String() string {
	data, err := json.Marshal(inv)
	if err != nil {
		panic(err) // strings and bytes alone
	}
	return inviteStart + base64.RawURLEncoding.EncodeToString(data)
}

// ParseInvite reads the line that askpane hub invite has printed.
func ParseInvite(line string) (inv Invite, err error) {
	const anew = "run askpane hub invite again, and paste its whole line"
	line = strings.TrimSpace(line)
	coded, ours := strings.CutPrefix(line, inviteStart)
	if !ours && strings.HasPrefix(line, invitePrefix) {
		return inv, known(version+1, "this line")
	}
	data, err := base64.RawURLEncoding.DecodeString(coded)
	if !ours || err != nil || json.Unmarshal(data, &inv) != nil {
		return inv, hint.New(anew, "this is not the line that askpane hub invite prints, or not all of it")
	}
	d := inv.Delegation
	owners := inv.Root == "" && inv.Key == nil && d.Person
	if !owners && (len(inv.Key) != ed25519.SeedSize || inv.Root.verify(d.signed(), d.Signature) != nil || publicOf(ed25519.NewKeyFromSeed(inv.Key)) != d.Delegate) {
		return inv, hint.New(anew, "this line was changed on its way")
	}
	return inv, ValidName(d.Name)
}
