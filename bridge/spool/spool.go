// Package spool keeps the questions on disk: the only thing that the asking side
// and the popup share. docs/design.md, The entry on disk, lists every file of it.
//
// An entry, which is one question's directory, lives so:
//
//	Create      the bridge writes the request, and holds bridge.lock while it waits
//	TakePopup   a popup holds popup.lock while it shows the form; Painted says where
//	UpdateDraft a surface saves what was typed so far, for the next popup and all others
//	Settle      a surface writes the answer: the first one wins
//	StopWaiting the bridge keeps the answer for its call; Deliver moves the entry to the history
//	TakeOver    another call waits, or hands over, where the one that asked is gone
//
// One that mirrors a question of another machine begins with Mirror, and SetAway says
// how it stands there.
//
// It touches files below the spool's directory and nothing else, and follows no
// link there. The rules that must hold here: the state of a question is derived from
// files and locks and never stored, and an answer is written once.
package spool

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/hint"
)

// ErrNotFound means that there is no entry with that id, or no spool.
var ErrNotFound = errors.New("no such question")

// Beside entries a spool has these.
const (
	historyDir = "history" // the delivered entries
	turnsDir   = "turns"   // a lock for each session that has its turn, see TakeTurn
	digestsDir = "digests" // an index that older versions made; Prune removes it
	viewersDir = "viewers" // a directory for each viewer, see Queue
	// attachmentsDir has a directory for each entry with pictures. It lies beside the entries, so
	// that the path which an agent is given stays right when the entry goes to the history.
	attachmentsDir = "attachments"
)

type Spool struct{ folder }

// Dir returns where the spool is: $ASKPANE_SPOOL, else spool in StateDir.
func Dir() (string, error) {
	if dir := os.Getenv("ASKPANE_SPOOL"); dir != "" {
		if rest, tilde := strings.CutPrefix(dir, "~/"); tilde { // no shell has read an agent's configuration
			dir = filepath.Join(os.Getenv("HOME"), rest)
		}
		return filepath.Abs(dir)
	}
	dir, err := StateDir("spool")
	if err != nil {
		return "", hint.New("set ASKPANE_SPOOL", "find the spool: %w", err)
	}
	return dir, nil
}

// StateDir returns the path of what is called name in askpane's directory below the XDG state
// directory; without a name, of that directory.
func StateDir(name ...string) (dir string, err error) {
	state := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) { // the XDG specification ignores relative ones
		dir, err = os.UserHomeDir()
		state = filepath.Join(dir, ".local", "state")
	}
	return filepath.Join(state, "askpane", filepath.Join(name...)), err
}

// Open opens the spool at dir, making it if absent. It refuses a directory that
// is a link, belongs to somebody else, or that others may change.
func Open(dir string) (*Spool, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, unwritable(dir, err)
	}
	s, err := openDir(dir)
	if err != nil {
		return nil, err
	}
	if err := s.closeToOthers(); err != nil {
		s.Close()
		return nil, err
	}
	_ = s.adopt() // Scan says what fails
	return s, nil
}

// OpenExisting opens the spool at dir and makes none, unless an older askpane has kept
// questions elsewhere that belong there. The error wraps ErrNotFound where there is
// none.
func OpenExisting(dir string) (*Spool, error) {
	s, err := openDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		if _, none := os.Lstat(sparePath(dir)); none == nil {
			return Open(dir)
		}
		err = fmt.Errorf("%w: there is no spool %s yet", ErrNotFound, dir)
	}
	if err != nil {
		return nil, err
	}
	_ = s.adopt()
	return s, nil
}

// openDir opens the directory of a spool if it is ours and nobody else may change
// it. What is in it is closed to others, whatever can be seen of its own names.
func openDir(dir string) (*Spool, error) {
	f, err := openFolder(os.Lstat, os.OpenRoot, dir, dir)
	if err == nil {
		return &Spool{f}, nil
	}
	if errors.Is(err, fs.ErrPermission) {
		return nil, hint.New("run chmod 700 on it if it is yours, or set ASKPANE_SPOOL to a directory of your own",
			"the spool %s cannot be read: %w", dir, syscall.EACCES)
	}
	err = fmt.Errorf("open the spool %s: %w", dir, err)
	if _, cure := hint.Of(err); cure == "" {
		err = hint.New("set ASKPANE_SPOOL to a directory of your own", "%w", err)
	}
	return nil, err
}

// unwritable says that the spool at dir cannot be made or written because of err.
func unwritable(dir string, err error) error {
	return hint.New("make room on its disk and see that you may write there, or set ASKPANE_SPOOL to another directory of your own",
		"the spool %s cannot be written: %w", dir, err)
}

