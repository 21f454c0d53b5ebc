package dialect

import (
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/form"
)

// docs/contracts.md, buttons, rule by rule.

const cache = `{"prompt":"Which cache?","options":[{"label":"Redis","emoji":"⚡","description":"in memory"},{"label":"None"}]}`

func TestButtonsTakes(t *testing.T) {
	t.Parallel()
	runTakes(t, "buttons", []takes{
		{"all defaults filled in", cache, `{"prompt":"Which cache?","options":[{"label":"Redis","emoji":"⚡","description":"in memory"},{"label":"None"}],` +
			`"style":"buttons","timeout":3600,"multi":false,"allowOther":false}`},
		{"a style and the rest given", `{"prompt":"p","options":[{"label":"a"},{"label":"b"}],"style":"select","timeout":1.5,"multi":true,"allowOther":true}`,
			`{"prompt":"p","options":[{"label":"a"},{"label":"b"}],"style":"select","timeout":1.5,"multi":true,"allowOther":true}`},
		{"select by default for more than three", `{"prompt":"p","options":[{"label":"a"},{"label":"b"},{"label":"c"},{"label":"d"}]}`,
			`{"prompt":"p","options":[{"label":"a"},{"label":"b"},{"label":"c"},{"label":"d"}],"style":"select","timeout":3600,"multi":false,"allowOther":false}`},
		{"but buttons if asked for", `{"prompt":"p","options":[{"label":"a"},{"label":"b"},{"label":"c"},{"label":"d"},{"label":"e"}],"style":"buttons","timeout":86400}`,
			`{"prompt":"p","options":[{"label":"a"},{"label":"b"},{"label":"c"},{"label":"d"},{"label":"e"}],"style":"buttons","timeout":86400,"multi":false,"allowOther":false}`},
		{"null is absent", `{"prompt":"p","options":[{"label":"a","emoji":null},{"label":"b"}],"style":null,"timeout":null,"multi":null}`,
			`{"prompt":"p","options":[{"label":"a"},{"label":"b"}],"style":"buttons","timeout":3600,"multi":false,"allowOther":false}`},
	})
}

func TestButtonsForm(t *testing.T) {
	t.Parallel()
	_, f := request(t, "buttons", cache)
	q := f.Questions[0]
	if f.Timeout != time.Hour || f.Accent != "#5865F2" || f.Review || f.Header() != "Which cache?" {
		t.Errorf("timeout %v, accent %q, review %v, header %q", f.Timeout, f.Accent, f.Review, f.Header())
	}
	if q.Kind != form.One || q.Style != form.Buttons || q.Other != "" || q.Options[0].Emoji != "⚡" || q.Options[0].Description != "in memory" {
		t.Errorf("%+v", q)
	}
	_, f = request(t, "buttons", `{"prompt":"p","options":[{"label":"a"},{"label":"b"}],"style":"select","timeout":1.5,"multi":true,"allowOther":true}`)
	if q := f.Questions[0]; q.Kind != form.Many || q.Style != form.Dropdown || q.Other != "Other..." || f.Timeout != 1500*time.Millisecond {
		t.Errorf("%+v, %v", q, f.Timeout)
	}
}

func TestButtonsRefuses(t *testing.T) {
	t.Parallel()
	with := func(members string) string {
		return `{"prompt":"p","options":[{"label":"a"},{"label":"b"}],` + members + `}`
	}
	runRefuses(t, "buttons", []refuses{
		{"no prompt", `{"options":[{"label":"a"},{"label":"b"}]}`, "prompt: expected a non-empty string, got nothing"},
		{"one option", `{"prompt":"p","options":[{"label":"a"}]}`, "options: expected at least 2 options, got 1"},
		{"six options", `{"prompt":"p","options":[{"label":"a"},{"label":"b"},{"label":"c"},{"label":"d"},{"label":"e"},{"label":"f"}]}`,
			"options: expected at most 5 options, got 6"},
		{"no label", `{"prompt":"p","options":[{"label":"a"},{}]}`, "options[1].label: expected a non-empty string, got nothing"},
		{"a blank label", `{"prompt":"p","options":[{"label":"a"},{"label":" "}]}`, "options[1].label: expected a non-empty string, got a blank one"},
		{"a label twice", `{"prompt":"p","options":[{"label":"a"},{"label":"a"}]}`, `options[1].label: duplicate label "a", already used by options[0].label`},
		{"an unknown style", with(`"style":"grid"`), `style: expected one of "buttons", "select", got "grid"`},
		{"timeout below 1", with(`"timeout":0`), "timeout: expected a number from 1 to 86400, got 0"},
		{"timeout above 86400", with(`"timeout":86401`), "timeout: expected a number from 1 to 86400, got 86401"},
		{"timeout without end", with(`"timeout":1e999`), "timeout: expected a number from 1 to 86400, got 1e999"},
		{"timeout a text", with(`"timeout":"60"`), "timeout: expected a number, got a string"},
		{"multi no boolean", with(`"multi":"yes"`), "multi: expected a boolean, got a string"},
		{"all at once", `{"prompt":1,"options":[{"label":"a"},7],"allowOther":0}`,
			"prompt: expected a non-empty string, got a number; options[1]: expected an object, got a number; allowOther: expected a boolean, got a number"},
	})
}

