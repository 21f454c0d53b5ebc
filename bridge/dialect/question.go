package dialect

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/askpane/askpane/bridge/form"
)

// question is CONTRACTS.md 1: one tool, one or many multiple-choice questions.
var question = Dialect{
	Name: "question",
	fits: func(top map[string]any) bool {
		_, ok := top["questions"].([]any)
		return ok
	},
	decode: decodeQuestion,
	encode: encodeQuestion,
	reject: func(err error) Reply {
		return Reply{Text: "Error: " + err.Error(), IsError: true,
			Details: mustJSON(questionDetails{Questions: []questionEcho{}, Answers: []questionAnswer{}, Cancelled: true})}
	},
	answer: answerChoice,
}

// somethingElse is the synthetic last choice of every question, with U+2026.
const somethingElse = "Something else…"

var errNoQuestions = errors.New("No questions provided") //lint:ignore ST1005 the contract's own text

type questionEcho struct {
	ID      string        `json:"id"`
	Label   string        `json:"label"`
	Prompt  string        `json:"prompt"`
	Options []form.Option `json:"options"`
}

type questionAnswer struct {
	ID        string `json:"id"`
	Value     string `json:"value"`
	Label     string `json:"label"`
	WasCustom bool   `json:"wasCustom"`
	Index     int    `json:"index,omitempty"` // 1-based; absent where the answer was typed
}

type questionDetails struct {
	Questions any              `json:"questions"`
	Answers   []questionAnswer `json:"answers"`
	Cancelled bool             `json:"cancelled"`
	Reason    string           `json:"reason,omitempty"`
}

func decodeQuestion(top node) form.Form {
	list := top.field("questions")
	var questions []node
	if list.given() {
		questions = list.list()
	}
	if len(questions) == 0 && len(*top.errs) == 0 {
		*top.errs = append(*top.errs, errNoQuestions)
	}
	f := form.Form{Review: len(questions) > 1}
	echoes := []questionEcho{}
	seen := map[string]string{}
	for i, n := range questions {
		if !n.object() {
			continue
		}
		q := form.Question{
			ID:      n.field("id").text(),
			Prompt:  n.field("prompt").text(),
			Label:   n.field("label").optionalText(),
			Kind:    form.One,
			Options: decodeOptions(n.field("options")),
			Other:   somethingElse,
		}
		if q.Named = strings.TrimSpace(q.Label) != ""; !q.Named {
			q.Label = fmt.Sprintf("Q%d", i+1)
		}
		if first, dup := seen[q.ID]; dup && q.ID != "" {
			n.field("id").fail("duplicate id %q, already used by %s", q.ID, first)
		}
		seen[q.ID] = n.path
		f.Questions = append(f.Questions, q)
		echoes = append(echoes, questionEcho{q.ID, q.Label, q.Prompt, q.Options})
	}
	f.Echo = mustJSON(map[string]any{"questions": echoes})
	return f
}

func decodeOptions(n node) []form.Option {
	options := []form.Option{} // none at all is allowed, and reads as [] in the details
	if !n.given() {
		return options
	}
	for _, o := range n.list() {
		if !o.object() {
			continue
		}
		options = append(options, form.Option{
			Value:       o.field("value").text(),
			Label:       o.field("label").text(),
			Description: o.field("description").optionalText(),
		})
	}
	return options
}

func encodeQuestion(f *form.Form, r form.Result) Reply {
	d := questionDetails{Questions: echoed(f, "questions"), Answers: []questionAnswer{}, Cancelled: r.Outcome != form.Answered, Reason: r.Reason}
	if r.Outcome != form.Answered {
		return Reply{Text: notAnswered("User cancelled", r), Details: mustJSON(d), IsError: failed(r.Outcome)}
	}
	var lines []string
	for i, a := range r.Answers {
		q := &f.Questions[i]
		if a.Text != nil {
			d.Answers = append(d.Answers, questionAnswer{ID: q.ID, Value: *a.Text, Label: *a.Text, WasCustom: true})
			lines = append(lines, fmt.Sprintf("%s: user wrote: %s", q.Label, *a.Text))
			continue
		}
		o, index := q.Options[*a.Choice], *a.Choice+1
		d.Answers = append(d.Answers, questionAnswer{ID: q.ID, Value: o.Value, Label: o.Label, Index: index})
		lines = append(lines, fmt.Sprintf("%s: user selected: %d. %s", q.Label, index, o.Label))
	}
	return Reply{Text: strings.Join(lines, "\n"), Details: mustJSON(d)}
}

// echoed is one member of the form's normalised request.
func echoed(f *form.Form, member string) json.RawMessage {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(f.Echo, &members); err != nil {
		return json.RawMessage("[]") // an entry somebody else wrote; the answer still arrives
	}
	return members[member]
}

// failed reports whether an outcome is an error to the caller (the envelope's table).
func failed(o form.Outcome) bool {
	return o == form.Unavailable || o == form.Rejected || o == form.Aborted
}

// notAnswered is the text for a form that ended without answers; cancelled is
// the dialect's own word for a person who declined.
func notAnswered(cancelled string, r form.Result) string {
	switch r.Outcome {
	case form.Cancelled:
		if r.Reason != "" {
			return cancelled + ": " + r.Reason
		}
		return cancelled
	case form.Timeout:
		return fmt.Sprintf("No answer before the deadline (%s)", seconds(r.Waited))
	case form.Unavailable:
		text := "Error: UI not available"
		if r.Reason != "" {
			text += ": " + r.Reason
		}
		return text
	default:
		return "Error: the question was withdrawn before it was answered"
	}
}

func seconds(d time.Duration) string {
	return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) + " s"
}
