package page

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/keymap"
	"github.com/askpane/askpane/popup/layout"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/preview/styled"
	"github.com/askpane/askpane/popup/record"
	"github.com/askpane/askpane/popup/sitting"
)

// What the template form.html shows.
type (
	formPage struct {
		Who, Where string
		Stands     string // in place of the time
		Clock      *clock
		Others     *button
		Heading    string
		Tabs       []button
		Asked      []passage
		Danger     bool
		Frozen     bool // it takes nothing now
		Choices    *choices
		Review     *review
		Keys       [][2]string // the help
		Filter     *entry
		Entry      *entry
		Said       string // what is the answer, where that is not seen
		Remark     string
		Preview    *shown
		Notice     string
		Trouble    string // which comes by itself
		Warning    string // why it cannot be answered here
		Offered    string // what was typed elsewhere
		Primary    []button
		Actions    []button
		Over       *over
	}
	// button does something; what that is stands with it.
	button struct {
		ID, Label, Do, Key, Mark, Link string
		Current                        bool
	}
	passage struct {
		Gap    bool
		Blocks []layout.Block
	}
	choices struct {
		Many, Row bool
		Rows      []choice
	}
	choice struct {
		button
		N           int
		Checked     bool
		Description []layout.Block
		Advised     string
		Said        []string // what was typed for it
		Look        string
	}
	review struct {
		Rows   []answered
		Said   []string
		Submit *button
		Open   string
	}
	answered struct {
		button
		Asked        string // where it is not on view by itself
		Value, Class string
		Remarks      []string
	}
	entry struct {
		ID, Label, Hint, Placeholder, Expected string
		Key                                    string // by which it gets the focus
		Several, Secret, Numeric               bool
		Do, Enter                              string // before what is typed, and after it at Enter
		Again                                  string // leads to it, from wherever the form is
	}
	// clock is a time that the browser counts from or to.
	clock struct{ Before, At, Kind string }
	over  struct {
		Words string
		Next  *button
	}
)

// do is events as a button carries them.
func do(events ...did) string {
	b, _ := json.Marshal(events)
	return string(b)
}

func act(name string) did { return did{Do: name} }

// render shows the form as it is now.
func (s *session) render() {
	st, m := s.Status(), s.M
	p := formPage{Notice: m.Notice(), Trouble: s.Notice, Warning: s.barred(&s.Req.Form, s.rights)}
	p.Who, p.Where = st.Who()
	s.head(&p)
	focus := "over"
	if s.First != nil {
		p.Over = s.farewell()
	} else {
		focus = s.body(&p)
	}
	p.Frozen = p.Warning != "" || m.Mode() == machine.Note || s.First != nil
	if p.Warning != "" {
		p.Primary, p.Actions, p.Entry, p.Filter = nil, nil, nil, nil
	}
	if place := s.Place(); place != s.place {
		s.place, s.since, s.focus = place, s.sent.N+1, focus
	}
	v := view{Seq: s.seq, Key: s.Entry.ID, Guard: s.Now.GuardMs, Focus: s.focus, Title: text.OneLine(s.Req.Form.Header(), 60) + " — " + text.OneLine(s.Req.Origin.Agent, 24)}
	if e := cmp.Or(p.Entry, p.Filter); e != nil {
		v.Field = s.field(e)
	}
	if s.First == nil {
		v.Title = "🔔 " + v.Title
	}
	v.HTML = render("form", p)
	s.show(v)
}

