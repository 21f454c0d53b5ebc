package dialect

import (
	"time"

	"github.com/askpane/askpane/bridge/form"
)

// buttons asks by two to five buttons, with a deadline (docs/contracts.md). Its
// published tool name is question, which takes its shape too.
var buttons = Dialect{
	Name:      "buttons",
	noTool:    true,
	fits:      func(top node) bool { return top.field("prompt").given() && top.field("options").given() },
	decode:    decodeButtons,
	cancelled: "User cancelled",
	encode:    encodeButtons,
}

const (
	blurple    = "#5865F2"
	fewButtons = 3 // as many as fit in a row; more become a list
	otherDots  = "Other..."
)

func decodeButtons(top node, f *form.Form) {
	q := top.question(0)
	q.ID, q.Style = "q1", form.Style(top.string("style"))
	if top.flag("allowOther") {
		q.Other = otherDots
	}
	if q.Style == "" {
		q.Style = form.Buttons
		if len(q.Options) > fewButtons {
			q.Style = form.Dropdown
		}
		top.set("style", q.Style)
	}
	top.distinct("options", "label")
	seconds, _ := top.field("timeout").v.(float64)
	f.Questions, f.Accent, f.Timeout = []form.Question{q}, blurple, time.Duration(seconds*float64(time.Second))
}

func encodeButtons(f *form.Form, r form.Result, _ Context) (text string, details object) {
	if r.Outcome != form.Answered {
		// The contract has one member for both: how it ended, or, where the
		// person gave one, their reason for declining.
		reason := string(r.Outcome)
		if r.Outcome == form.Cancelled && r.Reason != "" {
			reason = r.Reason
		}
		return "", object{{"answered", false}, {"reason", reason}}
	}
	q, a := &f.Questions[0], r.Answers[0]
	labels, indexes := chosen(q, a, optionLabel, ""), append([]int{}, a.Choices...)
	if a.Text != nil {
		indexes = append(indexes, -1) // the others are 0-based
	}
	details = object{{"answered", true}, {"selected", labels}, {"index", indexes}}
	if q.Kind == form.One {
		details = object{{"answered", true}, {"selected", labels[0]}, {"index", indexes[0]}}
	}
	return "User selected: " + joined(labels), details
}
