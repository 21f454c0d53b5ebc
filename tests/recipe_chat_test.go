package tests

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/askpane/askpane/popup/chat"
)

// An irc is a chat in the directory that is its token: each message is a file, and what
// people do comes by the named pipe in.
var chatRecipe = recipe{
	files: map[string]string{"integrations/chat/irc/irc.go": `// Package irc is a chat in a directory.
package irc

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/askpane/askpane/popup/chat"
)

var Steps = []string{"Make a directory."}

type Channel struct{ dir string }

func Open(token, _ string) (*Channel, error) { return &Channel{token}, nil }

func (*Channel) Name() string { return "irc" }

func (*Channel) Limits() chat.Limits {
	return chat.Limits{Text: 4000, Length: func(b chat.Block) int { return len(b.Text) }, Label: 80, Choice: 100, Choices: 25, Value: 4000, Controls: 30}
}

func (*Channel) Check(context.Context) error           { return nil }
func (*Channel) Greet(context.Context) (string, error) { return "The bot is askpane.", nil }

func (*Channel) Find(context.Context, func(string)) ([]chat.Place, error) {
	return []chat.Place{{ID: "1", Words: "#questions"}}, nil
}

func (c *Channel) Post(ctx context.Context, m chat.Message) (ref string, err error) {
	f, err := os.CreateTemp(c.dir, "message-")
	if err != nil {
		return "", err
	}
	f.Close()
	return filepath.Base(f.Name()), c.Edit(ctx, filepath.Base(f.Name()), m)
}

func (c *Channel) Edit(_ context.Context, ref string, m chat.Message) error { return c.write(ref, m) }

func (c *Channel) Listen(ctx context.Context, handle func(chat.Event), state func(error)) error {
	in, err := os.OpenFile(filepath.Join(c.dir, "in"), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { in.Close() })()
	state(nil)
	for events := json.NewDecoder(in); ; {
		var e chat.Event
		if err := events.Decode(&e); err != nil {
			return nil // it is closed
		}
		e.Reply = func(r chat.Reply) error { return c.write("reply-"+rand.Text(), r) }
		handle(e)
	}
}

func (c *Channel) write(name string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(c.dir, name), text, 0o600)
}
`},
	lines: []addition{
		{"integrations/chat/account/account.go", "\t\"github.com/askpane/askpane/integrations/chat/discord\"\n", "\t\"github.com/askpane/askpane/integrations/chat/irc\"\n"},
		{"integrations/chat/account/account.go", "var Services = []Service{\n", "\t{\"irc\", irc.Steps, func(token, place string) (Channel, error) { return irc.Open(token, place) }},\n"},
	},
}

// channel is the directory of an irc.
type channel struct {
	testing.TB
	dir string
}

// posted waits for the message with that button, and returns the button's id.
func (c channel) posted(label string) (ref, id string) {
	c.Helper()
	c.until("the message with "+label, func(name string, m chat.Message) bool {
		for _, b := range m.Blocks {
			for _, button := range b.Buttons {
				if button.Label == label {
					ref, id = name, button.ID
					return true
				}
			}
		}
		return false
	})
	return ref, id
}

// says waits for a message with that text.
func (c channel) says(words string) {
	c.Helper()
	c.until("word of "+words, func(_ string, m chat.Message) bool { return strings.Contains(fmt.Sprint(m.Blocks), words) })
}

func (c channel) until(what string, is func(ref string, m chat.Message) bool) {
	c.Helper()
	eventually(c, what, func() bool {
		files, _ := filepath.Glob(filepath.Join(c.dir, "message-*"))
		for _, path := range files {
			var m chat.Message
			text, err := os.ReadFile(path)
			if err == nil && json.Unmarshal(text, &m) == nil && is(filepath.Base(path), m) { // it may just be written
				return true
			}
		}
		return false
	})
}

// does has Ada press a button, or type into its entry.
func (c channel) does(ref, id, typed string) {
	c.Helper()
	event, err := json.Marshal(map[string]any{"Ref": ref, "ID": id, "Text": typed, "User": chat.User{ID: "7", Name: "Ada"}})
	if err == nil {
		var in *os.File
		if in, err = os.OpenFile(filepath.Join(c.dir, "in"), os.O_RDWR, 0); err == nil {
			_, err = in.Write(event)
			in.Close()
		}
	}
	if err != nil {
		c.Fatal(err)
	}
}

// A chat service is set up by its name, its message answers a question, and whoever reads
// of that learns who it was.
func TestChatServiceByTheRecipe(t *testing.T) {
	t.Parallel()
	program := byTheRecipes(t)
	p := newPerson(t, newSpool(t), "ASKPANE_CHAT_WHEN=always")
	c := channel{t, t.TempDir()}
	if err := syscall.Mkfifo(filepath.Join(c.dir, "in"), 0o600); err != nil {
		t.Fatal(err)
	}
	contains(t, "chat", p.saidBy(program, "chat"), "askpane chat setup irc, or discord, or telegram,")
	contains(t, "help", p.saidBy(program, "chat", "setup", "--help"), "irc or discord or telegram")
	setup := p.starts(program, c.dir+"\n", "chat", "setup", "irc")
	code := setup.finds(`type this code there: ([A-Z0-9]{6})\n`)
	ref, id := c.posted("That is me")
	c.does(ref, id, "")
	c.does(ref, id+".code", code)
	setup.ends(true)
	setup.finds(`You are Ada \(7\), and may answer questions in #questions\.`)
	contains(t, "chat", p.saidBy(program, "chat"), "irc: #questions: token accepted, may write", "Ada (7) may answer")

	call := p.starts(program, cache, "ask")
	ref, id = c.posted("Postgres")
	c.does(ref, id, "")
	call.ends(true)
	call.finds(`User selected: Postgres.*"via":\{"name":"Ada","id":"7"\}`)
	asked := call.finds(`"id":"([0-9A-Z]{26})"`)
	c.says("Postgres")
	c.does(ref, id, "")
	replies, slow := "", 0
	if !poll(func() bool {
		replies = ""
		files, _ := filepath.Glob(filepath.Join(c.dir, "reply-*")) // in no order
		for _, path := range files {
			reply, _ := os.ReadFile(path)
			replies += string(reply) + "\n"
		}
		if n := strings.Count(replies, "do it again"); n > slow { // the disk takes more than two seconds
			slow = n
			c.does(ref, id, "")
		}
		return strings.Contains(replies, "nswered in Irc by Ada")
	}) {
		t.Errorf("a press after the end is told none but\n%s", replies)
	}
	contains(t, "history", p.saidBy(program, "show", asked), "nswered in Irc by Ada")
}
