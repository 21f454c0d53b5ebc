package layout

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/popup/keymap"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/preview/styled"
	"github.com/askpane/askpane/popup/scene"
)

// previews gives every preview three rows.
type previews struct{}

func (previews) Rows(_ form.Preview, width int) []styled.Row {
	row := styled.Row{{Text: strings.Repeat("x", width), Style: styled.Code}}
	return []styled.Row{row, row, row}
}

// everyKind has a question of each kind, with texts that are wide, long and forged.
func everyKind() *form.Form {
	long := strings.Repeat("日本語 and ✂️ ", 20) + strings.Repeat("w", 200)
	options := []form.Option{{Label: long, Description: long}, {Label: "❯ 2. forged ✓", Emoji: "🚀", Preview: &form.Preview{Content: "x"}}, {Label: ""}}
	low := -1.5
	f := &form.Form{Title: long, Intro: "Intro", Review: true, Remarks: form.Comments, Partial: true, Questions: []form.Question{
		{Kind: form.One, Options: options, Other: "Else", Recommended: []int{1}},
		{Kind: form.Many, Options: options, SelectRow: true, Optional: true},
		{Kind: form.One, Options: options, Style: form.Dropdown},
		{Kind: form.Many, Options: options, Style: form.Buttons, Other: "Else"},
		{Kind: form.Number, Min: &low}, {Kind: form.Text, Multiline: true, Secret: true}, {Kind: form.Text, Open: true}, {Kind: form.One, Options: options, Dangerous: true},
		{Kind: form.One, Options: slices.Repeat(options[2:], machine.FilterFrom)},
	}}
	for i := range f.Questions {
		q := &f.Questions[i]
		q.ID, q.Label, q.Prompt = fmt.Sprint("q", i), fmt.Sprint("Q", i, " 日本語"), long
	}
	return f
}

// Wherever a person comes by, in any size: no row is wider than there is room for,
// and what has the focus, the entry and the areas for clicks are within the page.
func TestFormFits(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 6))
	texts := []string{"", "x", "3", strings.Repeat("字 ", 90)}
	for range 24 {
		m := machine.New(everyKind(), nil, true)
		for range 40 {
			m.Handle(machine.Event{Action: machine.Action(random.IntN(int(machine.Cancel))), N: random.IntN(9), Text: texts[random.IntN(len(texts))]})
			st := scene.Status{Agent: texts[3], Cwd: texts[3], Others: random.IntN(2), Gone: random.IntN(2) == 0, Guarded: random.IntN(4) == 0}
			on := Screen{Expanded: random.IntN(2) == 0, Hints: []keymap.Hint{{Keys: "Enter", Help: "choose"}, {Keys: "Esc", Help: "cancel"}}, Previews: previews{}.Rows}
			width, height := 40+random.IntN(110), 5+random.IntN(40)
			holds(t, Form(scene.Of(m, st), on, width, height), width)
		}
	}
}

func holds(t *testing.T, p Page, width int) {
	t.Helper()
	for what, rows := range map[string][]styled.Row{"head": p.Head, "body": p.Body, "foot": p.Foot} {
		for i, row := range rows {
			if row.Width() > width {
				t.Fatalf("row %d of the %s is %d wide, of %d: %q", i, what, row.Width(), width, row.String())
			}
		}
	}
	if from, to := p.Focus[0], p.Focus[1]; from < 0 || from > to || to > len(p.Body) {
		t.Fatalf("the focus is on rows %v of %d", p.Focus, len(p.Body))
	}
	if e := p.Entry; e.Rows > 0 && (e.Row+e.Rows > len(p.Body) || e.Cols < 1 || e.Col+e.Cols > width) {
		t.Fatalf("the entry is at %+v of %d rows", e, len(p.Body))
	}
	for _, h := range p.Hits {
		if h.Row < 0 || h.Row >= len(p.Body) || h.From > h.To {
			t.Fatalf("a click is meant for %+v of %d rows", h, len(p.Body))
		}
	}
}
