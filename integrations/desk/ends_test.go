package desk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/address"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/integrations/desk/gate"
)

// A phone that is paired and finds its way wants the desk to be up.
func TestDeskStaysForAPhone(t *testing.T) {
	s := newStand(t)
	first := s.started("1")
	id := s.paired(first)
	s.end(first)
	if _, err := s.start("1", "GRACE=2s"); err != nil { // no less: it has to be seen up
		t.Fatal(err)
	}
	s.until("it ends where no other machine reaches it", s.down)
	s.started("1", "GRACE=50ms", "ASKPANE_PAGE_HOSTS=desk.example")
	s.stays("a phone is paired")
	if !address.Paired() {
		t.Error("nobody sees that a phone is paired")
	}
	if _, err := gate.Keys(s.dir).Revoke(id); err != nil {
		t.Fatal(err)
	}
	s.until("it ends when none is", s.down)
	if address.Paired() {
		t.Error("a phone is paired that was revoked")
	}
}

func TestDeskEndsWhenNothingWaitsAndNobodyLooks(t *testing.T) {
	s := newStand(t)
	a := s.started("1", "GRACE=2s") // no less: it has to be seen up
	s.until("it ends by itself", s.down)
	e := s.question()
	s.started("1", "GRACE=50ms")
	s.stays("a question waits")
	other := s.question()
	for _, e := range []*spool.Entry{e, other} { // which nobody collects
		if s.down() {
			t.Fatal("it has ended while a question waits")
		}
		if err := e.Settle(form.Result{Outcome: form.Cancelled, By: form.ByAnswer, At: time.Now()}); err != nil {
			t.Fatal(err)
		}
	}
	s.until("it ends after the questions", s.down)
	if _, err := gate.Keys(s.dir).Link(a.URL, false, ""); err != nil {
		t.Fatal(err)
	}
	s.started("1", "GRACE=50ms")
	s.stays("somebody has a link that nobody has used")
}

// A desk whose lock, state directory or spool is gone is found by nobody: it ends, also where
// a question waits or it was told to stay.
func TestDeskEndsWithItsFiles(t *testing.T) {
	for what, lose := range map[string]func(s *stand) error{
		"the lock":                            func(s *stand) error { return os.Remove(filepath.Join(s.dir, "desk.lock")) },
		"the state directory":                 func(s *stand) error { return os.RemoveAll(filepath.Dir(s.dir)) },
		"the state directory, which is moved": func(s *stand) error { return os.Rename(filepath.Dir(s.dir), filepath.Join(s.TempDir(), "moved")) },
		"the spool":                           func(s *stand) error { return os.RemoveAll(s.spool.Path()) },
		"the spool, and there is another": func(s *stand) error {
			if err := os.Rename(s.spool.Path(), filepath.Join(s.TempDir(), "moved")); err != nil {
				return err
			}
			return os.Mkdir(s.spool.Path(), 0o700)
		},
	} {
		for _, stay := range []string{"", "1"} {
			s := newStand(t)
			s.question()
			a := s.started("1", "GRACE=50ms", "STAY="+stay)
			t.Cleanup(func() { _ = syscall.Kill(a.PID, syscall.SIGKILL) })
			if err := lose(s); err != nil {
				t.Fatal(err)
			}
			s.until(what+" is gone, and it ends", func() bool { return syscall.Kill(a.PID, 0) != nil })
			if err := address.Why(s.dir); err != nil {
				t.Errorf("%s: the next one is said to be unable to start: %v", what, err)
			}
		}
	}
}

// What is no question any more, or is over without an answer, keeps no desk up, and has none
// look at it without an end.
func TestDeskEndsAfterWhatIsNoQuestion(t *testing.T) {
	for what, leave := range map[string]func(file string) bool{
		"a draft alone":               func(file string) bool { return file == "draft.json" },
		"delivered without an answer": func(string) bool { return true },
	} {
		t.Run(what, func(t *testing.T) {
			s := newStand(t)
			e := s.question()
			s.started("1", "GRACE=50ms")
			s.stays("a question waits")
			dir := filepath.Join(s.spool.Path(), e.ID)
			for _, file := range []string{"draft.json", "delivered"} {
				if err := os.WriteFile(filepath.Join(dir, file), []byte("{}"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			files, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files {
				if !leave(f.Name()) {
					if err := os.Remove(filepath.Join(dir, f.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) { // the room that the asker gave back
						t.Fatal(err)
					}
				}
			}
			s.until("it ends", s.down)
		})
	}
}
