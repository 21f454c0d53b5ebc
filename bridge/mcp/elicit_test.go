package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/tests/must"
)

// dialogs is a client whose dialog says what it is told to, of every protocol
// that has one: asked by the server, and asked for by a result.
func dialogs(t *testing.T, say func(*sdk.ElicitParams) (*sdk.ElicitResult, error), use func(*stage, *client)) {
	for _, version := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			s := newStage(t)
			s.config.Elicit = true
			c := s.connectAs(sdk.NewClient(&sdk.Implementation{Name: "x"}, &sdk.ClientOptions{
				ElicitationHandler: func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) { return say(r.Params) },
			}), version)
			use(s, c)
		})
	}
}

// What the person says in the dialog is the answer, and no popup opens.
func TestElicit(t *testing.T) {
	t.Parallel()
	const three = `{"questions":[{"header":"N","question":"How many?","type":"number","min":1,"max":9},
		{"header":"T","question":"What?","type":"free_text"},{"header":"C","question":"Go?","type":"confirm_enum"}]}`
	long := strings.Repeat("and ", 60)
	const several = `{"questions":[{"header":"M","question":"Which?","type":"select_many","options":[{"label":"A"},{"label":"B"},{"label":"C"}]}]}`
	for _, c := range []struct {
		name, tool, arguments string
		asks                  []string // what is in the dialog
		action                string
		content               map[string]any
		outcome               form.Outcome
		text                  string
	}{
		{"an option", "question", store, []string{`"message":"Where?"`, `"enum":["Postgres","Redis"]`, `"q1_other":`},
			"accept", map[string]any{"q1": "Redis"}, form.Answered, "Store: user selected: 2. Redis"},
		{"what is typed, before what the dialog has chosen by itself", "question", store, nil,
			"accept", map[string]any{"q1": "Redis", "q1_other": "a file"}, form.Answered, "Store: user wrote: a file"},
		{"every kind", "AskUserQuestion", three, nil,
			"accept", map[string]any{"q1": 4.0, "q2": "words", "q3": "Affirm"}, form.Answered, "N: 4\nT: words\nC: affirm"},
		{"several of several", "AskUserQuestion", several, nil,
			"accept", map[string]any{"q1": []any{"C", "A"}}, form.Answered, "M: A, C"},
		{"what is long, whole", "question", `{"questions":[{"id":"a","prompt":"First?"},{"id":"b","prompt":"Drop ` + long + `not these?","options":[{"value":"y","label":"Yes ` + long + `more","description":"` + long + `no backup"}]}]}`,
			[]string{"not these?", "more", "no backup"}, "accept", map[string]any{"q1": "x", "q2": "Yes " + long + "more"}, form.Answered, "Q1: user wrote: x\nQ2: user selected: 1. Yes " + long + "more"},
		{"declined", "question", store, nil, "decline", nil, form.Cancelled, "User cancelled: declined"},
		{"cancelled", "question", store, nil, "cancel", nil, form.Cancelled, "User cancelled"},
	} {
		t.Run(c.name, func(t *testing.T) {
			say := func(p *sdk.ElicitParams) (*sdk.ElicitResult, error) {
				asked, err := json.Marshal(p)
				for _, part := range c.asks {
					if !strings.Contains(string(asked), part) {
						t.Errorf("asked %s, which has no %s", asked, part)
					}
				}
				return &sdk.ElicitResult{Action: c.action, Content: c.content}, err
			}
			dialogs(t, say, func(s *stage, with *client) {
				d := with.begin(c.tool, c.arguments)
				if c.arguments == several && strings.HasSuffix(s.Name(), "2025-06-18") { // whose dialogs have no lists
					s.pending(1)
					return
				}
				r := d.result()
				if textOf(r) != c.text || r.Meta["askpane/outcome"] != string(c.outcome) || r.IsError {
					s.Errorf("%v %q, error %v; want %s %q", r.Meta, textOf(r), r.IsError, c.outcome, c.text)
				}
				s.pending(0)
			})
		})
	}
}

