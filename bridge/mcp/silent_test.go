package mcp

import (
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/tests/must"
)

// gemini is a client that says nothing of a call that it gives up.
const gemini = "gemini-cli-mcp-client"

// An answer that such a client may have let drop goes to the same question asked again, once
// and with word of that, by the rules for one that no call got.
func TestGivenToASilentClient(t *testing.T) {
	t.Parallel()
	first := form.Result{Outcome: form.Answered, Answers: []form.Answer{form.Choose(0)}}
	typed := form.Result{Outcome: form.Answered, Answers: []form.Answer{form.Type("it")}}
	for name, c := range map[string]struct {
		client, tool, asked string
		said                form.Result
		age                 time.Duration
		between             string
		want                bool
	}{
		"young":                     {gemini, "question", store, first, 30 * time.Minute, "", true},
		"old":                       {gemini, "question", store, first, time.Hour, "", false},
		"to one that tells":         {"x", "question", store, first, 0, "", false},
		"with another one between":  {gemini, "question", store, first, 0, numbered(1), false},
		"declined with a reason":    {gemini, "question", store, form.Result{Outcome: form.Cancelled, Reason: "not today"}, 0, "", true},
		"cancelled":                 {gemini, "question", store, form.Result{Outcome: form.Cancelled}, 0, "", false},
		"of a dangerous question":   {gemini, "AskUserQuestion", `{"questions":[{"header":"Drop","question":"Drop it?","type":"confirm_enum","is_dangerous":true}]}`, typed, 0, "", false},
		"of a question with secret": {gemini, "ask_human", `{"questions":[{"type":"text","id":"p","header":"Password","prompt":"Password?","secret":true}]}`, typed, 0, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			client := s.connect(c.client, nil)
			d := client.begin(c.tool, c.asked)
			id := s.pending(1)[0]
			r := c.said
			r.By, r.At = form.ByAnswer, time.Now().Add(-c.age)
			must.Do(t, s.open(id).Settle(r))
			was, _, _ := strings.Cut(textOf(d.result()), "\n")
			s.pending(0)
			if c.between != "" {
				d := client.begin("question", c.between)
				s.answers(s.pending(1)[0])
				d.result()
				s.pending(0)
			}
			d = client.begin(c.tool, c.asked)
			if c.want {
				got := d.result()
				want := was + "\nRecovered: the same question was asked by an earlier call, and this is its answer. The person answered at "
				if got.Meta["askpane/id"] != id || got.Meta["askpane/outcome"] != string(r.Outcome) || !strings.HasPrefix(textOf(got), want) || !strings.HasSuffix(textOf(got), "and that call may have brought it already; other words ask the person anew.") ||
					!strings.Contains(details(t, got), `"recovered":true`) || !strings.Contains(details(t, got), `"answeredAt":`) {
					t.Fatalf("%v %q, details %s", got.Meta, textOf(got), details(t, got))
				}
				d = client.begin(c.tool, c.asked)
			}
			if again := s.pending(1)[0]; again == id {
				t.Error("it is asked under the same id")
			}
			d.cancel()
		})
	}
}

// Asked again while its form is still open, the question does not get another one: the call
// before may have been given up.
func TestASilentClientAsksAgain(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	c := s.connect(gemini, nil)
	calls := []*called{c.begin("question", store)}
	id := s.pending(1)[0]
	s.until("the first waits for a viewer", func() bool { return len(s.warnings()) > 0 })
	calls = append(calls, c.begin("question", store))
	r := calls[0].result()
	s.is(r, bridge.Pending, textOf(r))
	s.pending(1)
	s.answers(id)
	r = calls[1].result()
	if s.is(r, form.Answered, stored); r.Meta["askpane/id"] != id || !strings.Contains(textOf(r), "Recovered: ") {
		t.Errorf("%v %q", r.Meta, textOf(r))
	}
}
