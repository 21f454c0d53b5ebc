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
	"sync"

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

// digestDir is the directory of a digest; of what is none, as entries of older
// versions have, it is empty.
func digestDir(digest string) string {
	if _, err := hex.DecodeString(digest); err != nil || len(digest) != 32 {
		return ""
	}
	return filepath.Join(digestsDir, digest)
}

// Again lists the entries with this digest that are not delivered, oldest first.
// Where there are none, as almost always, it costs one look.
func (s *Spool) Again(digest string) (ids []string, err error) {
	dir := digestDir(digest)
	if dir == "" {
		return nil, nil
	}
	for _, d := range s.stores() {
		names, err := d.names(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, id := range names {
			if !d.has(id) {
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
	dir := digestDir(digest)
	if dir == "" {
		return nil
	}
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
	if dir := digestDir(digest); dir != "" {
		_ = d.root.Remove(filepath.Join(dir, id))
		_ = d.root.Remove(dir) // unless there are others in it
	}
}

// turnPrefix begins the name, among the digests, of the lock that says that a
// session has a form open, in a dialect where it may have one at a time.
const turnPrefix = "turn-"

// TakeTurn takes, until end, the one place that the asking process pid has; ok is
// false where another of its questions has it. It costs the same however many
// questions wait. Where no lock can be made (a full disk, say) nobody is refused
// for that.
func (s *Spool) TakeTurn(pid int) (end func(), ok bool) {
	d := s.stores()[0]
	machine, _ := os.Hostname() // containers that share a spool have the same numbers
	name := filepath.Join(digestsDir, turnPrefix+sumOf(fmt.Appendf(nil, "%s\x00%d", machine, pid)))
	var f *os.File
	err := d.makeDirs(digestsDir)
	if err == nil {
		f, err = d.take(name)
	}
	if err != nil {
		return func() {}, err != errHeld
	}
	return sync.OnceFunc(func() {
		_ = d.root.Remove(name) // first, so that nobody takes what is no name any more; one that stays does no harm
		f.Close()
	}), true
}
