// Package spool keeps the questions on disk: the only thing that the asking side
// and the popup share. docs/design.md, The entry on disk, lists every file of it.
//
// The life of an entry, which is one question's directory:
//
//	Create      the bridge writes the request, and holds bridge.lock while it waits
//	TakePopup   a popup holds popup.lock while it shows the form; Painted says where
//	UpdateDraft what was typed so far, for the next popup and for every other surface
//	Settle      the answer, from whichever surface: the first one wins
//	StopWaiting the answer is there, and this call's; Deliver, it has it: the entry is history
//	TakeOver    another call waits, or hands over, where the one that asked is gone
//
// One that mirrors a question of another machine begins with Mirror, and SetAway says
// how it stands there.
//
// It touches files below the spool's directory and nothing else, and follows no
// link there. The rule that must hold here: how it stands with a question is
// derived from files and locks and never stored, and an answer is written once.
package spool

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/hint"
)

// ErrNotFound means that there is no entry with that id, or no spool.
var ErrNotFound = errors.New("no such question")

// What is in a spool beside entries.
const (
	// historyDir holds the delivered entries.
	historyDir = "history"
	// digestsDir is the index of index.go.
	digestsDir = "digests"
	// viewersDir holds a directory for each viewer, see Queue.
	viewersDir = "viewers"
)

// Spool is an open spool: its directory, and the spare one where that takes no
// more (spare.go). Whoever looks for something looks in both.
type Spool struct {
	dir    string
	proper *store // nil where it cannot be opened
	unread error  // why not, where questions may be in it

	mu    sync.Mutex
	spare *store // nil where there is none
}

// Dir is where the spool is: $ASKPANE_SPOOL, else spool in StateDir.
func Dir() (string, error) {
	if dir := os.Getenv("ASKPANE_SPOOL"); dir != "" {
		return filepath.Abs(dir)
	}
	state, err := StateDir()
	if err != nil {
		return "", hint.New("set ASKPANE_SPOOL", "find the spool: %w", err)
	}
	return filepath.Join(state, "spool"), nil
}

// StateDir is askpane's directory below the XDG state directory.
func StateDir() (string, error) {
	if state := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(state) { // the XDG specification ignores relative ones
		return filepath.Join(state, "askpane"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, ".local", "state", "askpane"), nil
}

// Open opens the spool at dir, making it if absent. It refuses a directory that
// is a link, belongs to somebody else, or that others may change. Where nothing can
// be written, there is only the spare.
func Open(dir string) (s *Spool, err error) {
	s = &Spool{dir: dir}
	if s.proper, err = makeStore(dir); unwritable(err) {
		_, err = s.needSpare(err)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Look opens the spool at dir for what is in it, and makes nothing. The error
// wraps ErrNotFound where there is none. Of one that cannot be read, what is in
// the spare is found, and Scan says that there may be more.
func Look(dir string) (s *Spool, err error) {
	s = &Spool{dir: dir}
	if s.proper, err = openStore(dir); err == nil {
		return s, nil
	}
	absent := errors.Is(err, fs.ErrNotExist)
	if absent {
		err = fmt.Errorf("%w: there is no spool %s yet", ErrNotFound, dir)
	} else {
		s.unread = err
	}
	if (absent || unwritable(err)) && len(s.stores()) > 0 {
		return s, nil
	}
	return nil, err
}

// Path is its directory, whether or not it is in use.
func (s *Spool) Path() string { return s.dir }

// Close releases the directory. Entries opened from s stay usable.
func (s *Spool) Close() error {
	var errs []error
	for _, d := range s.stores() {
		errs = append(errs, d.root.Close())
	}
	return errors.Join(errs...)
}

// A process creates and syncs one entry at a time. Each that waits for a slow disk has a
// thread of its own, and Go keeps every thread it has made.
var creating, syncing sync.Mutex

// Create writes a new entry and holds its bridge.lock until Close. The entry
// appears under its id only when it is whole. Where the spool does not take it, it
// goes to the spare (Entry.Spare).
func (s *Spool) Create(req Request) (*Entry, error) {
	req.ID = ulid.MustNew(ulid.Timestamp(req.Origin.Start), rand.Reader).String()
	creating.Lock()
	defer creating.Unlock()
	return s.add(req)
}

// add is Create of an entry that has its id, for who holds creating.
func (s *Spool) add(req Request) (e *Entry, err error) {
	if s.proper != nil {
		if e, err = s.proper.create(req); !unwritable(err) {
			return e, err
		}
	}
	spare, err := s.needSpare(err)
	if err != nil {
		return nil, err
	}
	return spare.create(req)
}

// Open opens the entry id, which must wait. The error wraps ErrNotFound where it
// does not.
func (s *Spool) Open(id string) (*Entry, error) { return s.first(id, (*store).openWaiting) }

// Find opens the entry id, whether it waits or is in the history. The error wraps
// ErrNotFound where it is neither, and the whole spool could be read.
func (s *Spool) Find(id string) (*Entry, error) {
	e, err := s.Open(id)
	if errors.Is(err, ErrNotFound) {
		e, err = s.first(id, (*store).openDelivered)
	}
	if errors.Is(err, ErrNotFound) && s.unread != nil {
		err = s.unread
	}
	return e, err
}

// first is the first that open finds.
func (s *Spool) first(id string, open func(d *store, id string) (*Entry, error)) (*Entry, error) {
	if !ValidID(id) {
		return nil, fmt.Errorf("%w: %s is not a question's id", ErrNotFound, text.OneLine(id, 40))
	}
	for _, d := range s.stores() {
		e, err := open(d, id)
		if !errors.Is(err, ErrNotFound) {
			return e, err
		}
	}
	return nil, fmt.Errorf("%w: nothing waits under %s", ErrNotFound, id)
}

// Scan lists the questions in the spool that have no answer yet, and those that
// have one but were not moved to the history; each the oldest first. With an
// error it is those that could be found. A question that cannot be looked into is
// among those that wait, and the error names it.
func (s *Spool) Scan() (waiting, answered []string, err error) {
	err = s.unread
	for _, d := range s.stores() {
		w, a, e := d.scan()
		waiting, answered, err = append(waiting, w...), append(answered, a...), errors.Join(err, e)
	}
	slices.Sort(waiting) // a ULID begins with its time
	slices.Sort(answered)
	return waiting, answered, err
}

func (d *store) scan() (waiting, answered []string, err error) {
	entries, err := os.ReadDir(d.path)
	if err != nil {
		return nil, nil, fmt.Errorf("read the spool: %w", err)
	}
	for _, e := range entries {
		id := e.Name()
		if !e.IsDir() || !ValidID(id) { // its type comes with its name: no link is followed
			continue
		}
		if missing(os.Lstat(d.in(filepath.Join(id, requestFile)))) { // it has gone since, or was never whole
			if e, err := d.openWaiting(id); err == nil {
				e.Close()
			}
			continue
		}
		switch _, no := os.Lstat(d.in(filepath.Join(id, answerFile))); {
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

// AskedAt is when the question id was asked, which its name tells.
func AskedAt(id string) time.Time { return ulid.Time(ulid.MustParseStrict(id).Time()) }

func wrap(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf(format+": %w", append(args, err)...)
}
