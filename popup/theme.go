package popup

import (
	"os"

	"github.com/gdamore/tcell/v2"

	"github.com/askpane/askpane/popup/preview"
)

// theme is every style that a form is drawn in.
type theme struct {
	text, strong, dim, accent, cursor, done, warn tcell.Style
	preview                                       preview.Styles
}

// themes are the ones that the setting theme names, but for auto.
var themes = map[string]func() theme{
	"auto": autoTheme, "dark": darkTheme, "light": lightTheme, "high-contrast": contrastTheme, "mono": monoTheme,
}

// autoTheme uses the terminal's own 16 colours, which the person has chosen to
// be readable on their background, light or dark, and which 256-colour and
// true-colour terminals have too.
func autoTheme() theme {
	return coloured(preview.TerminalPalette)
}

func coloured(p preview.Palette) theme {
	plain := tcell.StyleDefault
	return theme{
		text:    plain,
		strong:  plain.Bold(true),
		dim:     plain.Dim(true),
		accent:  plain.Foreground(p.Accent),
		cursor:  plain.Foreground(p.Accent).Bold(true),
		done:    plain.Foreground(p.String),
		warn:    plain.Foreground(p.Number).Bold(true),
		preview: preview.Colours(p),
	}
}

// darkTheme and lightTheme bring colours of their own, for terminals whose 16
// cannot be relied on: bright on a dark background, deep on a light one.
func darkTheme() theme {
	return coloured(preview.Palette{
		Accent: tcell.NewHexColor(0x5fd7d7), Keyword: tcell.NewHexColor(0xd7afff), Name: tcell.NewHexColor(0x87afff),
		String: tcell.NewHexColor(0x87d787), Number: tcell.NewHexColor(0xffd75f), Removed: tcell.NewHexColor(0xff8787),
	})
}

func lightTheme() theme {
	return coloured(preview.Palette{
		Accent: tcell.NewHexColor(0x005f87), Keyword: tcell.NewHexColor(0x5f0087), Name: tcell.NewHexColor(0x00008f),
		String: tcell.NewHexColor(0x005f00), Number: tcell.NewHexColor(0x875f00), Removed: tcell.NewHexColor(0x870000),
	})
}

// contrastTheme never dims.
func contrastTheme() theme {
	plain := tcell.StyleDefault
	return theme{text: plain, strong: plain.Bold(true), dim: plain, accent: plain.Bold(true), cursor: plain.Reverse(true).Bold(true),
		done: plain.Bold(true), warn: plain.Reverse(true).Bold(true), preview: preview.Mono()}
}

// monoTheme has no colours: everything it says it says by attribute and sign.
func monoTheme() theme {
	plain := tcell.StyleDefault
	return theme{text: plain, strong: plain.Bold(true), dim: plain.Dim(true), accent: plain.Underline(true),
		cursor: plain.Bold(true), done: plain, warn: plain.Reverse(true), preview: preview.Mono()}
}

// accented is the theme with the form's own accent colour (#rrggbb), where
// there are colours and it has one.
func (th theme) accented(accent string) theme {
	if accent == "" || th.accent == th.accent.Foreground(tcell.ColorDefault) {
		return th
	}
	colour := tcell.GetColor(accent)
	th.accent, th.cursor = th.accent.Foreground(colour), th.cursor.Foreground(colour)
	return th
}

// greyed is the theme of a form that takes nothing more.
func (th theme) greyed() theme {
	grey := tcell.StyleDefault.Dim(true)
	return theme{text: grey, strong: grey, dim: grey, accent: grey, cursor: grey, done: grey, warn: th.warn, preview: preview.Mono()}
}

// chooseTheme honours NO_COLOR (no-color.org: present and not empty) over the
// setting.
func chooseTheme(name string) theme {
	if os.Getenv("NO_COLOR") != "" {
		return monoTheme()
	}
	if th, ok := themes[name]; ok {
		return th()
	}
	return autoTheme()
}
