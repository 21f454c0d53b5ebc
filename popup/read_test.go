package popup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/settings"
	"github.com/askpane/askpane/tests/needs"
)

var at = time.Date(2026, 1, 2, 3, 4, 5, 0, time.Local)

// newReader shows a record on a simulated screen.
func newReader(t *testing.T, request string, r spool.Record, z size) *stage {
	t.Helper()
	s := ofSize(t, request, z)
	_, f, err := dialect.Decode("", []byte(request))
	if err != nil {
		t.Fatal(err)
	}
	r.Request = spool.Request{Form: f, Origin: origin}
	s.view = newReadView(r, settings.Settings{}, func() { s.closed++ })
	s.view.previews = rendered{}.Rows
	s.m = s.view.m
	s.view.Focus(nil)
	s.resize(z.width, z.height)
	return s
}

func TestReadScreens(t *testing.T) {
	t.Parallel()
	note := form.Choose(1)
	note.Note = "only for now"
	for _, c := range []struct {
		name, request string
		record        spool.Record
		act           func(*stage)
	}{
		{"read-answered", threeQuestions, spool.Record{Status: spool.Status{Delivered: true}, Result: &form.Result{Outcome: form.Answered, By: "popup", At: at,
			Answers: []form.Answer{form.Choose(0), note, form.Type("shop-api\nor so")}}}, untouched},
		{"read-question", threeQuestions, spool.Record{Status: spool.Status{Delivered: true}, Result: &form.Result{Outcome: form.Answered, By: "popup", At: at,
			Answers: []form.Answer{form.Choose(0), form.Choose(1), form.Type("shop-api")}}}, func(s *stage) { s.press("2") }},
		{"read-one", oneQuestion, spool.Record{Result: &form.Result{Outcome: form.Answered, By: "inbox", At: at, Answers: []form.Answer{form.Choose(2)}}}, untouched},
		{"read-cancelled", oneQuestion, spool.Record{Status: spool.Status{Delivered: true}, Result: &form.Result{Outcome: form.Cancelled, By: "popup", At: at, Reason: "explain \x1b[2J first"},
			Draft: []byte(`{"answers":[{"choices":[1]}],"entries":["half"],"cursors":[1]}`)}, untouched},
		{"read-waits", threeQuestions, spool.Record{Status: spool.Status{AgentGone: true}}, untouched},
		{"read-help", threeQuestions, spool.Record{}, func(s *stage) { s.press("1", "?") }},
	} {
		screen{name: c.name, act: c.act}.hold(t, func(t *testing.T, _ string, z size) *stage { return newReader(t, c.request, c.record, z) })
	}
}

// Whatever is pressed, a form that is read stays as it is, and only what closes it
// does.
func TestReadingChangesNothing(t *testing.T) {
	needs.Unraced(t)
	t.Parallel()
	for _, request := range everyRequest {
		s := newReader(t, request, spool.Record{}, size{80, 24})
		before := s.m.Draft()
		for range 3 {
			for _, key := range []string{"1", "Space", "Enter", "n", "c", "u", "R", "Ctrl+R", "Ctrl+X", "Ctrl+G", "/", "0", "e", "Up", "Down", "x", "Alt+c", "Alt+u",
				"Home", "End", "PgDn", "?", "x", "Tab", "]", "Right", "Ctrl+J", "Backspace"} {
				s.press(key)
			}
			s.paste("some text")
		}
		after := s.m.Draft()
		before.Step, before.Row, before.Cursors, before.Visit, before.Line, before.Choosing = after.Step, after.Row, after.Cursors, after.Visit, after.Line, after.Choosing
		if fmt.Sprintf("%+v", before) != fmt.Sprintf("%+v", after) || s.closed > 0 {
			t.Errorf("%s: reading it made\n%+v of\n%+v (closed %d times)", request, after, before, s.closed)
		}
		if s.view.expanded && s.view.previewable() {
			s.press("Esc") // leaves that first
		}
		s.press("Esc")
		if s.closed != 1 {
			t.Errorf("%s: Esc closes it %d times", request, s.closed)
		}
	}
}

// An entry of a later format is not taken: not even its popup.lock is written to.
func TestTakeNewer(t *testing.T) {
	t.Parallel()
	r := runPopup(t)
	r.cancel()
	r.end()
	r.first.Entry.Close()
	const newer = `{"version":99}`
	lock := filepath.Join(r.dir, r.entry.ID, "popup.lock")
	for _, path := range []string{lock, filepath.Join(r.dir, r.entry.ID, "request.json")} {
		if err := os.WriteFile(path, []byte(newer), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	e, err := r.spool.Open(r.entry.ID)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if _, err := Take(e); !errors.Is(err, spool.ErrNewer) {
		t.Errorf("Take: %v", err)
	}
	if got, err := os.ReadFile(lock); err != nil || string(got) != newer {
		t.Errorf("popup.lock is %q, %v", got, err)
	}
}
