package spool

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/tests/must"
	"github.com/askpane/askpane/tests/needs"
)

// readers are the files of an entry that hold something, and who reads them.
var readers = []struct {
	name string
	read func(e *Entry) error
}{
	{requestFile, func(e *Entry) error { _, err := e.Request(); return err }},
	{draftFile, func(e *Entry) error { _, err := e.Draft(new(struct{ Version int })); return err }},
	{answerFile, func(e *Entry) error { _, _, err := e.Answer(); return err }},
	{popupLock, func(e *Entry) error { _, err := e.TakePopup(); return err }},
}

// What stands in the place of an entry's file and is none of ours is refused by
// every way of reading it, at once, and is left as it is.
func TestOnlyPlainFilesAreRead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		make func(t *testing.T, path string)
		want string
	}{
		{"a symbolic link to itself", func(t *testing.T, path string) { must.Do(t, os.Symlink(filepath.Base(path), path)) }, "not a regular file"},
		{"a symbolic link within the entry", func(t *testing.T, path string) { must.Do(t, os.Symlink(bridgeLock, path)) }, "not a regular file"},
		{"a symbolic link to the outside", func(t *testing.T, path string) {
			target := filepath.Join(t.TempDir(), "target")
			must.Do(t, os.WriteFile(target, []byte(`{"version":1,"outcome":"cancelled"}`), 0o600))
			must.Do(t, os.Symlink(target, path))
		}, "not a regular file"},
		{"a hard link", func(t *testing.T, path string) {
			target := filepath.Join(filepath.Dir(path), "target") // one file system, whatever TMPDIR is
			must.Do(t, os.WriteFile(target, []byte(`{"version":1,"outcome":"cancelled"}`), 0o600))
			must.Do(t, os.Link(target, path))
		}, "it has 2 names (hard links); remove the others"},
		{"a FIFO", func(t *testing.T, path string) { must.Do(t, syscall.Mkfifo(path, 0o600)) }, "not a regular file"},
		{"a directory", func(t *testing.T, path string) { must.Do(t, os.Mkdir(path, 0o700)) }, "not a regular file"},
		{"a sparse terabyte", func(t *testing.T, path string) {
			f, err := os.Create(path)
			must.Do(t, err)
			must.Do(t, errors.Join(f.Truncate(1<<40), f.Close()))
		}, "it has 1099511627776 bytes; at most 33554432 are read"},
		{"somebody else's", func(t *testing.T, path string) {
			if os.Geteuid() != 0 {
				needs.Missing(t, "root", "only root can give a file away; run the tests as root")
			}
			must.Do(t, os.WriteFile(path, []byte(`{"version":1,"outcome":"cancelled"}`), 0o644))
			must.Do(t, os.Chown(path, 12345, -1))
		}, "it belongs to user 12345, not to you (0)"},
	} {
		for _, file := range readers {
			if c.name == "a hard link" && file.name == answerFile {
				continue // one that an older askpane writes has two names for an instant
			}
			t.Run(c.name+" for "+file.name, func(t *testing.T) {
				e := create(t, openSpool(t))
				path := filepath.Join(e.path, file.name)
				must.Do(t, errors.Join(os.RemoveAll(path)))
				c.make(t, path)
				done := make(chan error, 1)
				go func() { done <- file.read(e) }()
				select {
				case err := <-done:
					if err == nil || !strings.Contains(err.Error(), c.want) {
						t.Errorf("read: %v, want …%s…", err, c.want)
					}
				case <-time.After(tooLong):
					t.Fatal("it waits for ever")
				}
			})
		}
	}
}

// A hard link in the place of a lock would have us empty the other file.
func TestLinkedLockIsNotEmptied(t *testing.T) {
	t.Parallel()
	e := create(t, openSpool(t))
	must.Do(t, e.Settle(answered()))
	must.Do(t, os.Remove(filepath.Join(e.path, popupLock)))
	must.Do(t, os.Link(filepath.Join(e.path, answerFile), filepath.Join(e.path, popupLock)))
	if ok, err := e.TakePopup(); ok || err == nil {
		t.Fatalf("TakePopup = %v, %v", ok, err)
	}
	must.Do(t, os.Remove(filepath.Join(e.path, popupLock)))
	if r, ok, err := e.Answer(); !ok || err != nil || r.Outcome != form.Answered {
		t.Errorf("the answer is %+v, %v, %v", r, ok, err)
	}
}

