package layout

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/preview/render"
	"github.com/askpane/askpane/popup/preview/styled"
	"github.com/askpane/askpane/popup/scene"
)

// A form is as large as what it shows: least for a yes or no, and never larger than
// there is room.
func TestSize(t *testing.T) {
	t.Parallel()
	one := func(prompt string, options ...form.Option) form.Question {
		return form.Question{ID: "q", Label: "Q", Kind: form.One, Prompt: prompt, Options: options}
	}
	yesNo := one("Deploy?", form.Option{Label: "Yes"}, form.Option{Label: "No"})
	var many []form.Option
	for i := range 12 {
		many = append(many, form.Option{Label: fmt.Sprint("Option ", i), Description: strings.Repeat("long ", 30)})
	}
	shown := form.Option{Label: "A", Preview: &form.Preview{Content: strings.Repeat(strings.Repeat("x", 60)+"\n", 20)}}
	for _, c := range []struct {
		name             string
		questions        []form.Question
		width, height    int // of the room
		columns, atLeast int
		most             int // rows
	}{
		{"yes or no", []form.Question{yesNo}, 106, 30, 74, 8, 8},
		{"described in a few words", []form.Question{one("Deploy?", form.Option{Label: "Yes", Description: "at once"}, form.Option{Label: "No", Description: "never"})}, 106, 30, 74, 8, 8},
		{"prose", []form.Question{one(strings.Repeat("word ", 100))}, 200, 50, 78, 10, 16},
		{"a long label", []form.Question{one("Q", form.Option{Label: strings.Repeat("label ", 40)})}, 200, 50, 98, 7, 12},
		{"a preview", []form.Question{one("Q", shown)}, 200, 50, 88, 24, 30},
		{"a preview on a narrow terminal", []form.Question{one("Q", shown)}, 70, 50, 70, 26, 32},
		{"more than there is room", []form.Question{one("Q", many...)}, 70, 20, 70, 20, 20},
		{"a text of several lines", []form.Question{{ID: "q", Label: "Q", Kind: form.Text, Multiline: true, Prompt: "Why?"}}, 106, 30, 74, 9, 14},
		{"a small terminal", []form.Question{yesNo}, 40, 5, 40, 5, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			columns, rows := Size(&form.Form{Questions: c.questions}, "", true, true, c.width, c.height)
			if n := slices.Max(rows); min(columns, c.width) != c.columns || n < c.atLeast || n > c.most {
				t.Errorf("%d columns and %d rows, want %d and %d to %d", columns, n, c.columns, c.atLeast, c.most)
			}
		})
	}
}

// A yes or no with notes has a row for one, and while that is written all of it and the
// question are on view.
func TestSizeWithANote(t *testing.T) {
	t.Parallel()
	f := &form.Form{Remarks: form.Notes, Questions: []form.Question{
		{ID: "q", Label: "Q", Kind: form.One, Prompt: "Deploy?", Options: []form.Option{{Label: "Yes"}, {Label: "No"}}, Other: "Other"}}}
	columns, rows := Size(f, "", true, true, 106, 30)
	if rows[0] != 10 {
		t.Errorf("it has %d rows, want 10", rows[0])
	}
	m := machine.New(f, nil, true)
	m.Handle(machine.Event{Action: machine.NoteQuestion})
	p := Form(scene.Of(m, scene.Status{}), Screen{}, columns-2*Padding, rows[0])
	if n := len(p.Head) + len(p.Body) + len(p.Foot); n > rows[0] || !strings.Contains(p.Body[0].String(), "Deploy?") || p.Entry.Rows != 1 {
		t.Errorf("the note's page has %d rows: %v", n, p.Body)
	}
}

// A long prompt begins with what it asks in the end, and with the choices.
func TestStart(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		prompt string
		rows   int
		want   int
	}{
		{"all of it fits", "Deploy?", 20, 0},
		{"details first", strings.Repeat("A detail.\n", 30) + "\nDeploy?", 8, 27},
		{"a short end and few rows", strings.Repeat("A detail.\n", 30) + "\nDeploy?", 4, 31},
		{"one long paragraph", strings.Repeat("A line.\n", 29) + "Deploy?", 8, 25},
	} {
		p := page(ask(c.prompt, form.Option{Label: "Yes"}, form.Option{Label: "No"}), scene.Status{}, 76, 40)
		if got := p.Start(c.rows); got != c.want {
			t.Errorf("%s: it starts at row %d of %d, want %d", c.name, got, len(p.Body), c.want)
		}
	}
}

