package spool

import (
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

// owned checks that a file is this user's.
func owned(info fs.FileInfo) error {
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
		return fmt.Errorf("belongs to user %d, not to you (%d)", st.Uid, os.Geteuid())
	}
	return nil
}

// private checks that a directory is one, this user's, and that no other user may
// change what is in it.
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
	if n := links(info); n > 1 {
		return fmt.Errorf("it has %d names (hard links); remove the others", n)
	}
	return nil
}

// links is how many names a file has.
func links(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Nlink)
	}
	return 1
}

// plain is plain for a file of the entry. An answer has a second name, of ours,
// for the instant in which it is written (see Settle), and for good if its
// writer is killed then.
func (e *Entry) plain(name string, info fs.FileInfo) error {
	err := plain(info)
	if err != nil && name == answerFile && links(info) == 2 && e.hasSecondName(info) {
		return nil
	}
	return err
}

// hasSecondName reports whether the answer's file has another name in the entry,
// as Settle gives it one, or has lost that meanwhile.
func (e *Entry) hasSecondName(answer fs.FileInfo) bool {
	names, _ := namesIn(e.root, ".")
	for _, name := range names {
		if !strings.HasPrefix(name, "."+answerFile+"-") {
			continue
		}
		if other, err := e.root.Lstat(name); err == nil && os.SameFile(answer, other) {
			return true
		}
	}
	now, err := e.root.Lstat(answerFile)
	return err == nil && os.SameFile(answer, now) && links(now) == 1
}

// openPlain opens a file that is there and that check passes, for reading or for
// writing in place. A symbolic link is refused, also one that takes the file's
// place while we look, and a FIFO there is not waited for.
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

// openPlain is openPlain for a file of the entry.
func (e *Entry) openPlain(name string, flag int) (*os.File, error) {
	return openPlain(e.root, name, flag, func(info fs.FileInfo) error { return e.plain(name, info) })
}

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

// writeNew writes a file that is not there yet; one that is stays as it is.
func writeNew(root *os.Root, name string, data []byte) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// overwrite writes a file in place, without another block where the text is no
// longer than what is there.
func (e *Entry) overwrite(name string, data []byte) error {
	f, err := e.openPlain(name, os.O_WRONLY)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(data, 0)
	return errors.Join(err, f.Truncate(int64(len(data))), f.Close())
}
