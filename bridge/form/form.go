// Package form is the canonical questionnaire: what every dialect decodes a
// request into, what the popup shows, and what a finished form says.
//
// It does no I/O. The rule that must hold
// here: a Form and a Result describe data only; how they look is the popup's
// business and how they read to a model is the dialect's.
package form

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/askpane/askpane/bridge/text"
)

// Version is the format version written into every file of a spool entry.
// A reader refuses a newer one and leaves the entry alone.
const Version = 1

// Kind says how a question is answered.
type Kind string

const (
	// One is answered by one option, or by typed text where Question.Other is set.
	One Kind = "one"
	// Many is answered by any number of options, and typed text besides where
	// Question.Other is set.
	Many Kind = "many"
	// Number is answered by a number from Min to Max.
	Number Kind = "number"
	// Text is answered by typed text.
	Text Kind = "text"
)

// Style says how the choices of a One or Many question are laid out.
type Style string

const (
	Rows     Style = ""        // one below the other, numbered
	Buttons  Style = "buttons" // in a row
	Dropdown Style = "select"  // one below the other, however few
)

// Remarks says which remarks beside the answers a dialect takes.
type Remarks string

const (
	NoRemarks Remarks = ""
	Notes     Remarks = "notes"    // one on each question
	Comments  Remarks = "comments" // on options, questions and the form
)

// Second is the Shape of a form.
const Second = "second"

// Form is a whole questionnaire.
type Form struct {
	Dialect string `json:"dialect"`
	// Shape is Second where the dialect has two request shapes and it was asked in the
	// other.
	Shape     string     `json:"shape,omitempty"`
	Title     string     `json:"title,omitempty"`
	Intro     string     `json:"intro,omitempty"`
	Questions []Question `json:"questions"`
	// Review: the form ends on a step that lists all answers and alone submits.
	Review bool `json:"review,omitempty"`
	// Partial: it may be submitted with questions open, and then ends as
	// NeedsDiscussion.
	Partial bool    `json:"partial,omitempty"`
	Remarks Remarks `json:"remarks,omitempty"`
	// Timeout is the request's own deadline, from when it was asked; 0 is none.
	Timeout time.Duration `json:"timeout,omitempty"`
	// Accent is the colour (#rrggbb) the dialect gives its form; empty is the theme's.
	Accent string `json:"accent,omitempty"`
	// NamesTool: the asking pane's title names the dialect, too.
	NamesTool bool `json:"namesTool,omitempty"`
	// Echo is the normalised request in the dialect's own shape. It is what
	// `askpane check` prints as value and what the result's details repeat.
	Echo json.RawMessage `json:"echo"`
}

// Question is one thing to be answered.
type Question struct {
	ID string `json:"id"`
	// Label is the short name for tabs and review; never empty.
	Label string `json:"label"`
	// Header is Label as the agent sent it, where it is shortened to be shown.
	Header string `json:"header,omitempty"`
	// Named is true where the agent chose Label, false where it was filled in.
	Named       bool     `json:"named,omitempty"`
	Prompt      string   `json:"prompt"`
	Description string   `json:"description,omitempty"`
	Kind        Kind     `json:"kind"`
	Style       Style    `json:"style,omitempty"`
	Options     []Option `json:"options"`
	// Other is the label of the synthetic last choice that opens a text entry;
	// empty where there is none. It is never one of Options.
	Other string `json:"other,omitempty"`
	// Optional: the form is complete without an answer to this one.
	Optional bool `json:"optional,omitempty"`
	// Initial is what the form starts with. Where Preset is set it counts as the
	// answer until the person says otherwise; else they have yet to confirm it.
	Initial Answer `json:"initial,omitzero"`
	Preset  bool   `json:"preset,omitempty"`
	// Recommended are the 0-based indexes of the options the agent recommends.
	Recommended []int `json:"recommended,omitempty"`
	// Min and Max bound a Number; nil is no bound.
	Min *float64 `json:"min,omitempty"`
	Max *float64 `json:"max,omitempty"`
	// Placeholder stands in an empty text entry; Multiline says that the text
	// may have several lines.
	Placeholder string `json:"placeholder,omitempty"`
	Multiline   bool   `json:"multiline,omitempty"`
	// Open: the entry of a Text is open as soon as the question is shown; else
	// it is opened first.
	Open bool `json:"open,omitempty"`
	// SelectRow: a Many has a last row that commits what is ticked.
	SelectRow bool `json:"selectRow,omitempty"`
	// Secret: what is typed (Text only, in one line) is masked, and kept in no
	// draft and no history.
	Secret bool `json:"secret,omitempty"`
	// Dangerous: with the setting dangerCheckEnabled the question is answered by
	// typing the name of what is at stake, and takes no default.
	Dangerous bool `json:"dangerous,omitempty"`
	// Expected is what is to be typed then, exactly; empty takes any text.
	Expected string `json:"expected,omitempty"`
}

