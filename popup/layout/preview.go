package layout

import (
	"strings"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/preview/styled"
	"github.com/askpane/askpane/popup/scene"
)

// A preview stands beside the choices from besideFrom columns on, which a popup has
// on a terminal of 100. It is at least so wide then, and so high wherever it stands.
const (
	besideFrom   = 86
	leastBeside  = 28
	leastPreview = 3
)

// Pane places a preview in the body, which scrolls by itself: its first row
// and column, how many rows it has, and all the rows there are to show.
type Pane struct {
	Row, Col, Height int
	Rows             []styled.Row
	Lines            []int  // of a document: the place that each row belongs to
	Focus            [2]int // and the rows of the one under the cursor: from, to
}

// choices lists the choices, and what the one under the cursor has to show.
func (l *layouter) choices() {
	p, full, top := l.s.Preview, l.width, len(l.Body)
	column := l.column()
	if column > 0 {
		l.width = column - 1
	}
	l.list()
	l.note()
	l.width = full
	switch {
	case p == nil, l.s.Question.Subject != nil: // which stands above
	case column > 0:
		l.beside(top, column, *p)
	default:
		rows := l.on.Previews(*p, full-4)
		l.preview("  ╭ ", "  │ ", "  ╰", "", rows, max(leastPreview, l.left()-2))
	}
}

// column returns where previews begin beside the choices; 0 where they stand below. It is
// the same for all choices of a question, and the choices get no more than they need,
// nor than the widest preview leaves if that needs more than half.
func (l *layouter) column() int {
	wants := 0
	for _, o := range l.s.Question.Options {
		if o.Preview != nil {
			wants = max(wants, leastBeside, 1+widest(o.Preview.Content))
		}
	}
	if wants == 0 || l.width < besideFrom {
		return 0
	}
	trial := layouter{roomy: l.roomy, s: l.s, on: l.on, width: l.width, height: l.height}
	trial.list()
	need := 0
	for _, row := range trial.Body {
		need = max(need, row.Width()+2)
	}
	return min(need, max(l.width*2/5, l.width-2-wants))
}

// left counts the rows that are left where the whole form is to be on view.
func (l *layouter) left() int { return l.height - l.settled() }

// subject adds what is to be allowed, above the answer, which stays on view.
func (l *layouter) subject() {
	answer := layouter{roomy: l.roomy, s: l.s, on: l.on, width: l.width, height: l.height}
	if answer.blank(&answer.Body); l.s.Danger {
		answer.confirm()
	} else {
		answer.list()
	}
	s, rows, most := l.s.Question.Subject, l.on.Previews(*l.s.Preview, l.width-4), max(leastPreview, l.left()-len(answer.Body)-2)
	room := l.width - width("  ╭ "+s.Tool+" in ")
	if len(rows) > most {
		room -= width(more)
	}
	l.preview("  ╭ ", "  │ ", "  ╰", scene.Subject(s, max(12, room)), rows, most)
}

// preview adds rows in a frame with a name to the body, at most so many of them at once.
func (l *layouter) preview(begin, side, end, name string, rows []styled.Row, most int) {
	height := max(1, min(len(rows), most))
	l.Body = append(l.Body, l.caption(begin, name, len(rows) > height))
	l.Pane = Pane{Row: len(l.Body), Col: width(side), Height: height, Rows: rows}
	for range height {
		l.Body = append(l.Body, styled.Row{in(styled.Rule, side)})
	}
	l.Body = append(l.Body, styled.Row{in(styled.Rule, end)})
}

// more stands behind the name of a preview that is not on view whole.
const more = " · PgDn/PgUp more"

// caption begins the frame of a preview with a name, which may be empty.
func (l *layouter) caption(begin, name string, cut bool) styled.Row {
	keys := text.If(cut, more, "")
	if name == "" {
		keys = strings.TrimPrefix(keys, " · ")
	}
	name = shorten(name, max(8, l.width-width(begin)-width(keys)))
	return styled.Row{in(styled.Rule, begin), in(styled.Text, name), in(styled.Dim, shorten(keys, max(0, l.width-width(begin)-width(name))))}
}

// beside puts a preview to the right of the choices, which begin at row top: as high
// as both need and there is room for.
func (l *layouter) beside(top, column int, p form.Preview) {
	full, choices := l.width, l.Body[top:]
	l.width -= column
	rows := l.on.Previews(p, l.width-2)
	l.Body = l.Body[:top:top]
	height := max(len(choices)-2, min(len(rows), max(l.left()-2, leastPreview)))
	l.preview("╷ ", "│ ", "╵", "", append(rows[:len(rows):len(rows)], make([]styled.Row, max(0, height-len(rows)))...), height)
	l.width = full
	l.Pane.Col, l.Pane.Rows = column+2, rows
	for i := range l.Body[top:] {
		var left styled.Row
		if i < len(choices) {
			left = choices[i]
		}
		pad := in(styled.Text, strings.Repeat(" ", max(0, column-left.Width())))
		l.Body[top+i] = append(append(left[:len(left):len(left)], pad), l.Body[top+i]...)
	}
}

// expanded shows the preview in the place of the question, which is known by now, and says which
// choice it belongs to.
func (l *layouter) expanded(p form.Preview) {
	name := scene.Label(scene.Name(l.s.Question, l.s.Cursor), 0)
	if s := l.s.Question.Subject; s != nil {
		name = scene.Subject(s, max(12, l.width-width("╭ "+s.Tool+" in "+more)))
	}
	l.preview("╭ ", "│ ", "╰", name, l.on.Previews(p, l.width-2), max(1, l.left()-2))
	l.Focus = [2]int{0, 1}
}
