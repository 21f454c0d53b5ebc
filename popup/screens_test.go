package popup

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/machine"
)

const oneQuestion = `{"questions":[{"id":"db","label":"Database","prompt":"Which database should the shop use?","options":[
 {"value":"pg","label":"PostgreSQL","description":"The team knows it; needs a server"},
 {"value":"lite","label":"SQLite","description":"One file, no server, one writer at a time"},
 {"value":"duck","label":"DuckDB"}]}]}`

const threeQuestions = `{"questions":[
 {"id":"db","label":"Database","prompt":"Which database should the shop use?","options":[
  {"value":"pg","label":"PostgreSQL","description":"The team knows it"},{"value":"lite","label":"SQLite"}]},
 {"id":"cache","label":"Cache","prompt":"And which cache, if any?","options":[
  {"value":"redis","label":"Redis"},{"value":"none","label":"None for now"}]},
 {"id":"name","prompt":"What is the service called?"}]}`

// longQuestion has more of everything than a small popup has room for.
var longQuestion = func() string {
	prompt := "The migration touches every table. " + strings.Repeat("It copies each row, checks it, and only then drops the old one. ", 8) + "How shall it run?"
	var options []string
	for i, label := range []string{"At night", "Now", "In batches of a thousand rows, with a pause between them, so that nobody notices", "Never",
		"On a copy first", "By hand", "https://example.org/a/very/long/address/without/any/place/to/break/it/at/all/that/fits", "Ask again", "Next week"} {
		options = append(options, fmt.Sprintf(`{"value":"o%d","label":%q,"description":"What this means in practice is written here, at some length, for option %d."}`, i, label, i+1))
	}
	return fmt.Sprintf(`{"questions":[{"id":"m","label":"Migration","prompt":%q,"options":[%s]}]}`, prompt, strings.Join(options, ","))
}()

const wideQuestion = `{"questions":[{"id":"w","label":"言語","prompt":"どのデータベースを使いますか？ 한국어 문장도 있습니다。 Café au lait: e\u0301 👩\u200d👩\u200d👧 🇩🇪 👍🏽","options":[
 {"value":"a","label":"日本語のとても長い選択肢なので行を折り返す必要があります","description":"説明も長いですから折り返します"},
 {"value":"b","label":"👩\u200d💻 emoji ✂️ and ＦＵＬＬ width"},
 {"value":"c","label":"مرحبا بالعالم"},
 {"value":"d","label":"Zalgo: a\u0300\u0301\u0302\u0303\u0304b"}]}]}`

const hostileQuestion = `{"questions":[{"id":"h","label":"[red]label","prompt":"[red]not red[-] [::b]nor bold \u001b[31mnor this\u001b]2;title\u0007 \u202egnp.exe\u202c [\"region\"]x[\"\"]",
 "options":[{"value":"a","label":"[blue::u]A[-:-:-]","description":"\u001b[2J\u001b[H \u009b5n \u0000\u007f"},
 {"value":"b","label":"line one\r\n❯ 9. Forged choice\r\nCancel"},
 {"value":"c","label":"\u2066isolate\u2069 \ufeffbom \u200bzero"}]}]}`

// The interior of a popup at its smallest, in a terminal of 80x24, all of such
// a terminal, and one that has room for a preview beside the choices.
var sizes = []size{small, medium, {80, 24}, large}

type size struct{ width, height int }

var small, medium, large = size{34, 7}, size{62, 16}, size{120, 40}

// screen is what a form shows after act. It is held against a golden file in the
// medium size, and in those of also, where the size changes what there is to see.
type screen struct {
	name, request string
	act           func(*stage)
	also          []size
	marked        bool     // the file says which cells stand out
	says          []string // instead of a file: all that there is to see
}

// hold draws the screen in every size; what is on it is harmless in all of them.
func (c screen) hold(t *testing.T, newStage func(*testing.T, string, size) *stage) {
	for _, z := range sizes {
		t.Run(fmt.Sprintf("%s-%dx%d", c.name, z.width, z.height), func(t *testing.T) {
			s := newStage(t, c.request, z)
			c.act(s)
			s.draw()
			s.harmless()
			for _, text := range c.says {
				if z == medium {
					s.shows(text)
				}
			}
			if c.says == nil && (z == medium || slices.Contains(c.also, z)) {
				s.golden(fmt.Sprintf("%s-%dx%d", c.name, z.width, z.height), c.marked)
			}
		})
	}
}

