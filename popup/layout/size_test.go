package layout

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/popup/machine"
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
		{"yes or no", []form.Question{yesNo}, 106, 30, 74, 6, 9},
		{"prose", []form.Question{one(strings.Repeat("word ", 100))}, 200, 50, 78, 10, 14},
		{"a long label", []form.Question{one("Q", form.Option{Label: strings.Repeat("label ", 40)})}, 200, 50, 96, 7, 12},
		{"a preview", []form.Question{one("Q", shown)}, 200, 50, 88, 24, 30},
		{"a preview on a narrow terminal", []form.Question{one("Q", shown)}, 70, 50, 70, 26, 32},
		{"more than there is room", []form.Question{one("Q", many...)}, 70, 20, 70, 20, 20},
		{"a text of several lines", []form.Question{{ID: "q", Label: "Q", Kind: form.Text, Multiline: true, Prompt: "Why?"}}, 106, 30, 74, 9, 13},
		{"a small terminal", []form.Question{yesNo}, 40, 5, 40, 5, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := machine.New(&form.Form{Questions: c.questions}, nil, true)
			columns, rows := Size(m, scene.Status{}, true, c.width, c.height)
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
	m := machine.New(f, nil, true)
	columns, rows := Size(m, scene.Status{}, true, 106, 30)
	if rows[0] != 10 {
		t.Errorf("it has %d rows, want 10", rows[0])
	}
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

// Of several questions each has rows of its own and all have the same columns, and
// what it says is enough: nothing of the page is cut off or scrolls.
func TestSizeFits(t *testing.T) {
	t.Parallel()
	m := machine.New(everyKind(), nil, true)
	columns, rows := Size(m, scene.Status{}, true, 150, 500)
	if len(rows) != len(m.Form().Questions)+1 || slices.Max(rows) == slices.Min(rows) {
		t.Errorf("rows are %v", rows)
	}
	for step, n := range rows {
		p := Form(scene.Of(m.On(step, 0), scene.Status{}), Screen{Previews: raw{n}.Rows}, columns-2*Padding, n)
		holds(t, p, columns-2*Padding)
		if page := len(p.Head) + len(p.Body) + len(p.Foot); page > n {
			t.Errorf("step %d has %d rows and its page takes %d", step, n, page)
		}
	}
}
