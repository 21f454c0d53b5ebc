package record

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/tests/must"
)

// What was chosen and typed in a form that was cancelled is told in its words, but for
// secrets and for what the agent had written there.
func TestBegunWords(t *testing.T) {
	t.Parallel()
	f := form.Form{Dialect: "ask_user_question", Questions: []form.Question{
		{ID: "a", Label: "Store", Prompt: "Which?", Kind: form.One, Other: "Other...", Options: []form.Option{{Value: "r", Label: "Redis"}, {Value: "p", Label: "PostgreSQL"}}},
		{ID: "b", Label: "Why", Prompt: "Why?", Kind: form.Text},
		{ID: "c", Label: "Branch", Prompt: "Branch?", Kind: form.Text, Preset: true, Initial: form.Type("trunk")},
		{ID: "d", Label: "Token", Prompt: "Token?", Kind: form.Text, Secret: true},
	}}
	d := machine.New(&f, nil, true).Draft()
	d.Answers[0], d.Entries[1], d.Entries[3], d.Reason = form.Choose(1), "half a\nsentence", "hunter2", "not now"
	d.Answers[2].Note = "or main"
	draft, err := json.Marshal(d)
	must.Do(t, err)
	r := spool.Record{Request: spool.Request{Form: f}, Draft: draft, Result: &form.Result{Outcome: form.Cancelled, By: form.ByPopup, At: time.Now()}}
	notes := Notes(r)
	if last := notes[len(notes)-1]; last != "You had begun an answer; it was not sent: PostgreSQL; half a\nsentence; or main; not now" {
		t.Errorf("said is %q", last)
	}
	r.Result = &form.Result{Outcome: form.Answered, Answers: []form.Answer{form.Choose(0), {}, {}, {}}, By: form.ByPopup, At: time.Now()}
	if said := strings.Join(Notes(r), "\n"); strings.Contains(said, "begun") {
		t.Errorf("of an answered one is said %q", said)
	}
}

// What the agent made of an answer to its own tool is told with it.
func TestTaken(t *testing.T) {
	t.Parallel()
	f := form.Form{Dialect: "question", Questions: []form.Question{{ID: "a", Label: "A", Prompt: "?", Kind: form.One, Options: []form.Option{{Label: "Yes"}}}}}
	r := spool.Record{Request: spool.Request{Form: f, Origin: spool.Origin{Agent: "claude"}}, Status: spool.Status{Delivered: true},
		Result: &form.Result{Outcome: form.Answered, Answers: []form.Answer{form.Choose(0)}, By: form.ByPopup, At: time.Now()}}
	if r.Unconfirmed = true; How(r) != "answered, not confirmed by Claude Code" || !strings.Contains(strings.Join(Notes(r), " "), "It is not confirmed by Claude Code.") {
		t.Errorf("%s; %v", How(r), Notes(r))
	}
	r.Unconfirmed, r.Late, r.Verdict = false, r.Result, "answered in Claude Code itself"
	r.Result = &form.Result{Outcome: form.Elsewhere, By: form.ByBridge, At: time.Now()}
	if said := strings.Join(Notes(r), " "); How(r) != r.Verdict || !strings.Contains(said, "What was said here does not count (answered in Claude Code itself): “Yes”") {
		t.Errorf("%s; %s", How(r), said)
	}
}
