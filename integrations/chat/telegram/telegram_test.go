package telegram

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/popup/chat"
	"github.com/askpane/askpane/tests/chat/chattest"
	"github.com/askpane/askpane/tests/chat/desktest"
	"github.com/askpane/askpane/tests/chat/telegramtest"
)

func TestMain(m *testing.M) {
	if os.Getenv("TELEGRAM_WHO") != "" {
		c, err := Open(secret, "", nil)
		if err == nil {
			_, err = c.Greet(context.Background())
		}
		fmt.Println(err)
		return
	}
	desktest.Main(m)
}

// TestProxy is a program that reaches Telegram by its environment alone.
func TestProxy(t *testing.T) {
	t.Parallel()
	w := start(t, alone)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	who := exec.Command(self)
	who.Env = append(os.Environ(), append(w.net.Env(), "TELEGRAM_WHO=1")...)
	out, err := who.CombinedOutput()
	if err != nil || string(out) != "<nil>\n" || len(w.Calls()) != 1 {
		t.Errorf("%s, %v, after %q", out, err, w.Calls())
	}
}

const secret = "42:AAFtesttesttesttesttesttesttesttest"

var (
	ann   = telegramtest.User{ID: 7, FirstName: "Ann", LastName: "Lee"}
	bob   = telegramtest.User{ID: 8, FirstName: "Bob"}
	alone = telegramtest.Chat{ID: 7, Type: "private"}
	group = telegramtest.Chat{ID: -100500, Type: "supergroup", Title: "Builds"}
)

// world is a Telegram, and a channel in it.
type world struct {
	*testing.T
	*telegramtest.Server
	*Channel
	net    *chattest.Net
	client *http.Client
	events chan chat.Event
	states chan error
}

func start(t *testing.T, where telegramtest.Chat) *world {
	w := &world{T: t, Server: telegramtest.New(secret, where), events: make(chan chat.Event, 10), states: make(chan error, 100)}
	w.net = chattest.Start(t, map[string]http.Handler{telegramtest.Host: w.Server})
	w.client = w.net.Client()
	t.Cleanup(w.client.CloseIdleConnections)
	w.Channel = w.another()
	return w
}

func (w *world) another() *Channel { return w.opened(strconv.FormatInt(w.Server.Chat.ID, 10)) }

func (w *world) opened(place string) *Channel {
	w.Helper()
	c, err := Open(secret, place, w.client)
	if err != nil {
		w.Fatal(err)
	}
	c.Patience = desktest.Patient // this machine may be busy
	return c
}

// listen has events and states come into the world's channels, until stop.
func (w *world) listen(c *Channel) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.Listen(ctx, func(e chat.Event) { w.events <- e }, func(err error) { w.states <- err })
	}()
	stop = func() { cancel(); <-done }
	w.Cleanup(stop)
	return stop
}

func receive[T any](t *testing.T, what string, from <-chan T) (got T) {
	t.Helper()
	select {
	case got = <-from:
	case <-time.After(desktest.Patient):
		t.Fatalf("%s did not come", what)
	}
	return got
}

func (w *world) until(what string, is func() bool) {
	w.Helper()
	for end := time.Now().Add(desktest.Patient); !is(); {
		if time.Now().After(end) {
			w.Fatalf("not seen: %s\nin %+v", what, w.Messages())
		}
		<-time.After(time.Millisecond)
	}
}

func (w *world) post(m chat.Message) int {
	w.Helper()
	ref, err := w.Post(context.Background(), m)
	if err != nil {
		w.Fatal(err)
	}
	_, id, _ := numbers(ref)
	return id
}

// find is a message as people see it.
func (w *world) find(id int) telegramtest.Message {
	w.Helper()
	for _, m := range w.Messages() {
		if m.ID == id {
			return m
		}
	}
	w.Fatalf("message %d is not there", id)
	return telegramtest.Message{}
}

func (w *world) press(who telegramtest.User, id int, label string) string {
	w.Helper()
	query, err := w.Press(who, id, label)
	if err != nil {
		w.Fatal(err)
	}
	return query
}

