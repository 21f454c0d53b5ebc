package spool

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/askpane/askpane/bridge/text/hint"
)

// Older versions kept a question whose spool could not be written in a spare spool,
// which everybody found by the path of the first.

// sparePath returns where the spare for the spool at dir is: in memory, else with the
// temporary files. Others may write there, so it must be ours alone.
func sparePath(dir string) string {
	top := "/dev/shm"
	if info, err := os.Stat(top); err != nil || !info.IsDir() {
		top = os.TempDir()
	}
	sum := sha256.Sum256([]byte(dir))
	return fmt.Sprintf("%s/askpane-spare-%x", top, sum[:8])
}

// adopt moves into the spool what lies in its spare. An entry that an older askpane
// waits for, shows or hands over stays until it lets go of it.
func (s *Spool) adopt() error {
	path := sparePath(s.path)
	dir, err := openFolder(os.Lstat, os.OpenRoot, path, path)
	if err != nil {
		return nil // there is none, or it is not ours alone
	}
	spare := &Spool{dir}
	defer spare.Close()
	waiting, err := spare.names(".")
	past, unread := spare.History()
	errs := []error{err, unread}
	for _, id := range append(waiting, past...) {
		e, err := spare.Find(id)
		if err == nil {
			err = s.adoptEntry(e)
			e.Close()
		}
		if !errors.Is(err, ErrNotFound) { // else somebody has just moved it
			errs = append(errs, err)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return hint.New("make room in the spool, and they are moved", "questions that an older askpane left in %s cannot be moved to the spool %s: %w", spare.path, s.path, err)
	}
	return nil
}

// adoptEntry moves one entry into the spool, where it appears whole. Prune moves what
// was delivered on into the history.
func (s *Spool) adoptEntry(e *Entry) error {
	if !e.inHistory {
		if ours, err := e.lockBridge(); !ours || e.held(popupLock) || e.held(answerFile) {
			return err
		}
	}
	tmp := making + e.ID
	_ = s.root.RemoveAll(tmp) // of one who was killed in the middle
	defer func() { _ = s.root.RemoveAll(tmp) }()
	err := s.root.Mkdir(tmp, 0o700)
	if err == nil {
		err = s.copyFiles(tmp, e)
	}
	if err == nil {
		err = s.root.Rename(tmp, e.ID)
	}
	if err == nil || s.has(e.ID) { // one who was killed just before the end has moved it
		err = os.RemoveAll(e.path)
	}
	return err
}

// copyFiles copies the files of e to the directory dir of the spool, and to the disk.
func (s *Spool) copyFiles(dir string, e *Entry) error {
	names, err := e.names(".")
	for _, name := range names {
		if strings.HasPrefix(name, ".") { // it was still being written
			continue
		}
		to := filepath.Join(dir, name)
		data, bad := e.read(name)
		if err = errors.Join(err, bad); err == nil {
			err = errors.Join(s.write(to, data), s.sync(to))
		}
	}
	if e.inHistory && err == nil { // the oldest say so by being in the history alone
		err = s.write(filepath.Join(dir, deliveredFile), nil)
	}
	return err
}
