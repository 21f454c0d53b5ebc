package chat

import (
	"cmp"
	"strings"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/scene"
)

// announced says where a question is answered that is not answered here. What is to be allowed stays there.
func (d *drawing) announced() {
	f := d.M.Form()
	heading, what := f.Header(), "This is a dangerous or a secret question, which is not answered here"
	switch subject := f.Subject(); {
	case subject != nil:
		heading, what = subject.Tool, "A permission is asked for, which is not given here"
	case d.plain:
		what = "This question does not fit here"
	case f.Document() != nil:
		what = "This is a plan, which is not answered here"
	}
	d.say(Heading, text.OneLine(heading, 120))
	d.say(Plain, what+": answer it in "+cmp.Or(hostOf(d.Req), "your terminal")+text.If(d.page() != "", " or on the page", "")+".")
	d.who()
	d.say(Address, d.page())
}

// over shows how the question has ended, and what was answered.
func (d *drawing) over() {
	r, f, last := *d.First, d.M.Form(), howEnded(d.Entry, d.Req, *d.First)
	if won := d.Entry.Away().Won; won != nil {
		r = *won
	}
	said := r.Outcome == form.Answered || r.Outcome == form.NeedsDiscussion
	d.State = text.If(said, Answered, Over)
	switch s := scene.Of(machine.Finished(f, r), scene.Status{}); {
	case f.Subject() != nil:
		d.say(Plain, text.OneLine(f.Subject().Tool, 120))
	case f.Guarded() || d.plain || !said && len(f.Questions) > 1:
		d.say(Plain, text.OneLine(f.Header(), 120))
	case len(f.Questions) > 1:
		d.say(Heading, scene.Label(f.Title, 120))
		d.say(Plain, summary(s))
	default:
		if d.say(Plain, f.Questions[0].Prompt); said {
			d.say(Plain, "✓ "+s.Answers[0].Value)
		} else if r.Outcome == form.Timeout && d.lim.Disables && d.s.Question != nil {
			d.choices(&f.Questions[0])
		}
	}
	d.say(text.If(r.Outcome == form.Timeout, Heading, Dim), last)
	d.say(Dim, text.If(d.barred() && r.By != form.ByBridge, "", r.Reason)) // what was typed of it stays there, too
	d.who()
}

// fingerprint identifies what a button that submits would submit now.
func (a *session) fingerprint() string {
	m, step := a.M, a.M.Step()
	if m.Question() == nil {
		return hash(a.Place(), summary(a.Scene()))
	}
	var ticked []bool
	for i := range len(m.Question().Options) + 1 {
		ticked = append(ticked, m.Ticked(step, i))
	}
	return hash(a.Place(), ticked, scene.Said(m.Question(), m.Answer(step)), m.EntryText(step))
}

// summary lists the answers, with their remarks.
func summary(s scene.Scene) string {
	var all []string
	for _, a := range s.Answers {
		all = append(all, a.Label+": "+a.Value)
		for _, remark := range a.Remarks {
			all = append(all, "    "+remark)
		}
	}
	if s.Comment != "" {
		all = append(all, s.Comment)
	}
	return strings.Join(all, "\n")
}
