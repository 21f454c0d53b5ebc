package spool

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// history opens the history. It may be a link of the person's own to a directory
// of theirs, on another disk, say.
func (s *Spool) history() (*os.Root, error) {
	path := filepath.Join(s.dir, historyDir)
	root, err := os.OpenRoot(path)
	if _, absent := os.Lstat(path); errors.Is(err, fs.ErrNotExist) && absent == nil {
		return nil, fmt.Errorf("the history %s is a link to a directory that is not there", path)
	}
	if err != nil {
		return nil, fmt.Errorf("open the history: %w", err)
	}
	info, err := root.Stat(".")
	if err == nil {
		err = private(info)
	}
	if err != nil {
		root.Close()
		return nil, fmt.Errorf("the history %s cannot be used: %w", path, err)
	}
	return root, nil
}

// checkHistory is why the history cannot be used; nil where there is none yet.
func (s *Spool) checkHistory() error {
	history, err := s.history()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer history.Close()
	path := filepath.Join(s.dir, historyDir)
	return wrap(unix.Access(path, unix.W_OK|unix.X_OK), "write to the history %s", path)
}

// Find opens the entry id, whether it waits or is in the history. The error wraps
// ErrNotFound where it is neither, and the whole spool could be read.
func (s *Spool) Find(id string) (*Entry, error) {
	e, notFound := s.Open(id)
	if !errors.Is(notFound, ErrNotFound) {
		return e, notFound
	}
	e, err := s.openAny(id, func(s *Spool) (*Entry, error) { return s.openDelivered(id) })
	if errors.Is(err, ErrNotFound) {
		err = cmp.Or(s.unread, notFound)
	}
	return e, err
}

func (s *Spool) openDelivered(id string) (*Entry, error) {
	root, err := s.history()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: nothing was delivered as %s", ErrNotFound, id)
	}
	if err != nil {
		return nil, err
	}
	defer root.Close()
	e, err := s.open(root, id)
	if err == nil {
		e.old = true
	}
	return e, err
}

// History lists the delivered entries, the newest first.
func (s *Spool) History() ([]string, error) {
	var ids []string
	for _, place := range append(s.others(), s) {
		root, err := place.history()
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		some, err := namesIn(root)
		root.Close()
		if err != nil {
			return nil, err
		}
		ids = append(ids, slices.DeleteFunc(some, func(name string) bool { return !ValidID(name) })...)
	}
	slices.Sort(ids)
	slices.Reverse(ids)
	return ids, nil
}

// Deliver says that the answer has reached the agent: first in the entry itself,
// and then by moving it to the history, without what was typed as a secret. One
// of the two is enough for the answer to be given to nobody else. What could not
// be moved is moved when the history is pruned.
func (e *Entry) Deliver() error {
	_ = e.root.Remove(roomFile) // the history may need it
	said := writeNew(e.root, doneFile, nil)
	if e.digest == "" {
		if req, err := e.Request(); err == nil {
			e.digest = req.Digest
		}
	}
	e.indexing.Wait()
	e.spool.forget(e.digest, e.ID)
	moved := e.scrub()
	if moved == nil {
		moved = e.move()
	}
	if moved != nil {
		return fmt.Errorf("deliver %s: %w", e.ID, errors.Join(said, moved))
	}
	return nil
}

