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
	schema:  askUserSchema,
	decode:  decodeAskUser,
	encode:  encodeAskUser,
	reject:  func(err error) Reply { return askUserError("Error: "+err.Error(), err.Error(), "") },
	answer:  answerAny,
	guidance: Guidance{
		Description: "Ask the person for a decision through a short form of choices and texts, with what you recommend already selected. They can comment on anything and may send it with questions open, which means that they want to talk first.",
		Snippet:     "ask_user: get a decision from the person, with your recommendation and their comments",
		Guidelines: []string{
			"Use ask_user only where you are blocked on the person: not for what the repository or a test can tell you, and not to interview them.",
			"Ask one question where one will do, at most ten, all about the same decision.",
			"Use choice for a fixed set of options (yes and no are two options) and text for anything else.",
			"Set recommendation to what you would do; for one choice the first option counts as recommended.",
			"Put the material behind an option (a diff, a sketch, consequences) into its preview.",
			secretGuideline,
			"Keep one ask_user form open at a time.",
			"When the outcome is needs_discussion, answer the comments and settle the open questions before you act.",
		},
	},
}

// ErrInFlight refuses a second form of one session while its first is open; the
// bridge knows when.
var ErrInFlight = errors.New("another ask_user form is already in flight; wait for its answer before you ask again")

const (
	choiceType = "choice"
	textType   = "text"
)

func askUserSchema() *schema {
	return object(
		member{"title", most(120, words("A heading for the form."))},
		member{"intro", most(4000, words("Why you ask."))},
		member{"questions!", listOf(1, 10, object(
			member{"type!", oneOf("choice: options; text: free text.", choiceType, textType)},
			member{"id!", nonBlank("Names the answer in the result; unique in this form.")},
			member{"header!", most(60, nonBlank("A few words that name the question."))},
			member{"prompt!", most(4000, nonBlank("The question in full."))},
			member{"options", listOf(2, 12, object(
				member{"value!", nonBlank("What you get back; unique in this question.")},
				member{"label!", nonBlank("What the person sees.")},
				member{"description", words("What choosing this means.")},
				member{"preview", words("Longer material beside the options: text as it stands, line by line; fenced code is highlighted.")},
				member{"details", words("Another name of preview.")},
			))},
			member{"multi", yesNo("choice: several options may be chosen.", false)},
			member{"recommendation", &schema{Description: "What you recommend: an option's value (an array of them with multi), or a text to start from."}},
			member{"placeholder", most(200, words("text: shown while it is empty."))},
			secretMember(textType),
		))},
	)
}