// head is who asks, how it stands with the form, and its questions.
func (s *session) head(p *formPage) {
	f, look := s.M.Form(), keymap.Of(s.M.Form()).Look
	switch {
	case s.First != nil && s.First.Outcome == form.Timeout:
		p.Stands = "Expired"
	case s.First != nil:
	case record.Unreachable(s.Asker) != "":
		p.Stands = record.Unreachable(s.Asker)
	case s.Asker.AgentGone:
		p.Stands = "agent gone"
	case s.Req.Deadline != nil:
		p.Clock = &clock{At: s.Req.Deadline.Format(time.RFC3339), Kind: "left"}
	default:
		p.Clock = &clock{Before: look.Waited, At: s.Req.Origin.Start.Format(time.RFC3339), Kind: "since"}
	}
	if n, next := s.board.others(s.Entry.ID); n > 0 && s.First == nil {
		p.Others = &button{Label: layout.More(n), Link: "#q=" + next}
	}
	if !f.Review {
		return
	}
	for i, q := range f.Questions {
		mark := look.Open
		if s.M.Answer(i).Given() {
			mark = look.Done
		}
		p.Tabs = append(p.Tabs, button{Label: layout.Label(q.Label, 20), Mark: mark, Current: i == s.M.Step(), Do: do(append(s.back(), did{Do: "goto", N: i})...)})
	}
	if !s.M.ReviewHidden() {
		i := len(f.Questions)
		p.Tabs = append(p.Tabs, button{Label: look.Review, Current: i == s.M.Step(), Do: do(append(s.back(), did{Do: "goto", N: i})...)})
	}
}

// back is what leads to the question or the review under what is over it.
func (s *session) back() []did {
	return map[machine.Mode][]did{machine.Note: {act("leave")}, machine.Filter: {act("back")}, machine.Decline: {act("back")},
		machine.Reason: {act("back")}, machine.Help: {act("back")}}[s.M.Mode()]
}

// body is what lies below: the question, the review, or what is over them. It returns
// the id of what gets the focus when that comes on view.
func (s *session) body(p *formPage) (focus string) {
	m, step := s.M, s.M.Step()
	p.Primary, p.Actions = s.buttons(m)
	switch mode := m.Mode(); {
	case m.Leaving():
		p.Heading = sitting.Leaving(s.Asker.AgentGone)
		p.Clock = &clock{At: s.Leaves.Format(time.RFC3339Nano), Kind: "left"}
		p.Actions = nil
		p.Primary = []button{{ID: "keep", Label: "Keep it", Do: do(act("back"))}, {Label: "Now", Do: do(act("cancel")), Key: "Escape"}}
		return "keep"
	case mode == machine.Help:
		p.Heading, p.Keys, p.Actions = "Keys", s.keys(), nil
		p.Primary = []button{{ID: "close", Label: "Close", Do: do(act("back")), Key: "Escape"}}
		return "close"
	case mode == machine.Decline || mode == machine.Reason:
		s.refusal(p)
		focus = "reason1"
	case m.Question() == nil:
		s.summed(p)
		focus = "submit"
	default:
		s.asked(p)
		focus = fmt.Sprintf("q%d-c%d", step, max(0, m.Cursor()))
	}
	p.Offered = layout.Offered(m)
	if m.Mode() == machine.Note {
		p.Entry = &entry{ID: fmt.Sprintf("note%d", step), Label: layout.Remark(m), Several: true}
	}
	if p.Entry != nil {
		if focus = p.Entry.ID; len(p.Primary) > 0 {
			p.Entry.Enter = p.Primary[0].Do
		}
	}
	return focus
}

// asked is the question on view.
func (s *session) asked(p *formPage) {
	m, step := s.M, s.M.Step()
	q := m.Question()
	if p.Danger = m.Dangerous(step); p.Danger {
		p.Heading = "⚠️  DESTRUCTIVE — " + layout.Label(q.Label, 60)
	} else if q.Named {
		p.Heading = layout.Label(q.Label, 60)
	}
	for _, a := range layout.Asked(m) {
		p.Asked = append(p.Asked, passage{a.Gap, blocks(a.Style, a.Text)})
	}
	if note := m.Answer(step).Note; note != "" && m.Mode() != machine.Note {
		p.Remark = layout.NoteWord(m.Form()) + ": " + text.Visible(note)
	}
	if !p.Danger && (q.Kind == form.One || q.Kind == form.Many) {
		s.choices(p)
	} else {
		s.typing(p)
	}
}

