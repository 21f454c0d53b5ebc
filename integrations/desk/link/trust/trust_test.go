package trust

import (
	"encoding/json"
	"path/filepath"
	"testing"
)

// hub is what a hub has: the records under their names. It is believed in nothing.
type hub struct {
	*testing.T
	root *Root
	ms   *Members
}

func newHub(t *testing.T) (*hub, *Identity) {
	dir := filepath.Join(t.TempDir(), "owner")
	inv, err := OwnerInvite("laptop")
	h := &hub{T: t}
	h.must(err)
	id, err := Join(dir, h.line(inv))
	h.must(err)
	h.root, err = LoadRoot(dir)
	h.must(err)
	h.ms = NewMembers(h.root.Public())
	h.join(id)
	return h, id
}

func (h *hub) must(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

// line is an invite as it is after somebody has copied its line.
func (h *hub) line(inv Invite) Invite {
	h.Helper()
	inv, err := ParseInvite(" " + inv.String() + "\n")
	h.must(err)
	return inv
}

func (h *hub) join(id *Identity) {
	h.Helper()
	h.must(id.Save(""))
	_, err := h.ms.Take(id.Member.Name, record(id.Member))
	h.must(err)
}

func (h *hub) machine(name string, person bool) *Identity {
	h.Helper()
	inv, err := h.root.Invite(h.ms, name, person)
	h.must(err)
	id, err := Join(filepath.Join(h.TempDir(), name), h.line(inv))
	h.must(err)
	h.join(id)
	return id
}

func record(m Member) []byte {
	data, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return data
}

const question = "01KA7Q9TAAAAAAAAAAAAAAAAAA"

func TestSealed(t *testing.T) {
	h, laptop := newHub(t)
	build, phone := h.machine("build1", false), h.machine("phone", true)
	where := "ask_entries/build1." + question
	sealed, err := build.Seal(h.ms.Persons(), where, []byte("a question"))
	h.must(err)
	for _, reader := range []*Identity{laptop, phone} {
		reader, err = Load(reader.dir)
		h.must(err)
		from, plain, err := reader.Open(h.ms, where, sealed)
		if err != nil || from.Name != "build1" || string(plain) != "a question" {
			t.Errorf("%s reads %q from %q: %v", reader.Member.Name, plain, from.Name, err)
		}
	}
}
