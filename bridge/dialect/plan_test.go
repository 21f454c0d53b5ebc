package dialect

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text/document"
)

// docs/contracts.md, plan, rule by rule.

const redis = `{"plan":"# Move to Redis\n\nWe write to both.\n\n- one week\n- then switch\n","modes":[{"label":"Approve, edit without asking","value":"acceptEdits"},{"label":"Approve"}]}`

func TestPlanForm(t *testing.T) {
	t.Parallel()
	_, f := request(t, "plan", redis)
	q := f.Questions[0]
	if f.Header() != "Move to Redis" || q.Prompt != "Approve this plan?" || q.Kind != form.One || f.Review || !f.Bound() || f.Guarded() {
		t.Errorf("%+v", f)
	}
	var labels []string
	for _, o := range q.Options {
		labels = append(labels, o.Value+": "+o.Label)
	}
	if got := strings.Join(labels, ", "); got != "acceptEdits: Approve, edit without asking, Approve: Approve, keep_planning: Keep planning" || !q.Options[2].Remarks || q.Other == "" {
		t.Errorf("the choices are %s and %q", got, q.Other)
	}
	if len(q.Recommended) > 0 || q.Initial.Given() {
		t.Error("something is recommended")
	}
	if _, f = request(t, "plan", `{"plan":"one\r\ntwo\rthree","file":"/p.md","revise":"Ask for changes"}`); f.Header() != "Approve this plan?" || f.Questions[0].Document.Text != "one\ntwo\nthree" ||
		f.Questions[0].Document.Path != "/p.md" || f.Questions[0].Document.Sum != document.Sum("one\ntwo\nthree") || f.Questions[0].Options[1].Label != "Ask for changes" {
		t.Errorf("%+v", f.Questions[0])
	}
}

func TestPlanRefuses(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`{}`:              "plan: expected a non-empty string, got nothing",
		`{"file":"p.md"}`: "plan: expected the text of the file, which ask --dialect plan reads",
		`{"plan":" "}`:    "plan: expected a non-empty string, got a blank one",
		`{"plan":7}`:      "plan: expected a non-empty string, got a number",
		`{"plan":"` + strings.Repeat("a", MostPlan+1) + `"}`:           "plan: expected at most 256 KiB, got 262145 bytes",
		`{"plan":"p","modes":[{"label":"a"},{"label":"a"}]}`:           `modes[1].value: duplicate value "a", already used by modes[0].value`,
		`{"plan":"p","modes":[{"label":"x","value":"keep_planning"}]}`: `modes[0].value: "keep_planning" does not approve`,
	} {
		if _, _, err := Decode("plan", []byte(raw)); err == nil || err.Error() != want {
			t.Errorf("%.60s: %v, want %s", raw, err, want)
		}
	}
	if _, _, err := Decode("plan", []byte("{\"plan\":\"\xff\"}")); err == nil || !strings.Contains(err.Error(), "not valid UTF-8") {
		t.Errorf("no UTF-8: %v", err)
	}
}

func TestPlanBefore(t *testing.T) {
	t.Parallel()
	raw := func(sent string) string {
		return `{"plan":"# Plan\n\nnew\n\nstays\n","before":{"plan":"# Plan\n\nstays\n","comments":[{"line":3,"comment":"why?"}],"sent":` + sent + `}}`
	}
	_, f := request(t, "plan", raw("false"))
	d := f.Questions[0].Document
	if !slices.Equal(d.Changed, []int{3}) || !maps.Equal(d.Kept, map[int]string{5: "why?"}) || d.Sent != nil {
		t.Errorf("%+v", d)
	}
	_, f = request(t, "plan", raw("true"))
	if d = f.Questions[0].Document; !maps.Equal(d.Sent, map[int]string{5: "why?"}) || d.Kept != nil {
		t.Errorf("%+v", d)
	}
}

func TestPlanResults(t *testing.T) {
	t.Parallel()
	answered := func(a form.Answer, comment string) form.Result {
		return form.Result{Outcome: form.Answered, Answers: []form.Answer{a}, Comment: comment}
	}
	noted := form.Choose(2)
	noted.LineNotes = map[int]string{6: "when?", 3: "for how long?"}
	for name, c := range map[string]struct {
		r             form.Result
		text, details string
	}{
		"approved": {answered(form.Choose(0), ""), "The person approved the plan (Approve, edit without asking).",
			`{"decision":"approve","mode":"acceptEdits","comments":[],"shown":SUM}`},
		"edited": {answered(form.Type("# Other\n"), ""), "The person approved the plan as they edited it. Carry out this one:\n\n# Other\n",
			`{"decision":"approve_edited","comments":[],"shown":SUM,"plan":"# Other\n"}`},
		"keep planning": {answered(form.Choose(2), ""), "The person did not approve the plan: keep planning, and carry nothing out yet.",
			`{"decision":"keep_planning","comments":[],"shown":SUM}`},
		"with comments": {answered(noted, "smaller"), "The person did not approve the plan: keep planning, and carry nothing out yet.\n\nsmaller\n\nLine 3:\n> We write to both.\nfor how long?\n\nLine 6:\n> - then switch\nwhen?",
			`{"decision":"keep_planning","message":"smaller\n\nLine 3:\n> We write to both.\nfor how long?\n\nLine 6:\n> - then switch\nwhen?","comment":"smaller",` +
				`"comments":[{"line":3,"quote":"We write to both.","comment":"for how long?"},{"line":6,"quote":"- then switch","comment":"when?"}],"shown":SUM}`},
		"silence":  {form.Result{Outcome: form.Timeout}, "No answer before the deadline (0 s)", `{"decision":"none","reason":"timeout"}`},
		"declined": {form.Result{Outcome: form.Cancelled, Reason: "later"}, "The person did not decide on the plan. Do not carry it out: later", `{"decision":"none","reason":"cancelled","message":"later"}`},
	} {
		d, f := request(t, "plan", redis)
		got := d.EncodeIn(defaults, &f, c.r)
		details := strings.ReplaceAll(c.details, "SUM", `"`+f.Questions[0].Document.Sum+`"`)
		if got.Text != c.text || string(got.Details) != details {
			t.Errorf("%s:\n%s\n%s\nwant\n%s\n%s", name, got.Text, got.Details, c.text, details)
		}
	}
}
