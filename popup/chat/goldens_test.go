package chat_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/popup/chat"
	"github.com/askpane/askpane/tests/chat/desktest"
	"github.com/askpane/askpane/tests/chat/discordtest"
	"github.com/askpane/askpane/tests/chat/telegramtest"
	"github.com/askpane/askpane/tests/must"
)

var update = flag.Bool("update", false, "write the golden files anew")

// stage is a service on which one question is shown.
type stage struct {
	channel chat.Channel
	message func() (sent any, sizes map[string]string) // that of the question
	press   func(label string)
}

func onDiscord(t *testing.T) stage {
	s, c := discordFor(t)
	return stage{c, func() (any, map[string]string) {
		if len(s.Messages()) == 0 {
			return nil, nil
		}
		m := s.Messages()[0]
		var sent struct{ Components any }
		must.Do(t, json.Unmarshal(m.Content, &sent))
		return sent.Components, m.Sizes()
	}, func(label string) {
		s.Until("connection", s.Connected)
		s.Click(discordtest.User{ID: "7", Name: "dom"}, s.Messages()[0], label).Wait()
	}}
}

func onTelegram(t *testing.T) stage {
	s, c := telegramFor(t)
	return stage{c, func() (any, map[string]string) {
		if len(s.Messages()) == 0 {
			return nil, nil
		}
		m := s.Messages()[0]
		return map[string]any{"text": m.Text, "entities": m.Entities, "reply_markup": m.Markup}, m.Sizes()
	}, func(label string) {
		_, err := s.Press(telegramtest.User{ID: 7, FirstName: "Dom"}, s.Messages()[0].ID, label)
		must.Do(t, err)
	}}
}

// example is the one of the reference (docs/contracts.md, buttons).
const example = `{"prompt":"Which approach for the cache layer?","options":[{"label":"Redis","emoji":"⚡","description":"Fast, in-memory, needs separate service"},
	{"label":"Postgres","emoji":"🐘","description":"Already running, slower but simpler"},{"label":"Skip caching","emoji":"⏭️"}]}`

// noon is not of today, so that its words have its day.
var noon = time.Date(2020, 1, 2, 12, 3, 0, 0, time.Local)

// goldens are questions of each dialect, after some presses, and at their ends.
var goldens = []struct {
	name, request string
	presses       []string
	ends          *form.Result
}{
	{name: "buttons", request: example},
	{name: "buttons-answered", request: example, ends: &form.Result{Outcome: form.Answered, Answers: []form.Answer{form.Choose(1)}, By: form.ByPopup, At: noon}},
	{name: "buttons-expired", request: example, ends: &form.Result{Outcome: form.Timeout, By: form.ByBridge, At: noon}},
	{name: "buttons-declining", request: example, presses: []string{"No, because…"}},
	{name: "buttons-select", request: strings.Replace(example, `{"prompt"`, `{"style":"select","prompt"`, 1)},
	{name: "buttons-several", request: strings.Replace(example, `{"prompt"`, `{"multi":true,"allowOther":true,"prompt"`, 1), presses: []string{"Postgres"}},
	{name: "AskUserQuestion-typed", request: `{"questions":[{"header":"Regions","question":"In which regions?","type":"select_one","options":[{"label":"eu","description":"14 ms"},{"label":"us"}]},
		{"header":"TTL","question":"How long?","type":"number","min":5,"max":120}]}`, presses: []string{"eu"}},
	{name: "ask_user", request: `{"title":"Cache","intro":"Two decisions.","questions":[{"type":"choice","id":"s","header":"Store","prompt":"Where?",
		"options":[{"value":"m","label":"Memory"},{"value":"r","label":"Redis"}],"recommendation":"r"},{"type":"text","id":"w","header":"Why","prompt":"Why?"}]}`},
	{name: "ask_user-review", request: `{"title":"Cache","questions":[{"type":"choice","id":"s","header":"Store","prompt":"Where?",
		"options":[{"value":"m","label":"Memory"},{"value":"r","label":"Redis"}]},{"type":"text","id":"w","header":"Why","prompt":"Why?"}]}`, presses: []string{"Redis", "Next"}},
	{name: "ask_user-expired", request: `{"title":"Cache","questions":[{"type":"choice","id":"s","header":"Store","prompt":"Where?",
		"options":[{"value":"m","label":"Memory"},{"value":"r","label":"Redis"}]}]}`, presses: []string{"Redis"}, ends: &form.Result{Outcome: form.Timeout, By: form.ByBridge, At: noon}},
	{name: "ask_user_question", request: `{"questions":[{"id":"db","type":"radio","prompt":"Which?","label":"Database","options":[{"value":"pg","label":"PostgreSQL"},{"value":"re","label":"Redis"}]},
		{"id":"n","type":"text","prompt":"Else?","label":"Notes","required":false}]}`},
	{name: "AskUserQuestion", request: `{"questions":[{"question":"Which store?","header":"Store","options":[{"label":"PostgreSQL","description":"is there","preview":"create table"},{"label":"Redis"}],"multiSelect":false}]}`},
	{name: "question", request: `{"questions":[{"id":"c","label":"Colour","prompt":"Which colour?","options":[{"value":"r","label":"Red"},{"value":"g","label":"Green"}]}]}`},
}

// TestGoldens holds what each service is sent, and how much of its limits that takes: a form of
// each kind, over HTTP. desktest.Walk goes through all others without.
func TestGoldens(t *testing.T) {
	t.Parallel()
	for service, open := range map[string]func(*testing.T) stage{"discord": onDiscord, "telegram": onTelegram} {
		for _, g := range goldens {
			t.Run(service+"/"+g.name, func(t *testing.T) {
				t.Parallel()
				on := open(t)
				shown := ""
				changes := func(do func()) {
					t.Helper()
					before := shown
					do()
					desktest.Until(t, "another message than "+before, func() bool {
						sent, sizes := on.message()
						for what, size := range sizes {
							var is, most int
							if n, _ := fmt.Sscanf(size, "%d of %d", &is, &most); n != 2 || is > most {
								t.Fatalf("%s: %s", what, size)
							}
						}
						var all bytes.Buffer
						golden := json.NewEncoder(&all)
						golden.SetEscapeHTML(false)
						golden.SetIndent("", " ")
						must.Do(t, golden.Encode(map[string]any{"limits": sizes, "message": sent}))
						shown = all.String()
						return sent != nil && shown != before
					})
				}
				d := serve(t, on.channel)
				var e *spool.Entry
				changes(func() { e = d.Ask(g.request) })
				for _, label := range g.presses {
					changes(func() { on.press(label) })
				}
				if g.ends != nil {
					changes(func() { must.Do(t, e.Settle(*g.ends)) })
				}
				got := strings.ReplaceAll(shown, e.ID, "01JB0000000000000000000000")
				file := filepath.Join("testdata", service, g.name+".json")
				if *update {
					must.Do(t, os.MkdirAll(filepath.Dir(file), 0o755))
					must.Do(t, os.WriteFile(file, []byte(got), 0o644))
				}
				if want, err := os.ReadFile(file); err != nil || got != string(want) {
					t.Errorf("%s is now\n%s", file, got)
				}
			})
		}
	}
}
