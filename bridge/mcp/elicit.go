package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
)

// byClient is the surface that ended a form in the client's own dialog.
const byClient = "the client's dialog"

// formKey names our one form among the inputs that a result of the 2026
// protocol asks for.
const formKey = "form"

// elicit asks in the client's own dialog. done is false where the form goes to
// the popup: the client has no dialog, or one that cannot hold this form.
//
// Up to the protocol of 2025 the server asks the client while the call waits.
// From 2026 on it returns what it wants to know (input_required), and the client
// calls again with the answers.
func (c *call) elicit(ctx context.Context, b *bridge.Bridge, d *dialect.Dialect, f *form.Form) (*sdk.CallToolResult, bool) {
	caps := c.req.ClientCapabilities()
	if caps == nil || caps.Elicitation == nil || caps.Elicitation.Form == nil && caps.Elicitation.URL != nil {
		return nil, false
	}
	version := c.req.ProtocolVersion()
	params, ok := dialog(f, b.Context().DangerCheck, version >= "2025-11-25")
	if !ok {
		return nil, false
	}
	var said *sdk.ElicitResult
	if version >= "2026-07-28" {
		if said, ok = c.req.Params.InputResponses[formKey].(*sdk.ElicitResult); !ok {
			return &sdk.CallToolResult{Content: []sdk.Content{}, InputRequests: sdk.InputRequestMap{formKey: params}}, true
		}
	} else {
		var err error
		if said, err = c.req.Session.Elicit(ctx, params); err != nil {
			if ctx.Err() != nil { // the call is over, and with it the client's dialog
				return nil, true
			}
			c.Warn(fmt.Errorf("the client's dialog failed, so the form goes to the popup: %w", err))
			return nil, false
		}
	}
	r, err := heard(f, said)
	if err != nil {
		c.Warn(fmt.Errorf("the client's dialog gave no answer that the form takes, so it goes to the popup: %w", err))
		return nil, false
	}
	reply := d.EncodeIn(b.Context(), f, r)
	return c.result(bridge.Envelope{Outcome: r.Outcome, Text: reply.Text, Details: reply.Details, IsError: reply.IsError, SettledAt: r.At}), true
}

// dialog is the form as a flat schema. ok is false where that would lose
// something that the person needs: a preview, a choice of several in a client
// of before lists came, two options that look the same, the danger check.
func dialog(f *form.Form, dangerCheck, lists bool) (params *sdk.ElicitParams, ok bool) {
	s := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}}
	add := func(name string, p *jsonschema.Schema) {
		s.Properties[name] = p
		s.PropertyOrder = append(s.PropertyOrder, name)
	}
	for i := range f.Questions {
		q := &f.Questions[i]
		p, ok := property(q, dangerCheck, lists)
		if !ok {
			return nil, false
		}
		add(name(i), p)
		if choices(q) && q.Other != "" {
			add(otherName(i), &jsonschema.Schema{Type: "string", Title: text.OneLine(q.Label+": "+q.Other, 80), Description: "Instead of an option, in your own words."})
		} else if !q.Optional && !f.Partial {
			s.Required = append(s.Required, name(i))
		}
	}
	message := strings.TrimSpace(text.Visible(f.Title + "\n\n" + f.Intro))
	if message == "" {
		message = text.Visible(f.Questions[0].Prompt)
	}
	return &sdk.ElicitParams{Mode: "form", Message: message, RequestedSchema: s}, true
}

func name(i int) string      { return fmt.Sprintf("q%d", i+1) }
func otherName(i int) string { return name(i) + "_other" }

// choices reports whether the question is answered by choosing.
func choices(q *form.Question) bool {
	return (q.Kind == form.One || q.Kind == form.Many) && len(q.Options) > 0
}

func property(q *form.Question, dangerCheck, lists bool) (*jsonschema.Schema, bool) {
	p := &jsonschema.Schema{Type: "string", Title: text.OneLine(q.Prompt, 200)}
	parts := []string{}
	if q.Description != "" {
		parts = append(parts, text.Visible(q.Description))
	}
	switch {
	case q.Secret, q.Dangerous && dangerCheck: // the popup masks what is typed, and knows how to be careful
		return nil, false
	case q.Kind == form.Number:
		p.Type, p.Minimum, p.Maximum = "number", q.Min, q.Max
	case choices(q):
		var labels []any
		for _, o := range q.Options {
			label := optionLabel(o)
			if o.Preview != nil || label == "" || slices.Contains(labels, any(label)) {
				return nil, false
			}
			labels = append(labels, label)
			if o.Description != "" {
				parts = append(parts, label+": "+text.OneLine(o.Description, 200))
			}
		}
		if q.Kind == form.One {
			p.Enum = labels
		} else if lists {
			p.Type, p.Items = "array", &jsonschema.Schema{Type: "string", Enum: labels}
		} else {
			return nil, false
		}
	}
	p.Description = strings.Join(parts, "\n")
	return p, true
}

func optionLabel(o form.Option) string {
	return text.OneLine(strings.TrimSpace(o.Emoji+" "+o.Label), 200)
}

// heard is what the person said in the dialog.
func heard(f *form.Form, said *sdk.ElicitResult) (form.Result, error) {
	r := form.Result{Outcome: form.Cancelled, By: byClient, At: time.Now()}
	switch said.Action {
	case "accept":
	case "decline":
		r.Reason = "declined"
		return r, nil
	default:
		return r, nil
	}
	answers := make([]form.Answer, len(f.Questions))
	for i := range f.Questions {
		a, err := answer(&f.Questions[i], said.Content[name(i)], said.Content[otherName(i)])
		if err != nil {
			return r, fmt.Errorf("%s: %w", name(i), err)
		}
		answers[i] = a
	}
	r.Answers, r.Outcome = answers, dialect.Outcome(f, answers)
	return r, f.Check(r)
}

// answer is one question's: a typed text goes before the option that the
// dialog may have chosen by itself.
func answer(q *form.Question, v, other any) (a form.Answer, err error) {
	if text, _ := other.(string); strings.TrimSpace(text) != "" {
		a.Text = &text
		if q.Kind == form.One {
			return a, nil
		}
	}
	switch v := v.(type) {
	case nil:
	case float64:
		a.Number = &v
	case json.Number:
		n, err := v.Float64()
		if err != nil {
			return a, err
		}
		a.Number = &n
	case string:
		i := slices.IndexFunc(q.Options, func(o form.Option) bool { return optionLabel(o) == v })
		switch {
		case i >= 0:
			a.Choices = []int{i}
		case strings.TrimSpace(v) != "":
			a.Text = &v
		}
	case []any:
		for i, o := range q.Options {
			if slices.Contains(v, any(optionLabel(o))) {
				a.Choices = append(a.Choices, i)
			}
		}
		if len(a.Choices) != len(v) {
			return a, fmt.Errorf("%v names an option that there is not", v)
		}
	default:
		return a, fmt.Errorf("an answer of the type %T", v)
	}
	return a, nil
}
