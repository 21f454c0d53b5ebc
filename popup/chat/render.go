package chat

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/preview/styled"
	"github.com/askpane/askpane/popup/scene"
)

// drawing builds a message.
type drawing struct {
	*session
	s   scene.Scene
	lim Limits
	Message
}

// draw returns the message as the question stands now. From then on its controls are known,
// and those of the message before are not.
func (a *session) draw() Message {
	d := &drawing{session: a, s: a.Scene(), lim: a.Channel.Limits()}
	d.Key = a.Entry.ID[10:] + a.mark + text.If(a.Again, "1", "0")
	a.controls = map[string]control{}
	switch {
	case a.First != nil:
		d.over()
	case a.barred():
		d.announced()
	default:
		d.form()
	}
	d.fit()
	return d.Message
}

// barred reports whether the question can only be announced.
func (a *session) barred() bool {
	return a.plain || a.Req.Form.Document() != nil || a.Req.Form.Guarded() && !(a.rules.Sensitive && a.Req.Admits(a.By))
}

func (d *drawing) say(style Style, words string) {
	if words = strings.Trim(text.Visible(words), "\n"); strings.TrimSpace(words) != "" {
		d.Blocks = append(d.Blocks, Block{Text: words, Style: style})
	}
}

// row adds buttons, as many beside each other as all services take.
func (d *drawing) row(buttons ...Button) {
	for few := range slices.Chunk(buttons, 5) {
		d.Blocks = append(d.Blocks, Block{Buttons: few})
	}
}

// control registers what a button or a select does and returns its id: the same one wherever
// it means the same, from one process to the next.
func (d *drawing) control(c control, means ...any) (id string) {
	id = d.Entry.ID + "." + hash(append(means, d.Place())...)
	if c.step = d.M.Step(); c.sends {
		id += "." + d.fingerprint()
	}
	d.controls[id] = c
	return id
}

func hash(all ...any) string {
	h := fnv.New64a()
	_, _ = fmt.Fprintf(h, "%q", all)
	return strconv.FormatUint(h.Sum64(), 36)
}

// actionButton makes a button that sends events to the form. A primary one submits what was
// said before, which is in its id, since others may change it meanwhile.
func (d *drawing) actionButton(label string, primary bool, events ...machine.Event) Button {
	id := d.control(control{sends: primary, do: func(Event) string {
		for _, e := range events {
			d.Handle(e)
		}
		return ""
	}}, label, events)
	return Button{ID: id, Label: text.OneLine(label, d.lim.Label), Primary: primary}
}

// entryButton makes a button that opens an entry, whose text goes to do.
func (d *drawing) entryButton(label string, primary bool, e Entry, do func(said string) (wrong string), means ...any) Button {
	e.Title, e.Label, e.Hint = text.OneLine(d.title(), 45), text.OneLine(e.Label, 45), text.OneLine(e.Hint, 100)
	if utf8.RuneCountInString(e.Value) > d.lim.Value {
		e.Value = ""
	}
	label = strings.TrimRight(label, ".…") + "…"
	id := d.control(control{entry: &e, do: func(e Event) string { return do(e.Text) }}, append(means, label)...)
	return Button{ID: id, Label: text.OneLine(label, d.lim.Label), Primary: primary}
}

// title names what the person types to: the question on view, or all of the form.
func (d *drawing) title() string {
	if q := d.M.Question(); q != nil && len(d.s.Form.Questions) > 1 {
		return scene.Label(q.Label, 0)
	}
	return d.s.Form.Header()
}

// page says where the question's page is, if the person can reach one.
func (d *drawing) page() string { return before("The page: ", d.Page(d.Entry.ID)) }

// who says who asks, from where, and how long that can be answered.
func (d *drawing) who() {
	who := d.s.Who + before(" · ", d.s.Where())
	switch {
	case d.First != nil:
	case d.s.Stands != "":
		who += " · " + d.s.Stands
	case d.s.Clock.Down:
		who += " · until " + scene.At(d.s.Clock.At)
	}
	d.say(Dim, who)
}

