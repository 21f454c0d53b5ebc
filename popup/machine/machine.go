// Package machine has the rules of a form: events in, state out. It knows
// no terminal, no clock and no file.
//
// The rule that must hold here: whatever events come in whatever order, the
// machine never panics, never yields an answer that the form would not take,
// and never forgets a text.
package machine

import (
	"slices"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/document"
)

// Mode says what keys mean now.
type Mode string

const (
	List    Mode = "list"    // the choices of a question
	Number  Mode = "number"  // a number that is nudged
	Closed  Mode = "closed"  // a text entry that is not open
	Text    Mode = "text"    // a text question whose entry is always open
	Danger  Mode = "danger"  // a dangerous question, answered by typing
	Entry   Mode = "entry"   // a text entry that was opened and can be left
	Note    Mode = "note"    // the entry of a remark
	Filter  Mode = "filter"  // the entry that filters the choices
	Decline Mode = "decline" // the reasons for declining
	Reason  Mode = "reason"  // the entry of a reason of one's own
	Review  Mode = "review"  // the list of all answers
	Help    Mode = "help"    // the keys; any key leaves
	Over    Mode = "over"    // the form has ended; nothing changes any more
)

// Action says what an event does.
type Action int

const (
	Up Action = iota
	Down
	First
	Last
	Choose       // the choice under the cursor, and go on; on a Many with a select row, toggle it
	Toggle       // the choice under the cursor, and stay
	Commit       // what is chosen so far is the answer
	Pick         // choice N, counted from 1
	Next         // the following question, or the review
	Prev         // the one before
	GoTo         // step N, counted from 0; the review is the one after the last question
	ToReview     // the review
	Open         // the entry of a number or a text question, or a dropdown
	Type         // the open entry now holds Text
	Accept       // what the open entry holds is meant
	Back         // leave an entry, a list of reasons or the help; what is unsaved of a remark is dropped
	Leave        // leave a remark and keep it
	Unanswer     // the question on view
	NoteOption   // open the remark on the option under the cursor
	NoteQuestion // open the remark on the question
	NoteForm     // open the remark on the form
	Find         // open the filter
	Recommend    // take what the agent recommends for this question
	RecommendAll // for all of them, and go to the review
	Refuse       // open the reasons for declining
	ShowHelp
	Cancel // the whole form
	Write  // open the entry of a number, a text or a reason to type: a number anew, a text where it ends
	End    // the form has ended elsewhere; nothing can be said here any more
	// TakeOffer puts into the entry what is Offered; what it held is offered then.
	TakeOffer
	Focus     // choice N, counted from 0, or the next that is shown; nothing is chosen
	TypeOther // open the entry of the question's Other to type where its text ends
	HandBack  // the question goes back to the agent's own dialog
)

// Event tells of one thing that the person did.
type Event struct {
	Action Action
	N      int
	Text   string
}

// Machine holds a form that is being answered.
type Machine struct {
	HandsBack bool // it can be handed back to the agent's own dialog, which waits for that
	Confirms  bool // a cancel is to be confirmed where the person has said or typed something
	Seen      bool // what is to be allowed, or the document, was on view to its end, on this surface

	form    *form.Form
	danger  bool  // the danger check is on
	reading bool  // nothing can be said to it
	s       Draft // what comes back with a draft
	refused string
	notice  string
	saved   bool // the last event has saved the open remark
	anew    int  // how often that has changed
	leaving bool // it waits for that
	under   Mode // what the help lies over
	outcome form.Outcome
	typing  bool               // what the open entry holds was typed here
	doc     *document.Document // that it is about; nil for none
	offer   *Draft             // the newest that was met, if the entry that is open is kept from it
}

// target says what a remark is about.
type target int

const (
	onQuestion target = iota
	onOption
	onForm
)

// New starts f from the beginning, or where draft left it. A draft that does
// not fit the form is used as far as it does. dangerCheck is the setting.
func New(f *form.Form, draft *Draft, dangerCheck bool) *Machine {
	n := len(f.Questions)
	m := &Machine{form: f, danger: dangerCheck, s: Draft{Version: form.Version,
		Answers: make([]form.Answer, n), Entries: make([]string, n), Checked: make([][]int, n), View: View{Cursors: make([]int, n), Row: n}}}
	for i := range f.Questions {
		m.preset(i)
		if f.Questions[i].Document != nil {
			m.open(i)
		}
	}
	if draft != nil {
		m.restore(*draft)
		m.distrust()
	}
	return m
}

