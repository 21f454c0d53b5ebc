package telegram

import (
	"strconv"
	"strings"
	"testing"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/tests/chat/desktest"
	"github.com/askpane/askpane/tests/chat/telegramtest"
)

// desk is the surface, on a spool, with a Telegram where Ann alone may answer.
type desk struct {
	*world
	surface *desktest.Desk
}

func newDesk(t *testing.T) *desk {
	d := &desk{start(t, group), desktest.New(t)}
	d.surface.May = func(user string) bool { return user == strconv.FormatInt(ann.ID, 10) }
	d.surface.Log = func(err error) { d.states <- err }
	d.serve()
	return d
}

func (d *desk) serve() { d.surface.Serve(d.another()) }

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
	r, told := d.surface.Answered(e)
	if told != want || r.By != "telegram" || r.Via == nil || *r.Via != (form.Via{ID: "7", Name: "Ann Lee"}) {
		d.Errorf("%s by %s %+v, want %s", told, r.By, r.Via, want)
	}
}

const cache = `{"prompt":"Which approach for the cache layer?","options":[{"label":"Redis","emoji":"⚡","description":"Fast, in-memory"},
	{"label":"Postgres","emoji":"🐘","description":"Already running"},{"label":"Skip caching","emoji":"⏭️"}]}`

// TestQuestion answers the reference's question, past somebody who may not.
func TestQuestion(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	e := d.surface.Ask(cache)
	m := d.shows("Which approach for the cache layer?\n\n⚡ Redis: Fast, in-memory\n\n🐘 Postgres: Already running\n\n", "[⚡ Redis]", "[🐘 Postgres]", "[⏭️ Skip caching]", "claude asks")
	if p := d.presses(bob, m, "Redis"); p.Notice != "You may not answer here." {
		t.Errorf("Bob is told %q", p.Notice)
	}
	d.surface.Stop()
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

// TestSecret has a secret typed, also where it comes too late.
func TestSecret(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.Admin = true
	for _, late := range []bool{false, true} {
		e := d.surface.Ask(`{"questions":[{"header":"Key","question":"The key?","type":"free_text","secret":true}]}`)
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
