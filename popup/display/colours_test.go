package display

import (
	"errors"
	"io"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/askpane/askpane/popup/preview/styled"
)

// palettes are the colours that terminals have by default or are often given: of the
// ground, the text, and red to cyan.
var palettes = map[string][8]int32{
	"xterm, dark":      {0x000000, 0xe5e5e5, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd},
	"xterm, light":     {0xffffff, 0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd},
	"Solarized, dark":  {0x002b36, 0x839496, 0xdc322f, 0x859900, 0xb58900, 0x268bd2, 0xd33682, 0x2aa198},
	"Solarized, light": {0xfdf6e3, 0x657b83, 0xdc322f, 0x859900, 0xb58900, 0x268bd2, 0xd33682, 0x2aa198},
	"Dracula":          {0x282a36, 0xf8f8f2, 0xff5555, 0x50fa7b, 0xf1fa8c, 0xbd93f9, 0xff79c6, 0x8be9fd},
	"Gruvbox, dark":    {0x282828, 0xebdbb2, 0xcc241d, 0x98971a, 0xd79921, 0x458588, 0xb16286, 0x689d6a},
	"Gruvbox, light":   {0xfbf1c7, 0x3c3836, 0xcc241d, 0x98971a, 0xd79921, 0x458588, 0xb16286, 0x689d6a},
	"Tango, dark":      {0x2e3436, 0xd3d7cf, 0xcc0000, 0x4e9a06, 0xc4a000, 0x3465a4, 0x75507b, 0x06989a},
	"Tango, light":     {0xffffff, 0x2e3436, 0xcc0000, 0x4e9a06, 0xc4a000, 0x3465a4, 0x75507b, 0x06989a},
}

// terminal is what one with such a palette says of itself.
func terminal(palette [8]int32) colours {
	said := colours{ground11: tcell.NewHexColor(palette[0]), text10: tcell.NewHexColor(palette[1])}
	for n := range 6 {
		said[n+1] = tcell.NewHexColor(palette[n+2])
	}
	return said
}

// Whatever a theme says can be read, in what people call their terminal: WCAG 2 asks
// for 4.5 to 1. Solarized's own light text has 4.1, and what is dim there is no less. In mono
// the terminal itself makes it fainter.
func TestThemesCanBeRead(t *testing.T) {
	t.Parallel()
	for name, palette := range palettes {
		own := terminal(palette)
		light := strings.HasSuffix(name, "light")
		for theme := range themes {
			if theme == "dark" && light || theme == "light" && !light {
				continue
			}
			for n, style := range themes[theme]() {
				if theme != "mono" && theme != "high-contrast" { // these get no colours
					style = own.readable(style, false)
				}
				shown, _, attributes := style.Decompose()
				if own, known := own[int(shown-tcell.ColorBlack)]; known {
					shown = own
				}
				if shown == tcell.ColorDefault {
					shown = own[text10]
				}
				if got, want := contrast(shown, own[ground11]), min(aa, contrast(own[text10], own[ground11])); got < want || theme != "mono" && attributes&tcell.AttrDim != 0 {
					t.Errorf("%s on %s: style %d has a contrast of %.1f", theme, name, n, got)
				}
			}
		}
	}
}

// The person's own colours stay where they can be read, and where nothing is known; the
// form's own accent is made readable too. A terminal that has eight colours gets none
// that it would put another in the place of.
func TestOwnColoursStay(t *testing.T) {
	t.Parallel()
	green, accent := tcell.StyleDefault.Foreground(tcell.ColorGreen), tcell.StyleDefault.Foreground(tcell.GetColor("#5865F2"))
	for _, c := range []struct {
		palette    string
		style      tcell.Style
		want, mono tcell.Color
	}{
		{"Dracula", green, tcell.ColorGreen, tcell.ColorGreen},
		{"xterm, light", green, tcell.NewHexColor(0x007b00), tcell.ColorDefault},
		{"Tango, dark", green, tcell.NewHexColor(0x71ae38), tcell.ColorDefault},
		{"Dracula", accent, tcell.NewHexColor(0x8a93f6), tcell.ColorDefault},
		{"Tango, light", accent, tcell.GetColor("#5865F2"), tcell.ColorDefault},
	} {
		for few, want := range map[bool]tcell.Color{false: c.want, true: c.mono} {
			if got, _, _ := terminal(palettes[c.palette]).readable(c.style, few).Decompose(); got != want {
				t.Errorf("on %s (few: %v) it is %v, want %v", c.palette, few, got, want)
			}
		}
	}
	if got := (colours{1: white}).readable(green, false); got != green {
		t.Error("it is changed where the ground is not known")
	}
	if fg, _, _ := (colours{}).readable(themes["auto"]()[styled.Warn], false).Decompose(); fg != tcell.ColorDefault {
		t.Errorf("where the ground is not known a warning is %v: on white it cannot be read", fg)
	}
}

