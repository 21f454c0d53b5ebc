package popup

import (
	"cmp"
	"strings"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/preview"
)

// A preview stands beside the choices from besideFrom columns on. Below them it
// shows previewRows rows until it is expanded.
const (
	besideFrom  = 100
	previewRows = 6
)

// rendered remembers the last preview that was drawn: the clock draws the form
// every second, and a long preview takes longer than all the rest.
type rendered struct {
	of    form.Preview
	width int
	theme preview.Styles
	rows  []preview.Line
}

func (r *rendered) render(p form.Preview, width int, th preview.Styles) []preview.Line {
	if r.rows == nil || r.of != p || r.width != width || r.theme != th {
		*r = rendered{p, width, th, preview.Render(p, width, th)}
	}
	return r.rows
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
		l.beside(top, l.st.rendered.render(*p, full-full/2-2, l.theme.Preview))
		return
	}
	l.list()
	l.note()
	rows := l.st.rendered.render(*p, full-4, l.theme.Preview)
	cut := !l.st.expanded && len(rows) > previewRows
	if cut {
		rows = rows[:previewRows]
	}
	l.body = append(l.body, line{{"  ╭ " + cmp.Or(text.OneLine(p.Type, 20), "preview"), l.theme.Dim}})
	for _, r := range rows {
		l.body = append(l.body, append(line{{"  │ ", l.theme.Dim}}, spans(r)...))
	}
	end := "  ╰"
	if cut {
		end += " e shows the rest"
	}
	l.body = append(l.body, line{{end, l.theme.Dim}})
}

// beside puts a preview to the right of the choices, which begin at row top and
// have been laid out over the left half.
func (l *layouter) beside(top int, rows []preview.Line) {
	column := l.width / 2
	for i, r := range rows {
		for top+i >= len(l.body) {
			l.body = append(l.body, nil)
		}
		at := l.body[top+i]
		pad := strings.Repeat(" ", max(0, column-at.width()))
		at = append(at[:len(at):len(at)], span{pad + "│ ", l.theme.Dim})
		l.body[top+i] = append(at, spans(r)...)
	}
}

func spans(r preview.Line) line {
	var at line
	for _, s := range r {
		at = append(at, span{s.Text, s.Style})
	}
	return at
}
