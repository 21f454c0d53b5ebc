package spool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// history opens the history. It may be a link of the person's own to a directory
// of theirs, on another disk, say.
func (d *store) history() (*os.Root, error) {
	path := filepath.Join(d.dir, historyDir)
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
func (d *store) checkHistory() error {
	history, err := d.history()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer history.Close()
	path := filepath.Join(d.dir, historyDir)
	return wrap(unix.Access(path, unix.W_OK|unix.X_OK), "write to the history %s", path)
}

func (d *store) openDelivered(id string) (*Entry, error) {
	root, err := d.history()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return d.openIn(root, id)
}

// History lists the delivered entries, the newest first.
func (s *Spool) History() ([]string, error) {
	var ids []string
	for _, d := range s.stores() {
		root, err := d.history()
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		names, err := namesIn(root, ".")
		root.Close()
		if err != nil {
			return nil, err
		}
		ids = append(ids, slices.DeleteFunc(names, func(name string) bool { return !ValidID(name) })...)
	}
	slices.Sort(ids)
	slices.Reverse(ids)
	return ids, nil
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
// once a day; zero keeps everything, and keep is asked only if it is time. Only
// entries in the history are looked at: a question that waits and an answer that
// was not delivered are not there. An entry that somebody holds a lock of stays,
// and so does one of a later format and one that cannot be read.
//
// An entry that was delivered while the history could not take it is moved there.
func (s *Spool) Prune(keep func() time.Duration, now time.Time) (removed int, err error) {
	d := s.proper
	if d == nil {
		return 0, nil
	}
	history, err := d.history()
	if err != nil {
		return 0, nil // there is none, or whoever delivers says why it cannot be used
	}
	defer history.Close()
	info, err := history.Lstat(pruned)
	if err == nil && now.Sub(info.ModTime()) < pruneEvery && !info.ModTime().After(now) {
		return 0, nil
	}
	mark, err := lockFile{root: history, name: pruned, check: plain}.try(os.O_CREATE)
	if err == errHeld {
		return 0, nil
	}
	if err == nil {
		defer mark.Close()
		// Told before it is done: whoever is ended in the middle of it goes on tomorrow.
		err = history.Chtimes(pruned, now, now)
	}
	if err != nil {
		return 0, fmt.Errorf("prune the history: %w", err)
	}
	errs := []error{d.moveLate(), d.dropTurns()}
	if kept := keep(); kept > 0 {
		removed, err = d.pruneBefore(history, now.Add(-kept))
	}
	return removed, wrap(errors.Join(append(errs, err)...), "prune the history")
}

// moveLate moves what was delivered and is not in the history yet.
func (d *store) moveLate() error {
	_, answered, err := d.scan()
	errs := []error{err}
	for _, id := range answered {
		if _, err := d.root.Lstat(filepath.Join(id, doneFile)); err != nil {
			continue
		}
		if e, err := d.open(id); err == nil {
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
	f, err := e.lock(answerFile).try(0)
	switch {
	case err == nil:
		defer f.Close()
		return e.Deliver()
	case err == errHeld || e.removed(): // it is being moved, or has been meanwhile
		return nil
	}
	return err
}

// pruneBefore removes what was over before end.
func (d *store) pruneBefore(history *os.Root, end time.Time) (removed int, err error) {
	names, err := namesIn(history, ".")
	errs := []error{err}
	for _, name := range names {
		switch {
		case strings.HasPrefix(name, removing): // somebody was ended in the middle of it
			errs = append(errs, history.RemoveAll(name))
		case ValidID(name) && AskedAt(name).Before(end):
			gone, err := d.prune(history, name, end)
			if errs = append(errs, err); gone {
				removed++
			}
		}
	}
	return removed, errors.Join(errs...)
}

// prune removes the entry id if it was over before end.
func (d *store) prune(history *os.Root, id string, end time.Time) (gone bool, err error) {
	e, err := d.openIn(history, id)
	if err != nil {
		return false, nil // askpane history says so
	}
	defer e.Close()
	if _, err := e.Request(); err != nil {
		return false, nil
	}
	if r, ok, err := e.Answer(); err != nil || ok && !r.At.Before(end) {
		return false, nil
	}
	for _, name := range []string{bridgeLock, popupLock} {
		f, err := e.lock(name).try(os.O_CREATE)
		if err == errHeld {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		e.locks[name] = f
	}
	// Away in one step first, so that nobody sees half an entry.
	if err := history.Rename(id, removing+id); err != nil {
		return false, err
	}
	return true, history.RemoveAll(removing + id)
}