func TestPress(t *testing.T) {
	t.Parallel()
	w := start(t, group)
	w.listen(w.Channel)
	several, one := w.post(examples["several"]), w.post(examples["one of many"])
	for _, step := range []struct {
		who     telegramtest.User
		message int
		label   string
		id      string
		values  string
		toggled bool
		notice  string
	}{
		{ann, several, "Submit", entry + ".2.done.0", "", false, ""},
		{bob, several, "Tests", entry + ".2.pick.0", "1", true, ""},
		{ann, one, "next", entry + ".3.pick.0", "1", false, "answered in tmux, 12:03"},
		{bob, one, "main", entry + ".3.pick.0", "0", false, strings.Repeat("long 😀 ", 60)},
	} {
		query := w.press(step.who, step.message, step.label)
		e := receive(t, "the event", w.events)
		if e.Ref != slashed(group.ID, step.message) || e.ID != step.id || strings.Join(e.Values, ",") != step.values || e.Toggled != step.toggled {
			t.Errorf("%s: %+v", step.label, e)
		}
		if want := asUser(step.who); e.User != want {
			t.Errorf("%s: by %+v, want %+v", step.label, e.User, want)
		}
		if w.Pressed(query).Answered {
			t.Errorf("%s: answered before its reply", step.label)
		}
		if err := e.Reply(chat.Reply{Notice: step.notice}); err != nil {
			t.Fatal(err)
		}
		if got := w.Pressed(query); !got.Answered || got.Notice != cut(step.notice, 200) || got.Alert != (step.notice != "") {
			t.Errorf("%s: %+v", step.label, got)
		}
	}
	old := w.press(ann, one, "next")
	e := receive(t, "the event", w.events)
	w.Forget(old)
	if err := e.Reply(chat.Reply{Notice: "answered"}); err != nil {
		t.Errorf("the notice for what was pressed long ago: %v", err)
	}
	w.Delete(one) // or it is too old: Telegram says no more of it than its number
	w.PressData(ann, one, "x")
	if e := receive(t, "the press", w.events); e.Ref != slashed(group.ID, one) {
		t.Errorf("%+v", e)
	}
}

func asUser(u telegramtest.User) chat.User {
	return chat.User{ID: strconv.FormatInt(u.ID, 10), Name: strings.TrimSpace(u.FirstName + " " + u.LastName)}
}

// TestEdit ends messages: without buttons, and twice; and one that was deleted.
func TestEdit(t *testing.T) {
	t.Parallel()
	w := start(t, alone)
	id := w.post(examples["several"])
	if w.find(id).Preview {
		t.Error("a link in it is shown as a picture of its page")
	}
	ref := slashed(alone.ID, id)
	for range 2 {
		if err := w.Edit(context.Background(), ref, examples["over"]); err != nil {
			t.Fatal(err)
		}
	}
	if m := w.find(id); m.Markup != nil || m.Text != "Which branch?\nExpired" || m.Edits != 1 || m.Preview {
		t.Errorf("%+v", m)
	}
	w.Delete(id)
	for _, ref := range []string{ref, "none of ours"} {
		if err := w.Edit(context.Background(), ref, examples["over"]); !errors.Is(err, chat.ErrGone) {
			t.Errorf("%s: %v, want ErrGone", ref, err)
		}
	}
}

// TestEntry has somebody type, with the channel started anew while they do.
func TestEntry(t *testing.T) {
	t.Parallel()
	for _, where := range []telegramtest.Chat{alone, group} {
		t.Run(where.Type, func(t *testing.T) {
			t.Parallel()
			w := start(t, where)
			stop := w.listen(w.Channel)
			question := w.post(examples["several"])
			query := w.press(ann, question, "Other…")
			e := receive(t, "the press", w.events)
			calls := len(w.Calls())
			if err := e.Reply(chat.Reply{Entry: &chat.Entry{ID: e.ID, Title: "Other @x", Label: "See example.com", Value: "as /before", Hint: strings.Repeat("hint ", 20)}}); err != nil {
				t.Fatal(err)
			}
			if !w.Pressed(query).Answered {
				t.Error("the press was not answered")
			}
			if said := slices.DeleteFunc(w.Calls()[calls:], func(method string) bool { return method == "getUpdates" }); !slices.Equal(said, []string{"sendMessage", "answerCallbackQuery"}) {
				t.Errorf("%q: who pressed waits until there is something to reply to", said)
			}
			prompt := w.Messages()[1]
			if prompt.Markup == nil || !prompt.Markup.ForceReply || prompt.ReplyTo == nil || prompt.ReplyTo.ID != question || !strings.HasSuffix(prompt.Text, "Other @x\nSee example.com\nas /before") {
				t.Fatalf("%+v", prompt)
			}
			if mention := prompt.Entities[0]; (where == group) != (mention.Type == "text_mention" && mention.User.ID == ann.ID && prompt.Markup.Selective) {
				t.Errorf("in a %s: %+v", where.Type, prompt)
			}
			for _, e := range prompt.Entities {
				if strings.Contains("url mention bot_command", e.Type) {
					t.Errorf("%+v is live", e)
				}
			}

			w.until("the press forgotten", func() bool { return w.Waiting() == 0 })
			stop()
			w.Write(telegramtest.User{ID: 1087968824, IsBot: true, FirstName: "Group"}, where, prompt.ID, "by an anonymous administrator")
			w.Write(ann, where, prompt.ID, "not this")
			w.listen(w.another())
			typed := receive(t, "what was typed", w.events)
			if typed.Ref != e.Ref || typed.ID != e.ID || typed.Text != "not this" || typed.User != e.User {
				t.Errorf("%+v", typed)
			}
			if err := typed.Reply(chat.Reply{Notice: "You may not answer here: see https://example.com"}); err != nil {
				t.Fatal(err)
			}
			said := w.Messages()[4]
			if said.Text != "You may not answer here: see https://example.com" || said.ReplyTo.Text != "not this" || said.Entities[0].Type != "code" {
				t.Errorf("%+v", said)
			}
			w.Write(ann, where, prompt.ID, "too short")
			typed = receive(t, "what was typed again", w.events)
			if err := typed.Reply(chat.Reply{Notice: "Must be longer.", Entry: &chat.Entry{ID: typed.ID, Title: "Other @x", Label: "See"}}); err != nil {
				t.Fatal(err)
			}
			all := w.Messages()
			again := all[len(all)-1]
			if !again.Markup.ForceReply || !strings.HasSuffix(again.Text, "Other @x\nMust be longer.") || all[1].ID == prompt.ID {
				t.Errorf("%+v", all)
			}
			prompt = again
			w.Write(ann, where, prompt.ID, "this is long enough")
			typed = receive(t, "what was typed again", w.events)
			if err := typed.Reply(chat.Reply{}); err != nil || typed.Text != "this is long enough" {
				t.Errorf("%q, %v", typed.Text, err)
			}
			for _, m := range w.Messages() {
				if m.ID == prompt.ID {
					t.Error("what asked for the text is still there")
				}
			}
		})
	}
}

