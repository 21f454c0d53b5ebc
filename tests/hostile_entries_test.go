package tests

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/tests/hostiletexts"
)

// hostileEntries: an entry that an agent has filled in before, by a default or a
// recommendation, is sent as the person sees it: nothing that is hidden from them
// becomes their answer. What is pasted into one is a text from outside, too.
func hostileEntries(t *testing.T, texts []hostiletexts.Text) []*terminal {
	s := newTmux(t)
	v := s.attach("main", 160, 50)
	fill := func(most int, question func(i int, text string) map[string]any) string {
		var questions []map[string]any
		for i, x := range texts[:min(most, len(texts))] {
			questions = append(questions, question(i, x.Text))
		}
		return marshal(t, map[string]any{"questions": questions})
	}
	for _, c := range []struct {
		dialect, request string
		keys             []string // that answer a question with what stands in it
		many             int
	}{
		{"ask_user_question", fill(len(texts), func(i int, text string) map[string]any {
			return map[string]any{"id": fmt.Sprint("q", i), "type": "text", "prompt": fmt.Sprintf("prompt %d:", i), "default": text}
		}), []string{enter}, len(texts)},
		{"ask_user", fill(10, func(i int, text string) map[string]any {
			return map[string]any{"id": fmt.Sprint("q", i), "type": "text", "header": "H", "prompt": fmt.Sprintf("prompt %d:", i), "recommendation": texts[len(texts)-1-i].Text}
		}), []string{enter}, 10},
		{"AskUserQuestion", fill(4, func(i int, text string) map[string]any {
			return map[string]any{"header": "H", "type": "free_text", "question": fmt.Sprintf("prompt %d:", i), "default": texts[9+i].Text}
		}), []string{enter, enter}, 4},
	} {
		a := s.askWith(quiet, "main", c.request)
		for i := range c.many {
			v.see(fmt.Sprintf("prompt %d:", i))
			for _, key := range c.keys {
				v.press(key)
			}
		}
		v.see("Enter submit")
		v.press("\x1b[F") // End: the review is longer than the screen
		v.until("had the cursor on Submit", func(screen string) bool {
			return strings.Contains(screen, "> Submit")
		})
		v.press(enter)
		r := a.result()
		if r.Outcome != "answered" {
			t.Fatalf("%s: the outcome is %s: %s", c.dialect, r.Outcome, r.Text)
		}
		if hidden := text.Visible(r.Text); hidden != r.Text {
			t.Errorf("%s: the answer has what the person did not see: %+q", c.dialect, r.Text)
		}
	}
	var all []string
	for _, x := range texts {
		all = append(all, strings.NewReplacer("\x1b", "", "\x00", "").Replace(x.Text)) // Esc would end the paste
	}
	a := s.askWith(quiet, "main", colour)
	v.see("4. " + other)
	v.press("4")
	v.see("Type your answer")
	v.press(paste(strings.Join(slices.Concat(all, []string{"to the end"}), "\n")))
	v.see("to the end")
	v.press(enter)
	if r := a.result(); r.Outcome != "answered" || text.Visible(r.Text) != r.Text {
		t.Errorf("pasted: the answer has what the person did not see: %+q", r.Text)
	}
	return []*terminal{v}
}

// What stands on the screen is what is sent, sign by sign.
func TestEntryIsSentAsSeen(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 120, 30)
	const seen = "ok⟨U+202E⟩txt⟨U+200B⟩⟨U+200D⟩.exe 0⟨U+FE00⟩12 ⟨U+2800⟩␛]0;x␇"
	a := s.ask("main", marshal(t, map[string]any{"questions": []any{map[string]any{
		"id": "name", "label": "Name", "type": "text", "prompt": "Which name?", "default": "ok\u202etxt\u200b\u200d.exe 0\ufe001\ufe0f2 \u2800\x1b]0;x\a"}}}))
	v.see("│ " + seen)
	v.press(enter)
	a.answered("Name: " + seen)
}
