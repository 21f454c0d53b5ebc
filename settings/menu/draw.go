package menu

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/cells"
	"github.com/askpane/askpane/popup/display"
	"github.com/askpane/askpane/popup/list"
	"github.com/askpane/askpane/popup/preview/styled"
	"github.com/askpane/askpane/settings"
)

func (v *view) Draw(screen tcell.Screen) {
	v.Styles = display.ThemeOf(v.loaded.Theme, v.loaded.Colours)
	v.Refresh()
	v.DrawForSubclass(screen, v)
	x, y, width, height := v.GetInnerRect()
	if width < 1 || height < 1 {
		return
	}
	if v.Help && len(v.Items) > 0 {
		v.drawHelp(screen)
		return
	}
	most := max(1, min(2, height-4)) // what went wrong is worth a row of the list, but not its last
	if list.Gap(height) > 0 {
		most = 4
	} else if v.Notice == "" && v.wrong() == nil {
		most = 1
	}
	info, style := v.info()
	below := cells.WrapMost(text.OneLine(info, 0), width, most)
	v.Layout(2 + max(1, len(below)))
	v.DrawTitle(screen, v.title(), "", "")
	for i, to := v.Visible(); i < to; i++ {
		v.drawRow(screen, x, width, i)
	}
	// From the bottom: keys, the file, what is said about the row in focus.
	bottom := y + height
	for i, row := range below {
		display.Put(screen, x, bottom-2-len(below)+i, width, style, row)
	}
	display.Put(screen, x, bottom-2, width, v.Styles[styled.Text], v.fileLine(width))
	display.Put(screen, x, bottom-1, width, v.Styles[styled.Dim], v.Footer(width))
}

func (v *view) title() string {
	n := len(v.loaded.Problems)
	few := map[int]string{0: "Settings", 1: "Settings  (1 problem)"}
	return cmp.Or(few[n], fmt.Sprintf("Settings  (%d problems)", n))
}

// fileLine says which file a key writes. What matters most of a path is its end.
func (v *view) fileLine(width int) string {
	which, other := "Project’s file", " (p: your own)"
	if v.file.Rank == settings.Global {
		which, other = "Your own file", " (p: project)"
	}
	if width < 84 { // the footer has no room to say so
		which += other
	}
	which += ": "
	return which + cells.ShortenStart(text.OneLine(text.Tilde(v.file.Path), 0), width-cells.Width(which))
}

// info speaks of the row in focus: the last key, what is being typed, a problem,
// or what the setting means and where its value is from.
func (v *view) info() (string, tcell.Style) {
	warn, dim := v.Styles[styled.Warn], v.Styles[styled.Dim]
	switch {
	case v.Notice != "":
		return v.Notice, warn
	case v.wrong() != nil:
		return v.wrong().Error(), warn
	case v.entering():
		return v.field().Expected(), dim
	case len(v.Items) == 0:
		return "No setting has that in its name or in what is said of it.", dim
	}
	f := v.field()
	if p := v.problem(f); p != "" {
		return p, warn
	}
	if len(v.loaded.Problems) > 0 && v.Row == 0 {
		return v.loaded.Problems[0].Error(), warn
	}
	if from := v.loaded.Sources[f.Name]; from.Rank != settings.Default {
		return f.Help + " (from " + origin(from) + ")", dim
	}
	return f.Help, dim
}

// problem says why a value of a setting's does not count, if there is such a one.
func (v *view) problem(f settings.Field) string {
	i := slices.IndexFunc(v.loaded.Problems, func(p settings.Problem) bool { return p.Key == f.Name || f.Env != "" && p.Where == f.Env })
	if i < 0 {
		return ""
	}
	return v.loaded.Problems[i].What + " (" + v.loaded.Problems[i].Where + ")"
}

// origin says where a value comes from, in few words.
func origin(from settings.Source) string {
	switch from.Rank {
	case settings.Environment:
		return from.Where
	case settings.Default:
		return "the default"
	case settings.Global:
		return "your own file"
	}
	return "the " + from.Rank.String() + " file"
}

