package popup

import (
	"strings"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/uniseg"

	"github.com/askpane/askpane/bridge/form"
)

// span is a piece of text in one style. The text is safe to draw: form.Visible
// has seen whatever of it came from outside.
type span struct {
	text  string
	style tcell.Style
}

// line is one row of the screen.
type line []span

func (l line) width() int {
	w := 0
	for _, s := range l {
		w += uniseg.StringWidth(form.Bare(s.text))
	}
	return w
}

// draw draws l from x, y on and nothing right of x+width. Cells are set
// directly, never through tview's markup, so that no text can be markup.
func draw(screen tcell.Screen, x, y, width int, l line) {
	end := x + width
	for _, s := range l {
		rest, state := form.Bare(s.text), -1
		for rest != "" && x < end {
			var cluster string
			var w int
			cluster, rest, w, state = uniseg.FirstGraphemeClusterInString(rest, state)
			if w == 0 || x+w > end {
				continue
			}
			runes := []rune(cluster)
			screen.SetContent(x, y, runes[0], runes[1:], s.style)
			x += w
		}
	}
}

// wrap breaks text into rows of at most width cells: at line breaks, else
// where Unicode (UAX 14) allows it, else, for a word that is too long, anywhere.
func wrap(text string, width int) []string {
	width = max(1, width)
	var rows []string
	for _, paragraph := range strings.Split(form.Bare(text), "\n") {
		rows = append(rows, wrapParagraph(paragraph, width)...)
	}
	return rows
}

func wrapParagraph(text string, width int) (rows []string) {
	var row strings.Builder
	rowWidth := 0
	flush := func() {
		rows = append(rows, strings.TrimRight(row.String(), " "))
		row.Reset()
		rowWidth = 0
	}
	state := -1
	for text != "" {
		var segment string
		segment, text, _, state = uniseg.FirstLineSegmentInString(text, state)
		// Blanks at the end of a row may hang over its edge.
		w := uniseg.StringWidth(strings.TrimRight(segment, " "))
		if rowWidth > 0 && rowWidth+w > width {
			flush()
		}
		if w > width {
			word := strings.TrimRight(segment, " ")
			segment = breakWord(word, width, func(head string) {
				row.WriteString(head)
				flush()
			}) + segment[len(word):]
		}
		row.WriteString(segment)
		rowWidth += uniseg.StringWidth(segment)
	}
	return append(rows, strings.TrimRight(row.String(), " "))
}

// breakWord cuts rows off a word that is wider than a row; what is left fits.
func breakWord(word string, width int, row func(string)) string {
	var head strings.Builder
	headWidth, state := 0, -1
	for word != "" {
		var cluster string
		var w int
		cluster, word, w, state = uniseg.FirstGraphemeClusterInString(word, state)
		if headWidth+w > width && headWidth > 0 {
			row(head.String())
			head.Reset()
			headWidth = 0
		}
		head.WriteString(cluster)
		headWidth += w
	}
	return head.String()
}

// shorten cuts text to width cells, with an ellipsis where something is gone.
func shorten(text string, width int) string {
	if text = form.Bare(text); uniseg.StringWidth(text) <= width {
		return text
	}
	if width < 1 {
		return ""
	}
	var b strings.Builder
	used, state := 0, -1
	for text != "" {
		var cluster string
		var w int
		cluster, text, w, state = uniseg.FirstGraphemeClusterInString(text, state)
		if used+w > width-1 {
			break
		}
		b.WriteString(cluster)
		used += w
	}
	return b.String() + "…"
}
