package popup

import (
	"github.com/gdamore/tcell/v2"
)

// What follows is for the screens beside the form (popup/inbox), so that they
// look like it.

// NewScreen is the terminal that this process runs in.
func NewScreen() (tcell.Screen, error) {
	screen, _, err := newScreen()
	return screen, err
}

// Styles are the styles of a theme.
type Styles struct{ Text, Strong, Dim, Accent, Cursor, Done, Warn tcell.Style }

// StylesOf are those of the setting theme. It honours NO_COLOR.
func StylesOf(theme string) Styles {
	th := chooseTheme(theme)
	return Styles{th.text, th.strong, th.dim, th.accent, th.cursor, th.done, th.warn}
}

// Put draws text, which text.Visible has seen, in at most width cells.
func Put(screen tcell.Screen, x, y, width int, style tcell.Style, text string) {
	draw(screen, x, y, width, line{{text, style}})
}

// KeyName is a key's name as the tables of keys write it.
func KeyName(e *tcell.EventKey) string { return keyName(e) }

// KeysText writes the keys of a row of such a table, without those that the
// terminal keeps for itself.
func KeysText(keys, kept []string) string {
	keys = handed(keys, kept)
	return keysText(keys, len(keys))
}

// Tilde writes the home directory as ~.
func Tilde(path string) string { return tilde(path) }
