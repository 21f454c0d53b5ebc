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
	"github.com/askpane/askpane/settings/private"
)

// Delegation is signed by the root for an invite: whoever has the delegate's key may sign the
// record of one machine.
type Delegation struct {
	Name     string `json:"name"`
	Person   bool   `json:"person"` // somebody sits there, who may answer; else it only asks
	Nonce    string `json:"nonce"`  // names the invite, by which the hub lets one machine in
	Serial   int64  `json:"serial"` // rises with each of a name, by the root's clock alone
	Delegate string `json:"delegate"`
	Vouched  []byte `json:"vouched,omitempty"` // the root's signature
}

// Member holds the record of a machine, under its name in ask_machines.
type Member struct {
	Version int `json:"version"`
	Delegation
	User      string     `json:"user"` // its public nkey, for the hub
	Sign      string     `json:"sign"` // another, since that one signs whatever a hub sends at login
	Age       string     `json:"age"`
	Revoked   *time.Time `json:"revoked,omitempty"`   // since when it is none any more, for people
	Signature []byte     `json:"signature,omitempty"` // the delegate's; of one that is revoked the root's

	believed bool // it was checked
}

func (d Delegation) message() []byte {
	d.Vouched = nil
	return message("delegation", d)
}

func (m Member) message() []byte {
	m.Signature = nil
	return message("member", m)
}

// check returns an error unless the root has vouched for all that a record says.
func (m *Member) check(root string) error {
	if err := cmp.Or(private.Known(m.Version, "the record of a machine"), ValidName(m.Name)); err != nil {
		return err
	}
	signer := m.Delegate
	if m.Revoked != nil {
		signer = root
	}
	_, err := age.ParseX25519Recipient(m.Age)
	m.believed = err == nil && signed(root, m.Delegation.message(), m.Vouched) && signed(signer, m.message(), m.Signature)
	if !m.believed {
		return hint.New(hubWriter+"; a machine joins by askpane hub invite alone", "the record of the machine %s is not believed: %w", m.Name, ErrForged)
	}
	return nil
}

// current returns an error unless a record was checked, and its machine was not revoked.
func (m Member) current() error {
	switch {
	case !m.believed:
		return hint.New("see askpane hub machines", "the machine %.40q cannot take part: %w", m.Name, ErrUnknown)
	case m.Revoked != nil:
		return hint.New("it can join again by askpane hub invite", "the machine %s cannot take part: %w", m.Name, ErrRevoked)
	}
	return nil
}

// Members holds the machines of one root, each checked. Several goroutines may use it.
type Members struct {
	root string
	dir  string // where they are remembered; may be empty
	mu   sync.RWMutex
	by   map[string]Member
}

// NewMembers returns an empty set, which forgets all when the process ends.
func NewMembers(root string) *Members { return &Members{root: root, by: map[string]Member{}} }

// Members knows whom this machine has ever seen revoked, and remembers who is: a hub that
// has lost that, or says so, does not bring anybody back.
func (id *Identity) Members() (*Members, error) {
	all, err := private.Read[[]Member](id.dir, membersFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	ms := NewMembers(id.Root)
	for _, m := range all {
		_ = ms.Add(m) // one of another hub, which this machine has left, is of no use
	}
	ms.dir = id.dir
	return ms, nil
}

// AddRecord reads the record that stands under a name in ask_machines. Where it is not
// believed, what was known of the name stays.
func (ms *Members) AddRecord(name string, record []byte) (m Member, err error) {
	if err = json.Unmarshal(record, &m); err == nil && m.Name != name {
		err = errors.New("it is of another name")
	}
	if err != nil {
		return m, hint.New(hubWriter, "the record of the machine %.40q cannot be read: %w", name, err)
	}
	return m, ms.Add(m)
}

// Add adds a record, if it is believed and not older than what is known.
func (ms *Members) Add(m Member) error {
	if err := m.check(ms.root); err != nil {
		return err
	}
	ms.mu.Lock()
	defer ms.mu.Unlock()
	old, has := ms.by[m.Name]
	if has && !m.follows(old) {
		return hint.New(hubWriter, "the record of the machine %s is not believed, since it is an old one: %w", m.Name, ErrForged)
	}
	ms.by[m.Name] = m
	if m.Revoked == nil || ms.dir == "" || has && old.Revoked != nil && m.Serial == old.Serial {
		return nil
	}
	// All of them: of one that has joined again, the record before must stay an old one.
	return private.Write(ms.dir, membersFile, slices.Collect(maps.Values(ms.by)))
}

// follows reports whether a record may take an earlier one's place: it is the same, or
// that one revoked; or of a later invite, with other keys. So no hub brings back what was
// revoked.
func (m Member) follows(old Member) bool {
	if m.Serial == old.Serial {
		return m.Revoked != nil || bytes.Equal(m.Signature, old.Signature)
	}
	return m.Serial > old.Serial && m.Sign != old.Sign && m.Age != old.Age && m.User != old.User
}

// Get returns a machine by its name. The error says why it is none now.
func (ms *Members) Get(name string) (Member, error) {
	ms.mu.RLock()
	m, has := ms.by[name]
	ms.mu.RUnlock()
	if !has {
		m.Name = name
	}
	return m, m.current()
}

// All lists the machines by name, those that are revoked too.
func (ms *Members) All() []Member {
	ms.mu.RLock()
	defer ms.mu.RUnlock()
	return slices.SortedFunc(maps.Values(ms.by), func(a, b Member) int { return strings.Compare(a.Name, b.Name) })
}
