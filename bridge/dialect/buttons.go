package dialect

import (
	"time"

	"github.com/askpane/askpane/bridge/form"
)

// buttons asks by two to five buttons, with a deadline (docs/contracts.md). Its
// published tool name is question, which takes its shape too.
var buttons = Dialect{
	Name: "buttons",
	fits: func(top map[string]any) bool {
		n := node{v: top}
		return n.field("prompt").given() && n.field("options").given()
	},
	schema: buttonsSchema,
	decode: decodeButtons,
	encode: encodeButtons,
	reject: func(err error) Reply {
		return Reply{Text: "Error: " + err.Error(), IsError: true, Details: mustJSON(buttonsNot{Reason: string(form.Rejected)})}
	},
	answer: answerAny,
	guidance: Guidance{
		Description: "Show the person one prompt with two to five buttons and wait for the one they press, or for the deadline.",
		Snippet:     "buttons: let the person press one of two to five buttons",
		Guidelines: []string{
			"Use it for one quick choice; for several questions at once use a question form.",
			"Name what each button does in its label, and add a description where a few more words help.",
			"Set timeout in seconds when the answer loses its worth; no answer before it is not an agreement.",
			"Set multi when several may be chosen, and allowOther when an answer in other words would help you.",
		},
	},
}

const (
	blurple        = "#5865F2"
	buttonsTimeout = 3600
	fewButtons     = 3 // as many as fit in a row; more become a dropdown
	otherDots      = "Other..."
)

func buttonsSchema() *schema {
	low, high := 1.0, 86400.0
	timeout := number("Seconds to wait for an answer.")
	timeout.Minimum, timeout.Maximum, timeout.Default = &low, &high, []byte("3600")
	return object(
		member{"prompt!", nonBlank("The question, shown above the buttons.")},
		member{"options!", listOf(2, 5, object(
			member{"label!", nonBlank("The button's text; unique.")},
			member{"emoji", words("A sign before the label.")},
			member{"description", words("What pressing it means.")},
		))},
		member{"style", oneOf("A row of buttons or a dropdown; by default buttons for up to three options.", "buttons", "select")},
		member{"timeout", timeout},
		member{"multi", yesNo("Several options may be chosen.", false)},
		member{"allowOther", yesNo("Offer an answer in other words.", false)},
	)
}

type buttonsEcho struct {
	Prompt     string         `json:"prompt"`
	Options    []buttonOption `json:"options"`
	Style      string         `json:"style"`
	Timeout    float64        `json:"timeout"`
	Multi      bool           `json:"multi"`
	AllowOther bool           `json:"allowOther"`
}

type buttonOption struct {
	Label       string `json:"label"`
	Emoji       string `json:"emoji,omitempty"`
	Description string `json:"description,omitempty"`
}

// buttonsYes and buttonsNot are the two shapes of the result's details.
type buttonsYes struct {
	Answered bool `json:"answered"`
	Selected any  `json:"selected"`
	Index    any  `json:"index"` // 0-based; -1 is typed text
}

type buttonsNot struct {
	Answered bool   `json:"answered"`
	Reason   string `json:"reason"`
}

func decodeButtons(top node) form.Form {
	echo := buttonsEcho{
		Prompt:     top.field("prompt").text(),
		Options:    []buttonOption{},
		Style:      top.field("style").optionalText(),
		Timeout:    buttonsTimeout,
		Multi:      top.field("multi").flag(false),
		AllowOther: top.field("allowOther").flag(false),
	}
	if n := top.field("timeout"); n.given() {
		echo.Timeout = n.finite()
	}
	q := form.Question{ID: "q1", Label: "Q1", Prompt: echo.Prompt, Kind: form.One}
	if echo.Multi {
		q.Kind = form.Many
	}
	if echo.AllowOther {
		q.Other = otherDots
	}
	labels := unique{}
	for _, n := range top.field("options").list() {
		o := buttonOption{n.field("label").text(), n.field("emoji").optionalText(), n.field("description").optionalText()}
		labels.add(n.field("label"), o.Label)
		echo.Options = append(echo.Options, o)
		q.Options = append(q.Options, form.Option{Value: o.Label, Label: o.Label, Emoji: o.Emoji, Description: o.Description})
	}
	if echo.Style == "" {
		echo.Style = string(form.Buttons)
		if len(q.Options) > fewButtons {
			echo.Style = string(form.Dropdown)
		}
	}
	q.Style = form.Style(echo.Style)
	return form.Form{
		Questions: []form.Question{q}, Accent: blurple,
		Timeout: time.Duration(echo.Timeout * float64(time.Second)), Echo: mustJSON(echo),
	}
}

func encodeButtons(f *form.Form, r form.Result, _ Context) Reply {
	if r.Outcome != form.Answered {
		// The contract has one member for both: how it ended, or, where the
		// person gave one, their reason for declining.
		d := buttonsNot{Reason: string(r.Outcome)}
		if r.Outcome == form.Cancelled && r.Reason != "" {
			d.Reason = r.Reason
		}
		return Reply{Text: notAnswered("User cancelled", f, r), Details: mustJSON(d), IsError: failed(r.Outcome)}
	}
	q, a := &f.Questions[0], r.Answers[0]
	labels, indexes := []string{}, []int{}
	for _, i := range a.Choices {
		labels, indexes = append(labels, q.Options[i].Label), append(indexes, i)
	}
	if a.Text != nil {
		labels, indexes = append(labels, *a.Text), append(indexes, -1)
	}
	d := buttonsYes{Answered: true, Selected: labels, Index: indexes}
	if q.Kind == form.One {
		d.Selected, d.Index = labels[0], indexes[0]
	}
	return Reply{Text: "User selected: " + joined(labels), Details: mustJSON(d)}
}
