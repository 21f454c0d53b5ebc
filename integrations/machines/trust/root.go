package trust

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io/fs"
	"strings"
	"time"

	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/settings/private"
)

// Root holds the person's key, which vouches for machines. It lies on the owner's alone.
type Root struct{ public, seed string }

var errNoRoot = hint.New("run this on the owner's machine, which has set the hub up or joined it first", "the root key is not on this machine")

// LoadRoot reads the root key of this machine.
func LoadRoot(dir string) (r *Root, err error) {
	r = &Root{}
	if r.seed, err = private.Read[string](dir, rootFile); errors.Is(err, fs.ErrNotExist) {
		err = errNoRoot
	}
	r.public = publicOf(r.seed)
	return r, err
}

// Public returns the public key, which every invite pins.
func (r *Root) Public() string { return r.public }

// Invite holds what one line carries to a machine that is to join. Whoever uses the line first
// becomes that machine.
type Invite struct {
	URL        string     `json:"url"`
	Pin        string     `json:"pin,omitempty"`  // of the hub's TLS certificate
	Root       string     `json:"root,omitempty"` // empty in the owner's, who makes it
	Delegation Delegation `json:"delegation"`
	Key        string     `json:"key,omitempty"` // the delegate's, which no wire sees
}

const (
	inviteStart = "askpane-join-"
	inviteThis  = inviteStart + "1:"
)

// OwnerInvite invites the machine that makes the root key. The hub adds its URL, here and in
// Invite.
func OwnerInvite(name string) (Invite, error) {
	return Invite{Delegation: Delegation{Name: name, Person: true, Nonce: rand.Text()}}, ValidName(name)
}

// Invite vouches for a machine to come. ms are those there are: a name is given once, and
// again after it was revoked.
func (r *Root) Invite(ms *Members, name string, person bool) (Invite, error) {
	old, err := ms.Get(name)
	if err == nil {
		return Invite{}, hint.New("choose another name, or run askpane hub revoke "+name+" first", "there is a machine %s already", name)
	}
	inv, err := OwnerInvite(name)
	inv.Delegation.Person, inv.Delegation.Serial = person, old.Delegation.Serial
	r.delegate(&inv)
	return inv, err
}

func (r *Root) delegate(inv *Invite) {
	d := &inv.Delegation
	inv.Root = r.public
	d.Delegate, inv.Key = newKey()
	d.Serial = max(time.Now().UnixMilli(), d.Serial+1)
	d.Vouched = sign(r.seed, d.message())
}

// Revoke returns the record that takes the place of a machine's: nobody seals to it any more,
// or believes what it has signed.
func (r *Root) Revoke(m Member) (Member, error) {
	if err := m.current(); err != nil {
		return m, err
	}
	m.Revoked = new(time.Now().UTC().Truncate(time.Second))
	m.Signature = sign(r.seed, m.message())
	return m, nil
}

// String encodes the invite as one line.
func (inv Invite) String() string {
	return inviteThis + base64.RawURLEncoding.EncodeToString(Encode(inv))
}

// ParseInvite reads the line that askpane hub invite has printed.
func ParseInvite(line string) (inv Invite, err error) {
	line = strings.Join(strings.Fields(line), "") // it is long, and was perhaps wrapped
	coded, ours := strings.CutPrefix(line, inviteThis)
	if !ours && strings.HasPrefix(line, inviteStart) {
		return inv, private.Known(version+1, "this line")
	}
	data, err := base64.RawURLEncoding.DecodeString(coded)
	if !ours || err != nil || json.Unmarshal(data, &inv) != nil {
		return inv, hint.New("run askpane hub invite again, and paste its whole line", "this is not the line that askpane hub invite prints, or not all of it")
	}
	return inv, ValidName(inv.Delegation.Name)
}
