// Package cells lays text out in the cells of a terminal. A grapheme cluster takes
// none, one or two; widths are in cells.
//
// It takes its text as it is: text.Visible and, for a screen that we draw cell by
// cell, text.Bare come first. It imports nothing of ours.
package cells

import (
	"iter"
	"strings"

	"github.com/rivo/uniseg"
)

// From Roomy rows on a screen spends some on blank lines.
const Roomy = 14

// ASCII reports whether s is printable ASCII, of which each byte takes a cell. Most
// text is, and need not be searched for its graphemes.
func ASCII(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// Width counts the cells that s takes.
func Width(s string) int {
	if ASCII(s) {
		return len(s)
	}
	return uniseg.StringWidth(s)
}

// Graphemes yields those of s, each with its width.
func Graphemes(s string) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		for state := -1; s != ""; {
			var grapheme string
			var width int
			grapheme, s, width, state = uniseg.FirstGraphemeClusterInString(s, state)
			if !yield(grapheme, width) {
				return
			}
		}
	}
}

// Rows breaks s into rows of at most width cells, at least one: at line breaks,
// else where Unicode (UAX 14) allows it, else, in a word that is too long, between
// any two graphemes, of which one may be wider than a row. It yields the bytes of s
// where each row begins and ends; line breaks and blanks between rows are in none.
func Rows(s string, width int) iter.Seq2[int, int] {
	width = max(1, width)
	return func(yield func(int, int) bool) {
		if end := len(strings.TrimRight(s, " ")); end <= width && ASCII(s) {
			yield(0, end)
			return
		}
		// The row so far: where it ends without its last blanks, and its width with them.
		from, end, used := 0, 0, 0
		// The same at the last place where it may break, which is where the next begins.
		next, nextEnd, nextUsed := 0, 0, 0
		for at, state := 0, -1; at < len(s); {
			var grapheme string
			var bounds int
			grapheme, _, bounds, state = uniseg.StepString(s[at:], state)
			w, blank := bounds>>uniseg.ShiftWidth, grapheme == " " // blanks may hang over the edge
			for used > 0 && used+w > width && !blank && grapheme != "\n" {
				if next <= from { // one word fills the row
					next, nextEnd, nextUsed = at, end, used
				}
				if !yield(from, nextEnd) {
					return
				}
				from, end, used = next, max(next, end), used-nextUsed
			}
			at += len(grapheme)
			if grapheme == "\n" {
				if !yield(from, end) {
					return
				}
				from, end, used, next = at, at, 0, at
				continue
			}
			used += w
			if !blank {
				end = at
			}
			if bounds&uniseg.MaskLine != uniseg.LineDontBreak {
				next, nextEnd, nextUsed = at, end, used
			}
		}
		yield(from, end)
	}
}

// Wrap returns the rows of s, as Rows breaks it.
func Wrap(s string, width int) (rows []string) {
	for from, to := range Rows(s, width) {
		rows = append(rows, s[from:to])
	}
	return rows
}

// WrapMost wraps s into at most so many rows, of which the last shortens the rest.
func WrapMost(s string, width, most int) []string {
	rows := Wrap(s, width)
	if len(rows) <= most {
		return rows
	}
	return append(rows[:most-1], Shorten(strings.Join(rows[most-1:], " "), width))
}

// Shorten cuts s to width cells, with an ellipsis where something is gone.
func Shorten(s string, width int) string {
	if Width(s) <= width {
		return s
	}
	if width < 1 {
		return ""
	}
	used, end := 0, 0
	for grapheme, w := range Graphemes(s) {
		if used+w > width-1 {
			break
		}
		used, end = used+w, end+len(grapheme)
	}
	return s[:end] + "…"
}

// ShortenStart cuts s to width cells at its beginning, with an ellipsis there: the
// end of a path says more.
func ShortenStart(s string, width int) string {
	if Width(s) <= width {
		return s
	}
	for grapheme := range Graphemes(s) {
		if s = s[len(grapheme):]; Width(s) < width {
			break
		}
	}
	return "…" + s
}
