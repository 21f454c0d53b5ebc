package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge/address"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/bridge/watch"
	"github.com/askpane/askpane/cmd/internal/asker"
	"github.com/askpane/askpane/integrations/chat/account"
	"github.com/askpane/askpane/popup/chat"
	"github.com/askpane/askpane/settings"
	"github.com/askpane/askpane/settings/private"
)

// chatServer serves the chat from the desk, where one is set up.
type chatServer struct {
	spool    *spool.Spool
	live     *settings.Live
	at       atomic.Pointer[address.Address] // of the desk
	unclosed atomic.Int64                    // messages that are still to be closed
	which    atomic.Int32                    // a machine
	token    atomic.Value                    // its mark, for other machines

	changed <-chan struct{}
	tell    func() // that something has changed
}

func newChatServer(sp *spool.Spool, live *settings.Live) *chatServer {
	changed, tell := watch.Merged()
	return &chatServer{spool: sp, live: live, changed: changed, tell: tell}
}

// machine says which of several machines with one token has the chat.
type machine int

const (
	nobodyKnows machine = iota // yet
	thisOne
	anotherOne
)

// serve serves the chat that is set up, also where that changes, until ctx ends.
func (c *chatServer) serve(ctx context.Context) {
	own := asker.Asker{Say: func(error) {}}.For("/")
	dir, err := account.Dir()
	if err != nil {
		own.Warn(err)
		return
	}
	defer watch.Dir(dir, func(name string) {
		_, err := os.Lstat(filepath.Join(dir, account.StatusFile))
		if name == account.File || name == account.Waits || name == account.StatusFile && err != nil {
			c.tell()
		}
	}).Stop()
	for ctx.Err() == nil {
		<-watch.Freed(ctx, filepath.Join(dir, account.Waits)) // a command has the bot for itself
		if ctx.Err() != nil {
			return
		}
		serving, stop := context.WithCancel(ctx)
		go func() {
			defer stop()
			select {
			case <-serving.Done():
			case <-c.changed:
			}
		}()
		if err := c.serveAccount(serving, dir, own.Warn); err != nil && serving.Err() == nil {
			own.Warn(err)
			writeStatus(dir, "", err, own.Warn)
			if errors.Is(err, chat.ErrRefused) { // by mistake, perhaps
				time.AfterFunc(settings.ChatRefused, c.tell)
			}
		}
		<-serving.Done()
	}
}

// serveAccount serves the chat that is set up now.
func (c *chatServer) serveAccount(ctx context.Context, dir string, warn func(error)) error {
	a, err := account.Load(dir)
	if err != nil {
		c.token.Store("")
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return err
	}
	release, err := account.Serving(ctx, dir)
	if err != nil {
		return err
	}
	defer release()
	channel, err := a.Open()
	if err != nil {
		return err
	}
	c.token.Store(a.Mark())
	switch machine(c.which.Load()) {
	case anotherOne:
		const leaves = "leaves the chat to another of your machines"
		writeStatus(dir, leaves+", with what it has posted still to be closed,", nil, warn)
		err := chat.Withdraw(ctx, chat.Config{Channel: channel, Dir: dir, Log: warn, Unclosed: &c.unclosed})
		if err == nil {
			writeStatus(dir, leaves, nil, warn)
		}
		return err
	case nobodyKnows:
		writeStatus(dir, "waits for the hub to say which of your machines has the chat", nil, warn)
		return nil
	}
	return chat.Serve(ctx, chat.Config{Spool: c.spool, Channel: channel, Dir: dir, May: a.May, Page: c.page, Log: warn, Unclosed: &c.unclosed,
		Rules: func(o spool.Origin, s settings.Settings) chat.Rules {
			return chat.Rules{When: s.ChatFor(o.Chat), After: time.Duration(s.ChatAfterSeconds) * time.Second, Sensitive: s.ChatSensitive}
		},
		Most: func() int { s, _ := c.live.Now(); return s.ChatMaxWaiting },
		State: func(err error) {
			if ctx.Err() == nil {
				writeStatus(dir, "connected", err, warn)
			}
		}})
}

func (c *chatServer) mark() string {
	token, _ := c.token.Load().(string)
	return token
}

func (c *chatServer) setMachine(which machine) {
	if machine(c.which.Swap(int32(which))) != which {
		c.tell()
	}
}

