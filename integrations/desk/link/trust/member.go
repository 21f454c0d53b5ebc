package trust

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"filippo.io/age"

	"github.com/askpane/askpane/bridge/text/hint"
)

// Delegation is what the root signs for an invite: whoever has the delegate's key may
// sign the membership of one machine.
type Delegation struct {
	Name      string `json:"name"`
	Person    bool   `json:"person"`
	Nonce     string `json:"nonce"`  // names the invite; the hub takes it once
	Serial    int64  `json:"serial"` // rises with each of a name, by the root's clock alone
	Delegate  Public `json:"delegate"`
	Signature []byte `json:"signature,omitempty"`
}

// Member is the record of a machine, under its name in ask_machines.
type Member struct {
	Version    int         `json:"version"`
	Name       string      `json:"name"`
	Person     bool        `json:"person"` // somebody sits there, who may answer; else it only asks
	User       string      `json:"user"`   // its public nkey, for the hub
	Sign       Public      `json:"sign"`   // not the nkey, which signs whatever a hub sends at login
	Age        string      `json:"age"`
	Delegation Delegation  `json:"delegation"`
	Signature  []byte      `json:"signature,omitempty"` // the delegate's
	Revoked    *Revocation `json:"revoked,omitempty"`

	believed bool // by Members, which has verified it
}

// Revocation is what the root adds to the record of a machine that is none any more.
type Revocation struct {
	At        time.Time `json:"at"` // for people
	Signature []byte    `json:"signature,omitempty"`
}

func (d Delegation) message() []byte {
	d.Signature = nil
	return message("delegation", d)
}

func (m Member) message() []byte {
	m.Signature, m.Revoked = nil, nil
	return message("member", m)
}

func (m Member) revocation() []byte {
	m.Revoked = &Revocation{At: m.Revoked.At}
	return message("revocation", m)
}

// Verify is an error unless the root has vouched for the machine and not revoked it.
func (m Member) Verify(root Public) error {
	err := m.chain(root)
	m.believed = err == nil
	return cmp.Or(err, m.current())
}

// current is an error unless a record was verified, and is of a machine that is one now.
func (m Member) current() error {
	switch {
	case !m.believed:
		return hint.New("see askpane hub machines", "the machine %.40q cannot take part: %w", m.Name, ErrUnknown)
	case m.Revoked != nil:
		return hint.New("it can join again by askpane hub invite", "the machine %s cannot take part: %w", m.Name, ErrRevoked)
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
	d, wrong := m.Delegation, ""
	switch _, err := age.ParseX25519Recipient(m.Age); {
	case !root.signed(d.message(), d.Signature):
		wrong = "the owner of the hub has not invited it"
	case d.Name != m.Name || d.Person != m.Person:
		wrong = "it was invited as another"
	case !d.Delegate.signed(m.message(), m.Signature) || err != nil:
		wrong = "whoever was invited has not made it"
	case m.Revoked != nil && !root.signed(m.revocation(), m.Revoked.Signature):
		wrong = "the owner of the hub has not revoked it"
	default:
		return nil
	}
	return hint.New(hubWriter+"; a machine joins by askpane hub invite alone", "the record of the machine %s is not believed, since %s: %w", m.Name, wrong, ErrForged)
}

// Members are the machines of one root, each verified. Several goroutines may use it.
type Members struct {
	root Public
	dir  string // where revocations are remembered; may be empty
	mu   sync.RWMutex
	by   map[string]Member
	gone []Member // what was ever revoked
}

// NewMembers knows nobody, and forgets all when the process ends.
func NewMembers(root Public) *Members { return &Members{root: root, by: map[string]Member{}} }

// Members knows who was revoked as far as this machine has ever seen it, and remembers
// who is: a hub that has lost that, or says so, does not bring anybody back.
func (id *Identity) Members() (*Members, error) {
	gone, err := read[[]Member](id.dir, revokedFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	ms := NewMembers(id.Root)
	for _, m := range gone {
		_, _ = ms.Take(m.Name, encode(m)) // one of another hub, which this machine has left, is of no use
	}
	ms.dir = id.dir
	return ms, nil
}

// Take reads the record that stands under a name in ask_machines. Where it is not
// believed, what was known of the name stays.
func (ms *Members) Take(name string, record []byte) (m Member, err error) {
	if err := json.Unmarshal(record, &m); err != nil {
		return m, hint.New(hubWriter, "the record of the machine %.40q cannot be read: %w", name, err)
	}
	if err := m.chain(ms.root); err != nil {
		return m, err
	}
	ms.mu.Lock()
	defer ms.mu.Unlock()
	old := ms.by[m.Name]
	stale := func(k Member) bool { return k.Name == m.Name && !m.follows(k) }
	if name != m.Name || stale(old) || slices.ContainsFunc(ms.gone, stale) {
		return m, hint.New(hubWriter, "the record of the machine %s under the name %.40q is not believed, since it is an old or a moved one: %w", m.Name, name, ErrForged)
	}
	m.believed = true
	ms.by[name] = m
	if m.Revoked != nil && (old.Revoked == nil || m.Sign != old.Sign) {
		ms.gone = append(ms.gone, m)
		if ms.dir != "" {
			err = write(ms.dir, revokedFile, encode(ms.gone))
		}
	}
	return m, err
}

// follows reports whether a record may take an earlier one's place: it is the same, and
// perhaps revoked now; or of a later invite, with other keys. So no hub brings back what
// was revoked.
func (m Member) follows(old Member) bool {
	if bytes.Equal(m.Signature, old.Signature) {
		return m.Revoked != nil || old.Revoked == nil
	}
	return m.Delegation.Serial > old.Delegation.Serial && m.Sign != old.Sign && m.Age != old.Age && m.User != old.User
}

// Get is a machine by its name, if it is one now.
func (ms *Members) Get(name string) (Member, error) {
	ms.mu.RLock()
	m, has := ms.by[name]
	ms.mu.RUnlock()
	if !has {
		m.Name = name
	}
	return m, m.current()
}

// All are the machines by name, those that are revoked too.
func (ms *Members) All() []Member {
	ms.mu.RLock()
	defer ms.mu.RUnlock()
	return slices.SortedFunc(maps.Values(ms.by), func(a, b Member) int { return strings.Compare(a.Name, b.Name) })
}

// Persons are the machines that may answer, to which questions are sealed.
func (ms *Members) Persons() []Member {
	return slices.DeleteFunc(ms.All(), func(m Member) bool { return !m.Person || m.Revoked != nil })
}
