package spool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/askpane/askpane/bridge/text/hint"
)

// What is in a spool beside entries.
const (
	// historyDir holds the delivered entries.
	historyDir = "history"
	// digestsDir is the index of index.go.
	digestsDir = "digests"
	// viewersDir holds a directory for each viewer, see Queue.
	viewersDir = "viewers"
)

// store is one directory with entries: a spool's own, or its spare.
type store struct {
	folder
	// standsFor is the directory of the spool whose spare this is; empty where it
	// is a proper one.
	standsFor string
}

// makeStore opens the directory of a spool, which is made if it is absent, and
// closed to others.
func makeStore(dir string) (*store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the spool: %w", err)
	}
	d, err := openStore(dir)
	if err != nil {
		return nil, err
	}
	info, err := d.root.Stat(".")
	if err == nil && info.Mode().Perm()&0o077 != 0 {
		err = wrap(d.root.Chmod(".", 0o700), "close the spool to others")
	}
	if err != nil {
		d.root.Close()
		return nil, err
	}
	return d, nil
}

// openStore opens the directory of a spool if it is ours alone.
func openStore(dir string) (*store, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, unopened(dir, err)
	}
	d := &store{folder: folder{root, dir}}
	if err := d.private(); err != nil {
		root.Close()
		return nil, err
	}
	return d, nil
}

// unopened is why the spool at dir could not be opened, for a person.
func unopened(dir string, err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return hint.New("run chmod 700 on it if it is yours, or set ASKPANE_SPOOL to a directory of your own",
			"the spool %s cannot be read: %w", dir, syscall.EACCES)
	}
	return fmt.Errorf("open the spool: %w", err)
}

// private checks that nobody else can reach the spool, or that it can be closed
// to them.
func (d *store) private() error {
	link, err := os.Lstat(d.path)
	if err != nil {
		return unopened(d.path, err)
	}
	if link.Mode()&fs.ModeSymlink != 0 {
		return hint.New("set ASKPANE_SPOOL to the directory itself", "the spool %s is a symbolic link", d.path)
	}
	info, err := d.root.Stat(".")
	if err != nil {
		return unopened(d.path, err)
	}
	if err := owned(info); err != nil {
		return hint.New("set ASKPANE_SPOOL to a directory of your own", "the spool %s %w", d.path, err)
	}
	mode := info.Mode().Perm()
	if mode&0o022 != 0 {
		return hint.New("run chmod 700 on it or set ASKPANE_SPOOL to a directory of your own",
			"the spool %s may be written by others (mode %04o)", d.path, mode)
	}
	if mode&0o077 == 0 {
		return nil
	}
	// A directory made by hand or by a test has 0755. It is closed only if
	// that cannot take anything else away from anyone.
	names, err := d.names(".")
	for _, name := range names {
		if name != historyDir && name != digestsDir && name != viewersDir && !ValidID(name) && !isMaking(name) {
			return hint.New("run chmod 700 on it or set ASKPANE_SPOOL to an empty directory",
				"the spool %s has mode %04o and holds %q, which is not askpane's", d.path, mode, name)
		}
	}
	return err
}
