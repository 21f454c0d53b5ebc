package dialect

import (
	"strings"
	"testing"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
)

// docs/contracts.md, permission, rule by rule.

const push = `{"tool":"Bash","directory":"/src","why":"It is ready.","command":"git push\n  origin","always":["Bash(git push)","Bash(git *)"]}`

func TestPermissionForm(t *testing.T) {
	t.Parallel()
	_, f := request(t, "", push)
	q, s := f.Questions[0], f.Subject()
	if s == nil || s.Text != "git push\n  origin" || s.Shown.Content != s.Text || s.Dir != "/src" || !strings.Contains(q.Description, "It is ready.") {
		t.Errorf("%+v of %+v", s, q)
	}
	if q.Initial.Given() || len(q.Recommended) > 0 || q.Optional || !f.Guarded() {
		t.Errorf("something is allowed by itself: %+v", q)
	}
	for i, want := range []string{"Yes, once", "Yes, always: Bash(git push)", "Yes, always: Bash(git *)", "No"} {
		if o := q.Options[i]; o.Label != want || o.Allows != (i < 3) {
			t.Errorf("%d: %+v", i, o)
		}
	}
	if _, f = request(t, "", strings.Replace(push, `"command"`, `"confirm":"push","command"`, 1)); len(f.Questions[0].Options) != 2 || f.Questions[0].Expected != "push" {
		t.Errorf("dangerous: %+v", f.Questions[0])
	}
	tool := "mcp__records__" + strings.Repeat("customer_", 12) + "delete" // of two tools the ends may differ
	if _, f = request(t, "", `{"tool":"`+tool+`","arguments":{}}`); !strings.Contains(f.Questions[0].Prompt, tool) {
		t.Errorf("the tool is cut: %s", f.Questions[0].Prompt)
	}
}

// What ends no line for a shell ends none where it is shown: what follows would look like a command, or a comment.
func TestPermissionLines(t *testing.T) {
	t.Parallel()
	_, f := request(t, "permission", `{"tool":"Bash","command":"echo\r#$(rm x)\u000b1\f2\u00853\u20284\u20295\nls"}`)
	if got := text.Visible(f.Subject().Shown.Content); got != "echo␍#$(rm x)␋1␌2⟨U+0085⟩3⟨U+2028⟩4⟨U+2029⟩5\nls" || f.Subject().Text == got {
		t.Errorf("%q is shown of %q", got, f.Subject().Text)
	}
}

// A letter of another alphabet that passes for a Latin one is named: the address is another.
func TestPermissionTwins(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		`"command":"curl https://g\u0456thub.com/x"`:          "curl https://g⟨U+0456⟩thub.com/x",
		`"url":"https://\u0430\u0440\u0440\u04cf\u0435.com/"`: "https://⟨U+0430⟩⟨U+0440⟩⟨U+0440⟩⟨U+04CF⟩⟨U+0435⟩.com/",
		`"arguments":{"to":"\u0430da"}`:                       "{\n  \"to\": \"⟨U+0430⟩da\"\n}",
		`"command":"git commit -m 'сахар и вода'"`:            "git commit -m 'сахар и вода'",
	} {
		_, f := request(t, "permission", `{"tool":"t",`+said+`}`)
		if got := f.Subject().Shown.Content; got != want {
			t.Errorf("%s: %q", said, got)
		}
	}
}

func TestPermissionFiles(t *testing.T) {
	t.Parallel()
	_, f := request(t, "permission", `{"tool":"patch","files":[{"path":"a","remove":true},{"path":"b","replace":[{"old":"x","new":"y","line":3}]}]}`)
	s := f.Subject()
	if s.Text != "a, b" || len(s.Edits) != 2 || !s.Edits[0].Remove || s.Edits[1].Replace[0].Line != 3 {
		t.Errorf("%+v", s)
	}
}

func TestPermissionRefuses(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`{"tool":"Bash"}`:                                                "expected one of command, file, files, url and arguments, got 0",
		`{"tool":"Bash","command":"ls","url":"x"}`:                       "expected one of command, file, files, url and arguments, got 2",
		`{"tool":"Edit","file":{"path":"f"}}`:                            "file: expected content, replace or remove",
		`{"tool":"Edit","file":{"path":"f","content":"","remove":true}}`: "file: expected content, replace or remove",
		`{"tool":"Edit","files":[]}`:                                     "files",
		`{"tool":"X","url":"x","always":["a","a"]}`:                      `always[1]: duplicate always "a", already used by always[0]`,
	} {
		if _, _, err := Decode("permission", []byte(raw)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", raw, err, want)
		}
	}
}

func TestPermissionResults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		r             form.Result
		text, details string
	}{
		{form.Result{Outcome: form.Answered, Answers: []form.Answer{form.Choose(0)}}, "Allowed once.", `{"decision":"allow"}`},
		{form.Result{Outcome: form.Answered, Answers: []form.Answer{form.Choose(2)}}, "Allowed, and by this rule from now on: Bash(git *)", `{"decision":"allow","always":1}`},
		{form.Result{Outcome: form.Answered, Answers: []form.Answer{form.Choose(3)}}, "Denied.", `{"decision":"deny"}`},
		{form.Result{Outcome: form.Answered, Answers: []form.Answer{form.Type("tests first")}}, "Denied: tests first", `{"decision":"deny","reason":"tests first"}`},
		{form.Result{Outcome: form.Cancelled, Reason: "later"}, "Denied: later", `{"decision":"deny","reason":"later"}`},
		{form.Result{Outcome: form.Cancelled}, "Not decided", `{"decision":"none"}`},
		{form.Result{Outcome: form.Timeout}, "No answer before the deadline (0 s)", `{"decision":"none"}`},
		{form.Result{Outcome: form.Elsewhere}, "Answered in the agent itself.", `{"decision":"none"}`},
	} {
		d, f := request(t, "permission", push)
		if got := d.EncodeIn(defaults, &f, c.r); got.Text != c.text || string(got.Details) != c.details {
			t.Errorf("%+v:\n%s\n%s\nwant\n%s\n%s", c.r, got.Text, got.Details, c.text, c.details)
		}
	}
}
