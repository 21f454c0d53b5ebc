package chat

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/keymap"
	"github.com/askpane/askpane/popup/layout"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/preview/styled"
	"github.com/askpane/askpane/popup/sitting"
)

// drawing is a message in the making.
type drawing struct {
	*asked
	lim Limits
	Message
}

// draw is the message as the question stands now. What its controls do is known from then
// on, and what those of another message did is not.
func (a *asked) draw() Message {
	d := &drawing{asked: a, lim: a.Channel.Limits()}
	d.Key = a.Entry.ID[10:] + a.mark + map[bool]string{false: "0", true: "1"}[a.Again]
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
func (a *asked) barred() bool {
	return a.plain || a.Req.Form.Guarded() && !a.rules.Sensitive
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

// control has something pressed do that, and gives it its id: the same one wherever it means
// the same, from one process to the next.
func (d *drawing) control(c control, means ...any) (id string) {
	id = d.Entry.ID + "." + hash(append(means, d.Place())...)
	if c.step = d.M.Step(); c.sends {
		id += "." + d.said()
	}
	d.controls[id] = c
	return id
}

func hash(all ...any) string {
	h := fnv.New64a()
	_, _ = fmt.Fprintf(h, "%q", all)
	return strconv.FormatUint(h.Sum64(), 36)
}

// acts is a button that does something to the form. A primary one sends what was said before,
// which is in its id, since others may change it meanwhile.
func (d *drawing) acts(label string, primary bool, events ...machine.Event) Button {
	id := d.control(control{sends: primary, do: func(Event) string {
		for _, e := range events {
			d.Handle(e)
		}
		return ""
	}}, label, events)
	return Button{ID: id, Label: text.OneLine(label, d.lim.Label), Primary: primary}
}

func (d *drawing) deed(label string, action machine.Action) Button {
	return d.acts(label, false, machine.Event{Action: action})
}

// writes is a button that opens an entry for what do does.
func (d *drawing) writes(label string, primary bool, e Entry, do func(said string) (wrong string), means ...any) Button {
	e.Title, e.Label, e.Hint = text.OneLine(d.title(), 45), text.OneLine(e.Label, 45), text.OneLine(e.Hint, 100)
	if utf8.RuneCountInString(e.Value) > d.lim.Value {
		e.Value = ""
	}
	label = strings.TrimRight(label, ".…") + "…"
	id := d.control(control{entry: &e, do: func(e Event) string { return do(e.Text) }}, append(means, label)...)
	return Button{ID: id, Label: text.OneLine(label, d.lim.Label), Primary: primary}
}

// title is of what the person types to: the question on view, or all of the form.
func (d *drawing) title() string {
	if q := d.M.Question(); q != nil && len(d.M.Form().Questions) > 1 {
		return layout.Label(q.Label, 0)
	}
	return d.Req.Form.Header()
}

// page says where the question's page is, if the person can reach one.
func (d *drawing) page() string {
	if d.Page == nil {
		return ""
	}
	return before("The page: ", d.Page(d.Entry.ID))
}

// who is who asks, from where, and how long that can be answered.
func (d *drawing) who() {
	st := d.Status()
	who, where := st.Who()
	if where != "" {
		who += " · " + where
	}
	switch {
	case d.First != nil:
	case st.Away != "":
		who += " · " + st.Away
	case st.Gone:
		who += " · agent gone"
	case d.Req.Deadline != nil:
		who += " · until " + d.Req.Deadline.Local().Format(map[bool]string{false: "15:04", true: "2 Jan 15:04"}[time.Until(*d.Req.Deadline) > 12*time.Hour])
	}
	d.say(Dim, who)
}

// form is the question on view, or what is over it.
func (d *drawing) form() {
	switch m := d.M; {
	case m.Leaving():
		d.say(Heading, sitting.Leaving(d.Asker.AgentGone))
		d.row(d.deed("Keep it", machine.Back), d.deed("Now", machine.Cancel))
	case m.Mode() == machine.Over: // as the notice says, the answer could not be written
		d.say(Heading, text.OneLine(m.Form().Header(), 120))
		d.row(d.deed("Try again", machine.Choose))
	case m.Mode() == machine.Decline:
		d.say(Heading, layout.Declining)
		var reasons []Button
		for i, r := range machine.Reasons {
			reasons = append(reasons, d.acts(sitting.Capital(r), false, machine.Event{Action: machine.Pick, N: i + 1}))
		}
		other := d.writes("Another reason", false, Entry{Label: "Your reason", Lines: true}, func(said string) string {
			d.act(machine.Refuse)
			d.pick(len(machine.Reasons) + 1)
			d.typing(said, machine.Accept)
			return ""
		})
		d.row(append(reasons, other, d.deed("Back", machine.Back))...)
	case m.Question() == nil:
		d.say(Heading, keymap.Of(m.Form()).Look.Review)
		d.say(Plain, summary(m))
		d.say(Dim, layout.Open(m))
		s := &Select{ID: d.control(control{do: d.chosen}, "change"), Hint: "Change an answer"}
		for i, q := range m.Form().Questions[:min(len(m.Form().Questions), d.lim.Choices)] {
			s.Choices = append(s.Choices, Choice{Value: strconv.Itoa(i + 1), Label: text.OneLine(fmt.Sprintf("%d. %s", i+1, layout.Label(q.Label, 0)), d.lim.Choice)})
		}
		d.Blocks = append(d.Blocks, Block{Select: s})
		d.besides(append(d.offered(), d.acts("Submit", true, machine.Event{Action: machine.Last}, machine.Event{Action: machine.Choose}))...)
	default:
		d.question()
	}
	d.say(Dim, d.Notice)
	d.who()
}

// chosen is one of a select.
func (d *drawing) chosen(e Event) string {
	if len(e.Values) == 1 {
		n, _ := strconv.Atoi(e.Values[0])
		d.pick(n)
	}
	return ""
}

// question is what is asked, what was said to it so far, and what can be.
func (d *drawing) question() {
	m, step := d.M, d.M.Step()
	q := m.Question()
	choices := !m.Dangerous(step) && (q.Kind == form.One || q.Kind == form.Many)
	heading := map[bool]string{true: layout.Label(q.Label, 60)}[q.Named || m.Dangerous(step)]
	if n := len(m.Form().Questions); n > 1 {
		heading += fmt.Sprintf(" (%d of %d)", step+1, n)
	}
	if title := m.Form().Title; step == 0 && title != "" {
		heading = strings.TrimSuffix(layout.Label(title, 60)+": "+heading, ": ")
	}
	if m.Dangerous(step) {
		heading = "⚠️  DESTRUCTIVE — " + heading
	}
	d.say(Heading, strings.TrimSpace(heading))
	d.asks()
	var answers []Button
	switch {
	case m.Dangerous(step):
		d.say(Plain, layout.Confirm+map[bool]string{true: " " + text.Quoted(q.Expected, 0)}[q.Expected != ""])
		d.say(Dim, layout.ConfirmSends)
	case choices:
		answers = d.choices(q)
		meant, entered := layout.Other(m)
		d.say(Plain, before("✎ ", meant))
		d.say(Dim, before("✎ "+layout.NotYet, entered))
	default:
		d.say(Dim, layout.Bounds(q))
		d.say(Plain, before("✓ ", layout.Said(q, m.Answer(step))))
	}
	for _, remark := range layout.Remarks(m, step) {
		d.say(Dim, remark)
	}
	answers = append(answers, d.offered()...)
	if choices && q.Other != "" {
		answers = append(answers, d.answering(q.Other, false))
	}
	d.besides(answers...)
}

// offered says what else was typed to what is on view, and is the button that takes it.
func (d *drawing) offered() []Button {
	words := layout.Offered(d.M)
	if d.say(Dim, words); words == "" {
		return nil
	}
	return []Button{d.acts("Take the other text", false, machine.Event{Action: machine.TakeOffer, Text: d.M.Offered()}, machine.Event{Action: machine.Back})}
}

func before(sign, words string) string {
	if words == "" {
		return ""
	}
	return sign + words
}

// asks is what the agent says before the answer.
func (d *drawing) asks() {
	all := ""
	for _, p := range layout.Asked(d.M) {
		if p.Style == styled.Heading { // it stands above
			continue
		}
		all += map[bool]string{false: "\n", true: "\n\n"}[p.Gap] + p.Text
	}
	d.say(Plain, all)
}

// answering opens an entry for the answer to the question on view.
func (d *drawing) answering(label string, primary bool) Button {
	m, q := d.M, d.M.Question()
	given, danger := m.EntryText(m.Step()), m.Dangerous(m.Step())
	e := Entry{Secret: q.Secret, Label: cmp.Or(layout.Label(q.Other, 0), "Your answer"), Value: q.Hidden(given), Hint: cmp.Or(q.Placeholder, layout.Bounds(q)),
		Lines: !danger && q.Kind != form.Number && (q.Kind != form.Text || q.Multiline)}
	if q.Secret {
		e.Value = ""
	}
	if danger {
		e.Label = layout.Confirm
	} else if m.Ticked(m.Step(), len(q.Options)) {
		e.Hint = removes
	}
	return d.writes(label, primary, e, func(said string) string {
		d.answer(given, said)
		return ""
	})
}

// besides are the buttons below: what answers, and what can be done besides.
func (d *drawing) besides(answers ...Button) {
	m := d.M
	primary, others := d.Deeds(m)
	var all []Button
	for _, do := range primary {
		if do.Does() == machine.Accept {
			answers = append(answers, d.answering(do.Label, true))
		} else {
			answers = append(answers, d.acts(do.Label, true, do.Events...))
		}
	}
	for _, do := range others {
		switch does := do.Does(); does {
		case machine.ShowHelp, machine.Back, machine.Leave:
		case machine.NoteOption:
			all = append(all, d.remark(do.Label, does, m.Answer(m.Step()).OptionNotes[m.Cursor()]))
		case machine.NoteQuestion:
			all = append(all, d.remark(do.Label, does, m.Answer(m.Step()).Note))
		case machine.NoteForm:
			all = append(all, d.remark(do.Label, does, m.Comment()))
		default:
			all = append(all, d.acts(do.Label, false, do.Events...))
		}
	}
	d.row(answers...)
	d.row(all...)
	d.say(Address, d.page())
}

// removes is how a text is taken back where a service sends none that is empty.
const removes = "- removes it"

func removed(said string) bool { return slices.Contains([]string{"", "-"}, strings.TrimSpace(said)) }

// remark opens an entry for a note or a comment.
func (d *drawing) remark(label string, open machine.Action, value string) Button {
	cursor, e := d.M.Cursor(), Entry{Label: label, Value: value, Lines: true}
	if value != "" {
		e.Hint = removes
	}
	return d.writes(label, false, e, func(said string) string {
		if open == machine.NoteOption {
			d.LookAt(cursor)
		}
		if removed(said) {
			said = ""
		}
		if d.act(open); d.M.Mode() == machine.Note {
			d.typing(said, machine.Leave)
			d.M.Unsay() // the message shows it
		}
		return ""
	}, map[bool]int{true: cursor}[open == machine.NoteOption])
}

// fit cuts the longest texts until all of them together are no longer than a message.
func (d *drawing) fit() {
	for {
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
		b := &d.Blocks[longest]
		r := []rune(b.Text)
		b.Text = string(r[:max(len(r)/2, len(r)-2-(all-d.lim.Text)*len(r)/most)]) + "…"
	}
}
