package layout

import "github.com/askpane/askpane/popup/preview/styled"

// peekPage lays the pane's screen out in the place of the form.
func (l *layouter) peek() {
	l.Head = append(l.Head, styled.Row{in(styled.Accent, "What the asking pane shows")})
	for _, row := range l.st.Peek {
		l.Body = append(l.Body, styled.Row{in(styled.Dim, gutter), in(styled.Text, row)})
	}
	if len(l.Body) == 0 {
		l.Body = append(l.Body, styled.Row{in(styled.Dim, "It shows nothing.")})
	}
	l.Foot = append(l.Foot, styled.Row{in(styled.Dim, shorten("Esc back to the question · ↑↓ PgUp PgDn scroll", l.width))})
}
