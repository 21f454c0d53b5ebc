package telegram

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/popup/chat"
	"github.com/askpane/askpane/tests/chat/telegramtest"
)

// TestNotForUs has people write what answers nothing, and strangers write at all.
func TestNotForUs(t *testing.T) {
	t.Parallel()
	w := start(t, group)
	w.Admin = true // and hears all
	question := w.post(examples["buttons"])
	elsewhere := telegramtest.Chat{ID: 99, Type: "private"}
	// This imitates what we ask to type by.
	w.Write(bob, group, 0, "Other…", telegramtest.Entity{Type: "text_link", Length: 6, URL: "https://t.me/askpane_bot?askpane=1.x"})
	forged := w.Messages()[1].ID
	w.Write(ann, group, forged, "to a forged one")
	w.Write(bob, elsewhere, 0, "hello?")
	w.Write(ann, group, 0, "just talking")
	w.Write(telegramtest.User{ID: 9, IsBot: true, FirstName: "other"}, group, question, "beep")
	w.Write(ann, group, question, "Redis, I think")
	w.Write(bob, group, question, "") // by voice
	w.Update("message", map[string]any{"message_id": 200, "from": bob, "chat": group, "date": 1, "text": "x", "forward_origin": map[string]any{"type": "newer than the library"}})
	w.PressData(ann, question, "last")
	w.listen(w.Channel)
	if e := receive(t, "the press", w.events); e.ID != "last" {
		t.Errorf("%+v is an event", e)
	}
	var said []string
	for _, m := range w.Messages() {
		if m.From.IsBot && m.ReplyTo != nil && m.From.ID == w.Bot.ID {
			said = append(said, m.ReplyTo.Text)
		}
	}
	if len(said) != 0 {
		t.Errorf("the bot replied to %q, which anybody in a group can write", said)
	}

	w = start(t, alone)
	w.listen(w.Channel)
	w.Write(bob, elsewhere, 0, "hello?")
	w.Write(ann, alone, 0, "yes")
	w.until("a reply", func() bool { return len(w.Messages()) == 3 })
	if m := w.Messages()[2]; m.ReplyTo == nil || m.ReplyTo.Text != "yes" {
		t.Errorf("%+v", m)
	}
}

// TestStrangerTypes where somebody else was asked to: the bot says no more than so often in a
// group, and has to say other things.
func TestStrangerTypes(t *testing.T) {
	t.Parallel()
	w := start(t, group)
	question := w.post(examples["several"])
	w.listen(w.Channel)
	w.press(ann, question, "Other…")
	e := receive(t, "the press", w.events)
	if err := e.Reply(chat.Reply{Entry: &chat.Entry{ID: e.ID, Title: "Other"}}); err != nil {
		t.Fatal(err)
	}
	prompt := w.Messages()[1].ID
	w.Write(bob, group, prompt, "mine")
	typed, before := receive(t, "what a stranger typed", w.events), len(w.Messages())
	if err := typed.Reply(chat.Reply{Notice: "You may not answer here."}); err != nil || len(w.Messages()) != before {
		t.Errorf("the bot replied: %v, %+v", err, w.Messages()[before:])
	}
	w.Write(ann, group, prompt, "ours")
	if typed = receive(t, "what was typed", w.events); typed.Text != "ours" {
		t.Errorf("%+v", typed)
	}
}

// TestReplyInTime has Telegram want to be left alone when somebody is to be told something.
func TestReplyInTime(t *testing.T) {
	t.Parallel()
	w := start(t, group)
	w.Channel.Patience = 100 * time.Millisecond
	question := w.post(examples["several"])
	w.listen(w.Channel)
	w.press(ann, question, "Submit")
	w.Refuse("answerCallbackQuery", 429, "Too Many Requests: retry after 30", 30)
	begun := time.Now()
	err := receive(t, "the press", w.events).Reply(chat.Reply{Notice: "no"})
	if took := time.Since(begun); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "telegram wants to be left alone for 30 s") || took > 20*time.Second {
		t.Errorf("%v, after %s", err, took)
	}
}

