package tests

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/askpane/askpane/integrations/chat/account"
	"github.com/askpane/askpane/settings/private"
	"github.com/askpane/askpane/tests/chat/discordtest"
)

// chatting is a person at a tmux, for whom a chat on Discord is set up.
type chatting struct {
	*person
	*tmuxServer
	d   *discordtest.Server
	dir string // of the chat
}

func newChatting(t testing.TB, when string) *chatting {
	t.Helper()
	s, d := newTmux(t), discordtest.Start(t)
	p := newPerson(t, s.spool, d.Env()...)
	p.file(".config/askpane/settings.json", `{"chatWhen": "`+when+`"}`)
	return &chatting{p, s, d, p.chats()}
}

// asks asks in tmux, and waits for the message, where one is to come.
func (c *chatting) asks(request string, args ...string) call {
	return c.askWith(c.person.env, "main", request, args...)
}

// posted is the message of the only question that waits.
func (c *chatting) posted(button string) discordtest.Message {
	c.d.Until("the desk's connection", c.d.Connected)
	return c.d.Await("the message with "+button, func(m discordtest.Message) bool { return m.Controls()[button] != "" })
}

// closed waits until a message is over, and says so.
func (c *chatting) closed(m discordtest.Message, says string) {
	c.d.Await("its end: "+says, func(now discordtest.Message) bool {
		return now.ID == m.ID && len(now.Controls()) == 0 && strings.Contains(now.Text(), says)
	})
}

// A question is in the popup and in the chat; who clicks answers it, and the popup says who.
func TestChatBesideThePopup(t *testing.T) {
	t.Parallel()
	c := newChatting(t, "always")
	v := c.attach("main", 100, 30)
	a := c.asks(cache)
	v.see("Which cache?")
	m := c.posted("Postgres")
	if said := c.d.Click(bob, m, "Postgres").String(); said != "notice: You may not answer here." {
		t.Errorf("who may not answer gets %q", said)
	}
	if said := c.d.Click(ada, m, "Postgres").String(); said != "taken" {
		t.Errorf("who may answer gets %q", said)
	}
	v.unsee("Which cache?")
	a.answered("User selected: Postgres")
	a.detailed(`{"answered":true,"selected":"Postgres","index":1}`)
	c.closed(m, "Postgres")
	if said := c.d.Press(ada, m.ID, m.Controls()["Redis"]).String(); !strings.Contains(said, "nswered in Discord by ada") {
		t.Errorf("a click after the end gets %q", said)
	}
	if !strings.Contains(a.read("out"), `"via":{"name":"ada","id":"71"}`) {
		t.Errorf("the envelope does not say who: %s", a.read("out"))
	}

	a = c.asks(cache) // and now in the popup
	v.see("Which cache?")
	c.d.Until("the second message", func() bool { return len(c.d.Messages()) == 2 })
	m = c.d.Messages()[1]
	v.press(enter)
	a.answered("User selected: Redis")
	c.closed(m, "nswered in tmux")
}

// Over MCP, where no form can open: the question waits in the chat, and says so where it
// cannot be answered there.
func TestChatAlone(t *testing.T) {
	t.Parallel()
	c := newChatting(t, "away")
	m := newMCP(t, c.person.env, "", nil)
	defer m.leave()
	call := m.begin("question", trip)
	for _, label := range []string{"Hills", "October", "With the dog"} {
		c.d.Take(ada, c.posted(label), label)
	}
	c.d.Take(ada, c.posted("Submit"), "Submit")
	call.says("answered", "Where: user selected: 2. Hills\nWhen: user selected: 2. October\nWho: user selected: 2. With the dog")
	if len(c.d.Messages()) != 1 {
		t.Errorf("%d messages for one question", len(c.d.Messages()))
	}

	secret := c.runs("", "ask", "--secret", "Which token?")
	c.d.Await("word of the secret", func(m discordtest.Message) bool {
		return m.Controls()["Submit"] == "" && len(c.d.Messages()) == 2 && m.ID == c.d.Messages()[1].ID
	})
	if said := c.d.Messages()[1]; len(said.Controls()) != 0 {
		t.Errorf("a secret can be answered there: %v", said.Controls())
	}
	secret.finds("the chat only says that it waits; answer it here by askpane next")
	c.said("answer", "--cancel", c.tmuxServer.spool.only(t))
	secret.ends(false)
}

// Where nobody is attached, or not any more, it is posted at once; else when it has waited for as long as is set,
// also where no form opens by itself.
func TestChatAway(t *testing.T) {
	t.Parallel()
	c := newChatting(t, "away")
	a := c.asks(cache)
	m := c.posted("Redis")
	c.d.Take(ada, m, "Redis")
	a.answered("User selected: Redis")
	c.closed(m, "Redis")
	v := c.attach("main", 100, 30)
	a = c.asks(cache)
	v.see("Which cache?")
	if n := len(c.d.Messages()); n != 1 {
		t.Errorf("%d messages while the form is up", n)
	}
	c.tmux("detach-client", "-t", v.tty)
	m = c.posted("Redis")
	c.d.Take(ada, m, "Redis")
	a.answered("User selected: Redis")
	c.closed(m, "Redis")
	const after = 3 * time.Second
	c.said("settings", "set", "chatAfterSeconds", "3")
	c.said("settings", "set", "openMode", "manual")
	c.attach("main", 100, 30)
	began := time.Now()
	a = c.asks(cache)
	c.d.Until("the third message", func() bool { return len(c.d.Messages()) == 3 })
	if waited := time.Since(began); waited < after {
		t.Errorf("it is posted after %v though somebody is there", waited)
	}
	c.d.Take(ada, c.posted("Redis"), "Redis")
	a.answered("User selected: Redis")
}

