// Package scene says what is to be said of a question now, as data that every surface
// renders: who asks, the clock, what is asked, the choices, the entry, the review, what can
// be done, how it ended.
//
// It is a pure function of the form's machine and of how it stands with the question; the
// time is asked for only to leave out the day of a time of today. The rules that must hold
// here: every sentence that a person reads about a question stands once, in this package;
// and every text of a scene but for an entry's has been made visible (text.Visible).
package scene

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/keymap"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/preview/styled"
)

// Status says how it stands with a question, which its machine does not know.
type Status struct {
	Agent, Cwd, Pane string // who asks, and from where
	Machine          string // which other machine that is on; empty is this one
	Away             string // how it stands with that, where it cannot be reached
	Gone             bool   // the agent is gone
	Start            time.Time
	Deadline         *time.Time    // nil for none
	Waited, Left     time.Duration // as a clock shows them that the surface counts itself
	Others           int           // how many other questions wait for this viewer
	Pictures         int           // how many go with the answer
	Guarded, Twice   bool          // keys are held back, or the first to answer has to come twice
	Notice           string        // from outside the machine, as a failure
	Ended            *form.Result  // how the form has ended; nil while it waits
	Mine             bool          // on this surface
	Verdict          string        // why the question's own machine did not take the answer
	How              string        // of a form that is only read: how it has ended, in a few words
	Notes            []string      // and in sentences
	Buttons          bool          // the surface has buttons: the scene says what they do
}

// StatusOf returns the status of a question of that origin.
func StatusOf(o spool.Origin, s spool.Status) Status {
	machine, cwd, _, pane := o.Where()
	return Status{Agent: o.Agent, Machine: machine, Cwd: cwd, Pane: pane, Start: o.Start, Gone: s.AgentGone, Away: Unreachable(s)}
}

// Stands says how the agent's own dialog stands, where it is not beside the form.
func Stands(o spool.Origin) string {
	switch o.Native {
	case spool.Serial:
		return text.Product(o.Agent) + " shows no dialog of its own until this is answered or handed back."
	case spool.Queued:
		return text.Product(o.Agent) + " sends it after the running call."
	}
	return ""
}

// Scene holds what is to be said of a question now.
type Scene struct {
	Form     *form.Form
	Question *form.Question // the one on view; nil where none is
	Step     int            // which that is, from 0
	Mode     machine.Mode
	Cursor   int  // the row that has the focus: of the choices, or of the answers
	Reading  bool // nothing can be said to it
	Typing   bool // what is typed is text

	Who, Dir, Pane string
	Stands         string // how it stands, where that counts more than the time
	Clock          Clock  // the time, else
	Others         int    // how many other questions wait
	Pictures       string // how many go with the answer; empty for none
	Tabs           []Tab
	Label          string // of the question on view
	Heading        string
	Danger         bool // it is answered by typing a name
	Typed          bool // it is answered by typing
	Asked          []Paragraph
	Choices        []Choice // or the reasons for declining
	Entry          *Entry   // of the question on view; nil where it has none
	Remark         *Entry   // of a remark or a reason that is being written
	Filters        bool     // the choices can be filtered
	Preview        *form.Preview
	Document       *Document   // that the question is about; nil for none
	Answer         form.Answer // to the question on view
	Said           string      // what that is, where no choice shows it
	Note           string      // the person's own word on it
	Remarks        []string    // that, and those on its options
	Answers        []Answer    // to all questions, on the review
	Comment        string      // the person's own word on the form
	Open           string      // how many questions are open
	Offered        string      // what was typed elsewhere
	Guarded        bool        // keys are held back
	Notice         string      // about what was done last
	Trouble        string      // and what comes by itself
	Primary        []Action    // what answers
	Actions        []Action    // what else can be done
	Over           string      // how it has ended
	Notes          []string    // what is to be read of that, or of how it stands
}

// Clock shows a time as it passes.
type Clock struct {
	Before string    // stands before it
	At     time.Time // it counts from here, or to here
	Down   bool
	Shows  time.Duration // now, where the surface counts itself
}

// Tab leads to a question, or to the review.
type Tab struct {
	Mark, Label   string
	Done, Current bool
}

// Choice can be chosen.
type Choice struct {
	N                 int // of the row, from 0
	Label             string
	Mark              string // the dialect's sign of whether it is chosen; empty where it has none
	Chosen            bool
	Advised           string // that the agent recommends it
	Selects           bool   // it is the row that takes what is ticked
	Description, Note string
	Meant, Typed      string // of an Other: what was typed there, and what is not the answer yet
}

