package popup

import (
	"slices"
	"strings"
	"testing"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/uniseg"

	"github.com/askpane/askpane/bridge/form"
)

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		name, text string
		width      int
		want       []string
	}{
		{"fits", "a b", 3, []string{"a b"}},
		{"empty", "", 5, []string{""}},
		{"between words", "one two three", 7, []string{"one two", "three"}},
		{"blanks hang over the edge", "one   two", 4, []string{"one", "two"}},
		{"line breaks stay", "a\n\nb\n", 5, []string{"a", "", "b", ""}},
		{"a long word", "abcdefgh", 3, []string{"abc", "def", "gh"}},
		{"a long word after a short one", "a bcdefg", 3, []string{"a", "bcd", "efg"}},
		{"and one after it", "abcdefgh ij", 4, []string{"abcd", "efgh", "ij"}},
		{"wide signs", "日本語です", 4, []string{"日本", "語で", "す"}},
		{"wide signs, odd width", "日本語", 3, []string{"日", "本", "語"}},
		{"an emoji is not cut", "👩\u200d👩\u200d👧👩\u200d👩\u200d👧", 3, []string{"👩\u200d👩\u200d👧", "👩\u200d👩\u200d👧"}},
		{"combining signs stay", "e\u0301e\u0301e\u0301", 2, []string{"e\u0301e\u0301", "e\u0301"}},
		{"no width", "ab", 0, []string{"a", "b"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := wrap(c.text, c.width); !slices.Equal(got, c.want) {
				t.Errorf("wrap = %q, want %q", got, c.want)
			}
		})
	}
}

// FuzzWrap: whatever the text, no row is too wide (but for one sign wider than
// the row), nothing but blanks at the ends of rows is lost, and shorten and draw
// keep to the width too.
func FuzzWrap(f *testing.F) {
	for _, seed := range []string{"", "one two three", "日本語です🇩🇪👍🏽", "a\u0300\u0301 \u200d x", "abcdefgh   ij", " lead", "a-b/c d\u00a0e", "한국어 문장도"} {
		f.Add(seed, 5)
		f.Add(seed, 1)
	}
	f.Fuzz(func(t *testing.T, text string, width int) {
		text = form.Visible(text)
		width = 1 + abs(width)%200
		rows := wrap(text, width)
		for _, row := range rows {
			if w := uniseg.StringWidth(row); w > width && uniseg.GraphemeClusterCount(row) > 1 {
				t.Fatalf("row %q of %q has %d cells, and %d are there", row, text, w, width)
			}
			if strings.HasSuffix(row, " ") {
				t.Fatalf("row %q of %q ends in a blank", row, text)
			}
		}
		if got, want := squeeze(strings.Join(rows, "")), squeeze(text); got != want {
			t.Fatalf("wrap(%q, %d) = %q loses something", text, width, rows)
		}
		short := shorten(text, width)
		if w := uniseg.StringWidth(short); w > width {
			t.Fatalf("shorten(%q, %d) = %q has %d cells", text, width, short, w)
		}
		if !strings.HasPrefix(text, strings.TrimSuffix(short, "…")) {
			t.Fatalf("shorten(%q, %d) = %q", text, width, short)
		}
	})
}

func abs(n int) int { return int(uint(n) >> 1) }

func squeeze(s string) string {
	return strings.NewReplacer(" ", "", "\n", "").Replace(s)
}

func TestShorten(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"日本語", 5, "日本…"}, {"日本語", 4, "日…"}, {"abc", 1, "…"}, {"abc", 0, ""}, {"abc", -3, ""}, {"", 0, ""},
	} {
		if got := shorten(c.text, c.width); got != c.want {
			t.Errorf("shorten(%q, %d) = %q, want %q", c.text, c.width, got, c.want)
		}
	}
}

// draw leaves alone every cell that it was not given.
func TestDrawKeepsToItsCells(t *testing.T) {
	for _, text := range []string{"abcdefghij", "日本語日本語", "a日b本c語", "👩\u200d👩\u200d👧👍🏽🇩🇪x", "\u0301a", "e\u0301"} {
		for width := range 8 {
			screen := tcell.NewSimulationScreen("UTF-8")
			if err := screen.Init(); err != nil {
				t.Fatal(err)
			}
			screen.SetSize(12, 3)
			screen.Fill('#', tcell.StyleDefault)
			draw(screen, 2, 1, width, line{{text[:0], tcell.StyleDefault}, {text, tcell.StyleDefault}})
			for y := range 3 {
				for x := range 12 {
					cell, _, _ := screen.Get(x, y)
					inside := y == 1 && x >= 2 && x < 2+width
					if !inside && cell != "#" {
						t.Errorf("%q in %d cells draws %q at %d,%d", text, width, cell, x, y)
					}
				}
			}
			screen.Fini()
		}
	}
}
