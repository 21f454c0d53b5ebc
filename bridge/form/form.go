// Package form describes a questionnaire, into which every dialect decodes its
// requests, and how one ended.
//
// It does no I/O. The rule that must hold here: a Form and a Result are data only; a
// surface decides how they look and a dialect how they read to a model.
package form

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/askpane/askpane/bridge/text"
)

// Version of the format is written into every file of a spool entry. A reader refuses
// a newer one and leaves the entry alone.
const Version = 1

// Kind says how a question is answered.
type Kind string

const (
	One    Kind = "one"    // by one option, or by typed text where Question.Other is set
	Many   Kind = "many"   // by any number of options, and typed text besides where Other is set
	Number Kind = "number" // by a number from Min to Max
	Text   Kind = "text"   // by typed text
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

// Form.Shape is one of these, or empty.
const (
	Second    = "second" // the dialect has two request shapes, and the other was used
	UsualKeys = "own"    // none of those that the dialect has published
)

type Form struct {
	Dialect   string     `json:"dialect"`
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
	// Timeout counts from when it was asked; 0 sets no deadline.
	Timeout time.Duration `json:"timeout,omitempty"`
	// Accent (#rrggbb) replaces the theme's where the dialect has a colour.
	Accent string `json:"accent,omitempty"`
	// NamesTool: the asking pane's title names the dialect, too.
	NamesTool bool `json:"namesTool,omitempty"`
	// Echo keeps the normalised request in the dialect's own shape, which `askpane
	// check` prints as value and the result's details repeat.
	Echo json.RawMessage `json:"echo"`
}

type Question struct {
	ID string `json:"id"`
	// Label names the question in tabs and review; never empty.
	Label string `json:"label"`
	// Header keeps Label as the agent sent it, where it is shortened to be shown.
	Header string `json:"header,omitempty"`
	// Named is true where the agent chose Label, false where it was filled in.
	Named       bool     `json:"named,omitempty"`
	Prompt      string   `json:"prompt"`
	Description string   `json:"description,omitempty"`
	Kind        Kind     `json:"kind"`
	Style       Style    `json:"style,omitempty"`
	Options     []Option `json:"options"`
	// Other labels the last choice, which opens a text entry and is never one of
	// Options; empty where there is none.
	Other string `json:"other,omitempty"`
	// Optional: the form is complete without an answer to this one.
	Optional bool `json:"optional,omitempty"`
	// Initial stands there at the start. Where Preset is set it counts as the answer
	// until the person says otherwise; else they have yet to confirm it.
	Initial Answer `json:"initial,omitzero"`
	Preset  bool   `json:"preset,omitempty"`
	// Recommended has the 0-based indexes of the options the agent recommends.
	Recommended []int `json:"recommended,omitempty"`
	// Min and Max bound a Number; nil is no bound.
	Min *float64 `json:"min,omitempty"`
	Max *float64 `json:"max,omitempty"`
	// Rules has what an answer must keep besides; nil is nothing.
	Rules *Rules `json:"rules,omitempty"`
	// Placeholder stands in an empty text entry; Multiline says that the text
	// may have several lines.
	Placeholder string `json:"placeholder,omitempty"`
	Multiline   bool   `json:"multiline,omitempty"`
	// Open: the entry of a Text is open as soon as the question is shown.
	Open bool `json:"open,omitempty"`
	// SelectRow: a Many has a last row that commits what is ticked.
	SelectRow bool `json:"selectRow,omitempty"`
	// Secret: what is typed (Text only, in one line) is masked, and kept in no
	// draft and no history.
	Secret bool `json:"secret,omitempty"`
	// Dangerous: with the setting dangerCheckEnabled the question is answered by
	// typing the name of what is at stake, and takes no default.
	Dangerous bool `json:"dangerous,omitempty"`
	// Expected has to be typed then, exactly; empty takes any text.
	Expected string `json:"expected,omitempty"`
	// Subject says what the question asks to allow; nil where it asks for no permission.
	Subject *Subject `json:"subject,omitempty"`
	// Document has the text that the question, a One, is about; nil for none.
	Document *Document `json:"document,omitempty"`
}

// Option can be chosen. Value goes to the agent, Label to the person.
type Option struct {
	Value       string   `json:"value"`
	Label       string   `json:"label"`
	Emoji       string   `json:"emoji,omitempty"`
	Description string   `json:"description,omitempty"`
	Preview     *Preview `json:"preview,omitempty"`
	// Allows: choosing it allows the question's Subject, or approves its Document, whose end has to have been on view.
	Allows bool `json:"allows,omitempty"`
	// Remarks: choosing it asks for the remark on the form first, which goes with it.
	Remarks bool `json:"remarks,omitempty"`
}

// Preview is longer material beside an option. Type is markdown, code, text,
// mermaid, svg or html; empty where the agent names none.
type Preview struct {
	Type    string `json:"type"`
	Content string `json:"content"`
}

// Header names the form in a title, a list or an alert: by the form's title, else the
// first question's own label, else its prompt.
func (f *Form) Header() string {
	if f.Title != "" || len(f.Questions) == 0 {
		return f.Title
	}
	if q := f.Questions[0]; !q.Named {
		return q.Prompt
	}
	return f.Questions[0].Label
}

// Outcome says how a form ended (docs/contracts.md, The envelope).
type Outcome string

const (
	Answered        Outcome = "answered"
	NeedsDiscussion Outcome = "needs_discussion"
	Cancelled       Outcome = "cancelled"
	Timeout         Outcome = "timeout"
	Unavailable     Outcome = "unavailable"
	Rejected        Outcome = "rejected"
	Aborted         Outcome = "aborted"
	// Elsewhere: nobody answered here. The agent's own dialog ended the question (ByBridge),
	// or the person on the surface By handed the question back to that.
	Elsewhere Outcome = "elsewhere"
)

// Words say it of a question, as in “this was answered”.
func (o Outcome) Words() string {
	return cmp.Or(map[Outcome]string{NeedsDiscussion: "sent with questions left open", Timeout: "ended at its deadline",
		Aborted: "withdrawn", Unavailable: "shown nowhere", Elsewhere: "left to the agent's own dialog"}[o], string(o))
}

// Result is kept in answer.json: how the form ended, and with which answers.
type Result struct {
	Version int     `json:"version"`
	Outcome Outcome `json:"outcome"`
	// Answers has one element a question, in the form's order, when Outcome is
	// Answered or NeedsDiscussion; otherwise it is empty.
	Answers []Answer `json:"answers,omitempty"`
	// Comment remarks on the whole form (Comments only).
	Comment string `json:"comment,omitempty"`
	// Attachments go with the answers; empty where there are none.
	Attachments []Attachment `json:"attachments,omitempty"`
	// Reason says why the person declined, or why the form could not be shown.
	Reason string `json:"reason,omitempty"`
	// Dismissed: Outcome is Cancelled, and no call waited for that. It answers
	// nobody.
	Dismissed bool `json:"dismissed,omitempty"`
	// Waited counts how long the form was open to answers, where Outcome is Timeout.
	Waited time.Duration `json:"waited,omitempty"`
	// By names the surface that ended the form: ByPopup and the like.
	By string    `json:"by"`
	At time.Time `json:"at"`
	// Machine names the other machine where it ended; empty is the one of this spool.
	Machine string `json:"machine,omitempty"`
	// Via names the person, where the surface knows them.
	Via *Via `json:"via,omitempty"`
	// Shown has what was allowed as it was on view, where the request has another: its file had
	// changed.
	Shown string `json:"shown,omitempty"`
}

// Attachment is a picture that the person has put beside the answers.
type Attachment struct {
	Path string `json:"path"` // of a file in the spool, which stays as long as the entry
	Type string `json:"type"` // by its content, as image/png
}

type Via struct { // a person in a chat
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
	ByPush   = "push"   // a button of the message that a phone was pushed
	ByItself = "itself" // a question that was handed back to its agent after handBackSeconds
	// And the chats, by the names of their services: their results have a Via.
)

// Surface says through what the form ended, and on which other machine, after a word
// such as “answered”.
func (r Result) Surface() string {
	through := "by " + r.By
	switch {
	case r.By == ByBridge:
		through = "by askpane itself"
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

// On names the surface in the words of the setting permissionSurfaces.
func (r Result) On() string {
	if r.Machine != "" {
		return "machines"
	}
	return cmp.Or(map[string]string{ByPage: "page", ByAnswer: "answer"}[r.By], r.By)
}

// Answer holds what was said to one question. The zero value means nothing yet.
type Answer struct {
	// Choices has the 0-based indexes of the chosen options, in their order: at most
	// one for One, any number for Many.
	Choices []int `json:"choices,omitempty"`
	// Text was typed under Question.Other, for Text, or to confirm a dangerous
	// question; nil where nothing was.
	Text   *string  `json:"text,omitempty"`
	Number *float64 `json:"number,omitempty"`
	// Empty: the person went on with nothing chosen or typed, which is an answer
	// where the question is Optional.
	Empty bool `json:"empty,omitempty"`
	// Withheld: Text was a Secret and has been taken out, since it was delivered.
	Withheld bool `json:"withheld,omitempty"`
	// Note remarks on the question; OptionNotes on options, by index; LineNotes on places of
	// its Document, by line. None makes a question answered.
	Note        string         `json:"note,omitempty"`
	OptionNotes map[int]string `json:"optionNotes,omitempty"`
	LineNotes   map[int]string `json:"lineNotes,omitempty"`
}

// Notes lists the remarks of a: on the question, on its options, on the places of its document.
func (a Answer) Notes() (all []string) {
	if a.Note != "" {
		all = append(all, a.Note)
	}
	for _, notes := range []map[int]string{a.OptionNotes, a.LineNotes} {
		for _, i := range slices.Sorted(maps.Keys(notes)) {
			all = append(all, notes[i])
		}
	}
	return all
}

// Choose answers with the options i (0-based), Type with a text, and Count with a number.
func Choose(i ...int) Answer  { return Answer{Choices: i} }
func Type(text string) Answer { return Answer{Text: &text} }
func Count(n float64) Answer  { return Answer{Number: &n} }

// Given reports whether the question has been answered.
func (a Answer) Given() bool {
	return len(a.Choices) > 0 || a.Text != nil || a.Number != nil || a.Empty || a.Withheld
}

// Said drops the remarks of a.
func (a Answer) Said() Answer { return a.Remarked(Answer{}) }

// Remarked replaces the remarks of a by those of other.
func (a Answer) Remarked(other Answer) Answer {
	a.Note, a.OptionNotes, a.LineNotes = other.Note, other.OptionNotes, other.LineNotes
	return a
}

// Guarded reports whether an answer to f may go to no call but the one that the
// person gave it to: a question of it is dangerous or secret, or asks for a permission.
func (f *Form) Guarded() bool {
	return slices.ContainsFunc(f.Questions, func(q Question) bool { return q.Dangerous || q.Secret || q.Subject != nil })
}

// Bound reports whether an answer to f may go to no other call: f is guarded, or about a
// document, which may be another by then.
func (f *Form) Bound() bool {
	return f.Guarded() || f.Document() != nil
}

// Secrets reports whether any of the questions is a secret one.
func (f *Form) Secrets() bool {
	return slices.ContainsFunc(f.Questions, func(q Question) bool { return q.Secret })
}

// Withhold takes what was typed as a secret out of the answers to f.
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

// masked stands for a secret, and does not tell its length.
const masked = "•••"

// Hidden returns what may be shown of a text that was typed: all of it, if it is no secret.
func (q *Question) Hidden(text string) string {
	if q.Secret && text != "" {
		return masked
	}
	return text
}

// Say writes an answer to q for a person; empty where nothing was said. The text is
// unsafe to draw until Visible has seen it. sign stands before what was typed, and
// label, which may be nil, changes the labels of options. A secret is masked.
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
	case a.Text != nil && q.Document != nil: // it is the whole text
		parts = append(parts, strings.TrimRight(q.Other, "…"))
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
