package telegram

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/integrations/desk/chat"
	"github.com/askpane/askpane/settings"
	"github.com/askpane/askpane/tests/chat/telegramtest"
	"github.com/askpane/askpane/tests/hostiletexts"
)

// desk is the surface, on a spool, with a Telegram.
type desk struct {
	*world
	spool *spool.Spool
	dir   string
	stop  func()
}

func newDesk(t *testing.T) *desk {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	d := &desk{world: start(t, group), dir: t.TempDir()}
	sp, err := spool.Open(filepath.Join(d.dir, "spool"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { sp.Close() })
	d.spool = sp
	d.serve()
	return d
}

func (d *desk) serve() {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	c := d.another()
	go func() {
		done <- chat.Serve(ctx, chat.Config{Spool: d.spool, Channel: c, Dir: d.dir,
			May: func(user string) bool { return user == strconv.FormatInt(ann.ID, 10) },
			Rules: func(spool.Origin, settings.Settings) chat.Rules {
				return chat.Rules{When: settings.ChatAlways, Sensitive: true}
			},
			Most: func() int { return 5 }, State: func(error) {}, Log: func(err error) { d.states <- err }})
	}()
	stopped := false
	d.stop = func() {
		if !stopped {
			stopped = true
			cancel()
			<-done
		}
	}
	d.Cleanup(d.stop)
}

func (d *desk) ask(request string, deadline time.Duration) *spool.Entry {
	d.Helper()
	_, f, err := dialect.Decode("", []byte(request))
	if err != nil {
		d.Fatal(err)
	}
	r := spool.Request{Form: f, Raw: json.RawMessage(request), Origin: spool.Origin{Agent: "pi", Cwd: "/srv/shop", Host: "tmux", Pane: "main:1.0", Start: time.Now()}}
	if deadline > 0 {
		end := time.Now().Add(deadline)
		r.Deadline = &end
	}
	e, err := d.spool.Create(r)
	if err != nil {
		d.Fatal(err)
	}
	d.Cleanup(func() { e.Close() })
	return e
}

// shows waits until a message has all of that in its text and its buttons, and is it.
func (d *desk) shows(all ...string) (seen telegramtest.Message) {
	d.Helper()
	d.until(strings.Join(all, ", "), func() bool {
		for _, m := range d.Messages() {
			words := m.Text
			if m.Markup != nil {
				for _, row := range m.Markup.Keyboard {
					for _, b := range row {
						words += "\n[" + b.Text + "]"
					}
				}
			}
			has := true
			for _, want := range all {
				has = has && strings.Contains(words, want)
			}
			if has {
				seen = m
				return true
			}
		}
		return false
	})
	return seen
}

func (d *desk) presses(who telegramtest.User, m telegramtest.Message, label string) telegramtest.Press {
	d.Helper()
	query := d.press(who, m.ID, label)
	d.until("an answer to "+label, func() bool { return d.Pressed(query).Answered })
	return d.Pressed(query)
}

// prompt is what asks to type.
func (d *desk) prompt() (seen telegramtest.Message) {
	d.Helper()
	d.until("a prompt", func() bool {
		all := d.Messages()
		seen = all[len(all)-1]
		return seen.Markup != nil && seen.Markup.ForceReply
	})
	return seen
}

// answered is what the agent gets, and who gave it.
func (d *desk) answered(e *spool.Entry, want string) {
	d.Helper()
	var r form.Result
	d.until("the answer", func() bool { a, ok, _ := e.Answer(); r = a; return ok })
	req, err := e.Request()
	if err != nil {
		d.Fatal(err)
	}
	how, _, err := dialect.Decode(req.Form.Dialect, req.Raw)
	if err != nil {
		d.Fatal(err)
	}
	if got := string(how.EncodeIn(dialect.Context{}, &req.Form, r).Details); got != want || r.By != form.ByTelegram || r.Via == nil || *r.Via != (form.Via{ID: "7", Name: "Ann Lee"}) {
		d.Errorf("%s by %s %+v, want %s", got, r.By, r.Via, want)
	}
}

const cache = `{"prompt":"Which approach for the cache layer?","options":[{"label":"Redis","emoji":"⚡","description":"Fast, in-memory"},
	{"label":"Postgres","emoji":"🐘","description":"Already running"},{"label":"Skip caching","emoji":"⏭️"}]}`

// TestQuestion answers the reference's question, past somebody who may not.
func TestQuestion(t *testing.T) {
	d := newDesk(t)
	e := d.ask(cache, time.Hour)
	m := d.shows("Which approach for the cache layer?\n\n⚡ Redis: Fast, in-memory\n\n🐘 Postgres: Already running\n\n", "[⚡ Redis]", "[🐘 Postgres]", "[⏭️ Skip caching]", "pi asks")
	if p := d.presses(bob, m, "Redis"); p.Notice != "You may not answer here." {
		t.Errorf("Bob is told %q", p.Notice)
	}
	d.stop()
	query := d.press(ann, m.ID, "Postgres") // while no desk runs
	d.press(ann, m.ID, "Postgres")
	d.serve()
	d.answered(e, `{"answered":true,"selected":"Postgres","index":1}`)
	d.until("the press's end", func() bool { return d.Pressed(query).Answered })
	if m = d.shows("✓ Postgres", "nswered in Telegram by “Ann Lee”"); m.Markup != nil || len(d.Messages()) != 1 {
		t.Errorf("%+v", m)
	}
	if p := d.PressData(ann, m.ID, e.ID+".1.pick.1"); true {
		d.until("a notice", func() bool { return strings.Contains(d.Pressed(p).Notice, "nswered in Telegram") })
	}
}

// TestSeveral turns choices, and types one, with a desk that starts again meanwhile.
func TestSeveral(t *testing.T) {
	d := newDesk(t)
	e := d.ask(`{"prompt":"Which?","options":[{"label":"Redis"},{"label":"Postgres","description":"slow"},{"label":"File"}],"multi":true,"allowOther":true}`, 0)
	m := d.shows("Postgres: slow", "[☐ Redis]", "[☐ Postgres]", "[☐ File]", "[Other…]")
	d.presses(ann, m, "Redis")
	m = d.shows("[☑ Redis]")
	d.presses(ann, m, "File")
	m = d.shows("[☑ Redis]", "[☑ File]")
	d.presses(ann, m, "Redis")
	m = d.shows("[☐ Redis]", "[☑ File]")
	d.presses(ann, m, "Other…")
	prompt := d.prompt()
	d.stop()
	d.Write(ann, group, prompt.ID, "a tape")
	d.serve()
	m = d.shows("✎ a tape", "[☑ File]")
	d.presses(ann, m, "Done")
	d.answered(e, `{"answered":true,"selected":["File","a tape"],"index":[2,-1]}`)
}

// TestSecret has a secret typed, also where it comes too late.
func TestSecret(t *testing.T) {
	d := newDesk(t)
	d.Admin = true
	for _, late := range []bool{false, true} {
		e := d.ask(`{"questions":[{"header":"Key","question":"The key?","type":"free_text","secret":true}]}`, 0)
		d.presses(ann, d.shows("The key?"), "Answer")
		prompt := d.prompt()
		if late {
			if err := e.Settle(form.Result{Outcome: form.Timeout}); err != nil {
				t.Fatal(err)
			}
			d.shows("Expired")
		}
		d.Write(ann, group, prompt.ID, "hunter2")
		d.until("what was typed is gone", func() bool {
			for _, m := range d.Messages() {
				if strings.Contains(m.Text, "hunter2") {
					return false
				}
			}
			return d.Waiting() == 0
		})
		if !late {
			d.answered(e, `{"questions":[{"id":"q1","header":"Key","question":"The key?","type":"free_text","multiline":false,"secret":true}],"answers":{"0":"hunter2"},"lifecycle":"answered","url":null,"port":null,"debounceMs":0}`)
			d.shows("nswered in Telegram")
		}
	}
}

// TestExpired is a question that nobody answers, and whose end comes while Telegram
// cannot be reached.
func TestExpired(t *testing.T) {
	d := newDesk(t)
	e := d.ask(cache, time.Hour)
	ref := slashed(group.ID, d.shows("[⚡ Redis]").ID)
	d.until("the desk knows the message", func() bool {
		kept, _ := os.ReadFile(filepath.Join(d.dir, "posted-telegram.json"))
		return strings.Contains(string(kept), ref)
	})
	d.net.Down(true)
	if err := e.Settle(form.Result{Outcome: form.Timeout}); err != nil {
		t.Fatal(err)
	}
	if err := receive(t, "the trouble", d.states); !strings.Contains(err.Error(), "cannot reach Telegram") {
		t.Error(err)
	}
	d.net.Down(false)
	if m := d.shows("Expired"); m.Markup != nil {
		t.Errorf("%+v", m)
	}
}

// TestHostile asks in texts that do harm where they are more than texts.
func TestHostile(t *testing.T) {
	d := newDesk(t)
	for _, h := range append(hostiletexts.Texts("trap"), hostiletexts.Text{Name: "links", Text: "see https://example.com @everyone #x /start"}) {
		text, _ := json.Marshal(h.Text + "!")
		label, _ := json.Marshal("1" + h.Text)
		e := d.ask(`{"prompt":`+string(text)+`,"options":[{"label":`+string(label)+`,"description":`+string(text)+`},{"label":"safe"}]}`, 0)
		m := d.shows("[safe]")
		for _, part := range m.Entities {
			switch part.Type {
			case "bold", "italic", "code", "pre":
			default:
				t.Errorf("%s: %+v is live in %q", h.Name, part, m.Text)
			}
		}
		d.presses(ann, m, "safe")
		d.answered(e, `{"answered":true,"selected":"safe","index":1}`)
		d.shows("✓ safe")
		d.Delete(m.ID)
	}
	select {
	case err := <-d.states:
		if !errors.Is(err, chat.ErrGone) {
			t.Error(err)
		}
	default:
	}
}
