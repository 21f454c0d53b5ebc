package spool

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"
)

// History lists the delivered entries, the newest first.
func (s *Spool) History() ([]string, error) {
	var names []string
	for _, place := range append(s.others(), s) {
		some, err := place.names(historyDir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		names = append(names, some...)
	}
	ids := slices.DeleteFunc(names, func(name string) bool { return !ValidID(name) })
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
// once a day; zero keeps everything, and keep is asked only if it is time. Only entries in the history are looked at: a
// question that waits and an answer that was not delivered are not there. An
// entry that somebody holds a lock of stays, and so does one of a later format
// and one that cannot be read.
func (s *Spool) Prune(keep func() time.Duration, now time.Time) (removed int, err error) {
	stamp := filepath.Join(historyDir, pruned)
	info, err := s.root.Lstat(stamp)
	if err == nil && now.Sub(info.ModTime()) < pruneEvery && !info.ModTime().After(now) {
		return 0, nil
	}
	kept := keep()
	if kept <= 0 {
		return 0, nil
	}
	l := lockOf(filepath.Join(s.dir, stamp), os.O_CREATE)
	if ok, err := l.f.TryLock(); !ok || err != nil {
		if errors.Is(err, fs.ErrNotExist) { // there is no history
			err = nil
		}
		return 0, wrap(err, "prune the history")
	}
	defer l.release()
	// Told before it is done: whoever is ended in the middle of it goes on tomorrow.
	if err := s.root.Chtimes(stamp, now, now); err != nil {
		return 0, wrap(err, "prune the history")
	}
	names, err := s.names(historyDir)
	if err != nil {
		return 0, err
	}
	var errs []error
	for _, name := range names {
		if strings.HasPrefix(name, removing) { // somebody was ended in the middle of it
			errs = append(errs, s.root.RemoveAll(filepath.Join(historyDir, name)))
			continue
		}
		gone, err := s.prune(name, now.Add(-kept))
		if errs = append(errs, err); gone {
			removed++
		}
	}
	return removed, wrap(errors.Join(errs...), "prune the history")
}

// prune removes the entry id if it was over before end.
func (s *Spool) prune(id string, end time.Time) (gone bool, err error) {
	if !ValidID(id) || !ulid.Time(ulid.MustParseStrict(id).Time()).Before(end) { // asked later than that
		return false, nil
	}
	e, err := s.OpenDelivered(id)
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
	away := filepath.Join(historyDir, removing+id)
	if err := s.root.Rename(filepath.Join(historyDir, id), away); err != nil {
		return false, err
	}
	return true, s.root.RemoveAll(away)
}