// A reader in the very instant in which the answer has its two names finds it.
func TestAnswerIsReadWhileItIsWritten(t *testing.T) {
	t.Parallel()
	s := openQuick(t)
	for range 200 {
		e := create(t, s)
		settled := make(chan error, 1)
		go func() { settled <- e.Settle(answered()) }()
		for read := false; !read; {
			_, ok, err := e.Answer()
			must.Do(t, err)
			read = ok
		}
		must.Do(t, <-settled)
		e.Close()
	}
}

func TestDirectoriesThatOthersMayChange(t *testing.T) {
	t.Parallel()
	s := openSpool(t)
	e := create(t, s)
	must.Do(t, os.Chmod(e.path, 0o777))
	if _, err := s.Open(e.ID); err == nil || !strings.Contains(err.Error(), "it may be written by others (mode 0777); chmod 700 "+e.path) {
		t.Errorf("an entry of mode 0777: %v", err)
	}
	must.Do(t, os.Chmod(e.path, 0o700))
	history := filepath.Join(s.path, historyDir)
	for name, make := range map[string]func(){
		"mode 0775": func() { must.Do(t, errors.Join(os.Mkdir(history, 0o700), os.Chmod(history, 0o775))) },
		"mode 0777": func() { must.Do(t, errors.Join(os.Mkdir(history, 0o700), os.Chmod(history, 0o777))) },
		"a link to where others may write": func() {
			open := t.TempDir()
			must.Do(t, errors.Join(os.Chmod(open, 0o777), os.Symlink(open, history)))
		},
		"a link to nowhere": func() { must.Do(t, os.Symlink(filepath.Join(t.TempDir(), "none"), history)) },
		"inside":            func() { must.Do(t, os.Symlink(e.ID, history)) },
		"a file":            func() { must.Do(t, os.WriteFile(history, nil, 0o600)) },
	} {
		make()
		if err := e.Deliver(); err == nil || e.Status().Removed {
			t.Errorf("a history that is %s: %v", name, err)
		}
		if s.noHistory() == nil && name != "inside" { // such a link looks like one of the person's own, and the move refuses it
			t.Errorf("a history that is %s: the check finds nothing wrong", name)
		}
		if other, err := s.openDelivered(e.ID); err == nil {
			other.Close()
			t.Errorf("an entry of a history that is %s", name)
		}
		must.Do(t, os.RemoveAll(history))
	}
	must.Do(t, e.Deliver())
	must.Do(t, os.Chmod(s.path, 0o777))
	if _, err := OpenExisting(s.path); err == nil || !strings.Contains(err.Error(), "may be written by others") {
		t.Errorf("Look at a spool of mode 0777: %v", err)
	}
}

// A request that was copied from another entry, or made up, is not shown.
func TestRequestOfAnotherEntry(t *testing.T) {
	t.Parallel()
	s := openSpool(t)
	a, b := create(t, s), create(t, s)
	data, err := os.ReadFile(filepath.Join(a.path, requestFile))
	must.Do(t, err)
	must.Do(t, os.WriteFile(filepath.Join(b.path, requestFile), data, 0o600))
	if _, err := b.Request(); err == nil || !strings.Contains(err.Error(), "it belongs to another question, "+a.ID) {
		t.Errorf("another's request: %v", err)
	}
	data = bytes.Replace(data, []byte(`"kind":"one"`), []byte(`"kind":"\u001b[2J"`), 1)
	must.Do(t, os.WriteFile(filepath.Join(a.path, requestFile), data, 0o600))
	if _, err := a.Request(); err == nil || !strings.Contains(err.Error(), `question 1 is of an unknown kind, "␛[2J"`) {
		t.Errorf("a kind that there is not: %v", err)
	}
}

func TestAnswerTooLargeToReadIsNotWritten(t *testing.T) {
	t.Parallel()
	e := create(t, openSpool(t))
	r := answered()
	r.Answers = []form.Answer{form.Type(strings.Repeat("x", maxFile))}
	if err := e.Settle(r); err == nil || !strings.Contains(err.Error(), "at most 33554432 can be read again") {
		t.Errorf("Settle: %v", err)
	}
	must.Do(t, e.Settle(answered())) // the question is still open
}