// What has the focus, and the names of keys, can be read wherever the ground is not known
// (the popup of tmux 3.3a), on dark and on light, and in a form that has an accent of its own.
// Where it is known, they can be, too.
func TestTheFocusCanBeReadAnywhere(t *testing.T) {
	t.Parallel()
	for name, palette := range palettes {
		own := terminal(palette)
		want := min(aa, contrast(own[text10], own[ground11]))
		for ground, known := range map[string]colours{"known": own, "unknown": nil} {
			for theme, made := range themes {
				th := made()
				if ground == "known" && (theme == "dark" || theme == "light") && !strings.HasSuffix(name, theme) {
					continue
				}
				for _, accent := range []string{"", "#5865F2", "#ffd700", "#00005f"} {
					for _, style := range []styled.Style{styled.Cursor, styled.Strong} {
						said := th.Accented(accent)[style]
						fg, bg, attributes := known.readable(said, false).Decompose()
						if bg != tcell.ColorDefault || attributes&tcell.AttrDim != 0 || style == styled.Cursor && theme != "mono" && attributes&tcell.AttrReverse == 0 {
							t.Fatalf("%s, %s ground: in %s the style %d is %v on %v (%v)", name, ground, theme, style, fg, bg, attributes)
						}
						if shown, ok := own[int(fg-tcell.ColorBlack)]; ok {
							fg = shown
						}
						if fg == tcell.ColorDefault {
							fg = own[text10]
						}
						if got := contrast(fg, own[ground11]); got < want {
							t.Errorf("%s, %s ground: in %s with %q the style %d has a contrast of %.1f", name, ground, theme, accent, style, got)
						}
					}
				}
			}
		}
	}
}

// A terminal of 256 colours gets none of the first sixteen in the place of another, and
// what it gets can be read too.
func TestNearest(t *testing.T) {
	t.Parallel()
	own := terminal(palettes["xterm, light"])
	teal := own.instead(tcell.ColorTeal, own[ground11], false)
	if got := tcell.FindColor(teal, []tcell.Color{tcell.ColorTeal, own.nearest(teal)}); got != tcell.ColorTeal {
		t.Errorf("tcell would take %v, and this test shows nothing", got)
	}
	for name, palette := range palettes {
		own := terminal(palette)
		for n := tcell.ColorMaroon; n <= tcell.ColorTeal; n++ {
			got := own.nearest(own.instead(n, own[ground11], false))
			if index := int(got - tcell.ColorBlack); index < 16 || index > 255 || contrast(got, own[ground11]) < aa {
				t.Errorf("on %s %v becomes %v, with a contrast of %.1f", name, n, got, contrast(got, own[ground11]))
			}
		}
	}
}

// typed is a terminal that sends this, a piece at each read.
type typed struct {
	tcell.Tty
	pieces []string
	wrote  strings.Builder
}

func (t *typed) Read(p []byte) (int, error) {
	if len(t.pieces) == 0 {
		return 0, io.EOF
	}
	n := copy(p, t.pieces[0])
	t.pieces = t.pieces[1:]
	return n, nil
}

func (t *typed) Write(p []byte) (int, error) { return t.wrote.Write(p) }
func (t *typed) Drain() error                { return nil }

