package display

import (
	"cmp"
	"strings"
	"testing"

	"github.com/gdamore/tcell/v2"

	"github.com/askpane/askpane/popup/preview/styled"
)

// What each theme says by which colour and attribute.
func TestThemeColours(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"auto":          "text -; strong bold; dim dim; accent teal; cursor teal bold reverse; done green; warn olive bold",
		"dark":          "text -; strong bold; dim #A8A8A8; accent #5FD7D7; cursor #5FD7D7 bold reverse; done #87D787; warn #FFD75F bold",
		"light":         "text -; strong bold; dim #626262; accent #005F87; cursor #005F87 bold reverse; done #005F00; warn #875F00 bold",
		"high-contrast": "text -; strong bold; dim -; accent bold; cursor bold reverse; done bold; warn bold reverse",
		"mono":          "text -; strong bold; dim dim; accent bold; cursor bold; done -; warn reverse",
	}
	for name, made := range themes {
		th := made()
		var got []string
		for _, s := range []struct {
			name  string
			style tcell.Style
		}{{"text", th[styled.Text]}, {"strong", th[styled.Strong]}, {"dim", th[styled.Dim]}, {"accent", th[styled.Accent]}, {"cursor", th[styled.Cursor]}, {"done", th[styled.Done]}, {"warn", th[styled.Warn]}} {
			got = append(got, s.name+" "+describe(s.style))
		}
		if strings.Join(got, "; ") != want[name] {
			t.Errorf("%s is %q, want %q", name, strings.Join(got, "; "), want[name])
		}
	}
}

// describe names the colour and the attributes of a style.
func describe(style tcell.Style) string {
	fg, _, attr := style.Decompose()
	var words []string
	if fg != tcell.ColorDefault {
		words = append(words, fg.String())
	}
	for _, a := range []struct {
		mask tcell.AttrMask
		name string
	}{{tcell.AttrBold, "bold"}, {tcell.AttrDim, "dim"}, {tcell.AttrUnderline, "underline"}, {tcell.AttrReverse, "reverse"}} {
		if attr&a.mask != 0 {
			words = append(words, a.name)
		}
	}
	return cmp.Or(strings.Join(words, " "), "-")
}

func TestThemeOf(t *testing.T) {
	t.Setenv("NO_COLOR", "")
	for name, made := range themes {
		if ThemeOf(name, nil) != made() {
			t.Errorf("%s is another theme; an empty NO_COLOR does not count (no-color.org: present and not empty)", name)
		}
	}
	if th := ThemeOf("custom", map[string]string{"accent": "#102030", "good": "bright-blue"}); th[styled.Accent] != plain.Foreground(tcell.NewHexColor(0x102030)) ||
		th[styled.Done] != plain.Foreground(tcell.ColorBlue) || th[styled.Keyword] != themes["auto"]()[styled.Keyword] {
		t.Errorf("the person's own colours are %v, %v and %v", th[styled.Accent], th[styled.Done], th[styled.Keyword])
	}
	t.Setenv("NO_COLOR", "0")
	if ThemeOf("auto", nil) != mono() {
		t.Error("NO_COLOR=0 is present and not empty, and does not count")
	}
}

// What a span adds to its style is added to the theme's.
func TestOf(t *testing.T) {
	t.Parallel()
	th := ThemeOf("dark", nil)
	if got, want := th.Of(styled.Span{Style: styled.Keyword, Bold: true, Struck: true}), th[styled.Keyword].Bold(true).StrikeThrough(true); got != want {
		t.Errorf("the style is %v, want %v", got, want)
	}
}

// Without colours there is none.
func TestMono(t *testing.T) {
	t.Parallel()
	for i, s := range mono() {
		if s.Foreground(tcell.ColorDefault).Background(tcell.ColorDefault) != s {
			t.Errorf("style %d has a colour", i)
		}
	}
}
