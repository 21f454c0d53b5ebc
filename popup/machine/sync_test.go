package machine

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/askpane/askpane/bridge/form"
)

// desk is a draft on a disk and the surfaces that show its form.
type desk struct {
	*testing.T
	form    *form.Form
	disk    []byte
	surface map[string]*Machine
}

func newDesk(t *testing.T, f *form.Form, names ...string) *desk {
	d := &desk{T: t, form: f, surface: map[string]*Machine{}}
	for _, name := range names {
		d.open(name)
	}
	return d
}

func (d *desk) open(name string) *Machine {
	var saved *Draft
	if d.disk != nil {
		saved = new(d.read())
	}
	d.surface[name] = New(d.form, saved, false).As(name)
	return d.surface[name]
}

func (d *desk) read() (on Draft) {
	if d.disk != nil {
		if err := json.Unmarshal(d.disk, &on); err != nil {
			d.Fatal(err)
		}
	}
	return on
}

func (d *desk) write(mine Draft) Draft {
	merged := Merge(d.read(), mine)
	d.disk, _ = json.Marshal(merged)
	return merged
}

// save has a surface write, and all of them read.
func (d *desk) save(name string) {
	d.write(d.surface[name].Draft())
	for _, m := range d.surface {
		m.Meet(d.read())
	}
}

func syncForm() *form.Form {
	return &form.Form{Dialect: "question", Review: true, Partial: true, Remarks: form.Comments, Questions: []form.Question{
		{ID: "a", Kind: form.One, Other: "Else", Options: []form.Option{{Label: "x"}, {Label: "y"}}},
		{ID: "b", Kind: form.Many, Other: "Else", Options: []form.Option{{Label: "x"}, {Label: "y"}}},
		{ID: "c", Kind: form.Number},
		{ID: "d", Kind: form.Text, Open: true, Optional: true},
		{ID: "e", Kind: form.Text, Open: true, Secret: true},
	}}
}

// step is what one surface does: events, or a save.
type step struct {
	on     string
	events []Event
}

func does(on string, events ...Event) step { return step{on, events} }
func saves(on string) step                 { return step{on, nil} }
func types(text string) Event              { return Event{Action: Type, Text: text} }

