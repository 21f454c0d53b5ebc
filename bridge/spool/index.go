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
	"strings"

	"github.com/askpane/askpane/bridge/form"
)

// The index has a directory for each digest that waits, and in it an empty file
// named by each such entry's id. It says where to look and nothing else, so a name
// too many or too few in it loses no answer.

// Digest names a question by what is asked (the normalised form), by whom and
// in which directory: two calls with one digest ask the same.
func Digest(f form.Form, o Origin) (string, error) {
	data, err := json.Marshal([]any{f, o.Agent, o.Cwd})
	if err != nil {
		return "", fmt.Errorf("digest of the form: %w", err)
	}
	return sumOf(data), nil
}

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}

func validDigest(d string) bool {
	_, err := hex.DecodeString(d)
	return err == nil && len(d) == 32
}

// Again lists the entries with this digest that are not delivered, oldest first.
// Where there are none, as almost always, it costs one look.
func (s *Spool) Again(digest string) (ids []string, err error) {
	if !validDigest(digest) {
		return nil, nil
	}
	for _, d := range s.stores() {
		names, err := d.names(filepath.Join(digestsDir, digest))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, id := range names {
			if _, err := d.root.Lstat(id); errors.Is(err, fs.ErrNotExist) {
				d.forget(digest, id) // somebody died between moving it and this
			} else if ValidID(id) {
				ids = append(ids, id)
			}
		}
	}
	slices.Sort(ids)
	return ids, nil
}

// remember puts the entry into the index.
func (d *store) remember(digest, id string) (err error) {
	if !validDigest(digest) {
		return nil
	}
	dir := filepath.Join(digestsDir, digest)
	for range 8 { // somebody may just take the directory away, since theirs was the last in it
		if err = d.makeDirs(digestsDir, dir); err == nil {
			err = d.write(filepath.Join(dir, id), nil)
		}
		if err == nil {
			break
		}
	}
	return err
}

// forget takes the entry out of the index. A name that stays is taken out by
// the next who finds it.
func (d *store) forget(digest, id string) {
	if validDigest(digest) {
		dir := filepath.Join(digestsDir, digest)
		_ = d.root.Remove(filepath.Join(dir, id))
		_ = d.root.Remove(dir) // unless there are others in it
	}
}

// turnPrefix begins the name, among the digests, of the lock that says that a
// session has a form open, in a dialect where it may have one at a time.
const turnPrefix = "turn-"

// TakeTurn takes, until StopWaiting or LetGo, the one place that the asking
// process pid has; false where another of its questions waits there. It costs the
// same however many questions wait. Where no lock can be made (a full disk, say)
// nobody is refused for that.
func (e *Entry) TakeTurn(pid int) bool {
	if e.store.makeDirs(digestsDir) != nil {
		return true
	}
	machine, _ := os.Hostname() // containers that share a spool have the same numbers
	name := filepath.Join(digestsDir, turnPrefix+sumOf(fmt.Appendf(nil, "%s\x00%d", machine, pid)))
	for range 8 {
		f, err := e.store.lock(name).try(os.O_CREATE)
		switch err {
		case nil:
			e.locks[name], e.turn = f, name
			return true
		case errHeld:
			return false
		case errExchanged: // the one before has just removed it
		default:
			return true
		}
	}
	return true
}

// dropTurns removes the locks of those who were killed while they had a turn.
func (d *store) dropTurns() error {
	names, err := d.names(digestsDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, name := range names {
		if !strings.HasPrefix(name, turnPrefix) {
			continue
		}
		name = filepath.Join(digestsDir, name)
		if f, err := d.lock(name).try(0); err == nil {
			_ = d.root.Remove(name) // one that stays does no harm
			f.Close()
		}
	}
	return err
}
