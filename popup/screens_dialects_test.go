package popup

import (
	"fmt"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/askpane/askpane/popup/machine"
)

// The interior of a popup at its smallest, in a terminal of 80x24, all of such
// a terminal, and one that has room for a preview beside the choices.
var popupSizes = []struct{ width, height int }{{34, 7}, {62, 16}, {80, 24}, {120, 40}}

// One form of each kind in each dialect, and what can lie over it.
func TestDialectScreens(t *testing.T) {
	for _, c := range []struct {
		name, request string
		act           func(*stage)
	}{
		{"typed-one-preview", typedForm, func(*stage) {}},
		{"typed-preview-markdown", typedForm, func(s *stage) { s.press("Down") }},
		{"typed-preview-expanded", typedForm, func(s *stage) { s.press("e") }},
		{"typed-one-chosen", typedForm, func(s *stage) { s.press("2", "[") }},
		{"typed-one-other", typedForm, func(s *stage) { s.press("3", "MariaDB", "Enter", "[") }},
		{"typed-many", typedForm, func(s *stage) { s.press("1", "Space", "3", "Docs", "Enter", "Down") }},
		{"typed-confirm", typedForm, func(s *stage) { s.press("]", "]") }},
		{"typed-number", typedForm, func(s *stage) { s.press("]", "]", "]", "Up") }},
		{"typed-number-refused", typedForm, func(s *stage) { s.press("]", "]", "]", "Enter", "0", "Enter") }},
		{"typed-text", typedText, func(*stage) {}},
		{"typed-text-open", typedText, func(s *stage) { s.press("Enter") }},
		{"typed-note", typedForm, func(s *stage) { s.press("n", "mind the licence") }},
		{"typed-note-kept", typedForm, func(s *stage) { s.press("n", "mind the licence", "Tab") }},
		{"typed-review", typedForm, func(s *stage) { s.press("n", "why?", "Tab", "2", "1", "Down", "Down", "Down", "Enter", "0") }},
		{"typed-review-missing", typedForm, func(s *stage) { s.press("2", "0", "Enter") }},
		{"typed-danger", typedDanger, func(*stage) {}},
		{"typed-danger-blank", typedDanger, func(s *stage) { s.press(" ", "Enter") }},
		{"typed-danger-back", typedDanger, func(s *stage) { s.press("shop", "Enter", "[") }},
		{"typed-help", typedForm, func(s *stage) { s.press("?") }},
		{"plain-many", plainForm, func(s *stage) { s.press("Down", "Space") }},

		{"setup-radio", setupForm, func(*stage) {}},
		{"setup-checkbox", setupForm, func(s *stage) { s.press("Enter", "Space", "Down") }},
		{"setup-text", setupForm, func(s *stage) { s.press("Tab", "Tab", "shop", "Shift+Enter", "api") }},
		{"setup-text-blank", setupText, func(s *stage) { s.press("Enter") }},
		{"setup-review", setupForm, func(s *stage) { s.press("Enter", "Enter", "Tab") }},
		{"setup-review-missing", setupForm, func(s *stage) { s.press("Tab", "Tab", "Tab", "Enter") }},

		{"decision-one", decisionForm, func(*stage) {}},
		{"decision-unanswered", decisionForm, func(s *stage) { s.press("u") }},
		{"decision-many", decisionForm, func(s *stage) { s.press("Tab", "Down", "Space") }},
		{"decision-text", decisionForm, func(s *stage) { s.press("Tab", "Tab", "because", "Ctrl+J", "it is late") }},
		{"decision-comment-option", decisionForm, func(s *stage) { s.press("n", "who runs it?") }},
		{"decision-comment-question", decisionForm, func(s *stage) { s.press("c", "not now", "Enter") }},
		{"decision-review", decisionForm, func(s *stage) {
			s.press("n", "who runs it?", "Enter", "c", "not now", "Enter", "Tab", "Tab", "Tab", "c", "ask me tomorrow", "Enter")
		}},
		{"decision-help", decisionForm, func(s *stage) { s.press("?") }},
		{"filter", twelveOptions, func(s *stage) { s.press("/", "1") }},
		{"filter-nothing", twelveOptions, func(s *stage) { s.press("/", "zzz", "Enter", "Enter") }},
		{"decline", decisionForm, func(s *stage) { s.press("Ctrl+X", "Down") }},
		{"decline-own-reason", buttonsRow, func(s *stage) { s.press("Ctrl+X", "4", "too early") }},

		{"buttons", buttonsRow, func(s *stage) { s.st.left = 9*time.Minute + 5*time.Second }},
		{"buttons-other", buttonsRow, func(s *stage) { s.press("3", "on Monday") }},
		{"buttons-many", buttonsMany, func(s *stage) { s.press("1", "Right", "Right", "Space") }},
		{"dropdown", buttonsDropdown, func(*stage) {}},
		{"dropdown-open", buttonsDropdown, func(s *stage) { s.press("Enter", "Down") }},
		{"expired", buttonsRow, func(s *stage) {
			s.m.Handle(machine.Event{Action: machine.End})
			s.st.expired, s.st.notice = true, "Expired: the deadline passed. Any key closes this."
		}},
	} {
		for _, size := range popupSizes {
			name := fmt.Sprintf("%s-%dx%d", c.name, size.width, size.height)
			t.Run(name, func(t *testing.T) {
				s := newStage(t, c.request, nil, size.width, size.height)
				c.act(s)
				s.draw()
				s.golden(name)
				s.harmless()
			})
		}
	}
}

