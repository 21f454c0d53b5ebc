package styled

import (
	"strings"

	"github.com/askpane/askpane/bridge/text/cells"
)

// grapheme is one sign as a person sees it, 0, 1 or 2 cells wide.
type grapheme struct {
	span  Span // its text is the sign
	width int
}

// graphemes takes spans apart. Signs are found in the whole text, since a span may
// end in the midst of one.
func graphemes(spans Row) []grapheme {
	var all []grapheme
	span, left := -1, 0
	for sign, width := range cells.Graphemes(spans.String()) {
		for left <= 0 && span+1 < len(spans) {
			span++
			left += len(spans[span].Text)
		}
		left -= len(sign)
		one := spans[span]
		one.Text = sign
		all = append(all, grapheme{one, width})
	}
	return all
}

// joined puts graphemes together again, one span a style, with … for a sign that
// is wider than a row.
func joined(all []grapheme, width int) Row {
	var row Row
	var text strings.Builder
	for i, g := range all {
		if g.width > width {
			g.span.Text = "…"
		}
		text.WriteString(g.span.Text)
		last := i+1 == len(all)
		if !last {
			next := all[i+1].span
			next.Text = all[i].span.Text
			last = next != all[i].span
		}
		if last {
			g.span.Text = text.String()
			row = append(row, g.span)
			text.Reset()
		}
	}
	return row
}

// Wrap breaks spans into rows of at most width cells, where cells.Wrap would.
func Wrap(spans []Span, width int) []Row {
	width = max(1, width)
	all := graphemes(spans)
	at := 0 // where all begins in the text
	take := func(to int) []grapheme {
		n := 0
		for ; at < to; n++ {
			at += len(all[n].span.Text)
		}
		taken := all[:n]
		all = all[n:]
		return taken
	}
	var rows []Row
	for from, to := range cells.Rows(Row(spans).String(), width) {
		take(from)
		rows = append(rows, joined(take(to), width))
	}
	return rows
}

// continued stands before each further row of a line of code that is too long.
const continued = "↳ "

// WrapCode breaks one line wherever a row is full: where code is broken says
// nothing, but each sign of it counts.
func WrapCode(line Row, width int) []Row {
	var rows []Row
	var head Row
	for all := graphemes(line); ; {
		room, n := width-head.Width(), 0
		for used := 0; n < len(all); n++ {
			if used += min(all[n].width, room); used > room {
				break
			}
		}
		rows = append(rows, append(head, joined(all[:n], room)...))
		if all = all[n:]; len(all) == 0 {
			return rows
		}
		head = nil
		if width > 2*cells.Width(continued) {
			head = Row{{Text: continued, Style: Dim}}
		}
	}
}
