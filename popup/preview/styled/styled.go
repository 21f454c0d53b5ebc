// Package styled has rows of text in styles that have names, and breaks text into such
// rows. cmd/askpane-preview gives them and popup/preview gets them, so it knows no
// colours: a theme says what a style looks like.
package styled

import (
	"strings"

	"github.com/askpane/askpane/bridge/text/cells"
)

// Style says what a text is.
type Style uint8

// First those of text, where of two at once the later counts, then those of the parts
// of code, then those of a screen of ours.
const (
	Text Style = iota
	Dim
	Strike
	Emphasis
	Strong
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
	Cursor // what has the focus
	Done
	Advice // what the agent recommends
	Warn
	Danger
	Rule // lines, and what else is there for the eye alone

	Styles // how many there are
)

// Document is the type by which previews of documents with places (bridge/text/document) are
// asked for: their rows say from which line of the source they come.
const Document = "document"

// Span holds a piece of text in one style, without line breaks.
type Span struct {
	Text  string `json:"text"`
	Style Style  `json:"style,omitzero"`
	// Line is that of the source which the text comes from, counted from 1; of documents alone.
	Line int    `json:"line,omitzero"`
	To   string `json:"-"` // the address that it leads to, on a page
	// These add to what the style looks like.
	Bold   bool `json:"bold,omitzero"`
	Italic bool `json:"italic,omitzero"`
	Struck bool `json:"struck,omitzero"`
}

// Row lists the spans of one row, from left to right.
type Row []Span

// Width counts the cells that r takes.
func (r Row) Width() int {
	width := 0
	for _, s := range r {
		width += cells.Width(s.Text)
	}
	return width
}

// Line returns the line of the source that r begins with; 0 where it comes from none.
func (r Row) Line() int {
	for _, s := range r {
		if s.Line > 0 {
			return s.Line
		}
	}
	return 0
}

// String returns the text of r.
func (r Row) String() string {
	var b strings.Builder
	for _, s := range r {
		b.WriteString(s.Text)
	}
	return b.String()
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

// With adds a text to r.
func (r Row) With(text string, style Style) Row {
	if text == "" {
		return r
	}
	if n := len(r) - 1; n >= 0 && r[n] == (Span{Text: r[n].Text, Style: style}) {
		r[n].Text += text
		return r
	}
	return append(r, Span{Text: text, Style: style})
}
