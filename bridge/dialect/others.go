package dialect

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/askpane/askpane/bridge/form"
)

// others lists the question tools of single agents, whose shapes are taken where --dialect
// names them or none of the published dialects understands the request. Each member that
// one of them understands stands in its schema; any other is refused. Their results are in
// the shape, and have the keys, that the agent itself gives its model.
var others = []*Dialect{&opencode, &codex, &gemini, &copilot}

// refused lists tools whose shapes are known and whose answers are not.
var refused = []struct {
	name string
	fits func(top node) bool
}{
	{"cursor/ask_question of Cursor", func(top node) bool {
		return top.anyQuestion(func(q node) bool {
			return q.has("prompt") && !q.has("type") && q.anyOption(func(o node) bool { return o.has("id") && !o.has("value") })
		})
	}},
	{"vscode_askQuestions of VS Code", func(top node) bool {
		return top.anyQuestion(func(q node) bool {
			recommends := q.anyOption(func(o node) bool { return o.has("recommended") })
			return q.has("question") && !q.has("type") && (q.has("allowFreeformInput") || recommends)
		})
	}},
	{"ask_followup_question of Kilo", func(top node) bool { return top.has("question") && top.has("follow_up") }},
	{"ask_followup_question of Cline", func(top node) bool {
		words := top.anyOption(func(o node) bool { return o.kind() == "a string" })
		return words && top.has("question") && !top.has("questions", "prompt")
	}},
	{"the question tool of Crush", func(top node) bool {
		return top.anyQuestion(func(q node) bool {
			return slices.Contains([]string{"yes_no", "single_choice", "multi_choice"}, q.string("type"))
		})
	}},
}

// detectOther finds the tool whose shape a request has, and is otherwise the dialect given;
// nil is none.
func detectOther(top node, otherwise *Dialect) (*Dialect, error) {
	for _, tool := range refused {
		if tool.fits(top) {
			return nil, fmt.Errorf("the request has the shape of %s, and which answer that takes is not known; ask in one of the dialects (%s)", tool.name, joined(Names()))
		}
	}
	for _, d := range others {
		if d.fits(top) {
			return d, nil
		}
	}
	if otherwise != nil {
		return otherwise, nil
	}
	return nil, fmt.Errorf("the request has the shape of none of the dialects (%s): "+
		"expected a list `questions`, or a `prompt` with `options`", joined(Names()))
}

// has reports whether one of these members is given.
func (n node) has(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return n.field(name).given() })
}

func (n node) anyOption(fits func(o node) bool) bool {
	return slices.ContainsFunc(n.field("options").list(), fits)
}

// everyQuestion reports whether there are questions, and all of them fit.
func (n node) everyQuestion(fits func(q node) bool) bool {
	return n.anyQuestion(fits) && !n.anyQuestion(func(q node) bool { return !fits(q) })
}

// Parts of the schemas: a tool asks a list of questions, each with the members between start
// and middle. What is between middle and end is sent beside them, and means nothing here.
const (
	start     = `{"type": "object", "properties": {"questions": {"type": "array", "items": {"type": "object", "properties": {`
	middle    = `, "additionalProperties": false}, "minItems": 1}`
	end       = `}, "required": ["questions"], "additionalProperties": false}`
	someText  = `{"type": "string", "pattern": "\\S"}`
	texts     = `{"type": "array", "items": ` + someText + `}`
	described = `{"type": "array", "items": {"type": "object", "properties": {"label": ` + someText + `, "description": {"type": "string"}}, "required": ["label"], "additionalProperties": false}}`
)

// opencode is its tool question: the labels of each question are in a list.
var opencode = Dialect{
	Name:   "opencode",
	noTool: true,
	fits: func(top node) bool {
		named := func(q node) bool { return q.has("header", "id") }
		changed := func(q node) bool { return q.flag("multiple") || q.field("custom").v == false }
		return (!top.anyQuestion(named) || top.anyQuestion(changed)) && top.everyQuestion(func(q node) bool { return q.has("question") && !q.has("type", "prompt", "multiSelect") })
	},
	schema: start + `"question": ` + someText + `, "header": {"type": "string"}, "options": ` + described + `, "multiple": {"type": "boolean"}, "custom": {"type": "boolean"}}, "required": ["question", "options"]` +
		middle + `, "id": {}, "sessionID": {}, "tool": {}` + end,
	remarks: form.Notes,
	decode: func(top node, f *form.Form) {
		for i, n := range top.field("questions").list() {
			q := &f.Questions[i]
			if n.flag("multiple") {
				q.Kind = form.Many
			}
			q.ID = fmt.Sprintf("q%d", i+1)
			n.chooses("options", q, n.field("custom").v != false)
		}
	},
	cancelled: "The user dismissed this question",
	encode: func(f *form.Form, r form.Result, _ Context) (text string, details object) {
		answers, lines := marks{note: "note: "}.said(f, r), []string{}
		for i, said := range answers {
			lines = append(lines, `"`+f.Questions[i].Prompt+`"="`+joined(said)+`"`)
		}
		if r.Outcome == form.Answered {
			text = "User has answered your questions: " + joined(lines) + ". You can now continue with the user's answers in mind."
		}
		return text, object{{"answers", some(answers)}, {"reason", some(r.Reason)}}
	},
	byPrompt: true,
}