// A terminal is asked with the first frame. Its answer counts in whatever pieces and
// among whatever keys it comes, and the keys are handed on as they were typed.
func TestColoursAreAsked(t *testing.T) {
	t.Setenv("NO_COLOR", "")
	t.Setenv("TERM", "xterm-256color")
	const answer = "\x1b]4;1;rgb:cdcd/0000/0000\x1b\\\x1b]10;rgb:00/00/00\a\x1b]11;rgba:ffff/ffff/fefe/ffff\x1b\\\x1b[?62;22c"
	for name, c := range map[string]struct {
		pieces []string
		keys   string
	}{
		"in pieces":          {[]string{"x" + answer[:9], answer[9:30], answer[30 : len(answer)-2], answer[len(answer)-2:] + "c", "z"}, "xcz"},
		"cut within an end":  {[]string{answer[:26], answer[26:]}, ""},
		"Esc before it":      {[]string{"\x1b", answer}, "\x1b"},
		"Esc right before":   {[]string{"\x1b" + answer}, "\x1b"},
		"Esc right after":    {[]string{answer + "\x1b"}, "\x1b"},
		"Esc within it":      {[]string{answer[:27] + "\x1b", answer[27:]}, "\x1b"},
		"Esc twice before":   {[]string{"\x1b\x1b", answer}, "\x1b"},
		"after the last":     {[]string{"\x1b[?1;2c", "\x1b" + answer[:75]}, "\x1b"},
		"a cut arrow key":    {[]string{"\x1b[", "B" + answer}, "\x1b[B"},
		"Alt and a bracket":  {[]string{"\x1b]", "a", answer, "b"}, "\x1b]ab"},
		"more than it holds": {[]string{strings.Repeat("k", 300), answer}, strings.Repeat("k", 300)},
	} {
		t.Run(name, func(t *testing.T) {
			near := &typed{pieces: c.pieces}
			tty, told := newBatchTty(near), 0
			tty.told = func() { told++ }
			_, _ = tty.Write([]byte("small"))
			if near.wrote.Len() > 0 {
				t.Error("something is written before the first frame")
			}
			_, _ = tty.Write([]byte(strings.Repeat("f", frame)))
			if got := near.wrote.String(); !strings.HasSuffix(got, strings.Repeat("f", frame)+sixAsked+groundAsked) {
				t.Errorf("the first frame and the question are %q", got)
			}
			read, handed := make([]byte, 512), ""
			for err, n := error(nil), 0; err == nil; {
				n, err = tty.Read(read)
				handed += string(read[:n])
			}
			if handed != c.keys {
				t.Errorf("handed on is %q, want %q", handed, c.keys)
			}
			want := colours{1: tcell.NewHexColor(0xcd0000), text10: black, ground11: tcell.NewHexColor(0xfffffe)}
			if got := tty.own; told != 1 || !maps.Equal(got, want) {
				t.Errorf("told %d times, it is known that %v, want %v", told, got, want)
			}
		})
	}
}

// The end of a form waits for answers that are still to come, and takes them, so that
// the shell does not; and not for ever.
func TestLateAnswersAreTaken(t *testing.T) {
	t.Setenv("NO_COLOR", "")
	t.Setenv("TERM", "xterm-256color")
	tty := newBatchTty(&typed{})
	_, _ = tty.Write([]byte(strings.Repeat("f", frame)))
	before := time.Now()
	if err := tty.Drain(); err != nil || time.Since(before) < answerLimit {
		t.Errorf("without an answer it ends with %v after %v", err, time.Since(before))
	}
	near := &typed{pieces: []string{"\x1b]11;rgb:00/00/00\a", "\x1b[?6c"}}
	tty = newBatchTty(near)
	_, _ = tty.Write([]byte(strings.Repeat("f", frame)))
	tty.draining = true
	if n, err := tty.Read(make([]byte, 256)); n != 0 || !errors.Is(err, io.EOF) || tty.owed != nil {
		t.Errorf("%d bytes are handed on, %v, and more is owed: %v", n, err, tty.owed != nil)
	}
}

// What a terminal must not be asked it is not asked.
func TestQuestion(t *testing.T) {
	for _, c := range []struct{ noColour, term, program, version, want string }{
		{"", "xterm-256color", "", "", sixAsked + groundAsked},
		{"", "tmux-256color", "tmux", "3.7c", sixAsked + groundAsked},
		{"", "tmux-256color", "tmux", "3.8", groundAsked},
		{"", "tmux-256color", "tmux", "3.8a", groundAsked},
		{"", "tmux-256color", "tmux", "3.9", sixAsked + groundAsked},
		{"", "xterm-256color", "iTerm.app", "3.8", sixAsked + groundAsked},
		{"", "linux", "", "", ""},
		{"1", "xterm-256color", "", "", ""},
	} {
		for name, value := range map[string]string{"NO_COLOR": c.noColour, "TERM": c.term, "TERM_PROGRAM": c.program, "TERM_PROGRAM_VERSION": c.version} {
			t.Setenv(name, value)
		}
		if got := question(); got != c.want {
			t.Errorf("%+v: asked is %q", c, got)
		}
	}
}

func TestHint(t *testing.T) {
	for hint, want := range map[string]tcell.Color{"0;15": white, "15;default;0": black, "15;8": black, "0;7": white, "0;default": 0, "": 0, "0;99": 0} {
		for _, name := range []string{"NO_COLOR", "TMUX", "STY", "ZELLIJ"} {
			t.Setenv(name, "")
		}
		t.Setenv("COLORFGBG", hint)
		if got := hinted()[ground11]; got != want {
			t.Errorf("COLORFGBG=%s means %v, want %v", hint, got, want)
		}
		t.Setenv("TMUX", "/tmp/x,1,0")
		if len(hinted()) > 0 {
			t.Errorf("COLORFGBG=%s is believed in tmux", hint)
		}
	}
}
