package spool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// maxFile is the most that a file of an entry may hold, in bytes. A request is
// at most 1 MiB and stands in request.json three times, escaped;
// the rest is room for what a person pastes. What is larger was not written by
// us, and a sparse file of a terabyte is not read into memory.
const maxFile = 32 << 20

// plain checks that a file is one that we could have made: a regular one of
// this user with a single name and not too large. A second name (a hard link)
// would let somebody read it, or have us overwrite another file, elsewhere.
func plain(info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return errors.New("it is not a regular file")
	}
	if err := owned(info); err != nil {
		return fmt.Errorf("it %w", err)
	}
	if info.Size() > maxFile {
		return fmt.Errorf("it has %d bytes; at most %d are read", info.Size(), maxFile)
	}
	if n := names(info); n > 1 {
		return fmt.Errorf("it has %d names (hard links); remove the others", n)
	}
	return nil
}

// names is how many names a file has.
func names(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Nlink)
	}
	return 1
}

// readPlain reads a file of the entry that plain passes. A symbolic link is
// refused, also one that takes the file's place while we look, and a FIFO there
// is not waited for.
func (e *Entry) readPlain(name string) ([]byte, error) {
	f, err := e.openPlain(name, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("it has more than %d bytes", maxFile)
	}
	return data, err
}

func (e *Entry) openPlain(name string, flag int) (*os.File, error) {
	return openPlain(e.root, name, flag, func(info fs.FileInfo) error { return e.plain(name, info) })
}

// openPlain opens a file that is there and that check passes, for reading or for
// writing in place.
func openPlain(root *os.Root, name string, flag int, check func(fs.FileInfo) error) (*os.File, error) {
	link, err := root.Lstat(name)
	if err == nil {
		err = check(link)
	}
	if err != nil {
		return nil, err
	}
	f, err := root.OpenFile(name, flag|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !os.SameFile(link, info) {
		err = errors.New("it was exchanged while it was opened")
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// makeDirs makes directories in the spool that are absent, and checks that each
// is one, and ours.
func (s *Spool) makeDirs(dirs ...string) error {
	for _, dir := range dirs {
		err := s.root.Mkdir(dir, 0o700)
		if err == nil {
			continue
		}
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
		info, err := s.root.Lstat(dir)
		if err == nil && !info.IsDir() {
			err = fmt.Errorf("%s is not a directory", dir)
		}
		if err == nil {
			err = owned(info)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// plain is plain for a file of the entry. An answer has a second name, of ours,
// for the instant in which it is written (see Settle), and for good if its
// writer is killed then.
func (e *Entry) plain(name string, info fs.FileInfo) error {
	err := plain(info)
	if err == nil || name != answerFile || names(info) != 2 || !e.begun(info) {
		return err
	}
	return nil
}

// begun reports whether the answer's file has another name in the entry, as
// Settle gives it one, or has lost its second name meanwhile.
func (e *Entry) begun(answer fs.FileInfo) bool {
	if d, err := e.root.Open("."); err == nil {
		defer d.Close()
		all, _ := d.Readdirnames(-1)
		for _, name := range all {
			if !strings.HasPrefix(name, "."+answerFile+"-") {
				continue
			}
			if other, err := e.root.Lstat(name); err == nil && os.SameFile(answer, other) {
				return true
			}
		}
	}
	now, err := e.root.Lstat(answerFile)
	return err == nil && os.SameFile(answer, now) && names(now) == 1
}

// ours checks the lock file that was opened by its path: it must be the plain
// one in the entry, not one that a link has led to.
func (e *Entry) ours(l *lock, name string) error {
	there, err := e.root.Lstat(name)
	if err != nil {
		return err
	}
	if err := plain(there); err != nil {
		return err
	}
	if open, err := l.f.Stat(); err != nil || !os.SameFile(open, there) {
		return errors.Join(errors.New("it is not the file that was opened"), err)
	}
	return nil
}

// private checks that an entry's directory is this user's, and that no other
// user may change what is in it.
func private(info fs.FileInfo) error {
	if !info.IsDir() {
		return errors.New("it is not a directory")
	}
	if err := owned(info); err != nil {
		return fmt.Errorf("it %w", err)
	}
	if info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("it may be written by others (mode %04o); run chmod 700 on it", info.Mode().Perm())
	}
	return nil
}

// scrub takes secrets out of the answer, in the file itself: whoever hands it
// over holds a lock on that file, a writer that was killed may have left it a
// second name, and what it held is written over. This is the one exception to
// an answer being written once: nobody reads it for an agent any more.
func (e *Entry) scrub() error {
	data, err := e.readPlain(requestFile)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !bytes.Contains(data, []byte(`"secret"`)) {
		return nil // as nearly always: not worth the parsing
	}
	if err != nil {
		return err
	}
	req, err := e.Request()
	if err != nil || !req.Form.Secrets() {
		return err
	}
	r, ok, err := e.Answer()
	if err != nil || !ok {
		return err
	}
	r.Answers = req.Form.Withhold(r.Answers)
	if data, err = json.Marshal(r); err != nil {
		return err
	}
	f, err := e.openPlain(answerFile, os.O_WRONLY)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(data, 0)
	return errors.Join(err, f.Truncate(int64(len(data))), f.Sync(), f.Close())
}
