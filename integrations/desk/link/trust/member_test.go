package trust

import (
	"crypto/ed25519"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestRecordsThatAreRefused has a hub show other records than there were.
func TestRecordsThatAreRefused(t *testing.T) {
	h := newTeam(t)
	build := h.joins("build1", false)
	foreign := newTeam(t)
	old := build.Member
	// signed is a machine's record as the holder of a delegation can make it.
	signed := func(inv Invite, change func(*Member)) Member {
		id, err := join(t.TempDir(), inv)
		h.must(err)
		change(&id.Member)
		id.Member.Signature = ed25519.Sign(ed25519.NewKeyFromSeed(inv.Key), id.Member.message())
		return id.Member
	}
	of := func(m Member, change func(*Member)) Member { change(&m); return m }
	inv := h.invite("build2", false)
	two := signed(inv, func(*Member) {})
	record := func(m Member) string { return string(encode(m)) }
	forgedRevocation := of(old, func(m *Member) { m.Revoked = &Revocation{} })
	forgedRevocation.Revoked.Signature = ed25519.Sign(foreign.root.key, forgedRevocation.revocation())
	for _, test := range []struct {
		what, name, record string
		want               error
	}{
		{"another root's", "build2", record(foreign.joins("build2", false).Member), ErrForged},
		{"under another name", "build3", record(two), ErrForged},
		{"in the place of another", "build1", record(two), ErrForged},
		{"name changed", "build3", record(of(two, func(m *Member) { m.Name = "build3" })), ErrForged},
		{"person changed", "build2", record(of(two, func(m *Member) { m.Person = true })), ErrForged},
		{"user changed", "build2", record(of(two, func(m *Member) { m.User = old.User })), ErrForged},
		{"signing key changed", "build2", record(of(two, func(m *Member) { m.Sign = old.Sign })), ErrForged},
		{"reader's key changed", "build2", record(of(two, func(m *Member) { m.Age = old.Age })), ErrForged},
		{"reader's key is none", "build2", record(signed(inv, func(m *Member) { m.Age = "age1" })), ErrForged},
		{"signature of another", "build2", record(of(two, func(m *Member) { m.Signature = old.Signature })), ErrForged},
		{"no signature", "build2", record(of(two, func(m *Member) { m.Signature = nil })), ErrForged},
		{"delegation of another", "build2", record(of(two, func(m *Member) { m.Delegation = old.Delegation })), ErrForged},
		{"delegation altered", "build2", record(of(two, func(m *Member) { m.Delegation.Serial++ })), ErrForged},
		{"delegation for another name", "build3", record(signed(inv, func(m *Member) { m.Name = "build3" })), ErrForged},
		{"only asks, and says that a person sits there", "build2", record(signed(inv, func(m *Member) { m.Person = true })), ErrForged},
		{"the same in its delegation", "build2", record(signed(inv, func(m *Member) { m.Person, m.Delegation.Person = true, true })), ErrForged},
		{"vouched for by itself", "build2", record(signed(inv, func(m *Member) { m.Delegation.Delegate = m.Sign })), ErrForged},
		{"revoked by another root", "build1", record(forgedRevocation), ErrForged},
		{"revoked by nobody", "build1", record(of(old, func(m *Member) { m.Revoked = &Revocation{} })), ErrForged},
		{"revocation of another", "build1", record(of(old, func(m *Member) { r, _ := h.root.Revoke(h.laptop.Member); m.Revoked = r.Revoked })), ErrForged},
		{"of a later format", "build2", record(of(two, func(m *Member) { m.Version = 2 })), ErrNewer},
		{"no JSON", "build2", "build2", nil},
		{"nothing", "build2", "", nil},
		{"an empty object", "build2", "{}", nil},
		{"a name that is a path", "../build2", record(of(two, func(m *Member) { m.Name = "../build2" })), nil},
	} {
		_, err := h.ms.Take(test.name, []byte(test.record))
		refused(t, test.what, err, test.want)
		if m, err := h.ms.Get("build1"); err != nil || m.Sign != old.Sign || len(h.ms.All()) != 2 {
			t.Fatalf("%s: then build1 is %v (%v), of %d", test.what, m.Sign, err, len(h.ms.All()))
		}
	}
	_, err := h.ms.Take("build2", encode(two))
	h.must(err)
	_, err = h.ms.Take("build2", encode(signed(inv, func(*Member) {})))
	refused(t, "two machines by one line", err, ErrForged)
}

// TestRevoked revokes a machine, and has the hub try to bring it back, also to a machine
// that was started anew since.
func TestRevoked(t *testing.T) {
	h := newTeam(t)
	build := h.joins("build1", true)
	gone := h.revoke(build)
	h.revokedFor("build1", h.ms)
	again, err := h.laptop.Members()
	h.must(err)
	for what, ms := range map[string]*Members{"running": h.ms, "started anew": again} {
		_, err = ms.Take("build1", encode(build.Member))
		refused(t, what+": as it was before", err, ErrForged)
		_, err = ms.Take("build1", encode(gone))
		h.must(err)
		h.revokedFor("build1", ms)
	}
	if _, err = h.root.Revoke(gone); !errors.Is(err, ErrRevoked) {
		t.Errorf("revoked twice: %v", err)
	}

	// It may join again, by keys of its own making.
	inv := h.invite("build1", false)
	withOldKeys := func(inv Invite) []byte {
		same := Member{Version: version, Name: "build1", User: build.Member.User, Sign: build.Member.Sign, Age: build.Member.Age, Delegation: inv.Delegation}
		same.Signature = ed25519.Sign(ed25519.NewKeyFromSeed(inv.Key), same.message())
		return encode(same)
	}
	_, err = h.ms.Take("build1", withOldKeys(inv))
	refused(t, "the keys that were revoked", err, ErrForged)
	h.must(os.Remove(filepath.Join(build.dir, linkFile)))
	anew, err := Join(build.dir, inv)
	h.must(err)
	h.take(anew)
	if m, err := h.ms.Get("build1"); err != nil || m.Person || m.Sign == build.Member.Sign {
		t.Errorf("joined again: %+v, %v", m, err)
	}
	again, err = h.laptop.Members()
	h.must(err)
	later := Invite{Delegation: inv.Delegation}
	h.root.delegate(&later)
	for what, ms := range map[string]*Members{"running": h.ms, "started anew": again} {
		_, err = ms.Take("build1", withOldKeys(later))
		refused(t, what+": the keys that were revoked, later", err, ErrForged)
		_, err = ms.Take("build1", encode(build.Member))
		refused(t, what+": as it was before the first time", err, ErrForged)
		_, err = ms.Take("build1", encode(anew.Member))
		h.must(err)
	}
	if data, err := os.ReadFile(filepath.Join(h.laptop.dir, revokedFile)); err != nil || strings.Count(string(data), "revoked") != 1 {
		t.Errorf("remembered: %s, %v", data, err)
	}
}

// TestClockSetBack has a machine join again after the owner's clock was set back.
func TestClockSetBack(t *testing.T) {
	h := newTeam(t)
	inv := h.invite("build1", false)
	inv.Delegation.Serial = time.Now().Add(24 * time.Hour).UnixMilli()
	inv.Delegation.Signature = ed25519.Sign(h.root.key, inv.Delegation.message())
	build, err := Join(t.TempDir(), inv)
	h.must(err)
	h.take(build)
	h.revoke(build)
	h.joins("build1", false)
	_, err = h.ms.Get("build1")
	h.must(err)
}

func (h *team) revokedFor(name string, ms *Members) {
	h.Helper()
	_, err := ms.Get(name)
	refused(h.T, name, err, ErrRevoked)
	for _, m := range ms.Persons() {
		if m.Name == name {
			h.Errorf("questions are still sealed to %s", name)
		}
	}
}
