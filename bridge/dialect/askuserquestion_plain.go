package dialect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
)

// askUserQuestionPlain is the second request shape of AskUserQuestion: choices
// only, without type. It goes by the same name.
var askUserQuestionPlain = Dialect{
	Name:     "AskUserQuestion",
	schema:   plainSchema,
	decode:   decodePlain,
	encode:   encodePlain,
	reject:   rejectTyped,
	answer:   answerAny,
	byPrompt: true,
}

// isPlain reports whether a request has the second shape: no question says
// anything that only the typed one has and that must not be lost, and each has
// what only choices have.
func isPlain(top map[string]any) bool {
	list, _ := top["questions"].([]any)
	for _, v := range list {
		n := node{v: v}
		for _, typed := range []string{"type", "input_mode", "prompt", "is_dangerous"} {
			if n.field(typed).given() {
				return false
			}
		}
		if !n.field("options").given() && !n.field("multiSelect").given() {
			return false
		}
	}
	return len(list) > 0
}

// echoedPlain is isPlain for a form that was decoded before. The typed shape's
// normalised request always has a type.
func echoedPlain(f *form.Form) bool {
	var questions []struct{ Type *string }
	err := json.Unmarshal(echoed(f, "questions"), &questions)
	return err == nil && len(questions) > 0 && questions[0].Type == nil
}

func plainSchema() *schema {
	return object(member{"questions!", listOf(1, 4, object(
		member{"question!", most(4000, nonBlank("The question in full; unique."))},
		member{"header!", nonBlank("A word or two that name the question, at most 12 characters.")},
		member{"options!", listOf(2, 7, object(
			member{"label!", most(200, nonBlank("What the person sees, and what you get back; unique in this question."))},
			member{"description", words("What choosing this means.")},
			member{"preview", words("Longer material beside the option: text as it stands, line by line; fenced code is highlighted.")},
		))},
		member{"multiSelect", yesNo("Several options may be chosen.", false)},
	))})
}

// headerRunes is how much of a header is shown; the rest is only sent back.
const headerRunes = 12

type plainEcho struct {
	Question    string        `json:"question"`
	Header      string        `json:"header"`
	Options     []plainOption `json:"options"`
	MultiSelect bool          `json:"multiSelect"`
}

type plainOption struct {
	Label       string `json:"label"`
	Description string `json:"description,omitempty"`
	Preview     string `json:"preview,omitempty"`
}

type plainDetails struct {
	Questions   any     `json:"questions"`
	Answers     ordered `json:"answers"`
	Annotations ordered `json:"annotations,omitempty"`
	Reason      string  `json:"reason,omitempty"`
}

// annotation is what an answer carries besides its label.
type annotation struct {
	Notes   string `json:"notes,omitempty"`
	Preview string `json:"preview,omitempty"`
}

func decodePlain(top node) form.Form {
	questions := top.field("questions").list()
	f := form.Form{Review: len(questions) > 1, Remarks: form.Notes}
	texts := unique{} // the answers are keyed by them
	var echoes []plainEcho
	for i, n := range questions {
		e := plainEcho{
			Question: n.field("question").text(), Header: n.field("header").text(),
			MultiSelect: n.field("multiSelect").flag(false),
		}
		texts.add(n.field("question"), e.Question)
		q := form.Question{ID: fmt.Sprintf("q%d", i+1), Label: text.OneLine(e.Header, headerRunes), Named: true,
			Prompt: e.Question, Kind: form.One, Options: []form.Option{}, Other: otherLabel}
		if e.MultiSelect {
			q.Kind, q.SelectRow = form.Many, true
		}
		labels := unique{}
		for _, o := range n.field("options").list() {
			option := plainOption{o.field("label").text(), o.field("description").optionalText(), o.field("preview").optionalText()}
			e.Options = append(e.Options, option)
			if strings.EqualFold(strings.TrimSpace(option.Label), otherLabel) {
				q.Other = option.Label
				continue
			}
			labels.add(o.field("label"), option.Label)
			q.Options = append(q.Options, plainToForm(option))
		}
		f.Questions = append(f.Questions, q)
		echoes = append(echoes, e)
	}
	f.Echo = mustJSON(map[string]any{"questions": echoes})
	return f
}

func plainToForm(o plainOption) form.Option {
	option := form.Option{Value: o.Label, Label: o.Label, Description: o.Description}
	if o.Preview != "" {
		option.Preview = &form.Preview{Content: o.Preview}
	}
	return option
}

func encodePlain(f *form.Form, r form.Result, _ Context) Reply {
	d := plainDetails{Questions: echoed(f, "questions"), Answers: ordered{}, Reason: r.Reason}
	if r.Outcome != form.Answered {
		return Reply{Text: notAnswered(questionnaireCancelled, f, r), Details: mustJSON(d), IsError: failed(r.Outcome)}
	}
	for i, a := range r.Answers {
		q := &f.Questions[i]
		var said []string
		var extra annotation
		for _, c := range a.Choices {
			said = append(said, q.Options[c].Label)
			if p := q.Options[c].Preview; p != nil && q.Kind == form.One {
				extra.Preview = p.Content
			}
		}
		if a.Text != nil {
			said = append(said, *a.Text)
		}
		d.Answers = append(d.Answers, pair{q.Prompt, joined(said)})
		if extra.Notes = strings.TrimSpace(a.Note); extra != (annotation{}) {
			d.Annotations = append(d.Annotations, pair{q.Prompt, extra})
		}
	}
	return Reply{Text: typedText(fullHeaders(f), f, r), Details: mustJSON(d)}
}

// fullHeaders are the headers before they were shortened for display.
func fullHeaders(f *form.Form) []string {
	var echoes []plainEcho
	if err := json.Unmarshal(echoed(f, "questions"), &echoes); err != nil || len(echoes) != len(f.Questions) {
		return headers(f) // an entry somebody else wrote; the answer still arrives
	}
	var all []string
	for _, e := range echoes {
		all = append(all, e.Header)
	}
	return all
}

// ordered is a JSON object whose members keep their order: the questions'.
type ordered []pair

type pair struct {
	name  string
	value any
}

func (o ordered) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, p := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(mustJSON(p.name))
		b.WriteByte(':')
		b.Write(mustJSON(p.value))
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
