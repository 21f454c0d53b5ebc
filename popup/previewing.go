package popup

import (
	"cmp"
	"strings"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/preview/styled"
)

// A preview stands beside the choices from besideFrom columns on. Below them it
// shows previewRows rows until it is expanded.
const (
	besideFrom  = 100
	previewRows = 6
)

// previewer gives previews in rows of at most so many cells, at once: those that it
// has so far. The rows may not be changed.
type previewer interface {
	Rows(p form.Preview, width int) []styled.Row
}

// choices lists the choices, and what the one under the cursor has to show.
func (l *layouter) choices() {
	p := focusedPreview(l.m)
	if p == nil {
		l.list()
		l.note()
		return
	}
	full, top := l.width, len(l.body)
	if full >= besideFrom && !l.st.expanded {
		l.width = full/2 - 1
		l.list()
		l.note()
		l.width = full
		l.beside(top, l.st.previews.Rows(*p, full-full/2-2))
		return
	}
	l.list()
	l.note()
	rows := l.st.previews.Rows(*p, full-4)
	cut := !l.st.expanded && len(rows) > previewRows
	if cut {
		rows = rows[:previewRows]
	}
	l.body = append(l.body, line{{"  ╭ " + cmp.Or(text.OneLine(p.Type, 20), "preview"), l.theme.Dim}})
	for _, r := range rows {
		l.body = append(l.body, append(line{{"  │ ", l.theme.Dim}}, l.spans(r)...))
	}
	end := "  ╰"
	if cut {
		end += " e shows the rest"
	}
	l.body = append(l.body, line{{end, l.theme.Dim}})
}

// beside puts a preview to the right of the choices, which begin at row top and
// have been laid out over the left half.
func (l *layouter) beside(top int, rows []styled.Row) {
	column := l.width / 2
	for i, r := range rows {
		for top+i >= len(l.body) {
			l.body = append(l.body, nil)
		}
		at := l.body[top+i]
		pad := strings.Repeat(" ", max(0, column-at.width()))
		at = append(at[:len(at):len(at)], span{pad + "│ ", l.theme.Dim})
		l.body[top+i] = append(at, l.spans(r)...)
	}
}

// spans is a row of a preview in the theme's styles.
func (l *layouter) spans(r styled.Row) line {
	var spans line
	for _, s := range r {
		spans = append(spans, span{s.Text, l.theme.Preview.Of(s)})
	}
	return spans
}
