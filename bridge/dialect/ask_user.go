package dialect

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/askpane/askpane/bridge/form"
)

// askUser asks for choices and texts, with recommendations, comments and a review
// (docs/contracts.md).
var askUser = Dialect{
	Name:       "ask_user",
	OneAtATime: true,
	fits: func(top node) bool {
		return top.anyQuestion(func(q node) bool {
			t := q.string("type")
			return (t == choiceType || t == textType) && q.field("header").given() && !q.field("question").given()
		})
	},
	early:       withdrawnAskUser,
	remarks:     form.Comments,
	decode:      decodeAskUser,
	cancelled:   interactionCancelled,
	cancelFails: true,
	encode:      encodeAskUser,
	rejected:    func(err error) object { return askUserError(err.Error(), "") },
}

// ErrInFlight refuses a second form of one session while its first is open; the
// bridge knows when.
var ErrInFlight = errors.New("another ask_user form is already in flight; wait for its answer before you ask again")

const (
	choiceType = "choice"
	textType   = "text"
)

// shown lists the members whose strings the person reads; a recommendation is one where it
// is a text.
var shown = []string{"title", "intro", "header", "prompt", "placeholder", "label", "description", "preview", "details"}

// tidied trims every string in v, and decodes escapes in those that are shown.
func tidied(v any) any {
	switch v := v.(type) {
	case string:
		return strings.TrimSpace(v)
	case []any:
		for i, item := range v {
			v[i] = tidied(item)
		}
	case map[string]any:
		isText := tidied(v["type"]) == textType
		for name, member := range v {
			if s, ok := member.(string); ok && (slices.Contains(shown, name) || name == "recommendation" && isText) {
				member = unescape(s)
			}
			v[name] = tidied(member)
		}
	}
	return v
}

// unescape decodes \u00e9 where a model escaped twice. Letters, digits and the
// backslash are never escaped for need and stay as they are: decoding those
// could make up an escape that was not there.
func unescape(s string) string {
	if !strings.Contains(s, `\u`) {
		return s
	}
	return escapes().ReplaceAllStringFunc(s, func(escape string) string {
		var decoded string
		_ = json.Unmarshal([]byte(`"`+escape+`"`), &decoded) // half of a pair alone reads as U+FFFD
		r, _ := utf8.DecodeRuneInString(decoded)
		if needless := r == '\\' || r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)); needless ||
			r == utf8.RuneError && !strings.EqualFold(escape, `\ufffd`) {
			return escape
		}
		return decoded
	})
}