// initial returns the answer that question i's agent would have it start with.
func (m *Machine) initial(i int) form.Answer {
	a := m.form.Questions[i].Initial.Said()
	if a.Text != nil {
		a.Text = new(text.Entered(*a.Text))
	}
	return a
}

// preset gives question i what its agent would have it start with; a dangerous
// one starts with nothing.
func (m *Machine) preset(i int) {
	q := &m.form.Questions[i]
	if q.Subject != nil { // on what allows nothing
		m.s.Cursors[i] = max(0, m.Choices(i)-1)
	}
	a := m.initial(i)
	if q.Dangerous || !a.Given() || q.Check(a) != nil {
		return
	}
	m.adopt(i, a)
	if q.Preset {
		m.s.Answers[i] = a
	}
}

// adopt has question i look as if the person had said a: what is ticked and typed, and
// where the cursor is.
func (m *Machine) adopt(i int, a form.Answer) {
	q := &m.form.Questions[i]
	if len(a.Choices) > 0 {
		m.s.Cursors[i] = a.Choices[0]
	}
	if typed := asTyped(a); typed != "" {
		m.s.Entries[i] = typed
	}
	if q.Kind != form.Many {
		return
	}
	m.s.Checked[i] = append([]int(nil), a.Choices...)
	if a.Text != nil {
		m.s.Checked[i] = append(m.s.Checked[i], len(q.Options))
	}
}

// Mode says what keys mean now.
func (m *Machine) Mode() Mode {
	switch {
	case m.outcome != "":
		return Over
	case m.s.Over != "":
		return m.s.Over
	default:
		return m.base()
	}
}

// base returns the mode of what is on view, with nothing over it.
func (m *Machine) base() Mode {
	q := m.Question()
	switch {
	case q == nil:
		return Review
	case m.Dangerous(m.s.Step):
		return Danger
	case q.Kind == form.Number:
		return Number
	case q.Kind == form.Text && q.Open:
		return Text
	case q.Kind == form.Text:
		return Closed
	default:
		return m.listed()
	}
}

func (m *Machine) Form() *form.Form { return m.form }

// Step returns the index of the question on view; len(Questions) is the review.
func (m *Machine) Step() int { return m.s.Step }

// Question returns the one on view; nil on the review.
func (m *Machine) Question() *form.Question {
	if m.s.Step >= len(m.form.Questions) {
		return nil
	}
	return &m.form.Questions[m.s.Step]
}

// Cursor returns the 0-based choice, or review row, under the cursor. After the
// options comes the question's Other, then the select row, where there are such;
// the row after the questions submits.
func (m *Machine) Cursor() int {
	if m.Question() == nil {
		return m.s.Row
	}
	return m.s.Cursors[m.s.Step]
}

// Answer returns what question i has been answered with so far, and its remarks.
func (m *Machine) Answer(i int) form.Answer { return m.s.Answers[i] }

func (m *Machine) Answers() []form.Answer { return m.s.Answers }

// Ticked reports whether choice c of question i, a Many, is ticked.
func (m *Machine) Ticked(i, c int) bool { return slices.Contains(m.s.Checked[i], c) }

// EntryText returns what is typed for question i.
func (m *Machine) EntryText(i int) string { return m.s.Entries[i] }

// Comment returns the remark on the form.
func (m *Machine) Comment() string { return m.s.Comment }

// Notice returns what the person should know about what they just did; often empty.
func (m *Machine) Notice() string { return m.notice }

// Unsay forgets it, where no event may come.
func (m *Machine) Unsay() { m.notice = "" }

// Result returns how the form ended; ok is false while it has not.
func (m *Machine) Result() (r form.Result, ok bool) {
	if m.outcome == "" {
		return r, false
	}
	r = form.Result{Outcome: m.outcome}
	switch m.outcome {
	case form.Answered, form.NeedsDiscussion:
		r.Answers, r.Comment = slices.Clone(m.s.Answers), m.s.Comment
	case form.Cancelled:
		r.Reason = m.refused
	}
	return r, true
}

