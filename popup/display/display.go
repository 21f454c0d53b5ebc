// Package display has what every screen of askpane does with the terminal: opening it, the loop
// around a screen, the names of its keys, drawing a text in its cells, and the themes.
//
// It knows nothing of what is shown. The rule that must hold here: a text is put
// into cells directly, never through tview's markup, so that no text can be markup.
package display

import (
	"cmp"
	"fmt"
	"os"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/cells"
	"github.com/askpane/askpane/popup/preview/styled"
)

// Open returns the terminal that this process runs in.
func Open() (tcell.Screen, error) {
	assumeUTF8()
	tty, err := tcell.NewDevTty()
	if err != nil {
		return nil, fmt.Errorf("open the terminal: %w", err)
	}
	batched := newBatchTty(tty)
	terminal, err := tcell.LookupTerminfo(os.Getenv("TERM"))
	if err != nil {
		return nil, fmt.Errorf("use the terminal (TERM=%s): %w", os.Getenv("TERM"), err)
	}
	unsized := *terminal // tcell (2.13) would first make all cells of the size that stands there
	unsized.Columns, unsized.Lines = 0, 0
	screen, err := tcell.NewTerminfoScreenFromTtyTerminfo(batched, &unsized)
	return &quiet{Screen: screen, tty: batched}, err
}

// assumeUTF8 makes tcell draw UTF-8, whichever character set the locale names: started with LANG=C
// a terminal is no less of a UTF-8 one. tcell would draw a ? for other signs, or nothing at all.
func assumeUTF8() {
	locale := cmp.Or(os.Getenv("LC_ALL"), os.Getenv("LC_CTYPE"), os.Getenv("LANG"))
	_, set, _ := strings.Cut(strings.ReplaceAll(locale, "-", ""), ".")
	if set, _, _ = strings.Cut(set, "@"); !strings.EqualFold(set, "utf8") {
		os.Setenv("LC_ALL", "C.UTF-8")
	}
}

// Put draws said from x, y on in at most width cells, and returns how many it took.
// text.Visible has seen whatever of it came from outside.
func Put(screen tcell.Screen, x, y, width int, style tcell.Style, said string) int {
	used := 0
	for sign, w := range cells.Graphemes(text.Bare(said)) {
		if used >= width {
			break
		}
		if w == 0 || used+w > width {
			continue
		}
		runes := []rune(sign)
		screen.SetContent(x+used, y, runes[0], runes[1:], style)
		used += w
	}
	return used
}

// PutRow draws a row of a page, as Put does.
func (th *Theme) PutRow(screen tcell.Screen, x, y, width int, row styled.Row) {
	for _, span := range row {
		used := Put(screen, x, y, width, th.Of(span), span.Text)
		x, width = x+used, width-used
	}
}

// PutMore marks in a column that what is in some rows of the screen goes on above or below.
func PutMore(screen tcell.Screen, x, top, rows int, th Theme, above, below bool) {
	mark := func(sign string, y int) {
		// A wide sign that ends in this column would cover the mark.
		if _, _, width := screen.Get(x-1, y); width > 1 {
			screen.SetContent(x-1, y, ' ', nil, th[styled.Text])
		}
		Put(screen, x, y, 1, th[styled.Warn], sign)
	}
	if above {
		mark("↑", top)
	}
	if below {
		mark("↓", top+rows-1)
	}
}

// KeyName returns a key's name as the tables of keys write it.
func KeyName(e *tcell.EventKey) string {
	switch key, mod := e.Key(), e.Modifiers(); {
	case key == tcell.KeyRune && e.Rune() == 'm' && mod == tcell.ModAlt|tcell.ModCtrl:
		return "Alt+Enter" // tcell reads Esc and a carriage return as Alt and Ctrl+M
	case key == tcell.KeyRune:
		mod &^= tcell.ModShift // a capital says so itself
		sign := strings.Replace(string(e.Rune()), " ", "Space", 1)
		return strings.Replace(tcell.NewEventKey(key, '0', mod).Name(), "Rune[0]", sign, 1)
	case key == tcell.KeyBacktab:
		return "Shift+Tab"
	case key == tcell.KeyLF:
		return "Ctrl+J"
	case key == tcell.KeyBackspace2:
		return tcell.NewEventKey(tcell.KeyBackspace, 0, mod).Name()
	}
	return strings.ReplaceAll(e.Name(), "Ctrl-", "Ctrl+")
}
