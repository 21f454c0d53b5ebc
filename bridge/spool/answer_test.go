package spool

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/tests/must"
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
	must.Do(t, err)
	for _, n := range names {
		if strings.HasPrefix(n.Name(), ".") {
			t.Errorf("%s is left behind", n.Name())
		}
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
			must.Do(t, os.WriteFile(path, []byte(newer), 0o600))
			if err := c.read(e); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error is %v, want …%s…", err, want)
			}
			if data, err := os.ReadFile(path); err != nil || string(data) != newer {
				t.Errorf("the file is now %s (%v)", data, err)
			}
		})
	}
}
