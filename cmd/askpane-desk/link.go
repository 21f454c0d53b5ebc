package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync/atomic"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge/address"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/watch"
	"github.com/askpane/askpane/cmd/internal/asker"
	"github.com/askpane/askpane/integrations"
	"github.com/askpane/askpane/integrations/machines/link"
	"github.com/askpane/askpane/integrations/machines/trust"
	"github.com/askpane/askpane/settings"
)

// linked links the desk with a hub, where this machine has joined one.
type linked struct {
	spool  *spool.Spool
	live   *settings.Live
	chat   *chatServer
	person atomic.Bool // somebody sits here, for whom questions of other machines come
	unsent atomic.Int64
}

// busy reports whether the desk is needed for it: questions may come, or must still go.
func (l *linked) busy() bool { return l.person.Load() || l.unsent.Load() > 0 }

// serve serves the link, and another one whenever this machine joins or the settings change,
// until ctx ends.
func (l *linked) serve(ctx context.Context) {
	own := asker.Asker{Say: func(error) {}}.For("/")
	dir, err := address.LinkDir()
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err != nil {
		own.Warn(err)
		l.chat.setMachine(thisOne)
		return
	}
	joined, tell := watch.Merged()
	defer watch.Dir(dir, func(name string) {
		if name == trust.File {
			tell()
		}
	}).Stop()
	defer l.live.Watch(nil, nil)()
	for ctx.Err() == nil {
		now, changed := l.live.Now()
		c, err := l.config(own, now.Settings, dir)
		serving, stop := context.WithCancel(ctx)
		over := make(chan struct{})
		go func() {
			defer close(over)
			if err == nil {
				l.chat.setMachine(nobodyKnows)
				err = link.Serve(serving, c)
			}
			if serving.Err() == nil {
				l.chat.setMachine(thisOne)
			}
			if err != nil && !errors.Is(err, fs.ErrNotExist) { // else it has joined none
				own.Warn(err)
			}
		}()
		for as := now; hub(as.Settings) == hub(now.Settings); as, changed = l.live.Now() {
			select {
			case <-changed:
				continue
			case <-ctx.Done():
			case <-joined:
			}
			break
		}
		stop()
		<-over
	}
}

// hub sums up the settings that a link depends on.
func hub(s settings.Settings) string {
	return fmt.Sprintf("%q %q %t %t %d", s.HubURL, s.HubCredentials, s.HubPeek, s.HubSecrets, s.HubMachineQuestions)
}

func (l *linked) config(own asker.Asker, s settings.Settings, dir string) (c link.Config, err error) {
	l.person.Store(false)
	l.unsent.Store(0)
	id, err := link.Load(dir, s)
	if err != nil {
		return c, err
	}
	l.person.Store(id.Member.Person)
	anywhere := asker.Anywhere(l.spool)
	here, _ := anywhere(context.Background()) // it is always there
	shows := own.Bridge(l.spool, anywhere)
	c = link.Config{ID: id, Dir: dir, Spool: l.spool, Secrets: s.HubSecrets, Most: s.HubMachineQuestions, Show: shows.Mirror, Log: own.Warn, Chat: l.chat.mark, Yield: l.chat.yield,
		Unsent: func(n int) { l.unsent.Store(int64(n)) },
		Late:   func(e *spool.Entry, verdict string) { own.Late(here, e, verdict) }}
	if s.HubPeek {
		c.Pane = func(ctx context.Context, req spool.Request) (string, error) {
			pane := integrations.Pane(req.Origin.Host, req.Origin.Ref)
			if pane == nil {
				return "", errors.New("the pane that has asked cannot be seen")
			}
			return pane.Screen(ctx)
		}
	}
	return c, nil
}

// peek prints what is on the pane from which a question was asked on another machine.
func peek(c *cli.Context) error {
	dir, err := address.LinkDir()
	if err != nil {
		return err
	}
	sp, err := asker.OpenSpool()
	if err != nil {
		return err
	}
	defer sp.Close()
	e, err := sp.Open(c.Args().First())
	if err != nil {
		return err
	}
	defer e.Close()
	req, err := e.Request()
	if err == nil && req.Origin.Away == nil {
		err = errors.New("this question was asked on this machine")
	}
	if err != nil {
		return err
	}
	id, err := link.Load(dir, settings.Load("").Settings)
	if err != nil {
		return err
	}
	nc, err := link.Connect(id)
	if err != nil {
		return err
	}
	defer nc.Close()
	screen, err := link.Screen(c.Context, nc, id, req.Origin.Away.Machine, req.ID)
	fmt.Print(screen)
	return err
}