// form shows the question on view, or what is over it.
func (d *drawing) form() {
	switch m := d.M; {
	case m.Leaving(), d.s.Mode == machine.Over: // as the notice says, the answer could not be written
		d.say(Heading, text.OneLine(cmp.Or(d.s.Heading, d.s.Form.Header()), 120))
		var all []Button
		for _, do := range d.s.Primary {
			all = append(all, d.actionButton(do.Label, false, do.Events...))
		}
		d.row(all...)
	case d.s.Mode == machine.Decline || d.s.Mode == machine.Reason:
		d.say(Heading, d.s.Heading)
		var reasons []Button
		for _, c := range d.s.Choices[:len(d.M.Reasons())] {
			reasons = append(reasons, d.actionButton(scene.Capital(c.Label), false, machine.Event{Action: machine.Pick, N: c.N + 1}))
		}
		label := text.If(reasons == nil, scene.YourReason, scene.Capital(scene.AnotherReason))
		other := d.entryButton(label, false, Entry{Label: scene.YourReason, Lines: true}, func(said string) string {
			d.apply(machine.Refuse)
			d.pick(len(machine.Reasons) + 1)
			d.typing(said, machine.Accept)
			return ""
		})
		d.row(append(reasons, other, d.actionButton("Back", false, machine.Event{Action: machine.Back}))...)
	case d.s.Question == nil:
		d.say(Heading, d.s.Heading)
		d.say(Plain, summary(d.s))
		d.say(Dim, d.s.Open)
		s := &Select{ID: d.control(control{do: d.chosen}, "change"), Hint: "Change an answer"}
		for i, q := range d.s.Form.Questions[:min(len(d.s.Form.Questions), d.lim.Choices)] {
			s.Choices = append(s.Choices, Choice{Value: strconv.Itoa(i + 1), Label: text.OneLine(fmt.Sprintf("%d. %s", i+1, scene.Label(q.Label, 0)), d.lim.Choice)})
		}
		d.Blocks = append(d.Blocks, Block{Select: s})
		d.besides(d.offered()...)
	default:
		d.question()
	}
	d.say(Dim, d.s.Trouble)
	d.who()
}

// chosen picks the choice of a select.
func (d *drawing) chosen(e Event) string {
	if len(e.Values) == 1 {
		n, _ := strconv.Atoi(e.Values[0])
		d.pick(n)
	}
	return ""
}

// question shows what is asked, what was said to it so far, and what can be.
func (d *drawing) question() {
	q := d.s.Question
	heading := text.If(q.Named || d.s.Danger, d.s.Label, "")
	if n := len(d.s.Form.Questions); n > 1 {
		heading += fmt.Sprintf(" (%d of %d)", d.s.Step+1, n)
	}
	if title := d.s.Form.Title; d.s.Step == 0 && title != "" {
		heading = strings.TrimSuffix(scene.Label(title, 60)+": "+heading, ": ")
	}
	if d.s.Danger {
		heading = scene.Destructive + heading
	}
	d.say(Heading, strings.TrimSpace(heading))
	d.asks()
	var answers []Button
	switch {
	case d.s.Danger:
		d.say(Plain, d.s.Entry.Label+text.If(q.Expected != "", " "+text.Quoted(q.Expected, 0), ""))
		d.say(Dim, d.s.Entry.About)
	case !d.s.Typed:
		if slices.ContainsFunc(q.Options, func(o form.Option) bool { return o.Preview != nil }) { // nobody is to choose without them unawares
			d.say(Dim, "These choices have previews, which the popup and the page show.")
		}
		answers = d.choices(q)
		for _, c := range d.s.Choices {
			d.say(Plain, before("✎ ", c.Meant))
			d.say(Dim, before("✎ ", c.Typed))
		}
	default:
		d.say(Dim, d.s.Entry.Bounds)
		d.say(Plain, text.If(d.s.Answer.Given(), d.s.Said, ""))
	}
	for _, remark := range d.s.Remarks {
		d.say(Dim, remark)
	}
	answers = append(answers, d.offered()...)
	if !d.s.Typed && q.Other != "" {
		answers = append(answers, d.answering(q.Other, false))
	}
	d.besides(answers...)
}

