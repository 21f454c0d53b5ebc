package spool

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// A question whose spool takes no entry (the disk is full, or read-only) goes
// to a spare directory on another file system, which everybody finds by the path
// of the spool it stands in for.

// spareEnv names the directories for spares, as PATH does.
const spareEnv = "ASKPANE_SPARE"

// Environ is what another process must be told to find this one's spool: a
// multiplexer starts a popup with the environment of its server, which may know
// another XDG_RUNTIME_DIR.
func Environ() ([]string, error) {
	dir, err := Dir()
	return []string{"ASKPANE_SPOOL=" + dir, spareEnv + "=" + strings.Join(spareDirs(), string(filepath.ListSeparator))}, err
}

// spareDirs are the directories that may hold a spare, the best first: one that is
// ours by the XDG specification, one on the disk, one in memory.
func spareDirs() []string {
	if list := os.Getenv(spareEnv); list != "" {
		return slices.DeleteFunc(filepath.SplitList(list), func(dir string) bool { return !filepath.IsAbs(dir) })
	}
	var dirs []string
	if run := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(run) {
		dirs = append(dirs, filepath.Join(run, "askpane"))
	}
	mine := "askpane-" + strconv.Itoa(os.Geteuid())
	return append(dirs, filepath.Join(os.TempDir(), mine), filepath.Join("/dev/shm", mine))
}

// unwritable reports whether err says that nothing can be written there, of
// which the person cannot be blamed: a spool that is refused for what it is
// (a link, somebody else's) is no case for a spare.
func unwritable(err error) bool {
	return slices.ContainsFunc([]error{syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EACCES, syscall.EPERM, syscall.EIO, syscall.ESTALE},
		func(e error) bool { return errors.Is(err, e) })
}

// Spare is why the entry is in the spare, for a person; empty where it is in its
// proper place.
func (e *Entry) Spare() string {
	if e.store.standsFor == "" {
		return ""
	}
	return fmt.Sprintf("The spool %s cannot be written; this question waits in %s, which may not outlive the machine", e.store.standsFor, e.store.dir)
}

// stores are the directories of the spool: its own if it could be opened, and the
// spare if there is one, which costs a system call for each of spareDirs.
func (s *Spool) stores() []*store {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, base := range spareDirs() {
		if s.spare != nil {
			break
		}
		s.spare, _ = spareIn(base, s.dir, false) // one that is not ours alone is none of ours
	}
	return slices.DeleteFunc([]*store{s.proper, s.spare}, func(d *store) bool { return d == nil })
}

// needSpare is the spare, which is made if there is none; the spool itself takes
// nothing because of why.
func (s *Spool) needSpare(why error) (*store, error) {
	s.stores()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.spare == nil {
		spare, err := makeSpare(s.dir, why)
		if err != nil {
			return nil, err
		}
		s.spare = spare
	}
	return s.spare, nil
}

// makeSpare makes a spare for the spool at dir in the first place that there is.
func makeSpare(dir string, why error) (*store, error) {
	for _, base := range spareDirs() {
		d, err := spareIn(base, dir, true)
		if err == nil {
			return d, nil
		}
		why = fmt.Errorf("%w; nor in its place: %w", why, err)
	}
	return nil, why
}

// spareIn opens the spare in base for the spool at dir. base lies where others
// may write, so both must be directories that are ours alone.
func spareIn(base, dir string, create bool) (*store, error) {
	sum := sha256.Sum256([]byte(dir))
	path := filepath.Join(base, "spare-"+hex.EncodeToString(sum[:8]))
	for _, path := range []string{base, path} {
		if create {
			if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
				return nil, err
			}
		}
		info, err := os.Lstat(path)
		if err != nil {
			return nil, err
		}
		if err := private(info); err != nil {
			return nil, fmt.Errorf("%s cannot be used: %w", path, err)
		}
		if mode := info.Mode().Perm(); mode&0o077 != 0 {
			return nil, fmt.Errorf("%s may be entered by others (mode %04o)", path, mode)
		}
	}
	d, err := openStore(path)
	if err == nil {
		d.standsFor = dir
	}
	return d, err
}
