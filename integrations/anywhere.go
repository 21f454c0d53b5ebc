package integrations

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/askpane/askpane/integrations/host"
)

// Anywhere finds the host of a process that runs in none, as the desk does: it stands for
// every host of this user's to which somebody is attached (host.Kind.Anywhere), also for
// one that comes later. The person sees the popup where they were active last. refs tells
// how a host calls the panes from which the questions that wait here were asked.
func Anywhere(refs func(host string) []string) func(context.Context) (host.Host, error) {
	a := &anywhere{refs: refs, on: map[string]host.Host{}}
	a.last = a
	return func(context.Context) (host.Host, error) { return a, nil }
}

type anywhere struct {
	refs func(host string) []string

	mu   sync.Mutex
	on   map[string]host.Host // by the viewers that were seen there
	last host.Host            // where the person was seen last; this one before that
}

var anywhereKind = host.Kind{Name: "anywhere"}

func (*anywhere) Kind() *host.Kind { return &anywhereKind }

// Asker names no pane, but tells that all questions of the process look for one person.
func (*anywhere) Asker() (words, ref string) { return "", anywhereKind.Name }

// Viewer asks all that there are now, at once. Where a host cannot tell when somebody was
// active, one that can goes first.
func (a *anywhere) Viewer(ctx context.Context) (host.Viewer, error) {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	var finds []func(context.Context) (host.Host, error)
	for _, k := range all {
		if k.Anywhere != nil {
			finds = append(finds, k.Anywhere(a.refs(k.Name))...)
		}
	}
	viewers, hosts, errs := make([]host.Viewer, len(finds)), make([]host.Host, len(finds)), make([]error, len(finds))
	var asking sync.WaitGroup
	for i, find := range finds {
		asking.Go(func() {
			if hosts[i], errs[i] = find(ctx); errs[i] == nil {
				viewers[i], errs[i] = hosts[i].Viewer(ctx)
			}
		})
	}
	asking.Wait()
	newest, why := -1, fmt.Errorf("%w to a tmux server or a zellij session of this user", host.ErrNoViewer)
	for i, err := range errs {
		if errors.Is(err, host.ErrUnfit) {
			why = err
		}
		if err == nil && (newest < 0 || viewers[i].Active.After(viewers[newest].Active)) {
			newest = i
		}
	}
	if newest < 0 {
		return host.Viewer{}, why
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.last = hosts[newest]
	a.on[viewers[newest].ID] = a.last
	return viewers[newest], nil
}

func (a *anywhere) At(viewer string) host.Host {
	a.mu.Lock()
	defer a.mu.Unlock()
	if h, seen := a.on[viewer]; seen {
		return h
	}
	return a.last
}

func (a *anywhere) Open(ctx context.Context, v host.Viewer, cmd host.Command) (host.Opening, error) {
	h := a.At(v.ID)
	if h == host.Host(a) {
		return nil, host.ErrNoViewer
	}
	return h.Open(ctx, v, cmd)
}

func (a *anywhere) here(ctx context.Context) (host.Host, error) {
	v, err := a.Viewer(ctx)
	return a.At(v.ID), err
}

func (a *anywhere) Ring(ctx context.Context, popup func(viewer string) (pid int)) error {
	h, err := a.here(ctx)
	if errors.Is(err, host.ErrNoViewer) {
		return nil // the other alerts are there
	}
	if err != nil {
		return err
	}
	return h.Ring(ctx, popup)
}

func (a *anywhere) Terminal(ctx context.Context) (host.Terminal, error) {
	h, err := a.here(ctx)
	if err != nil {
		return host.Terminal{}, err
	}
	return h.Terminal(ctx)
}
