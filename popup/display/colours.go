package display

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/gdamore/tcell/v2"
	"github.com/lucasb-eyer/go-colorful"
)

// colours holds what the terminal has said of its own: of the sixteen by their number,
// of its text and its ground.
type colours map[int]tcell.Color

// The numbers of these two are those of the commands that ask for them.
const text10, ground11 = 10 << 8, 11 << 8

// The questions for the six colours that the theme auto uses, and for the text's and the
// ground's. Every terminal answers what comes last, and none before the rest.
const (
	sixAsked    = "\x1b]4;1;?\x1b\\\x1b]4;2;?\x1b\\\x1b]4;3;?\x1b\\\x1b]4;4;?\x1b\\\x1b]4;5;?\x1b\\\x1b]4;6;?\x1b\\"
	groundAsked = "\x1b]10;?\x1b\\\x1b]11;?\x1b\\\x1b[c"
)

// question asks the terminal for its colours; it is empty where that must not be asked.
// tmux passes the question for the six on to the terminal that it runs on. Where that has
// not answered when the pane closes, tmux 3.8 answers in its place half a second later, into
// what it has freed: the server ends, and all sessions with it (8 of 600 forms that closed at once).
func question() string {
	switch version := os.Getenv("TERM_PROGRAM_VERSION"); {
	case os.Getenv("NO_COLOR") != "", os.Getenv("TERM") == "linux": // whose console shows what it does not know
		return ""
	case os.Getenv("TERM_PROGRAM") == "tmux" && strings.HasPrefix(version, "3.8"):
		return groundAsked
	}
	return sixAsked + groundAsked
}

// Compiling them takes longer than the rest of a program's start may.
var (
	answer = sync.OnceValue(func() *regexp.Regexp {
		const rgb = `rgba?:([\da-fA-F]{2})[\da-fA-F]*/([\da-fA-F]{2})[\da-fA-F]*/([\da-fA-F]{2})`
		return regexp.MustCompile(`\x1b\](?:4;(\d{1,3})|(1[01]));(?:` + rgb + `)?[^\x07\x1b]*(?:\x07|\x1b\\)|` + last)
	})
	allSaid   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(last) })
	beginning = sync.OnceValue(func() *regexp.Regexp { // of an answer, at the end of the input
		return regexp.MustCompile(`\x1b(?:\][^\x07\x1b]*\x1b?|\[(?:\?[\d;]*)?)?$`)
	})
)

// last matches the answer that comes last.
const last = `\x1b\[\?[\d;]*c`

// answers reads the answers to the question out of a terminal's input.
func answers(input string) colours {
	said := colours{}
	for _, m := range answer().FindAllStringSubmatch(input, -1) {
		if m[3] == "" { // no colour
			continue
		}
		n, _ := strconv.Atoi(m[1] + m[2]) // of which one is empty
		if m[2] != "" {
			n <<= 8
		}
		rgb, _ := strconv.ParseInt(m[3]+m[4]+m[5], 16, 32)
		said[n] = tcell.NewHexColor(int32(rgb))
	}
	return said
}

// hinted returns what the environment says of the ground, where colours are wanted. It is believed
// only where it is about this terminal, and not the one that a multiplexer was started in.
func hinted() colours {
	if os.Getenv("NO_COLOR")+os.Getenv("TMUX")+os.Getenv("STY")+os.Getenv("ZELLIJ") != "" {
		return colours{}
	}
	fields := strings.Split(os.Getenv("COLORFGBG"), ";")
	switch n, err := strconv.Atoi(fields[len(fields)-1]); {
	case err != nil || n < 0 || n > 15:
		return colours{}
	case n == 7 || n > 8:
		return colours{ground11: white}
	default:
		return colours{ground11: black}
	}
}

// A text has to have at least this contrast (WCAG 2, level AA).
const aa = 4.5

var black, white = tcell.NewHexColor(0x000000), tcell.NewHexColor(0xffffff)

