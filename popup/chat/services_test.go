package chat_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/integrations/chat/discord"
	"github.com/askpane/askpane/integrations/chat/telegram"
	"github.com/askpane/askpane/popup/chat"
	"github.com/askpane/askpane/tests/chat/chattest"
	"github.com/askpane/askpane/tests/chat/desktest"
	"github.com/askpane/askpane/tests/chat/discordtest"
	"github.com/askpane/askpane/tests/chat/telegramtest"
	"github.com/askpane/askpane/tests/must"
)

func TestMain(m *testing.M) { desktest.Main(m) }

// serve is a desk that serves a channel until the test ends.
func serve(t *testing.T, c chat.Channel) *desktest.Desk {
	d := desktest.New(t)
	d.Serve(c)
	return d
}

// discordFor is a fake Discord, and the channel there.
func discordFor(t *testing.T) (*discordtest.Server, chat.Channel) {
	s := discordtest.Start(t)
	way := s.Client()
	t.Cleanup(way.CloseIdleConnections)
	c, err := discord.Open(discordtest.Token, discordtest.ChannelID, way)
	must.Do(t, err)
	c.Patience = desktest.Patient // this machine may be busy
	return s, c
}

// telegramFor is a fake Telegram, and the chat there.
func telegramFor(t *testing.T) (*telegramtest.Server, chat.Channel) {
	const token = "42:AAFtesttesttesttesttesttesttesttest"
	s := telegramtest.New(token, telegramtest.Chat{ID: 7, Type: "private"})
	way := chattest.Start(t, map[string]http.Handler{telegramtest.Host: s}).Client()
	t.Cleanup(way.CloseIdleConnections)
	c, err := telegram.Open(token, "7", way)
	must.Do(t, err)
	c.Patience = desktest.Patient // this machine may be busy
	return s, c
}

// TestDiscordWasDown has what somebody clicked meanwhile answer the question.
func TestDiscordWasDown(t *testing.T) {
	t.Parallel()
	s, c := discordFor(t)
	d := desktest.New(t)
	d.Log = func(err error) {
		if !strings.Contains(err.Error(), "connection") && !strings.Contains(err.Error(), "cannot reach Discord") {
			t.Error(err)
		}
	}
	d.Serve(c)
	e := d.Ask(`{"prompt":"Which?","options":[{"label":"Redis"},{"label":"Postgres"}]}`)
	s.Until("connection", s.Connected)
	m := s.Await("question", func(m discordtest.Message) bool { return m.Controls()["Postgres"] != "" })
	s.Down(true)
	click := s.Click(discordtest.User{ID: "7", Name: "dom"}, m, "Postgres")
	s.Down(false)
	s.Await("answer", func(m discordtest.Message) bool {
		return len(m.Controls()) == 0 && strings.Contains(m.Text(), "Postgres")
	})
	r, _ := d.Answered(e)
	if n := s.Counts(); click.String() != "taken" || r.Via == nil || r.Via.ID != "7" || n.Identified != 1 || n.Resumed == 0 {
		t.Errorf("they see %q, it is answered by %+v, and it came to %+v", click, r.Via, n)
	}
}

// TestDiscordDeleted has a message that was deleted be there again by itself, alone or among
// others.
func TestDiscordDeleted(t *testing.T) {
	t.Parallel()
	s, c := discordFor(t)
	d := serve(t, c)
	s.Until("connection", s.Connected)
	var all []string
	for _, prompt := range []string{"Which?", "And which?", "Which of them?"} {
		d.Ask(`{"prompt":"` + prompt + `","options":[{"label":"Redis"},{"label":"Postgres"}]}`)
		all = append(all, s.Await(prompt, func(m discordtest.Message) bool {
			return strings.HasPrefix(m.Text(), prompt)
		}).ID)
	}
	again := func(n int) {
		t.Helper()
		s.Until(fmt.Sprintf("%d messages that are posted again", n), func() bool { return len(s.Messages()) == len(all) })
		for _, m := range s.Messages()[len(all)-n:] {
			if m.Controls()["Redis"] == "" || slices.Contains(all, m.ID) {
				t.Errorf("posted again is %s, with %v", m.Text(), m.Controls())
			}
		}
	}
	s.Delete(all[0])
	again(1)
	s.Delete(all[1:]...)
	again(2)
}

// TestDiscordGivesBack has somebody type in vain: all of it is theirs again, but for a secret.
func TestDiscordGivesBack(t *testing.T) {
	t.Parallel()
	s, c := discordFor(t)
	d := serve(t, c)
	s.Until("connection", s.Connected)
	typed := strings.Repeat("*a text*: of <mine> ", 149) + "its end"
	for n, secret := range []string{"false", "true"} {
		e := d.Ask(`{"questions":[{"header":"Key","question":"Which key?","type":"free_text","secret":` + secret + `}]}`)
		s.Await("question", func(m discordtest.Message) bool { return len(s.Messages()) == n+1 && m.Controls()["Answer…"] != "" })
		dialog := s.Click(discordtest.User{ID: "7", Name: "dom"}, s.Messages()[n], "Answer…").Wait()
		must.Do(t, e.Settle(form.Result{Outcome: form.Cancelled, By: form.ByPopup, At: time.Now()}))
		got := dialog.Submit(typed).String()
		if !strings.Contains(got, "What you typed was not sent.") || strings.Contains(got, typed) != (secret == "false") || strings.Contains(got, "its end") != (secret == "false") {
			t.Errorf("secret %s: they get %s", secret, got)
		}
	}
}

// TestDiscordIsSlow for one person alone, not for the next.
func TestDiscordIsSlow(t *testing.T) {
	t.Parallel()
	s, c := discordFor(t)
	serve(t, c).Ask(`{"prompt":"Which?","multi":true,"options":[{"label":"a"},{"label":"b"},{"label":"c"},{"label":"d"}]}`)
	s.Until("connection", s.Connected)
	m := s.Await("question", func(m discordtest.Message) bool { return m.Controls()["a"] != "" })
	ann, dom := discordtest.User{ID: "8", Name: "ann"}, discordtest.User{ID: "7", Name: "dom"}
	goOn := s.Stall(ann)
	waits := s.Click(ann, m, "a")
	if got := s.Click(dom, m, "b").String(); got != "taken" {
		t.Errorf("the next sees %q", got)
	}
	goOn()
	if got := waits.String(); got != "taken" {
		t.Errorf("who has waited sees %q", got)
	}
}
