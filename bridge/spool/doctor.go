package spool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/hint"
)

// Checks is what askpane doctor says of the person's spool.
func Checks() []hint.Check {
	const section, own = "files", "export ASKPANE_SPOOL=/a/directory/of/your/own"
	dir, err := Dir()
	if err != nil {
		return []hint.Check{{Section: section, Name: "spool", State: hint.Fail, Detail: err.Error(), Fix: own}}
	}
	err, noHistory := check(dir)
	if errors.Is(err, fs.ErrNotExist) {
		if above, err := writableAbove(dir); err != nil {
			return []hint.Check{{Section: section, Name: "spool", State: hint.Fail,
				Detail: fmt.Sprintf("%s is not there, and cannot be made in %s: %v", dir, above, err), Fix: own}}
		}
		return []hint.Check{{Section: section, Name: "spool", State: hint.OK, Detail: dir + " is not there yet; the first question makes it"}}
	}
	if err != nil {
		check := hint.Wrong(section, "spool", hint.Fail, err)
		if info, err := os.Lstat(dir); err == nil && info.IsDir() && info.Mode().Perm()&0o077 != 0 && owned(info) == nil {
			check.Fix = "chmod 700 " + hint.Word(dir)
		}
		return []hint.Check{check}
	}
	waiting, err := waitingIn(dir)
	if err != nil {
		return []hint.Check{hint.Wrong(section, "spool", hint.Fail, err)}
	}
	checks := []hint.Check{{Section: section, Name: "spool", State: hint.OK, Detail: dir + "; " + waiting}}
	if noHistory != nil {
		checks = append(checks, hint.Check{Section: section, Name: "history", State: hint.Warn, Detail: noHistory.Error(),
			Fix: "make it a directory of your own, or a link to one; until then what is over stays in the spool"})
	}
	return checks
}

// check is why Open would refuse dir, and why the spool there can keep no history;
// nothing is made or changed. The first wraps fs.ErrNotExist where there is no
// spool yet.
func check(dir string) (unusable, noHistory error) {
	d, err := openStore(dir)
	if err != nil {
		return err, nil
	}
	defer d.root.Close()
	if err := unix.Access(dir, unix.W_OK|unix.X_OK); err != nil {
		return wrap(err, "write to the spool %s", dir), nil
	}
	history, err := d.history()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		defer history.root.Close()
		path := filepath.Join(dir, historyDir)
		err = wrap(unix.Access(path, unix.W_OK|unix.X_OK), "write to the history %s", path)
	}
	return nil, err
}

// waitingIn says how many questions wait, and for how long.
func waitingIn(dir string) (string, error) {
	s, err := Look(dir)
	if err != nil {
		return "", err
	}
	defer s.Close()
	ids, _, err := s.Scan()
	if err != nil || len(ids) == 0 {
		return "0 waiting", err
	}
	return fmt.Sprintf("%d waiting, the oldest for %s", len(ids), text.Age(max(0, time.Since(AskedAt(ids[0]))))), nil
}

// writableAbove checks that the first directory above dir which is there can be
// written to.
func writableAbove(dir string) (above string, err error) {
	for above = filepath.Dir(dir); ; above = filepath.Dir(above) {
		if _, err := os.Stat(above); err == nil || above == filepath.Dir(above) {
			return above, unix.Access(above, unix.W_OK|unix.X_OK)
		}
	}
}