// escapes matches \u and four digits, and pairs of them that make one character.
var escapes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\\u[dD][89abAB][[:xdigit:]]{2}\\u[dD][c-fC-F][[:xdigit:]]{2}|\\u[[:xdigit:]]{4}`)
})

func withdrawnAskUser(top node) {
	tidied(top.v)
	for _, n := range append([]node{top}, top.field("questions").list()...) {
		if n.string("type") == textType { // it has no choices, and some models send an empty list
			n.drop("options")
		}
		n.gone("allowPartialSubmit", "is gone: every form may be sent with questions open, and its outcome is then needs_discussion")
		n.gone("required", "is gone: every question is required, and one left open makes the outcome needs_discussion")
		n.gone("initial", `is gone, use "recommendation"`)
		n.gone("allowOther", "is gone: the person can comment on every option and question; use a text question for an open answer")
	}
}

func decodeAskUser(top node, f *form.Form) {
	f.Review, f.Partial = true, true
	for i, n := range top.field("questions").list() {
		q := &f.Questions[i]
		if q.Open = q.Kind == form.Text; q.Open {
			n.drop("multi")
			n.starts("recommendation", q, true)
			continue
		}
		n.drop("placeholder")
		q.Placeholder = ""
		decodeChoice(n, q)
	}
}

func decodeChoice(n node, q *form.Question) {
	if !n.field("options").given() {
		n.field("options").fail("expected an array of 2 to 12 options for type choice, got %s", n.field("options").kind())
		return
	}
	n.distinct("options", "value")
	n.starts("recommendation", q, true)
	if !n.field("recommendation").given() && q.Kind == form.One { // of several none is recommended by default
		q.Initial, q.Preset = form.Choose(0), true
	}
	q.Recommended = append([]int{}, q.Initial.Choices...)
	n.set("recommendedIndexes", q.Recommended)
}

const interactionCancelled = "The user interaction was cancelled."

func askUserError(message, reason string) object {
	return object{{"kind", "error"}, {"message", message}, {"reason", some(reason)}}
}

func encodeAskUser(f *form.Form, r form.Result, _ Context) (text string, details object) {
	switch r.Outcome {
	case form.Answered, form.NeedsDiscussion:
	case form.Aborted:
		return interactionCancelled, askUserError(interactionCancelled, "")
	default:
		text = unanswered(interactionCancelled, f, r)
		return text, askUserError(strings.TrimPrefix(text, "Error: "), r.Reason)
	}
	outcome, comment := "submitted", strings.TrimSpace(r.Comment)
	responses := []object{}
	var head, lines, open []string
	for i, a := range r.Answers {
		q := &f.Questions[i]
		if !a.Given() {
			open = append(open, q.Label)
		}
		response, said := respond(q, a)
		responses = append(responses, response)
		lines = append(lines, said...)
	}
	if r.Outcome == form.NeedsDiscussion {
		outcome = string(form.NeedsDiscussion)
		head = append(head, "User needs discussion before a complete decision.", "Unanswered: "+joined(open))
	}
	if comment != "" {
		head = append(head, "Form comment: "+comment)
	}
	return limited(strings.Join(append(head, lines...), "\n")), object{{"title", some(f.Title)}, {"intro", some(f.Intro)},
		{"questions", echoed(f)}, {"outcome", outcome}, {"comment", some(comment)}, {"responses", responses}}
}

// respond writes one answer for the details, and the lines that the model reads of it.
func respond(q *form.Question, a form.Answer) (response object, lines []string) {
	comment := strings.TrimSpace(a.Note)
	options, said, remarks := touched(q, a)
	answer := object{{"kind", choiceType}, {"answered", a.Given()}, {"options", options}}
	if q.Kind == form.Text {
		answer = object{{"kind", textType}, {"answered", a.Given()}, {"value", some(a.Text)}}
		said = chosen(q, a, optionLabel, "")
	}
	if len(said) > 0 {
		lines = append(lines, fmt.Sprintf("%s: %s", q.Label, strings.Join(said, "; ")))
	}
	if comment != "" {
		lines = append(lines, fmt.Sprintf("%s question comment: %s", q.Label, comment))
	}
	return object{{"questionId", q.ID}, {"questionComment", some(comment)}, {"answer", answer}}, append(lines, remarks...)
}

// touched lists the options that were selected or commented on, what the model
// reads of the selected ones, and its lines for comments on the others.
func touched(q *form.Question, a form.Answer) (options []object, selected, unselected []string) {
	options = []object{}
	for i, o := range q.Options {
		chosen, comment := slices.Contains(a.Choices, i), strings.TrimSpace(a.OptionNotes[i])
		if !chosen && comment == "" {
			continue
		}
		options = append(options, object{{"value", o.Value}, {"label", o.Label}, {"selected", chosen}, {"comment", some(comment)}})
		switch {
		case !chosen:
			unselected = append(unselected, fmt.Sprintf("%s option comment (%s): %s", q.Label, o.Label, comment))
		case comment != "":
			selected = append(selected, fmt.Sprintf("%s (comment: %s)", o.Label, comment))
		default:
			selected = append(selected, o.Label)
		}
	}
	return options, selected, unselected
}

// The limits of the text of ask_user; the notice that closes a longer one
// counts towards them.
const (
	maxLines     = 2000
	maxTextBytes = 50 << 10
	truncated    = "[Output truncated: this is not all that the person said; ask a focused follow-up question for the rest.]"
)

// limited cuts a text at the end of a line, or within one that would take half
// of what fits with it.
func limited(text string) string {
	if len(text) <= maxTextBytes && strings.Count(text, "\n") < maxLines {
		return text
	}
	lines := strings.SplitN(text, "\n", maxLines)
	kept, room := strings.Join(lines[:min(len(lines), maxLines-1)], "\n"), maxTextBytes-len(truncated)-1
	if len(kept) > room {
		kept = strings.ToValidUTF8(kept[:room], "") // without a part of a sign
		if end := strings.LastIndexByte(kept, '\n'); end >= room/2 {
			kept = kept[:end]
		}
	}
	return kept + "\n" + truncated
}
