package layout

import (
	"strings"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/preview/styled"
)

// gutter stands left of every row of what an agent wrote at length: nothing of
// ours begins with it, so that no such text can pass for a choice, a tab, the
// review or the form's frame, without colours too.
const gutter = "┊ "

// quote adds an agent's text, if there is one, to the body, wrapped, with the gutter after indent.
func (l *layouter) quote(indent string, said string, style styled.Style) {
	if said == "" {
		return
	}
	l.marked(styled.Row{in(style, indent), in(styled.Dim, gutter)}, style, said)
}

// under is the beginning of a row that goes on with an agent's text which began
// indent columns from the left: the gutter just before them.
func under(indent int) styled.Row {
	return styled.Row{in(styled.Dim, strings.Repeat(" ", indent-width(gutter))+gutter)}
}

// label is an agent's short name for something, which stands in a row with signs
// of ours: one line, in which those signs show as text. most is in runes; 0 is
// no limit.
func label(name string, most int) string { return ours.Replace(text.OneLine(name, most)) }

// said is an answer in words, whose only signs are ours.
func said(q *form.Question, a form.Answer) string {
	return q.Say(a, typedSign, func(text string) string { return label(text, 0) })
}

// ours are the signs that say something in a row of ours, and those that look much
// like them: the cursors, what is chosen, ticked, typed or answered, the gutter,
// and what opens a dropdown.
var ours = func() *strings.Replacer {
	var pairs []string
	for _, sign := range []string{
		"❯", "❱", "➤", "✓", "✔", "✅", "🗸", "✎", "☑", "🗹", "☒", "☐", "◉", "●", "○", "◯", "■", "□", "┊", "┆", "│", "▾",
	} {
		pairs = append(pairs, sign, "⟨"+sign+"⟩")
	}
	return strings.NewReplacer(pairs...)
}()

// framed is a label between brackets of ours, in a tab or a button.
func framed(name string, most int) string { return brackets.Replace(label(name, most)) }

var brackets = strings.NewReplacer("[", "(", "]", ")")