func TestRevoked(t *testing.T) {
	t.Parallel()
	w := start(t, alone)
	ended := make(chan error, 1)
	go func() {
		ended <- w.Listen(context.Background(), func(chat.Event) {}, func(err error) { w.states <- err })
	}()
	receive(t, "the state", w.states)
	w.Revoke()
	if err := receive(t, "the end", ended); !errors.Is(err, chat.ErrRefused) {
		t.Errorf("Listen: %v, want ErrRefused", err)
	}
	if _, err := w.Post(context.Background(), examples["over"]); !errors.Is(err, chat.ErrRefused) {
		t.Errorf("Post: %v, want ErrRefused", err)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	w := start(t, group)
	for _, test := range []struct {
		code int
		said string
		want error
	}{
		{400, "Bad Request: chat not found", chat.ErrNoPlace},
		{400, "Bad Request: not enough rights to send text messages to the chat", chat.ErrNoPlace},
		{400, "Bad Request: CHAT_WRITE_FORBIDDEN", chat.ErrNoPlace},
		{400, "Bad Request: have no write access to the chat", chat.ErrNoPlace},
		{403, "Forbidden: bot was kicked from the supergroup chat", chat.ErrNoPlace},
		{400, "Bad Request: message can't be edited", chat.ErrGone},
		{400, "Bad Request: BUTTON_DATA_INVALID", chat.ErrUnfit},
		{401, "Unauthorized", chat.ErrRefused},
		{404, "Not Found", chat.ErrRefused},
		{500, "Internal Server Error", nil},
	} {
		w.Refuse("sendMessage", test.code, test.said, 0)
		_, err := w.Post(context.Background(), examples["over"])
		if err == nil || !strings.Contains(err.Error(), test.said) || strings.Contains(err.Error(), secret[3:]) {
			t.Errorf("%s: %v", test.said, err)
		}
		for _, kind := range []error{chat.ErrNoPlace, chat.ErrGone, chat.ErrUnfit, chat.ErrRefused} {
			if errors.Is(err, kind) != (kind == test.want) {
				t.Errorf("%s: %v, want %v", test.said, err, test.want)
			}
		}
	}
	if _, err := w.Post(context.Background(), chat.Message{Blocks: []chat.Block{{Text: "?"}, {Buttons: []chat.Button{{Label: "long", ID: strings.Repeat("x", 65)}}}}}); !errors.Is(err, chat.ErrUnfit) {
		t.Errorf("an ID of 65 bytes: %v", err)
	}

	w.Refuse("sendMessage", 429, "Too Many Requests: retry after 1", 1)
	w.Refuse("getUpdates", 429, "Too Many Requests: retry after 1", 1)
	begun := time.Now()
	question := w.post(examples["several"])
	posted := time.Now()
	w.press(ann, question, "Submit")
	w.listen(w.Channel)
	receive(t, "the press", w.events)
	if posted.Sub(begun) < time.Second || time.Since(posted) < time.Second {
		t.Errorf("Telegram wants to be left alone for a second, and is asked again after %s and %s", posted.Sub(begun), time.Since(posted))
	}
	if err := receive(t, "the state", w.states); err != nil {
		t.Errorf("waiting is no trouble, and the state is %v", err)
	}
}
