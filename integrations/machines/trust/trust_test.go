package trust

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/settings/private"
	"github.com/askpane/askpane/tests/must"
)

// team is an owner's machine, laptop, and what it knows of the others.
type team struct {
	*testing.T
	root   *Root
	ms     *Members
	laptop *Identity
}

func newTeam(t *testing.T) *team {
	t.Helper()
	inv, err := OwnerInvite("laptop")
	h := &team{T: t}
	must.Do(h, err)
	h.laptop, err = Join(filepath.Join(t.TempDir(), "laptop"), h.copied(inv))
	must.Do(h, err)
	h.root, err = LoadRoot(h.laptop.dir)
	must.Do(h, err)
	h.ms, err = h.laptop.Members()
	must.Do(h, err)
	h.take(h.laptop)
	return h
}

// refused holds that err wraps want, if that is not nil, and says what to do.
func refused(t *testing.T, what string, err, want error) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: not refused", what)
	} else if _, cure := hint.Of(err); cure == "" || want != nil && !errors.Is(err, want) {
		t.Errorf("%s: refused with %q (hint %q), which is not %v", what, err, cure, want)
	}
}

// copied is an invite as it is after somebody has copied its line.
func (h *team) copied(inv Invite) Invite {
	h.Helper()
	line := inv.String()
	inv, err := ParseInvite(" " + line[:80] + "\r\n" + line[80:] + "\n")
	must.Do(h, err)
	return inv
}

// take is the end of joining, as a hub of somebody else's NATS has it.
func (h *team) take(id *Identity) {
	h.Helper()
	must.Do(h, id.Save())
	_, err := h.ms.AddRecord(id.Member.Name, Encode(id.Member))
	must.Do(h, err)
}

// persons are the machines where somebody sits.
func (h *team) persons() []Member {
	return slices.DeleteFunc(h.ms.All(), func(m Member) bool { return !m.Person || m.Revoked != nil })
}

func (h *team) invite(name string, person bool) Invite {
	h.Helper()
	inv, err := h.root.Invite(h.ms, name, person)
	must.Do(h, err)
	return h.copied(inv)
}

func (h *team) joins(name string, person bool) *Identity {
	h.Helper()
	id, err := Join(h.TempDir(), h.invite(name, person))
	must.Do(h, err)
	h.take(id)
	return id
}

func (h *team) revoke(id *Identity) Member {
	h.Helper()
	m, err := h.root.Revoke(id.Member)
	must.Do(h, err)
	m, err = h.ms.AddRecord(m.Name, Encode(m))
	must.Do(h, err)
	return m
}

func TestInvitesThatAreRefused(t *testing.T) {
	t.Parallel()
	h := newTeam(t)
	h.joins("build1", false)
	_, err := h.root.Invite(h.ms, "build1", true)
	refused(t, "a name that is taken", err, nil)
	for _, name := range []string{"", "Build", "build.1", "build 1", "../b", "-b", "bücher", "b\x1b[2J", strings.Repeat("b", 33), "*", ">"} {
		_, err := h.root.Invite(h.ms, name, false)
		refused(t, fmt.Sprintf("the name %q", name), err, nil)
		_, err = OwnerInvite(name)
		refused(t, fmt.Sprintf("the owner's name %q", name), err, nil)
	}
	inv := h.invite("build2", false)
	line := inv.String()
	changed := func(change func(*Invite)) string { c := inv; change(&c); return c.String() }
	for what, bad := range map[string]string{
		"nothing":               "",
		"another line":          "ssh-ed25519 AAAA",
		"half of it":            line[:len(line)/2],
		"a letter is missing":   strings.Replace(line, "eyJ", "ey", 1),
		"a later format":        strings.Replace(line, "-1:", "-2:", 1),
		"another name in it":    changed(func(i *Invite) { i.Delegation.Name = "phone" }),
		"a person's made of it": changed(func(i *Invite) { i.Delegation.Person = true }),
		"another root in it":    changed(func(i *Invite) { i.Root = newTeam(t).root.public }),
		"another key in it":     changed(func(i *Invite) { _, i.Key = newKey() }),
		"a short key in it":     changed(func(i *Invite) { i.Key = i.Key[1:] }),
		"no key in it":          changed(func(i *Invite) { i.Key = "" }),
	} {
		dir := t.TempDir()
		got, err := ParseInvite(bad)
		if err == nil {
			_, err = Join(dir, got)
		}
		refused(t, what, err, nil)
		if _, err := os.Lstat(filepath.Join(dir, File)); err == nil {
			t.Errorf("%s: something of it was kept", what)
		}
	}
}

