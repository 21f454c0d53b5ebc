package trust

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/askpane/askpane/settings/private"
	"github.com/askpane/askpane/tests/must"
)

// TestRecordsThatAreRefused has a hub show other records than there were.
func TestRecordsThatAreRefused(t *testing.T) {
	t.Parallel()
	h := newTeam(t)
	build := h.joins("build1", false)
	foreign := newTeam(t)
	old := build.Member
	// signed is a machine's record as the holder of a delegation can make it.
	signed := func(inv Invite, change func(*Member)) Member {
		id, err := join(t.TempDir(), inv)
		must.Do(h, err)
		change(&id.Member)
		id.Member.Signature = sign(inv.Key, id.Member.message())
		return id.Member
	}
	of := func(m Member, change func(*Member)) Member { change(&m); return m }
	inv := h.invite("build2", false)
	two := signed(inv, func(*Member) {})
	record := func(m Member) string { return string(Encode(m)) }
	revoked := func(m *Member) { m.Revoked = &time.Time{} }
	for _, test := range []struct {
		what, name, record string
		want               error
	}{
		{"another root's", "build2", record(foreign.joins("build2", false).Member), ErrForged},
		{"under another name", "build3", record(two), nil},
		{"in the place of another", "build1", record(two), nil},
		{"name changed", "build3", record(of(two, func(m *Member) { m.Name = "build3" })), ErrForged},
		{"person changed", "build2", record(of(two, func(m *Member) { m.Person = true })), ErrForged},
		{"user changed", "build2", record(of(two, func(m *Member) { m.User = old.User })), ErrForged},
		{"signing key changed", "build2", record(of(two, func(m *Member) { m.Sign = old.Sign })), ErrForged},
		{"reader's key changed", "build2", record(of(two, func(m *Member) { m.Age = old.Age })), ErrForged},
		{"reader's key is none", "build2", record(signed(inv, func(m *Member) { m.Age = "age1" })), ErrForged},
		{"signature of another", "build2", record(of(two, func(m *Member) { m.Signature = old.Signature })), ErrForged},
		{"no signature", "build2", record(of(two, func(m *Member) { m.Signature = nil })), ErrForged},
		{"delegation of another", "build2", record(of(two, func(m *Member) { m.Delegation = old.Delegation })), nil},
		{"delegation of another of its name", "build2", record(of(two, func(m *Member) { m.Delegation = h.invite("build2", false).Delegation })), ErrForged},
		{"delegation altered", "build2", record(of(two, func(m *Member) { m.Delegation.Serial++ })), ErrForged},
		{"delegation for another name", "build3", record(signed(inv, func(m *Member) { m.Name = "build3" })), ErrForged},
		{"only asks, and says that a person sits there", "build2", record(signed(inv, func(m *Member) { m.Person = true })), ErrForged},
		{"vouched for by itself", "build2", record(signed(inv, func(m *Member) { m.Delegation.Delegate = m.Sign })), ErrForged},
		{"revoked by another root", "build1", record(of(old, func(m *Member) { revoked(m); m.Signature = sign(foreign.root.seed, m.message()) })), ErrForged},
		{"revoked by nobody", "build1", record(of(old, revoked)), ErrForged},
		{"revoked by itself", "build1", record(of(old, func(m *Member) { revoked(m); m.Signature = sign(build.Keys.Sign, m.message()) })), ErrForged},
		{"revoked by whoever was invited", "build2", record(signed(inv, revoked)), ErrForged},
		{"revocation of another", "build1", record(of(old, func(m *Member) {
			r, _ := h.root.Revoke(h.laptop.Member)
			m.Revoked, m.Signature = r.Revoked, r.Signature
		})), ErrForged},
		{"of a later format", "build2", record(of(two, func(m *Member) { m.Version = 2 })), private.ErrNewer},
		{"no JSON", "build2", "build2", nil},
		{"nothing", "build2", "", nil},
		{"an empty object", "build2", "{}", nil},
		{"a name that is a path", "../build2", record(of(two, func(m *Member) { m.Name = "../build2" })), nil},
	} {
		_, err := h.ms.AddRecord(test.name, []byte(test.record))
		refused(t, test.what, err, test.want)
		if m, err := h.ms.Get("build1"); err != nil || m.Sign != old.Sign || len(h.ms.All()) != 2 {
			t.Fatalf("%s: then build1 is %v (%v), of %d", test.what, m.Sign, err, len(h.ms.All()))
		}
	}
	_, err := h.ms.AddRecord("build2", Encode(two))
	must.Do(h, err)
	_, err = h.ms.AddRecord("build2", Encode(signed(inv, func(*Member) {})))
	refused(t, "two machines by one line", err, ErrForged)
}

