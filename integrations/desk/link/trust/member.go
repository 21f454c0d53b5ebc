package trust

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"filippo.io/age"

	"github.com/askpane/askpane/bridge/text/hint"
)

// Delegation is what the root has signed for one invite: whoever has the delegate's key
// may sign the membership of one machine of this name.
type Delegation struct {
	Name   string `json:"name"`
	Person bool   `json:"person"`
	// Nonce names the invite. The hub takes one membership for it.
	Nonce string `json:"nonce"`
	// Serial is the time of the root's machine in milliseconds, later for each delegation
	// of a name. It is compared with others of the same root alone.
	Serial    int64  `json:"serial"`
	Delegate  Public `json:"delegate"`
	Signature []byte `json:"signature"`
}

// Member is what all know of a machine: the record under its name in ask_machines.
type Member struct {
	Version int    `json:"version"`
	Name    string `json:"name"`
	// Person: somebody sits there, who may answer. Else the machine only asks.
	Person     bool       `json:"person"`
	User       string     `json:"user"` // its public nkey at the hub
	Sign       Public     `json:"sign"`
	Age        string     `json:"age"` // what is sealed to it is sealed to this
	Delegation Delegation `json:"delegation"`
	Signature  []byte     `json:"signature"` // by the delegate
	// Revoked is nil for a machine that is still one.
	Revoked *Revocation `json:"revoked,omitempty"`
}

// Revocation is what the root adds to the record of a machine that is none any more.
type Revocation struct {
	At        time.Time `json:"at"` // for people
	Signature []byte    `json:"signature"`
}

func (d Delegation) signed() []byte {
	d.Signature = nil
	return signed("delegation", d)
}

func (m Member) signed() []byte {
	m.Signature, m.Revoked = nil, nil
	return signed("member", m)
}

func (m Member) signedRevocation() []byte {
	m.Revoked = &Revocation{At: m.Revoked.At}
	return signed("revocation", m)
}

// Verify is an error unless the root has vouched for the machine and has not revoked it.
func (m Member) Verify(root Public) error {
	if err := m.chain(root); err != nil {
		return err
	}
	if m.Revoked != nil {
		return hint.New("join again by the line of askpane hub invite, if that is wanted", "the machine %s is none any more: %w", m.Name, ErrRevoked)
	}
	return nil
}

// chain checks every signature from the root on.
func (m Member) chain(root Public) error {
	if err := known(m.Version, "the record of a machine"); err != nil {
		return err
	}
	if err := ValidName(m.Name); err != nil {
		return err
	}
	d, err := m.Delegation, error(nil)
	switch _, bad := age.ParseX25519Recipient(m.Age); {
	case root.verify(d.signed(), d.Signature) != nil:
		err = fmt.Errorf("the owner of this hub has not invited it: %w", ErrForged)
	case d.Name != m.Name || d.Person != m.Person:
		err = fmt.Errorf("it was invited as another: %w", ErrForged)
	case d.Delegate.verify(m.signed(), m.Signature) != nil:
		err = fmt.Errorf("who was invited has not signed it: %w", ErrForged)
	case bad != nil || m.Sign == "":
		err = fmt.Errorf("it has no keys: %w", ErrForged)
	case m.Revoked != nil && root.verify(m.signedRevocation(), m.Revoked.Signature) != nil:
		err = fmt.Errorf("the owner of this hub has not revoked it: %w", ErrForged)
	}
	if err != nil {
		return hint.New("ask whoever runs the hub; a machine joins by the line of askpane hub invite alone", "the record of the machine %s is not believed: %w", m.Name, err)
	}
	return nil
}

// sameKeys reports whether two records have a key in common.
func (m Member) sameKeys(o Member) bool {
	return m.Sign == o.Sign || m.Age == o.Age || m.User == o.User
}

// Members are the machines of one root. What is in them was verified. It may be used by
// several goroutines.
type Members struct {
	root Public
	mu   sync.RWMutex
	by   map[string]Member
}

// NewMembers knows nobody yet.
func NewMembers(root Public) *Members { return &Members{root: root, by: map[string]Member{}} }

// Take reads the record that stands under a name in ask_machines. The error says why it
// is not believed; what was known of the name stays then.
func (ms *Members) Take(name string, record []byte) (Member, error) {
	var m Member
	if err := json.Unmarshal(record, &m); err != nil {
		return m, hint.New("see that nothing but askpane writes to the hub", "the record of the machine %.40q cannot be read: %w", name, err)
	}
	if err := m.chain(ms.root); err != nil {
		return m, err
	}
	ms.mu.Lock()
	defer ms.mu.Unlock()
	old, has := ms.by[m.Name]
	switch {
	case name != m.Name:
		return m, hint.New("see who writes to the hub", "the record of the machine %s stands under the name %.40q and is not believed", m.Name, name)
	case has && !m.follows(old):
		return m, hint.New("see who writes to the hub, and revoke the machine again if you had revoked it", "the record of the machine %s is older than the one that is known, or has its keys, and is not believed", m.Name)
	}
	ms.by[m.Name] = m
	return m, nil
}

// follows reports whether a record may take the place of the one that is known: the same
// with or without a revocation that was not there before, or a later invite with keys of
// its own. So no hub brings back what was revoked.
func (m Member) follows(old Member) bool {
	if m.Delegation.Serial == old.Delegation.Serial {
		return string(m.Signature) == string(old.Signature) && (m.Revoked != nil || old.Revoked == nil)
	}
	return m.Delegation.Serial > old.Delegation.Serial && !m.sameKeys(old)
}

// Get is a machine by its name; ErrUnknown and ErrRevoked are wrapped.
func (ms *Members) Get(name string) (Member, error) {
	ms.mu.RLock()
	m, has := ms.by[name]
	ms.mu.RUnlock()
	if !has {
		return m, hint.New("see askpane hub machines; a machine joins by the line of askpane hub invite", "the machine %.40q is not known here: %w", name, ErrUnknown)
	}
	return m, m.Verify(ms.root)
}

// All are the machines by name, those that are revoked too.
func (ms *Members) All() []Member {
	ms.mu.RLock()
	defer ms.mu.RUnlock()
	return slices.SortedFunc(maps.Values(ms.by), func(a, b Member) int { return strings.Compare(a.Name, b.Name) })
}

// Persons are the machines that may answer: to them a question is sealed.
func (ms *Members) Persons() []Member {
	return slices.DeleteFunc(ms.All(), func(m Member) bool { return !m.Person || m.Revoked != nil })
}
