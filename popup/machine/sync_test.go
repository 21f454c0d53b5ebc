package machine

import (
	"encoding/json"
	"fmt"
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
	merged := mine
	if d.disk != nil {
		merged = Merge(d.read(), mine)
	}
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
	leave, leaves, take, accept := Event{Action: Back}, Event{Action: Leave}, Event{Action: TakeOffer}, Event{Action: Accept}
	note := func(text string) []Event { return []Event{{Action: NoteQuestion}, types(text), {Action: Leave}} }
	comment := func(text string) []Event {
		return []Event{{Action: ToReview}, {Action: NoteForm}, types(text), {Action: Leave}}
	}
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
		{"at the same time, and more is said on the page", []step{does("popup", other, types("foo"), leave), does("page", other, types("b"), types("bar"), leave), saves("page"), saves("popup")}, func(t *testing.T, popup, page *Machine) {
			is(t, "both", popup.EntryText(0)+" "+page.EntryText(0), "bar bar")
			is(t, "the offers", popup.Offered()+" "+page.Offered(), "foo foo")
		}},
		{"at the same time, under the fingers", []step{does("popup", other, types("foo")), does("page", other, types("b"), types("bar")), saves("page"), saves("popup")}, func(t *testing.T, popup, page *Machine) {
			is(t, "the popup's", popup.Buffer()+" "+popup.Offered(), "foo bar")
			is(t, "the page's", page.Buffer()+" "+page.Offered(), "bar foo")
			popup.Handle(types("fox"))
			is(t, "the popup's when it goes on", popup.Buffer()+" "+popup.Offered(), "fox bar")
		}},
		{"what is accepted against an offer stays", []step{does("popup", other, types("foo")), saves("popup"), does("page", other, types("bar")), saves("page"), does("popup", accept), saves("popup")}, func(t *testing.T, popup, page *Machine) {
			is(t, "the answer", *popup.Answer(0).Text, "foo")
			page.Handle(leave)
			is(t, "the page's answer", *page.Answer(0).Text, "foo")
		}},
		{"another question", []step{does("popup", other, types("foo")), does("page", toText, types("bar")), saves("popup"), saves("page")}, func(t *testing.T, popup, page *Machine) {
			is(t, "the page's entries", page.EntryText(0)+page.EntryText(3), "foobar")
			page.Handle(types("bark"))
			is(t, "the page's entry when it goes on", page.EntryText(3)+page.Offered(), "bark")
			popup.Handle(toText)
			is(t, "the popup's entries", popup.EntryText(0)+popup.EntryText(3), "foo")
			is(t, "the popup's offer", popup.Offered(), "bar")
			is(t, "the steps", fmt.Sprint(popup.Step(), page.Step()), "3 3")
		}},
		{"remarks", []step{does("popup", note("foo")...), does("page", note("bar")...), saves("popup"), saves("page")}, func(t *testing.T, popup, page *Machine) {
			is(t, "the notes", popup.Answer(0).Note+" "+page.Answer(0).Note, "foo foo")
			is(t, "the offers", popup.Offered()+" "+page.Offered(), "bar bar")
			page.Handle(Event{Action: NoteQuestion})
			page.Handle(take)
			is(t, "the page's, taken", page.Buffer()+" "+page.Offered(), "bar foo")
		}},
		{"the form's comment", []step{does("popup", comment("foo")...), does("page", comment("bar")...), saves("popup"), saves("page")}, func(t *testing.T, popup, page *Machine) {
			is(t, "the comments", popup.Comment()+" "+page.Comment(), "foo foo")
			is(t, "the offers", popup.Offered()+" "+page.Offered(), "bar bar")
			page.Handle(take)
			is(t, "the page's, taken", page.Buffer()+" "+page.Offered(), "bar foo")
		}},
		{"a remark that was opened before the other's was saved", []step{does("popup", note("foo")[:2]...), does("page", note("bar")...), saves("page"), does("popup", leaves), saves("popup")}, func(t *testing.T, popup, page *Machine) {
			is(t, "the notes", popup.Answer(0).Note+" "+page.Answer(0).Note, "foo foo")
			is(t, "the offers", popup.Offered()+" "+page.Offered(), "bar bar")
		}},
		{"a remark that was only opened", []step{does("popup", comment("")[:2]...), does("page", comment("bar")...), saves("page"), does("popup", leaves), saves("popup")}, func(t *testing.T, popup, page *Machine) {
			is(t, "the comments", popup.Comment()+" "+page.Comment(), "bar bar")
			is(t, "the offers", popup.Offered()+page.Offered(), "")
		}},
		{"a remark that was typed before the other's was on view", []step{does("page", note("bar")...), saves("page"), does("popup", note("")[0])}, func(t *testing.T, popup, _ *Machine) {
			popup.KeepBeside("foo")
			popup.Handle(types("foo"))
			popup.Handle(leaves)
			is(t, "the note and what is offered", popup.Answer(0).Note+" "+popup.Offered(), "foo bar")
		}},
		{"a remark of one's own that is edited", []step{does("popup", note("foo")...), saves("popup"), does("page", note("bar")...), saves("page")}, func(t *testing.T, popup, page *Machine) {
			is(t, "the notes", popup.Answer(0).Note+" "+page.Answer(0).Note, "bar bar")
			is(t, "the offers", popup.Offered()+page.Offered(), "")
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
		{"a secret that is being typed", []step{does("page", toSecret, types("swordfish")), does("popup", other, types("foo")), saves("popup")}, func(t *testing.T, popup, page *Machine) {
			page.KeepBeside("unseen")
			page.Handle(Event{Action: GoTo})
			is(t, "the page's", page.EntryText(4)+page.Offered(), "swordfish")
			is(t, "what it writes", strings.Contains(shared(page.Draft()), "swordfish"), false)
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
