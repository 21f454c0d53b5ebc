package main

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/integrations/chat/account"
	"github.com/askpane/askpane/popup/chat"
	"github.com/askpane/askpane/settings/private"
)

// The code counts for who has pressed the button, and for nobody whom the service has
// type it in their place.
func TestCodeOfAnother(t *testing.T) {
	t.Parallel()
	_, fail := context.WithCancelCause(context.Background())
	m := &meeting{id: "setup.x", code: "ABCDEF", tries: codeTries, pressed: map[string]bool{}, met: make(chan time.Duration, 1), fail: fail}
	does := func(id, user, text string) (said chat.Reply) {
		m.handle(chat.Event{ID: id, User: chat.User{ID: user}, Text: text, Reply: func(r chat.Reply) error { said = r; return nil }})
		return said
	}
	if does("setup.x", "1", "").Entry == nil {
		t.Fatal("the button opens nothing")
	}
	if said := does("setup.x.code", "2", "ABCDEF"); said.Notice == "" || m.who.ID != "" {
		t.Errorf("%+v may answer, and is told %q", m.who, said.Notice)
	}
	if does("setup.x.code", "1", "ABCDEF"); m.who.ID != "1" {
		t.Errorf("%+v may answer", m.who)
	}
}

// Before the link has said which machine has the chat, none speaks with the service: it
// would begin, and leave it to another a moment later.
func TestNobodyBeginsBeforeTheLink(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:1")
	dir, err := account.Dir()
	if err == nil {
		err = account.Account{Service: "discord", Token: "of.a.test", Channel: "1"}.Save(dir)
	}
	if err != nil {
		t.Fatal(err)
	}
	began := func(c *chatServer) bool {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := c.serveAccount(ctx, dir, func(error) {}); err != nil {
			t.Fatal(err)
		}
		s, err := private.Read[account.Status](dir, account.StatusFile)
		if err != nil {
			t.Fatal(err)
		}
		return !strings.HasPrefix(s.Detail, "waits for the hub")
	}
	c := newChatServer(nil, nil)
	if began(c) {
		t.Error("it begins")
	}
	if c.yield(true); !began(c) {
		t.Error("it does not leave the chat to another machine")
	}
}
