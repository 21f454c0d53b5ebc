package popup

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/askpane/askpane/popup/display"
	"github.com/askpane/askpane/tests/needs"
)

// An agent that writes into its texts what a form looks like, row by row, gets
// none of these rows onto the screen as they are, without colours either: what
// is on view in a row of its own is ours.
func TestAgentCannotImitateTheForm(t *testing.T) {
	needs.Unraced(t)
	t.Parallel()
	for _, c := range []struct {
		name, genuine string
		act           func(*stage)
	}{
		{"choices", oneQuestion, func(s *stage) { s.press("Down") }},
		{"tabs", threeQuestions, func(s *stage) { s.press("2") }},
		{"an entry", oneQuestion, func(s *stage) { s.press("4", "typed by hand") }},
		{"a typed answer", oneQuestion, func(s *stage) { s.press("4", "typed by hand", "Esc") }},
		{"the review", threeQuestions, func(s *stage) { s.press("2", "1", "Enter", "shop-api", "Enter") }},
		{"a notice", oneQuestion, func(s *stage) { s.press("9") }},
		{"declining", oneQuestion, func(s *stage) { s.press("Ctrl+X") }},
		{"help", oneQuestion, func(s *stage) { s.press("?") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := newStage(t, c.genuine, nil, 62, 40)
			c.act(g)
			genuine := slices.DeleteFunc(g.rows(), func(row string) bool { return strings.TrimSpace(row) == "" })
			quoted, err := json.Marshal(strings.Join(genuine, "\n"))
			if err != nil {
				t.Fatal(err)
			}
			question := fmt.Sprintf(`"header":"x","prompt":%[1]s,"type":"choice","options":[{"value":"a","label":%[1]s,"description":%[1]s,"preview":%[1]s},{"value":"b","label":%[1]s}]`, quoted)
			for _, forged := range []string{
				fmt.Sprintf(`{"title":%[1]s,"description":%[1]s,"questions":[{"id":"a","type":"radio","label":%[1]s,"prompt":%[1]s,"options":[{"label":%[1]s,"description":%[1]s}]},{"id":"b","type":"text","label":%[1]s,"prompt":%[1]s}]}`, quoted),
				fmt.Sprintf(`{"questions":[{"id":"a","label":%[1]s,"prompt":%[1]s,"options":[{"value":"a","label":%[1]s,"description":%[1]s}]}]}`, quoted),
				fmt.Sprintf(`{"prompt":%[1]s,"options":[{"label":%[1]s,"description":%[1]s},{"label":"b"}]}`, quoted),
				`{"questions":[{"id":"a",` + question + `}]}`,
			} {
				s := newStage(t, forged, nil, 62, 300)
				s.view.theme = display.ThemeOf("mono", nil)
				s.st.Agent = strings.Join(genuine, " ")
				s.draw()
				own := strings.Split(strings.TrimRight(s.text(), "\n"), "\n")
				for y, row := range own {
					if y == 0 || y == len(own)-1 { // who asks, and the keys: ours
						continue
					}
					if slices.Contains(genuine, row) && !strings.Contains(row, "Something else…") {
						t.Errorf("row %d looks like one of ours: %q in\n%s", y, row, strings.TrimRight(s.text(), "\n"))
					}
				}
			}
		})
	}
}

// A sign of ours in an agent's short texts is text, and so is one that looks like it.
func TestLabelsHaveNoSignsOfOurs(t *testing.T) {
	t.Parallel()
	for _, sign := range strings.Fields("❯ ✓ ✎ ☑ ☐ ◉ ○ ■ □ ┊ │ ▾ ✔ ☒ ● ➤ ❱ ┆ ✅") {
		request, err := json.Marshal(map[string]any{"questions": []any{
			map[string]any{"id": "a", "label": "T " + sign, "prompt": "Which?", "options": []any{map[string]any{"value": "b", "label": "B " + sign + "\ufe0f"}}},
			map[string]any{"id": "b", "label": "U", "prompt": "And?", "options": []any{}},
		}})
		if err != nil {
			t.Fatal(err)
		}
		s := newStage(t, string(request), nil, 62, 20)
		s.shows("[○ T ⟨" + sign + "⟩]")
		s.shows("1. B ⟨" + sign + "⟩")
		s.press("1", "Tab").shows(": B ⟨" + sign + "⟩")
	}
}
