package machine

import (
	"maps"
	"slices"
	"strings"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/document"
)

// A question that is about a document has two places where the keys may be: in the document
// (Document), where a cursor stands on one of its places, and on the choices (List).

const (
	Document Mode = "document"
	Search   Mode = "search" // the entry of what is looked for in it
)

// What can be done in a document.
const (
	ToLine      Action = iota + 100 // the place that line N, counted from 1, belongs to
	NoteLine                        // open the remark on the place under the cursor
	NextHeading                     // the heading below
	PrevHeading                     // the heading above
	OpenSearch                      // the entry of what is looked for
	NextMatch                       // of what was looked for, below
	PrevMatch                       // and above
	Turn                            // from the document to the choices, and back
)

// onLine: a remark is about a place of the document.
const onLine = onForm + 1

// listed returns the mode of a question with choices.
func (m *Machine) listed() Mode {
	if m.doc != nil && !m.s.Choosing {
		return Document
	}
	return List
}

// open reads the document of question i, whose remarks begin with what the person has not
// sent of those on the version before.
func (m *Machine) open(i int) {
	d := m.form.Questions[i].Document
	m.doc, m.s.Answers[i].LineNotes, m.s.Line = document.Parse(d.Text), maps.Clone(d.Kept), 1
	if len(d.Changed) > 0 {
		m.s.Line = m.doc.Place(d.Changed[0])
	}
}

// Line returns the line of the document where the cursor stands, counted from 1.
func (m *Machine) Line() int { return m.doc.Place(m.s.Line) }

// Places returns those of the document; nil where there is none.
func (m *Machine) Places() *document.Document { return m.doc }

// Searched returns what was looked for in the document; empty for nothing.
func (m *Machine) Searched() string { return m.s.Search }

// read handles an event on a question that is about a document, and reports whether it means
// something there.
func (m *Machine) read(e Event) bool {
	if e.Action == Pick || m.s.Choosing && slices.Contains([]Action{Up, Down, First, Last}, e.Action) {
		return false
	}
	switch e.Action {
	case Up:
		m.s.Line = m.doc.Step(m.s.Line, -1)
	case Down:
		m.s.Line = m.doc.Step(m.s.Line, 1)
	case First:
		m.s.Line = m.doc.Place(1)
	case Last:
		m.s.Line = m.doc.Last()
	case ToLine:
		m.s.Line = m.doc.Place(e.N)
	case NextHeading:
		m.s.Line = m.doc.Heading(m.s.Line, 1)
	case PrevHeading:
		m.s.Line = m.doc.Heading(m.s.Line, -1)
	case OpenSearch:
		m.s.Over, m.s.Search = Search, ""
	case NextMatch:
		m.find(1)
	case PrevMatch:
		m.find(-1)
	case Turn:
		m.s.Choosing = !m.s.Choosing
	default:
		return !m.s.Choosing
	}
	return true
}

// find goes to the next place that has what was looked for, as Document.Find.
func (m *Machine) find(by int) {
	place, found := m.doc.Find(m.s.Search, m.s.Line, by)
	if m.s.Line = place; !found && m.s.Search != "" {
		m.notice = "“" + text.OneLine(m.s.Search, 24) + "” is not in the document."
	}
}

// asWritten reports whether the entry of question i, which is about a document, holds
// nothing but that.
func (m *Machine) asWritten(i int) bool {
	d := m.form.Questions[i].Document
	return d != nil && strings.TrimRight(m.s.Entries[i], "\n") == strings.TrimRight(text.Entered(d.Text), "\n")
}

// openOther opens the entry of the question's Other: for a document with its text, to be edited.
func (m *Machine) openOther() {
	m.s.Over = Entry
	if d := m.Question().Document; d != nil && m.s.Entries[m.s.Step] == "" {
		m.s.Entries[m.s.Step] = text.Entered(d.Text)
	}
}

// mayAskRemarks reports whether the remark that is open is one that askRemarks opens.
func (m *Machine) mayAskRemarks() bool {
	q, c := m.Question(), m.Cursor()
	return m.s.Remark == onForm && q != nil && c < len(q.Options) && q.Options[c].Remarks
}

// askRemarks opens the remark on the form before choice c is the answer.
func (m *Machine) askRemarks(c int) {
	if m.openNote(NoteForm); m.s.Over == Note {
		m.s.Cursors[m.s.Step], m.s.Sends = c, true
	}
}

// NotesLine reports whether the open remark is on a place of the document.
func (m *Machine) NotesLine() bool { return m.s.Over == Note && m.s.Remark == onLine }

// Sends reports whether accepting the open remark answers the question.
func (m *Machine) Sends() bool { return m.s.Sends && m.s.Over == Note }
