package spool

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/askpane/askpane/bridge/text/hint"
)

// store is one directory with entries: a spool's own, or its spare.
//
// A question whose spool takes no entry (the disk is full, or read-only) goes to
// the spare, which is on another file system where there is one. Everybody finds it
// by the path of the spool it stands in for.
type store struct {
	folder
	// standsFor is the directory of the spool whose spare this is; empty where it
	// is a proper one.
	standsFor string
}

// makeStore opens the directory of a spool, which is made if it is absent.
func makeStore(dir string) (*store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the spool: %w", err)
	}
	st, err := openStore(dir)
	if err != nil {
		return nil, err
	}
	if err := st.closeToOthers(); err != nil {
		st.root.Close()
		return nil, err
	}
	return st, nil
}

// closeToOthers takes from others what a directory made by hand lets them see (0755),
// if that takes nothing else away from them.
func (s *store) closeToOthers() error {
	info, err := s.root.Stat(".")
	if err != nil || info.Mode().Perm()&0o077 == 0 {
		return err
	}
	names, err := os.ReadDir(s.path)
	if err != nil {
		return err
	}
	for _, n := range names {
		if name := n.Name(); !slices.Contains([]string{historyDir, digestsDir, viewersDir}, name) && !ValidID(name) && !strings.HasPrefix(name, making) && !strings.HasPrefix(name, removing) {
			return hint.New("run chmod 700 on it or set ASKPANE_SPOOL to an empty directory",
				"the spool %s has mode %04o and holds %q, which is not askpane's", s.path, info.Mode().Perm(), name)
		}
	}
	return s.root.Chmod(".", 0o700)
}

// openStore opens the directory of a spool if it is ours and nobody else may change
// it. What is in it is closed to others, whatever can be seen of its own names.
func openStore(dir string) (*store, error) {
	f, err := openFolder(os.Lstat, os.OpenRoot, dir, dir)
	if err == nil {
		return &store{folder: f}, nil
	}
	if errors.Is(err, fs.ErrPermission) {
		return nil, hint.New("run chmod 700 on it if it is yours, or set ASKPANE_SPOOL to a directory of your own",
			"the spool %s cannot be read: %w", dir, syscall.EACCES)
	}
	err = fmt.Errorf("open the spool %s: %w", dir, err)
	if _, cure := hint.Of(err); cure == "" {
		err = hint.New("set ASKPANE_SPOOL to a directory of your own", "%w", err)
	}
	return nil, err
}

// spareEnv names the directory for spares, for tests.
const spareEnv = "ASKPANE_SPARE"

// sparePath is where the spare for the spool at dir is: in memory, else with the
// temporary files. Others may write there, so that it must be ours alone.
func sparePath(dir string) string {
	prefix := "/dev/shm"
	if info, err := os.Stat(prefix); err != nil || !info.IsDir() {
		prefix = os.TempDir()
	}
	prefix += "/askpane-"
	if set := os.Getenv(spareEnv); set != "" {
		prefix = set + "/"
	}
	sum := sha256.Sum256([]byte(dir))
	return fmt.Sprintf("%sspare-%x", prefix, sum[:8])
}

// unwritable reports whether err says that nothing can be written there, of
// which the person cannot be blamed: a spool that is refused for what it is
// (a link, somebody else's) is no case for a spare.
func unwritable(err error) bool {
	return slices.ContainsFunc([]error{fs.ErrPermission, syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EIO, syscall.ESTALE},
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
	spare, _ := s.openSpare(openStore) // one that is not ours alone is none of ours
	return slices.DeleteFunc([]*store{s.proper, spare}, func(d *store) bool { return d == nil })
}

// needSpare is the spare, which is made if there is none; the spool itself takes
// nothing because of why.
func (s *Spool) needSpare(why error) (*store, error) {
	spare, err := s.openSpare(makeStore)
	if err != nil {
		return nil, fmt.Errorf("%w; nor in its place: %w", why, err)
	}
	return spare, nil
}

func (s *Spool) openSpare(open func(string) (*store, error)) (*store, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.spare == nil {
		spare, err := open(sparePath(s.dir))
		if err != nil {
			return nil, err
		}
		spare.standsFor, s.spare = s.dir, spare
	}
	return s.spare, nil
}
