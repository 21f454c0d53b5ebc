package spool

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/askpane/askpane/bridge/form"
)

// Digest names a question by what is asked (the normalised form), by whom and
// in which directory: two calls with one digest ask the same.
func Digest(f form.Form, o Origin) string {
	data, err := json.Marshal([]any{f, o.Agent, o.Cwd})
	if err != nil {
		panic(err) // a form was read from JSON
	}
	return sumOf(data)
}

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}

// Again lists the entries whose request names this digest and that are not in the
// history, oldest first. It leaves out what cannot be read. An agent may have written
// the digest into another's request: whoever takes one checks it.
func (s *Spool) Again(digest string) []string {
	names, _ := s.names(".") // without, the same question asked again is asked anew
	ids := slices.DeleteFunc(names, func(name string) bool {
		request, err := s.read(filepath.Join(name, requestFile))
		return !ValidID(name) || err != nil || !bytes.Contains(request, []byte(digest))
	})
	slices.Sort(ids)
	return ids
}

// TakeTurn takes, until end, the one place that the asking process pid has, or its group by the
// negative number. Where another of its questions has it, free is closed when that leaves it; else
// it is nil, also where no lock can be made (a full disk, say), since nobody is refused for that.
func (s *Spool) TakeTurn(pid int) (end func(), free <-chan struct{}) {
	machine, _ := os.Hostname() // containers that share a spool have the same numbers
	name := filepath.Join(turnsDir, sumOf(fmt.Appendf(nil, "%s\x00%d", machine, pid)))
	var f *os.File
	err := s.makeDirs(turnsDir)
	if err == nil {
		f, err = s.lock(name, patience)
	}
	if err == errHeld {
		free = s.free(name)
	}
	if err != nil {
		return func() {}, free
	}
	return sync.OnceFunc(func() {
		_ = s.root.Remove(name) // first, so that nobody takes what is no name any more; one that stays does no harm
		f.Close()
	}), nil
}