// closeToOthers makes a directory private that was made by hand (0755), if others lose
// nothing but the sight of the spool by that.
func (s *Spool) closeToOthers() error {
	info, err := s.root.Stat(".")
	if err != nil || info.Mode().Perm()&0o077 == 0 {
		return err
	}
	names, err := os.ReadDir(s.path)
	if err != nil {
		return err
	}
	for _, n := range names {
		if name := n.Name(); !slices.Contains([]string{historyDir, turnsDir, digestsDir, viewersDir, attachmentsDir}, name) && !ValidID(name) && !strings.HasPrefix(name, making) && !strings.HasPrefix(name, removing) {
			return hint.New("run chmod 700 on it or set ASKPANE_SPOOL to an empty directory",
				"the spool %s has mode %04o and holds %q, which is not askpane's", s.path, info.Mode().Perm(), name)
		}
	}
	if err := s.root.Chmod(".", 0o700); err != nil {
		return unwritable(s.path, err)
	}
	return nil
}

func (s *Spool) Path() string { return s.path }

// Lost reports whether the path does not lead here any more: the spool was removed or moved, say.
func (s *Spool) Lost() bool {
	here, err := s.root.Stat(".")
	there, gone := os.Stat(s.path)
	return err != nil || gone != nil || !os.SameFile(here, there)
}

// Close releases the directory. Entries opened from s stay usable.
func (s *Spool) Close() error { return s.root.Close() }

// A process creates and syncs one entry at a time, and makes one file. Each that waits for a
// slow disk has a thread of its own, and Go keeps every thread it has made.
var creating, syncing, writing sync.Mutex

// Create writes a new entry and holds its bridge.lock until Close. The entry
// appears under its id only when it is whole.
func (s *Spool) Create(req Request) (*Entry, error) {
	req.ID = ulid.MustNew(ulid.Timestamp(req.Origin.Start), rand.Reader).String()
	creating.Lock()
	defer creating.Unlock()
	return s.create(req)
}

// Open opens the entry id, which must wait. The error wraps ErrNotFound where it
// does not.
func (s *Spool) Open(id string) (*Entry, error) {
	if !ValidID(id) {
		return nil, fmt.Errorf("%w: %s is not a question's id", ErrNotFound, text.OneLine(id, 40))
	}
	e, err := s.openWaiting(id)
	if errors.Is(err, ErrNotFound) {
		err = fmt.Errorf("%w: nothing waits under %s", ErrNotFound, id)
	}
	return e, err
}

// Find opens the entry id, whether it waits or is in the history. The error wraps
// ErrNotFound where it is neither, and the whole spool could be read.
func (s *Spool) Find(id string) (*Entry, error) {
	e, err := s.Open(id)
	if !errors.Is(err, ErrNotFound) || !ValidID(id) {
		return e, err
	}
	if past, no := s.openDelivered(id); !errors.Is(no, ErrNotFound) {
		return past, no
	}
	return nil, cmp.Or(s.adopt(), err)
}

// Scan lists the questions in the spool that have no answer yet, and those that
// have one but were not moved to the history; each the oldest first. With an
// error it lists those that could be found. A question that cannot be read is among
// those that wait, and the error names it.
func (s *Spool) Scan() (waiting, answered []string, err error) {
	err = s.adopt()
	entries, unread := os.ReadDir(s.path) // sorted by name, and a ULID begins with its time
	if unread != nil {
		return nil, nil, fmt.Errorf("read the spool: %w", unread)
	}
	for _, e := range entries {
		id := e.Name()
		if !e.IsDir() || !ValidID(id) { // its type comes with its name: no link is followed
			continue
		}
		if missing(os.Lstat(s.in(filepath.Join(id, requestFile)))) { // it has gone since, or was never whole
			if e, err := s.openWaiting(id); err == nil {
				e.Close()
			}
			continue
		}
		switch _, no := os.Lstat(s.in(filepath.Join(id, answerFile))); {
		case errors.Is(no, fs.ErrPermission):
			err = errors.Join(err, fmt.Errorf("look into spool entry %s: %w", id, fs.ErrPermission))
			waiting = append(waiting, id)
		case errors.Is(no, fs.ErrNotExist):
			waiting = append(waiting, id)
		default: // it is there, whatever it is (as in Status)
			answered = append(answered, id)
		}
	}
	return waiting, answered, err
}

// ValidID reports whether id is one that askpane could have made: a ULID in
// its canonical upper-case form.
func ValidID(id string) bool {
	u, err := ulid.ParseStrict(id)
	return err == nil && u.String() == id
}

// AskedAt reads from its name when the question id was asked.
func AskedAt(id string) time.Time { return ulid.Time(ulid.MustParseStrict(id).Time()) }

func wrap(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf(format+": %w", append(args, err)...)
}