// TestJoining is interrupted, and tried too often.
func TestJoining(t *testing.T) {
	t.Parallel()
	h := newTeam(t)
	dir, inv := filepath.Join(t.TempDir(), "below", "link"), h.invite("build1", false)
	first, err := Join(dir, inv)
	must.Do(h, err)
	if _, err := Load(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("joined before the hub has said so: %v", err)
	}
	again, err := Join(dir, inv) // the hub's answer to the first was lost
	if err != nil || again.Member.User != first.Member.User || again.Member.Age != first.Member.Age {
		t.Errorf("by the same invite it has other keys than before: %v", err)
	}
	third, err := Join(dir, h.invite("build1", false))
	must.Do(h, err)
	if first.Member.Sign == third.Member.Sign || first.Member.Age == third.Member.Age || first.Member.User == third.Member.User {
		t.Error("by another invite, it has keys of the first")
	}
	must.Do(h, third.Save())
	signature, err := third.Login([]byte("nonce"))
	must.Do(h, err)
	if !signed(third.Member.User, []byte("nonce"), signature) {
		t.Error("a hub would not let it in")
	}
	_, err = Join(dir, h.invite("build3", false))
	refused(t, "joining twice", err, nil)
	_, err = LoadRoot(dir)
	refused(t, "an invite by a machine that is not the owner's", err, errNoRoot)
	must.Do(h, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if info, _ := d.Info(); err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s is open to others: %v", path, info.Mode())
		}
		return err
	}))
}

func TestFilesThatAreRefused(t *testing.T) {
	t.Parallel()
	h := newTeam(t)
	other := h.joins("build1", false)
	for _, test := range []struct {
		what   string
		change func(dir, path string) error
	}{
		{"readable to others", func(_, path string) error { return os.Chmod(path, 0o604) }},
		{"readable to a group", func(_, path string) error { return os.Chmod(path, 0o640) }},
		{"in a directory that others may change", func(dir, _ string) error { return os.Chmod(dir, 0o770) }},
		{"a link", func(dir, path string) error {
			return errors.Join(os.Rename(path, path+"x"), os.Symlink(path+"x", path))
		}},
		{"a directory", func(_, path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) }},
		{"a pipe", func(_, path string) error { return errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o600)) }},
		{"damaged", func(_, path string) error { return os.Truncate(path, 10) }},
		{"empty", func(_, path string) error { return os.Truncate(path, 0) }},
	} {
		for _, file := range []string{File, rootFile} {
			dir := filepath.Join(t.TempDir(), "link")
			must.Do(h, os.CopyFS(dir, os.DirFS(h.laptop.dir)))
			for _, f := range []string{File, rootFile} {
				must.Do(h, os.Chmod(filepath.Join(dir, f), 0o600))
			}
			_, err := Load(dir)
			must.Do(h, err)
			must.Do(h, test.change(dir, filepath.Join(dir, file)))
			_, err = Load(dir)
			if file == rootFile {
				_, err = LoadRoot(dir)
			}
			refused(t, file+" "+test.what, err, nil)
		}
	}
	s, err := private.Read[Identity](h.laptop.dir, File)
	must.Do(h, err)
	for what, change := range map[string]func(*Identity){
		"keys of another":         func(s *Identity) { s.Keys.Sign = other.Keys.Sign },
		"opened by another's key": func(s *Identity) { s.Keys.Age = other.Keys.Age },
		"let in by another's key": func(s *Identity) { s.Keys.User = other.Keys.User },
		"no key":                  func(s *Identity) { s.Keys.Sign = "" },
		"a word for a key":        func(s *Identity) { s.Keys.Age = "secret-word" },
		"a later format":          func(s *Identity) { s.Version = 2 },
		"another root":            func(s *Identity) { s.Root = other.Member.Sign },
		"a person's made of it":   func(s *Identity) { s.Member.Person = !s.Member.Person },
	} {
		dir, changed := t.TempDir(), s
		change(&changed)
		must.Do(h, private.Write(dir, File, changed))
		_, err := Load(dir)
		refused(t, what, err, nil)
		if err != nil && strings.Contains(err.Error(), "secret-word") {
			t.Errorf("%s: the error tells a key: %v", what, err)
		}
	}
}