func TestSync(t *testing.T) {
	t.Parallel()
	other, toText, toSecret := Event{Action: Pick, N: 3}, Event{Action: GoTo, N: 3}, Event{Action: GoTo, N: 4}
	leave, take, accept := Event{Action: Back}, Event{Action: TakeOffer}, Event{Action: Accept}
	note := func(text string) []Event { return []Event{{Action: NoteQuestion}, types(text), {Action: Leave}} }
	for _, c := range []struct {
		name  string
		steps []step
		check func(t *testing.T, popup, page *Machine)
	}{
		{"what is typed here is there", []step{does("popup", other, types("foo")), saves("popup")}, func(t *testing.T, popup, page *Machine) {
			is(t, "the page's entry", page.EntryText(0), "foo")
			is(t, "the page's mode", page.Mode(), List) // the view is its own
		}},
		{"it goes on there", []step{does("popup", other, types("foo"), leave), saves("popup"), does("page", other, types("foobar"), accept), saves("page")}, func(t *testing.T, popup, page *Machine) {
			is(t, "the popup's entry", popup.EntryText(0), "foobar")
			is(t, "the popup's answer", *popup.Answer(0).Text, "foobar")
			is(t, "the offer", popup.Offered()+page.Offered(), "")
		}},
		{"an open entry that nobody typed in follows", []step{does("popup", other), does("page", other, types("foo")), saves("page")}, func(t *testing.T, popup, page *Machine) {
			is(t, "the popup's entry", popup.Buffer(), "foo")
			is(t, "the offer", popup.Offered(), "")
		}},
		{"one that was typed in does not", []step{does("popup", other, types("foo")), saves("popup"), does("page", other, types("foobar")), saves("page")}, func(t *testing.T, popup, page *Machine) {
			is(t, "the popup's entry", popup.Buffer(), "foo")
			is(t, "the offer", popup.Offered(), "foobar")
			popup.Handle(leave)
			is(t, "the popup's entry when it is left", popup.EntryText(0), "foobar")
			is(t, "the offer when it is left", popup.Offered(), "")
		}},
		{"the offer is taken", []step{does("popup", other, types("foo")), saves("popup"), does("page", other, types("foobar")), saves("page"), does("popup", take), saves("popup")}, func(t *testing.T, popup, page *Machine) {
			is(t, "the popup's entry", popup.Buffer(), "foobar")
			is(t, "what was there", popup.Offered(), "foo")
			is(t, "the page's entry", page.Buffer(), "foobar")
		}},
		{"typing on makes ours the newer", []step{does("popup", other, types("foo")), saves("popup"), does("page", other, types("bar")), saves("page"), does("popup", types("fox")), saves("popup"), does("page", leave)}, func(t *testing.T, popup, page *Machine) {
			is(t, "the page's entry", page.EntryText(0), "fox")
			is(t, "the page's offer", page.Offered(), "bar")
			is(t, "the popup's offer", popup.Offered(), "bar")
			page.Handle(take)
			is(t, "the page's entry", page.EntryText(0), "bar")
			is(t, "the page's mode", page.Mode(), Entry)
			is(t, "the page's offer", page.Offered(), "fox")
		}},
		{"at the same time", []step{does("popup", other, types("foo"), leave), does("page", other, types("bar"), leave), saves("page"), saves("popup")}, func(t *testing.T, popup, page *Machine) {
			is(t, "both", popup.EntryText(0)+" "+page.EntryText(0), "foo foo")
			is(t, "the offers", popup.Offered()+" "+page.Offered(), "bar bar")
		}},
		{"what is accepted against an offer stays", []step{does("popup", other, types("foo")), saves("popup"), does("page", other, types("bar")), saves("page"), does("popup", accept), saves("popup")}, func(t *testing.T, popup, page *Machine) {
			is(t, "the answer", *popup.Answer(0).Text, "foo")
			page.Handle(leave)
			is(t, "the page's answer", *page.Answer(0).Text, "foo")
		}},
		{"another question", []step{does("popup", other, types("foo")), does("page", toText, types("bar")), saves("popup"), saves("page")}, func(t *testing.T, popup, page *Machine) {
			is(t, "the popup's entries", popup.EntryText(0)+popup.EntryText(3), "foobar")
			is(t, "the page's entries", page.EntryText(0)+page.EntryText(3), "foobar")
			is(t, "the steps", fmt.Sprint(popup.Step(), page.Step()), "0 3")
		}},
		{"remarks", []step{does("popup", note("foo")...), does("page", note("bar")...), saves("popup"), saves("page")}, func(t *testing.T, popup, page *Machine) {
			is(t, "the note", popup.Answer(0).Note, "bar\nfoo")
			is(t, "the page's", page.Answer(0).Note, "bar\nfoo")
		}},
		{"a choice and a text", []step{does("popup", Event{Action: Pick, N: 2}), does("page", other, types("bar"), leave), saves("page"), saves("popup"), does("page", leave)}, func(t *testing.T, popup, page *Machine) {
			is(t, "the page's choice", page.Answer(0).Choices[0], 1)
			page.Handle(other)
			is(t, "the page's offer", page.Offered(), "bar")
		}},
		{"a secret", []step{does("popup", toSecret, types("hunter2"), accept), saves("popup"), does("page", toSecret, types("swordfish")), saves("page")}, func(t *testing.T, popup, page *Machine) {
			is(t, "the popup's", popup.EntryText(4), "hunter2")
			is(t, "the page's", page.Buffer()+page.Offered(), "swordfish")
		}},
		{"a remark that is being typed is kept for who types it", []step{does("popup", note("foo")[:2]...), saves("popup"), does("page", toText), saves("page")}, func(t *testing.T, popup, page *Machine) {
			is(t, "the page's mode", page.Mode(), Text)
			is(t, "the popup's mode", popup.Mode(), Note)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk(t, syncForm(), "popup", "page")
			for _, s := range c.steps {
				if s.events == nil {
					d.save(s.on)
				}
				for _, e := range s.events {
					d.surface[s.on].Handle(e)
				}
			}
			c.check(t, d.surface["popup"], d.surface["page"])
			if strings.Contains(string(d.disk), "hunter2") || strings.Contains(string(d.disk), "swordfish") {
				t.Errorf("a secret is on the disk: %s", d.disk)
			}
			if popup := d.open("popup"); c.name == "a remark that is being typed is kept for who types it" {
				is(t, "the remark", popup.Buffer(), "foo")
			}
		})
	}
}

