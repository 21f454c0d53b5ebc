package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
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

const (
	byClient = "the client's dialog" // the surface that ended the form
	formKey  = "form"                // our one form among the inputs of the 2026 protocol
)

// elicit asks in the client's own dialog, until q's deadline. done is false where the form
// goes to the popup: the client has no dialog, or one that cannot hold this form.
//
// Up to the protocol of 2025 the server asks the client while the call waits.
// From 2026 on it returns what it wants to know (input_required), and the client
// calls again with the answers.
func (c *call) elicit(ctx context.Context, b *bridge.Bridge, q bridge.Question, d *dialect.Dialect, f *form.Form) (*sdk.CallToolResult, bool) {
	caps := c.req.ClientCapabilities()
	if caps == nil || caps.Elicitation == nil || caps.Elicitation.Form == nil && caps.Elicitation.URL != nil {
		return nil, false
	}
	version := c.req.ProtocolVersion()
	params, ok := dialog(f, b.Context().DangerCheck, version >= "2025-11-25")
	if !ok {
		return nil, false
	}
	limit := cmp.Or(min(q.Timeout, f.Timeout), max(q.Timeout, f.Timeout)) // 0 is none
	within, cancel := context.WithTimeout(ctx, cmp.Or(limit, math.MaxInt64))
	defer cancel()
	var err error
	said, told := c.req.Params.InputResponses[formKey].(*sdk.ElicitResult)
	switch {
	case version < "2026-07-28":
		said, err = c.req.Session.Elicit(within, params)
	case !told:
		return &sdk.CallToolResult{Content: []sdk.Content{}, InputRequests: sdk.InputRequestMap{formKey: params}}, true
	}
	var r form.Result
	switch {
	case err == nil:
		r, err = resultOf(b.Context(), f, said)
	case ctx.Err() != nil: // the call is over, and with it the client's dialog
		return nil, true
	case within.Err() != nil:
		r, err = form.Result{Outcome: form.Timeout, Waited: limit}, nil
	}
	if err != nil {
		c.Warn(fmt.Errorf("the client's dialog failed, or gave no answer that the form takes, so it goes to the popup: %w", err))
		return nil, false
	}
	return c.result(bridge.Envelope{Reply: d.EncodeIn(b.Context(), f, r), SettledAt: r.At}), true
}

// dialog describes the form by a flat schema. ok is false where that would lose
// something that the person needs: a preview, a choice of several in a client of before
// lists came, two options that look or are the same, the danger check.
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
		if len(q.Options) > 0 && q.Other != "" {
			add(otherName(i), &jsonschema.Schema{Type: "string", Title: text.OneLine(q.Label+": "+q.Other, 80), Description: "Instead of an option, in your own words."})
		} else if !q.Optional && !f.Partial {
			s.Required = append(s.Required, name(i))
		}
	}
	message := cmp.Or(strings.TrimSpace(text.Visible(f.Title+"\n\n"+f.Intro)), text.Visible(f.Questions[0].Prompt))
	return &sdk.ElicitParams{Mode: "form", Message: message, RequestedSchema: s}, true
}

func name(i int) string      { return fmt.Sprintf("q%d", i+1) }
func otherName(i int) string { return name(i) + "_other" }

func property(q *form.Question, dangerCheck, lists bool) (*jsonschema.Schema, bool) {
	p := &jsonschema.Schema{Type: "string", Title: text.OneLine(q.Prompt, 200)}
	parts := []string{}
	if p.Title != q.Prompt {
		parts = append(parts, text.Visible(q.Prompt))
	}
	if q.Description != "" {
		parts = append(parts, text.Visible(q.Description))
	}
	switch {
	case q.Secret, q.Dangerous && dangerCheck: // the popup masks what is typed, and knows how to be careful
		return nil, false
	case q.Kind == form.Number:
		p.Type, p.Minimum, p.Maximum = "number", q.Min, q.Max
	case len(q.Options) > 0:
		var labels []any
		for i, o := range q.Options {
			label := optionLabel(o)
			first := slices.IndexFunc(q.Options, func(other form.Option) bool { return other.Value == o.Value })
			if o.Preview != nil || label == "" || slices.Contains(labels, any(label)) || first < i {
				return nil, false
			}
			labels = append(labels, label)
			if o.Description != "" {
				parts = append(parts, label+": "+text.OneLine(o.Description, 0))
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
	return text.OneLine(strings.TrimSpace(o.Emoji+" "+o.Label), 0)
}

// resultOf reads what the person said in the dialog.
func resultOf(c dialect.Context, f *form.Form, said *sdk.ElicitResult) (r form.Result, err error) {
	r.Outcome = form.Cancelled
	switch said.Action {
	case "accept":
		answers := map[string]any{}
		for i, q := range f.Questions {
			answers[q.ID] = answer(&q, said.Content[name(i)], said.Content[otherName(i)])
		}
		payload, _ := json.Marshal(answers) // it came as JSON
		r, err = dialect.Answered(c, f, payload)
	case "decline":
		r.Reason = "declined"
	}
	r.By, r.At = byClient, time.Now()
	return r, err
}

// answer writes one question's for a payload, nil where there is none: a typed text goes
// before the option that the dialog may have chosen by itself.
func answer(q *form.Question, v, other any) any {
	items, isList := v.([]any)
	if !isList {
		items = []any{v}
	}
	var said []any
	for n, item := range append(items, other) {
		text, isText := item.(string)
		i := slices.IndexFunc(q.Options, func(o form.Option) bool { return optionLabel(o) == text })
		switch {
		case item == nil, isText && strings.TrimSpace(text) == "":
		case n < len(items) && i >= 0:
			said = append(said, q.Options[i].Value)
		case isText:
			said = append(said, map[string]any{"mode": "other", "text": text})
		default:
			said = append(said, item)
		}
	}
	switch {
	case len(said) == 0:
		return nil
	case q.Kind == form.Many, isList: // which no other question takes
		return said
	}
	return said[len(said)-1]
}
