package display

import (
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/askpane/askpane/popup/preview/styled"
)

// Theme says what each style looks like on the terminal's own background.
type Theme [styled.Styles]tcell.Style

// Of returns the style that a span is drawn in.
func (th *Theme) Of(s styled.Span) tcell.Style {
	style := th[s.Style]
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

// themes makes those that the setting theme names; any other name means auto.
var themes = map[string]func() Theme{
	"auto":          func() Theme { return coloured(auto) },
	"dark":          func() Theme { return coloured(dark) },
	"light":         func() Theme { return coloured(light) },
	"high-contrast": highContrast,
	"mono":          mono,
}

// auto uses six of the terminal's own sixteen colours, which the person has chosen, and
// none that colours.readable would not know. The bright ones, black and white are left
// out: one of them is always unreadable on the other kind of ground, and Solarized's
// bright black is its ground. dark and light bring colours of their own.
var (
	auto = palette{"accent": "cyan", "keyword": "magenta", "name": "blue", "good": "green", "number": "yellow", "removed": "red"}
	dark = palette{"accent": "#5fd7d7", "keyword": "#d7afff", "name": "#87afff", "good": "#87d787", "number": "#ffd75f", "removed": "#ff8787", "dim": "#a8a8a8"}

	light = palette{"accent": "#005f87", "keyword": "#5f0087", "name": "#00008f", "good": "#005f00", "number": "#875f00", "removed": "#870000", "dim": "#626262"}
)

// ThemeOf returns the theme that the setting of that name means. own has the colours of the theme
// custom, which has auto's for the rest. It honours NO_COLOR (no-color.org: present and not
// empty) over the setting.
func ThemeOf(name string, own map[string]string) Theme {
	th, known := themes[name]
	switch {
	case os.Getenv("NO_COLOR") != "":
		return mono()
	case known:
		return th()
	}
	all := maps.Clone(auto)
	maps.Copy(all, own)
	return coloured(all)
}

// sixteen names a terminal's own colours in their order.
var sixteen = strings.Fields("black red green yellow blue magenta cyan white " +
	"bright-black bright-red bright-green bright-yellow bright-blue bright-magenta bright-cyan bright-white")

// palette has the colours of a theme as #rrggbb or by the name of one of a terminal's own: accent,
// keyword, name, good, number, removed and dim. Where it has none for what is dim, the terminal
// makes that fainter.
type palette map[string]string

// colour returns the one for that; the terminal's own where p has none.
func (p palette) colour(what string) tcell.Color {
	if n := slices.Index(sixteen, p[what]); n >= 0 {
		return tcell.PaletteColor(n)
	}
	return tcell.GetColor(p[what])
}

// of returns the colour that stands for one of a terminal's own, from red (1) to cyan (6).
func (p palette) of(number int) tcell.Color {
	return p.colour([]string{"removed", "good", "number", "name", "keyword", "accent"}[number-1])
}

// Of what a theme says nothing, it leaves as the terminal has it.
var plain = tcell.StyleDefault

func coloured(p palette) Theme {
	in := func(what string) tcell.Style { return plain.Foreground(p.colour(what)) }
	accent, good, number, dim := in("accent"), in("good"), in("number"), in("dim").Dim(p["dim"] == "")
	return Theme{
		styled.Strong:   plain.Bold(true),
		styled.Emphasis: plain.Italic(true),
		styled.Strike:   plain.StrikeThrough(true),
		styled.Dim:      dim,
		styled.Heading:  accent.Bold(true),
		styled.Link:     accent.Underline(true),
		styled.Code:     number,
		styled.Keyword:  in("keyword"),
		styled.Type:     accent,
		styled.Name:     in("name"),
		styled.String:   good,
		styled.Number:   number,
		styled.Comment:  dim.Italic(true),
		styled.Added:    good,
		styled.Removed:  in("removed"),
		styled.Accent:   accent,
		styled.Cursor:   accent.Bold(true).Reverse(true),
		styled.Done:     good,
		styled.Advice:   number,
		styled.Warn:     number.Bold(true),
		styled.Danger:   in("removed").Bold(true),
		styled.Rule:     plain.Dim(true),
	}
}

// mono has no colours: everything it says it says by attribute and sign.
func mono() Theme {
	th := coloured(palette{}) // what says it by an attribute too
	th[styled.Heading] = plain.Bold(true).Underline(true)
	th[styled.String] = plain.Italic(true)
	th[styled.Comment] = plain.Dim(true)
	th[styled.Removed] = plain.Dim(true).StrikeThrough(true)
	th[styled.Accent], th[styled.Cursor] = plain.Bold(true), plain.Bold(true)
	th[styled.Warn], th[styled.Danger] = plain.Reverse(true), plain.Reverse(true).Bold(true)
	for _, style := range []styled.Style{styled.Code, styled.Keyword, styled.Added} {
		th[style] = plain.Bold(true)
	}
	return th
}

// highContrast stresses more of mono and leaves nothing dim.
func highContrast() Theme {
	th := mono()
	for i := range th {
		th[i] = th[i].Dim(false)
	}
	th[styled.Accent], th[styled.Done], th[styled.Cursor] = plain.Bold(true), plain.Bold(true), plain.Reverse(true).Bold(true)
	th[styled.Warn] = plain.Reverse(true).Bold(true)
	return th
}

// Accented gives the theme the form's own accent colour (#rrggbb), where
// there are colours and it has one.
func (th Theme) Accented(accent string) Theme {
	if accent == "" || th[styled.Accent] == th[styled.Accent].Foreground(tcell.ColorDefault) {
		return th
	}
	own := tcell.GetColor(accent)
	th[styled.Accent], th[styled.Cursor] = th[styled.Accent].Foreground(own), th[styled.Cursor].Foreground(own)
	return th
}

// Greyed dims the theme, for a form that takes nothing more.
func (th Theme) Greyed() Theme {
	grey := mono()
	for _, style := range []styled.Style{styled.Text, styled.Strong, styled.Dim, styled.Accent, styled.Done, styled.Advice, styled.Danger} {
		grey[style] = plain.Dim(true)
	}
	grey[styled.Cursor], grey[styled.Warn] = plain.Dim(true).Reverse(true), th[styled.Warn]
	return grey
}
