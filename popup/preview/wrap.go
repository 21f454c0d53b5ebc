package preview

import (
	"strings"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/uniseg"
)

// cell is one sign as a person sees it (a grapheme cluster), 0, 1 or 2 wide.
type cell struct {
	text  string
	width int
	style tcell.Style
	// may: a row may end after it; must: it is a line break.
	may, must bool
}

func cells(text string) int { return uniseg.StringWidth(text) }

func (l Line) width() int {
	w := 0
	for _, s := range l {
		w += cells(s.Text)
	}
	return w
}

// split takes spans apart into cells. Clusters and break opportunities (UAX 14)
// are found in the whole text, since a span may end in the midst of either.
func split(spans []Span) []cell {
	var whole strings.Builder
	for _, s := range spans {
		whole.WriteString(s.Text)
	}
	rest, state := whole.String(), -1
	out := make([]cell, 0, len(rest))
	span, left := 0, 0
	if len(spans) > 0 {
		left = len(spans[0].Text)
	}
	for rest != "" {
		var cluster string
		var bounds int
		cluster, rest, bounds, state = uniseg.StepString(rest, state)
		for left <= 0 && span+1 < len(spans) {
			span++
			left += len(spans[span].Text)
		}
		left -= len(cluster)
		c := cell{text: cluster, width: bounds >> uniseg.ShiftWidth, style: spans[span].Style}
		c.must = cluster == "\n"
		c.may = bounds&uniseg.MaskLine != uniseg.LineDontBreak
		out = append(out, c)
	}
	return out
}

// join puts cells together again, one span a style.
func join(row []cell) Line {
	var line Line
	for len(row) > 0 {
		n := 1
		for n < len(row) && row[n].style == row[0].style {
			n++
		}
		var b strings.Builder
		for _, c := range row[:n] {
			b.WriteString(c.text)
		}
		line = append(line, Span{b.String(), row[0].style})
		row = row[n:]
	}
	return line
}

// wrap breaks spans into rows of at most width cells: at line breaks, else
// where Unicode allows it, else, in a word that is too long, anywhere.
func wrap(spans []Span, width int) []Line {
	var rows []Line
	breakRows(split(spans), width, func(row []cell) {
		for len(row) > 0 && row[len(row)-1].text == " " {
			row = row[:len(row)-1]
		}
		rows = append(rows, join(row))
	})
	return rows
}

// breakRows calls row with each row that the cells fill, at least once.
func breakRows(all []cell, width int, row func([]cell)) {
	width = max(1, width)
	start, used, may := 0, 0, -1
	for i := 0; i < len(all); i++ {
		c := &all[i]
		if c.must {
			row(all[start:i])
			start, used, may = i+1, 0, -1
			continue
		}
		if c.width > width {
			c.text, c.width = "…", 1
		}
		// Blanks at the end of a row may hang over its edge.
		if used+c.width > width && c.text != " " {
			end := i
			if may > start {
				end = may
			}
			row(all[start:end])
			start, used, may = end, 0, -1
			i = end - 1
			continue
		}
		used += c.width
		if c.may {
			may = i + 1
		}
	}
	row(all[start:])
}

// clip cuts text to width cells, with an ellipsis where something is gone.
func clip(text string, width int) string {
	if cells(text) <= width {
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

// indent puts first before the first row and rest before the others.
func indent(rows []Line, first, rest Span) []Line {
	for i := range rows {
		head := rest
		if i == 0 {
			head = first
		}
		rows[i] = append(Line{head}, rows[i]...)
	}
	return rows
}
