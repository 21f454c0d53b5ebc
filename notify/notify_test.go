package notify

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/askpane/askpane/bridge/form"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var asked = &form.Form{Questions: []form.Question{{ID: "a", Label: "Colour\x1b[31m\nof it", Named: true, Prompt: "?"}}}

// pane is an asking pane with a title and a bell.
type pane struct {
	mu     sync.Mutex
	titles []string
	rings  int
	warned []string
}

func (p *pane) routes() Routes {
	return Routes{
		Mark: func(_ context.Context, title string) (func(context.Context) error, error) {
			p.set(title)
			return func(context.Context) error { p.set("old"); return nil }, nil
		},
		Ring: func(context.Context) error {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.rings++
			return nil
		},
	}
}

func (p *pane) set(title string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.titles = append(p.titles, title)
}

func (p *pane) warn(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.warned = append(p.warned, err.Error())
}

func (p *pane) says(t *testing.T, titles []string, rings int, warned ...string) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	slices.Sort(p.warned)
	if !slices.Equal(p.titles, titles) || p.rings != rings || !slices.Equal(p.warned, warned) {
		t.Errorf("titles %q, rings %d, warnings %q, want %q, %d, %q", p.titles, p.rings, p.warned, titles, rings, warned)
	}
}

const marked = "Colour␛[31m of it"

func TestStartAndClear(t *testing.T) {
	var p pane
	a := Start(asked, p.routes(), p.warn)
	a.Clear()
	p.says(t, []string{marked, "old"}, 1)
	a.Clear()
	p.says(t, []string{marked, "old"}, 1)
}

func TestRoutesThatAreOff(t *testing.T) {
	var p pane
	Start(asked, Routes{}, p.warn).Clear()
	p.says(t, nil, 0)
}

func TestTitleIsShort(t *testing.T) {
	var p pane
	long := &form.Form{Title: strings.Repeat("x", 500)}
	Start(long, p.routes(), p.warn).Clear()
	p.says(t, []string{strings.Repeat("x", titleRunes-1) + "…", "old"}, 1)
}

func TestAlertsThatFail(t *testing.T) {
	var p pane
	r := p.routes()
	r.Mark = func(context.Context, string) (func(context.Context) error, error) { return nil, errors.New("no pane") }
	r.Ring = func(context.Context) error { return errors.New("no tty") }
	Start(asked, r, p.warn).Clear()
	p.says(t, nil, 0, "alert bell: no tty", "alert title: no pane")
}

func TestClearThatFails(t *testing.T) {
	var p pane
	r := p.routes()
	r.Mark = func(context.Context, string) (func(context.Context) error, error) {
		return func(context.Context) error { return errors.New("pane is gone") }, nil
	}
	Start(asked, r, p.warn).Clear()
	p.says(t, nil, 1, "alert title: take it back: pane is gone")
}

// One alert that hangs keeps neither Start nor the other alert waiting, and
// Clear no longer than its patience.
func TestAlertThatHangs(t *testing.T) {
	var p pane
	r := p.routes()
	r.Mark = func(ctx context.Context, _ string) (func(context.Context) error, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	rang := make(chan struct{})
	ring := r.Ring
	r.Ring = func(ctx context.Context) error {
		defer close(rang)
		return ring(ctx)
	}
	started := time.Now()
	a := Start(asked, r, p.warn)
	if took := time.Since(started); took > time.Second {
		t.Errorf("Start took %v", took)
	}
	select {
	case <-rang:
	case <-time.After(patience - time.Second):
		t.Error("the bell waits for the title")
	}
	a.Clear()
	if took := time.Since(started); took > patience+2*time.Second {
		t.Errorf("Clear was done after %v", took)
	}
	p.says(t, nil, 1, "alert title: context deadline exceeded")
}

func TestClearFromSeveralSides(t *testing.T) {
	var p pane
	a := Start(asked, p.routes(), p.warn)
	var all sync.WaitGroup
	for range 8 {
		all.Go(a.Clear)
	}
	all.Wait()
	p.says(t, []string{marked, "old"}, 1)
}