// units lists those that the names of settings end in.
var units = []struct{ ending, unit string }{{"Ms", " ms"}, {"Seconds", " s"}, {"Minutes", " min"}, {"Days", " days"}}

// value writes a setting's in the words of people, in at most so many runes.
func (v *view) value(f settings.Field, most int) string {
	value := cmp.Or(text.OneLine(f.Text(v.loaded.Settings), most), "(none)")
	switch {
	case f.IsSwitch():
		return map[string]string{"true": "on", "false": "off"}[value]
	case value == "(none)":
		return value
	case value == "0":
		if _, means, ok := strings.Cut(f.Help, "0 is "); ok { // for ever, never
			return means
		}
	}
	for _, u := range units {
		if strings.HasSuffix(f.Name, u.ending) {
			value += u.unit
		}
	}
	return value
}

// The columns of a setting, in cells, and the widths from which on there is room for
// its section and for where its value is from.
const (
	sectionWidth, nameWidth, sourceWidth = 8, 34, 20

	sectionAt, sourceAt = 60, 84
)

// drawRow draws a setting with its value, or the entry that it is typed in, and
// where it is from.
func (v *view) drawRow(screen tcell.Screen, x, width, i int) {
	f, y := v.fields[i], v.Y(i)
	sign, style := "  ", v.Styles[styled.Text]
	if i == v.Row {
		sign, style = "> ", v.Styles[styled.Cursor]
	}
	if width >= sectionAt {
		if first, _ := v.Visible(); i == first || v.fields[i-1].Section != f.Section {
			display.Put(screen, x, y, sectionWidth, v.Styles[styled.Dim], f.Section)
		}
		x, width = x+sectionWidth, width-sectionWidth
	}
	at := min(nameWidth, max(width/2, width-14)) // where the value begins
	room := width - at
	if i == v.Row && v.entering() {
		if room < 24 { // no room beside the name
			display.Put(screen, x, y, 2, style, sign)
			at, room = 2, width-2
		} else {
			display.Put(screen, x, y, at-1, style, sign+f.Label)
		}
		v.entry.SetRect(x+at, y, max(1, room-1), 1)
		v.entry.Draw(screen)
		return
	}
	display.Put(screen, x, y, at, style, fmt.Sprintf("%-*s", at, cells.Shorten(sign+f.Label, at-1))) // as far as the value, where the style is reversed
	if from := v.loaded.Sources[f.Name]; width >= sourceAt && from.Rank != settings.Default {
		display.Put(screen, x+width-sourceWidth, y, sourceWidth, v.Styles[styled.Dim], cells.Shorten(origin(from), sourceWidth))
		room -= sourceWidth + 1
	}
	display.Put(screen, x+at, y, room, style, cells.Shorten(v.value(f, 0), room))
}

// drawHelp says all about the setting in focus, and the menu's keys.
func (v *view) drawHelp(screen tcell.Screen) {
	x, y, width, height := v.GetInnerRect()
	f, bottom := v.field(), y+height
	put := func(style styled.Style, text string) {
		for _, row := range cells.WrapMost(text, width, height) {
			if y < bottom-1 {
				display.Put(screen, x, y, width, v.Styles[style], row)
			}
			y++
		}
	}
	put(styled.Strong, f.Label)
	put(styled.Text, strings.ToUpper(f.Help[:1])+f.Help[1:]+".")
	y += list.Gap(height)
	put(styled.Text, "Now: "+v.value(f, 0)+", from "+text.OneLine(origin(v.loaded.Sources[f.Name]), 0)+"; by default "+cmp.Or(f.Default, "nothing")+".")
	put(styled.Text, "It may be "+f.Expected()+".")
	put(styled.Dim, "In files and for askpane settings set it is "+f.Name+strings.Replace("; the variable is ENV.", "ENV", cmp.Or(f.Env, "none"), 1))
	if p := v.problem(f); p != "" {
		put(styled.Warn, text.OneLine(p, 0))
	}
	y += list.Gap(height)
	for _, h := range keys.Help(v, nil) {
		put(styled.Dim, fmt.Sprintf("%-18s %s", h.Keys, h.Help))
	}
	display.Put(screen, x, bottom-1, width, v.Styles[styled.Dim], "any key goes back")
}
