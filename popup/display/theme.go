package display

import (
	"os"

	"github.com/gdamore/tcell/v2"

	"github.com/askpane/askpane/popup/preview"
)

// Theme is every style that a screen is drawn in.
type Theme struct {
	Text, Strong, Dim, Accent, Cursor, Done, Warn tcell.Style
	Preview                                       preview.Styles
}

// themes are the ones that the setting theme names, but for auto.
var themes = map[string]func() Theme{
	"auto": autoTheme, "dark": darkTheme, "light": lightTheme, "high-contrast": contrastTheme, "mono": monoTheme,
}

// autoTheme uses the terminal's own 16 colours, which the person has chosen to
// be readable on their background, light or dark, and which 256-colour and
// true-colour terminals have too.
func autoTheme() Theme {
	return coloured(preview.TerminalPalette)
}

func coloured(p preview.Palette) Theme {
	plain := tcell.StyleDefault
	return Theme{
		Text:    plain,
		Strong:  plain.Bold(true),
		Dim:     plain.Dim(true),
		Accent:  plain.Foreground(p.Accent),
		Cursor:  plain.Foreground(p.Accent).Bold(true),
		Done:    plain.Foreground(p.String),
		Warn:    plain.Foreground(p.Number).Bold(true),
		Preview: preview.Colours(p),
	}
}

// darkTheme and lightTheme bring colours of their own, for terminals whose 16
// cannot be relied on: bright on a dark background, deep on a light one.
func darkTheme() Theme {
	return coloured(preview.Palette{
		Accent: tcell.NewHexColor(0x5fd7d7), Keyword: tcell.NewHexColor(0xd7afff), Name: tcell.NewHexColor(0x87afff),
		String: tcell.NewHexColor(0x87d787), Number: tcell.NewHexColor(0xffd75f), Removed: tcell.NewHexColor(0xff8787),
	})
}

func lightTheme() Theme {
	return coloured(preview.Palette{
		Accent: tcell.NewHexColor(0x005f87), Keyword: tcell.NewHexColor(0x5f0087), Name: tcell.NewHexColor(0x00008f),
		String: tcell.NewHexColor(0x005f00), Number: tcell.NewHexColor(0x875f00), Removed: tcell.NewHexColor(0x870000),
	})
}

// contrastTheme never dims.
func contrastTheme() Theme {
	plain := tcell.StyleDefault
	return Theme{Text: plain, Strong: plain.Bold(true), Dim: plain, Accent: plain.Bold(true), Cursor: plain.Reverse(true).Bold(true),
		Done: plain.Bold(true), Warn: plain.Reverse(true).Bold(true), Preview: preview.Mono()}
}

// monoTheme has no colours: everything it says it says by attribute and sign.
func monoTheme() Theme {
	plain := tcell.StyleDefault
	return Theme{Text: plain, Strong: plain.Bold(true), Dim: plain.Dim(true), Accent: plain.Underline(true),
		Cursor: plain.Bold(true), Done: plain, Warn: plain.Reverse(true), Preview: preview.Mono()}
}

// Accented is the theme with the form's own accent colour (#rrggbb), where
// there are colours and it has one.
func (th Theme) Accented(accent string) Theme {
	if accent == "" || th.Accent == th.Accent.Foreground(tcell.ColorDefault) {
		return th
	}
	colour := tcell.GetColor(accent)
	th.Accent, th.Cursor = th.Accent.Foreground(colour), th.Cursor.Foreground(colour)
	return th
}

// Greyed is the theme of a form that takes nothing more.
func (th Theme) Greyed() Theme {
	grey := tcell.StyleDefault.Dim(true)
	return Theme{Text: grey, Strong: grey, Dim: grey, Accent: grey, Cursor: grey, Done: grey, Warn: th.Warn, Preview: preview.Mono()}
}

// ThemeOf is the theme that the setting of that name means. It honours NO_COLOR
// (no-color.org: present and not empty) over the setting.
func ThemeOf(name string) Theme {
	if os.Getenv("NO_COLOR") != "" {
		return monoTheme()
	}
	if th, ok := themes[name]; ok {
		return th()
	}
	return autoTheme()
}
