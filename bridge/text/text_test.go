package text

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestVisible(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want string }{
		{"plain", "Which one?", "Which one?"},
		{"empty", "", ""},
		{"line break", "a\nb", "a\nb"},
		{"CRLF", "a\r\nb\r\n", "a\nb\n"},
		{"CR alone overwrites a row", "good\rbad", "good\nbad"},
		{"vertical tab, form feed", "a\vb\fc", "a\nb\nc"},
		{"NEL and Unicode separators", "a\u0085b\u2028c\u2029d", "a\nb\nc\nd"},
		{"tab", "a\tb", "a    b"},
		{"NUL", "a\x00b", "a␀b"},
		{"ESC", "\x1b[31mred\x1b]2;title\a", "␛[31mred␛]2;title␇"},
		{"backspace", "a\bb", "a␈b"},
		{"last C0", "\x1f", "␟"},
		{"DEL", "a\x7fb", "a␡b"},
		{"C1 CSI", "a\u009b31mb", "a⟨U+009B⟩31mb"},
		{"C1 OSC", "\u009d2;x\u009c", "⟨U+009D⟩2;x⟨U+009C⟩"},
		{"bidi overrides", "\u202eabc\u202d", "⟨U+202E⟩abc⟨U+202D⟩"},
		{"bidi embeddings", "\u202a\u202b\u202c", "⟨U+202A⟩⟨U+202B⟩⟨U+202C⟩"},
		{"bidi isolates", "\u2066\u2067\u2068\u2069", "⟨U+2066⟩⟨U+2067⟩⟨U+2068⟩⟨U+2069⟩"},
		{"bidi marks", "\u200e\u200f\u061c", "⟨U+200E⟩⟨U+200F⟩⟨U+061C⟩"},
		{"zero width space, BOM, soft hyphen", "\u200b\ufeff\u00ad", "⟨U+200B⟩⟨U+FEFF⟩⟨U+00AD⟩"},
		{"invalid bytes", "a\xffb\xc3", "a⟨0xFF⟩b⟨0xC3⟩"},
		{"a raw C1 byte is not UTF-8", "a\x9b31m", "a⟨0x9B⟩31m"},
		{"invalid byte after CRLF", "\r\n\xfe", "\n⟨0xFE⟩"},
		{"a real replacement sign", "a\ufffdb", "a\ufffdb"},
		{"ZWJ emoji", "👩\u200d👩\u200d👧", "👩\u200d👩\u200d👧"},
		{"flag by tags", "🏴\U000e0067\U000e0062\U000e007f", "🏴\U000e0067\U000e0062\U000e007f"},
		{"non-joiner in Persian", "می\u200cخواهم", "می\u200cخواهم"},
		{"combining", "e\u0301", "e\u0301"},
		{"as many combining signs as may be", "e" + strings.Repeat("\u0301", 8) + "a", "e" + strings.Repeat("\u0301", 8) + "a"},
		{"a flood of them", "e" + strings.Repeat("\u0301", 500) + "a\u0301", "e" + strings.Repeat("\u0301", 8) + "⟨…⟩a\u0301"},
		{"one on nothing", "\u0301a\n\u0301", "⟨U+0301⟩a\n⟨U+0301⟩"},
		{"joiners in a word of ASCII", "pass\u200dword\u200c", "pass⟨U+200D⟩word⟨U+200C⟩"},
		{"joiners in a row", "👩\u200d\u200d👧", "👩\u200d⟨U+200D⟩👧"},
		{"a joiner after what was made visible", "z\u200b\u200dw", "z⟨U+200B⟩⟨U+200D⟩w"},
		{"a keycap", "1\ufe0f\u20e3", "1\ufe0f\u20e3"},
		{"selectors that select nothing", "a\ufe00b\ufe0fc", "a⟨U+FE00⟩b⟨U+FE0F⟩c"},
		{"one that looks like a glob", "rm *\ufe0f 1\ufe0e", "rm *⟨U+FE0F⟩ 1⟨U+FE0E⟩"},
		{"selectors in a row", "✂\ufe0f\ufe0e", "✂\ufe0f⟨U+FE0E⟩"},
		{"a joiner first", "\u200dx", "⟨U+200D⟩x"},
		{"tags that hide a text", "ok\U000e0068\U000e0069", "ok⟨U+E0068⟩⟨U+E0069⟩"},
		{"tags after the end of a flag", "🏴\U000e0067\U000e007fx\U000e0067", "🏴\U000e0067\U000e007fx⟨U+E0067⟩"},
		{"tags right after the end of a flag", "🏴\U000e0067\U000e007f\U000e0068", "🏴\U000e0067\U000e007f⟨U+E0068⟩"},
		{"language tag and variation selectors that hide a text", "a\U000e0001\U000e0100", "a⟨U+E0001⟩⟨U+E0100⟩"},
		{"emoji by variation selector", "✂\ufe0f", "✂\ufe0f"},
		{"grapheme joiner, Mongolian selector", "a\u034f\u180b", "a⟨U+034F⟩⟨U+180B⟩"},
		{"Hangul fillers", "\u115f\u1160\u3164\uffa0", "⟨U+115F⟩⟨U+1160⟩⟨U+3164⟩⟨U+FFA0⟩"},
		{"unassigned and to be ignored", "\u2065\ufff0\ufff8", "⟨U+2065⟩⟨U+FFF0⟩⟨U+FFF8⟩"},
		{"Braille", "⠓⠊\u2800⠓", "⠓⠊⟨U+2800⟩⠓"},
		{"noncharacters", "\ufdd0\ufffe\U0010ffff", "⟨U+FDD0⟩⟨U+FFFE⟩⟨U+10FFFF⟩"},
		{"Hebrew with points", "בְּרֵאשִׁית", "בְּרֵאשִׁית"},
		{"Devanagari with a joiner", "क्\u200dष", "क्\u200dष"},
		{"CJK", "日本語", "日本語"},
		{"tview markup", "[red]x[-]", "[red]x[-]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Visible(c.in); got != c.want {
				t.Errorf("Visible(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
}

func TestBare(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"": "", "plain ✂": "plain ✂", "✂\ufe0f ☎\ufe0e": "✂ ☎", "1\ufe0f\u20e3": "1\u20e3"} {
		if got := Bare(in); got != want {
			t.Errorf("Bare(%+q) = %+q, want %+q", in, got, want)
		}
	}
}

func TestOneLine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, in string
		most     int
		want     string
	}{
		{"breaks and blanks", "  a\n\n b\t c ", 0, "a b c"},
		{"fits exactly", "abcde", 5, "abcde"},
		{"one too many", "abcdef", 5, "abcd…"},
		{"one sign", "abc", 1, "…"},
		{"counts runes", "日本語日本", 4, "日本語…"},
		{"no limit", strings.Repeat("x", 500), 0, strings.Repeat("x", 500)},
		{"escape", "a\x1bb", 0, "a␛b"},
		{"blank", " \n ", 3, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := OneLine(c.in, c.most); got != c.want {
				t.Errorf("OneLine(%q, %d) = %q, want %q", c.in, c.most, got, c.want)
			}
		})
	}
}

