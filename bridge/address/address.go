// Package address tells whether the desk is up, and where: the process that serves
// askpane's pages (integrations/desk).
//
// It reads and writes the desk's own directory, and speaks no HTTP, so that everybody
// may ask. The rule that must hold here: the lock alone says that a desk is up, and
// the kernel which process has it.
package address

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/google/renameio/v2"
	"golang.org/x/sys/unix"

	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/bridge/watch"
	"github.com/askpane/askpane/settings/private"
)

// Address is what a desk says of itself.
type Address struct {
	Version string    `json:"version"`
	PID     int       `json:"pid"`
	Port    int       `json:"port"`
	URL     string    `json:"url"`   // on this machine, and never with a token
	Hosts   []string  `json:"hosts"` // by which other machines may reach it, as URLs
	Spool   string    `json:"spool"` // whose questions it shows
	Since   time.Time `json:"since"`
	Stay    bool      `json:"stay,omitempty"`  // it does not end by itself
	Notes   []string  `json:"notes,omitempty"` // what the person should know of it
	Ended   bool      `json:"ended,omitempty"` // by itself, or told to; else it is up, or was killed
	Died    int       `json:"died,omitempty"`  // how many before it did not, each soon after the other
}

const (
	lockFile   = "desk.lock"
	file       = "desk.json"
	failedFile = "failed"
)

// ErrUp is that there is a desk already.
var ErrUp = errors.New("a desk is up already")

// Dir is the desk's own directory, made where it is absent.
func Dir() (string, error) {
	dir, err := place()
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err == nil {
		err = private.Dir(dir, 0o077)
	}
	if err != nil {
		return "", fmt.Errorf("use the desk's directory: %w", err)
	}
	return dir, nil
}

func place() (string, error) { return spool.StateDir("desk") }

// Up is the address of the desk that is up. The process of the desk itself does not
// ask: closing the file would take one of its locks.
func Up() (Address, bool) {
	if dir, err := place(); err == nil {
		if pid, held := holder(filepath.Join(dir, lockFile)); held {
			a, err := Last(dir)
			return a, err == nil && a.PID == pid
		}
	}
	return Address{}, false
}

// Serves returns the address of the desk that is up, where it serves the questions of our spool.
func Serves() (Address, bool) {
	a, up := Up()
	dir, err := spool.Dir()
	return a, up && err == nil && dir == a.Spool
}

// Page returns where the desk that serves our spool has its page; it is empty where there is none.
func Page() (url string, port int) {
	if a, serves := Serves(); serves {
		return a.URL, a.Port
	}
	return "", 0
}

// holder is the process that has the lock, by what the kernel says.
func holder(path string) (pid int, held bool) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return 0, false
	}
	defer f.Close()
	if watch.Flock(f, unix.LOCK_SH|unix.LOCK_NB) != watch.ErrHeld {
		return 0, false
	}
	lock := unix.Flock_t{Type: unix.F_RDLCK, Whence: io.SeekStart}
	if unix.FcntlFlock(f.Fd(), unix.F_GETLK, &lock) != nil || lock.Type == unix.F_UNLCK {
		return 0, true
	}
	return int(lock.Pid), true
}

// PairedID begins the id of a paired device.
const PairedID = "p"

// Paired reports whether a device is paired that wants the desk to be up.
func Paired() bool {
	dir, err := place()
	paired, _ := fs.Glob(os.DirFS(dir), "devices/"+PairedID+"*")
	return err == nil && len(paired) > 0
}

// Gone closes the returned channel when no desk is up, and when ctx ends.
func Gone(ctx context.Context) <-chan struct{} {
	dir, _ := place() // without one none is up
	return watch.Freed(ctx, filepath.Join(dir, lockFile))
}

// Last is what the desk that is up, or was up last, has said.
func Last(dir string) (Address, error) { return private.Read[Address](dir, file) }

// Hold takes the lock until the file is closed. The error is ErrUp where another
// process has it. Besides flock, which says that a desk is up, it is locked so that
// the kernel tells whose it is.
func Hold(dir string) (f *os.File, err error) {
	for range 40 { // who asks whether a desk is up has the lock for an instant
		f, err = os.OpenFile(filepath.Join(dir, lockFile), os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o600)
		if err != nil {
			return nil, err
		}
		if err = watch.Flock(f, unix.LOCK_EX|unix.LOCK_NB); err == nil {
			lock := unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart}
			if err = unix.FcntlFlock(f.Fd(), unix.F_SETLK, &lock); err == nil {
				return f, nil
			}
		}
		f.Close()
		if err != watch.ErrHeld {
			return nil, err
		}
		time.Sleep(5 * time.Millisecond) // nothing tells of a lock that was looked at
	}
	return nil, ErrUp
}

// soon is how short a desk has lived that says something by being killed.
const soon = time.Hour

// After is a, with how many died before it, of which last was the last.
func (a Address) After(last Address) Address {
	switch {
	case last.PID == 0 || last.Ended:
	case time.Since(last.Since) > soon:
		a.Died = 1
	default:
		a.Died = last.Died + 1
	}
	return a
}

// Write says where the desk is that holds the lock.
func (a Address) Write(dir string) error {
	_ = os.Remove(filepath.Join(dir, failedFile))
	return private.Write(dir, file, a)
}

// Failed leaves word of why a desk could not start.
func Failed(dir string, why error) {
	_ = renameio.WriteFile(filepath.Join(dir, failedFile), []byte(why.Error()+"\n"), 0o600)
}

// Why is why the last desk could not start; nil where it could.
func Why(dir string) error {
	data, err := private.Bytes(filepath.Join(dir, failedFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.New(text.OneLine(strings.TrimSpace(string(data)), 400))
}

// Checks is what askpane doctor says of the desk.
func Checks(version string) []hint.Check {
	c := hint.Check{Section: "browser", Name: "desk", State: hint.Warn}
	dir, err := place()
	if err == nil {
		err = private.Dir(dir, 0o077)
	}
	a, up := Up()
	why := Why(dir)
	last, _ := Last(dir)
	died := Address{}.After(last).Died
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		c = hint.Wrong(c.Section, c.Name, c.State, err)
	case up && a.Version != version:
		c.Detail, c.Fix = fmt.Sprintf("up at %s, of another version: %s", a.URL, a.Version), "askpane page puts this one in its place"
	case up:
		if c.Detail = fmt.Sprintf("up at %s, process %d, since %s", a.URL, a.PID, a.Since.Local().Format("2 Jan 15:04")); a.Died > 1 {
			a.Notes = append(a.Notes, killed(a.Died))
		}
		if len(a.Notes) == 0 {
			c.State = hint.OK
		}
		c.Detail = strings.Join(append([]string{c.Detail}, a.Notes...), "; ")
	case why != nil:
		c.Detail, c.Fix = "it could not start: "+why.Error(), "askpane desk tries again, and says what is wrong"
	case died > 1:
		c.Detail, c.Fix = "not up; "+killed(died), "askpane desk, in a terminal, shows why"
	default:
		c.State, c.Detail = hint.Off, "not up; askpane page and the key F7 start it"
	}
	return []hint.Check{c}
}

func killed(n int) string { return fmt.Sprintf("the last %d have crashed or were killed", n) }