// Entry takes what is typed.
type Entry struct {
	Label, Placeholder                string
	Expected                          string // what is to be typed
	About                             string // what becomes of what is typed
	Bounds                            string // of a number
	Text                              string // that it holds, as it is
	Open                              bool   // what is typed goes there
	Several, Secret, Number, Signless bool   // it takes several lines, a secret, a number, one that is not negative
}

// Answer holds what was said to a question.
type Answer struct {
	Label, Asked, Value string
	Style               styled.Style
	Remarks             []string
}

// Of returns the scene of m.
func Of(m *machine.Machine, st Status) Scene {
	signs, step := keymap.Of(m.Form()).Signs, m.Step()
	s := Scene{Form: m.Form(), Step: step, Mode: m.Mode(), Cursor: m.Cursor(), Reading: m.ReadOnly(), Typing: m.Typing(), Others: st.Others, Guarded: st.Guarded,
		Who: text.Asker(st.Agent, st.Machine, 24) + asks, Dir: text.Tilde(text.OneLine(st.Cwd, 200)), Pane: text.OneLine(st.Pane, 40),
		Notice: m.Notice(), Offered: offered(m)}
	if st.Pictures > 0 {
		s.Pictures = Counted(st.Pictures, "picture") + " attached"
	}
	s.stands(st, signs)
	if s.Form.Review {
		s.tabs(m, signs)
	}
	for _, note := range st.Notes {
		s.Notes = append(s.Notes, text.Visible(note))
	}
	switch over := s.over(m, st); {
	case over:
	case m.Question() == nil:
		s.Heading, s.Open = signs.Review, open(m)
		for i := range s.Form.Questions {
			s.Answers = append(s.Answers, answer(m, i))
		}
		if s.Mode != machine.Note {
			s.Comment = before("comment: ", m.Comment())
		}
	default:
		s.question(m)
	}
	if st.Buttons {
		s.Primary, s.Actions = actions(m, st)
	}
	return s
}

// Where says from where the question is asked.
func (s *Scene) Where() string {
	return strings.Join(slices.DeleteFunc([]string{s.Dir, s.Pane}, func(part string) bool { return part == "" }), " · ")
}

// stands adds how it stands with the question.
func (s *Scene) stands(st Status, signs keymap.Signs) {
	switch {
	case s.Reading:
		s.Stands = st.How
	case st.Ended != nil && st.Ended.Outcome == form.Timeout:
		s.Stands = expired
	case st.Away != "" && st.Ended == nil:
		s.Stands = st.Away
	case st.Gone && st.Ended == nil:
		s.Stands = AgentGone
	case st.Deadline != nil:
		s.Clock = Clock{At: *st.Deadline, Down: true, Shows: st.Left}
	default:
		s.Clock = Clock{Before: signs.Waited, At: st.Start, Shows: st.Waited}
	}
	switch s.Trouble = st.Notice; {
	case st.Guarded:
		s.Trouble = held
	case st.Twice:
		s.Trouble = twice
	}
	if st.Ended != nil {
		s.Over = Over(st.Agent, *st.Ended, st.Mine, st.Verdict)
	}
}

// tabs adds one for each question, and for the review where it can be reached.
func (s *Scene) tabs(m *machine.Machine, signs keymap.Signs) {
	for i, q := range s.Form.Questions {
		tab := Tab{Mark: signs.Open, Label: Label(q.Label, 20), Done: m.Answer(i).Given(), Current: i == s.Step}
		if tab.Done {
			tab.Mark = signs.Done
		}
		s.Tabs = append(s.Tabs, tab)
	}
	if !m.ReviewHidden() {
		s.Tabs = append(s.Tabs, Tab{Label: signs.Review, Current: s.Step == len(s.Form.Questions)})
	}
}

// question adds what the question on view asks, and what was said to it.
func (s *Scene) question(m *machine.Machine) {
	q, a := m.Question(), m.Answer(s.Step)
	s.Question, s.Remarks, s.Typed = q, remarks(m, s.Step), m.Dangerous(s.Step) || q.Kind != form.One && q.Kind != form.Many
	s.Label, s.Danger, s.Asked, s.Answer, s.Preview = Label(q.Label, 60), m.Dangerous(s.Step), paragraphs(m), a, FocusedPreview(m)
	switch {
	case s.Danger:
		s.Heading = Destructive + s.Label
	case q.Named:
		s.Heading = s.Label
	}
	switch {
	case a.Given() && s.Typed:
		s.Said = "✓ " + text.Visible(Said(q, a))
	case !a.Given() && s.Form.Partial:
		s.Said = "unanswered"
	}
	if s.Mode != machine.Note {
		s.Note = before(noteWord(s.Form)+": ", a.Note)
	}
	if q.Document != nil {
		s.document(m)
	}
	for _, c := range m.Shown() {
		s.Choices = append(s.Choices, choice(m, c))
	}
	s.Filters = !s.Typed && len(q.Options) >= machine.FilterFrom
	if s.Typed || q.Other != "" {
		s.Entry = s.entry(m)
	}
}

