package layout

import (
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/popup/keymap"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/preview/styled"
	"github.com/askpane/askpane/popup/scene"
)

func page(f form.Form, st scene.Status, width, height int) Page {
	return laid(f, st, Screen{Previews: plainly{}.Rows}, width, height)
}

func laid(f form.Form, st scene.Status, on Screen, width, height int) Page {
	return Form(scene.Of(machine.New(&f, nil, true), st), on, width, height)
}

func ask(prompt string, options ...form.Option) form.Form {
	return form.Form{Questions: []form.Question{{ID: "q", Label: "Q", Kind: form.One, Prompt: prompt, Options: options}}}
}

// What frames a preview is no brighter than any other frame.
func TestPreviewsFrame(t *testing.T) {
	t.Parallel()
	f := ask("Q?", form.Option{Label: "A", Preview: &form.Preview{Content: "x"}})
	for _, width := range []int{60, 120} {
		p := page(f, scene.Status{}, width, 20)
		frames := 0
		for _, row := range p.Body {
			for _, s := range row {
				if strings.ContainsAny(s.Text, "╷│╵╭╰") {
					if frames++; s.Style != styled.Rule {
						t.Errorf("on %d columns %q has the style %v", width, s.Text, s.Style)
					}
				}
			}
		}
		if frames < 3 {
			t.Errorf("on %d columns there are %d rows of a frame", width, frames)
		}
	}
}

type plainly struct{}

func (plainly) Rows(p form.Preview, _ int) []styled.Row {
	return []styled.Row{{{Text: p.Content}}}
}

// The time is quiet until it is short; what is out of the ordinary is a word.
func TestRight(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		st    scene.Status
		next  string
		width int
		want  string
		style styled.Style
	}{
		{scene.Status{Waited: 12 * time.Second}, "", 76, "12s", styled.Dim},
		{scene.Status{Left: time.Hour}, "", 76, "1h 00m left", styled.Dim},
		{scene.Status{Left: 59 * time.Second}, "", 76, "59s left", styled.Warn},
		{scene.Status{Left: 9 * time.Second}, "", 76, "9s left", styled.Danger},
		{scene.Status{Gone: true}, "", 76, "agent gone", styled.Warn},
		{scene.Status{Waited: time.Second, Guarded: true}, "", 76, "1s · held", styled.Dim},
		{scene.Status{Waited: time.Second, Pictures: 1, Guarded: true}, "", 76, "1s · 1 picture attached · held", styled.Dim},
		{scene.Status{Waited: time.Second, Pictures: 2, Others: 2}, "Ctrl+N", 40, "2 more waiting, Ctrl+N", styled.Dim},
		{scene.Status{Waited: time.Second, Others: 2}, "Ctrl+N", 76, "1s · 2 more waiting, Ctrl+N", styled.Dim},
		{scene.Status{Waited: time.Second, Others: 1}, "F5", 76, "1s · 1 more waiting, F5", styled.Dim},
		{scene.Status{Gone: true, Others: 12}, "Ctrl+N", 36, "agent gone · +12", styled.Warn},
		{scene.Status{Waited: time.Second, Others: 12}, "Ctrl+N", 36, "12 more waiting, Ctrl+N", styled.Dim},
	} {
		if c.st.Agent = "claude"; c.st.Left > 0 {
			c.st.Deadline = &time.Time{}
		}
		if p := laid(ask("Q?"), c.st, Screen{Hints: []keymap.Hint{{Keys: c.next, Help: keymap.NextWaiting}}}, c.width, 20); p.Right.String() != c.want || p.Right[0].Style != c.style {
			t.Errorf("%+v: %q in %v, want %q in %v", c.st, p.Right.String(), p.Right[0].Style, c.want, c.style)
		}
	}
	if p := page(ask("Q?"), scene.Status{Agent: "claude asks · /etc · root"}, 76, 20); !strings.HasPrefix(p.Head[0].String(), "“claude asks · /etc · ro…” asks") {
		t.Errorf("an agent's name forges the header: %q", p.Head[0].String())
	}
}