// FuzzEntry: whatever stands in an entry's files, reading them gives an error or
// something that the rest can rely on.
func FuzzEntry(f *testing.F) {
	id := "01ARZ3NDEKTSV4RRFFQ69G5FAV"
	good := fmt.Sprintf(`{"version":1,"id":%q,"form":{"dialect":"question","questions":[{"id":"a","label":"A","prompt":"?","kind":"one","options":[{"value":"x","label":"X"}]}],"echo":{}},"request":{},"origin":{"agent":"a","cwd":"/","host":"","pid":1,"start":"2026-11-21T00:00:00Z"}}`, id)
	for _, seed := range []string{good, "", "{", "null", "[]", `{"version":2}`, `{"version":-1}`, `{"version":1e99}`,
		strings.Replace(good, `"kind":"one"`, `"kind":"one","initial":{"choices":[7]}`, 1), strings.Replace(good, `"kind":"one"`, `"kind":"one","recommended":[-1]`, 1),
		`{"version":1,"outcome":"answered","answers":[{"choices":[1]}],"by":"popup","at":"2026-11-21T00:00:00Z"}`, `{"version":1,"aside":true,"viewer":"\u001b"}`} {
		f.Add([]byte(seed))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Open(dir)
		must.Do(t, err)
		defer s.Close()
		if err := os.Mkdir(filepath.Join(dir, id), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			t.Fatal(err)
		}
		for _, name := range []string{requestFile, answerFile, draftFile, popupLock} {
			must.Do(t, os.WriteFile(filepath.Join(dir, id, name), data, 0o600))
		}
		e, err := s.Open(id)
		must.Do(t, err)
		defer e.Close()
		if req, err := e.Request(); err == nil {
			if req.ID != id || req.Form.Sound() != nil {
				t.Fatalf("read %+v", req)
			}
			if r, ok, err := e.Answer(); ok && err == nil {
				_ = req.Form.Check(r)
			}
		}
		_, _ = e.Draft(new(any))
		_ = e.Status().State()
	})
}

// The history of a secret question says that it was answered, and not with what.
func TestDeliveredSecretIsTakenOut(t *testing.T) {
	t.Parallel()
	s := openSpool(t)
	req := request()
	req.Form.Questions = append(req.Form.Questions, form.Question{ID: "b", Label: "Token", Prompt: "?", Kind: form.Text, Secret: true, Options: []form.Option{}})
	e, err := s.Create(req)
	must.Do(t, err)
	t.Cleanup(func() { e.Close() })
	r := answered()
	r.Answers = []form.Answer{form.Choose(0), form.Type("hunter2")}
	must.Do(t, e.Settle(r))
	if r, ok, err := e.Answer(); !ok || err != nil || *r.Answers[1].Text != "hunter2" {
		t.Fatalf("undelivered: %+v, %v, %v", r, ok, err)
	}
	// Where it cannot be taken out, the entry stays, handed over; and goes later.
	backup := filepath.Join(t.TempDir(), "backup")
	must.Do(t, errors.Join(os.Link(filepath.Join(e.path, answerFile), backup), os.Link(backup, backup+"2")))
	if err := e.Deliver(); err == nil || e.Status().Removed || !e.Status().Delivered {
		t.Errorf("with two names elsewhere: %v, exists %v, delivered %v", err, !e.Status().Removed, e.Status().Delivered)
	}
	must.Do(t, os.Remove(backup))                        // the other might be of an older version's writer that was killed
	killed := filepath.Join(e.path, "."+answerFile+"-X") // what one of ours leaves
	must.Do(t, os.WriteFile(killed, []byte("hunter2"), 0o600))
	must.Do(t, e.Deliver())
	left, err := s.Find(e.ID)
	must.Do(t, err)
	t.Cleanup(func() { left.Close() })
	got, ok, err := left.Answer()
	if !ok || err != nil || got.Answers[1].Text != nil || !got.Answers[1].Withheld || got.Outcome != form.Answered || got.Answers[0].Choices[0] != 0 {
		t.Errorf("delivered: %+v, %v, %v", got, ok, err)
	}
	noSecret(t, s)
}

// noSecret checks that no file of the spool has the secret hunter2, and that others
// may read none.
func noSecret(t *testing.T, s *Spool) {
	t.Helper()
	must.Do(t, filepath.WalkDir(s.path, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if info, err := d.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
		if data, err := os.ReadFile(path); err != nil || bytes.Contains(data, []byte("hunter2")) {
			t.Errorf("%s holds the secret (%v): %s", path, err, data)
		}
		return nil
	}))
}

