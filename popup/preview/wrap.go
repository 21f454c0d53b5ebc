package preview

import (
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/askpane/askpane/bridge/text/cells"
)

// cell is one sign as a person sees it (a grapheme cluster), 0, 1 or 2 wide.
type cell struct {
	text  string
	width int
	style tcell.Style
}

func (l Line) width() int {
	w := 0
	for _, s := range l {
		w += cells.Width(s.Text)
	}
	return w
}

// split takes spans apart into cells. Clusters are found in the whole text, since
// a span may end in the midst of one.
func split(spans []Span) (all []cell, whole string) {
	var b strings.Builder
	for _, s := range spans {
		b.WriteString(s.Text)
	}
	whole = b.String()
	all = make([]cell, 0, len(whole))
	span, left := 0, 0
	if len(spans) > 0 {
		left = len(spans[0].Text)
	}
	for cluster, width := range cells.Graphemes(whole) {
		for left <= 0 && span+1 < len(spans) {
			span++
			left += len(spans[span].Text)
		}
		left -= len(cluster)
		all = append(all, cell{cluster, width, spans[span].Style})
	}
	return all, whole
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

// wrap breaks spans into rows of at most width cells, as cells.Wrap does, and puts
// … for a sign that is wider.
func wrap(spans []Span, width int) []Line {
	all, whole := split(spans)
	var rows []Line
	at := 0 // where all begins in whole
	take := func(to int) (row []cell) {
		n := 0
		for ; at < to; n++ {
			at += len(all[n].text)
			if all[n].width > max(1, width) {
				all[n].text = "…"
			}
		}
		row, all = all[:n], all[n:]
		return row
	}
	for from, to := range cells.Rows(whole, width) {
		take(from)
		rows = append(rows, join(take(to)))
	}
	return rows
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
