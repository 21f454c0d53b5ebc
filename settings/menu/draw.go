package menu

import (
	"cmp"
	"fmt"

	"github.com/gdamore/tcell/v2"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/cells"
	"github.com/askpane/askpane/popup/display"
	"github.com/askpane/askpane/popup/keymap"
	"github.com/askpane/askpane/popup/preview/styled"
	"github.com/askpane/askpane/settings"
)

// Draw is tview's.
func (v *view) Draw(screen tcell.Screen) {
	v.choose()
	v.DrawForSubclass(screen, v)
	x, y, width, height := v.GetInnerRect()
	if width < 1 || height < 1 {
		return
	}
	most := 2 // what went wrong is worth a row of the list
	if display.Gap(height) > 0 {
		most = 4
	} else if v.notice == "" && v.wrong() == nil {
		most = 1
	}
	info, style := v.info()
	below := cells.WrapMost(text.OneLine(info, 0), width, most)
	v.Layout(2 + max(1, len(below)))
	display.Put(screen, x, y, width, v.theme[styled.Strong], v.title())
	for i, to := v.Visible(); i < to; i++ {
		v.drawRow(screen, x, width, i)
	}
	// From the bottom: keys, the file, what is said about the row in focus.
	bottom := y + height
	for i, row := range below {
		display.Put(screen, x, bottom-2-len(below)+i, width, style, row)
	}
	display.Put(screen, x, bottom-2, width, v.theme[styled.Text], v.fileLine(width))
	display.Put(screen, x, bottom-1, width, v.theme[styled.Dim], keymap.Footer(keys.Footer(v, nil), width))
}

func (v *view) title() string {
	title := "Settings"
	if v.inside {
		title += " › " + v.sections[v.section].name
	}
	if n := len(v.loaded.Problems); n == 1 {
		title += "  (1 problem)"
	} else if n > 1 {
		title += fmt.Sprintf("  (%d problems)", n)
	}
	return title
}

// fileLine says which file a key writes. What matters most of a path is its end.
func (v *view) fileLine(width int) string {
	which, other := "Project’s file", " (g: global)"
	if v.file.Rank == settings.Global {
		which, other = "Global file", " (p: project)"
	}
	if width < 60 { // the footer has no room to say so
		which += other
	}
	which += ": "
	return which + cells.ShortenStart(text.OneLine(text.Tilde(v.file.Path), 0), width-cells.Width(which))
}

// info is about the row in focus: the last key, what is being typed, a problem,
// or what the setting means and where its value is from.
func (v *view) info() (string, tcell.Style) {
	warn, dim := v.theme[styled.Warn], v.theme[styled.Dim]
	switch {
	case v.notice != "":
		return v.notice, warn
	case v.wrong() != nil:
		return v.wrong().Error(), warn
	case v.typing():
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
	if from := v.loaded.Sources[f.Name]; from.Rank != settings.Default {
		return f.Help + " (from " + origin(from) + ")", dim
	}
	return f.Help, dim
}

// origin is where a value comes from, in few words.
func origin(from settings.Source) string {
	if from.Rank == settings.Environment {
		return from.Where
	}
	return "the " + from.Rank.String() + " file"
}

func (v *view) drawRow(screen tcell.Screen, x, width, i int) {
	sign, style := "  ", v.theme[styled.Text]
	if i == v.Row {
		sign, style = "❯ ", v.theme[styled.Cursor]
	}
	if v.inside {
		v.drawSetting(screen, x, width, i, sign, style)
		return
	}
	set := 0
	for _, f := range v.sections[i].fields {
		if v.loaded.Sources[f.Name].Rank != settings.Default {
			set++
		}
	}
	display.Put(screen, x, v.Y(i), width, style, sign+v.sections[i].name)
	if set > 0 {
		display.Put(screen, x+13, v.Y(i), width-13, v.theme[styled.Dim], fmt.Sprintf("%d set", set))
	}
}

// The columns of a setting, in cells, and the width from which on there is room for
// where its value is from.
const nameWidth, sourceWidth, sourceAt = 28, 20, 68

// drawSetting draws a setting with its value, or the entry that it is typed in, and
// where it is from.
func (v *view) drawSetting(screen tcell.Screen, x, width, i int, sign string, style tcell.Style) {
	f, y := v.sections[v.section].fields[i], v.Y(i)
	at := min(nameWidth, width-8) // where the value begins
	room := width - at
	if i == v.Row && v.typing() {
		if room < 24 { // no room beside the name
			display.Put(screen, x, y, 2, style, sign)
			at, room = 2, width-2
		} else {
			display.Put(screen, x, y, at-1, style, sign+f.Name)
		}
		v.entry.SetRect(x+at, y, max(1, room-1), 1)
		v.entry.Draw(screen)
		return
	}
	display.Put(screen, x, y, at-1, style, cells.Shorten(sign+f.Name, at-1))
	if width >= sourceAt {
		display.Put(screen, x+width-sourceWidth, y, sourceWidth, v.theme[styled.Dim], v.loaded.Sources[f.Name].Rank.String())
		room -= sourceWidth + 1
	}
	display.Put(screen, x+at, y, room, style, cells.Shorten(cmp.Or(text.OneLine(f.Text(v.loaded.Settings), 0), "(none)"), room))
}
