package machine

import (
	"testing"

	"github.com/askpane/askpane/bridge/form"
)

// A popup that ends while the help lies over a note has the note in its draft.
func TestDraftUnderTheHelp(t *testing.T) {
	f := newForm(2)
	f.Remarks = form.Notes
	m := New(f, nil, true)
	for _, e := range []Event{do(NoteQuestion), typed("mind the licence"), do(ShowHelp)} {
		m.Handle(e)
	}
	d := m.Draft()
	if m = New(f, &d, true); m.Mode() != Note || m.Buffer() != "mind the licence" {
		t.Errorf("it comes back in %s with %q", m.Mode(), m.Buffer())
	}
}
