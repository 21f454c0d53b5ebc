package menu

import (
	"cmp"
	"fmt"
	"os"
	"strings"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/cells"
	"github.com/askpane/askpane/settings"
)

// roomy is the height from which on rows are spent on blank lines.
const roomy = 14

// The styles. Colour only adds to what the signs say, and NO_COLOR
// (no-color.org: present and not empty) takes it away.
var (
	plain  = tcell.StyleDefault
	strong = plain.Bold(true)
	dim    = plain.Dim(true)
)

func (v *view) colour(style tcell.Style, c tcell.Color) tcell.Style {
	if os.Getenv("NO_COLOR") != "" || v.loaded.Theme == "mono" || v.loaded.Theme == "high-contrast" {
		return style
	}
	return style.Foreground(c)
}

// Draw is tview's.
func (v *view) Draw(screen tcell.Screen) {
	v.catchUp()
	v.DrawForSubclass(screen, v)
	x, y, width, height := v.GetInnerRect()
	if width < 1 || height < 1 {
		return
	}
	info, infoStyle := v.info()
	most := 1
	switch {
	case height >= roomy:
		most = 4
	case height >= 7 && (v.notice != "" || v.wrong != ""): // what went wrong is worth a row of the list
		most = 2
	}
	below := cells.WrapMost(text.OneLine(info, 0), width, most)
	gap := 0
	if height >= roomy {
		gap = 1
	}
	// From the bottom: keys, the file, what is said about the row in focus.
	footRows := 2 + max(1, len(below))
	v.top, v.rows = y+1+gap, max(1, height-1-footRows-2*gap)
	put(screen, x, y, width, strong, v.title())
	v.follow()
	for i := v.scroll; i < min(v.count(), v.scroll+v.rows); i++ {
		v.drawRow(screen, x, v.top+i-v.scroll, width, i)
	}
	bottom := y + height
	for i, row := range below {
		put(screen, x, bottom-2-len(below)+i, width, infoStyle, row)
	}
	put(screen, x, bottom-2, width, plain, v.fileLine(width))
	put(screen, x, bottom-1, width, dim, footer(v.hints(), width))
}

func (v *view) title() string {
	title := "Settings"
	if v.inside {
		title += " › " + v.sections[v.section]
	}
	if n := len(v.loaded.Problems); n == 1 {
		title += "  (1 problem)"
	} else if n > 1 {
		title += fmt.Sprintf("  (%d problems)", n)
	}
	return title
}

// follow scrolls to the row in focus.
func (v *view) follow() {
	v.row = min(v.row, v.count()-1)
	v.scroll = min(max(v.scroll, v.row-v.rows+1, 0), v.row)
	v.scroll = max(0, min(v.scroll, v.count()-v.rows))
}

// fileLine says which file a key writes. What matters most of a path is its end.
func (v *view) fileLine(width int) string {
	which, other := "Project’s file", " (g: global)"
	if v.global {
		which, other = "Global file", " (p: project)"
	}
	if width < 60 { // the footer has no room to say so
		which += other
	}
	which += ": "
	file, err := v.file()
	if err != nil {
		return cells.Shorten(err.Error(), width)
	}
	path := text.OneLine(file.Path, 0)
	if home, err := os.UserHomeDir(); err == nil {
		if rest, ok := strings.CutPrefix(path, home+"/"); ok {
			path = "~/" + rest
		}
	}
	for room := width - cells.Width(which); cells.Width(path) > room && path != "…"; {
		runes := []rune(strings.TrimPrefix(path, "…"))
		path = "…" + string(runes[1:])
	}
	return which + path
}

// info is about the row in focus: the last key, what is being typed, a problem,
// or what the setting means and where its value is from.
func (v *view) info() (string, tcell.Style) {
	warn := v.colour(strong, tcell.ColorOlive)
	switch {
	case v.notice != "":
		return v.notice, warn
	case v.entry != nil && v.wrong != "":
		return v.wrong, warn
	case v.entry != nil:
		return v.field().Expected(), dim
	case !v.inside && len(v.loaded.Problems) > 0:
		return v.loaded.Problems[0].Error(), warn
	case !v.inside:
		return "", dim
	}
	f := v.field()
	for _, p := range v.loaded.Problems {
		if p.Key == f.Name || f.Env != "" && p.Where == f.Env {
			return p.What + " (" + p.Where + ")", warn
		}
	}
	help := f.Help
	if from := v.loaded.Source(f.Name); from.Rank != settings.Default {
		help += " (from " + origin(from) + ")"
	}
	return help, dim
}

// origin is where a value comes from, in few words.
func origin(from settings.Source) string {
	switch from.Rank {
	case settings.Environment:
		return from.Where
	case settings.Default:
		return "default"
	default:
		return "the " + from.Rank.String() + " file"
	}
}

// drawRow draws a section, or a setting with its value and where that is from.
func (v *view) drawRow(screen tcell.Screen, x, y, width, i int) {
	sign, style := "  ", plain
	if i == v.row {
		sign, style = "❯ ", v.colour(strong, tcell.ColorTeal)
	}
	if !v.inside {
		put(screen, x, y, width, style, sign+v.sections[i])
		if n := v.changed(v.sections[i]); n > 0 {
			put(screen, x+13, y, width-13, dim, fmt.Sprintf("%d set", n))
		}
		return
	}
	f := v.fields()[i]
	const nameWidth, sourceWidth = 28, 20
	at := min(nameWidth, width-8) // where the value begins
	room := width - at
	if i == v.row && v.entry != nil {
		if room < 24 { // no room beside the name
			at, room = 2, width-2
		} else {
			put(screen, x, y, at-1, style, sign+f.Name)
		}
		put(screen, x, y, 2, style, sign)
		v.entry.SetRect(x+at, y, max(1, room-1), 1)
		v.entry.Draw(screen)
		return
	}
	put(screen, x, y, at-1, style, cells.Shorten(sign+f.Name, at-1))
	from := v.loaded.Source(f.Name)
	if width >= nameWidth+2*sourceWidth {
		source := from.Rank.String()
		if from.Rank == settings.Environment {
			source = "environment"
		}
		put(screen, x+width-sourceWidth, y, sourceWidth, dim, source)
		room -= sourceWidth + 1
	}
	put(screen, x+at, y, room, style, cells.Shorten(cmp.Or(text.OneLine(f.Text(v.loaded.Settings), 0), "(none)"), room))
}

// changed counts the settings of a section that something sets.
func (v *view) changed(section string) (n int) {
	for _, f := range settings.Fields() {
		if f.Section == section && v.loaded.Source(f.Name).Rank != settings.Default {
			n++
		}
	}
	return n
}

// footer joins as many hints as there is room for.
func footer(hints []string, width int) string {
	text := ""
	for _, h := range hints {
		next := strings.TrimPrefix(text+" · "+h, " · ")
		if cells.Width(next) > width {
			break
		}
		text = next
	}
	return text
}

// put draws a text in at most width cells. Cells are set directly, never
// through tview's markup, so that no text can be markup.
func put(screen tcell.Screen, x, y, width int, style tcell.Style, text string) {
	end := x + width
	for sign, w := range cells.Graphemes(text) {
		if w == 0 {
			continue
		}
		if x+w > end {
			return
		}
		runes := []rune(sign)
		screen.SetContent(x, y, runes[0], runes[1:], style)
		x += w
	}
}

var _ tview.Primitive = (*view)(nil)