// TestDown has somebody press while nobody listens, while something is dealt with when
// its process ends, and while Telegram cannot be reached.
func TestDown(t *testing.T) {
	t.Parallel()
	w := start(t, alone)
	question := w.post(examples["several"])
	w.press(ann, question, "Submit")

	ctx, kill := context.WithCancel(context.Background())
	err := w.another().Listen(ctx, func(e chat.Event) { kill() }, func(error) {})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Listen: %v", err)
	}

	stop := w.listen(w.Channel)
	if e := receive(t, "what was pressed when the process ended", w.events); e.ID != entry+".2.done.0" {
		t.Errorf("%+v", e)
	}
	if err := receive(t, "the state", w.states); err != nil {
		t.Errorf("connected, and the state is %v", err)
	}
	w.until("the press forgotten", func() bool { return w.Waiting() == 0 })
	stop()

	stop = w.listen(w.another())
	receive(t, "the state", w.states)
	w.press(ann, question, "Submit")
	receive(t, "a press", w.events)
	w.until("the press forgotten", func() bool { return w.Waiting() == 0 })
	asked := len(w.Calls())
	w.Quiet(5)
	w.until("updates asked for again", func() bool { return len(w.Calls()) > asked })
	w.press(ann, question, "Submit")
	receive(t, "a press after a quiet week", w.events)
	w.net.Down(true)
	if err := receive(t, "the state", w.states); err == nil || strings.Contains(err.Error(), secret[3:]) {
		t.Errorf("cut off, and the state is %v", err)
	}
	w.press(ann, question, "Tests")
	w.net.Down(false)
	if e := receive(t, "what was pressed meanwhile", w.events); e.ID != entry+".2.pick.0" {
		t.Errorf("%+v is dealt with twice, or is wrong", e)
	}
	if err := receive(t, "the state", w.states); err != nil {
		t.Errorf("connected again, and the state is %v", err)
	}
	stop()
}

// TestTwoListen is a token that another program uses too.
func TestTwoListen(t *testing.T) {
	t.Parallel()
	w := start(t, alone)
	w.listen(w.Channel)
	if err := receive(t, "the state", w.states); err != nil {
		t.Fatal(err)
	}
	stop := w.listen(w.another())
	for told := 0; told < 2; {
		if err := receive(t, "a state that tells of it", w.states); errors.Is(err, errOther) {
			told++
		}
	}
	before := len(w.Calls())
	w.until("both trying on", func() bool { return len(w.Calls()) > before+4 })
	if len(w.states) > 0 {
		t.Errorf("both still try, and the state is %v", <-w.states)
	}
	w.press(ann, w.post(examples["several"]), "Submit")
	receive(t, "the press, to either", w.events)
	stop()
	for receive(t, "that it goes on alone", w.states) != nil {
	}
}

// TestWebhook is a bot whose presses go to some server.
func TestWebhook(t *testing.T) {
	t.Parallel()
	w := start(t, alone)
	w.Webhook(true)
	w.listen(w.Channel)
	if err := receive(t, "the state", w.states); !errors.Is(err, errOther) || !strings.Contains(err.Error(), "delete the webhook") {
		t.Error(err)
	}
	w.press(ann, w.post(examples["several"]), "Submit")
	w.Webhook(false)
	receive(t, "the press", w.events)
}

// TestMoved has a group become a supergroup, whose messages have the numbers that those
// from before had.
func TestMoved(t *testing.T) {
	t.Parallel()
	old := telegramtest.Chat{ID: -77, Type: "group", Title: "Builds"}
	w := start(t, old)
	before, err := w.Post(context.Background(), examples["several"])
	if err != nil {
		t.Fatal(err)
	}
	w.Upgrade(group)
	stop := w.listen(w.Channel)
	question := w.post(examples["several"])
	if ref := slashed(old.ID, question); ref != before {
		t.Fatalf("%s and %s are not of one number", before, ref)
	}
	if err := w.Edit(context.Background(), before, examples["over"]); err != nil {
		t.Fatal(err)
	}
	if m := w.Messages(); len(m) != 2 || m[0].Markup != nil || m[1].Markup == nil || m[1].Chat != group {
		t.Errorf("%+v", m)
	}
	w.Delete(question) // so that what is pressed has the number in the old group, too
	stop()

	w.Channel = w.opened("-77") // as it is set up
	w.listen(w.Channel)
	question = w.post(examples["several"])
	w.press(ann, question, "Other")
	e := receive(t, "the press", w.events)
	if e.Ref != slashed(group.ID, question) {
		t.Errorf("%+v", e)
	}
	if err := e.Reply(chat.Reply{Entry: &chat.Entry{ID: e.ID}}); err != nil {
		t.Fatal(err)
	}
	prompt := w.Messages()[len(w.Messages())-1]
	w.Write(ann, group, prompt.ID, "main")
	if typed := receive(t, "what was typed", w.events); typed.Ref != e.Ref || typed.Text != "main" {
		t.Errorf("%+v", typed)
	}
	if err := w.opened("-77").Check(context.Background()); err != nil {
		t.Errorf("Check: %v", err)
	}
}

