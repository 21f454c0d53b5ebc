package popup

import (
	"os"

	"github.com/gdamore/tcell/v2"
)

// theme is every style that a form is drawn in.
type theme struct {
	text, strong, dim, accent, cursor, done, warn tcell.Style
}

// autoTheme uses the terminal's own 16 colours, which the person has chosen to
// be readable on their background, light or dark, and which 256-colour and
// true-colour terminals have too.
func autoTheme() theme {
	plain := tcell.StyleDefault
	return theme{
		text:   plain,
		strong: plain.Bold(true),
		dim:    plain.Dim(true),
		accent: plain.Foreground(tcell.ColorTeal),
		cursor: plain.Foreground(tcell.ColorTeal).Bold(true),
		done:   plain.Foreground(tcell.ColorGreen),
		warn:   plain.Foreground(tcell.ColorOlive).Bold(true),
	}
}

// monoTheme has no colours: everything it says it says by attribute and sign.
func monoTheme() theme {
	plain := tcell.StyleDefault
	return theme{text: plain, strong: plain.Bold(true), dim: plain.Dim(true), accent: plain.Underline(true),
		cursor: plain.Bold(true), done: plain, warn: plain.Reverse(true)}
}

// chooseTheme honours NO_COLOR (no-color.org: present and not empty).
func chooseTheme() theme {
	if os.Getenv("NO_COLOR") != "" {
		return monoTheme()
	}
	return autoTheme()
}
