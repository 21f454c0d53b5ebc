package spool

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/askpane/askpane/tests/must"
)

// saveDraft writes a draft, whatever was there.
func saveDraft(e *Entry, draft any) error {
	return e.UpdateDraft(new(json.RawMessage), func(bool) (any, error) { return draft, nil })
}

// add adds a word to a draft that is a list of words.
func add(e *Entry, word string) error {
	var words struct{ Words []string }
	return e.UpdateDraft(&words, func(bool) (any, error) {
		words.Words = append(words.Words, word)
		return words, nil
	})
}

// Nobody's change is lost, in however many processes and goroutines they are made.
func TestUpdateDraftFromEverywhere(t *testing.T) {
	s := openSpool(t)
	e := create(t, s)
	const processes = 3
	for range processes {
		holder(t, s, e.ID+" words")
	}
	want := processes * writers * changes
	words := struct{ Words []string }{}
	w := e.Watch()
	defer w.Stop()
	for late := time.After(tooLong); len(words.Words) < want; {
		select {
		case <-w.Changed:
		case <-late:
			t.Fatalf("of %d changes there are %d", want, len(words.Words))
		}
		words.Words = nil
		if _, err := e.Draft(&words); err != nil {
			t.Fatal(err)
		}
	}
	if slices.Sort(words.Words); len(slices.Compact(words.Words)) != want {
		t.Errorf("of %d changes there are %d", want, len(words.Words))
	}
}

// What each process changes in TestUpdateDraftFromEverywhere.
const writers, changes = 3, 10

// addWords makes these changes.
func addWords(s *Spool, id string) (err error) {
	var all sync.WaitGroup
	failed := make(chan error, writers)
	for w := range writers {
		all.Go(func() {
			e, err := s.Open(id)
			for n := 0; n < changes && (err == nil || errors.Is(err, errHeld)); { // on a busy machine the lock's tooLong ends, and the caller is told
				if err = add(e, fmt.Sprintf("%d %d %d", os.Getpid(), w, n)); err == nil {
					n++
				}
			}
			failed <- err
		})
	}
	all.Wait()
	for range writers {
		err = errors.Join(err, <-failed)
	}
	return err
}

// A lock goes with its holder; while it is held, the change is refused, and not made.
func TestUpdateDraftLocked(t *testing.T) {
	s := openSpool(t)
	e := create(t, s)
	must.Do(t, add(e, "first"))
	_, kill := holder(t, s, e.ID+" draft")
	if err := add(e, "second"); err == nil || !strings.Contains(err.Error(), "save the draft of "+e.ID+": another process holds the lock") {
		t.Errorf("with a lock that is held: %v", err)
	}
	kill()
	must.Do(t, add(e, "third"))
	var words struct{ Words []string }
	if _, err := e.Draft(&words); err != nil || fmt.Sprint(words.Words) != "[first third]" {
		t.Errorf("the draft has %q, %v", words.Words, err)
	}
}

// A draft that cannot be read is put aside; one of a later format is left alone.
func TestUpdateDraftUnread(t *testing.T) {
	t.Parallel()
	s := openSpool(t)
	e := create(t, s)
	file := filepath.Join(e.path, draftFile)
	must.Do(t, os.WriteFile(file, []byte(`{"Words": 5}`), 0o600))
	must.Do(t, add(e, "new"))
	if data, err := os.ReadFile(filepath.Join(e.path, "unread-"+draftFile)); err != nil || string(data) != `{"Words": 5}` {
		t.Errorf("aside is %q, %v", data, err)
	}
	later := `{"version": 99}`
	must.Do(t, os.WriteFile(file, []byte(later), 0o600))
	if err := add(e, "old"); err == nil || !strings.Contains(err.Error(), "install a newer askpane") {
		t.Errorf("over a later format: %v", err)
	}
	if data, _ := os.ReadFile(file); string(data) != later {
		t.Errorf("the later draft is %q", data)
	}
}
