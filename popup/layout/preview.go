package layout

import (
	"cmp"
	"strings"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/preview/styled"
)

// A preview stands beside the choices from besideFrom columns on, which a popup has
// on a terminal of 100. Below them it shows previewRows rows until it is expanded.
const (
	besideFrom  = 86
	previewRows = 6
)

// Previewer gives previews in rows of at most so many cells, at once: those that it
// has so far. The rows may not be changed.
type Previewer interface {
	Rows(p form.Preview, width int) []styled.Row
}

// choices lists the choices, and what the one under the cursor has to show.
func (l *layouter) choices() {
	p, full, top := FocusedPreview(l.m), l.width, len(l.Body)
	beside := p != nil && full >= besideFrom && !l.st.Expanded
	if beside {
		l.width = full/2 - 1
	}
	l.list()
	l.note()
	l.width = full
	switch {
	case beside:
		l.beside(top, l.st.Previews.Rows(*p, full-full/2-2))
	case p != nil:
		l.below(p.Type, l.st.Previews.Rows(*p, full-4))
	}
}

// below puts a preview under the choices.
func (l *layouter) below(kind string, rows []styled.Row) {
	end := "  ╰"
	if !l.st.Expanded && len(rows) > previewRows {
		rows, end = rows[:previewRows], end+" e shows the rest"
	}
	l.Body = append(l.Body, styled.Row{in(styled.Dim, "  ╭ "+cmp.Or(text.OneLine(kind, 20), "preview"))})
	for _, r := range rows {
		l.Body = append(l.Body, append(styled.Row{in(styled.Dim, "  │ ")}, r...))
	}
	l.Body = append(l.Body, styled.Row{in(styled.Dim, end)})
}

// beside puts a preview to the right of the choices, which begin at row top and
// have been laid out over the left half.
func (l *layouter) beside(top int, rows []styled.Row) {
	column := l.width / 2
	for i, r := range rows {
		for top+i >= len(l.Body) {
			l.Body = append(l.Body, nil)
		}
		at := l.Body[top+i]
		pad := strings.Repeat(" ", max(0, column-at.Width()))
		at = append(at[:len(at):len(at)], in(styled.Dim, pad+"│ "))
		l.Body[top+i] = append(at, r...)
	}
}

// FocusedPreview is what the choice under the cursor has to show; nil for nothing.
func FocusedPreview(m *machine.Machine) *form.Preview {
	q := m.Question()
	if q == nil || m.Cursor() >= len(q.Options) {
		return nil
	}
	return q.Options[m.Cursor()].Preview
}