// FuzzVisible: nothing that a terminal acts on survives, and what is visible
// already is left alone.
func FuzzVisible(f *testing.F) {
	for _, seed := range []string{"", "a\r\nb", "\x1b[2J", "\u202e", "\xff\xfe", "e\u0301👩\u200d👧", "a\tb\x7f\u0085", "e" + strings.Repeat("\u0301", 30), "🏴\U000e0067\u200d", "\u3164\u200d\u200d"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v := Visible(s)
		if !utf8.ValidString(v) {
			t.Fatalf("Visible(%q) is not UTF-8: %q", s, v)
		}
		for _, r := range v {
			switch {
			case r == '\n' || r == utf8.RuneError:
			case r < 0x20, r >= 0x7f && r <= 0x9f, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
				t.Fatalf("Visible(%q) = %q keeps %U", s, v, r)
			}
		}
		if again := Visible(v); again != v {
			t.Fatalf("Visible(%q) = %q, and again %q", s, v, again)
		}
		if strings.ContainsAny(OneLine(s, 0), "\n\t") {
			t.Fatalf("OneLine(%q, 0) = %q has a break", s, OneLine(s, 0))
		}
		if n := utf8.RuneCountInString(OneLine(s, 7)); n > 7 {
			t.Fatalf("OneLine(%q, 7) has %d runes", s, n)
		}
	})
}

// Nothing is in an entry that cannot be seen there.
func TestEntered(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"a\tb": "a\tb", "0\ufe001\ufe0f2 z\u200b\u200dw": "0⟨U+FE00⟩12 z⟨U+200B⟩⟨U+200D⟩w",
		"1\ufe0f\u20e3 ❤\ufe0f 👩\u200d👧": "1\ufe0f\u20e3 ❤\ufe0f 👩\u200d👧", "#\ufe0f": "#",
	} {
		if got := Entered(in); got != want {
			t.Errorf("Entered(%+q) = %+q, want %+q", in, got, want)
		}
	}
}

func TestTilde(t *testing.T) {
	t.Setenv("HOME", "/home/ann")
	for path, want := range map[string]string{"/home/ann": "~", "/home/ann/src": "~/src", "/home/anna": "/home/anna", "/srv": "/srv", "": ""} {
		if got := Tilde(path); got != want {
			t.Errorf("Tilde(%q) = %q, want %q", path, got, want)
		}
	}
	t.Setenv("HOME", "/")
	if got := Tilde("/srv"); got != "/srv" {
		t.Errorf("with / as home, Tilde = %q", got)
	}
}