// No project has its questions posted that the person does not want there, and a project
// may keep its own out.
func TestChatOfAProject(t *testing.T) {
	t.Parallel()
	c := newChatting(t, "always")
	v := c.attach("main", 100, 30)
	c.person.env = append(c.person.env, "ASKPANE_CHAT_WHEN=never")
	a := c.asks(strings.ReplaceAll(cache, "Which cache?", "Which of them?"))
	v.see("Which of them?")
	c.person.env = c.person.env[:len(c.person.env)-1]
	b := c.asks(cache)
	c.posted("Redis")
	if all := c.d.Messages(); len(all) != 1 || !strings.Contains(all[0].Text(), "Which cache?") {
		t.Errorf("%d messages: %s", len(all), all[0].Text())
	}
	v.press(enter)
	a.answered("User selected: Redis")
	v.see("Which cache?")
	v.press(enter)
	b.answered("User selected: Redis")
}

// The desk follows askpane chat off, and what is set up anew, while a question waits.
func TestChatOffAndOn(t *testing.T) {
	t.Parallel()
	c := newChatting(t, "always")
	a := c.asks(cache)
	m := c.posted("Redis")
	set, err := account.Load(c.dir)
	if err != nil {
		t.Fatal(err)
	}
	c.said("chat", "off")
	c.closed(m, "askpane does not ask here any more.")
	a.waits()
	if err := set.Save(c.dir); err != nil {
		t.Fatal(err)
	}
	m = c.posted("Redis")
	c.d.Take(ada, m, "Redis")
	a.answered("User selected: Redis")
	c.closed(m, "Redis")
}

// Who sets the chat up anew, and gives up, has it as it was; else what was posted by the
// bot before is closed.
func TestChatSetupAnew(t *testing.T) {
	t.Parallel()
	c := newChatting(t, "always")
	a := c.asks(cache)
	m := c.posted("Redis")
	anew := func() *running { return c.runs(discordtest.Token+"\n", "chat", "setup", "discord") }
	r := anew()
	r.finds("type this code there: ")
	_ = r.cmd.Process.Signal(syscall.SIGINT)
	r.ends(false)
	r.finds("given up; the chat is as it was")
	c.d.Until("the desk's connection", c.d.Connected)
	if now := c.posted("Redis"); now.ID != m.ID {
		t.Errorf("who gave up finds another message: %s", now.Content)
	}
	r = anew() // and it counts though the test question is deleted meanwhile
	code := r.finds(`type this code there: ([A-Z0-9]{6})\n`)
	test := c.d.Await("the test question", func(m discordtest.Message) bool { return m.Controls()["That is me"] != "" })
	click := c.d.Click(bob, test, "That is me").Wait()
	c.d.Delete(test.ID)
	click.Submit(code).Wait()
	r.ends(true)
	r.finds("the test question cannot be closed: the message was deleted")
	c.closed(m, "askpane does not ask here any more.")
	m = c.posted("Redis")
	c.d.Take(ada, m, "Redis")
	a.answered("User selected: Redis")
}

// A token that was revoked is said by doctor, and is in nobody's way.
func TestChatTokenRevoked(t *testing.T) {
	t.Parallel()
	c := newChatting(t, "always")
	v := c.attach("main", 100, 30)
	a := c.asks(cache)
	c.posted("Redis")
	c.d.Tolerate("401")
	c.d.Revoke()
	eventually(t, "the desk knows", func() bool {
		return strings.Contains(c.said("chat"), "desk: not connected since") && strings.Contains(c.said("chat"), "discord: #questions of Workshop: the token is not valid")
	})
	v.see("Which cache?")
	v.press(enter)
	a.answered("User selected: Redis")
	unasked := func(why string) {
		t.Helper()
		r := c.runs(cache, "ask")
		r.ends(false)
		if out := r.out.String(); !strings.Contains(out, `"unavailable"`) {
			t.Errorf("%s, and who asks where no form can open gets %s", why, out)
		}
	}
	unasked("the token is refused")
	set, err := account.Load(c.dir)
	if err == nil {
		err = set.Save(c.dir) // as setup does it
	}
	if err != nil {
		t.Fatal(err)
	}
	if out := c.said("chat", "revoke", ada.ID); !strings.Contains(out, "That was the last") {
		t.Error(out)
	}
	unasked("nobody may answer there")
}

// A token that was refused by mistake counts again as soon as somebody has seen that it is
// accepted: for the desk that is up, and for who asks where no form can open.
func TestChatTokenAcceptedAgain(t *testing.T) {
	t.Parallel()
	c := newChatting(t, "always")
	v := c.attach("main", 100, 30)
	a := c.asks(cache)
	c.posted("Redis")
	c.d.Close(4004)
	eventually(t, "the desk knows", func() bool {
		s, err := private.Read[account.Status](c.dir, account.StatusFile)
		return err == nil && s.Refused
	})
	if said := c.said("chat"); !strings.Contains(said, "token accepted, may write") || strings.Contains(said, "not connected") {
		t.Errorf("it says\n%s", said)
	}
	c.d.Until("the desk's connection", c.d.Connected)
	alone := c.runs(strings.ReplaceAll(cache, "Redis", "Valkey"), "ask")
	c.d.Take(ada, c.posted("Valkey"), "Valkey")
	alone.ends(true)
	v.press(enter)
	a.answered("User selected: Redis")
}
