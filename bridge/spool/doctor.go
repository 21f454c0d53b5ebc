package spool

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/askpane/askpane/bridge/text/hint"
)

// section names the part of askpane doctor that tells of the spool.
const section = "files"

// Checks reports on the person's spool to askpane doctor.
func Checks() []hint.Check {
	dir, err := Dir()
	if err != nil {
		return []hint.Check{hint.Wrong(section, "spool", hint.Fail, err)}
	}
	return checksOf(dir)
}

func checksOf(dir string) []hint.Check {
	s, err := OpenExisting(dir)
	if errors.Is(err, ErrNotFound) {
		return []hint.Check{{Section: section, Name: "spool", State: hint.OK, Detail: dir + " is not there yet; the first question makes it"}}
	}
	if err == nil {
		defer s.Close()
		if no := unix.Access(dir, unix.W_OK|unix.X_OK); no != nil {
			err = unwritable(dir, no)
		}
	}
	var ids []string
	if err == nil {
		ids, _, err = s.Scan()
	}
	if err != nil {
		return []hint.Check{hint.Wrong(section, "spool", hint.Fail, err)}
	}
	checks := []hint.Check{{Section: section, Name: "spool", State: hint.OK, Detail: fmt.Sprintf("%s; %d waiting", dir, len(ids))}}
	if err := s.noHistory(); err != nil {
		checks = append(checks, hint.Check{Section: section, Name: "history", State: hint.Warn, Detail: err.Error(),
			Fix: "make it a directory of your own, or a link to one on the same disk; until then questions that have ended stay in the spool"})
	}
	return checks
}

// noHistory returns why the spool can keep no history; nil where it can.
func (s *Spool) noHistory() error {
	history, err := s.history()
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err == nil {
		defer history.root.Close()
		err = wrap(unix.Access(history.path, unix.W_OK|unix.X_OK), "write to the history %s", history.path)
	}
	if err == nil && !sameDisk(s.folder, history) {
		err = errOtherDisk
	}
	return err
}

func sameDisk(a, b folder) bool {
	here, err := a.root.Stat(".")
	there, err2 := b.root.Stat(".")
	return err == nil && err2 == nil && stat(here).Dev == stat(there).Dev
}
