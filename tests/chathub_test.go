package tests

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askpane/askpane/integrations/chat/account"
	"github.com/askpane/askpane/popup/chat"
	"github.com/askpane/askpane/tests/chat/discordtest"
	"github.com/askpane/askpane/tests/needs"
)

// chats has a chat on the fake Discord set up for them, in which Ada may answer.
func (p *person) chats() (dir string) {
	p.Helper()
	dir = filepath.Join(p.home, ".local/state/askpane/chat")
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		err = account.Account{Service: "discord", Token: discordtest.Token, Channel: discordtest.ChannelID, Place: "#questions of Workshop",
			Users: []chat.User{{ID: ada.ID, Name: ada.Name}}}.Save(dir)
	}
	if err != nil {
		p.Fatal(err)
	}
	return dir
}

// Two machines of a hub have the token of one chat. Where nobody sits posts nothing while
// there is a link, and closes what it has posted without one, as soon as the service takes
// that.
func TestChatOfTwoMachines(t *testing.T) {
	t.Parallel()
	needs.Long(t, "two machines of a hub with one chat")
	d := discordtest.Start(t)
	laptop := newPerson(t, newSpool(t), append(d.Env(), "PATH="+t.TempDir())...)
	build1 := newHub(laptop)
	build1.env = append(build1.env, d.Env()...)
	laptop.chats()
	build1.chats()
	joined := filepath.Join(build1.home, ".local/state/askpane/link/link.json")
	if err := os.Rename(joined, joined+".away"); err != nil {
		t.Fatal(err)
	}
	m := newMCP(t, build1.env, build1.home, nil)
	defer m.leave()
	call := m.begin("question", colour)
	live := func(m discordtest.Message) bool { return m.Controls()["Green"] != "" }
	before := d.Await("its own message", live)
	d.Permit(0)
	if err := os.Rename(joined+".away", joined); err != nil {
		t.Fatal(err)
	}
	says := func(p *person, what string) {
		t.Helper()
		eventually(t, what, func() bool { return strings.Contains(p.said("chat"), "\ndesk: "+what) })
	}
	says(build1, "leaves the chat to another of your machines, with what it has posted still to be closed, since ")
	d.Permit(1<<10 | 1<<11)
	d.Await("the end of its own message", func(m discordtest.Message) bool {
		return m.ID == before.ID && strings.Contains(m.Text(), "askpane does not ask here any more.")
	})
	says(build1, "leaves the chat to another of your machines since ")
	now := d.Await("the laptop's message", live)
	says(laptop, "connected since ")
	d.Take(ada, now, "Green")
	call.says("answered", "Colour: user selected: 2. Green")
	if all := d.Messages(); len(all) != 2 {
		t.Errorf("%d messages: %s", len(all), all[len(all)-1].Content)
	}
}

// A second machine gets the chat by the same token, while the desk of the first speaks with
// the bot: it leaves the test question alone.
func TestChatSetupBesideAnotherMachine(t *testing.T) {
	t.Parallel()
	c := newChatting(t, "always")
	a := c.asks(cache)
	m := c.posted("Redis")
	for _, who := range []discordtest.User{ada, bob} { // the first may answer on that machine, the second not
		newPerson(t, newSpool(t), c.d.Env()...).runs(discordtest.Token+"\n", "chat", "setup", "discord").meets(c.d, who)
	}
	c.d.Take(ada, m, "Redis")
	a.answered("User selected: Redis")
	c.closed(m, "Redis")
}
