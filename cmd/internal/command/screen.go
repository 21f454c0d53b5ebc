package command

import (
	"os"
	"slices"
	"strings"

	"golang.org/x/term"

	"github.com/askpane/askpane/bridge/text/cells"
)

// Screen describes where a command prints for a person.
type Screen struct {
	Width  int  // in cells; 0 where it is no terminal, and nothing is cut
	Colour bool // NO_COLOR is honoured (no-color.org)
}

// ScreenOf looks at a file that a command prints to.
func ScreenOf(f *os.File) Screen {
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return Screen{}
	}
	return Screen{width, os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
}

// Style sets text apart: the parameter of SGR, in the terminal's own colours.
type Style string

// The styles.
const (
	Plain  Style = ""
	Bold   Style = "1"
	Dim    Style = "2"
	Red    Style = "31"
	Green  Style = "32"
	Yellow Style = "33"
)

// Paint sets text in that style, where there are colours.
func (s Screen) Paint(style Style, text string) string {
	if !s.Colour || style == Plain || text == "" {
		return text
	}
	return "\x1b[" + string(style) + "m" + text + "\x1b[m"
}

// Hang puts a text behind head, which takes so many cells: where it is wider than the terminal
// it goes on below its beginning.
func (s Screen) Hang(head string, taken int, style Style, text string) string {
	rows := []string{text}
	if s.Width > 0 {
		rows = cells.Wrap(text, max(20, s.Width-taken))
	}
	var b strings.Builder
	for _, row := range rows {
		b.WriteString(head + s.Paint(style, row) + "\n")
		head = strings.Repeat(" ", taken)
	}
	return b.String()
}

// Table lays rows out in columns, the first row a heading. On a terminal the widest columns
// give way until all fit; style says how a cell of the others looks.
func (s Screen) Table(rows [][]string, style func(column int, text string) Style) string {
	const least, gap = 6, 2
	var widths []int
	for _, row := range rows {
		for i, text := range row {
			widths = append(widths, 0)[:max(i+1, len(widths))]
			widths[i] = max(widths[i], cells.Width(text))
		}
	}
	total := gap * (len(widths) - 1)
	for _, w := range widths {
		total += w
	}
	for ; s.Width > 0 && total > s.Width && slices.Max(widths) > least; total-- {
		widths[slices.Index(widths, slices.Max(widths))]--
	}
	var b strings.Builder
	for n, row := range rows {
		for i, text := range row {
			text = cells.Shorten(text, widths[i])
			look := Dim
			if n > 0 {
				look = style(i, text)
			}
			b.WriteString(s.Paint(look, text))
			if i < len(row)-1 {
				b.WriteString(strings.Repeat(" ", widths[i]-cells.Width(text)+gap))
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}