// A short description stands behind its label and a long one below, and never both
// ways in one form; neither can pass for a sign of ours.
func TestDescriptions(t *testing.T) {
	t.Parallel()
	yes, no := form.Option{Label: "Yes", Description: "4 minutes ✓ [recommended]"}, form.Option{Label: "No"}
	body := func(f form.Form) string {
		var rows []string
		for _, row := range page(f, scene.Status{}, 60, 30).Body {
			rows = append(rows, row.String())
		}
		return strings.Join(rows, "\n")
	}
	if got := body(ask("Q?", yes, no)); !strings.Contains(got, "> 1. Yes    4 minutes ⟨✓⟩ ⟨[recommended]⟩\n  2. No") {
		t.Errorf("short ones:\n%s", got)
	}
	advised := ask("Q?", form.Option{Label: "Longest", Description: "first"}, form.Option{Label: "No", Description: "second"})
	advised.Dialect, advised.Questions[0].Recommended = "ask_user", []int{0}
	if got := body(advised); !strings.Contains(got, "> 1. Longest [recommended]    first\n  2. No                       second") {
		t.Errorf("behind an advice:\n%s", got)
	}
	no.Description = strings.Repeat("words ", 20)
	if got := body(ask("Q?", yes, no)); !strings.Contains(got, "> 1. Yes \n     4 minutes ⟨✓⟩ ⟨[recommended]⟩\n  2. No \n     words words") {
		t.Errorf("a long one among them:\n%s", got)
	}
}

// However little room there is, the help is named, as the last.
func TestFooterKeepsTheHelp(t *testing.T) {
	t.Parallel()
	hints := []keymap.Hint{{Keys: "↑↓", Help: "move"}, {Keys: "Enter", Help: "choose"}, {Keys: "Esc", Help: "cancel"}, {Keys: "?", Help: "help"}, {Keys: "Ctrl+X", Help: "no, because…"}}
	for width, want := range map[int]string{
		80: "↑↓ move · Enter choose · Esc cancel · Ctrl+X no, because… · ? help",
		58: "↑↓ move · Enter choose · Esc cancel · ? help",
		36: "Enter choose · Esc cancel · ? help",
		20: "Esc cancel · ? help",
		6:  "? help",
	} {
		if got := keymap.Footer(hints, width); got != want {
			t.Errorf("in %d columns it is %q, want %q", width, got, want)
		}
	}
}

// A preview is not said to be what its choice is said to be, but where the choices are not on
// view.
func TestPreviewsName(t *testing.T) {
	t.Parallel()
	f := ask("Q?", form.Option{Label: "Redis", Preview: &form.Preview{Content: "x"}})
	count := func(on Screen, width int) (n int) {
		for _, row := range laid(f, scene.Status{}, on, width, 20).Body {
			n += strings.Count(row.String(), "Redis")
		}
		return n
	}
	for _, width := range []int{60, 120} {
		if n, expanded := count(Screen{Previews: plainly{}.Rows}, width), count(Screen{Previews: plainly{}.Rows, Expanded: true}, width); n != 1 || expanded != 1 {
			t.Errorf("on %d columns its name is said %d times, and %d times where it has all the room", width, n, expanded)
		}
	}
}

// Where there are not rows for every blank one, the first parts the answer from the question,
// and a preview, which scrolls, gives its own for them.
func TestTheAnswerIsParted(t *testing.T) {
	t.Parallel()
	long := &form.Preview{Content: strings.Repeat("x\n", 20)}
	for _, c := range []struct {
		f      form.Form
		height int
	}{
		{ask("Q?", form.Option{Label: "A"}, form.Option{Label: "B"}), 6},
		{ask("Q?", form.Option{Label: "A", Preview: long}, form.Option{Label: "B"}), 12},
		{ask("Q?", form.Option{Label: "A", Preview: long}, form.Option{Label: "B", Description: strings.Repeat("words ", 70)}), 19},
	} {
		if p := laid(c.f, scene.Status{}, Screen{Previews: asWritten}, 60, c.height); len(p.Body[1]) > 0 || p.Rows() != c.height {
			t.Errorf("in %d rows it takes %d, and below the question stands %q", c.height, p.Rows(), p.Body[1].String())
		}
	}
}

// Before a text's entry is opened, its placeholder is read beside it, as much as there is room for.
func TestPlaceholderOfAClosedEntry(t *testing.T) {
	t.Parallel()
	f := form.Form{Questions: []form.Question{{ID: "q", Label: "Q", Kind: form.Text, Prompt: "Name?", Placeholder: "a short name"}}}
	for width, want := range map[int]string{60: "> just type   a short name", 24: "> just type   a short n…"} {
		if p := page(f, scene.Status{}, width, 20); p.Body[2].String() != want {
			t.Errorf("on %d columns it is %q, want %q", width, p.Body[2].String(), want)
		}
	}
}
