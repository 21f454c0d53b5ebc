package chat_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/integrations/desk/chat"
	"github.com/askpane/askpane/integrations/desk/chat/discord"
	"github.com/askpane/askpane/integrations/desk/chat/telegram"
	"github.com/askpane/askpane/settings"
	"github.com/askpane/askpane/tests/chat/chattest"
	"github.com/askpane/askpane/tests/chat/discordtest"
	"github.com/askpane/askpane/tests/chat/telegramtest"
	"github.com/askpane/askpane/tests/hostiletexts"
)

// forms are one of each kind, at the ends of what their dialects take.
func forms() (all []string) {
	long := strings.Repeat("a long text that goes on; ", 40)
	options := func(n int, format string) string {
		var all []string
		for i := range n {
			all = append(all, strings.ReplaceAll(format, "N", strconv.Itoa(i)))
		}
		return strings.Join(all, ",")
	}
	all = append(all,
		`{"prompt":"`+long+`","style":"buttons","allowOther":true,"options":[`+options(5, `{"label":"N`+long[:90]+`","emoji":"⚡","description":"`+long+`"}`)+`]}`,
		`{"prompt":"Which?","multi":true,"allowOther":true,"options":[`+options(5, `{"label":"N"}`)+`]}`,
		`{"questions":[{"id":"q","prompt":"Which?","options":[`+options(24, `{"value":"N","label":"Choice N","description":"`+long[:200]+`"}`)+`]}]}`,
		`{"questions":[{"id":"q","prompt":"Which?","options":[`+options(300, `{"value":"N","label":"Choice N","description":"`+long+`"}`)+`]}]}`,
		`{"questions":[{"id":"q","prompt":"Any?","options":[]}]}`,
		`{"questions":[{"header":"Regions","question":"`+long+`","type":"select_many","options":[`+options(7, `{"label":"N `+long[:180]+`","description":"`+long+`","preview":{"type":"text","content":"`+long+`"}}`)+`]},
			{"header":"TTL","question":"How long?","type":"number","min":5,"max":120},{"header":"Name","question":"What is it called?","type":"free_text","default":"`+strings.Repeat(long, 5)+`"},
			{"header":"Old","question":"Drop it?","type":"confirm_enum"}]}`,
		`{"questions":[{"id":"db","type":"checkbox","prompt":"Which?","options":[`+options(12, `{"value":"N","label":"No. N"}`)+`],"required":false},{"id":"n","type":"text","prompt":"Else?","required":false}]}`,
		`{"title":"Cache","intro":"`+long+`","questions":[`+options(9, `{"type":"choice","id":"N","header":"Store","prompt":"Where?","options":[{"value":"m","label":"Memory"},{"value":"r","label":"Redis"}],"recommendation":"r"}`)+`,{"type":"text","id":"w","header":"Why","prompt":"Why?"}]}`,
		`{"questions":[{"question":"Which?","header":"Store","options":[{"label":"A","preview":"a\nb"},{"label":"B"}],"multiSelect":true}]}`)
	texts := []string{strings.Repeat("漢字", 2000), strings.Repeat("*_", 2000), strings.Repeat("👩‍👩‍👧", 800), strings.Repeat("a\n", 2000)}
	for _, h := range hostiletexts.Texts("/tmp/trap") {
		texts = append(texts, h.Text)
	}
	for _, text := range texts {
		most := func(n int) string {
			cut, _ := json.Marshal(string([]rune(text)[:min(n, len([]rune(text)))]))
			return string(cut)
		}
		all = append(all, strings.NewReplacer("LABEL", most(200), "DESCRIPTION", most(2000), "TEXT", most(4000)).Replace(`{"questions":[{"header":"H","question":TEXT,"description":TEXT,"type":"select_one",
			"options":[{"label":LABEL,"description":DESCRIPTION,"emoji":LABEL},{"label":"b"}]},{"header":"I","question":TEXT,"type":"free_text","placeholder":LABEL}]}`))
	}
	return all
}

