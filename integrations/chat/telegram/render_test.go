package telegram

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/askpane/askpane/popup/chat"
	"github.com/askpane/askpane/tests/chat/desktest"
	"github.com/askpane/askpane/tests/chat/telegramtest"
)

const entry = "01JB0000000000000000000000"

// examples are messages of each kind.
var examples = map[string]chat.Message{
	"buttons": {Blocks: []chat.Block{
		{Text: "pi asks in ~/code/cache", Style: chat.Heading},
		{Text: "Which approach for the cache layer? See README.md"},
		{Separator: true},
		{Text: "⚡ Redis: Fast, in-memory, needs separate service"},
		{Buttons: []chat.Button{{ID: entry + ".1.pick.0", Label: "Redis", Emoji: "⚡", Primary: true}}},
		{Separator: true},
		{Text: "🐘 Postgres: Already running, slower but simpler"},
		{Buttons: []chat.Button{{ID: entry + ".1.pick.1", Label: "Postgres", Emoji: "🐘"}}},
		{Separator: true},
		{Buttons: []chat.Button{{ID: entry + ".1.pick.2", Label: "Skip caching", Emoji: "⏭️"}}},
		{Text: "55 minutes left", Style: chat.Dim},
	}},
	"several": {Blocks: []chat.Block{
		{Text: "Which checks?", Style: chat.Heading},
		{Text: "go vet ./...\ngit push @origin", Style: chat.Fixed},
		{Select: &chat.Select{ID: entry + ".2.pick.0", Hint: "Choose", Many: true, Choices: []chat.Choice{
			{Value: "0", Label: "Lint", Chosen: true}, {Value: "1", Label: "Tests", Emoji: "🧪"}}}},
		{Buttons: []chat.Button{{ID: entry + ".2.done.0", Label: "Submit", Primary: true}, {ID: entry + ".2.type.0", Label: "Other…"},
			{ID: entry + ".2.note.0", Label: "Leave a comment"}, {ID: entry + ".2.no.0", Label: "Decline"}}},
		{Text: "The page: http://127.0.0.1:7788/q/1", Style: chat.Address},
	}},
	"one of many": {Blocks: []chat.Block{
		{Text: "Which branch?"},
		{Select: &chat.Select{ID: entry + ".3.pick.0", Choices: []chat.Choice{{Value: "0", Label: "main"}, {Value: "1", Label: "next", Chosen: true}}}},
	}},
	"over": {State: chat.Over, Blocks: []chat.Block{{Text: "Which branch?", Style: chat.Heading}, {Text: "Expired", Style: chat.Dim}}},
}

// TestNothingIsTouchable has agents write what Telegram would make do something.
func TestNothingIsTouchable(t *testing.T) {
	t.Parallel()
	many := strings.Repeat("see https://example.com and @everyone, then /stop. ", 70)
	for _, text := range []string{
		"https://example.com/a?b", "(example.com).", "a,b.example.org/x", "http://localhost:80/", "tg://resolve?domain=x", "пример.рф", "10.0.0.1 and 1.2.3.4:80",
		"@ann, ask (@bob_1)", "mail me@example.com!", "#urgent #план C#x", "$AAPL or $HOME", "/start", "(/stop) a//kill", "line\n/start\n@ann", "call +1-212-555-0123", "4111 1111 1111 1111", "pay 4111-1111-1111-1111.", "$1INCH", "README.md x.sh", "\u00a0@ann\u3000#tag",
		many, "😀 " + many, "“https://example.com”", "`@ann` **@bob** [a](https://example.com) <a href=\"https://example.com\">b</a>",
	} {
		for _, style := range []chat.Style{chat.Plain, chat.Heading, chat.Dim, chat.Fixed} {
			shown := shown(t, chat.Message{Blocks: []chat.Block{{Text: "Before", Style: chat.Heading}, {Text: text, Style: style}, {Text: text}, {Text: "after", Style: chat.Dim}}})
			if n := len(utf16.Encode([]rune(shown.Text))); n > mostText || !strings.Contains(shown.Text, text) && n < mostText {
				t.Errorf("%.40q, style %d: is not shown as it is (%d units)", text, style, n)
			}
		}
	}
}