// readable turns a style into one that can be read on this terminal. Where its ground is known, a
// colour that cannot be read there is made lighter or darker until it can, and what is
// dim is the text's colour, as much nearer to the ground as may be. A terminal of few
// colours has no others than its own, and would put a wrong one there.
func (c colours) readable(style tcell.Style, few bool) tcell.Style {
	fg, _, attributes := style.Decompose()
	ground, known := c[ground11]
	text, texts := c[text10]
	switch {
	case few && fg.IsRGB():
		return style.Foreground(tcell.ColorDefault)
	case !known:
		return anywhere(style)
	case fg == tcell.ColorDefault && attributes&tcell.AttrDim != 0 && texts && !few:
		return style.Dim(false).Foreground(faded(text, ground))
	case fg.IsRGB():
		return style.Foreground(raised(fg, ground))
	case fg < tcell.ColorMaroon || fg > tcell.ColorTeal:
		return style
	}
	return style.Foreground(c.instead(fg, ground, few))
}

// anywhere makes a style readable on a ground that is not known: the focus and what warns,
// which on white could not be.
func anywhere(style tcell.Style) tcell.Style {
	switch fg, _, attributes := style.Decompose(); {
	case attributes&tcell.AttrReverse != 0: // its text has the contrast of the terminal's own
		return style.Foreground(tcell.ColorDefault)
	case attributes&tcell.AttrBold != 0 && fg == tcell.ColorOlive:
		return style.Foreground(tcell.ColorDefault)
	default:
		return style
	}
}

// instead replaces one of the terminal's own colours where it cannot be read on its ground. A
// colour that is not known counts as the one of the theme dark or light.
func (c colours) instead(fg, ground tcell.Color, few bool) tcell.Color {
	number := int(fg - tcell.ColorBlack)
	own, known := c[number]
	switch {
	case known && contrast(own, ground) >= aa:
		return fg
	case few:
		return tcell.ColorDefault
	case !known && contrast(black, ground) > contrast(white, ground):
		own = light.of(number)
	case !known:
		own = dark.of(number)
	}
	return raised(own, ground)
}

// cube lists the colours of a terminal of 256 that are the same everywhere. The first
// sixteen are the person's own.
var cube = sync.OnceValue(func() (all []tcell.Color) {
	for n := 16; n < 256; n++ {
		all = append(all, tcell.PaletteColor(n))
	}
	return all
})

// nearest finds the one of them that is most like a colour and can be read on this
// terminal's ground where that is known. Left to itself, tcell takes one of the first
// sixteen for what it is in its own table.
func (c colours) nearest(fg tcell.Color) tcell.Color {
	ground, known := c[ground11]
	able := slices.DeleteFunc(slices.Clone(cube()), func(one tcell.Color) bool { return known && contrast(one, ground) < aa })
	return tcell.FindColor(fg, able)
}

// raised moves a colour away from the ground until it can be read.
func raised(c, ground tcell.Color) tcell.Color {
	end := white
	if contrast(black, ground) > contrast(white, ground) {
		end = black
	}
	for part := 0.0; part < 1; part += 0.1 {
		if c := mixed(c, end, part); contrast(c, ground) >= aa {
			return c
		}
	}
	return end
}

// faded moves text nearer to the ground; it returns the terminal's own where that cannot be read then.
func faded(text, ground tcell.Color) tcell.Color {
	for part := 0.4; part > 0.05; part -= 0.05 {
		if c := mixed(text, ground, part); contrast(c, ground) >= aa {
			return c
		}
	}
	return tcell.ColorDefault
}

func mixed(a, b tcell.Color, part float64) tcell.Color {
	red, green, blue := parts(a).BlendRgb(parts(b), part).RGB255()
	return tcell.NewRGBColor(int32(red), int32(green), int32(blue))
}

// contrast returns the ratio that WCAG 2 defines, of two colours' luminance, which is their Y.
func contrast(a, b tcell.Color) float64 {
	_, one, _ := parts(a).Xyz()
	_, other, _ := parts(b).Xyz()
	return (max(one, other) + 0.05) / (min(one, other) + 0.05)
}

// parts returns what a colour is mixed of, each from 0 to 1.
func parts(c tcell.Color) colorful.Color {
	red, green, blue := c.RGB()
	return colorful.Color{R: float64(red) / 255, G: float64(green) / 255, B: float64(blue) / 255}
}