// serve serves a spool in a channel until the test ends, and nothing else than that is logged.
func serve(t *testing.T, c chat.Channel, logged ...string) (ask func(request string) *spool.Entry) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	sp, err := spool.Open(t.TempDir() + "/spool")
	must(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() {
		done <- chat.Serve(ctx, chat.Config{Spool: sp, Channel: c, Dir: t.TempDir(), May: func(string) bool { return true }, Most: func() int { return 1 },
			Rules: func(spool.Origin, settings.Settings) chat.Rules {
				return chat.Rules{When: settings.ChatAlways, Sensitive: true}
			}, State: func(error) {}, Log: func(err error) {
				if !slices.ContainsFunc(logged, func(part string) bool { return strings.Contains(err.Error(), part) }) {
					t.Error(err)
				}
			}})
	}()
	t.Cleanup(func() {
		cancel()
		must(t, <-done)
		sp.Close()
	})
	return func(request string) *spool.Entry {
		t.Helper()
		_, f, err := dialect.Decode("", []byte(request))
		must(t, err)
		e, err := sp.Create(spool.Request{Form: f, Raw: json.RawMessage(request), Origin: spool.Origin{Agent: "claude", Cwd: "/srv/shop", Start: time.Now()}})
		must(t, err)
		t.Cleanup(func() { e.Close() })
		return e
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func over(e *spool.Entry) bool {
	_, over, _ := e.Answer()
	return over
}

// ends reports whether a button would soon end the way through a form.
func ends(label string) bool {
	return slices.Contains([]string{"Cancel", "Explain more first", "Rephrase the question", "None of these fits", "Another reason…"}, label)
}

// discordFor is a fake Discord, and the channel there.
func discordFor(t *testing.T) (*discordtest.Server, chat.Channel) {
	s := discordtest.Start(t)
	way := s.Client()
	t.Cleanup(way.CloseIdleConnections)
	c, err := discord.Open(discordtest.Token, discordtest.ChannelID, way)
	must(t, err)
	return s, c
}

// TestDiscordTakesEveryForm goes through forms by chance; what Discord would refuse is an
// error of its fake's.
func TestDiscordTakesEveryForm(t *testing.T) {
	s, c := discordFor(t)
	ask := serve(t, c)
	s.Until("connection", s.Connected)
	dom := discordtest.User{ID: "7", Name: "dom"}
	s.RefuseEmoji("⚡")
	by := rand.New(rand.NewPCG(1, 2))
	for n, request := range forms() {
		e := ask(request)
		s.Await(fmt.Sprint("form ", n), func(m discordtest.Message) bool {
			return len(s.Messages()) == n+1 && strings.Contains(m.Text(), "claude asks")
		})
		for range 40 {
			m := s.Messages()[n]
			labels := slices.DeleteFunc(slices.Sorted(maps.Keys(m.Controls())), ends)
			if len(labels) == 0 || over(e) {
				break
			}
			if i := s.Click(dom, m, labels[by.IntN(len(labels))]).Wait(); i.Type == 9 {
				i.Submit([]string{"3", "12", "words", "*bold* @everyone"}[by.IntN(4)]).Wait()
			} else if i.Type == 0 {
				t.Fatalf("form %d: a click failed in\n%s", n, m.Text())
			}
		}
		if !over(e) {
			must(t, e.Settle(chatless))
		}
		s.Await(fmt.Sprint("end of form ", n), func(m discordtest.Message) bool {
			return m.ID == s.Messages()[n].ID && len(m.Controls()) == 0
		})
	}
}

// TestDiscordWasDown has what somebody clicked meanwhile answer the question.
func TestDiscordWasDown(t *testing.T) {
	s, c := discordFor(t)
	s.Patience = 20 * time.Second
	e := serve(t, c, "connection")(`{"prompt":"Which?","options":[{"label":"Redis"},{"label":"Postgres"}]}`)
	s.Until("connection", s.Connected)
	m := s.Await("question", func(m discordtest.Message) bool { return m.Controls()["Postgres"] != "" })
	s.Down(true)
	click := s.Click(discordtest.User{ID: "7", Name: "dom"}, m, "Postgres")
	s.Down(false)
	s.Await("answer", func(m discordtest.Message) bool {
		return len(m.Controls()) == 0 && strings.Contains(m.Text(), "Postgres")
	})
	r, _, err := e.Answer()
	must(t, err)
	if n := s.Counts(); click.String() != "taken" || r.Via == nil || r.Via.ID != "7" || n.Identified != 1 || n.Resumed == 0 {
		t.Errorf("they see %q, it is answered by %+v, and it came to %+v", click, r.Via, n)
	}
}

// TestDiscordGivesBack has somebody type in vain: all of it is theirs again, but for a secret.
func TestDiscordGivesBack(t *testing.T) {
	s, c := discordFor(t)
	ask := serve(t, c)
	s.Until("connection", s.Connected)
	typed := strings.Repeat("*a text*: of <mine> ", 149) + "its end"
	for n, secret := range []string{"false", "true"} {
		e := ask(`{"questions":[{"header":"Key","question":"Which key?","type":"free_text","secret":` + secret + `}]}`)
		s.Await("question", func(m discordtest.Message) bool { return len(s.Messages()) == n+1 && m.Controls()["Answer…"] != "" })
		dialog := s.Click(discordtest.User{ID: "7", Name: "dom"}, s.Messages()[n], "Answer…").Wait()
		must(t, e.Settle(chatless))
		got := dialog.Submit(typed).String()
		if !strings.Contains(got, "What you typed was not sent.") || strings.Contains(got, typed) != (secret == "false") || strings.Contains(got, "its end") != (secret == "false") {
			t.Errorf("secret %s: they get %s", secret, got)
		}
	}
}

// TestDiscordIsSlow for one person alone, not for the next.
func TestDiscordIsSlow(t *testing.T) {
	s, c := discordFor(t)
	s.Patience = 20 * time.Second
	serve(t, c)(`{"prompt":"Which?","multi":true,"options":[{"label":"a"},{"label":"b"},{"label":"c"},{"label":"d"}]}`)
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

// TestTelegramTakesEveryForm does so there.
func TestTelegramTakesEveryForm(t *testing.T) {
	place := telegramtest.Chat{ID: 7, Type: "private"}
	s := telegramtest.New("42:AAFtesttesttesttesttesttesttesttest", place)
	way := chattest.Start(t, map[string]http.Handler{telegramtest.Host: s}).Client()
	t.Cleanup(way.CloseIdleConnections)
	c, err := telegram.Open("42:AAFtesttesttesttesttesttesttesttest", "7", way)
	must(t, err)
	ask := serve(t, c)
	dom := telegramtest.User{ID: 7, FirstName: "Dom"}
	by := rand.New(rand.NewPCG(1, 2))
	for n, request := range forms() {
		e, id := ask(request), 0
		buttons := func() (all []telegramtest.Button) {
			for _, m := range s.Messages() {
				if m.ID == id && m.Markup != nil {
					all = slices.Concat(m.Markup.Keyboard...)
				}
			}
			return all
		}
		until(t, fmt.Sprint("form ", n), func() bool {
			for _, m := range s.Messages() {
				if m.Markup != nil && len(m.Markup.Keyboard) > 0 && strings.Contains(m.Text, "claude asks") {
					id = m.ID
				}
			}
			return len(buttons()) > 0
		})
		for range 40 {
			all := slices.DeleteFunc(buttons(), func(b telegramtest.Button) bool { return ends(b.Text) })
			if len(all) == 0 || over(e) {
				break
			}
			query := s.PressData(dom, id, all[by.IntN(len(all))].Data)
			until(t, "reply", func() bool { return s.Pressed(query).Answered })
			there := s.Messages()
			if last := there[len(there)-1]; last.Markup != nil && last.Markup.ForceReply {
				s.Write(dom, place, last.ID, []string{"3", "12", "words", "*bold* @everyone"}[by.IntN(4)])
				until(t, "end of the entry", func() bool { return s.Waiting() == 0 })
			}
		}
		if !over(e) {
			must(t, e.Settle(chatless))
		}
		until(t, fmt.Sprint("end of form ", n), func() bool { return len(buttons()) == 0 })
	}
}

func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !is(); {
		if time.Now().After(end) {
			t.Fatalf("not seen: %s", what)
		}
		<-time.After(time.Millisecond)
	}
}

var chatless = form.Result{Outcome: form.Cancelled, By: form.ByPopup, At: time.Now()}
