package styled

import (
	"math"

	"github.com/askpane/askpane/bridge/text/cells"
)

// cut returns the part of r's text from one byte to another.
func (r Row) cut(from, to int) Row {
	var part Row
	for _, s := range r {
		size := len(s.Text)
		if begin, end := max(0, from), min(size, to); begin < end {
			s.Text = s.Text[begin:end]
			part = append(part, s)
		}
		from, to = from-size, to-size
	}
	return part
}

// Wrap breaks spans into rows of at most width cells, where cells.Wrap would. One sign
// may be wider than a row.
func Wrap(spans []Span, width int) []Row {
	var rows []Row
	for from, to := range cells.Rows(Row(spans).String(), width) {
		rows = append(rows, Row(spans).cut(from, to))
	}
	return rows
}

// continued stands before each further row of a line of code that is too long.
const continued = "↳ "

// Continues reports whether a row of code is a further one of its line.
func (r Row) Continues() bool { return len(r) > 0 && r[0] == (Span{Text: continued, Style: Dim}) }

// WrapCode breaks lines after blanks, and only a word that is longer than a row within.
// Each sign of code counts, so every blank stays, and a line's own indent is no place
// to break at.
func WrapCode(spans []Span, width int) []Row {
	var rows []Row
	for _, line := range Wrap(spans, math.MaxInt) {
		var head Row
		from, used := 0, 0
		at, word, wordUsed, text := 0, 0, 0, false // the word begins at a byte and a cell of the row
		for sign, w := range cells.Graphemes(line.String()) {
			for used > 0 && used+w > width-head.Width() {
				if word <= from || text && sign == " " {
					word, wordUsed = at, used
				}
				rows = append(rows, append(head, line.cut(from, word)...))
				from, used = word, used-wordUsed
				wordUsed = 0
				if head = nil; width > 2*cells.Width(continued) {
					head = Row{{Text: continued, Style: Dim}}
				}
			}
			at += len(sign)
			used += w
			if text = text || sign != " "; text && sign == " " {
				word, wordUsed = at, used
			}
		}
		rows = append(rows, append(head, line.cut(from, at)...))
	}
	return rows
}
