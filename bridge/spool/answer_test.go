package spool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/askpane/askpane/bridge/form"
)

func TestFirstAnswerWins(t *testing.T) {
	t.Parallel()
	s := openSpool(t)
	e := create(t, s)
	var won atomic.Int32
	var winner string
	var racers sync.WaitGroup
	start := make(chan struct{})
	for i := range 32 {
		racers.Go(func() {
			mine := open(t, s, e.ID)
			r := answered()
			r.By = fmt.Sprintf("racer %d", i)
			r.Answers = []form.Answer{form.Type(strings.Repeat(r.By, 1000))}
			<-start
			switch err := mine.Settle(r); {
			case err == nil:
				won.Add(1)
				winner = r.By // only one comes here
			case !errors.Is(err, ErrAnswered):
				t.Errorf("racer %d: %v", i, err)
			}
			// Won or lost, there is a whole answer now.
			if r, ok, err := mine.Answer(); !ok || err != nil || *r.Answers[0].Text != strings.Repeat(r.By, 1000) {
				t.Errorf("racer %d reads %v, %v", i, ok, err)
			}
		})
	}
	close(start)
	racers.Wait()
	if won.Load() != 1 {
		t.Fatalf("%d racers won", won.Load())
	}
	r, ok, err := e.Answer()
	if !ok || err != nil || r.By != winner || r.Version != form.Version {
		t.Errorf("the answer is %s's (%v, %v), the winner %s", r.By, ok, err, winner)
	}
	names, err := os.ReadDir(e.path)
	must(t, err)
	for _, n := range names {
		if strings.HasPrefix(n.Name(), ".") {
			t.Errorf("%s is left behind", n.Name())
		}
	}
}

func TestNoAnswerYet(t *testing.T) {
	t.Parallel()
	if r, ok, err := create(t, openSpool(t)).Answer(); ok || err != nil || r.Outcome != "" {
		t.Errorf("Answer = %+v, %v, %v", r, ok, err)
	}
}

func TestDeliverMovesToTheHistory(t *testing.T) {
	t.Parallel()
	s := openSpool(t)
	for range 2 { // the second finds history there already
		e := create(t, s)
		must(t, e.Settle(answered()))
		must(t, e.Deliver())
		if !e.Status().Removed {
			t.Error("it is still in the spool")
		}
		if _, err := s.Open(e.ID); !errors.Is(err, ErrNotFound) {
			t.Errorf("Open after delivery: %v", err)
		}
		old, err := s.Find(e.ID)
		must(t, err)
		defer old.Close()
		if r, ok, err := old.Answer(); !ok || err != nil || r.By != "popup" {
			t.Errorf("its answer: %+v, %v, %v", r, ok, err)
		}
		if waits, over, err := s.Scan(); err != nil || len(waits)+len(over) != 0 {
			t.Errorf("left in the spool: %v, %v, %v", waits, over, err)
		}
	}
	e := create(t, s)
	must(t, os.RemoveAll(e.path))
	if err := e.Deliver(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an entry that is gone: %v", err)
	}
}

func TestDraft(t *testing.T) {
	t.Parallel()
	s := openSpool(t)
	e := create(t, s)
	var got map[string]any
	if ok, err := e.Draft(&got); ok || err != nil {
		t.Fatalf("Draft before any = %v, %v", ok, err)
	}
	for _, text := range []string{"h", "hello\n日本"} {
		must(t, saveDraft(e, map[string]any{"version": form.Version, "entries": []string{text}}))
		if ok, err := open(t, s, e.ID).Draft(&got); !ok || err != nil || got["entries"].([]any)[0] != text {
			t.Errorf("Draft = %v, %v, %v, want %q", got, ok, err, text)
		}
	}
	must(t, os.WriteFile(filepath.Join(e.path, draftFile), []byte(`{"ver`), 0o600))
	if ok, err := e.Draft(&got); ok || err == nil {
		t.Errorf("half a draft reads as %v", ok)
	}
}

// A file that a newer askpane wrote is refused and left alone.
func TestNewerFormat(t *testing.T) {
	t.Parallel()
	newer := fmt.Sprintf(`{"version":%d,"outcome":"answered"}`, form.Version+1)
	want := fmt.Sprintf("it has format %d and this askpane knows %d", form.Version+1, form.Version)
	for _, c := range readers[:3] { // popup.lock has no format
		t.Run(c.name, func(t *testing.T) {
			e := create(t, openSpool(t))
			path := filepath.Join(e.path, c.name)
			must(t, os.WriteFile(path, []byte(newer), 0o600))
			if err := c.read(e); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error is %v, want …%s…", err, want)
			}
			if data, err := os.ReadFile(path); err != nil || string(data) != newer {
				t.Errorf("the file is now %s (%v)", data, err)
			}
		})
	}
}
