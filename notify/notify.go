// Package notify draws the person's attention to a waiting question.
//
// It raises alerts by the routes it is handed. The rule that must hold here: an
// alert may fail in any way without any effect on the question.
package notify

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/askpane/askpane/bridge/form"
)

// Routes are the ways to the person that the host has. A nil one is switched off.
type Routes struct {
	// Mark sets the asking pane's title; restore puts the old one back.
	Mark func(ctx context.Context, title string) (restore func(context.Context) error, err error)
	// Ring rings the bell of the asking pane and of the viewer.
	Ring func(ctx context.Context) error
}

// patience is how long an alert may take to be raised or cleared.
const patience = 3 * time.Second

// all is every alert. start returns what takes the alert back, or nil. Adding
// an alert is one file and one line here.
var all = []struct {
	name  string
	start func(context.Context, Routes, *form.Form) (clear func(context.Context) error, err error)
}{
	{"title", title},
	{"bell", bell},
}

// Alerts are the alerts raised for one form.
type Alerts struct {
	warn   func(error)
	raised sync.WaitGroup
	once   sync.Once
	clears []func()
}

// Start raises every alert, each on its own, and returns at once. What fails
// goes to warn, which may be called from several goroutines.
func Start(f *form.Form, r Routes, warn func(error)) *Alerts {
	a := &Alerts{warn: warn, clears: make([]func(), len(all))}
	for i, one := range all {
		a.raised.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			clear, err := one.start(ctx, r, f)
			if err != nil {
				warn(fmt.Errorf("alert %s: %w", one.name, err))
			}
			if clear != nil {
				a.clears[i] = func() { a.clear(one.name, clear) }
			}
		})
	}
	return a
}

// Clear takes every alert back and returns when that is done. It may be called
// more than once.
func (a *Alerts) Clear() {
	a.once.Do(func() {
		a.raised.Wait()
		var cleared sync.WaitGroup
		for _, clear := range a.clears {
			if clear != nil {
				cleared.Go(clear)
			}
		}
		cleared.Wait()
	})
}

func (a *Alerts) clear(name string, clear func(context.Context) error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := clear(ctx); err != nil {
		a.warn(fmt.Errorf("alert %s: take it back: %w", name, err))
	}
}