func TestButtonsEnds(t *testing.T) {
	t.Parallel()
	answered := func(a form.Answer) form.Result {
		return form.Result{Outcome: form.Answered, Answers: []form.Answer{a}}
	}
	runEnds(t, "buttons", `{"prompt":"p","options":[{"label":"Postgres"},{"label":"Redis"}],"allowOther":true}`, []ends{
		{"an option, 0-based", answered(form.Choose(1)), "User selected: Redis", `{"answered":true,"selected":"Redis","index":1}`, false},
		{"typed text", answered(form.Type("a file")), "User selected: a file", `{"answered":true,"selected":"a file","index":-1}`, false},
		{"timeout", without(form.Timeout), "No answer before the deadline (3600 s)", `{"answered":false,"reason":"timeout"}`, false},
		{"timeout of the request's own", form.Result{Outcome: form.Timeout}, "No answer before the deadline (3600 s)", `{"answered":false,"reason":"timeout"}`, false},
		{"timeout of a day, no exponent", form.Result{Outcome: form.Timeout, Waited: 86400 * time.Second}, "No answer before the deadline (86400 s)", `{"answered":false,"reason":"timeout"}`, false},
		{"cancelled", without(form.Cancelled), "User cancelled", `{"answered":false,"reason":"cancelled"}`, false},
		{"declined", declined, "User cancelled: explain more first", `{"answered":false,"reason":"explain more first"}`, false},
		{"unavailable", form.Result{Outcome: form.Unavailable, Reason: "no terminal"}, "Error: UI not available: no terminal", `{"answered":false,"reason":"unavailable"}`, true},
		{"aborted", without(form.Aborted), "Error: the question was withdrawn before it was answered", `{"answered":false,"reason":"aborted"}`, true},
	})
	both := form.Choose(0, 1)
	both.Text = new("a file")
	runEnds(t, "buttons", `{"prompt":"p","options":[{"label":"Postgres"},{"label":"Redis"}],"allowOther":true,"multi":true}`, []ends{
		{"multi: arrays", answered(form.Choose(0, 1)), "User selected: Postgres, Redis", `{"answered":true,"selected":["Postgres","Redis"],"index":[0,1]}`, false},
		{"multi: an array of one", answered(form.Choose(1)), "User selected: Redis", `{"answered":true,"selected":["Redis"],"index":[1]}`, false},
		{"multi: with typed text", answered(both), "User selected: Postgres, Redis, a file", `{"answered":true,"selected":["Postgres","Redis","a file"],"index":[0,1,-1]}`, false},
	})
	if r := buttons.Reject(errNoQuestions); string(r.Details) != `{"answered":false,"reason":"rejected"}` {
		t.Errorf("rejected: %s", r.Details)
	}
}

func TestButtonsPays(t *testing.T) {
	t.Parallel()
	runPays(t, "question", `{"prompt":"p","options":[{"label":"Postgres"},{"label":"Redis"}]}`, []pays{
		{"by index", `{"0":"Redis"}`, []form.Answer{form.Choose(1)}, ""},
		{"by id, wrapped", `{"answers":{"q1":{"mode":"option","value":"Redis"}}}`, []form.Answer{form.Choose(1)}, ""},
		{"unknown label", `{"0":"Oracle"}`, nil, `answers.0: "Oracle" is none of the options ("Postgres", "Redis")`},
		{"typed text without allowOther", `{"0":{"mode":"other","text":"x"}}`, nil, "answers.0: the answer is a text, but only the options can be chosen"},
	})
	both := form.Choose(0)
	both.Text = new("x")
	runPays(t, "buttons", `{"prompt":"p","options":[{"label":"Postgres"},{"label":"Redis"}],"multi":true,"allowOther":true}`, []pays{
		{"multi", `{"0":["Redis","Postgres"]}`, []form.Answer{form.Choose(0, 1)}, ""},
		{"multi, typed", `{"0":["Postgres",{"text":"x"}]}`, []form.Answer{both}, ""},
		{"multi, no array", `{"0":"Redis"}`, nil, "answers.0: expected an array, got a string"},
		{"multi, none", `{"0":[]}`, nil, "answers.0: expected at least one choice in the array"},
	})
}