// Option is a predefined choice. Value goes to the agent, Label to the person.
type Option struct {
	Value       string   `json:"value"`
	Label       string   `json:"label"`
	Emoji       string   `json:"emoji,omitempty"`
	Description string   `json:"description,omitempty"`
	Preview     *Preview `json:"preview,omitempty"`
}

// Preview is longer material beside an option. Type is markdown, code, text,
// mermaid, svg or html; empty where the agent names none.
type Preview struct {
	Type    string `json:"type"`
	Content string `json:"content"`
}

// Header is the few words that name the form in a title, a list or an alert:
// the form's title, else the first question's own label, else its prompt.
func (f *Form) Header() string {
	if f.Title != "" {
		return f.Title
	}
	if len(f.Questions) == 0 {
		return ""
	}
	q := f.Questions[0]
	if q.Named {
		return q.Label
	}
	return q.Prompt
}

// Outcome is how a form ended (docs/contracts.md, The envelope).
type Outcome string

const (
	Answered        Outcome = "answered"
	NeedsDiscussion Outcome = "needs_discussion"
	Cancelled       Outcome = "cancelled"
	Timeout         Outcome = "timeout"
	Unavailable     Outcome = "unavailable"
	Rejected        Outcome = "rejected"
	Aborted         Outcome = "aborted"
)

// Result is what answer.json holds: how the form ended, and with which answers.
type Result struct {
	Version int     `json:"version"`
	Outcome Outcome `json:"outcome"`
	// Answers has one element a question, in the form's order, when Outcome is
	// Answered or NeedsDiscussion; otherwise it is empty.
	Answers []Answer `json:"answers,omitempty"`
	// Comment is the person's remark on the whole form (Comments only).
	Comment string `json:"comment,omitempty"`
	// Reason is the person's word for declining, or why a form could not be shown.
	Reason string `json:"reason,omitempty"`
	// Dismissed: Outcome is Cancelled, and no call waited for that. It answers
	// nobody.
	Dismissed bool `json:"dismissed,omitempty"`
	// Waited is how long the form was open to answers, where Outcome is Timeout.
	Waited time.Duration `json:"waited,omitempty"`
	// By names the surface that ended the form: ByPopup and the like.
	By string    `json:"by"`
	At time.Time `json:"at"`
	// Machine is the other machine on which that was; empty is the one whose spool this
	// is in.
	Machine string `json:"machine,omitempty"`
	// Via is who that was, where the surface knows.
	Via *Via `json:"via,omitempty"`
}

// Via is a person in a chat.
type Via struct {
	Name string `json:"name"` // as they call themselves there: nothing can be told by it
	ID   string `json:"id"`   // the service's own for them
}

// The surfaces that can end a form.
const (
	ByPopup  = "popup"
	ByAnswer = "askpane answer"
	ByBridge = "bridge"
	ByInbox  = "inbox"
	ByPage   = "browser"
	// And the chats, by the names of their services: their results have a Via.
)

// Surface says through what the form ended, and on which other machine, after a word
// such as “answered”.
func (r Result) Surface() string {
	through := "by " + r.By
	switch {
	case r.By == ByPopup, r.By == ByInbox, r.By == ByPage:
		through = "in the " + r.By
	case r.Via != nil && r.By != "":
		through = "in " + strings.ToUpper(r.By[:1]) + r.By[1:] + " by " + text.Agent(r.Via.Name, 40)
	}
	if r.Machine != "" {
		through += " on " + r.Machine
	}
	return through
}