// typing is the entry of a question that is answered by typing; it is always open here.
func (s *session) typing(p *formPage) {
	m, step := s.M, s.M.Step()
	q, said := m.Question(), m.Answer(step)
	e := &entry{ID: fmt.Sprintf("entry%d", step), Label: "Your answer", Placeholder: text.OneLine(q.Placeholder, 200), Secret: q.Secret,
		Several: q.Kind == form.Text && q.Multiline && !p.Danger, Numeric: q.Kind == form.Number, Do: do(act("open")), Again: do(did{Do: "goto", N: step}, act("open"))}
	switch {
	case p.Danger:
		e.Label, e.Expected, e.Hint = layout.Confirm, text.Visible(q.Expected), layout.ConfirmSends
	case q.Secret:
		e.Hint = layout.AboutSecret
	case q.Kind == form.Number:
		e.Hint = layout.Bounds(q)
	}
	switch p.Entry = e; {
	case said.Given():
		p.Said = "✓ " + text.Visible(layout.Said(q, said))
	case m.Form().Partial:
		p.Said = "unanswered"
	}
}

// choices are the rows to choose from, and what goes with the one that is looked at.
func (s *session) choices(p *formPage) {
	m, step := s.M, s.M.Step()
	q := m.Question()
	p.Choices = &choices{Many: q.Kind == form.Many, Row: q.Style == form.Buttons}
	looks := m.Form().Remarks == form.Comments || slices.ContainsFunc(q.Options, func(o form.Option) bool { return o.Preview != nil })
	for _, i := range m.Shown() {
		if q.SelectRow && i == m.Choices(step)-1 {
			continue // a button of its own
		}
		row := s.choice(i)
		if looks {
			row.Look = do(did{Do: "look", N: i})
		}
		p.Choices.Rows = append(p.Choices.Rows, row)
	}
	if m.Form().Partial && !m.Answer(step).Given() {
		p.Said = "unanswered"
	}
	switch {
	case m.Mode() == machine.Entry:
		p.Entry = &entry{ID: fmt.Sprintf("entry%d", step), Label: layout.Label(q.Other, 60), Several: true, Again: do(did{Do: "goto", N: step}, did{Do: "pick", N: m.Choices(step)})}
	case len(q.Options) >= machine.FilterFrom && m.Mode() != machine.Note: // whose entry would get what is typed
		p.Filter = &entry{ID: fmt.Sprintf("filter%d", step), Label: "Filter", Key: "/", Do: do(act("find")), Enter: do(act("find"), act("accept"))}
	}
	if preview := layout.FocusedPreview(m); preview != nil {
		p.Preview = s.preview(*preview, layout.Label(layout.Name(q, m.Cursor()), 60))
	}
}

// choice is row i of them.
func (s *session) choice(i int) choice {
	m, step := s.M, s.M.Step()
	q := m.Question()
	row := choice{button: button{ID: fmt.Sprintf("q%d-c%d", step, i), Label: layout.Label(layout.Name(q, i), 0), Do: do(did{Do: "pick", N: i + 1})}, N: i + 1}
	if i < 9 {
		row.Key = strconv.Itoa(i + 1)
	}
	switch m.Mode() {
	case machine.Filter:
		row.Do = do(did{Do: "look", N: i}, act("accept"))
	case machine.Entry:
		row.Do = do(act("back"), did{Do: "pick", N: i + 1})
	}
	row.Checked, row.Mark = layout.Mark(m, i)
	if slices.Contains(q.Recommended, i) {
		row.Advised = layout.Advised
	}
	if i < len(q.Options) {
		row.Description = blocks(styled.Dim, q.Options[i].Description)
		if note := m.Answer(step).OptionNotes[i]; note != "" {
			row.Said = append(row.Said, "✎ comment: "+text.Visible(note))
		}
	} else if m.Mode() != machine.Entry {
		meant, typed := layout.Other(m)
		if meant != "" {
			row.Said = append(row.Said, "✎ "+text.Visible(meant))
		}
		if typed != "" {
			row.Said = append(row.Said, "✎ "+layout.NotYet+text.Visible(typed))
		}
	}
	return row
}
