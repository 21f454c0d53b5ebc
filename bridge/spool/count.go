package spool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"syscall"
	"time"

	"github.com/oklog/ulid/v2"
	"golang.org/x/sys/unix"
)

// Count is how many questions have no answer yet, and when the oldest of them
// was asked.
type Count struct {
	Waiting int
	Oldest  time.Time // zero where none waits
}

// CountWaiting counts the questions in the spool at dir that have no answer yet,
// whether or not somebody looks at them or their agent is still there. Where
// there is no spool, none waits; it is not made.
//
// It is meant for status lines, which ask for it every few seconds: one reading
// of the directory, and one system call an entry. Nothing is opened or followed
// but the directory itself, and the age is in the entry's name.
//
// Those in a spare spool count too.
func CountWaiting(dir string) (Count, error) {
	var c Count
	oldest := ""
	err := unanswered(dir, func(name string) {
		c.Waiting++
		if oldest == "" || name < oldest { // a ULID begins with its time
			oldest = name
		}
	})
	if oldest != "" {
		c.Oldest = ulid.Time(ulid.MustParseStrict(oldest).Time())
	}
	return c, err
}

// Unanswered lists the same questions, oldest first. With an error it is those
// that could be found; one of which it cannot be said is among them.
func (s *Spool) Unanswered() ([]string, error) {
	var ids []string
	err := unanswered(s.proper(), func(id string) { ids = append(ids, id) })
	slices.Sort(ids)
	return ids, err
}

// unanswered calls each with every entry in the spool at dir, and in its spares,
// that has no answer.
func unanswered(dir string, each func(id string)) error {
	err := unansweredIn(dir, each)
	for _, spare := range sparePaths(dir) {
		err = errors.Join(err, unansweredIn(spare, each))
	}
	return err
}

func unansweredIn(dir string, each func(id string)) error {
	d, err := os.OpenFile(dir, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return unopened(dir, err)
	}
	defer d.Close()
	info, err := d.Stat()
	if err == nil {
		err = owned(info)
	}
	if err == nil && info.Mode().Perm()&0o022 != 0 {
		err = fmt.Errorf("may be written by others (mode %04o); run chmod 700 on it", info.Mode().Perm())
	}
	if err != nil {
		return fmt.Errorf("the spool %s %w", dir, err)
	}
	entries, err := d.ReadDir(-1)
	if err != nil {
		return fmt.Errorf("read the spool: %w", err)
	}
	var unread error
	for _, e := range entries {
		name := e.Name()
		if !e.IsDir() || !ValidID(name) { // its type comes with its name
			continue
		}
		var st unix.Stat_t
		err := unix.Fstatat(int(d.Fd()), name+"/"+answerFile, &st, unix.AT_SYMLINK_NOFOLLOW)
		if errors.Is(err, unix.EACCES) {
			unread = errors.Join(unread, fmt.Errorf("look into spool entry %s: %w", name, err))
		} else if !errors.Is(err, unix.ENOENT) { // it is there, whatever it is (as in State)
			continue
		}
		each(name)
	}
	return unread
}