// offered says what else was typed to what is on view, and is the button that takes it.
func (d *drawing) offered() []Button {
	if d.say(Dim, d.s.Offered); d.s.Offered == "" {
		return nil
	}
	return []Button{d.actionButton("Take the other text", false, machine.Event{Action: machine.TakeOffer, Text: d.M.Offered()}, machine.Event{Action: machine.Back})}
}

func before(sign, words string) string {
	if words == "" {
		return ""
	}
	return sign + words
}

// asks shows what the agent says before the answer.
func (d *drawing) asks() {
	all := ""
	for _, p := range d.s.Asked {
		if p.Style == styled.Heading { // it stands above
			continue
		}
		all += text.If(p.Gap, "\n\n", "\n") + p.Text
	}
	d.say(Plain, all)
}

// answering makes the button that opens the entry for the answer to the question on view.
func (d *drawing) answering(label string, primary bool) Button {
	given, from := d.s.Entry.Text, d.s.Entry
	e := Entry{Secret: from.Secret, Label: from.Label, Value: text.If(from.Secret, "", given), Hint: cmp.Or(from.Placeholder, from.Bounds), Lines: from.Several}
	if !d.s.Danger && d.M.Ticked(d.s.Step, len(d.s.Question.Options)) {
		e.Hint = removes
	}
	return d.entryButton(label, primary, e, func(said string) string {
		d.answer(given, said)
		return ""
	})
}

// besides adds the buttons below: what answers, and what can be done besides.
func (d *drawing) besides(answers ...Button) {
	var all []Button
	for _, do := range d.s.Primary {
		if do.Effect() == machine.Accept {
			answers = append(answers, d.answering(do.Label, true))
		} else {
			answers = append(answers, d.actionButton(do.Label, true, do.Events...))
		}
	}
	said := map[machine.Action]string{machine.NoteOption: d.s.Answer.OptionNotes[d.s.Cursor], machine.NoteQuestion: d.s.Answer.Note, machine.NoteForm: d.M.Comment()}
	for _, do := range d.s.Actions {
		does := do.Effect()
		switch remark, remarks := said[does]; {
		case slices.Contains([]machine.Action{machine.ShowHelp, machine.Back, machine.Leave}, does):
		case remarks:
			all = append(all, d.remark(do.Label, does, remark))
		default:
			all = append(all, d.actionButton(do.Label, false, do.Events...))
		}
	}
	d.row(answers...)
	d.row(all...)
	d.say(Address, d.page())
}

// removes tells how to take a text back, for services that send no empty one.
const removes = "- removes it"

func removed(said string) bool { return slices.Contains([]string{"", "-"}, strings.TrimSpace(said)) }

// remark makes the button that opens an entry for a note or a comment.
func (d *drawing) remark(label string, open machine.Action, value string) Button {
	cursor, e := d.M.Cursor(), Entry{Label: label, Value: value, Lines: true, Hint: text.If(value != "", removes, "")}
	return d.entryButton(label, false, e, func(said string) string {
		if open == machine.NoteOption {
			d.Handle(machine.Event{Action: machine.Focus, N: cursor})
		}
		if removed(said) {
			said = ""
		}
		if d.apply(open); d.M.Mode() == machine.Note {
			d.typing(said, machine.Leave)
			d.M.Unsay() // the message shows it
		}
		return ""
	}, text.If(open == machine.NoteOption, cursor, 0))
}

// fit cuts the longest texts until all of them together are no longer than a message, and says so where they are answered.
func (d *drawing) fit() {
	for cut := false; ; cut = true {
		all, most, longest := 0, 0, 0
		for i, b := range d.Blocks {
			n := d.lim.Length(b)
			if all += n; n > most {
				most, longest = n, i
			}
		}
		if all <= d.lim.Text {
			return
		}
		if !cut && d.First == nil { // nobody is to answer unawares what they have not read
			d.say(Dim, "What is cut here (…) the popup and the page show whole.")
			continue
		}
		b := &d.Blocks[longest]
		r := []rune(b.Text)
		b.Text = string(r[:max(len(r)/2, len(r)-2-(all-d.lim.Text)*len(r)/most)]) + "…"
	}
}
