package notify

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// The states of an alert.
const (
	On     = "on"
	Off    = "off"
	Cannot = "cannot" // it is set, and has no way out
)

// Line is what doctor says of one alert.
type Line struct {
	Name   string
	State  string // On, Off or Cannot
	Detail string
	Fix    string // what mends it; empty where nothing is wrong
}

// Describe says what each alert would do. It looks at the host and at the
// desktop, but raises nothing.
func Describe(ctx context.Context, c Config, r Routes) []Line {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	all := listed()
	lines := make([]Line, len(all))
	var each sync.WaitGroup
	for i, one := range all {
		each.Go(func() {
			if one.on(c) {
				lines[i] = one.describe(ctx, c, r)
			} else {
				lines[i] = Line{State: Off, Detail: one.setting + " is " + one.unset()}
			}
			lines[i].Name = one.name
		})
	}
	each.Wait()
	return lines
}

func listed() []alert {
	return slices.DeleteFunc(slices.Clone(all), func(a alert) bool { return a.unlisted })
}

// unset is the value of the setting that switches the alert off.
func (a alert) unset() string {
	if a.name == command.name {
		return "empty"
	}
	return "false"
}

func given(there bool, detail, otherwise string) Line {
	if there {
		return Line{State: On, Detail: detail}
	}
	return Line{State: Cannot, Detail: otherwise}
}

// Tried is how one alert went that Try raised.
type Tried struct {
	Name string
	Off  bool // it is not set, and was not raised
	Err  error
}

// Try raises each alert that is set now, whatever its delay and the quiet
// hours, and says how each went. Programs may run until they have ended or hold
// is over; what stays is taken back then.
func Try(ctx context.Context, q Question, c Config, r Routes, hold time.Duration) []Tried {
	all := listed()
	tried := make([]Tried, len(all))
	var each sync.WaitGroup
	for i, one := range all {
		each.Go(func() {
			tried[i].Name = one.name
			if tried[i].Off = !one.on(c); !tried[i].Off {
				tried[i].Err = one.try(ctx, job{Question: q, Config: c, Routes: r}, hold)
			}
		})
	}
	each.Wait()
	return tried
}

func (a alert) try(ctx context.Context, j job, hold time.Duration) error {
	if line := a.describe(ctx, j.Config, j.Routes); line.State == Cannot {
		return errors.New(line.Detail)
	}
	raising, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	up, err := a.raise(raising, j)
	held, release := context.WithTimeout(ctx, hold)
	defer release()
	switch {
	case up.finish != nil:
		err = errors.Join(err, up.finish(held))
	case up.clear != nil:
		<-held.Done()
	}
	if up.clear != nil {
		clearing, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
		defer cancel()
		if e := up.clear(clearing); err == nil {
			err = e
		}
	}
	return err
}
