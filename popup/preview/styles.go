package preview

import (
	"github.com/gdamore/tcell/v2"

	"github.com/askpane/askpane/popup/preview/styled"
)

// Styles is what each style looks like on the terminal.
type Styles [styled.Styles]tcell.Style

// Of is what a span looks like.
func (st *Styles) Of(s styled.Span) tcell.Style {
	style := st[s.Style]
	if s.Bold {
		style = style.Bold(true)
	}
	if s.Italic {
		style = style.Italic(true)
	}
	if s.Struck {
		style = style.StrikeThrough(true)
	}
	return style
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
		styled.Text:     plain,
		styled.Strong:   plain.Bold(true),
		styled.Emphasis: plain.Italic(true),
		styled.Strike:   plain.StrikeThrough(true),
		styled.Dim:      plain.Dim(true),
		styled.Heading:  plain.Foreground(p.Accent).Bold(true),
		styled.Link:     plain.Foreground(p.Accent).Underline(true),
		styled.Code:     plain.Foreground(p.Number),
		styled.Keyword:  plain.Foreground(p.Keyword),
		styled.Type:     plain.Foreground(p.Accent),
		styled.Name:     plain.Foreground(p.Name),
		styled.String:   plain.Foreground(p.String),
		styled.Number:   plain.Foreground(p.Number),
		styled.Comment:  plain.Dim(true).Italic(true),
		styled.Added:    plain.Foreground(p.String),
		styled.Removed:  plain.Foreground(p.Removed),
	}
}

// Mono are styles without colours: what they say they say by attributes.
func Mono() Styles {
	plain := tcell.StyleDefault
	return Styles{
		styled.Text:     plain,
		styled.Strong:   plain.Bold(true),
		styled.Emphasis: plain.Italic(true),
		styled.Strike:   plain.StrikeThrough(true),
		styled.Dim:      plain.Dim(true),
		styled.Heading:  plain.Bold(true).Underline(true),
		styled.Link:     plain.Underline(true),
		styled.Code:     plain.Bold(true),
		styled.Keyword:  plain.Bold(true),
		styled.Type:     plain,
		styled.Name:     plain,
		styled.String:   plain.Italic(true),
		styled.Number:   plain,
		styled.Comment:  plain.Dim(true),
		styled.Added:    plain.Bold(true),
		styled.Removed:  plain.Dim(true).StrikeThrough(true),
	}
}
