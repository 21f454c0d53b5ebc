package chat

import (
	"cmp"
	"strings"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/layout"
	"github.com/askpane/askpane/popup/machine"
)

// announced is a question that is not answered here.
func (d *drawing) announced() {
	d.say(Heading, text.OneLine(d.Req.Form.Header(), 120))
	what := "This is a dangerous or a secret question, which is not answered here"
	if d.plain {
		what = "This question does not fit here"
	}
	d.say(Plain, what+": answer it in "+cmp.Or(hostOf(d.Req), "your terminal")+map[bool]string{true: " or on the page"}[d.page() != ""]+".")
	d.who()
	d.say(Address, d.page())
}

// over is how the question has ended, and what was said.
func (d *drawing) over() {
	r, f, last := *d.First, d.M.Form(), farewell(d.Entry, d.Req, *d.First)
	if won := d.Entry.Away().Won; won != nil {
		r = *won
	}
	said := r.Outcome == form.Answered || r.Outcome == form.NeedsDiscussion
	d.State = map[bool]State{false: Over, true: Answered}[said]
	switch m := machine.Finished(f, r); {
	case f.Guarded() || d.plain || !said && len(f.Questions) > 1:
		d.say(Plain, text.OneLine(f.Header(), 120))
	case len(f.Questions) > 1:
		d.say(Heading, layout.Label(f.Title, 120))
		d.say(Plain, summary(m))
	default:
		if d.say(Plain, f.Questions[0].Prompt); said {
			d.say(Plain, "✓ "+layout.Said(&f.Questions[0], m.Answer(0)))
		} else if r.Outcome == form.Timeout && d.lim.Disables && d.M.Question() != nil {
			d.choices(&f.Questions[0])
		}
	}
	d.say(map[bool]Style{false: Dim, true: Heading}[r.Outcome == form.Timeout], last)
	d.say(Dim, r.Reason)
	d.who()
}

// said tells what a button that sends would send now.
func (a *asked) said() string {
	m, step := a.M, a.M.Step()
	if m.Question() == nil {
		return hash(a.Place(), summary(m))
	}
	var ticked []bool
	for i := range len(m.Question().Options) + 1 {
		ticked = append(ticked, m.Ticked(step, i))
	}
	return hash(a.Place(), ticked, layout.Said(m.Question(), m.Answer(step)), m.EntryText(step))
}

// summary is what was said to each question.
func summary(m *machine.Machine) string {
	var all []string
	for i, q := range m.Form().Questions {
		value, _ := layout.Answer(m, i)
		all = append(all, layout.Label(q.Label, 40)+": "+value)
		for _, remark := range layout.Remarks(m, i) {
			all = append(all, "    "+remark)
		}
	}
	if c := m.Comment(); c != "" {
		all = append(all, "comment: "+c)
	}
	return strings.Join(all, "\n")
}