// Of several questions each has rows of its own and all have the same columns, and there is room
// for all of each, wherever the cursor is: nothing of a page is cut off or scrolls. So has the review,
// with all that stands there at the start. What a form does not need is less than what it needs.
func TestSizeFits(t *testing.T) {
	t.Parallel()
	forms := map[string]*form.Form{"every kind": everyKind()}
	random := rand.New(rand.NewPCG(7, 8))
	words := func(most int) string {
		return strings.TrimSpace(strings.Repeat([]string{"word ", "日本 ", "- item\n", "**bold** ", "`code` ", "longer, longest. "}[random.IntN(6)], random.IntN(most)))
	}
	for i := range 300 {
		f := &form.Form{Title: words(3), Intro: words(9), Review: i%2 == 0, Partial: i%3 == 0}
		for q := range 1 + random.IntN(3) {
			one := form.Question{ID: fmt.Sprint(q), Label: words(3) + "Q", Prompt: words(40) + "?", Kind: []form.Kind{form.One, form.Many, form.One, form.Number, form.Text}[random.IntN(5)],
				Style: []form.Style{form.Rows, form.Rows, form.Buttons}[random.IntN(3)], Secret: i%7 == 0, Multiline: i%5 == 0, Dangerous: i%11 == 0, Recommended: []int{0, 1, 2, 3, 4}}
			if one.Kind != form.Number && one.Kind != form.Text && i%2 == 0 {
				one.Other, one.SelectRow = "Something else…", one.Kind == form.Many
			}
			if said := strings.ReplaceAll(words(90), "\n", " "); one.Kind == form.Text && !one.Secret && said != "" {
				one.Initial.Text, one.Preset = &said, i%4 == 0
			}
			for range 1 + random.IntN(12) {
				o := form.Option{Label: words(5) + "L", Description: words(1 + 30*random.IntN(2))}
				if i%4 == 0 {
					o.Preview = &form.Preview{Content: words(30) + "\n" + words(9)}
				}
				one.Options = append(one.Options, o)
			}
			f.Questions = append(f.Questions, one)
		}
		forms[fmt.Sprint("random ", i)] = f
	}
	for name, f := range forms {
		on := machine.New(f, nil, true).Draft()
		for _, width := range []int{60, 100, 150} {
			columns, rows := Size(f, "", true, false, width, 500)
			for step, n := range rows {
				tallest := 0
				for c := range 12 {
					if on.Step = step; step < len(on.Cursors) {
						on.Cursors[step] = c
					}
					p := Form(scene.Of(machine.New(f, &on, true), scene.Status{}), Screen{Previews: asWritten}, min(columns, width)-2*Padding, 500)
					tallest = max(tallest, p.Rows())
					if name == "every kind" {
						holds(t, p, min(columns, width)-2*Padding)
					}
				}
				least := tallest
				if step < len(f.Questions) && f.Questions[step].Style == form.Buttons && name != "every kind" {
					least -= 2 // a row of them may break elsewhere, by the rules of other scripts
				}
				if n < least || n > max(leastRows, 2*tallest+8) {
					t.Errorf("%s in %d columns: step %d has %d rows and its page takes %d", name, width, step, n, tallest)
				}
			}
		}
	}
}

// A plan is on view as a whole where there is room, with the lines below its titles.
func TestSizeOfPlan(t *testing.T) {
	t.Parallel()
	for _, plan := range []string{
		"# Move the sessions\n\nThey go to Redis.\n\n- stop the shop\n- copy the table\n",
		"Go on.\n\n## One\n\n1. a\n2. b\n\n## Two\n\n```sql\nselect 1;\n```\n\n### Three\n- c\n",
	} {
		f := &form.Form{Dialect: "plan", Remarks: form.Comments, Questions: []form.Question{{ID: "plan", Label: "Plan", Prompt: "Approve this plan?", Kind: form.One, Other: "Approve as edited…",
			Options: []form.Option{{Label: "Approve"}, {Label: "Keep planning"}}, Document: &form.Document{Text: plan}}}}
		columns, rows := Size(f, "", true, true, 100, 50)
		markdown := func(p form.Preview, width int) []styled.Row { return render.Rows("markdown", p.Content, width) }
		if p := Form(scene.Of(machine.New(f, nil, true), scene.Status{}), Screen{Previews: markdown}, columns-2*Padding, 500); p.Rows() > rows[0] || p.Rows() < rows[0]-6 {
			t.Errorf("%q has %d rows and its page takes %d", plan, rows[0], p.Rows())
		}
	}
}

// asWritten shows a preview in the lines that it is written in.
func asWritten(p form.Preview, width int) (rows []styled.Row) {
	for line := range strings.Lines(p.Content) {
		rows = append(rows, styled.Wrap(styled.Row{{Text: strings.TrimSuffix(line, "\n")}}, width)...)
	}
	return rows
}
