package spool

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/tests/must"
)

// waiting are the questions that have no answer yet.
func waiting(t *testing.T, s *Spool) []string {
	t.Helper()
	ids, _, err := s.Scan()
	must.Do(t, err)
	return ids
}

func TestScan(t *testing.T) {
	t.Parallel()
	s := openSpool(t)
	if ids := waiting(t, s); len(ids) > 0 {
		t.Errorf("in an empty spool wait %v", ids)
	}
	asked := time.Now().Add(-4 * time.Minute).Truncate(time.Millisecond)
	var entries []*Entry
	var ids []string
	for i := range 3 {
		req := request()
		req.Origin.Start = asked.Add(time.Duration(i) * time.Minute)
		e, err := s.Create(req)
		must.Do(t, err)
		t.Cleanup(func() { e.Close() })
		entries, ids = append(entries, e), append(ids, e.ID)
	}
	if got := waiting(t, s); !slices.Equal(got, ids) || !AskedAt(got[0]).Equal(asked) {
		t.Errorf("three wait since %v: %v", asked, got)
	}
	must.Do(t, entries[0].Settle(answered())) // the agent has not got it yet
	if got, over, err := s.Scan(); !slices.Equal(got, ids[1:]) || !slices.Equal(over, ids[:1]) || err != nil {
		t.Errorf("one of three has its answer: %v, %v, %v", got, over, err)
	}
	must.Do(t, entries[0].Deliver())
	must.Do(t, entries[1].StopWaiting()) // the agent is gone; it can still be answered
	if got, over, err := s.Scan(); !slices.Equal(got, ids[1:]) || len(over) > 0 || err != nil {
		t.Errorf("one of three is in the history: %v, %v, %v", got, over, err)
	}
}

// What is no entry does not count, and no link is followed.
func TestScanIgnores(t *testing.T) {
	t.Parallel()
	s := openSpool(t)
	e := create(t, s)
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	must.Do(t, os.Mkdir(elsewhere, 0o700))
	id := func(end string) string { return e.ID[:len(e.ID)-1] + end }
	ends := strings.ReplaceAll("WXYZ", e.ID[len(e.ID)-1:], "") // those of other ids
	other := ends[:1]
	must.Do(t, os.Symlink(elsewhere, filepath.Join(s.path, id(other))))
	must.Do(t, os.WriteFile(filepath.Join(s.path, id(ends[1:2])), nil, 0o600))
	must.Do(t, os.Mkdir(filepath.Join(s.path, making+id(ends[2:3])), 0o700))
	must.Do(t, os.Mkdir(filepath.Join(s.path, "history"), 0o700))
	must.Do(t, os.Mkdir(filepath.Join(s.path, "notes"), 0o700))
	if ids := waiting(t, s); !slices.Equal(ids, []string{e.ID}) {
		t.Errorf("one waits: %v", ids)
	}
	// A link in place of the answer is no reason to say that nothing was answered.
	must.Do(t, os.Symlink("nowhere", filepath.Join(e.path, answerFile)))
	if ids := waiting(t, s); len(ids) > 0 || !e.Status().Answered {
		t.Errorf("a link in place of the answer: %v, %+v", ids, e.Status())
	}
}

// Who only looks makes no spool, and follows no link to one.
func TestLook(t *testing.T) {
	t.Parallel()
	absent := filepath.Join(t.TempDir(), "absent")
	if _, err := OpenExisting(absent); !errors.Is(err, ErrNotFound) {
		t.Errorf("no spool: %v", err)
	}
	if _, err := os.Stat(absent); !os.IsNotExist(err) {
		t.Errorf("the spool was made: %v", err)
	}
	link := filepath.Join(t.TempDir(), "link")
	must.Do(t, os.Symlink(openSpool(t).path, link))
	if _, err := OpenExisting(link); err == nil {
		t.Error("a spool that is a link was followed")
	}
}

// Checks finds what Open would refuse, and makes and changes nothing.
func TestChecks(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "spool")
	if c := checksOf(dir); len(c) != 1 || c[0].State != hint.OK || !strings.Contains(c[0].Detail, "not there yet") {
		t.Errorf("no spool: %+v", c)
	}
	must.Do(t, os.Mkdir(dir, 0o700))
	must.Do(t, os.Symlink("nowhere", filepath.Join(dir, historyDir)))
	if c := checksOf(dir); len(c) != 2 || c[0].State != hint.OK || c[1].State != hint.Warn || !strings.Contains(c[1].Detail, "it is a link to a directory that is not there") {
		t.Errorf("a history that is a link to nowhere: %+v", c)
	}
	must.Do(t, os.Chmod(dir, 0o777))
	if c := checksOf(dir); len(c) != 1 || c[0].State != hint.Fail || c[0].Fix != "chmod 700 "+dir {
		t.Errorf("a spool that others may write: %+v", c)
	}
}

// What has no request is no question, whoever asks: a removal that met a draft being
// written leaves that alone. It is cleared away, and its id is free for a mirrored one.
func TestNoRequestIsNoQuestion(t *testing.T) {
	t.Parallel()
	s := openSpool(t)
	for what, look := range map[string]func(id string) error{
		"a scan": func(id string) error {
			if waits, over, err := s.Scan(); len(waits) > 0 || len(over) > 0 || err != nil {
				t.Errorf("a scan finds %v, %v, %v", waits, over, err)
			}
			return ErrNotFound
		},
		"who opens it": func(id string) error { _, err := s.Open(id); return err },
		"who finds it": func(id string) error { _, err := s.Find(id); return err },
		"doctor": func(string) error {
			if c := checksOf(s.path); !strings.Contains(c[0].Detail, "0 waiting") {
				t.Errorf("doctor says %+v", c)
			}
			return ErrNotFound
		},
		"a link": func(id string) error {
			req := awayRequest()
			req.ID = id
			e, err := s.Mirror(req)
			must.Do(t, err)
			must.Do(t, e.Withdraw())
			must.Do(t, e.Close())
			return ErrNotFound
		},
	} {
		e := remains(t, s, draftFile)
		if err := look(e.ID); !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: %v", what, err)
		}
		if s.has(e.ID) {
			t.Errorf("%s has not cleared it away", what)
		}
	}
	e := remains(t, s, answerFile)
	if waits, over, err := s.Scan(); len(waits) > 0 || len(over) > 0 || err != nil || !s.has(e.ID) {
		t.Errorf("an answer without its request: %v, %v, %v", waits, over, err)
	}
}

// remains makes an entry of which a removal has left one file.
func remains(t *testing.T, s *Spool, file string) *Entry {
	t.Helper()
	e := create(t, s)
	must.Do(t, e.LetGo())
	must.Do(t, os.WriteFile(filepath.Join(e.path, file), []byte("{}"), 0o600))
	names, err := e.names(".")
	must.Do(t, err)
	for _, name := range names {
		if name != file {
			must.Do(t, e.root.Remove(name))
		}
	}
	return e
}