// yield notes whether another machine has the chat.
func (c *chatServer) yield(yes bool) {
	c.setMachine(text.If(yes, anotherOne, thisOne))
}

// page returns the address at which a person elsewhere reaches the page of a question.
func (c *chatServer) page(id string) string {
	if a := c.at.Load(); a != nil && len(a.Hosts) > 0 {
		return elsewhere(*a) + "#q=" + id
	}
	return ""
}

// writeStatus keeps how the desk stands with the service, for doctor: in words, or with an error.
func writeStatus(dir, detail string, err error, warn func(error)) {
	s := account.Status{Version: 1, Since: time.Now(), Detail: detail}
	if err != nil {
		s.Err, s.Refused = err.Error(), errors.Is(err, chat.ErrRefused)
	}
	if err := private.Write(dir, account.StatusFile, s); err != nil {
		warn(err)
	}
}

// checkLimit bounds the service's answer.
const checkLimit = 8 * time.Second

// chatChecks say whether the chat works.
func chatChecks(ctx context.Context) []hint.Check {
	const section = "chat"
	dir, err := account.Dir()
	a := account.Account{}
	if err == nil {
		a, err = account.Load(dir)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return []hint.Check{{Section: section, Name: "chat", State: hint.Off, Detail: "not set up; " + account.SetUp() + ", has a bot of yours post questions there"}}
	}
	if err != nil {
		return []hint.Check{hint.Wrong(section, "chat", hint.Warn, err)}
	}
	bot := hint.Check{Section: section, Name: a.Service, State: hint.OK}
	ctx, cancel := context.WithTimeout(ctx, checkLimit)
	defer cancel()
	began := time.Now()
	channel, err := a.Open()
	if err == nil {
		err = channel.Check(ctx)
	}
	if err == nil {
		err = account.Accepted(dir)
	}
	if bot.Detail = fmt.Sprintf("%s: token accepted, may write, %d ms", text.OneLine(a.Place, 80), time.Since(began).Milliseconds()); err != nil {
		bot = hint.Wrong(section, a.Service, hint.Warn, fmt.Errorf("%s: %w", text.OneLine(a.Place, 80), err))
		if bot.Fix == "" && errors.Is(err, chat.ErrRefused) {
			bot.Fix = "askpane chat setup " + a.Service + " takes a new token"
		}
	}
	users := hint.Check{Section: section, Name: "users", State: hint.OK}
	var names []string
	for _, u := range a.Users {
		names = append(names, fmt.Sprintf("%s (%s)", text.OneLine(u.Name, 40), u.ID))
	}
	if users.Detail = strings.Join(names, ", ") + " may answer"; names == nil {
		users.State, users.Detail, users.Fix = hint.Warn, "nobody may answer", "askpane chat allow"
	}
	return []hint.Check{bot, users, servedCheck(section, dir)}
}

// servedCheck says how the desk stands with the service.
func servedCheck(section, dir string) hint.Check {
	c := hint.Check{Section: section, Name: "desk", State: hint.OK}
	s, err := private.Read[account.Status](dir, account.StatusFile)
	since := s.Since.Local().Format("2 Jan 15:04")
	desk, up := address.Up()
	switch {
	case settings.Load("").ChatWhen == settings.Never:
		c.State, c.Detail = hint.Off, "posts nothing (chatWhen is never)"
	case !up && !s.Refused:
		c.Detail = "not running, as no question waits; the next one starts it"
	case err != nil, up && s.Since.Before(desk.Since):
		c.State, c.Detail = hint.Warn, "the desk has not said yet how it stands"
	case s.Err != "":
		c = hint.Wrong(section, c.Name, hint.Warn, fmt.Errorf("not connected since %s: %s", since, text.OneLine(s.Err, 300)))
	default:
		c.Detail = s.Detail + " since " + since
	}
	return c
}

// chatState prints whether the chat works.
func chatState(c *cli.Context) error {
	checks := chatChecks(c.Context)
	if c.Bool("json") {
		return json.NewEncoder(os.Stdout).Encode(checks)
	}
	for _, check := range checks {
		fmt.Printf("%s: %s\n", check.Name, check.Detail)
		if check.Fix != "" {
			fmt.Printf("  → %s\n", check.Fix)
		}
	}
	return nil
}
