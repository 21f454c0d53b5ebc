package cells

import (
	"slices"
	"strings"
	"testing"

	"github.com/rivo/uniseg"

	"github.com/askpane/askpane/bridge/text"
)

func TestWrap(t *testing.T) {
	t.Parallel()
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
		{"a long word between others", "one two xxxxxxxxxxxxx", 7, []string{"one two", "xxxxxxx", "xxxxxx"}},
		{"no blank begins a row", "abc( def", 4, []string{"abc(", "def"}},
		{"no width", "ab", 0, []string{"a", "b"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Wrap(c.text, c.width); !slices.Equal(got, c.want) {
				t.Errorf("Wrap = %q, want %q", got, c.want)
			}
		})
	}
}

// FuzzWrap: whatever the text, no row is too wide (but for one sign wider than
// the row), nothing but blanks at the ends of rows is lost, and Shorten keeps
// to the width too.
func FuzzWrap(f *testing.F) {
	for _, seed := range []string{"", "one two three", "日本語です🇩🇪👍🏽", "a\u0300\u0301 \u200d x", "abcdefgh   ij", " lead", "a-b/c d\u00a0e", "한국어 문장도"} {
		f.Add(seed, 5)
		f.Add(seed, 1)
	}
	f.Fuzz(func(t *testing.T, s string, width int) {
		s = text.Visible(s)
		width = 1 + abs(width)%200
		rows := Wrap(s, width)
		for _, row := range rows {
			if w := uniseg.StringWidth(row); w > width && uniseg.GraphemeClusterCount(row) > 1 {
				t.Fatalf("row %q of %q has %d cells, and %d are there", row, s, w, width)
			}
			if strings.HasSuffix(row, " ") {
				t.Fatalf("row %q of %q ends in a blank", row, s)
			}
		}
		if got, want := squeeze(strings.Join(rows, "")), squeeze(s); got != want {
			t.Fatalf("Wrap(%q, %d) = %q loses something", s, width, rows)
		}
		short := Shorten(s, width)
		if w := uniseg.StringWidth(short); w > width {
			t.Fatalf("Shorten(%q, %d) = %q has %d cells", s, width, short, w)
		}
		if !strings.HasPrefix(s, strings.TrimSuffix(short, "…")) {
			t.Fatalf("Shorten(%q, %d) = %q", s, width, short)
		}
	})
}

func abs(n int) int { return int(uint(n) >> 1) }

func squeeze(s string) string {
	return strings.NewReplacer(" ", "", "\n", "").Replace(s)
}

func TestShorten(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"日本語", 5, "日本…"}, {"日本語", 4, "日…"}, {"abc", 1, "…"}, {"abc", 0, ""}, {"abc", -3, ""}, {"", 0, ""},
	} {
		if got := Shorten(c.text, c.width); got != c.want {
			t.Errorf("Shorten(%q, %d) = %q, want %q", c.text, c.width, got, c.want)
		}
	}
}

func TestShortenStart(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"abc", 3, "abc"}, {"abcd", 3, "…cd"}, {"日本語", 5, "…本語"}, {"日本語", 4, "…語"}, {"abc", 1, "…"}, {"abc", 0, "…"}, {"", 0, ""},
	} {
		if got := ShortenStart(c.text, c.width); got != c.want {
			t.Errorf("ShortenStart(%q, %d) = %q, want %q", c.text, c.width, got, c.want)
		}
	}
}

func TestWrapMost(t *testing.T) {
	t.Parallel()
	for most, want := range map[int][]string{3: {"one", "two", "six"}, 2: {"one", "two…"}, 1: {"one…"}} {
		if got := WrapMost("one two\nsix", 4, most); !slices.Equal(got, want) {
			t.Errorf("WrapMost in %d rows = %q, want %q", most, got, want)
		}
	}
}

// ASCII that fits is not looked at sign by sign, and is broken and measured as if it were.
func TestASCII(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", " ", "   ", "ab", "ab  ", "  ab ", "ab cd", "~!", "a-b", "\x7f", "a\tb"} {
		for width := 1; width < 8; width++ {
			slow := Wrap(s+"\n", width)
			if got := Wrap(s, width); !slices.Equal(got, slow[:len(slow)-1]) {
				t.Errorf("%q in %d cells is %q, want %q", s, width, got, slow[:len(slow)-1])
			}
		}
		if got, want := Width(s), uniseg.StringWidth(s); got != want {
			t.Errorf("%q takes %d cells, want %d", s, got, want)
		}
	}
}
