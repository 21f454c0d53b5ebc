package desktest

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/popup/chat"
	"github.com/askpane/askpane/tests/hostiletexts"
)

// kinds are a form of each, at the ends of what their dialects take.
func kinds() []string {
	long := strings.Repeat("a long text that goes on; ", 40)
	options := func(n int, format string) string {
		var all []string
		for i := range n {
			all = append(all, strings.ReplaceAll(format, "N", strconv.Itoa(i)))
		}
		return strings.Join(all, ",")
	}
	return []string{
		`{"prompt":"` + long + `","style":"buttons","allowOther":true,"options":[` + options(5, `{"label":"N`+long[:90]+`","emoji":"⚡","description":"`+long+`"}`) + `]}`,
		`{"prompt":"Which?","multi":true,"allowOther":true,"options":[` + options(5, `{"label":"N"}`) + `]}`,
		`{"questions":[{"id":"q","prompt":"Which?","options":[` + options(24, `{"value":"N","label":"Choice N","description":"`+long[:200]+`"}`) + `]}]}`,
		`{"questions":[{"id":"q","prompt":"Which?","options":[` + options(300, `{"value":"N","label":"Choice N","description":"`+long+`"}`) + `]}]}`,
		`{"questions":[{"id":"q","prompt":"Any?","options":[]}]}`,
		`{"questions":[{"header":"Regions","question":"` + long + `","type":"select_many","options":[` + options(7, `{"label":"N `+long[:180]+`","description":"`+long+`","preview":{"type":"text","content":"`+long+`"}}`) + `]},
			{"header":"TTL","question":"How long?","type":"number","min":5,"max":120},{"header":"Name","question":"What is it called?","type":"free_text","default":"` + strings.Repeat(long, 5) + `"},
			{"header":"Old","question":"Drop it?","type":"confirm_enum"}]}`,
		`{"questions":[{"id":"db","type":"checkbox","prompt":"Which?","options":[` + options(12, `{"value":"N","label":"No. N"}`) + `],"required":false},{"id":"n","type":"text","prompt":"Else?","required":false}]}`,
		`{"title":"Cache","intro":"` + long + `","questions":[` + options(9, `{"type":"choice","id":"N","header":"Store","prompt":"Where?","options":[{"value":"m","label":"Memory"},{"value":"r","label":"Redis"}],"recommendation":"r"}`) + `,{"type":"text","id":"w","header":"Why","prompt":"Why?"}]}`,
		`{"questions":[{"question":"Which?","header":"Store","options":[{"label":"A","preview":"a\nb"},{"label":"B"}],"multiSelect":true}]}`,
	}
}

// hostile are forms of two questions that consist of a text which does harm where it is more
// than that, or takes more than others of as many characters.
func hostile() (all []string) {
	texts := []string{strings.Repeat("漢字", 2000), strings.Repeat("*_", 2000), strings.Repeat("👩‍👩‍👧", 800), strings.Repeat("a\n", 2000), "see https://example.com @everyone #x /start"}
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

// walker is a chat with the limits of a service, and nobody else behind it.
type walker struct {
	chat.Channel
	t     *testing.T
	shows func(chat.Message)

	mu      sync.Mutex
	changed chan struct{} // closed at each change
	listens func(chat.Event)
	posted  int
	message chat.Message // the newest
	edits   int          // and posts
}

func (w *walker) Listen(ctx context.Context, do func(chat.Event), state func(error)) error {
	w.change(func() { w.listens = do })
	state(nil)
	<-ctx.Done()
	return nil
}

func (w *walker) Post(_ context.Context, m chat.Message) (ref string, err error) {
	w.change(func() {
		w.posted++
		ref = w.ref()
	})
	return ref, w.Edit(context.Background(), ref, m)
}

func (w *walker) Edit(_ context.Context, _ string, m chat.Message) error {
	for _, b := range m.Blocks {
		if strings.ContainsFunc(b.Text, func(r rune) bool { return r < ' ' && r != '\n' || r >= 0x7f && r < 0xa0 || r == 0x202e || r == 0x200b }) {
			w.t.Errorf("a sign that nobody sees is in %q", b.Text)
		}
	}
	w.shows(m)
	w.change(func() { w.message, w.edits = m, w.edits+1 })
	return nil
}

func (w *walker) ref() string { return fmt.Sprint("m", w.posted) }

func (w *walker) change(do func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	do()
	close(w.changed)
	w.changed = make(chan struct{})
}

// until waits until something is so.
func (w *walker) until(what string, so func() bool) {
	w.t.Helper()
	for limit := time.After(Patient); ; {
		w.mu.Lock()
		ok, changed := so(), w.changed
		w.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-changed:
		case <-limit:
			w.t.Fatalf("no %s, but %+v", what, w.message)
		}
	}
}