// TestRevoked revokes a machine, and has the hub try to bring it back, also to a machine
// that was started anew since.
func TestRevoked(t *testing.T) {
	t.Parallel()
	h := newTeam(t)
	build := h.joins("build1", true)
	gone := h.revoke(build)
	h.revokedFor("build1", h.ms)
	again, err := h.laptop.Members()
	must.Do(h, err)
	for what, ms := range map[string]*Members{"running": h.ms, "started anew": again} {
		_, err = ms.AddRecord("build1", Encode(build.Member))
		refused(t, what+": as it was before", err, ErrForged)
		_, err = ms.AddRecord("build1", Encode(gone))
		must.Do(h, err)
		h.revokedFor("build1", ms)
	}
	known, _ := h.ms.Get("build1")
	if _, err = h.root.Revoke(known); !errors.Is(err, ErrRevoked) {
		t.Errorf("revoked twice: %v", err)
	}

	// It may join again, by keys of its own making.
	inv := h.invite("build1", false)
	withOldKeys := func(inv Invite) []byte {
		same := Member{Version: version, User: build.Member.User, Sign: build.Member.Sign, Age: build.Member.Age, Delegation: inv.Delegation}
		same.Signature = sign(inv.Key, same.message())
		return Encode(same)
	}
	_, err = h.ms.AddRecord("build1", withOldKeys(inv))
	refused(t, "the keys that were revoked", err, ErrForged)
	must.Do(h, os.Remove(filepath.Join(build.dir, File)))
	anew, err := Join(build.dir, inv)
	must.Do(h, err)
	h.take(anew)
	if m, err := h.ms.Get("build1"); err != nil || m.Person || m.Sign == build.Member.Sign {
		t.Errorf("joined again: %+v, %v", m, err)
	}
	again, err = h.laptop.Members()
	must.Do(h, err)
	for what, ms := range map[string]*Members{"running": h.ms, "started anew": again} {
		_, err = ms.AddRecord("build1", Encode(build.Member))
		refused(t, what+": as it was before the first time", err, ErrForged)
		_, err = ms.AddRecord("build1", Encode(anew.Member))
		must.Do(h, err)
	}
	// Of those that have joined again, what they were is known as long as others are revoked.
	h.revoke(h.joins("other", false))
	again, err = h.laptop.Members()
	must.Do(h, err)
	_, err = again.AddRecord("build1", Encode(build.Member))
	refused(t, "as it was before, and another was revoked since", err, ErrForged)
}

// TestClockSetBack has a machine join again after the owner's clock was set back.
func TestClockSetBack(t *testing.T) {
	t.Parallel()
	h := newTeam(t)
	inv := h.invite("build1", false)
	inv.Delegation.Serial = time.Now().Add(24 * time.Hour).UnixMilli()
	inv.Delegation.Vouched = sign(h.root.seed, inv.Delegation.message())
	build, err := Join(t.TempDir(), inv)
	must.Do(h, err)
	h.take(build)
	h.revoke(build)
	h.joins("build1", false)
	_, err = h.ms.Get("build1")
	must.Do(h, err)
}

func (h *team) revokedFor(name string, ms *Members) {
	h.Helper()
	_, err := ms.Get(name)
	refused(h.T, name, err, ErrRevoked)
}
