package spool

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/oklog/ulid/v2"
	"golang.org/x/sys/unix"
)

// Scan lists the questions in the spool that have no answer yet, and those that
// have one but were not moved to the history; each the oldest first. With an
// error it is those that could be found. A question that cannot be looked into is
// among those that wait, and the error names it.
//
// Status lines ask for this every few seconds: it costs one reading of the
// directory and one system call for each entry.
func (s *Spool) Scan() (waiting, answered []string, err error) {
	err = s.unread
	for _, place := range append(s.others(), s) {
		w, a, e := place.scan()
		waiting, answered, err = append(waiting, w...), append(answered, a...), errors.Join(err, e)
	}
	slices.Sort(waiting) // a ULID begins with its time
	slices.Sort(answered)
	return waiting, answered, err
}

func (s *Spool) scan() (waiting, answered []string, err error) {
	d, err := s.root.Open(".")
	if err != nil {
		return nil, nil, unopened(s.dir, err)
	}
	defer d.Close()
	entries, err := d.ReadDir(-1)
	if err != nil {
		return nil, nil, fmt.Errorf("read the spool: %w", err)
	}
	for _, e := range entries {
		id := e.Name()
		if !e.IsDir() || !ValidID(id) { // its type comes with its name: no link is followed
			continue
		}
		var st unix.Stat_t
		switch no := unix.Fstatat(int(d.Fd()), id+"/"+answerFile, &st, unix.AT_SYMLINK_NOFOLLOW); {
		case errors.Is(no, unix.EACCES):
			err = errors.Join(err, fmt.Errorf("look into spool entry %s: %w", id, no))
			waiting = append(waiting, id)
		case errors.Is(no, unix.ENOENT):
			waiting = append(waiting, id)
		default: // it is there, whatever it is (as in Status)
			answered = append(answered, id)
		}
	}
	return waiting, answered, err
}

// AskedAt is when the question id was asked, which its name tells.
func AskedAt(id string) time.Time { return ulid.Time(ulid.MustParseStrict(id).Time()) }
