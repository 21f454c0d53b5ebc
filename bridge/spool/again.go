package spool

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"github.com/askpane/askpane/bridge/form"
)

// digestsDir is the index by which a question that is asked again finds its
// entry: a directory for each digest that waits, and in it an empty file named
// by each such entry's id. It says where to look and nothing else, so a name
// too many or too few in it loses no answer.
const digestsDir = "digests"

// Digest names a question by what is asked (the normalised form), by whom and
// in which directory: two calls with one digest ask the same.
func Digest(f form.Form, o Origin) (string, error) {
	data, err := json.Marshal([]any{f, o.Agent, o.Cwd})
	if err != nil {
		return "", fmt.Errorf("digest of the form: %w", err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16]), nil
}

func validDigest(d string) bool {
	_, err := hex.DecodeString(d)
	return err == nil && len(d) == 32
}

// Again lists the entries with this digest that are not delivered, oldest first.
// Where there are none, as almost always, it costs one look.
func (s *Spool) Again(digest string) ([]string, error) {
	if !validDigest(digest) {
		return nil, nil
	}
	ids, err := s.again(digest)
	if err != nil {
		return nil, err
	}
	for _, spare := range s.others() {
		more, err := spare.again(digest)
		if err != nil {
			return nil, err
		}
		ids = append(ids, more...)
	}
	slices.Sort(ids)
	return ids, nil
}

func (s *Spool) again(digest string) ([]string, error) {
	names, err := s.names(filepath.Join(digestsDir, digest))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(names, func(id string) bool {
		if !ValidID(id) {
			return true
		}
		if _, err := s.root.Lstat(id); errors.Is(err, fs.ErrNotExist) {
			s.forget(digest, id) // somebody died between moving it and this
			return true
		}
		return false
	}), nil
}

// remember puts the entry into the index.
func (s *Spool) remember(digest, id string) error {
	if !validDigest(digest) {
		return nil
	}
	dir := filepath.Join(digestsDir, digest)
	var err error
	for range 8 { // somebody may just take the directory away, since theirs was the last in it
		if err = s.makeDirs(digestsDir, dir); err == nil {
			err = writeNew(s.root, filepath.Join(dir, id), nil)
		}
		if err == nil {
			return nil
		}
	}
	return fmt.Errorf("index %s: %w", id, err)
}

// forget takes the entry out of the index. A name that stays is taken out by
// the next who finds it.
func (s *Spool) forget(digest, id string) {
	if validDigest(digest) {
		dir := filepath.Join(digestsDir, digest)
		_ = s.root.Remove(filepath.Join(dir, id))
		_ = s.root.Remove(dir) // unless there are others in it
	}
}

// TakeOver takes bridge.lock of an entry whose bridge is gone: until Close or
// StopWaiting this process waits for it. ok is false where a bridge waits for
// it, or the entry has been delivered.
func (e *Entry) TakeOver() (ok bool, err error) {
	if e.held(bridgeLock) {
		return false, nil
	}
	l := e.lockFile(bridgeLock)
	ok, err = e.take(l, bridgeLock)
	if ok && e.removed() { // it was delivered by whoever had the lock before us
		ok, err = false, l.release()
	}
	if !ok || err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return false, wrap(err, "take over %s", e.ID)
	}
	e.locks, e.waiting = append(e.locks, l), l
	// A popup that shows the entry and says that its agent is gone looks again.
	now := time.Now()
	return true, wrap(e.root.Chtimes(bridgeLock, now, now), "take over %s", e.ID)
}

// Claim takes the answer for handing it over until Close, so that nobody else
// hands it over as well. The lock is on answer.json itself: bridge.lock has to
// be let go before that, since the popup takes its end for the form's. ok is
// false where somebody else hands it over, or has done so, and where there is
// no answer.
func (e *Entry) Claim() (ok bool, err error) {
	if e.claimed {
		return true, nil
	}
	l := e.answerLock()
	ok, err = l.f.TryLock()
	if ok && (e.delivered() || e.removed()) {
		ok, err = false, l.release()
	}
	if !ok || err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return false, wrap(err, "claim the answer of %s", e.ID)
	}
	e.locks, e.claimed = append(e.locks, l), true
	return true, nil
}

// HandedOver closes the returned channel when nobody is handing the answer
// over any more. The goroutine behind it ends with whoever does.
func (e *Entry) HandedOver() <-chan struct{} {
	return whenFree(filepath.Join(e.Path(), answerFile))
}

// answerLock never makes an answer.json.
func (e *Entry) answerLock() *lock {
	return &lock{flock.New(filepath.Join(e.Path(), answerFile), flock.SetFlag(os.O_RDWR|noFollow))}
}
