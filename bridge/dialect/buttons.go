package dialect

import (
	"time"

	"github.com/askpane/askpane/bridge/form"
)

// buttons asks by two to five buttons, with a deadline (docs/contracts.md). Its
// published tool name is question, which takes its shape too.
var buttons = Dialect{
	Name:   "buttons",
	noTool: true,
	fits: func(top map[string]any) bool {
		n := node{v: top}
		return n.field("prompt").given() && n.field("options").given()
	},
	decode: decodeButtons,
	encode: encodeButtons,
	reject: func(err error) Reply { return rejection(err, notPressed(string(form.Rejected))) },
}

const (
	blurple        = "#5865F2"
	buttonsTimeout = 3600.0
	fewButtons     = 3 // as many as fit in a row; more become a dropdown
	otherDots      = "Other..."
)

func decodeButtons(top node) form.Form {
	q := form.Question{ID: "q1", Label: "Q1", Prompt: top.string("prompt"), Kind: form.One,
		Options: top.options(), Style: form.Style(top.string("style"))}
	if top.flag("multi", false) {
		q.Kind = form.Many
	}
	if top.flag("allowOther", false) {
		q.Other = otherDots
	}
	if q.Style == "" {
		q.Style = form.Buttons
		if len(q.Options) > fewButtons {
			q.Style = form.Dropdown
		}
	}
	timeout := buttonsTimeout
	if n := top.field("timeout"); n.given() {
		timeout = n.finite()
	}
	labels := unique{}
	for _, o := range top.field("options").list() {
		labels.add(o.field("label"))
	}
	return form.Form{
		Questions: []form.Question{q}, Accent: blurple,
		Timeout: time.Duration(timeout * float64(time.Second)),
		Echo: mustJSON(object{{"prompt", q.Prompt}, {"options", echoOptions(q.Options, false)}, {"style", q.Style},
			{"timeout", timeout}, {"multi", q.Kind == form.Many}, {"allowOther", q.Other != ""}}),
	}
}

func notPressed(reason string) object { return object{{"answered", false}, {"reason", reason}} }

func encodeButtons(f *form.Form, r form.Result, _ Context) Reply {
	if r.Outcome != form.Answered {
		// The contract has one member for both: how it ended, or, where the
		// person gave one, their reason for declining.
		reason := string(r.Outcome)
		if r.Outcome == form.Cancelled && r.Reason != "" {
			reason = r.Reason
		}
		return unanswered("User cancelled", f, r, notPressed(reason))
	}
	q, a := &f.Questions[0], r.Answers[0]
	labels, indexes := chosen(q, a, optionLabel, ""), append([]int{}, a.Choices...)
	if a.Text != nil {
		indexes = append(indexes, -1) // the others are 0-based
	}
	details := object{{"answered", true}, {"selected", labels}, {"index", indexes}}
	if q.Kind == form.One {
		details = object{{"answered", true}, {"selected", labels[0]}, {"index", indexes[0]}}
	}
	return Reply{Text: "User selected: " + joined(labels), Details: mustJSON(details)}
}
