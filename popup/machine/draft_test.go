package machine

import (
	"testing"

	"github.com/askpane/askpane/bridge/form"
)

// The help over a note changes nothing: a popup that ends meanwhile has the note in its
// draft, and one that is saved is left by a second Enter.
func TestDraftUnderTheHelp(t *testing.T) {
	t.Parallel()
	f := newForm(2)
	f.Remarks = form.Notes
	m := New(f, nil, true)
	for _, e := range []Event{do(NoteQuestion), typed("mind the licence"), do(ShowHelp)} {
		m.Handle(e)
	}
	d := m.Draft()
	for _, e := range []Event{do(Back), do(Accept), do(ShowHelp), do(Back), do(Accept)} {
		m.Handle(e)
	}
	if m.Mode() != List || m.Answer(0).Note != "mind the licence" {
		t.Errorf("the second Enter after a look at the help leaves it in %s, with the note %q", m.Mode(), m.Answer(0).Note)
	}
	if m = New(f, &d, true); m.Mode() != Note || m.Buffer() != "mind the licence" {
		t.Errorf("it comes back in %s with %q", m.Mode(), m.Buffer())
	}
}

// A remark that was discarded, or taken out again, is nothing that a cancel would lose.
func TestNoRemarkIsNothing(t *testing.T) {
	t.Parallel()
	note, x := do(NoteQuestion), typed("x")
	for _, events := range [][]Event{{note, x, do(Back)}, {note, x, do(Leave), note, typed(" "), do(Leave)}, {note, x, do(Accept), note, typed(" "), do(Accept)}} {
		f := newForm(2)
		f.Remarks = form.Comments
		m := New(f, nil, true)
		m.Confirms = true
		for _, e := range append(events, do(Cancel)) {
			m.Handle(e)
		}
		if m.Mode() != Over {
			t.Errorf("after %+v a cancel is to be confirmed", events)
		}
	}
}

// A reason that is typed comes back with the cursor on its row.
func TestDraftOfAReason(t *testing.T) {
	t.Parallel()
	f := newForm(1)
	m := New(f, nil, true)
	for _, e := range []Event{do(Refuse), do(Write), typed("not now")} {
		m.Handle(e)
	}
	d := m.Draft()
	if again := New(f, &d, true); again.Buffer() != "not now" || again.Refusal() != m.Refusal() {
		t.Errorf("it comes back with %q in row %d, and was in row %d", again.Buffer(), again.Refusal(), m.Refusal())
	}
}
