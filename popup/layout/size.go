package layout

import (
	"cmp"
	"strings"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/cells"
	"github.com/askpane/askpane/popup/scene"
)

// A form that is opened in a box has so many columns at least, and so many at most if
// it has no preview to show; and so many rows at least. Prose is read in shorter lines.
const (
	leastColumns, mostColumns = 74, 98
	leastRows                 = 6
	proseColumns              = 76
)

// Choices get at most so many columns beside a preview, before the popup is made wider for them;
// and so many stand between them and what the preview's lines need.
const choicesBeside, gapBeside = 44, 5

// Padding counts the columns that stay free on each side of a page, from PaddedFrom columns on.
const Padding, PaddedFrom = 1, 50

// A text of several lines gets typingRows to begin with, beside its first row.
const typingRows = 4

// A text loses so many columns at most to what stands before and behind it in each of its rows: a
// choice's number, box and mark, or the bar of a prompt.
const lost = 10

// Size returns how many columns and rows a form needs, padding and a notice below it included, of
// at most so many: columns for all of its questions, and rows for each, the review last, with some
// to spare for what is typed if it cannot grow then. It counts from the form's data, since an asker
// that opens a popup lays nothing out. So a form that nobody has touched has room for all of it,
// and for some rows more where its texts are long or have marks.
func Size(f *form.Form, notice string, danger, spare bool, width, height int) (columns int, rows []int) {
	columns = columnsOf(f)
	width = min(width, columns) - 2*Padding
	for i := range f.Questions {
		rows = append(rows, rowsOf(f, i, danger, spare, width))
	}
	if f.Review {
		rows = append(rows, reviewOf(f, width))
	}
	for i := range rows {
		rows[i] = min(max(leastRows, rows[i]+max(0, wrapped(notice, width)-1)), height)
	}
	return columns, rows
}

// columnsOf counts those of a form: the least for short texts, what prose needs for long ones, and the
// most where something else is wider; and with previews what they need beside the choices.
func columnsOf(f *form.Form) int {
	most, beside, brief := leastColumns, 0, briefly(f, mostColumns-2*Padding)
	need := func(said string, atMost int) { most = max(most, min(widest(said)+lost, atMost)+2*Padding) }
	for i := range f.Questions {
		q := &f.Questions[i]
		choices, previews := 0, 0
		need(q.Prompt+"\n"+q.Description, proseColumns)
		for c, o := range q.Options {
			choices = max(choices, widest(scene.Name(q, c)+"\n"+o.Description)+lost)
			need(scene.Name(q, c), mostColumns-2*Padding)
			if need(o.Description, proseColumns); brief {
				need(strings.Repeat(" ", behind(q))+o.Description, mostColumns-2*Padding)
			}
			if o.Preview != nil {
				previews = max(previews, widest(o.Preview.Content))
			}
		}
		if previews > 0 {
			beside = max(beside, besideFrom, min(choices, choicesBeside)+gapBeside+previews)
		}
		need(subject(q), mostColumns-2*Padding)
	}
	return max(most, beside+2*Padding)
}

// rowsOf counts those of question i: who asks, the keys and what parts them, and all its texts.
func rowsOf(f *form.Form, i int, danger, spare bool, width int) int {
	q, prose := &f.Questions[i], min(width, proseColumns)-lost
	n := 5 + wrapped(q.Prompt, prose) + wrapped(q.Description, prose)
	if i == 0 {
		n += wrapped(f.Title, prose) + wrapped(f.Intro, prose) + min(1, len(f.Title+f.Intro))
	}
	if len(q.Prompt) > scene.MostStrong { // one sentence parts it
		n += 2
	}
	for _, row := range []bool{f.Review, f.Partial} {
		if row {
			n++
		}
	}
	if spare && f.Remarks != form.NoRemarks {
		n++
	}
	if spare && q.Multiline && !q.Secret {
		n += typingRows
	}
	if said := subject(q); said != "" {
		n += 2 + wrapped(said, width-lost)
	}
	switch {
	case danger && q.Dangerous:
		return n + 5 + wrapped(scene.Destructive+q.Label, width)
	case q.Kind == form.Number || q.Kind == form.Text:
		return n + 3 + wrapped(*cmp.Or(q.Initial.Text, new("")), prose)
	}
	return n + choicesOf(f, q, width)
}

// reviewOf counts the rows of the review, with the answers that stand there at the start.
func reviewOf(f *form.Form, width int) int {
	n := 7
	for i := range f.Questions {
		q, said := &f.Questions[i], "typed, and not answered yet"
		if q.Preset {
			said = scene.Said(q, q.Initial)
		}
		room := width - len(cursor) - len(number(i))
		if beside := room - widest(scene.Label(q.Label, 40)+": "); beside >= 16 {
			room = beside
		} else { // as reviewRow has it
			n++
		}
		n += max(1, wrapped(said, room))
	}
	return n
}

// subject returns what a question shows in a frame above its choices; empty for nothing.
func subject(q *form.Question) string {
	switch {
	case q.Subject != nil:
		return q.Subject.Shown.Content
	case q.Document != nil:
		return strings.ReplaceAll("\n"+q.Document.Text, "\n#", "\n\n#")[1:] // a title has a line below it
	}
	return ""
}

// choicesOf counts the rows of a question's choices, with the previews beside or below them.
func choicesOf(f *form.Form, q *form.Question, width int) int {
	row, labels, about, longest, previews, wants, needs := "", 0, 0, 0, 0, 0, 0
	sign := ""
	if q.Kind == form.Many {
		sign = "☐_"
	}
	for c, o := range q.Options {
		needs = max(needs, widest(scene.Name(q, c))+lost+len(scene.Advised), min(widest(o.Description)+lost, proseColumns))
		if o.Preview != nil {
			wants = max(wants, leastBeside, widest(o.Preview.Content)+1)
		}
	}
	room, below := width, width-4 // of choices, and of previews
	if wants > 0 && width >= besideFrom {
		room = min(needs, max(width*2/5, width-2-wants))
		below = width - room - 2
	}
	for c, o := range q.Options {
		name := scene.Label(scene.Name(q, c), 0)
		row += "[_" + sign + strings.ReplaceAll(name, " ", "_") + "_]_ "
		labels += max(1, wrapped(name, room-lost-len(scene.Advised)))
		said := wrapped(o.Description, min(room, proseColumns)-lost)
		about, longest = about+said, max(longest, said)
		if o.Preview != nil {
			previews = max(previews, 2+wrapped(o.Preview.Content, below))
		}
	}
	if labels += min(1, len(q.Other)); q.SelectRow {
		labels++
	}
	switch {
	case q.Style == form.Buttons && inARow(q, width):
		return wrapped(row+"[_"+sign+strings.ReplaceAll(q.Other, " ", "_")+"_]", width) + longest + min(1, longest)
	case briefly(f, room):
		about = 0
	}
	if room < width {
		return max(labels+about, previews)
	}
	return labels + about + previews
}

const mostRaw = 16 << 10 // bytes of a text that are looked at

// wrapped counts the rows that a text takes.
func wrapped(said string, columns int) (n int) {
	for line := range strings.Lines(strings.TrimRight(said[:min(len(said), mostRaw)], " \n")) {
		n += len(cells.Wrap(shown(line), columns))
	}
	return n
}

// widest returns the width of a text's longest line; blocks of code in it are indented.
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

// shown returns a line of a text as it is shown.
func shown(line string) string {
	if line = strings.TrimRight(line, "\n"); cells.ASCII(line) {
		return line
	}
	return text.Bare(text.Visible(line))
}
