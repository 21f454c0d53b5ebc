package spool

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/askpane/askpane/bridge/text/hint"
)

// maxFile, in bytes, holds a request of 1 MiB three times, escaped, and what a person
// pastes. A larger file is not ours.
const maxFile = 32 << 20

// folder is a directory of the spool. Whatever is opened in it is a file that we
// could have made; no link is followed, and no FIFO waited for.
type folder struct {
	root *os.Root
	path string // of the same directory, for what outlives root
}

// openFolder opens the directory name, which is at path, by means of open, if stat says
// that it is ours. Of one that cannot be read it says nothing else.
func openFolder(stat func(string) (fs.FileInfo, error), open func(string) (*os.Root, error), name, path string) (d folder, err error) {
	info, err := stat(name)
	if d.path = path; err != nil {
		return d, err
	}
	if info.IsDir() { // to open a FIFO would wait for somebody who writes it
		d.root, err = open(name)
	}
	if bad := checkDir(path, info); bad != nil && !errors.Is(err, fs.ErrPermission) {
		if d.root != nil {
			d.root.Close()
		}
		err = bad
	}
	return d, err
}

// within opens a directory in d, if it is ours.
func (d folder) within(name string) (folder, error) {
	return openFolder(d.root.Lstat, d.root.OpenRoot, name, d.in(name))
}

func (d folder) in(name string) string { return filepath.Join(d.path, name) }

// checkDir checks that path is a directory, this user's, and that no other user may
// change what is in it.
func checkDir(path string, info fs.FileInfo) error {
	switch mode := info.Mode(); {
	case mode&fs.ModeSymlink != 0:
		return errors.New("it is a symbolic link")
	case !mode.IsDir():
		return errors.New("it is not a directory")
	case mode.Perm()&0o022 != 0:
		return hint.New("chmod 700 "+hint.Word(path), "it may be written by others (mode %04o)", mode.Perm())
	}
	return checkOwner(info)
}

func checkOwner(info fs.FileInfo) error {
	if uid := int(stat(info).Uid); uid != os.Geteuid() {
		return fmt.Errorf("it belongs to user %d, not to you (%d)", uid, os.Geteuid())
	}
	return nil
}

func stat(info fs.FileInfo) *syscall.Stat_t { return info.Sys().(*syscall.Stat_t) }

// checkFile checks that a file is one that we could have made: a regular one of this
// user with a single name and not too large. A second name (a hard link) would let
// somebody read it, or have us overwrite another file, elsewhere. An answer that an older version
// writes has one for an instant, or for good if that was killed then.
func checkFile(name string, info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return errors.New("it is not a regular file")
	}
	if info.Size() > maxFile {
		return fmt.Errorf("it has %d bytes; at most %d are read", info.Size(), maxFile)
	}
	if n := stat(info).Nlink; n > 2 || n == 2 && name != answerFile {
		return fmt.Errorf("it has %d names (hard links); remove the others", n)
	}
	return checkOwner(info)
}

// open opens a file that is there, for reading or for writing in place.
func (d folder) open(name string, flag int) (*os.File, error) {
	link, err := d.root.Lstat(name)
	if err == nil {
		err = checkFile(name, link)
	}
	if err != nil {
		return nil, err
	}
	return d.root.OpenFile(name, flag|syscall.O_NONBLOCK, 0)
}

func (d folder) read(name string) ([]byte, error) {
	f, err := d.open(name, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// write writes a file that is not there yet; one that is stays as it is.
func (d folder) write(name string, data []byte) error {
	writing.Lock()
	defer writing.Unlock()
	f, err := d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// mark makes a file if it is absent, and gives it a time.
func (d folder) mark(name string, at time.Time) error {
	if err := d.write(name, nil); err != nil {
		return err
	}
	return d.root.Chtimes(name, at, at)
}

// marked returns a file's time: when it was written or marked. The zero time is never.
func (d folder) marked(name string) (at time.Time) {
	if info, err := d.root.Lstat(name); err == nil {
		at = info.ModTime()
	}
	return at
}

// overwrite writes a file in place, without another block where the text is no
// longer than what is there.
func (d folder) overwrite(name string, data []byte) error {
	f, err := d.open(name, os.O_WRONLY)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(data, 0)
	return errors.Join(err, f.Truncate(int64(len(data))), f.Close())
}

// replace writes a file anew and to the disk, so that a reader finds all of the old text or of
// the new.
func (d folder) replace(name string, data []byte) error {
	return d.place(name, data, true, d.root.Rename)
}

// place writes a file under another name, to the disk if durable, and then gives it its own:
// whoever finds the file finds all of it.
func (d folder) place(name string, data []byte, durable bool, give func(from, to string) error) error {
	tmp := "." + name + "-" + rand.Text()
	defer func() { _ = d.root.Remove(tmp) }() // it has its own name by then, or never gets it
	err := d.write(tmp, data)
	if err == nil && durable {
		err = d.sync(tmp)
	}
	if err == nil {
		err = give(tmp, name)
	}
	return err
}

// sync brings a file, or the directory itself (.), to the disk.
func (d folder) sync(name string) error {
	f, err := d.root.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

// makeDirs makes directories that are absent, and checks that each is one, and ours.
func (d folder) makeDirs(dirs ...string) error {
	for _, dir := range dirs {
		info, err := d.root.Lstat(dir)
		if errors.Is(err, fs.ErrNotExist) { // of one that is there mkdir says so only when the disk takes writes
			if err := d.root.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
				return err
			}
			info, err = d.root.Lstat(dir)
		}
		if err == nil {
			err = checkDir(d.in(dir), info)
		}
		if err != nil {
			return fmt.Errorf("use %s: %w", dir, err)
		}
	}
	return nil
}

func (d folder) has(name string) bool {
	_, err := d.root.Lstat(name)
	return err == nil
}

// missing reports whether a stat says that a file is not there, and not only that there
// is no descriptor left to stat it with.
func missing(_ fs.FileInfo, err error) bool { return errors.Is(err, fs.ErrNotExist) }

func (d folder) names(dir string) ([]string, error) {
	f, err := d.root.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("read the spool: %w", err)
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	return names, wrap(err, "read the spool")
}
