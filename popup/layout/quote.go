package layout

import (
	"strings"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/preview/styled"
)

// bar stands left of every row of what an agent asks: nothing of ours begins with it,
// so that no such text can pass for a choice, a tab, the review or the form's frame,
// without colours too.
const bar = "▎ "

// asked adds what the agent asks, right of one bar.
func (l *layouter) asked() {
	head := styled.Row{in(styled.Accent, bar)}
	if l.s.Danger {
		head[0] = in(styled.Danger, bar)
	}
	for _, p := range l.s.Asked {
		if p.Gap && l.roomy {
			l.Body = append(l.Body, head)
		}
		from := len(l.Body)
		if l.marked(head, p.Style, p.Text); p.Style == styled.Strong {
			l.Asked = [2]int{from, len(l.Body)}
		}
	}
}

// marked adds an agent's text to the body, head before each row.
func (l *layouter) marked(head styled.Row, style styled.Style, said string) {
	for _, b := range styled.Markup(style, text.Bare(said)) {
		first, rest := head, head
		switch lead := (styled.Span{Text: b.Lead, Style: style}); {
		case b.Code:
			for _, row := range styled.WrapCode(b.Line, l.width-head.Width()) {
				l.Body = append(l.Body, append(head[:len(head):len(head)], row...))
			}
			continue
		case len(b.Lead) > l.width/4:
			b.Line = append(styled.Row{lead}, b.Line...)
		case b.Lead != "":
			first = append(head[:len(head):len(head)], lead)
			rest = append(head[:len(head):len(head)], styled.Span{Text: strings.Repeat(" ", width(b.Lead)), Style: style})
		}
		l.flow(min(l.width, proseColumns), first, rest, b.Line...)
	}
}

// framed is a label between brackets of ours, in a tab or a button.
func framed(label string) string { return brackets.Replace(label) }

var brackets = strings.NewReplacer("[", "(", "]", ")")