// does is an event, and what follows for who did it.
func (w *walker) does(e chat.Event) chat.Reply {
	w.t.Helper()
	told := make(chan chat.Reply, 1)
	e.Ref, e.User = w.ref(), chat.User{ID: "7", Name: "Dom"}
	e.Reply = func(r chat.Reply) error { told <- r; return nil }
	w.listens(e)
	select {
	case r := <-told:
		return r
	case <-time.After(Patient):
		w.t.Fatalf("%+v was not answered", e)
		return chat.Reply{}
	}
}

// ways are what can be pressed in the newest message, but for what would soon end the way
// through a form. With them comes which message that is.
func (w *walker) ways() (all []chat.Event, edits int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, b := range w.message.Blocks {
		for _, button := range b.Buttons {
			if !slices.Contains([]string{"Cancel", "Explain more first", "Rephrase the question", "None of these fits", "Another reason…"}, button.Label) {
				all = append(all, chat.Event{ID: button.ID})
			}
		}
		if b.Select == nil {
			continue
		}
		for _, c := range b.Select.Choices {
			all = append(all, chat.Event{ID: b.Select.ID, Values: []string{c.Value}, Toggled: b.Select.Many})
		}
	}
	return all, w.edits
}

// Walk goes through forms by chance, in a chat that has the limits of c and asks no service.
// What it shows and replies is the caller's to look at.
func Walk(t *testing.T, c chat.Channel, shows func(chat.Message), replies func(chat.Reply)) {
	t.Helper()
	w := &walker{Channel: c, t: t, shows: shows, changed: make(chan struct{})}
	d := New(t)
	d.Serve(w)
	w.until("listener", func() bool { return w.listens != nil })
	by := rand.New(rand.NewPCG(1, 2))
	every := kinds()
	for n, request := range append(every, hostile()...) {
		steps := 40
		if n >= len(every) {
			steps = 10
		}
		e := d.Ask(request)
		over := func() bool { _, over, _ := e.Answer(); return over }
		w.until(fmt.Sprint("form ", n), func() bool { return w.posted == n+1 && w.edits > 0 && strings.HasPrefix(w.message.Key, e.ID[10:]) })
		for range steps {
			ways, edits := w.ways()
			if len(ways) == 0 || over() {
				break
			}
			r := w.does(ways[by.IntN(len(ways))])
			if replies(r); r.Entry != nil {
				r = w.does(chat.Event{ID: r.Entry.ID, Text: []string{"3", "12", "words", "*bold* @everyone"}[by.IntN(4)]})
				replies(r)
			}
			if strings.Contains(r.Notice, "does not show any more") { // it was quicker than the message
				w.until("newer message", func() bool { return w.edits > edits })
			}
		}
		if !over() {
			if err := e.Settle(form.Result{Outcome: form.Cancelled, By: form.ByPopup, At: time.Now()}); err != nil {
				t.Fatal(err)
			}
		}
		w.until(fmt.Sprint("end of form ", n), func() bool { return w.message.State != chat.Waiting })
	}
}