// chooses finishes a question with the options in the named member, texts or objects with a
// label. Without any it takes a text; other says whether it takes other words besides.
func (n node) chooses(name string, q *form.Question, other bool) {
	labels := unique{}
	q.Options = []form.Option{}
	for _, o := range n.field(name).list() {
		label := o.field("label")
		if _, isText := o.v.(string); isText {
			label = o
		}
		labels.add(label)
		text := label.optionalText()
		q.Options = append(q.Options, form.Option{Value: text, Label: text, Description: o.string("description")})
	}
	switch {
	case len(q.Options) > 0 && other:
		q.Other = somethingElse
	case len(q.Options) == 0 && other:
		q.Kind, q.Open, q.Multiline = form.Text, true, true
	case len(q.Options) == 0:
		n.field(name).fail("expected at least one, since no other words may be given")
	}
}

// marks stand before words: what was typed, a note, and why the person declined.
type marks struct{ typed, note, declined string }

// said lists for each question the labels that were chosen, and the words; where the person
// declined with a reason, that. Otherwise it is nil.
func (m marks) said(f *form.Form, r form.Result) (all [][]string) {
	for i := range f.Questions {
		switch {
		case r.Outcome == form.Answered:
			q, a := &f.Questions[i], r.Answers[i]
			said := chosen(q, a, optionLabel, m.typed)
			if note := strings.TrimSpace(a.Note); note != "" {
				said = append(said, m.note+note)
			}
			all = append(all, said)
		case r.Outcome == form.Cancelled && r.Reason != "":
			all = append(all, []string{m.declined + "not chosen: " + r.Reason})
		}
	}
	return all
}

// codex is its tool request_user_input; codexAsync is request_user_input_async.
var (
	codex = Dialect{
		Name:   "codex",
		noTool: true,
		fits: func(top node) bool {
			changed := func(q node) bool {
				return !q.has("options") || q.field("isOther").v == false || q.flag("isSecret")
			}
			headed := func(q node) bool { return q.has("header") }
			return isCodexAsync(top) || (!top.anyQuestion(headed) || top.anyQuestion(changed)) &&
				top.everyQuestion(func(q node) bool { return q.has("id") && q.has("question") && !q.has("type", "prompt", "multiSelect") })
		},
		shape: func(top node) *Dialect {
			if isCodexAsync(top) {
				return &codexAsync
			}
			return nil
		},
		schema: start + `"id": ` + someText + `, "header": {"type": "string"}, "question": ` + someText + `, "isOther": {"type": "boolean"}, "isSecret": {"type": "boolean"}, "options": ` + described +
			`}, "required": ["id", "question"]` + middle + `, "threadId": {}, "turnId": {}, "itemId": {}, "isBlocking": {}, "autoResolutionMs": {}` + end,
		remarks: form.Notes,
		decode: func(top node, f *form.Form) {
			for i, n := range top.field("questions").list() {
				if n.flag("isSecret") {
					n.field("isSecret").fail("Codex shows secrets and sends them in clear; answer this one in Codex")
				}
				n.chooses("options", &f.Questions[i], n.field("isOther").v != false || !n.has("options"))
			}
		},
		cancelled: "User cancelled",
		encode:    encodeCodex,
		byPrompt:  true,
	}
	codexAsync = Dialect{
		Name:    "codex",
		noTool:  true,
		schema:  start + `"title": ` + someText + `, "options": ` + texts + `}, "required": ["title"]` + middle + `, "type": {}, "id": {}, "text": {}, "phase": {}, "delivery": {}` + end,
		remarks: form.Notes,
		decode: func(top node, f *form.Form) {
			for i, n := range top.field("questions").list() {
				q := &f.Questions[i]
				q.ID, q.Prompt = fmt.Sprintf("q%d", i+1), n.string("title")
				n.chooses("options", q, true)
			}
		},
		cancelled: "User cancelled",
		encode:    encodeCodexAsync,
		byPrompt:  true,
	}
)

func isCodexAsync(top node) bool {
	return top.everyQuestion(func(q node) bool { return q.has("title") && !q.has("question", "prompt", "type", "id") })
}

// userNote stands before words that are no option, as Codex's own picker sends them.
const userNote = "user_note: "

