// Package styled is rows of text in styles that have names, and how text is broken
// into such rows. It is what cmd/askpane-preview gives and popup/preview gets, so it
// knows no colours: what a style looks like is the theme's.
package styled

import (
	"strings"

	"github.com/askpane/askpane/bridge/text/cells"
)

// Style says what a text is.
type Style uint8

// First those of text, then those of the parts of code, then those of a screen of ours.
const (
	Text Style = iota
	Strong
	Emphasis
	Strike
	Dim
	Heading
	Link
	Code

	Keyword
	Type
	Name
	String
	Number
	Comment
	Added
	Removed

	Accent
	Cursor  // what has the focus
	Pressed // and is a button
	Done
	Warn

	Styles // how many there are
)

// Span is a piece of text in one style, without line breaks.
type Span struct {
	Text  string `json:"text"`
	Style Style  `json:"style,omitzero"`
	// These are added to what the style looks like.
	Bold   bool `json:"bold,omitzero"`
	Italic bool `json:"italic,omitzero"`
	Struck bool `json:"struck,omitzero"`
}

// Row is the spans of one row, from left to right.
type Row []Span

// Width is how many cells r takes.
func (r Row) Width() int {
	width := 0
	for _, s := range r {
		width += cells.Width(s.Text)
	}
	return width
}

// String is the text of r.
func (r Row) String() string {
	var b strings.Builder
	for _, s := range r {
		b.WriteString(s.Text)
	}
	return b.String()
}

// Lines splits spans at their line breaks.
func Lines(spans []Span) []Row {
	lines := []Row{nil}
	for _, s := range spans {
		for i, part := range strings.Split(s.Text, "\n") {
			if i > 0 {
				lines = append(lines, nil)
			}
			if s.Text = part; part != "" {
				last := len(lines) - 1
				lines[last] = append(lines[last], s)
			}
		}
	}
	return lines
}

// Indent puts first before the first row and rest before the others.
func Indent(rows []Row, first, rest Span) []Row {
	for i := range rows {
		head := rest
		if i == 0 {
			head = first
		}
		rows[i] = append(Row{head}, rows[i]...)
	}
	return rows
}

// With is r and a text after it.
func (r Row) With(text string, style Style) Row {
	if text == "" {
		return r
	}
	if n := len(r) - 1; n >= 0 && r[n].Style == style {
		r[n].Text += text
		return r
	}
	return append(r, Span{Text: text, Style: style})
}

// Request is what the program that renders previews is asked: the first line of its
// standard input, as JSON. The content follows it. What it says is a list of rows, as
// JSON.
type Request struct {
	Type  string `json:"type"` // of the form's preview
	Width int    `json:"width"`
}
