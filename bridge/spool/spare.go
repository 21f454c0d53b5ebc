package spool

import (
	"cmp"
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
// to a spare spool: a private directory on another file system, found by
// everybody through the path of the spool it stands in for. Where one is, its
// entries are found by id and listed as the spool's own.

// spareEnv names the directories for spare spools, as PATH does. A popup gets
// it from its bridge: a multiplexer's server may know another XDG_RUNTIME_DIR.
const spareEnv = "ASKPANE_SPARE"

// spareDirs are the directories for spare spools, the best first: one that is
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

// spareName is the name of the spare for the spool at dir.
func spareName(dir string) string {
	sum := sha256.Sum256([]byte(dir))
	return "spare-" + hex.EncodeToString(sum[:8])
}

// unwritable reports whether err says that nothing can be written there, of
// which the person cannot be blamed: a spool that is refused for what it is
// (a link, somebody else's) is no case for a spare.
func unwritable(err error) bool {
	return slices.ContainsFunc([]error{syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EACCES, syscall.EPERM, syscall.EIO, syscall.ESTALE},
		func(e error) bool { return errors.Is(err, e) })
}

// Spare is why the entry is in the spare spool, for a person; empty where it is
// in its proper place.
func (e *Entry) Spare() string {
	if e.spool.standsFor == "" {
		return ""
	}
	return fmt.Sprintf("The spool %s cannot be written; this question waits in %s, which may not outlive the machine", e.spool.standsFor, e.spool.dir)
}

// inSpare tries use on the spares for the spool at dir, one after the other,
// which took nothing because of why; each is made where it is not there.
func inSpare(dir string, why error, use func(*Spool) error) error {
	for _, base := range spareDirs() {
		s, err := spareIn(base, dir, true)
		if err == nil {
			err = use(s)
		}
		if err == nil {
			return nil
		}
		why = fmt.Errorf("%w; nor in its place: %w", why, err)
	}
	return why
}

// spareIn opens the spare in base for the spool at dir. base lies where others
// may write, so it must be a directory that is ours alone.
func spareIn(base, dir string, create bool) (*Spool, error) {
	if create {
		if err := os.Mkdir(base, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
	info, err := os.Lstat(base)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is not a directory", base)
	}
	if err := owned(info); err != nil {
		return nil, fmt.Errorf("%s %w", base, err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("%s may be entered by others (mode %04o)", base, info.Mode().Perm())
	}
	path := filepath.Join(base, spareName(dir))
	if create {
		if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
	s, err := openDir(path)
	if err != nil {
		return nil, err
	}
	if wide, err := s.private(); err != nil || wide {
		s.root.Close()
		return nil, cmp.Or(err, fmt.Errorf("%s may be entered by others", path))
	}
	s.standsFor = dir
	return s, nil
}

// createSpare makes the entry in a spare; s took none because of why.
func (s *Spool) createSpare(req Request, why error) (e *Entry, err error) {
	if s.standsFor != "" && !s.alone || !unwritable(why) {
		return nil, why
	}
	err = inSpare(s.proper(), why, func(spare *Spool) error {
		e, err = s.keep(spare).create(req)
		return err
	})
	return e, err
}

// keep holds a spare open as long as s; of two for one directory, the first.
func (s *Spool) keep(spare *Spool) *Spool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, known := range s.spares {
		if known.dir == spare.dir {
			spare.root.Close()
			return known
		}
	}
	s.spares = append(s.spares, spare)
	return spare
}

// others are the spares that there are for s; almost always none, which costs
// a system call for each of spareDirs.
func (s *Spool) others() []*Spool {
	if s.standsFor != "" && !s.alone {
		return nil
	}
	for _, dir := range spareDirs() {
		path := filepath.Join(dir, spareName(s.proper()))
		if path == s.dir {
			continue
		}
		if _, err := os.Lstat(path); err != nil {
			continue
		}
		// One that is not ours alone is none of ours: others may write there.
		if spare, err := spareIn(dir, s.proper(), false); err == nil {
			s.keep(spare)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.spares)
}

// proper is the directory of the spool that s is, or stands for.
func (s *Spool) proper() string {
	if s.standsFor != "" {
		return s.standsFor
	}
	return s.dir
}

// Environ is what another process must be told to find this one's spool: a
// multiplexer starts a popup with the environment of its server, which may know
// another XDG_RUNTIME_DIR.
func Environ() ([]string, error) {
	dir, err := Dir()
	return []string{"ASKPANE_SPOOL=" + dir, spareEnv + "=" + strings.Join(spareDirs(), string(filepath.ListSeparator))}, err
}
