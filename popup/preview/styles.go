package preview

import (
	"github.com/alecthomas/chroma/v2"
	"github.com/gdamore/tcell/v2"
)

// Styles is every style that a preview is drawn in. The first group is for
// text, the second for the parts of code.
type Styles struct {
	Text, Strong, Emphasis, Strike, Dim, Heading, Link, Code tcell.Style

	Keyword, Type, Name, String, Number, Comment, Added, Removed tcell.Style
}

// Palette is the colours of Colours.
type Palette struct{ Accent, Keyword, Name, String, Number, Removed tcell.Color }

// TerminalPalette is of the terminal's own 16 colours, which the person has
// chosen to be readable on their background, light or dark. The bright ones,
// black and white are left out: one of them is always unreadable on the other
// kind of background.
var TerminalPalette = Palette{Accent: tcell.ColorTeal, Keyword: tcell.ColorPurple, Name: tcell.ColorNavy,
	String: tcell.ColorGreen, Number: tcell.ColorOlive, Removed: tcell.ColorMaroon}

// Colours are styles in the colours of p, on the terminal's own background.
func Colours(p Palette) Styles {
	plain := tcell.StyleDefault
	return Styles{
		Text:     plain,
		Strong:   plain.Bold(true),
		Emphasis: plain.Italic(true),
		Strike:   plain.StrikeThrough(true),
		Dim:      plain.Dim(true),
		Heading:  plain.Foreground(p.Accent).Bold(true),
		Link:     plain.Foreground(p.Accent).Underline(true),
		Code:     plain.Foreground(p.Number),
		Keyword:  plain.Foreground(p.Keyword),
		Type:     plain.Foreground(p.Accent),
		Name:     plain.Foreground(p.Name),
		String:   plain.Foreground(p.String),
		Number:   plain.Foreground(p.Number),
		Comment:  plain.Dim(true).Italic(true),
		Added:    plain.Foreground(p.String),
		Removed:  plain.Foreground(p.Removed),
	}
}

// Mono are styles without colours: what they say they say by attributes.
func Mono() Styles {
	plain := tcell.StyleDefault
	return Styles{
		Text:     plain,
		Strong:   plain.Bold(true),
		Emphasis: plain.Italic(true),
		Strike:   plain.StrikeThrough(true),
		Dim:      plain.Dim(true),
		Heading:  plain.Bold(true).Underline(true),
		Link:     plain.Underline(true),
		Code:     plain.Bold(true),
		Keyword:  plain.Bold(true),
		Type:     plain,
		Name:     plain,
		String:   plain.Italic(true),
		Number:   plain,
		Comment:  plain.Dim(true),
		Added:    plain.Bold(true),
		Removed:  plain.Dim(true).StrikeThrough(true),
	}
}

// token is the style of a part of code. Chroma's token types are a hierarchy of
// numbers: what is not named here has the style of its category.
func (st *Styles) token(t chroma.TokenType) tcell.Style {
	switch t {
	case chroma.KeywordType, chroma.NameClass, chroma.NameException, chroma.NameNamespace:
		return st.Type
	case chroma.NameFunction, chroma.NameFunctionMagic, chroma.NameBuiltin, chroma.NameTag,
		chroma.NameAttribute, chroma.NameDecorator, chroma.NameProperty, chroma.NameLabel:
		return st.Name
	case chroma.GenericInserted:
		return st.Added
	case chroma.GenericDeleted:
		return st.Removed
	case chroma.GenericHeading, chroma.GenericSubheading, chroma.GenericStrong:
		return st.Strong
	case chroma.GenericEmph:
		return st.Emphasis
	case chroma.GenericOutput:
		return st.Dim
	}
	switch {
	case t.InCategory(chroma.Keyword), t == chroma.OperatorWord:
		return st.Keyword
	case t.InCategory(chroma.Comment):
		return st.Comment
	case t.InSubCategory(chroma.LiteralNumber):
		return st.Number
	case t.InCategory(chroma.Literal):
		return st.String
	}
	return st.Text
}
