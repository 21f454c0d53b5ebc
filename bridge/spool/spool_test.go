package spool

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/tests/must"
	"github.com/askpane/askpane/tests/needs"
)

// The goroutines that wait for a lock end with its holder, so a test that has
// let go of everything leaves none behind.
func TestMain(m *testing.M) {
	if lockFor := os.Getenv(holdEnv); lockFor != "" {
		hold(lockFor)
	}
	if err := flag.Set("test.parallel", "4"); err != nil { // most of these tests wait for the disk
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

func openSpool(t *testing.T) *Spool {
	t.Helper()
	return openAt(t, filepath.Join(t.TempDir(), "state", "spool"))
}

// openQuick is openSpool where no disk has to be waited for, for tests that make a lot.
func openQuick(t *testing.T) *Spool {
	t.Helper()
	dir := inMemory(t)
	if dir == "" {
		return openSpool(t)
	}
	return openAt(t, filepath.Join(dir, "spool"))
}

// inMemory is a directory on a file system in memory; empty where there is none.
func inMemory(t *testing.T) string {
	dir, err := os.MkdirTemp("/dev/shm", "askpane")
	if err != nil {
		return ""
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func openAt(t *testing.T, dir string) *Spool {
	t.Helper()
	s, err := Open(dir)
	must.Do(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

func request() Request {
	echo := json.RawMessage(`{"questions":[{"id":"a"}]}`)
	return Request{
		Form: form.Form{Dialect: "question", Echo: echo, Questions: []form.Question{
			{ID: "a", Label: "Q1", Prompt: "A?", Kind: form.One, Other: "Else", Options: []form.Option{{Value: "x", Label: "Ex"}}}}},
		Raw:    json.RawMessage(`{"questions":[{"id":"a","prompt":"A?"}]}`),
		Origin: Origin{Agent: "test", Cwd: "/srv", Host: "terminal", PID: os.Getpid(), Start: time.Now()},
	}
}

func create(t *testing.T, s *Spool) *Entry {
	t.Helper()
	e, err := s.Create(request())
	must.Do(t, err)
	t.Cleanup(func() { e.Close() })
	return e
}

func open(t *testing.T, s *Spool, id string) *Entry {
	t.Helper()
	e, err := s.Open(id)
	must.Do(t, err)
	t.Cleanup(func() { e.Close() })
	return e
}

// show has a popup show the entry on a viewer.
func show(t *testing.T, e *Entry, viewer string) {
	t.Helper()
	if ok, err := e.TakePopup(); !ok || err != nil {
		t.Fatalf("TakePopup = %v, %v", ok, err)
	}
	must.Do(t, e.Painted(viewer, ""))
}

func answered() form.Result {
	return form.Result{Outcome: form.Answered, Answers: []form.Answer{form.Choose(0)}, By: "popup", At: time.Now()}
}

// tooLong limits how long a test waits for something that should come at once.
const tooLong = 30 * time.Second

// closed waits for a channel to close, and fails after a while.
func closed(t *testing.T, what string, c <-chan struct{}) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(tooLong):
		t.Fatalf("%s: nothing after %v", what, tooLong)
	}
}

func TestFilesAreOurs(t *testing.T) {
	for _, mask := range []int{0, 0o077} {
		t.Run(fmt.Sprintf("umask %03o", mask), func(t *testing.T) {
			parent := t.TempDir() // before the umask: the test's own directory
			defer syscall.Umask(syscall.Umask(mask))
			s := openAt(t, filepath.Join(parent, "state", "spool"))
			e := create(t, s)
			show(t, e, "v")
			if err := saveDraft(e, map[string]int{"version": 1}); err != nil {
				t.Fatal(err)
			}
			must.Do(t, e.Settle(answered()))
			var names []string
			err := filepath.WalkDir(s.path, func(path string, d fs.DirEntry, err error) error {
				if err != nil {
					return err
				}
				info, err := d.Info()
				if err != nil {
					return err
				}
				want := fs.FileMode(0o600)
				if d.IsDir() {
					want = 0o700
				} else {
					names = append(names, d.Name())
				}
				if got := info.Mode().Perm(); got != want {
					t.Errorf("%s has mode %04o, want %04o", path, got, want)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			slices.Sort(names)
			if want := []string{answerFile, bridgeLock, draftFile, draftLock, popupLock, requestFile, reserveFile}; !slices.Equal(names, want) {
				t.Errorf("files are %v, want %v", names, want)
			}
			must.Do(t, e.Deliver())
			info, err := os.Stat(filepath.Join(s.path, historyDir))
			if err != nil || info.Mode().Perm() != 0o700 {
				t.Errorf("history: %v, %v", info, err)
			}
		})
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		make func(t *testing.T, dir string)
		want string
	}{
		{"a symbolic link", func(t *testing.T, dir string) {
			must.Do(t, os.Mkdir(dir+".real", 0o700))
			must.Do(t, os.Symlink(dir+".real", dir))
		}, "is a symbolic link"},
		{"an open directory with something in it", func(t *testing.T, dir string) {
			must.Do(t, os.Mkdir(dir, 0o755))
			must.Do(t, os.WriteFile(filepath.Join(dir, "thesis.tex"), nil, 0o600))
		}, `has mode 0755 and holds "thesis.tex", which is not askpane's`},
		{"a file", func(t *testing.T, dir string) { must.Do(t, os.WriteFile(dir, nil, 0o600)) }, "not a directory"},
		{"somebody else's", func(t *testing.T, dir string) {
			if os.Geteuid() != 0 {
				needs.Missing(t, "root", "only root can give a directory away; run the tests as root")
			}
			must.Do(t, os.Mkdir(dir, 0o700))
			must.Do(t, os.Chown(dir, 12345, 12345))
		}, "belongs to user 12345, not to you (0)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "spool")
			c.make(t, dir)
			s, err := Open(dir)
			if err == nil {
				s.Close()
				t.Fatal("was opened")
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("error is %q, want …%q…", err, c.want)
			}
		})
	}
}

func TestOpenClosesADirectoryOfItsOwn(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "spool")
	e := create(t, openAt(t, dir))
	must.Do(t, os.Chmod(dir, 0o755))
	ids, _, err := openAt(t, dir).Scan()
	if err != nil || !slices.Equal(ids, []string{e.ID}) {
		t.Errorf("Scan = %v, %v", ids, err)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("mode after opening: %v, %v", info.Mode(), err)
	}
}

func TestLinksAreNotFollowed(t *testing.T) {
	t.Parallel()
	s := openSpool(t)
	outside := create(t, openSpool(t))
	inside := create(t, s)
	must.Do(t, os.Symlink(outside.path, filepath.Join(s.path, outside.ID)))
	if _, err := s.Open(outside.ID); err == nil || !strings.Contains(err.Error(), "it is a symbolic link") {
		t.Errorf("a linked entry: %v", err)
	}
	target := filepath.Join(t.TempDir(), "target")
	must.Do(t, os.WriteFile(target, []byte("kept"), 0o600))
	must.Do(t, os.Symlink(target, filepath.Join(inside.path, answerFile)))
	if err := inside.Settle(answered()); !errors.Is(err, ErrAnswered) {
		t.Errorf("a linked answer.json: %v", err)
	}
	if data, err := os.ReadFile(target); string(data) != "kept" {
		t.Errorf("the link's target was written to: %q, %v", data, err)
	}
}

// An answer.json that names no outcome is no answer.
func TestAnswerWithoutOutcome(t *testing.T) {
	t.Parallel()
	e := create(t, openSpool(t))
	for _, said := range []string{"{}", "null", `{"version":1,"at":"2026-11-29T00:00:00Z"}`} {
		must.Do(t, os.WriteFile(filepath.Join(e.path, answerFile), []byte(said), 0o600))
		if r, ok, err := e.Answer(); ok || err == nil || !strings.Contains(err.Error(), "answer.json of "+e.ID) {
			t.Errorf("%s: %+v, %t, %v", said, r, ok, err)
		}
	}
}

func TestOpenEntryRefuses(t *testing.T) {
	t.Parallel()
	s := openSpool(t)
	valid := "01ARZ3NDEKTSV4RRFFQ69G5FAV"
	for _, id := range []string{"", ".", "..", "../x", "history", "x", strings.ToLower(valid), valid + "/", valid + "0", "8" + valid[1:], valid} {
		if e, err := s.Open(id); !errors.Is(err, ErrNotFound) {
			t.Errorf("Open(%q) = %v, %v, want ErrNotFound", id, e, err)
		}
	}
	if !ValidID(valid) {
		t.Errorf("%s is a valid id", valid)
	}
	if _, err := s.Open("\x1b[2J"); err == nil || strings.Contains(err.Error(), "\x1b") {
		t.Errorf("the error repeats an escape: %q", err)
	}
	path := filepath.Join(s.path, valid)
	must.Do(t, os.WriteFile(path, nil, 0o600))
	if _, err := s.Open(valid); err == nil || errors.Is(err, ErrNotFound) {
		t.Errorf("a file for an entry: %v", err)
	}
	must.Do(t, errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o600)))
	opened := make(chan error, 1)
	go func() {
		_, err := s.Open(valid)
		opened <- err
	}()
	select {
	case err := <-opened:
		if err == nil || !strings.Contains(err.Error(), valid+": it is not a directory") {
			t.Errorf("a FIFO for an entry: %v", err)
		}
	case <-time.After(tooLong):
		t.Error("a FIFO for an entry is waited for")
	}
}

func TestCreateLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	s := openSpool(t)
	bad := request()
	bad.Raw = json.RawMessage(`{`)
	if e, err := s.Create(bad); err == nil {
		e.Close()
		t.Fatal("a request that is no JSON was written")
	}
	if names, err := os.ReadDir(s.path); err != nil || len(names) != 0 {
		t.Errorf("left behind: %v, %v", names, err)
	}
	must.Do(t, os.Remove(s.path))
	if e, err := s.Create(request()); err == nil {
		e.Close()
		t.Fatal("an entry in a spool that is gone")
	}
	if _, err := os.Stat(s.path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the spool is there again: %v", err)
	}
}

func TestRequestComesBack(t *testing.T) {
	t.Parallel()
	s := openSpool(t)
	want := request()
	deadline := want.Origin.Start.Add(time.Hour)
	want.Deadline = &deadline
	made, err := s.Create(want)
	must.Do(t, err)
	defer made.Close()
	must.Do(t, made.Sync())
	got, err := open(t, s, made.ID).Request()
	must.Do(t, err)
	if got.ID != made.ID || got.Version != form.Version || string(got.Raw) != string(want.Raw) || string(got.Form.Echo) != string(want.Form.Echo) ||
		!got.Deadline.Equal(deadline) || got.Origin.Agent != "test" || !got.Origin.Start.Equal(want.Origin.Start) {
		t.Errorf("request is %+v", got)
	}
	later := create(t, s)
	if ids := waiting(t, s); len(ids) != 2 || !slices.Contains(ids, later.ID) || !slices.IsSorted(ids) {
		t.Errorf("there wait %v", ids)
	}
}

func TestDir(t *testing.T) {
	home := t.TempDir()
	for _, c := range []struct{ spool, state, want string }{
		{"/a/spool", "/b", "/a/spool"},
		{"~/my spool", "/b", home + "/my spool"}, // as an agent's list of servers has it
		{"", "/b", "/b/askpane/spool"},
		{"", "relative", home + "/.local/state/askpane/spool"},
		{"", "", home + "/.local/state/askpane/spool"},
	} {
		t.Setenv("HOME", home)
		t.Setenv("ASKPANE_SPOOL", c.spool)
		t.Setenv("XDG_STATE_HOME", c.state)
		if got, err := Dir(); got != c.want || err != nil {
			t.Errorf("Dir with %q and %q = %q, %v, want %q", c.spool, c.state, got, err, c.want)
		}
	}
}