func is[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// walker is one surface on a random walk.
type walker struct {
	*Machine
	name    string
	pending *Draft   // to be written
	typed   []string // not written yet, the last in pending or later
	covered int      // how many of typed pending has
	inbox   []Draft  // read, and not met yet
}

// Three surfaces, whatever they do, write and read in whatever order, and whoever is
// killed: what was written and nobody has replaced knowingly is there in the end, and
// all have the same.
func TestSyncWalks(t *testing.T) {
	t.Parallel()
	for seed := range uint64(400) {
		walk(t, rand.New(rand.NewPCG(seed, 17)), seed)
		if t.Failed() {
			return
		}
	}
}

func walk(t *testing.T, random *rand.Rand, seed uint64) {
	data := make([]byte, 200)
	for i := range data {
		data[i] = byte(random.Uint32())
	}
	f := (&bytes{data}).form()
	for i := range f.Questions {
		q := &f.Questions[i]
		q.Secret = q.Kind == form.Text && !q.Dangerous && q.Initial.Text == nil && random.IntN(3) == 0
	}
	d := newDesk(t, f)
	all := []*walker{{name: "popup"}, {name: "page 1"}, {name: "page 2"}}
	mayGo, secrets, tokens := map[string]bool{}, []string{}, []string{}
	gone := func(texts ...string) {
		for _, token := range tokens {
			mayGo[token] = mayGo[token] || strings.Contains(strings.Join(texts, " "), token)
		}
	}
	start := func(w *walker) {
		w.Machine, w.pending, w.inbox = d.open(w.name), nil, nil
		gone(w.typed...)
		w.typed, w.covered = nil, 0
	}
	write := func(w *walker) {
		if w.pending != nil {
			w.inbox = append(w.inbox, d.write(*w.pending))
			w.typed, w.covered, w.pending = w.typed[w.covered:], 0, nil
		}
	}
	save := func(w *walker) { w.pending, w.covered = new(w.Draft()), len(w.typed) }
	act := func(w *walker) {
		e := Event{Action: Action(random.IntN(int(TakeOffer) + 1)), N: random.IntN(8), Text: fmt.Sprintf("t%d;", len(tokens))}
		if random.IntN(2) == 0 && w.Typing() {
			e.Action = Type
		}
		before, offer := w.s.clone(), w.offer
		if e.Action == Type {
			tokens = append(tokens, e.Text)
			switch {
			case w.TypingSecret():
				secrets = append(secrets, e.Text)
				fallthrough
			case !w.Typing() || w.Mode() == Filter || w.Mode() == Reason || w.Mode() == Note:
				mayGo[e.Text] = true // until it is kept
			default:
				w.typed = append(w.typed, e.Text)
			}
		}
		w.Handle(e)
		for i := range f.Questions {
			if !w.s.same(&before, part(2*i)) { // knowing what else there was
				if w.s.Entries[i] != before.Entries[i] {
					gone(before.Entries[i])
				}
				for _, beside := range before.Beside[i] {
					gone(beside)
				}
				if offer != nil {
					gone(at(offer.Entries, i))
				}
			}
			if a, b := w.s.Answers[i], before.Answers[i]; a.Note != b.Note {
				gone(b.Note)
				delete(mayGo, a.Note)
				w.typed = append(w.typed, a.Note)
			}
		}
		if w.s.Comment != before.Comment {
			gone(before.Comment)
			delete(mayGo, w.s.Comment)
			w.typed = append(w.typed, w.s.Comment)
		}
		save(w)
		if _, over := w.Result(); over {
			write(w)
			start(w)
		}
	}
	meet := func(w *walker) {
		typing, entry := w.typing, w.Buffer()
		w.Meet(w.inbox[0])
		w.inbox = w.inbox[1:]
		if typing && w.Buffer() != entry {
			t.Errorf("%q was under the fingers and became %q", entry, w.Buffer())
		}
		hold(t, f, w.Machine, w.s.Entries)
	}
	for _, w := range all {
		start(w)
	}
	for range 120 {
		switch w, n := all[random.IntN(len(all))], random.IntN(20); {
		case n < 9:
			act(w)
		case n < 12:
			write(w)
		case n < 15:
			w.inbox = append(w.inbox, d.read())
		case n < 19 && len(w.inbox) > 0:
			meet(w)
		case n == 19 && random.IntN(3) == 0:
			start(w)
		}
	}
	shared := func() string { // by all
		on := d.read()
		on.By, on.View, on.Views = "", View{}, nil
		file, _ := json.Marshal(on)
		return string(file)
	}
	quiet := false
	for round := 0; !quiet; round++ {
		before := shared()
		for _, w := range all {
			save(w)
			write(w)
			for len(w.inbox) > 0 {
				meet(w)
			}
			w.inbox = []Draft{d.read()}
			meet(w)
		}
		if quiet = shared() == before; round > 6 && !quiet {
			t.Fatalf("seed %d: they do not come to rest", seed)
		}
	}
	disk := d.read()
	for _, w := range all {
		var mine Draft
		file, _ := json.Marshal(w.Draft())
		_ = json.Unmarshal(file, &mine)
		for _, p := range parts(len(f.Questions)) {
			if offered := w.offer != nil && p == w.entryPart(); !offered && !mine.same(&disk, p) && !(p.said() && f.Questions[p.question()].Secret) {
				t.Errorf("seed %d: part %d of %s:\n%s\n%s", seed, p, w.name, file, d.disk)
			}
		}
	}
	for _, token := range tokens {
		if slices.Contains(secrets, token) == strings.Contains(string(d.disk), token) && (slices.Contains(secrets, token) || !mayGo[token]) {
			t.Errorf("seed %d: %s is lost, or told: %s", seed, token, d.disk)
		}
	}
}