// move moves the entry to the history, which is made if it is absent.
func (e *Entry) move() error {
	if err := e.spool.root.Mkdir(historyDir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	history, err := e.spool.history()
	if err != nil {
		return err
	}
	defer history.Close()
	err = os.Rename(e.Path(), filepath.Join(e.spool.dir, historyDir, e.ID))
	if errors.Is(err, syscall.EXDEV) {
		if err = e.copyTo(history); err == nil {
			err = e.spool.root.RemoveAll(e.ID)
		}
	}
	return err
}

// copyTo copies the entry to a history on another disk, where it appears whole.
func (e *Entry) copyTo(history *os.Root) error {
	tmp := making + e.ID
	_ = history.RemoveAll(tmp) // of one who was killed in the middle
	if err := history.Mkdir(tmp, 0o700); err != nil {
		return err
	}
	var err error
	for _, name := range []string{requestFile, draftFile, answerFile, doneFile} {
		data, missing := e.readPlain(name)
		if !errors.Is(missing, fs.ErrNotExist) {
			err = errors.Join(err, missing, history.WriteFile(filepath.Join(tmp, name), data, 0o600))
		}
	}
	if err == nil {
		err = history.Rename(tmp, e.ID)
	}
	if err != nil {
		_ = history.RemoveAll(tmp)
	}
	return err
}

const (
	// pruned is the file in the history whose time says when it was pruned last,
	// and whose lock keeps two from doing so at once.
	pruned = ".pruned"
	// pruneEvery is how often that is done at most.
	pruneEvery = 24 * time.Hour
	// removing marks an entry that is being removed.
	removing = ".removing-"
)

// Prune removes what was over before the time that is keep before now, at most
// once a day; zero keeps everything, and keep is asked only if it is time. Only entries in the history are looked at: a
// question that waits and an answer that was not delivered are not there. An
// entry that somebody holds a lock of stays, and so does one of a later format
// and one that cannot be read.
//
// An entry that was delivered while the history could not take it is moved there.
func (s *Spool) Prune(keep func() time.Duration, now time.Time) (removed int, err error) {
	history, err := s.history()
	if err != nil {
		return 0, nil // there is none, or whoever delivers says why it cannot be used
	}
	defer history.Close()
	info, err := history.Lstat(pruned)
	if err == nil && now.Sub(info.ModTime()) < pruneEvery && !info.ModTime().After(now) {
		return 0, nil
	}
	l := lockOf(filepath.Join(s.dir, historyDir, pruned), os.O_CREATE)
	if ok, err := l.f.TryLock(); !ok || err != nil {
		return 0, wrap(err, "prune the history")
	}
	defer l.release()
	// Told before it is done: whoever is ended in the middle of it goes on tomorrow.
	if err := history.Chtimes(pruned, now, now); err != nil {
		return 0, wrap(err, "prune the history")
	}
	errs := []error{s.moveLate(), s.dropTurns()}
	kept := keep()
	if kept <= 0 {
		return 0, errors.Join(errs...)
	}
	names, err := namesIn(history)
	if err != nil {
		return 0, err
	}
	for _, name := range names {
		if strings.HasPrefix(name, removing) { // somebody was ended in the middle of it
			errs = append(errs, history.RemoveAll(name))
			continue
		}
		gone, err := s.prune(history, name, now.Add(-kept))
		if errs = append(errs, err); gone {
			removed++
		}
	}
	return removed, wrap(errors.Join(errs...), "prune the history")
}

// moveLate moves what was delivered and is not in the history yet.
func (s *Spool) moveLate() error {
	waiting, answered, err := s.scan()
	errs := []error{err}
	for _, id := range append(waiting, answered...) {
		if _, err := s.root.Lstat(filepath.Join(id, doneFile)); err != nil {
			continue
		}
		if e, err := s.Open(id); err == nil {
			errs = append(errs, e.moveAlone(), e.Close())
		}
	}
	return errors.Join(errs...)
}

// moveAlone moves the entry, unless somebody is just doing so.
func (e *Entry) moveAlone() error {
	if ok, err := e.TakeOver(); !ok || err != nil {
		return err
	}
	l := e.answerLock()
	defer l.release()
	if ok, err := l.f.TryLock(); !ok || err != nil {
		if e.removed() { // it has been moved meanwhile
			err = nil
		}
		return err
	}
	return e.Deliver()
}

// prune removes the entry id if it was over before end.
func (s *Spool) prune(history *os.Root, id string, end time.Time) (gone bool, err error) {
	if !ValidID(id) || !AskedAt(id).Before(end) { // asked later than that
		return false, nil
	}
	e, err := s.open(history, id)
	if err != nil {
		return false, nil // it is what it is; askpane history says so
	}
	defer e.Close()
	if _, err := e.Request(); err != nil {
		return false, nil
	}
	if r, ok, err := e.Answer(); err != nil || ok && !r.At.Before(end) {
		return false, nil
	}
	for _, name := range []string{bridgeLock, popupLock} {
		l := e.lockAt(filepath.Join(s.dir, historyDir, id), name)
		ok, err := l.f.TryLock()
		if !ok || err != nil {
			return false, err
		}
		e.locks = append(e.locks, l)
	}
	// Away in one step first, so that nobody sees half an entry.
	if err := history.Rename(id, removing+id); err != nil {
		return false, err
	}
	return true, history.RemoveAll(removing + id)
}
