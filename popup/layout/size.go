package layout

import (
	"slices"
	"strings"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/cells"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/preview/styled"
	"github.com/askpane/askpane/popup/scene"
)

// A form that is opened in a box has so many columns at least, and so many at most if
// it has no preview to show; and so many rows at least. Prose is read in shorter lines.
const (
	leastColumns, mostColumns = 74, 98
	leastRows                 = 6
	proseColumns              = 76
)

// Beside a preview a description has so many columns, before the popup is not made wider
// for it; and so many stand between the choices and what the preview's lines need.
const proseBeside, gapBeside = 44, 5

// Padding counts the columns that stay free on each side of a page, from PaddedFrom columns on.
const Padding, PaddedFrom = 1, 50

// A text of several lines gets typingRows to begin with, beside its first row.
const typingRows = 4

// A person's remark on a question gets remarkRows below it. While
// it is written, it may stand in the place of the answer.
const remarkRows = 1

// Size returns how many columns and rows m's form needs, padding included, of at most so
// many: columns for all of its questions, and rows for each, the review last, with some to
// spare for what is typed if it cannot grow then. Previews count with the lines they are
// written in, since another program draws them.
func Size(m *machine.Machine, st scene.Status, spare bool, width, height int) (columns int, rows []int) {
	steps := len(m.Form().Questions)
	if m.Form().Review {
		steps++
	}
	columns = columnsOf(m, st.Agent, steps, height)
	for step := range steps {
		need := leastRows
		for at := range standing(m, step) {
			p := Form(scene.Of(at, st), Screen{Previews: raw{height}.Rows}, min(width, columns)-2*Padding, height)
			n := p.Rows()
			if q := at.Question(); q != nil && spare {
				n += typed(m.Form(), q)
			}
			need = max(need, n)
		}
		rows = append(rows, min(need, height))
	}
	return columns, rows
}

// typed counts the rows that what is typed to a question may take besides.
func typed(f *form.Form, q *form.Question) (rows int) {
	if q.Kind == form.Text && q.Multiline && !q.Secret {
		rows = typingRows
	}
	if f.Remarks != "" {
		rows += remarkRows
	}
	return rows
}

// columnsOf returns what the longest row of any question needs, and with previews what they
// need beside the choices.
func columnsOf(m *machine.Machine, agent string, steps, height int) int {
	most, beside := leastColumns, 0
	for step := range steps {
		for at := range standing(m, step) {
			if q := at.Question(); q != nil && q.Document != nil {
				most = max(most, min(mostColumns, widest(q.Document.Text)+6+2*Padding))
			}
			shown, choices, room := scene.FocusedPreview(at), 0, mostColumns-2*Padding
			if shown != nil {
				room = min(room, besideFrom-1) // the choices by themselves
			}
			p := Form(scene.Of(at, scene.Status{Agent: agent}), Screen{Previews: raw{0}.Rows}, room, height)
			for _, h := range p.Hits {
				choices = max(choices, p.Body[h.Row].Width())
			}
			if s := at.Question(); s != nil && s.Subject != nil {
				most = max(most, min(mostColumns, widest(shown.Content)+4+2*Padding))
			} else if shown != nil && p.Pane.Row > 0 { // a dangerous question shows none
				for _, row := range p.Body[p.Hits[0].Row : p.Pane.Row-1] {
					choices = max(choices, min(row.Width(), proseBeside))
				}
				beside = max(beside, choices+gapBeside+widest(shown.Content))
				p.Body = p.Body[:p.Focus[1]]
			}
			for _, row := range slices.Concat(p.Head[1:], p.Body) {
				most = max(most, row.Width()+2*Padding)
			}
		}
	}
	if beside > 0 {
		most = max(most, beside+2*Padding, besideFrom+2*Padding)
	}
	return most
}

// standing yields m on a step, and once more for each choice that shows something of its
// own when it has the focus.
func standing(m *machine.Machine, step int) func(yield func(*machine.Machine) bool) {
	return func(yield func(*machine.Machine) bool) {
		at := m.On(step, 0)
		q := at.Question()
		if !yield(at) || q == nil {
			return
		}
		for c, o := range q.Options {
			own := o.Preview != nil || q.Style == form.Buttons && o.Description != ""
			if c > 0 && own && !yield(m.On(step, c)) {
				return
			}
		}
	}
}

// raw counts the rows that a preview takes as the lines it is written in, as many as
// there may be room for. They are empty.
type raw struct{ most int }

const mostRaw = 16 << 10 // bytes of a preview that are looked at

func (r raw) Rows(p form.Preview, width int) (rows []styled.Row) {
	for line := range strings.Lines(strings.TrimRight(p.Content[:min(len(p.Content), mostRaw)], " \n")) {
		if len(rows) >= r.most {
			break
		}
		count := len(cells.Wrap(shown(line), width))
		rows = append(rows, make([]styled.Row, count)...)
	}
	return rows
}

// widest returns the width of a preview's longest line; blocks of code in text are indented.
func widest(content string) int {
	most, indent := 0, 0
	if strings.Contains(content, "```") {
		indent = 2
	}
	for line := range strings.Lines(content[:min(len(content), mostRaw)]) {
		most = max(most, cells.Width(shown(line)))
	}
	return most + indent
}

// shown returns a line of a preview as it is shown.
func shown(line string) string {
	if line = strings.TrimRight(line, "\n"); cells.ASCII(line) {
		return line
	}
	return text.Bare(text.Visible(line))
}