// What the dialog cannot hold, or gives no good answer to, goes to the popup.
func TestElicitFallsBack(t *testing.T) {
	t.Parallel()
	nothing := func(*sdk.ElicitParams) (*sdk.ElicitResult, error) {
		return &sdk.ElicitResult{Action: "accept", Content: map[string]any{}}, nil
	}
	never := func(p *sdk.ElicitParams) (*sdk.ElicitResult, error) {
		t.Errorf("the dialog was asked: %s", p.Message)
		return nothing(p)
	}
	for arguments, dialog := range map[string]func(*sdk.ElicitParams) (*sdk.ElicitResult, error){
		`{"questions":[{"header":"D","question":"Drop?","type":"confirm_enum","is_dangerous":true}]}`:                                              never,
		`{"questions":[{"header":"D","question":"The token?","type":"free_text","secret":true}]}`:                                                  never,
		`{"questions":[{"header":"D","question":"Which?","type":"select_one","options":[{"label":"A","preview":{"type":"text","content":"x"}}]}]}`: never,
		`{"questions":[{"header":"D","question":"Which?","type":"select_one","options":[{"label":"A"}]}]}`:                                         nothing,
	} {
		dialogs(t, dialog, func(s *stage, c *client) {
			c.begin("AskUserQuestion", arguments)
			s.pending(1)
		})
	}
	s := newStage(t)
	s.config.Elicit = true
	c := s.connect("x", &sdk.ClientOptions{ElicitationHandler: func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
		return nil, errors.New("the dialog is broken")
	}})
	c.begin("question", store)
	s.pending(1)
	if w := s.warnings(); len(w) == 0 || !strings.Contains(w[0], "the dialog is broken") {
		t.Errorf("warned %q", w)
	}
	s = newStage(t)
	s.config.Elicit = true
	s.connect("without a dialog", nil).begin("question", store)
	s.pending(1)
}

// At its deadline a call returns, and its dialog is taken back; the setting counts as the
// request's own does, whichever is first.
func TestElicitDeadline(t *testing.T) {
	t.Parallel()
	const buttons = `{"prompt":"Which?","options":[{"label":"A"},{"label":"B"}],"timeout":%d}`
	for setting, arguments := range map[time.Duration]string{0: fmt.Sprintf(buttons, 1), time.Hour: fmt.Sprintf(buttons, 1), time.Second: fmt.Sprintf(buttons, 60)} {
		s := newStage(t)
		s.config.Elicit = true
		ask := s.config.Bridge
		s.config.Bridge = func(cwd string, beat Beat) (*bridge.Bridge, bridge.Question, error) {
			b, q, err := ask(cwd, beat)
			q.Timeout = setting
			return b, q, err
		}
		taken := make(chan bool)
		r := s.connect("x", &sdk.ClientOptions{ElicitationHandler: func(ctx context.Context, _ *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			<-ctx.Done()
			close(taken)
			return nil, ctx.Err()
		}}).begin("question", arguments).result()
		if textOf(r) != "No answer before the deadline (1 s)" || r.Meta["askpane/outcome"] != string(form.Timeout) || r.IsError {
			t.Errorf("%v of %v: %v %q, error %v", arguments, setting, r.Meta, textOf(r), r.IsError)
		}
		<-taken
		s.pending(0)
	}
}

// Of several where one may be chosen none is taken for the answer.
func TestElicitSeveralForOne(t *testing.T) {
	t.Parallel()
	_, f, err := dialect.Decode("question", []byte(store))
	must.Do(t, err)
	said := &sdk.ElicitResult{Action: "accept", Content: map[string]any{"q1": []any{"Postgres", "Redis"}}}
	if r, err := resultOf(dialect.Context{}, &f, said); err == nil {
		t.Errorf("it is answered: %+v", r)
	}
}

// The time that the client's dialog took is part of the client's limit: the
// receipt comes before that, and not so long after the dialog.
func TestReceiptAfterADialog(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.config.Elicit = true
	asked := make(chan time.Time, 1)
	s.connect("x", &sdk.ClientOptions{ElicitationHandler: func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
		asked <- time.Now()
		return nil, errors.New("the dialog is broken")
	}}).begin("question", store)
	if req, err := s.open(s.pending(1)[0]).Request(); err != nil || !req.Origin.Start.Before(<-asked) {
		t.Errorf("the call began at %v, after its dialog; %v", req.Origin.Start, err)
	}
	c := call{began: time.Now().Add(-50 * time.Second)}
	if in := c.receiptIn(time.Minute); in > 5*time.Second {
		t.Errorf("after a dialog of 50 s the receipt comes in %v; the client waits for a minute", in)
	}
}

// The protocol without initialize, with the popup.
func TestStateless(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	c := s.connectAs(sdk.NewClient(&sdk.Implementation{Name: "claude-code"}, nil), "2026-07-28")
	d := c.begin("question", store)
	id := s.pending(1)[0]
	if req, err := s.open(id).Request(); err != nil || req.Origin.Agent != "claude" || req.Origin.Cwd != "/srv/shop" {
		t.Errorf("asked as %+v, %v", req.Origin, err)
	}
	s.answers(id)
	s.is(d.result(), form.Answered, stored)
	s.delivered(id)
}
