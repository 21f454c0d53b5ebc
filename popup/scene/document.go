package scene

import (
	"fmt"
	"maps"
	"slices"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/document"
	"github.com/askpane/askpane/popup/machine"
)

// Document is what a question is about, with what was said to it.
type Document struct {
	Text    string // Markdown, as it was written
	Places  *document.Document
	Line    int          // of the place under the cursor
	Focused bool         // the keys are there, and not on the choices
	Changed map[int]bool // the places that the version before had not
	About   string       // that they are marked; empty where none is
	Remarks []LineRemark // in the order of their lines
}

// LineRemark was said to a place of a document.
type LineRemark struct {
	Line int // of the place
	Text string
	Sent bool // with the version before, and so not with this one
}

// document adds that of the question on view.
func (s *Scene) document(m *machine.Machine) {
	shown := m.Question().Document
	d := &Document{Text: shown.Text, Places: m.Places(), Line: m.Line(), Focused: m.Mode() != machine.List, Changed: map[int]bool{}}
	for _, line := range shown.Changed {
		d.Changed[d.Places.Place(line)] = true
	}
	if len(d.Changed) > 0 {
		d.About = "+ has changed since you saw it"
	}
	add := func(notes map[int]string, before string, sent bool) {
		for line, note := range notes {
			d.Remarks = append(d.Remarks, LineRemark{d.Places.Place(line), before + text.Visible(note), sent})
		}
	}
	add(shown.Sent, "you said before: ", true)
	add(m.Answer(s.Step).LineNotes, "", false)
	slices.SortStableFunc(d.Remarks, func(a, b LineRemark) int { return a.Line - b.Line })
	if s.Document = d; d.Focused {
		s.Cursor = -1 // no choice has the focus
	}
}

// lineNotes lists what was said to the places of a document.
func lineNotes(places *document.Document, a form.Answer) (said []string) {
	for _, line := range slices.Sorted(maps.Keys(a.LineNotes)) {
		said = append(said, fmt.Sprintf("line %d “%s”: %s", line, text.OneLine(places.Quote(line), 40), text.Visible(a.LineNotes[line])))
	}
	return said
}