func ofSize(t *testing.T, request string, z size) *stage {
	t.Helper()
	return newStage(t, request, nil, z.width, z.height)
}

func untouched(*stage) {}

// keys presses keys.
func keys(names ...string) func(*stage) { return func(s *stage) { s.press(names...) } }

func TestScreens(t *testing.T) {
	t.Parallel()
	for _, c := range []screen{
		{name: "one-question", request: oneQuestion, act: untouched, also: []size{small}, marked: true},
		{name: "one-question-moved", request: oneQuestion, act: keys("Down"), says: []string{"  1. PostgreSQL", "> 2. SQLite"}},
		{name: "long", request: longQuestion, act: untouched, also: []size{small, large}},
		{name: "long-scrolled", request: longQuestion, act: keys("PgDn")},
		{name: "long-last-choice", request: longQuestion, act: keys("End", "PgDn", "End", "Up"), also: []size{small}},
		{name: "entry-empty", request: oneQuestion, act: keys("4")},
		{name: "entry-several-lines", request: oneQuestion, also: []size{small}, marked: true, act: func(s *stage) {
			s.press("4").paste("MariaDB, because:\n- we have it\n- 日本語 works\nand it is long enough to need a second row on a narrow popup, surely")
		}},
		{name: "entry-left", request: oneQuestion, act: keys("4", "half an answer", "Esc")},
		{name: "entry-blank-refused", request: oneQuestion, act: keys("4", "  ", "Enter"), says: []string{"Nothing is typed yet.", "Enter answer · Esc back"}},
		{name: "several-first", request: threeQuestions, act: untouched},
		{name: "several-second", request: threeQuestions, act: keys("2"), says: []string{" ✓ Database  [○ Cache]  ○ Q3   Review", "And which cache"}},
		{name: "several-reopened", request: threeQuestions, act: keys("2", "Shift+Tab"), marked: true},
		{name: "review-complete", request: threeQuestions, act: keys("2", "1", "Enter", "shop-api\nor so", "Enter"), also: []size{small}},
		{name: "review-missing", request: threeQuestions, act: keys("2", "Tab", "Tab", "Enter"), says: []string{"Not answered yet: Cache, Q3", "> 2. Cache: not answered yet"}},
		{name: "notice", request: oneQuestion, act: keys("9"), says: []string{"There is no choice 9; there are 4.", "↑↓ move"}},
		{name: "notice-outside", request: oneQuestion, act: func(s *stage) {
			s.m.Handle(machine.Event{Action: machine.End})
			s.st.Ended, s.st.Notice = &form.Result{Outcome: form.Answered}, "Already answered by askpane answer, 12:03: PostgreSQL."
		}},
		{name: "agent-gone", request: oneQuestion, act: func(s *stage) { s.st.Gone = true }, says: []string{" agent gone", "Esc dismiss"}},
		{name: "guard", request: oneQuestion, act: func(s *stage) { s.st.Guarded = true }},
		{name: "others", request: oneQuestion, act: func(s *stage) { s.st.Others = 2 }, says: []string{"  1m 05s · 2 more waiting"}},
		{name: "others-agent-gone", request: threeQuestions, act: func(s *stage) { s.st.Others, s.st.Gone = 12, true }, also: []size{small}},
		{name: "wide", request: wideQuestion, act: untouched, also: []size{small}},
		{name: "hostile", request: hostileQuestion, act: func(s *stage) {
			s.st.Agent = "evil\x1b[2J\u202e” asks  waited 0s [red]"
			s.st.Cwd = "/srv/\x1b]0;x\a/[red]"
		}},
	} {
		c.hold(t, ofSize)
	}
}

// harmless: no cell holds what a terminal would act on.
func (s *stage) harmless() {
	s.Helper()
	for _, row := range s.rows() {
		if v := text.Visible(row); v != row {
			s.Errorf("row %q holds what should not be drawn", row)
		}
	}
}

func TestTinyScreensDoNotPanic(t *testing.T) {
	t.Parallel()
	for _, request := range []string{oneQuestion, threeQuestions, longQuestion, wideQuestion, hostileQuestion} {
		s := newStage(t, request, nil, 80, 24)
		s.press("End", "Enter", "some text", "Ctrl+J", "日本語")
		for width := 1; width <= 24; width++ {
			for height := 1; height <= 8; height++ {
				s.resize(width, height)
			}
		}
		s.resize(80, 24)
		if text := s.m.EntryText(0); text != "some text\n日本語" {
			t.Errorf("resizing made %q of the text", text)
		}
		s.shows("some text")
	}
}
