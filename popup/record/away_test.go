package record

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/popup/scene"
	"github.com/askpane/askpane/tests/must"
)

const awayID = "01M7YX0STBP1474D78SPT0A4J6"

// mirrored is a question of build1 whose directory there has the name of a repository here.
func mirrored(t *testing.T, dir string) (*spool.Spool, *spool.Entry) {
	t.Helper()
	s, err := spool.Open(t.TempDir() + "/spool")
	must.Do(t, err)
	t.Cleanup(func() { s.Close() })
	req := spool.Request{ID: awayID, Form: form.Form{Dialect: "question", Questions: []form.Question{
		{ID: "a", Label: "Colour", Prompt: "Which?", Kind: form.One, Options: []form.Option{{Value: "r", Label: "Red"}, {Value: "b", Label: "Blue"}}}}},
		Origin: spool.Origin{Agent: "claude", Start: time.Now(), Away: &spool.Away{Machine: "build1", Cwd: dir, Pane: "main:1.2", Host: "tmux"}}}
	e, err := s.Mirror(req)
	must.Do(t, err)
	t.Cleanup(func() { e.Close() })
	return s, e
}

// The row says which machine, finds it by that, and looks nothing up by its directory.
func TestRowOfAnotherMachine(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must.Do(t, os.Mkdir(filepath.Join(dir, ".git"), 0o700))
	must.Do(t, os.WriteFile(filepath.Join(dir, ".git", "HEAD"), []byte("ref: refs/heads/here\n"), 0o600))
	s, e := mirrored(t, dir)
	since := time.Now()
	must.Do(t, e.SetAway(spool.AwayState{Unreachable: since}))
	r := ReadRow(s, awayID)
	if r.Branch != "" || r.Asker(24) != "claude on build1" || r.Where(true) != "build1 · "+filepath.Base(dir)+" · tmux main:1.2" || strings.Contains(r.Where(false), "build1") || !strings.Contains(r.Text, "build1") {
		t.Errorf("branch %q, %s, %s; %s; found by %q", r.Branch, r.Asker(24), r.Where(true), r.Where(false), r.Text)
	}
	if _, words := r.Mark(); words != "unreachable" || r.Status.State() != "unreachable" || !slices.Contains(r.Standing(), "unreachable since "+since.Format("15:04")) {
		t.Errorf("%s, %s, %v", words, r.Status.State(), r.Standing())
	}
	rec, err := e.Record()
	must.Do(t, err)
	if st := scene.StatusOf(rec.Request.Origin, rec.Status); !Has(rec, "build1") || !strings.HasPrefix(How(rec), "waits, unreachable since ") || st.Machine != "build1" || st.Away == "" {
		t.Errorf("%t, %s, %+v", Has(rec, "build1"), How(rec), st)
	}
}

// What the other machine took is how it ended, and what was said here is still told.
func TestTooLate(t *testing.T) {
	t.Parallel()
	_, e := mirrored(t, "/srv/shop")
	mine := form.Result{Outcome: form.Answered, Answers: []form.Answer{form.Choose(0)}, By: form.ByPopup, At: time.Now()}
	must.Do(t, e.Settle(mine))
	won := form.Result{Outcome: form.Answered, Answers: []form.Answer{form.Choose(1)}, By: form.ByAnswer, At: time.Now(), Machine: "build1"}
	must.Do(t, e.SetAway(spool.AwayState{Won: &won, Verdict: "too late: answered " + won.Surface()}))
	must.Do(t, e.Deliver())
	rec, err := e.Record()
	must.Do(t, err)
	notes := strings.Join(Notes(rec), "\n")
	if Summary(rec) != "Blue" || !strings.Contains(notes, "This was answered by askpane answer on build1 at ") ||
		!strings.Contains(notes, "What was said here does not count (too late: answered by askpane answer on build1): “Red”") {
		t.Errorf("%s\n%s", Summary(rec), notes)
	}
}
