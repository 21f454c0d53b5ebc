// Package spool keeps the entries on disk: the only thing that the bridge and
// the popup share. docs/design.md, The entry on disk, lists every file of it.
//
// It touches files below one directory and nothing else. The rule that must
// hold here: state is derived from the files and locks, never stored, and an
// answer is written once.
package spool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/oklog/ulid/v2"
	"golang.org/x/sys/unix"

	"github.com/askpane/askpane/hint"
)

// historyDir holds the delivered entries, inside the spool.
const historyDir = "history"

// Spool is an open spool directory.
type Spool struct {
	root *os.Root
	dir  string
	// standsFor is the directory of the spool whose spare this is; empty where
	// it is a proper one.
	standsFor string
	alone     bool  // it is used instead of that one, which cannot be opened
	unread    error // why that one cannot be read

	mu     sync.Mutex
	spares []*Spool // those of this one that have been opened
}

// Dir is where the spool is: $ASKPANE_SPOOL, else spool in StateDir.
func Dir() (string, error) {
	if dir := os.Getenv("ASKPANE_SPOOL"); dir != "" {
		return filepath.Abs(dir)
	}
	state, err := StateDir()
	if err != nil {
		return "", hint.New("set ASKPANE_SPOOL", "find the spool: %w", err)
	}
	return filepath.Join(state, "spool"), nil
}

// StateDir is askpane's directory below the XDG state directory.
func StateDir() (string, error) {
	if state := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(state) { // the XDG specification ignores relative ones
		return filepath.Join(state, "askpane"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, ".local", "state", "askpane"), nil
}

// Open opens the spool at dir, making it if absent. It refuses a directory that
// is a link, belongs to somebody else, or that others may enter and that holds
// anything but a spool. Where nothing can be written, it is the spare one.
func Open(dir string) (*Spool, error) {
	s, err := openProper(dir)
	if err == nil || !unwritable(err) {
		return s, err
	}
	err = inSpare(dir, err, func(spare *Spool) error {
		s = spare
		s.alone = true
		return nil
	})
	return s, err
}

// Look opens the spool at dir for what is in it: nothing is made, nor a spare. The
// error wraps ErrNotFound where there is none. Of one that cannot be read, what is
// in its spare is found, and IDs says that there is more.
func Look(dir string) (*Spool, error) {
	s, err := openDir(dir)
	if err == nil {
		if _, err = s.private(); err == nil {
			return s, nil
		}
		s.root.Close()
	}
	absent := errors.Is(err, fs.ErrNotExist)
	if absent || unwritable(err) {
		for _, base := range spareDirs() {
			if spare, e := spareIn(base, dir, false); e == nil {
				spare.alone = true
				if !absent {
					spare.unread = err
				}
				return spare, nil
			}
		}
	}
	if absent {
		err = fmt.Errorf("%w: there is no spool %s yet", ErrNotFound, dir)
	}
	return nil, err
}

func openProper(dir string) (*Spool, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the spool: %w", err)
	}
	s, err := openDir(dir)
	if err != nil {
		return nil, err
	}
	wide, err := s.private()
	if err == nil && wide {
		err = wrap(s.root.Chmod(".", 0o700), "close the spool to others")
	}
	if err != nil {
		s.root.Close()
		return nil, err
	}
	return s, nil
}

func openDir(dir string) (*Spool, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, unopened(dir, err)
	}
	return &Spool{root: root, dir: dir}, nil
}

// unopened is why the spool at dir could not be opened, for a person.
func unopened(dir string, err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return hint.New("run chmod 700 on it if it is yours, or set ASKPANE_SPOOL to a directory of your own",
			"the spool %s cannot be read: %w", dir, syscall.EACCES)
	}
	return fmt.Errorf("open the spool: %w", err)
}

// Check is why Open would refuse dir, and why the spool there can keep no history;
// nothing is made or changed. The first wraps fs.ErrNotExist where there is no
// spool yet.
func Check(dir string) (unusable, noHistory error) {
	s, err := openDir(dir)
	if err != nil {
		return err, nil
	}
	defer s.root.Close()
	if _, err := s.private(); err != nil {
		return err, nil
	}
	if err := unix.Access(dir, unix.W_OK|unix.X_OK); err != nil {
		return wrap(err, "write to the spool %s", dir), nil
	}
	return nil, s.checkHistory()
}

// Close releases the directory. Entries opened from s stay usable.
func (s *Spool) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.root.Close()
	for _, spare := range s.spares {
		err = errors.Join(err, spare.root.Close())
	}
	return err
}

// Path is the spool's directory.
func (s *Spool) Path() string { return s.dir }

// private checks that nobody else can reach the spool; wide reports that others
// may enter it as yet, and that it can be closed to them.
func (s *Spool) private() (wide bool, err error) {
	link, err := os.Lstat(s.dir)
	if err != nil {
		return false, unopened(s.dir, err)
	}
	if link.Mode()&fs.ModeSymlink != 0 {
		return false, hint.New("set ASKPANE_SPOOL to the directory itself", "the spool %s is a symbolic link", s.dir)
	}
	info, err := s.root.Stat(".")
	if err != nil {
		return false, unopened(s.dir, err)
	}
	if err := owned(info); err != nil {
		return false, hint.New("set ASKPANE_SPOOL to a directory of your own", "the spool %s %w", s.dir, err)
	}
	if info.Mode().Perm()&0o077 == 0 {
		return false, nil
	}
	if info.Mode().Perm()&0o022 != 0 {
		return false, hint.New("run chmod 700 on it or set ASKPANE_SPOOL to a directory of your own",
			"the spool %s may be written by others (mode %04o)", s.dir, info.Mode().Perm())
	}
	// A directory made by hand or by a test has 0755. It is closed only if
	// that cannot take anything else away from anyone.
	if foreign, err := s.foreign(); err != nil {
		return false, err
	} else if foreign != "" {
		return false, hint.New("run chmod 700 on it or set ASKPANE_SPOOL to an empty directory",
			"the spool %s has mode %04o and holds %q, which is not askpane's", s.dir, info.Mode().Perm(), foreign)
	}
	return true, nil
}

// foreign names something in the directory that no spool holds.
func (s *Spool) foreign() (string, error) {
	names, err := s.names(".")
	if err != nil {
		return "", err
	}
	for _, name := range names {
		if name != historyDir && name != digestsDir && name != viewersDir && !ValidID(name) && !isMaking(name) {
			return name, nil
		}
	}
	return "", nil
}

// owned checks that a file is this user's.
func owned(info fs.FileInfo) error {
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
		return fmt.Errorf("belongs to user %d, not to you (%d)", st.Uid, os.Geteuid())
	}
	return nil
}

// ValidID reports whether id is one that askpane could have made: a ULID in
// its canonical upper-case form.
func ValidID(id string) bool {
	u, err := ulid.ParseStrict(id)
	return err == nil && u.String() == id
}

// ErrNotFound means there is no entry with that id in the spool.
var ErrNotFound = errors.New("no such question")

func (s *Spool) names(dir string) ([]string, error) {
	d, err := s.root.Open(dir)
	return namesOf(d, err)
}

func namesIn(dir *os.Root) ([]string, error) {
	d, err := dir.Open(".")
	return namesOf(d, err)
}

func namesOf(d *os.File, err error) ([]string, error) {
	if err != nil {
		return nil, fmt.Errorf("read the spool: %w", err)
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	return names, wrap(err, "read the spool")
}