// Answer is what was said to one question. The zero value means nothing yet.
type Answer struct {
	// Choices are the 0-based indexes into Question.Options that are chosen, in
	// the options' order: at most one for One, any number for Many.
	Choices []int `json:"choices,omitempty"`
	// Text is what was typed: under Question.Other, for Text, or to confirm a
	// dangerous question; nil where nothing was.
	Text *string `json:"text,omitempty"`
	// Number is the answer to Number.
	Number *float64 `json:"number,omitempty"`
	// Empty: the person went on with nothing chosen or typed, which is an answer
	// where the question is Optional.
	Empty bool `json:"empty,omitempty"`
	// Withheld: Text was a Secret and has been taken out, since it was delivered.
	Withheld bool `json:"withheld,omitempty"`
	// Note is the remark on the question; OptionNotes those on options, by index.
	// Neither makes a question answered.
	Note        string         `json:"note,omitempty"`
	OptionNotes map[int]string `json:"optionNotes,omitempty"`
}

// Choose is the answer that picks the options i (0-based).
func Choose(i ...int) Answer { return Answer{Choices: i} }

// Type is the answer typed as text.
func Type(text string) Answer { return Answer{Text: &text} }

// Count is the answer that is a number.
func Count(n float64) Answer { return Answer{Number: &n} }

// Given reports whether the question has been answered.
func (a Answer) Given() bool {
	return len(a.Choices) > 0 || a.Text != nil || a.Number != nil || a.Empty || a.Withheld
}

// Said is a without its remarks.
func (a Answer) Said() Answer {
	a.Note, a.OptionNotes = "", nil
	return a
}

// Guarded reports whether an answer to f may go to no call but the one that the
// person gave it to: a question of it is dangerous or secret.
func (f *Form) Guarded() bool {
	return slices.ContainsFunc(f.Questions, func(q Question) bool { return q.Dangerous || q.Secret })
}

// Secrets reports whether any of the questions is a secret one.
func (f *Form) Secrets() bool {
	return slices.ContainsFunc(f.Questions, func(q Question) bool { return q.Secret })
}

// Withhold is answers to f without what was typed as a secret.
func (f *Form) Withhold(answers []Answer) []Answer {
	without := slices.Clone(answers)
	for i := range without {
		if i < len(f.Questions) && f.Questions[i].Secret && without[i].Text != nil {
			without[i].Text, without[i].Withheld = nil, true
		}
	}
	return without
}

// Option finds the option that text names: by value first, then by label.
func (q *Question) Option(text string) (int, bool) {
	i := slices.IndexFunc(q.Options, func(o Option) bool { return o.Value == text })
	if i < 0 {
		i = slices.IndexFunc(q.Options, func(o Option) bool { return o.Label == text })
	}
	return i, i >= 0
}

// masked stands for a secret, whose length is then not told.
const masked = "•••"

// Hidden is what of a text that was typed may be shown: all of it, if it is no secret.
func (q *Question) Hidden(text string) string {
	if q.Secret && text != "" {
		return masked
	}
	return text
}

// Say is an answer to q in words, as the review, the history and askpane show
// say it; empty where nothing was said. It is the one place where an answer
// becomes a text for a person's eyes, unsafe to draw until Visible has seen it.
// sign stands before what was typed, and label changes the labels of options; it
// may be nil. A secret is masked.
func (q *Question) Say(a Answer, sign string, label func(string) string) string {
	if label == nil {
		label = func(text string) string { return text }
	}
	var parts []string
	for _, c := range a.Choices {
		if c >= 0 && c < len(q.Options) {
			parts = append(parts, label(q.Options[c].Label))
		}
	}
	switch {
	case a.Text != nil:
		parts = append(parts, sign+q.Hidden(*a.Text))
	case a.Withheld:
		parts = append(parts, sign+masked)
	}
	if a.Number != nil {
		parts = append(parts, strconv.FormatFloat(*a.Number, 'f', -1, 64))
	}
	if a.Empty {
		parts = append(parts, "left empty")
	}
	return strings.Join(parts, ", ")
}