// What stands in the place of a seat is not written to, nor read whole; and the
// popup sits down all the same.
func TestSeatThatIsNoneOfOurs(t *testing.T) {
	t.Parallel()
	for name, put := range map[string]func(t *testing.T, seat, victim string){
		"a hard link":          func(t *testing.T, seat, victim string) { must.Do(t, os.Link(victim, seat)) },
		"a symbolic link":      func(t *testing.T, seat, victim string) { must.Do(t, os.Symlink(victim, seat)) },
		"one within the spool": func(t *testing.T, seat, victim string) { must.Do(t, os.Symlink("../../"+filepath.Base(victim), seat)) },
		"a FIFO":               func(t *testing.T, seat, _ string) { must.Do(t, syscall.Mkfifo(seat, 0o600)) },
		"a sparse file of 16 GiB": func(t *testing.T, seat, _ string) {
			must.Do(t, errors.Join(os.WriteFile(seat, nil, 0o600), os.Truncate(seat, 16<<30)))
		},
		"a sparse file of 30 MiB": func(t *testing.T, seat, _ string) {
			must.Do(t, errors.Join(os.WriteFile(seat, nil, 0o600), os.Truncate(seat, 30<<20)))
		},
		"a number and then a lot": func(t *testing.T, seat, _ string) {
			must.Do(t, os.WriteFile(seat, bytes.Repeat([]byte("7"), 1<<20), 0o600))
		},
		"a directory without much": func(t *testing.T, seat, _ string) { must.Do(t, os.Mkdir(seat, 0o700)) },
	} {
		t.Run(name, func(t *testing.T) {
			s := openSpool(t)
			l := s.Queue("tmux", "/dev/pts/1")
			victim := filepath.Join(s.path, "victim")
			must.Do(t, os.WriteFile(victim, []byte("VICTIM0123456789"), 0o600))
			put(t, l.spool.in(l.in(seatFile)), victim)
			leave, ok, err := l.TakeSeat()
			if !ok || err != nil {
				t.Fatalf("Sit = %v, %v", ok, err)
			}
			if pid, taken := l.Seat(); pid != os.Getpid() || !taken {
				t.Errorf("on the seat is %d, %v; we are %d", pid, taken, os.Getpid())
			}
			must.Do(t, leave())
			if data, err := os.ReadFile(victim); string(data) != "VICTIM0123456789" || err != nil {
				t.Errorf("the other file is %q, %v", data, err)
			}
		})
	}
}

// Where a link stands in the place of a directory of ours, nothing is made at its
// other end.
func TestLinkedDirectories(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{turnsDir, viewersDir} {
		for _, target := range []string{"outside", "inside"} {
			t.Run(dir+" "+target, func(t *testing.T) {
				s := openSpool(t)
				elsewhere := t.TempDir()
				if target == "inside" {
					elsewhere = filepath.Join(s.path, ".elsewhere")
					must.Do(t, os.Mkdir(elsewhere, 0o700))
					must.Do(t, os.Symlink(filepath.Base(elsewhere), filepath.Join(s.path, dir)))
				} else {
					must.Do(t, os.Symlink(elsewhere, filepath.Join(s.path, dir)))
				}
				e := create(t, s)
				s.TakeTurn(1)
				l := s.Queue("tmux", "/dev/pts/1")
				_, _, _ = l.TakeSeat()
				_, _, _, _ = l.Join(e.ID)
				_ = l.Rejoin(e.ID)
				if names, err := os.ReadDir(elsewhere); len(names) != 0 || err != nil {
					t.Errorf("there is %v, %v", names, err)
				}
			})
		}
	}
}

// A file that takes the place of a lock of ours while we hold that is not written to.
func TestExchangedLocks(t *testing.T) {
	t.Parallel()
	s := openSpool(t)
	e := create(t, s)
	if ok, err := e.TakePopup(); !ok || err != nil {
		t.Fatal(ok, err)
	}
	victim := filepath.Join(s.path, "victim")
	must.Do(t, os.WriteFile(victim, []byte("VICTIM"), 0o600))
	long := time.Now().Add(-time.Hour)
	must.Do(t, os.Chtimes(victim, long, long))
	for _, name := range []string{popupLock, bridgeLock} {
		must.Do(t, errors.Join(os.Remove(filepath.Join(e.path, name)), os.Link(victim, filepath.Join(e.path, name))))
	}
	if err := e.Painted("/dev/pts/1", ""); err == nil {
		t.Error("Painted wrote")
	}
	other := open(t, s, e.ID)
	if ok, err := other.TakeOver(); ok || err == nil {
		t.Errorf("TakeOver = %v, %v", ok, err)
	}
	info, err := os.Stat(victim)
	must.Do(t, err)
	if data, err := os.ReadFile(victim); string(data) != "VICTIM" || err != nil || time.Since(info.ModTime()) < time.Minute {
		t.Errorf("the other file is %q of %v, %v", data, info.ModTime(), err)
	}
}
