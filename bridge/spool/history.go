package spool

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// history opens the history. It may be a link of the person's own to a directory
// of theirs, on the same disk.
func (s *Spool) history() (folder, error) {
	path := s.in(historyDir)
	history, err := openFolder(os.Stat, os.OpenRoot, path, path)
	if errors.Is(err, fs.ErrNotExist) {
		if !s.has(historyDir) {
			return history, ErrNotFound
		}
		err = errors.New("it is a link to a directory that is not there")
	}
	return history, wrap(err, "open the history %s", path)
}

var errOtherDisk = errors.New("the history is on another disk than the spool, and nothing can be moved there")

func (s *Spool) openDelivered(id string) (*Entry, error) {
	history, err := s.history()
	if err != nil {
		return nil, err
	}
	defer history.root.Close()
	return s.openIn(history, id)
}

// History lists the delivered entries, the newest first.
func (s *Spool) History() ([]string, error) {
	history, err := s.history()
	if errors.Is(err, ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer history.root.Close()
	names, err := history.names(".")
	ids := slices.DeleteFunc(names, func(name string) bool { return !ValidID(name) })
	slices.SortFunc(ids, func(a, b string) int { return strings.Compare(b, a) })
	return ids, err
}

const (
	pruned     = ".pruned" // in the history; its time says when that was pruned last
	pruneEvery = 24 * time.Hour
	removing   = ".removing-" // marks an entry that is being removed
)

// Prune removes from the history what ended longer ago than keep says, at most once a
// day and until ctx ends; zero keeps everything, and keep is called only if it is time. An entry
// of a later format stays, and so does one that cannot be read.
//
// It moves an entry to the history that could not be moved when it was delivered.
func (s *Spool) Prune(ctx context.Context, keep func() time.Duration, now time.Time) (removed int, err error) {
	history, err := s.history()
	if err != nil {
		return 0, nil // there is none, or whoever delivers says why it cannot be used
	}
	defer history.root.Close()
	if last := history.marked(pruned); now.Sub(last) < pruneEvery && !last.After(now) {
		return 0, nil
	}
	// Noted before it is done: whoever is ended in the middle of it goes on tomorrow.
	errs := []error{history.mark(pruned, now), s.root.RemoveAll(digestsDir), s.moveLate()}
	if kept := keep(); kept > 0 {
		removed, err = s.pruneBefore(ctx, history, now.Add(-kept))
		errs = append(errs, err)
	}
	return removed, wrap(errors.Join(errs...), "prune the history")
}

// moveLate moves what was delivered and is not in the history yet.
func (s *Spool) moveLate() error {
	_, answered, err := s.Scan()
	errs := []error{err}
	for _, id := range answered {
		if !s.has(filepath.Join(id, deliveredFile)) {
			continue
		}
		e, err := s.openWaiting(id)
		if err != nil {
			continue
		}
		if ours, _ := e.lockBridge(); ours {
			errs = append(errs, e.Deliver())
		}
		e.Close()
	}
	return errors.Join(errs...)
}

func (s *Spool) pruneBefore(ctx context.Context, history folder, end time.Time) (removed int, err error) {
	names, err := history.names(".")
	errs := []error{err}
	for _, name := range names {
		gone := name
		if ValidID(name) && AskedAt(name).Before(end) && ctx.Err() == nil && s.overBefore(history, name, end) {
			// Renamed first, so that nobody sees half an entry, and of two one removes it.
			gone = removing + name
			if err := history.root.Rename(name, gone); err != nil {
				continue
			}
			removed++
		}
		if strings.HasPrefix(gone, removing) { // or somebody was ended in the middle of it
			errs = append(errs, s.root.RemoveAll(filepath.Join(attachmentsDir, strings.TrimPrefix(gone, removing))), history.root.RemoveAll(gone))
		}
	}
	return removed, errors.Join(errs...)
}

// overBefore reports whether the entry id can be read, and was over before end.
func (s *Spool) overBefore(history folder, id string, end time.Time) bool {
	e, err := s.openIn(history, id)
	if err != nil {
		return false // askpane history says so
	}
	defer e.Close()
	_, unread := e.Request()
	r, ok, err := e.Answer()
	return unread == nil && err == nil && (!ok || r.At.Before(end))
}
