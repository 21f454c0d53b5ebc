package inbox

import (
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/tests/must"
)

// A question of another machine names that, and what it has made of an answer from here is
// said when it is known.
func TestAnotherMachine(t *testing.T) {
	t.Parallel()
	s := newStage(t, 110, 24)
	raw := []byte(`{"questions":[{"id":"c","label":"Colour","prompt":"Which?","options":[{"value":"r","label":"Red"}]}]}`)
	_, f, err := dialect.Decode("question", raw)
	must.Do(t, err)
	e, err := s.spool.Mirror(spool.Request{ID: "01M7YX0STBP1474D78SPT0A4J6", Form: f, Raw: raw,
		Origin: spool.Origin{Agent: "claude", Start: time.Now(), Away: &spool.Away{Machine: "build1", Cwd: "/srv/shop", Pane: "main:1.2", Host: "tmux"}}})
	must.Do(t, err)
	t.Cleanup(func() { e.Close() })
	must.Do(t, e.SetAway(spool.AwayState{Unreachable: time.Now()}))
	s.read().shows("build1 · shop · tmux main:1.2", "unreachable", "claude on build1 asks: Which?", "unreachable since ")
	s.press("Ctrl+O").shows("Its pane is not within reach from here.")
	s.press("/", "build2").hides("Colour")
	s.press("Esc", "d").shows("Dismiss “Colour” of claude on build1?").press("y").shows("Cancelled in the inbox: “Colour”.")
	s.read().shows("Cancelled in the inbox: “Colour”.")
	won := form.Result{Outcome: form.Answered, Answers: []form.Answer{form.Choose(0)}, By: form.ByPopup, At: time.Now(), Machine: "build1"}
	must.Do(t, e.SetAway(spool.AwayState{Won: &won, Verdict: "too late: answered " + won.Surface()}))
	s.read().shows("“Colour”: too late: answered in the popup on build1.")
}