// A theme changes colours and nothing else, and uses its own alone. What is
// grey, dim or bold in all of them comes from the golden screens.
func TestThemes(t *testing.T) {
	for _, request := range []string{threeQuestions, typedDanger, setupForm, twelveOptions, buttonsRow} {
		want := newStage(t, request, nil, 62, 16).press("Down").text()
		for name, make := range themes {
			s := newStage(t, request, nil, 62, 16).press("Down")
			th := make()
			s.view.theme = th
			s.draw()
			if s.text() != want {
				t.Errorf("theme %s changes the text:\n%s\nwas\n%s", name, s.text(), want)
			}
			own := map[tcell.Color]bool{}
			for _, style := range []tcell.Style{th.text, th.strong, th.dim, th.accent, th.cursor, th.done, th.warn} {
				fg, _, _ := style.Decompose()
				own[fg] = true
			}
			coloured := 0
			for y := range 16 {
				for x := range 62 {
					_, style, _ := s.screen.Get(x, y)
					fg, bg, _ := style.Decompose()
					if !own[fg] || bg != tcell.ColorDefault {
						t.Fatalf("theme %s: %v on %v at %d,%d", name, fg, bg, x, y)
					}
					if fg != tcell.ColorDefault {
						coloured++
					}
				}
			}
			if plain := name == "mono" || name == "high-contrast"; plain != (coloured == 0) {
				t.Errorf("theme %s: %d cells have a colour", name, coloured)
			}
		}
	}
}

// contrast is the ratio that WCAG 2 defines, of two colours' luminance.
func contrast(a, b tcell.Color) float64 {
	light, dark := luminance(a), luminance(b)
	return (max(light, dark) + 0.05) / (min(light, dark) + 0.05)
}

func luminance(c tcell.Color) float64 {
	r, g, b := c.RGB()
	part := func(v int32) float64 { // a square is near enough to its curve here
		return float64(v) / 255 * float64(v) / 255
	}
	return 0.2126*part(r) + 0.7152*part(g) + 0.0722*part(b)
}

// WCAG 2 asks for 4.5 to 1.
func TestThemesCanBeRead(t *testing.T) {
	for name, ground := range map[string]tcell.Color{"dark": tcell.NewHexColor(0x1e1e1e), "light": tcell.NewHexColor(0xffffff)} {
		th := themes[name]()
		for what, style := range map[string]tcell.Style{"accent": th.accent, "cursor": th.cursor, "done": th.done, "warn": th.warn,
			"heading": th.preview.Heading, "keyword": th.preview.Keyword, "name": th.preview.Name, "string": th.preview.String,
			"number": th.preview.Number, "added": th.preview.Added, "removed": th.preview.Removed} {
			if fg, _, _ := style.Decompose(); contrast(fg, ground) < 4.5 {
				t.Errorf("%s: %s has a contrast of %.1f", name, what, contrast(fg, ground))
			}
		}
	}
}