// TestTopic is a chat that is one topic of a forum.
func TestTopic(t *testing.T) {
	t.Parallel()
	w := start(t, group)
	w.Topics = []int{45}
	c := w.opened("")
	places, err := c.Find(context.Background(), func(said string) {
		_, code, _ := strings.Cut(said, "?startgroup=")
		w.WriteIn(45, ann, group, 0, "/start@askpane_bot "+strings.TrimSpace(code))
	})
	if err != nil || len(places) != 1 || places[0] != (chat.Place{ID: "-100500/45", Words: "a topic of Builds"}) {
		t.Fatalf("%+v, %v", places, err)
	}
	w.Channel = w.opened(places[0].ID)
	w.listen(w.Channel)
	w.press(ann, w.post(examples["several"]), "Other")
	e := receive(t, "the press", w.events)
	if err := e.Reply(chat.Reply{Entry: &chat.Entry{ID: e.ID}}); err != nil {
		t.Fatal(err)
	}
	for _, m := range w.Messages()[1:] {
		if m.Topic != 45 {
			t.Errorf("%+v is in no topic", m)
		}
	}
	w.Topics = nil // deleted
	if _, err := w.Post(context.Background(), examples["several"]); !errors.Is(err, chat.ErrNoPlace) {
		t.Errorf("Post: %v, want ErrNoPlace", err)
	}
	if err := w.Check(context.Background()); !errors.Is(err, chat.ErrNoPlace) {
		t.Errorf("Check: %v, want ErrNoPlace", err)
	}
}

// TestRemoved has somebody remove the bot from its group.
func TestRemoved(t *testing.T) {
	t.Parallel()
	w := start(t, group)
	ref := slashed(group.ID, w.post(examples["several"]))
	w.Kick(true)
	_, post := w.Post(context.Background(), examples["several"])
	check := w.Check(context.Background())
	for _, err := range []error{post, check, w.Edit(context.Background(), ref, examples["over"])} {
		if !errors.Is(err, chat.ErrNoPlace) || !strings.Contains(err.Error(), "kicked") {
			t.Errorf("%v, want ErrNoPlace", err)
		}
	}
	w.Kick(false)
	if err := w.Edit(context.Background(), ref, examples["over"]); err != nil {
		t.Error(err)
	}
}

// TestTyped is what becomes of a text that is a secret, and of what is no text.
func TestTyped(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		where  telegramtest.Chat
		admin  bool
		notice string
		want   string // what is said to who typed
	}{
		"alone":            {alone, false, "", ""},
		"alone, too short": {alone, false, "Too short.", "Too short."},
		"an administrator": {group, true, "", ""},
		"a group":          {group, false, "", "Delete what you have typed: the bot may not."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := start(t, test.where)
			w.Admin = test.admin
			w.listen(w.Channel)
			w.press(ann, w.post(examples["several"]), "Other")
			if err := receive(t, "the press", w.events).Reply(chat.Reply{Entry: &chat.Entry{ID: "x", Secret: true}}); err != nil {
				t.Fatal(err)
			}
			prompt := w.Messages()[1]
			if test.where == group {
				w.Write(bob, test.where, prompt.ID, "") // who is not asked
			}
			w.Write(ann, test.where, prompt.ID, "")
			said := func() (to []telegramtest.User) {
				for _, m := range w.Messages() {
					if strings.HasSuffix(m.Text, "with text.") {
						to = append(to, m.ReplyTo.From)
					}
				}
				return to
			}
			w.until("that it is no text", func() bool { return len(said()) > 0 })
			if to := said(); !slices.Equal(to, []telegramtest.User{ann}) {
				t.Errorf("said to %+v", to)
			}
			w.Write(ann, test.where, prompt.ID, "hunter2")
			e := receive(t, "what was typed", w.events)
			if !e.Secret || e.Text != "hunter2" {
				t.Errorf("%+v", e)
			}
			if err := e.Reply(chat.Reply{Notice: test.notice}); err != nil {
				t.Fatal(err)
			}
			all := w.Messages()
			if last := all[len(all)-1]; test.want != "" && last.Text != test.want {
				t.Errorf("%q, want %q", last.Text, test.want)
			}
			for _, m := range all {
				if m.Text == "hunter2" && (test.where == alone || test.admin) {
					t.Error("the secret is still there")
				}
				if m.ID == prompt.ID && test.notice == "" && (test.where == alone || test.admin) {
					t.Error("what asked for the text is still there")
				}
			}
		})
	}
}
