package popup

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/gdamore/tcell/v2"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/popup/keymap"
	"github.com/askpane/askpane/popup/machine"
)

// o opens the page of the question on view, and the form goes on.
func TestPageIsOpened(t *testing.T) {
	t.Parallel()
	const link = "http://127.0.0.1:4711/#t=abc"
	for _, test := range []struct {
		name   string
		opened Opened
		err    error
		shows  []string
	}{
		{"a browser", Opened{Opened: true, Link: link, Copy: true}, nil, []string{"The page opens in your browser."}},
		{"none, over ssh", Opened{Link: link, Why: "No browser is here.", Forward: "ssh -N -L 4711:127.0.0.1:4711 10.0.0.1", Phone: []string{"▀▄█"}}, nil,
			[]string{"No browser is here.", link, "ssh -N -L 4711", "▀▄█"}},
		{"no room for the code", Opened{Link: link, Why: "No browser is here.", Phone: make([]string, 40)}, nil, []string{"Within ten minutes, open this link:", "askpane phone, in a larger terminal"}},
		{"an error", Opened{}, errors.New("the desk cannot start: no\nport"), []string{"cannot be opened: the desk cannot start: no"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newPopup(t)
			asked := make(chan string, 1)
			r.session.Page = func(_ context.Context, id string) (Opened, error) {
				asked <- id
				return test.opened, test.err
			}
			r.session.view.opens, r.session.view.serves = true, true
			r.begin()
			r.until("the form is there", func() bool { return strings.Contains(r.text(), "Enter choose") })
			r.press("o")
			if id := <-asked; id != r.entry.ID {
				t.Errorf("the page of %s was opened, want %s", id, r.entry.ID)
			}
			for _, says := range test.shows {
				r.until("it shows "+says, func() bool { return strings.Contains(r.text(), says) })
			}
			if got := string(r.screen.GetClipboardData()); (got == link) != test.opened.Copy {
				t.Errorf("copied: %q", got)
			}
			if test.opened.Why != "" { // the link is in the place of the form
				r.press(tcell.KeyEscape)
				r.until("the form is back", func() bool { return strings.Contains(r.text(), "Enter choose") })
			}
			r.press("2")
			r.end()
		})
	}
}

// Of a form's screen the link alone can be clicked, where it is broken too, and none of what an
// agent wrote.
func TestTheLinkCanBeClicked(t *testing.T) {
	t.Parallel()
	link := "http://127.0.0.1:4711/#t=" + strings.Repeat("A1", 20)
	for _, width := range []int{80, 40} {
		s := stageOf(t, form.Form{Questions: []form.Question{{ID: "q", Label: "Q", Kind: form.One, Prompt: "See https://example.com?",
			Options: []form.Option{{Label: "A", Preview: &form.Preview{Type: "markdown", Content: "[a](https://example.com)"}}}}}})
		s.resize(width, 24)
		clicked := func() (said string) {
			for y := range 24 {
				for x := range width {
					if sign, style, _ := s.screen.Get(x, y); style.Url("") != style {
						said += sign
						if style.Url(link) != style {
							t.Errorf("it leads elsewhere than to %s", link)
						}
					}
				}
			}
			return said
		}
		if said := clicked(); said != "" {
			t.Errorf("of the form can be clicked: %q", said)
		}
		s.view.showLink(Opened{Link: link, Why: "No browser is here.", Forward: "ssh -N"})
		if s.draw(); clicked() != link {
			t.Errorf("on %d columns can be clicked: %q", width, clicked())
		}
	}
}

// Where no desk serves pages yet, o opens no browser: it is typed where letters are, and F7 opens one.
func TestTheBrowserWithoutADesk(t *testing.T) {
	t.Parallel()
	for name, letter := range map[string]machine.Mode{"question": machine.Entry, "AskUserQuestion": machine.List, "ask_user": machine.List} {
		s := newStage(t, choices[name], nil, 200, 24)
		s.view.opens = true
		if footer := keymap.Footer(s.view.hints(false), 400); !strings.Contains(footer, "F7 browser") || strings.Contains(footer, "o browser") {
			t.Errorf("%s: the footer says %q", name, footer)
		}
		if s.press("o"); s.m.Mode() != letter || slices.Contains(s.asked, "the page") {
			t.Errorf("%s: o leads to %s", name, s.m.Mode())
		}
		s.view.press("F7", tcell.NewEventKey(tcell.KeyF7, 0, 0))
		if !slices.Contains(s.asked, "the page") {
			t.Errorf("%s: F7 opens nothing", name)
		}
	}
	s := newStage(t, choices["question"], nil, 200, 24)
	s.view.opens, s.view.serves = true, true
	if footer := keymap.Footer(s.view.hints(false), 400); !strings.Contains(footer, "o browser") {
		t.Errorf("with a desk the footer says %q", footer)
	}
	if s.press("o"); s.m.Mode() != machine.List || !slices.Contains(s.asked, "the page") {
		t.Errorf("with a desk o leads to %s", s.m.Mode())
	}
}