// ReadOnly reports whether nothing can be said to the form.
func (m *Machine) ReadOnly() bool { return m.reading }

// Takes reports whether an action may do something: to a form that is only read,
// those may that change nothing but what is on view.
func (m *Machine) Takes(a Action) bool {
	switch mode := m.Mode(); a {
	case First, Last, Next, Prev, GoTo, ToReview, ShowHelp, End, ToLine, NextHeading, PrevHeading, Turn:
		return true
	case Up, Down:
		return !m.reading || mode != Number // there they change it
	case Focus:
		return slices.Contains([]Mode{List, Filter, Danger}, mode) && !m.leaving
	case Pick, Choose:
		return !m.reading || mode == Review
	case HandBack:
		return !m.reading && m.HandsBack && mode != Over
	case TypeOther, Write, Find, NoteQuestion, NoteOption, Unanswer:
		return !m.reading && m.offers(mode, a)
	default:
		return !m.reading || mode == Help
	}
}

// offers reports whether the question has what one of these actions is for: an entry that a
// letter opens, choices to filter, remarks, or leave to stay open.
func (m *Machine) offers(mode Mode, a Action) bool {
	switch a {
	case TypeOther:
		return mode == List && m.Question().Other != ""
	case Find:
		return mode == List && len(m.Question().Options) >= FilterFrom
	case NoteQuestion, NoteOption:
		return m.form.Remarks != form.NoRemarks
	case Unanswer:
		return m.Question() != nil && (m.form.Partial || m.form.Review && m.Question().Optional && m.s.Answers[m.s.Step].Given())
	}
	return mode == Number || mode == Decline || mode == Closed && m.Question().Kind == form.Text
}

// Handle does what an event says. Events that mean nothing in the present mode
// change nothing.
func (m *Machine) Handle(e Event) {
	if m.Mode() == Over || !m.Takes(e.Action) {
		return
	}
	m.s = m.s.clone() // a scene tries events on a copy of m, which shares these slices
	before := m.kept()
	if m.apply(e); m.outcome == "" || m.form.Subject() != nil { // an answer needs no draft, but a decision may be taken back
		m.handled(e, before)
	}
}

// ends has the actions that end the form wherever it stands.
var ends = map[Action]form.Outcome{End: form.Aborted, HandBack: form.Elsewhere}

func (m *Machine) apply(e Event) {
	mode, saved, leaving := m.Mode(), m.saved, m.leaving
	m.notice, m.saved, m.leaving = "", saved && (mode == Help || e.Action == ShowHelp), false
	if outcome, ends := ends[e.Action]; ends {
		m.outcome = outcome
		return
	}
	if leaving { // whatever it is takes the cancel back, but another one
		if e.Action == Cancel {
			m.outcome = form.Cancelled
		}
		return
	}
	if e.Action == TakeOffer {
		m.takeOffer()
		return
	}
	if mode != Help && e.Action == ShowHelp {
		m.under, m.s.Over = m.s.Over, Help
		return
	}
	switch mode {
	case Help:
		m.s.Over, m.under = m.under, "" // any key
	case Entry, Text, Danger, Note, Filter, Reason, Search:
		m.edit(mode, e, saved)
	case Decline:
		m.decline(e)
	case List, Document:
		m.anywhere(e, m.list)
	case Number, Closed:
		m.anywhere(e, m.value)
	case Review:
		m.anywhere(e, m.review)
	}
}

// anywhere does what means the same on every question and on the review, and
// leaves the rest to the mode.
func (m *Machine) anywhere(e Event, rest func(Event)) {
	switch e.Action {
	case Next:
		m.goTo(m.s.Step + 1)
	case Prev:
		m.goTo(m.s.Step - 1)
	case GoTo:
		m.goTo(e.N)
	case ToReview:
		m.goTo(len(m.form.Questions))
	case Cancel:
		m.cancel()
	case Refuse:
		m.openDecline()
	case Recommend:
		m.recommend()
	case RecommendAll:
		m.recommendAll()
	case Unanswer:
		m.unanswer()
	case NoteOption, NoteQuestion, NoteForm, NoteLine:
		m.openNote(e.Action)
	default:
		rest(e)
	}
}
