package spool

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// turnPrefix begins the name, among the digests, of the lock that says whose
// turn it is to ask in a dialect where a session has one form at a time.
const turnPrefix = "turn-"

// TakeTurn takes, until StopWaiting or LetGo, the one place that the asking
// process pid has; false where another of its questions waits there. It costs the
// same however many questions wait. Where no lock can be made (a full disk, say)
// nobody is refused for that.
func (e *Entry) TakeTurn(pid int) bool {
	machine, _ := os.Hostname() // containers that share a spool have the same numbers
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", machine, pid))
	name := filepath.Join(digestsDir, turnPrefix+hex.EncodeToString(sum[:16]))
	if e.spool.makeDirs(digestsDir) != nil {
		return true
	}
	for range 8 {
		l := lockOf(filepath.Join(e.spool.dir, name), os.O_CREATE)
		ok, err := l.f.TryLock()
		if err != nil {
			_ = l.release()
			return true
		}
		if !ok {
			_ = l.release()
			return false
		}
		mine, err := l.f.Stat()
		there, e2 := e.spool.root.Lstat(name)
		if err == nil && e2 == nil && os.SameFile(mine, there) {
			e.turn, e.turnName = l, name
			return true
		}
		_ = l.release() // the one before has just removed it
	}
	return true
}

// dropTurns removes the locks of those who were killed while they had a turn.
func (s *Spool) dropTurns() error {
	names, err := s.names(digestsDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, name := range names {
		if !strings.HasPrefix(name, turnPrefix) {
			continue
		}
		l := lockOf(filepath.Join(s.dir, digestsDir, name), 0)
		if ok, e := l.f.TryLock(); ok && e == nil {
			_ = s.root.Remove(filepath.Join(digestsDir, name)) // one that stays does no harm
		}
		_ = l.release()
	}
	return err
}

// leaveTurn gives the place up. The file goes first: whoever opened it meanwhile
// sees that the lock is on no name any more.
func (e *Entry) leaveTurn() error {
	l := e.turn
	if l == nil {
		return nil
	}
	e.turn = nil
	_ = e.spool.root.Remove(e.turnName) // one that stays does no harm
	return l.release()
}