func encodeCodex(f *form.Form, r form.Result, _ Context) (text string, details object) {
	answers, lines := object{}, []string{}
	for i, said := range (marks{userNote, userNote, userNote}).said(f, r) {
		q := &f.Questions[i]
		if r.Outcome == form.Answered && r.Answers[i].Text != nil && len(q.Options) > 0 {
			said = append([]string{"None of the above"}, said...)
		}
		answers = append(answers, member{q.ID, object{{"answers", said}}})
		lines = append(lines, q.ID+": "+joined(said))
	}
	return strings.Join(lines, "\n"), object{{"answers", answers}, {"reason", some(r.Reason)}}
}

// encodeCodexAsync returns as text the message that Codex's own picker sends in the person's
// name: the model gets it, byte for byte.
func encodeCodexAsync(f *form.Form, r form.Result, _ Context) (text string, details object) {
	echo, _ := parse(f.Echo)
	item, answers := node{v: echo}.string("id"), []object{}
	for i, said := range (marks{note: userNote}).said(f, r) {
		var asked any = absent{}
		if item != "" {
			asked = string(mustJSON([]any{"request_user_input_async", item, i}))
		}
		answers = append(answers, object{{"answer", strings.Join(said, "\n")}, {"question", f.Questions[i].Prompt}, {"questionItemId", asked}})
	}
	if len(answers) > 0 {
		text = "<send_user_message_question_reply>\n" + string(mustJSON(answers)) + "\n</send_user_message_question_reply>"
	}
	return text, object{{"answers", answers}, {"reason", some(r.Reason)}}
}

// gemini is the tool ask_user of Gemini CLI.
var gemini = Dialect{
	Name:   "gemini",
	noTool: true,
	fits: func(top node) bool {
		return top.everyQuestion(func(q node) bool {
			return q.has("question") && slices.Contains([]string{choiceType, textType, yesNoType}, q.string("type"))
		})
	},
	schema: start + `"question": ` + someText + `, "header": {"type": "string"}, "type": {"type": "string", "enum": ["choice", "text", "yesno"]}, "options": ` + described +
		`, "multiSelect": {"type": "boolean"}, "placeholder": {"type": "string"}}, "required": ["question", "type"]` + middle + end,
	decode: func(top node, f *form.Form) {
		for i, n := range top.field("questions").list() {
			q := &f.Questions[i]
			q.ID = fmt.Sprintf("q%d", i+1)
			switch n.string("type") {
			case yesNoType:
				q.Kind, q.Options = form.One, []form.Option{{Value: "Yes", Label: "Yes"}, {Value: "No", Label: "No"}}
			case textType:
				q.Open = true
			case choiceType:
				if len(n.field("options").list()) == 0 {
					n.field("options").fail("expected at least one for type %s", choiceType)
				}
				n.chooses("options", q, true)
			}
		}
	},
	cancelled: "User dismissed ask_user dialog without answering.",
	encode: func(f *form.Form, r form.Result, _ Context) (text string, details object) {
		answers := object{}
		for i, a := range r.Answers {
			answers = append(answers, member{strconv.Itoa(i), some(joined(chosen(&f.Questions[i], a, optionLabel, "")))})
		}
		details = object{{"answers", answers}}
		if r.Outcome == form.Answered {
			text = string(mustJSON(details))
		}
		return text, append(details, member{"reason", some(r.Reason)})
	},
	byPrompt: true,
}

const yesNoType = "yesno"

// copilot is the tool ask_user of Copilot CLI and its SDK. The CLI asks by a form, too, which
// is an elicitation.
var copilot = Dialect{
	Name:   "copilot",
	noTool: true,
	fits: func(top node) bool {
		return top.has("question") && !top.has("questions", "prompt", "options", "follow_up", "requestedSchema")
	},
	shape: func(top node) *Dialect {
		if top.has("requestedSchema") {
			return &elicitation
		}
		return nil
	},
	schema: `{"type": "object", "properties": {"question": ` + someText + `, "choices": ` + texts + `, "allowFreeform": {"type": "boolean"}, "sessionId": {}, "toolCallId": {}},
 "required": ["question"], "additionalProperties": false}`,
	decode: func(top node, f *form.Form) {
		q := top.question(0)
		q.ID = "q1"
		top.chooses("choices", &q, top.field("allowFreeform").v != false)
		f.Questions = []form.Question{q}
	},
	cancelled: "User cancelled",
	encode: func(f *form.Form, r form.Result, _ Context) (text string, details object) {
		if r.Outcome != form.Answered {
			return "", object{{"reason", some(r.Reason)}}
		}
		answer := chosen(&f.Questions[0], r.Answers[0], optionLabel, "")[0]
		return "User answered: " + answer, object{{"answer", answer}, {"wasFreeform", r.Answers[0].Text != nil}}
	},
}