// choice returns row c of the question on view.
func choice(m *machine.Machine, c int) Choice {
	q, step := m.Question(), m.Step()
	row := Choice{N: c, Label: Label(Name(q, c), 0), Selects: q.SelectRow && c == m.Choices(step)-1}
	row.Chosen, row.Mark = mark(m, c)
	if slices.Contains(q.Recommended, c) {
		row.Advised = Advised
	}
	if c < len(q.Options) {
		row.Description, row.Note = text.Visible(q.Options[c].Description), before("comment: ", m.Answer(step).OptionNotes[c])
	} else if !row.Selects && m.Mode() != machine.Entry {
		row.Meant, row.Typed = other(m)
	}
	return row
}

// entry returns that of the question on view.
func (s *Scene) entry(m *machine.Machine) *Entry {
	q := s.Question
	e := &Entry{Label: "Your answer", Placeholder: text.OneLine(q.Placeholder, 200), Text: m.EntryText(s.Step), Secret: q.Secret, Number: q.Kind == form.Number && !s.Danger,
		Several: !s.Danger && q.Kind != form.Number && (q.Kind != form.Text || q.Multiline), Bounds: bounds(q), Signless: q.Min != nil && *q.Min >= 0}
	switch {
	case s.Danger && q.Subject != nil:
		e.Label, e.Expected = allowing, text.Visible(q.Expected)
	case s.Danger:
		e.Label, e.Expected, e.About = confirm, text.Visible(q.Expected), confirmSends
	case q.Other != "":
		e.Label = Label(q.Other, 60)
	case q.Secret:
		e.About = aboutSecret
	}
	e.Open = slices.Contains([]machine.Mode{machine.Entry, machine.Text, machine.Danger}, s.Mode)
	return e
}

// over adds what lies over the question or the review, and reports whether that hides it. (A
// surface with buttons asks by itself whether a cancel is meant.)
func (s *Scene) over(m *machine.Machine, st Status) bool {
	switch {
	case m.Leaving() && st.Buttons:
		s.Heading = Leaving(st.Gone)
	case s.Mode == machine.Help:
		s.Heading = "Keys"
	case s.Mode == machine.Decline || s.Mode == machine.Reason:
		s.Heading, s.Cursor = Declining, m.Refusal()
		if reasons := m.Reasons(); reasons != nil {
			for i, reason := range append(slices.Clone(reasons), AnotherReason+"…") {
				s.Choices = append(s.Choices, Choice{N: i, Label: reason})
			}
		}
		if s.Mode == machine.Reason {
			s.Remark = &Entry{Label: YourReason, Text: m.Buffer(), Several: true, Open: true}
		}
	case s.Mode == machine.Note:
		s.Remark = &Entry{Label: remark(m), Text: m.Buffer(), Several: true, Open: true}
		return false
	case s.Mode == machine.Search:
		s.Remark = &Entry{Label: "Search", Text: m.Buffer(), Open: true}
		return false
	default:
		return false
	}
	return true
}

// answer returns what was said to question i.
func answer(m *machine.Machine, i int) Answer {
	q, a := &m.Form().Questions[i], m.Answer(i)
	said := Answer{Label: Label(q.Label, 40), Asked: text.Visible(q.Prompt), Value: text.Visible(Said(q, a)), Style: styled.Done, Remarks: remarks(m, i)}
	switch {
	case a.Given():
	case !m.ReadOnly() && !m.Untouched(i): // by Tab past its Enter; nobody is to send a form without it unawares
		said.Value, said.Style = "typed, and not answered yet", styled.Warn
	case q.Optional || m.ReadOnly():
		said.Value, said.Style = "not answered", styled.Dim
	default:
		said.Value, said.Style = "not answered yet", styled.Warn
	}
	return said
}

// remarks returns those on question i and what it has.
func remarks(m *machine.Machine, i int) (all []string) {
	q, a := &m.Form().Questions[i], m.Answer(i)
	if a.Note != "" {
		all = append(all, before(noteWord(m.Form())+": ", a.Note))
	}
	if q.Document != nil {
		all = append(all, lineNotes(m.Places(), a)...)
	}
	for _, c := range slices.Sorted(maps.Keys(a.OptionNotes)) {
		if c >= 0 && c < len(q.Options) && a.OptionNotes[c] != "" {
			all = append(all, "comment on “"+text.OneLine(q.Options[c].Label, 40)+"”: "+text.Visible(a.OptionNotes[c]))
		}
	}
	return all
}
