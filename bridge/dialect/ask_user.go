package dialect

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/askpane/askpane/bridge/form"
)

// askUser asks for choices and texts, with recommendations, comments and a review
// (docs/contracts.md).
var askUser = Dialect{
	Name:       "ask_user",
	OneAtATime: true,
	fits: func(top map[string]any) bool {
		return anyQuestion(top, func(q node) bool {
			t := q.field("type").v
			return (t == "choice" || t == "text") && q.field("header").given() && !q.field("question").given()
		})
	},
	prepare: tidyAskUser,
	early:   withdrawnAskUser,
	decode:  decodeAskUser,
	encode:  encodeAskUser,
	reject:  func(err error) Reply { return askUserError("Error: "+err.Error(), err.Error(), "") },
	answer:  answerAny,
}

// ErrInFlight refuses a second form of one session while its first is open; the
// bridge knows when.
var ErrInFlight = errors.New("another ask_user form is already in flight; wait for its answer before you ask again")

const (
	choiceType = "choice"
	textType   = "text"
)

// tidyAskUser trims every string and decodes escapes in those that are shown.
func tidyAskUser(doc map[string]any) {
	tidy(doc, "title", "intro")
	for _, q := range (node{v: doc}).field("questions").list() {
		question, _ := q.v.(map[string]any)
		tidy(question, "header", "prompt", "placeholder")
		if question["type"] == textType {
			tidy(question, "recommendation")
		}
		for _, o := range q.field("options").list() {
			option, _ := o.v.(map[string]any)
			tidy(option, "label", "description", "preview", "details")
		}
	}
}

// tidy trims the strings in m, and decodes escapes in the named ones.
func tidy(m map[string]any, shown ...string) {
	for name, v := range m {
		switch v := v.(type) {
		case string:
			if slices.Contains(shown, name) {
				v = unescape(v)
			}
			m[name] = strings.TrimSpace(v)
		case []any:
			for i, item := range v {
				if s, ok := item.(string); ok {
					v[i] = strings.TrimSpace(s)
				}
			}
		}
	}
}

// unescape decodes \u00e9 where a model escaped twice. Letters, digits and the
// backslash are never escaped for need and stay as they are: decoding those
// could make up an escape that was not there.
func unescape(s string) string {
	if !strings.Contains(s, `\u`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := escapeAt(s[i:])
		if n == 0 {
			b.WriteByte(s[i])
			i++
			continue
		}
		b.WriteRune(r)
		i += n
	}
	return b.String()
}

// escapeAt is the rune of the escape that s starts with, and its length there,
// which is 0 where there is none.
func escapeAt(s string) (rune, int) {
	unit := func(s string) (rune, bool) {
		if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
			return 0, false
		}
		v, err := strconv.ParseUint(s[2:6], 16, 16)
		return rune(v), err == nil
	}
	r, ok := unit(s)
	switch {
	case !ok, r == '\\', r >= '0' && r <= '9', r >= 'A' && r <= 'Z', r >= 'a' && r <= 'z':
		return 0, 0
	case !utf16.IsSurrogate(r):
		return r, 6
	}
	low, ok := unit(s[6:])
	if whole := utf16.DecodeRune(r, low); ok && whole != '\uFFFD' {
		return whole, 12
	}
	return 0, 0
}

func withdrawnAskUser(top node) {
	var old withdrawals
	for _, n := range append([]node{top}, top.field("questions").list()...) {
		old.field(n, "allowPartialSubmit", "is gone: every form may be sent with questions open, and its outcome is then needs_discussion")
		old.field(n, "required", "is gone: every question is required, and one left open makes the outcome needs_discussion")
		old.field(n, "initial", `is gone, use "recommendation"`)
		old.field(n, "allowOther", "is gone: the person can comment on every option and question; use a text question for an open answer")
	}
	old.report()
}

func decodeAskUser(top node) form.Form {
	f := form.Form{Title: top.string("title"), Intro: top.string("intro"), Review: true, Partial: true, Remarks: form.Comments}
	ids := unique{}
	var echoes []object
	for _, n := range top.field("questions").list() {
		ids.add(n.field("id"))
		q, echo := decodeAskUserQuestion(n)
		f.Questions = append(f.Questions, q)
		echoes = append(echoes, echo)
	}
	f.Echo = mustJSON(object{{"title", some(f.Title)}, {"intro", some(f.Intro)}, {"questions", echoes}})
	return f
}

func decodeAskUserQuestion(n node) (form.Question, object) {
	q := form.Question{ID: n.string("id"), Label: n.string("header"), Named: true, Prompt: n.string("prompt"), Options: []form.Option{}}
	var options, multi, recommended any = absent{}, absent{}, absent{}
	if n.string("type") == choiceType {
		decodeChoice(n, &q)
		options, multi, recommended = echoOptions(q.Options, true), q.Kind == form.Many, q.Recommended
	} else {
		decodeAskUserText(n, &q)
	}
	decodeSecret(n, &q, textType, "recommendation")
	return q, object{{"type", n.string("type")}, {"id", q.ID}, {"header", q.Label}, {"prompt", q.Prompt}, {"options", options}, {"multi", multi},
		{"recommendation", n.field("recommendation").orAbsent()}, {"recommendedIndexes", recommended},
		{"placeholder", some(q.Placeholder)}, {"secret", some(q.Secret)}}
}

func decodeAskUserText(n node, q *form.Question) {
	q.Kind, q.Multiline, q.Open, q.Placeholder = form.Text, true, true, n.string("placeholder")
	text := n.field("recommendation").optionalText()
	if q.Preset = text != ""; q.Preset {
		q.Initial = form.Type(text)
	}
}

func decodeChoice(n node, q *form.Question) {
	if q.Kind = form.One; n.flag("multi", false) {
		q.Kind = form.Many
	}
	if !n.field("options").given() {
		n.field("options").fail("expected an array of 2 to 12 options for type choice, got %s", n.field("options").kind())
		return
	}
	q.Options = n.options()
	values := unique{}
	for i, o := range n.field("options").list() {
		values.add(o.field("value"))
		if details := o.string("details"); q.Options[i].Preview == nil && details != "" {
			q.Options[i].Preview = &form.Preview{Content: details}
		}
	}
	q.Recommended = decodeRecommendation(n.field("recommendation"), q)
	q.Initial, q.Preset = form.Choose(slices.Clone(q.Recommended)...), len(q.Recommended) > 0
}

// decodeRecommendation is the indexes of what is recommended, in the options'
// order: by default the first option of a single choice, none of a multiple one.
func decodeRecommendation(n node, q *form.Question) []int {
	indexes := []int{}
	switch {
	case !n.given() && q.Kind == form.One:
		return []int{0}
	case !n.given():
		return indexes
	case q.Kind == form.One:
		if i, ok := valueIndex(q, n, n.optionalText()); ok {
			indexes = append(indexes, i)
		}
		return indexes
	}
	for _, item := range n.array() {
		value := item.optionalText()
		i, ok := valueIndex(q, item, value)
		switch {
		case !ok:
		case slices.Contains(indexes, i):
			item.fail("duplicate recommendation %q", value)
		default:
			indexes = append(indexes, i)
		}
	}
	slices.Sort(indexes)
	return indexes
}