// tidyAskUser trims every string and decodes escapes in those that are shown.
func tidyAskUser(doc map[string]any) {
	tidy(doc, "title", "intro")
	for _, q := range elements(node{v: doc["questions"]}) {
		question, _ := q.v.(map[string]any)
		tidy(question, "header", "prompt", "placeholder")
		if question["type"] == textType {
			tidy(question, "recommendation")
		}
		for _, o := range elements(q.field("options")) {
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
	for _, n := range append([]node{top}, elements(top.field("questions"))...) {
		old.field(n, "allowPartialSubmit", "is gone: every form may be sent with questions open, and its outcome is then needs_discussion")
		old.field(n, "required", "is gone: every question is required, and one left open makes the outcome needs_discussion")
		old.field(n, "initial", `is gone, use "recommendation"`)
		old.field(n, "allowOther", "is gone: the person can comment on every option and question; use a text question for an open answer")
	}
	old.report()
}

type askUserEcho struct {
	Title     string                `json:"title,omitempty"`
	Intro     string                `json:"intro,omitempty"`
	Questions []askUserQuestionEcho `json:"questions"`
}

type askUserQuestionEcho struct {
	Type               string          `json:"type"`
	ID                 string          `json:"id"`
	Header             string          `json:"header"`
	Prompt             string          `json:"prompt"`
	Options            []askUserOption `json:"options,omitempty"`
	Multi              *bool           `json:"multi,omitempty"`
	Recommendation     any             `json:"recommendation,omitempty"`
	RecommendedIndexes *[]int          `json:"recommendedIndexes,omitempty"` // 0-based
	Placeholder        string          `json:"placeholder,omitempty"`
	Secret             bool            `json:"secret,omitempty"`
}

type askUserOption struct {
	Value       string `json:"value"`
	Label       string `json:"label"`
	Description string `json:"description,omitempty"`
	Preview     string `json:"preview,omitempty"`
}

func decodeAskUser(top node) form.Form {
	echo := askUserEcho{Title: top.field("title").optionalText(), Intro: top.field("intro").optionalText()}
	f := form.Form{Title: echo.Title, Intro: echo.Intro, Review: true, Partial: true, Remarks: form.Comments}
	ids := unique{}
	for _, n := range top.field("questions").list() {
		e := askUserQuestionEcho{Type: n.field("type").text(), ID: n.field("id").text(), Header: n.field("header").text(), Prompt: n.field("prompt").text()}
		q := form.Question{ID: e.ID, Label: e.Header, Named: true, Prompt: e.Prompt, Options: []form.Option{}}
		ids.add(n.field("id"), e.ID)
		if e.Type == choiceType {
			decodeChoice(n, &q, &e)
		} else {
			decodeAskUserText(n, &q, &e)
		}
		e.Secret = decodeSecret(n, &q, textType, "recommendation")
		f.Questions = append(f.Questions, q)
		echo.Questions = append(echo.Questions, e)
	}
	f.Echo = mustJSON(echo)
	return f
}

func decodeAskUserText(n node, q *form.Question, e *askUserQuestionEcho) {
	q.Kind, q.Multiline, q.Open = form.Text, true, true
	e.Placeholder = n.field("placeholder").optionalText()
	q.Placeholder = e.Placeholder
	if r := n.field("recommendation"); r.given() {
		text := r.optionalText()
		e.Recommendation = text
		if q.Preset = text != ""; q.Preset {
			q.Initial = form.Type(text)
		}
	}
}

func decodeChoice(n node, q *form.Question, e *askUserQuestionEcho) {
	multi := n.field("multi").flag(false)
	e.Multi = &multi
	if q.Kind = form.One; multi {
		q.Kind = form.Many
	}
	if !n.field("options").given() {
		n.field("options").fail("expected an array of 2 to 12 options for type choice, got %s", n.field("options").kind())
		return
	}
	values := unique{}
	for _, o := range n.field("options").list() {
		option := askUserOption{o.field("value").text(), o.field("label").text(), o.field("description").optionalText(), o.field("preview").optionalText()}
		if option.Preview == "" {
			option.Preview = o.field("details").optionalText()
		}
		values.add(o.field("value"), option.Value)
		e.Options = append(e.Options, option)
		shown := form.Option{Value: option.Value, Label: option.Label, Description: option.Description}
		if option.Preview != "" {
			shown.Preview = &form.Preview{Content: option.Preview}
		}
		q.Options = append(q.Options, shown)
	}
	recommended := decodeRecommendation(n.field("recommendation"), q, e)
	e.RecommendedIndexes = &recommended
	q.Recommended, q.Initial, q.Preset = recommended, form.Choose(slices.Clone(recommended)...), len(recommended) > 0
}

// decodeRecommendation is the indexes of what is recommended, in the options'
// order: by default the first option of a single choice, none of a multiple one.
func decodeRecommendation(n node, q *form.Question, e *askUserQuestionEcho) []int {
	if !n.given() {
		if q.Kind == form.One {
			return []int{0}
		}
		return []int{}
	}
	e.Recommendation = n.v
	if q.Kind == form.One {
		i, ok := valueIndex(q, n, n.optionalText())
		if !ok {
			return []int{}
		}
		return []int{i}
	}
	indexes := []int{}
	for _, item := range n.list() {
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