// TestNothingIsTouchableAtRandom writes what nobody has thought of.
func TestNothingIsTouchableAtRandom(t *testing.T) {
	t.Parallel()
	parts := strings.Split("a|b1|Ж|x.com|org|.|..|:|//|/|@|#|$|A|HOME| |\n|(|)|\"|’|-|_|1|10.0.0.1|+|😀|,|!|http|start|1234567|…|\u00a0|\u200b", "|")
	for range 1500 {
		text := "x "
		for range rand.IntN(8) + 1 {
			text += parts[rand.IntN(len(parts))]
		}
		shown(t, chat.Message{Blocks: []chat.Block{{Text: text}}})
	}
}

// TestTakesEveryForm goes through forms of all kinds, in which Telegram finds nothing to refuse
// or to touch.
func TestTakesEveryForm(t *testing.T) {
	t.Parallel()
	c, err := Open(secret, "-100500", nil)
	if err != nil {
		t.Fatal(err)
	}
	desktest.Walk(t, c, func(m chat.Message) { shown(t, m) }, func(r chat.Reply) {
		if r.Entry == nil {
			return
		}
		text, keys := c.prompt("-100500/7", chat.User{ID: "7", Name: "Dom"}, r.Entry)
		if _, err := telegramtest.Shown(text.String(), text.entities, keys); err != nil {
			t.Errorf("%v: %+v", err, r.Entry)
		}
	})
}

// shown is a message as people see it, in which nothing does anything at a touch.
func shown(t *testing.T, m chat.Message) telegramtest.Message {
	t.Helper()
	text, keys := render(m)
	shown, err := telegramtest.Shown(text.String(), text.entities, keys)
	if err != nil {
		t.Errorf("%v: %+v", err, m)
	}
	for _, e := range shown.Entities {
		if !slices.Contains([]string{"bold", "italic", "code", "pre"}, e.Type) {
			units := utf16.Encode([]rune(shown.Text))
			t.Errorf("%q is live: %s, in %q", string(utf16.Decode(units[e.Offset:e.Offset+e.Length])), e.Type, shown.Text)
		}
	}
	return shown
}

// TestWordsStay holds what of a text is code: no more than has to be.
func TestWordsStay(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Fast, in-memory. And/or 3.14, e.g. 12:03…": "",
		"on 2026-11-23 10:16, 17 of 20":             "",
		"(see README.md), then":                     "README.md",
		"run /deploy or src/main.go, and/or a.c":    "/deploy|src/main.go",
		"ask @ann.":                                 "@ann",
	} {
		var w writer
		w.say(text, chat.Plain)
		var code []string
		units := utf16.Encode([]rune(w.String()))
		for _, e := range w.entities {
			code = append(code, string(utf16.Decode(units[e.Offset:e.Offset+e.Length])))
		}
		if got := strings.Join(code, "|"); got != want {
			t.Errorf("%q: %q is code, want %q", text, got, want)
		}
	}
}

func TestManyInARow(t *testing.T) {
	t.Parallel()
	var many []chat.Button
	for n := range 20 {
		many = append(many, chat.Button{ID: "x", Label: string(rune('a' + n))})
	}
	if rows := shown(t, chat.Message{Blocks: []chat.Block{{Text: "?"}, {Buttons: many}}}).Markup.Keyboard; len(rows) != 3 || len(rows[2]) != 4 {
		t.Errorf("%v", rows)
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		s    string
		most int
		want string
	}{{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"a😀b", 3, "a…"}, {"a😀", 3, "a😀"}, {"abc", 1, "…"}, {"abc", 0, ""}} {
		if got := cut(test.s, test.most); got != test.want {
			t.Errorf("cut(%q, %d) = %q, want %q", test.s, test.most, got, test.want)
		}
	}
}
