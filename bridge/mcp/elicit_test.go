package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/form"
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

func TestElicit(t *testing.T) {
	var asked string
	say := func(p *sdk.ElicitParams) (*sdk.ElicitResult, error) {
		data, err := json.Marshal(p)
		asked = string(data)
		return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"q1": "Redis"}}, err
	}
	dialogs(t, say, func(s *stage, c *client) {
		s.is(c.begin("question", store).result(), form.Answered, "Store: user selected: 2. Redis")
		for _, part := range []string{`"message":"Where?"`, `"enum":["Postgres","Redis"]`, `"q1_other":`} {
			if !strings.Contains(asked, part) {
				s.Errorf("asked %s, which has no %s", asked, part)
			}
		}
		s.pending(0)
	})
}

// What the person types goes before what the dialog has chosen by itself.
func TestElicitOther(t *testing.T) {
	say := func(*sdk.ElicitParams) (*sdk.ElicitResult, error) {
		return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"q1": "Redis", "q1_other": "a file"}}, nil
	}
	dialogs(t, say, func(s *stage, c *client) {
		s.is(c.begin("question", store).result(), form.Answered, "Store: user wrote: a file")
	})
}

func TestElicitEveryKind(t *testing.T) {
	say := func(*sdk.ElicitParams) (*sdk.ElicitResult, error) {
		return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"q1": 4.0, "q2": "words", "q3": "Affirm"}}, nil
	}
	dialogs(t, say, func(s *stage, c *client) {
		r := c.begin("AskUserQuestion", `{"questions":[{"header":"N","question":"How many?","type":"number","min":1,"max":9},
			{"header":"T","question":"What?","type":"free_text"},{"header":"C","question":"Go?","type":"confirm_enum"}]}`).result()
		if textOf(r) != "N: 4\nT: words\nC: affirm" {
			s.Errorf("got %q", textOf(r))
		}
	})
}

func TestElicitDeclined(t *testing.T) {
	for action, want := range map[string]string{"decline": "User cancelled: declined", "cancel": "User cancelled"} {
		dialogs(t, func(*sdk.ElicitParams) (*sdk.ElicitResult, error) { return &sdk.ElicitResult{Action: action}, nil }, func(s *stage, c *client) {
			r := c.begin("question", store).result()
			s.is(r, form.Cancelled, want)
			if r.IsError {
				s.Error("it is an error")
			}
		})
	}
}

// What the dialog cannot hold, or gives no good answer to, goes to the popup.
func TestElicitFallsBack(t *testing.T) {
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

// The time that the client's dialog took is part of the client's limit: the
// receipt comes before that, and not so long after the dialog.
func TestReceiptAfterADialog(t *testing.T) {
	const limit = 4 * time.Second
	s := newStage(t)
	s.config.Elicit = true
	given := limit
	s.config.CallLimit = &given
	c := s.connect("x", &sdk.ClientOptions{ElicitationHandler: func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
		<-time.After(limit / 2) // the person looks at it so long; it is what is tested
		return nil, errors.New("the dialog is broken")
	}})
	began := time.Now()
	r := c.begin("question", store).result()
	s.is(r, bridge.Pending, textOf(r))
	if took := time.Since(began); took >= limit {
		t.Errorf("the receipt came after %v; the client waits for %v", took, limit)
	}
}

// Several of several: in the protocols whose dialogs have lists.
func TestElicitMany(t *testing.T) {
	say := func(*sdk.ElicitParams) (*sdk.ElicitResult, error) {
		return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"q1": []any{"C", "A"}}}, nil
	}
	dialogs(t, say, func(s *stage, c *client) {
		d := c.begin("AskUserQuestion", `{"questions":[{"header":"M","question":"Which?","type":"select_many","options":[{"label":"A"},{"label":"B"},{"label":"C"}]}]}`)
		if strings.HasSuffix(s.Name(), "2025-06-18") {
			s.pending(1)
			return
		}
		s.is(d.result(), form.Answered, "M: A, C")
	})
}

// The protocol without initialize, with the popup.
func TestStateless(t *testing.T) {
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
