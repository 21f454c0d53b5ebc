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
	"syscall"
)

// A question whose spool takes no entry (the disk is full, or read-only) goes
// to a spare directory on another file system, which everybody finds by the path
// of the spool it stands in for.

// spareEnv names the directory for spares.
const spareEnv = "ASKPANE_SPARE"

// Environ is what another process must be told to find this one's spool: a
// multiplexer starts a popup with the environment of its server, which may know
// another XDG_RUNTIME_DIR.
func Environ() ([]string, error) {
	dir, err := Dir()
	return []string{"ASKPANE_SPOOL=" + dir, spareEnv + "=" + sparesDir()}, err
}

// sparesDir is the directory for spares: one that is ours by the XDG specification,
// else one in memory, else one with the temporary files.
func sparesDir() string {
	if dir := os.Getenv(spareEnv); filepath.IsAbs(dir) {
		return dir
	}
	if dir := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "askpane")
	}
	base := "/dev/shm"
	if info, err := os.Stat(base); err != nil || !info.IsDir() {
		base = os.TempDir()
	}
	return filepath.Join(base, "askpane-"+strconv.Itoa(os.Geteuid()))
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
	return fmt.Sprintf("The spool %s cannot be written; this question waits in %s, which may not outlive the machine", e.store.standsFor, e.store.path)
}

// stores are the directories of the spool: its own if it could be opened, and the
// spare if there is one.
func (s *Spool) stores() []*store {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.spare == nil {
		s.spare, _ = spareOf(s.dir, false) // one that is not ours alone is none of ours
	}
	return slices.DeleteFunc([]*store{s.proper, s.spare}, func(d *store) bool { return d == nil })
}

// needSpare is the spare, which is made if there is none; the spool itself takes
// nothing because of why.
func (s *Spool) needSpare(why error) (*store, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.spare == nil {
		spare, err := spareOf(s.dir, true)
		if err != nil {
			return nil, fmt.Errorf("%w; nor in its place: %w", why, err)
		}
		s.spare = spare
	}
	return s.spare, nil
}

// spareOf opens the spare for the spool at dir. It lies where others may write, so
// both of its directories must be ours alone.
func spareOf(dir string, create bool) (*store, error) {
	base, sum := sparesDir(), sha256.Sum256([]byte(dir))
	path := filepath.Join(base, "spare-"+hex.EncodeToString(sum[:8]))
	for _, path := range []string{base, path} {
		if create {
			if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
				return nil, err
			}
		}
		info, err := os.Lstat(path)
		if err == nil {
			err = private(info)
		}
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			err = errors.New("it may be entered by others")
		}
		if err != nil {
			return nil, fmt.Errorf("%s cannot be used: %w", path, err)
		}
	}
	d, err := openStore(path)
	if err == nil {
		d.standsFor = dir
	}
	return d, err
}
