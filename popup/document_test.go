package popup

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rivo/tview"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/preview"
	"github.com/askpane/askpane/popup/preview/styled"
)

const plan = `# Move the sessions to Redis

The table sessions_old grows by 40,000 rows a day. We move it to Redis in two steps, and keep the table until nobody reads it any more.

## Steps

1. Write to both for a week, and count how often they differ.
2. Read from **Redis**, and from the table where it has nothing.
3. Drop the table.

## The switch

` + "```go\nif store.Has(id) {\n\treturn store.Get(id)\n}\n```" + `

| step | days |
|------|------|
| both | 7 |
| read | 3 |

## Risks

- Redis restarts and forgets what it had.
- Somebody reads the table by hand.

## Not now

The admin pages, which read the table once a night.
`

// planRequest asks about plan, which had another third step before; the person had asked why.
var planRequest = func() string {
	before := strings.Replace(plan, "3. Drop the table.", "3. Rename the table.", 1)
	data, _ := json.Marshal(map[string]any{"plan": plan, "modes": []any{map[string]string{"label": "Approve, and edit without asking", "value": "acceptEdits"}, map[string]string{"label": "Approve, and ask before each edit", "value": "default"}},
		"before": map[string]any{"plan": before, "comments": []any{map[string]any{"line": 9, "comment": "Why keep it?"}}, "sent": true}})
	return string(data)
}()

func TestDocumentScreens(t *testing.T) {
	t.Parallel()
	for name, act := range map[string]func(*stage){
		"plan":         untouched,
		"plan-comment": keys("Up", "Enter", "Where is that read?"),
		"plan-choices": keys("Up", "c", "Where is that read?", "Enter", "Tab", "Down"),
		"plan-search":  keys("/", "table"),
		"plan-keep":    keys("3", "First count"),
	} {
		for _, z := range []size{{80, 24}, {140, 40}} {
			if name != "plan" && name != "plan-choices" && z.width > 80 {
				continue
			}
			s := newStage(t, planRequest, nil, z.width, z.height)
			act(s)
			s.golden(name+map[bool]string{true: "", false: "-large"}[z.width == 80], false)
		}
	}
}

func TestDocumentKeys(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		keys []string
		mode machine.Mode
		line int
	}{
		{nil, machine.Document, 9},
		{[]string{"g", "]", "]"}, machine.Document, 11},
		{[]string{"End", "["}, machine.Document, 29},
		{[]string{"/", "REDIS", "Enter", "n", "n"}, machine.Document, 3},
		{[]string{"/", "REDIS", "Enter", "N"}, machine.Document, 8},
		{[]string{"Tab", "k", "Tab", "j"}, machine.Document, 11},
		{[]string{"Tab", "x", "y"}, machine.List, 9},
		{[]string{"g", "PgDn", "PgDn"}, machine.Document, 19},
		{[]string{"?", "x"}, machine.Document, 9},
	} {
		s := newStage(t, planRequest, nil, 80, 24).press(c.keys...)
		if s.m.Mode() != c.mode || s.m.Line() != c.line {
			t.Errorf("%v lead to line %d in mode %s, want %d in %s:\n%s", c.keys, s.m.Line(), s.m.Mode(), c.line, c.mode, s.text())
		}
	}
	s := newStage(t, planRequest, nil, 80, 24).press("g").mouse(tview.MouseLeftClick, "40,000 rows")
	if s.m.Line() != 3 {
		t.Errorf("a click leads to line %d:\n%s", s.m.Line(), s.text())
	}
}

// The place under the cursor is on view on a tiny screen, too.
func TestDocumentOnATinyScreen(t *testing.T) {
	t.Parallel()
	for _, height := range []int{5, 6, 8} {
		s := newStage(t, planRequest, nil, 20, height).press("g")
		for range 12 {
			s.shows("> ")
			s.press("Down")
		}
	}
}

// No key approves a plan of which the end was not on view, also where what is drawn of it has become longer
// meanwhile; and on each screen one can get there.
func TestPlanIsSeenFirst(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		height int
		keys   []string
		want   bool
	}{
		"where it begins":  {24, []string{"1"}, false},
		"half of it":       {24, []string{"g", "PgDn", "1"}, false},
		"its end":          {24, []string{"End", "1"}, true},
		"and back":         {24, []string{"End", "g", "1"}, true},
		"all of it":        {60, []string{"1"}, true},
		"page by page":     {24, []string{"PgDn", "PgDn", "PgDn", "PgDn", "1"}, true},
		"sent back unseen": {24, []string{"3", "Enter"}, true},
		"a small screen":   {7, []string{"End", "1", "1"}, true},
	} {
		s := newStage(t, planRequest, nil, 80, c.height).press(c.keys...)
		if _, over := s.m.Result(); over != c.want {
			t.Errorf("%s: over is %v\n%s", name, over, s.text())
		}
	}
	s := newStage(t, `{"plan":"one"}`, nil, 80, 24)
	s.draw()
	s.view.previews = func(form.Preview, int) []styled.Row { return make([]styled.Row, 100) }
	s.draw()
	if s.press("1"); s.m.Mode() == machine.Over {
		t.Error("what was not drawn yet is approved")
	}
}

// Approving as edited opens the editor at once; what it saves is sent by Enter, and nothing
// where it saves the plan as it was.
func TestDocumentIsEdited(t *testing.T) {
	editor := filepath.Join(t.TempDir(), "editor")
	for _, c := range []struct {
		script string
		over   bool
	}{{"exit 0", false}, {`echo "One more line." >>"$1"`, true}} {
		if err := os.WriteFile(editor, []byte("#!/bin/sh\n"+c.script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		t.Setenv("VISUAL", editor)
		s := newStage(t, planRequest, nil, 80, 24).press("3", "Esc", "4", "Enter")
		r, over := s.m.Result()
		if over != c.over || over && *r.Answers[0].Text != plan+"One more line." {
			t.Errorf("%s: over is %v with %+v:\n%s", c.script, over, r, s.text())
		}
	}
}

// A plan cannot look like a part of the form, and nothing of it is hidden.
func TestHostileDocument(t *testing.T) {
	t.Parallel()
	hostile := "# Plan\n\n✎ you approved this\n\n> 1. Approve\n\n\u202egnp.exe &#27;[2J\n\n" + strings.Repeat("long ", 400) + "end\n"
	data, _ := json.Marshal(map[string]any{"plan": hostile})
	s := newStage(t, string(data), nil, 80, 24)
	seen := ""
	for range 60 {
		seen += s.text()
		s.press("PgDn")
	}
	for _, row := range strings.Split(seen, "\n") {
		if row = strings.TrimSpace(row); strings.HasPrefix(row, "✎") || strings.Contains(row, "\x1b") {
			t.Fatalf("a row begins with %q", row)
		}
	}
	if !strings.Contains(seen, "⟨U+202E⟩") || !strings.Contains(seen, "end") {
		t.Errorf("not all is shown:\n%s", s.text())
	}
}

// The largest plan is shown whole, also by somebody without the program for previews.
func TestLargeDocument(t *testing.T) {
	t.Parallel()
	large := strings.TrimSpace(strings.Repeat("a line of the plan\n\n", 13000)) + " which ends here"
	s := stageWith(t, form.Form{Dialect: "plan", Questions: []form.Question{{ID: "plan", Label: "Plan", Kind: form.One, Options: []form.Option{{Value: "a", Label: "Approve"}}, Document: &form.Document{Text: large}}}}, nil)
	s.view.previews = preview.New(nil, nil).Rows
	s.resize(80, 24)
	s.press("End").shows("which ends here")
}
