package scene

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/cells"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/preview/styled"
)

// What a surface says in these words alone.
const (
	AgentGone = "agent gone"
	// Destructive stands before the name of a dangerous question.
	Destructive = "⚠️  DESTRUCTIVE — "
	// Advised stands behind what the agent recommends.
	Advised = "[recommended]"
	// NotYet stands before what is typed and not said.
	NotYet = "not your answer yet: "
	// Before why (Why) an answer is not on the disk, a draft is not, and one cannot be read.
	NotSaved  = "Not saved yet; what you do next tries again. "
	NotSaving = "What you type is not being saved: "
	Afresh    = "The form starts afresh: "
	// Submit sends the form from its review.
	Submit = "Submit"
	// Dismiss cancels a form whose agent is gone.
	Dismiss = "dismiss"
	// Declining stands above the reasons for that.
	Declining = "Decline, and say why"
	// YourReason names what is typed for a refusal, AnotherReason where there are some to choose from.
	YourReason, AnotherReason = "Your reason", "another reason"
	// GotAsTyped says what becomes of a secret.
	GotAsTyped = "The agent gets it as you type it."

	whatToChange = "What should change? Enter sends it, also empty, with your comments."
	asks         = " asks"
	expired      = "expired"
	held         = "Keys are held back until you pause typing"
	twice        = "Keys count again. If the first is to answer, press it twice."
	confirm      = "Type the resource name to confirm:"
	confirmSends = "What you type is sent to the agent."
	aboutSecret  = "🔒 Secret: masked here and kept in no draft. " + GotAsTyped
)

// More says how many other questions wait.
func (s *Scene) More() string { return fmt.Sprintf("%d more waiting", s.Others) }

// Counted writes how many things there are, as "1 picture" and "2 pictures".
func Counted(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// Leaving asks whether a cancel that would lose something is meant.
func Leaving(agentGone bool) string {
	if agentGone {
		return "Dismiss this question?"
	}
	return "Cancel this question?"
}

// Unreachable says since when nothing was heard of the machine of a question, as in
// "unreachable since 12:03"; empty where it is there.
// Or that the agent's own dialog may have ended it.
func Unreachable(s spool.Status) string {
	switch {
	case s.Maybe:
		return "maybe answered in the agent"
	case s.Unreachable.IsZero():
		return ""
	}
	return "unreachable since " + At(s.Unreachable)
}

// At writes a time of today, and any other with its day.
func At(at time.Time) string {
	layout := "15:04"
	if time.Since(at).Abs() > 12*time.Hour {
		layout = "2 Jan 15:04"
	}
	return at.Local().Format(layout)
}

// Subject names what is to be allowed: the tool, and where it works, of which most cells at its end.
func Subject(s *form.Subject, most int) string {
	return text.Agent(s.Tool, 80) + before(" in ", cells.ShortenStart(text.Tilde(text.OneLine(s.Dir, 0)), most))
}

// allowing asks for what has to be typed before something dangerous is allowed.
const allowing = "To allow it once, type"

// FileChanged says that a permission is asked for once more.
const FileChanged = "The file has changed meanwhile. This is what would be done to it now."

// MaybeAnswered says why nothing can be decided here.
func MaybeAnswered(agent string) string {
	return "It may have been answered in " + text.Product(agent) + ": decide it there. Esc closes this form."
}

// HandingBack says what returns a question to the agent's own dialog.
func HandingBack(agent string) string { return "hand back to " + text.Product(agent) }

// Ended says how and through what a form of the agent's ended, as in "answered in the browser".
func Ended(agent string, r form.Result) string {
	switch own := r.By == form.ByBridge; {
	case own && r.Outcome == form.Elsewhere:
		return "answered in " + text.Product(agent) + " itself"
	case own: // nobody has ended it
		return r.Outcome.Words()
	case r.Outcome == form.Elsewhere:
		r.Outcome = form.Outcome("handed back to " + text.Product(agent))
	}
	return r.Outcome.Words() + " " + text.OneLine(r.Surface(), 60)
}

// EndedAt says when that was, too, as in "answered in the browser, 12:03".
func EndedAt(agent string, r form.Result) string { return Ended(agent, r) + ", " + At(r.At) }

// Over says in a sentence how a form has ended: mine is that of who has ended it, and
// verdict what its own machine said of that, if it is another.
func Over(agent string, r form.Result, mine bool, verdict string) string {
	words := EndedAt(agent, r)
	switch verdict = text.OneLine(verdict, 200); {
	case verdict != "":
		words = verdict
	case r.Outcome == form.Timeout:
		words = "expired: the deadline passed"
	case r.Outcome == form.Aborted:
		words = "withdrawn: the agent does not wait for it any more"
	case r.Outcome == form.Elsewhere && r.By == form.ByBridge:
		words = "answered in " + text.Product(agent)
	case !mine:
		words = "already " + words
	}
	return Capital(words) + "."
}

// Gist says in a few words what was answered; empty where nothing was.
func Gist(f *form.Form, r form.Result) string {
	var said []string
	for i, a := range r.Answers {
		if i >= len(f.Questions) || !a.Given() || r.Outcome == form.Timeout {
			continue
		}
		q := &f.Questions[i]
		value := text.OneLine(Said(q, a), 60)
		if len(f.Questions) > 1 {
			value = Label(q.Label, 20) + ": " + value
		}
		said = append(said, value)
	}
	return text.OneLine(strings.Join(said, " · "), 160)
}

// open says how many questions are open where the form is submitted; empty where none is.
func open(m *machine.Machine) string {
	open := m.Form().Missing(m.Answers())
	switch {
	case len(open) == 0:
		return ""
	case m.Form().Partial:
		return fmt.Sprintf("%d left for discussion", len(open))
	}
	return fmt.Sprintf("%d not answered yet", len(open))
}

// offered says what else was typed to what is on view; empty for nothing.
func offered(m *machine.Machine) string {
	if offered := m.Offered(); offered != "" {
		return "Another text was typed here: " + text.Quoted(offered, 200) + "."
	}
	return ""
}

// bounds says what a number may be; empty where that is anything.
func bounds(q *form.Question) string {
	switch {
	case q.Min != nil && q.Max != nil:
		return fmt.Sprintf("from %v to %v", *q.Min, *q.Max)
	case q.Min != nil:
		return fmt.Sprintf("at least %v", *q.Min)
	case q.Max != nil:
		return fmt.Sprintf("at most %v", *q.Max)
	}
	return ""
}

// remark says what the open remark is about.
func remark(m *machine.Machine) string {
	if m.Sends() {
		return whatToChange
	}
	return Capital(noteWord(m.Form())) + " " + m.Remark() + ":"
}

// noteWord names the person's own word on a question.
func noteWord(f *form.Form) string {
	if f.Remarks == form.Comments {
		return "comment"
	}
	return "note"
}

// before puts a name before what a person has said; nothing stands there where they have not.
func before(name, said string) string {
	if said == "" {
		return ""
	}
	return name + text.Visible(said)
}

// Why says why something is not on the disk, of a full one without the name of a file.
func Why(err error) string {
	if errors.Is(err, syscall.ENOSPC) {
		return "the disk is full."
	}
	return err.Error()
}

// Capital begins a sentence.
func Capital(words string) string { return strings.ToUpper(words[:1]) + words[1:] }

// Paragraph holds a part of what an agent says. A gap leaves a blank row before it.
type Paragraph struct {
	Style styled.Style
	Text  string
	Gap   bool
}

// paragraphs returns all that the agent says before the answer to the question on view. What it
// asks in the end is strong.
func paragraphs(m *machine.Machine) (said []Paragraph) {
	say := func(style styled.Style, words string, gap bool) {
		if words = strings.Trim(text.Visible(words), "\n"); words != "" {
			said = append(said, Paragraph{style, words, gap && len(said) > 0})
		}
	}
	if f := m.Form(); m.Step() == 0 {
		say(styled.Heading, f.Title, false)
		say(styled.Text, f.Intro, false)
	}
	prompt := m.Question().Prompt
	from, to := Heart(prompt)
	say(styled.Text, prompt[:from], true)
	say(styled.Strong, prompt[from:to], from == 0 || strings.HasSuffix(prompt[:from], "\n\n"))
	say(styled.Text, prompt[to:], strings.HasSuffix(prompt[:to], "\n\n"))
	say(styled.Text, m.Question().Description, false)
	return said
}

// question matches the end of a sentence that asks.
var question = regexp.MustCompile(`\?[*_)”"]*(\s|$)|？`)

// Heart finds the paragraph of a prompt that asks: the last with a
// question in it, else the last, and none that has code in a fence.
func Heart(prompt string) (from, to int) {
	at, fences, asks := 0, 0, false
	for paragraph := range strings.SplitAfterSeq(prompt, "\n\n") {
		more := strings.Count("\n"+paragraph, "\n```")
		found := question.MatchString(paragraph)
		if fences%2+more == 0 && strings.TrimSpace(paragraph) != "" && (found || !asks) {
			from, to, asks = at, at+len(paragraph), found
		}
		fences += more
		at += len(paragraph)
	}
	if len([]rune(prompt[from:to])) > MostStrong {
		begin, end := sentence(prompt[from:to])
		return from + begin, from + end
	}
	return from, to
}

// Of a paragraph with more signs than MostStrong, some three rows, one sentence is strong.
const MostStrong = 200

// sentenceEnd matches the end of a sentence or a line, with the blanks after it.
var sentenceEnd = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[.!?:…][*_)”"]*\s+|[。！？]|\n+`) })

// sentence finds the sentence that stands for a paragraph: the last that asks, else the first. A
// mark of Markdown's that goes on beyond it keeps the paragraph whole.
func sentence(paragraph string) (from, to int) {
	at := 0
	ends := append(sentenceEnd().FindAllStringIndex(paragraph, -1), []int{0, len(paragraph)})
	for _, end := range ends {
		if said := paragraph[at:end[1]]; to == 0 || question.MatchString(said) {
			from, to = at, end[1]
		}
		at = end[1]
	}
	for _, mark := range []string{"**", "`"} {
		if strings.Count(paragraph[:from], mark)%2+strings.Count(paragraph[:to], mark)%2 > 0 {
			return 0, len(paragraph)
		}
	}
	return from, to
}

// Label cleans an agent's short name for something, which stands in a row with signs
// of ours: one line, in which those signs show as text. most is in runes; 0 is
// no limit.
func Label(name string, most int) string { return Signless(text.OneLine(name, most)) }

// Signless has the signs of ours in an agent's text show as text.
func Signless(said string) string { return ours.Replace(said) }

// ours lists the signs that say something in a row of ours, and those that look much
// like them: what is chosen, ticked, typed, answered or recommended, the bar,
// and lines.
var ours = func() *strings.Replacer {
	var pairs []string
	for _, sign := range []string{
		"❯", "❱", "➤", "✓", "✔", "✅", "🗸", "✎", "☑", "🗹", "☒", "☐", "◉", "●", "○", "◯", "■", "□", "▎", "▍", "▌", "│", "┊", "┆", "▾", Advised, "[Select]",
	} {
		pairs = append(pairs, sign, "⟨"+sign+"⟩")
	}
	return strings.NewReplacer(pairs...)
}()

// Said puts an answer into words, whose only signs are ours: one stands before what the person
// has typed.
func Said(q *form.Question, a form.Answer) string {
	return q.Say(a, "✎ ", func(text string) string { return Label(text, 0) })
}

// Name names choice c of a question.
func Name(q *form.Question, c int) string {
	switch {
	case c >= len(q.Options):
		return q.Other
	case q.Options[c].Emoji != "":
		return q.Options[c].Emoji + " " + q.Options[c].Label
	}
	return q.Options[c].Label
}

// FocusedPreview returns what is to be allowed, or the preview of the choice under the cursor; nil
// for none.
func FocusedPreview(m *machine.Machine) *form.Preview {
	q := m.Question()
	if q != nil && q.Subject != nil {
		return &q.Subject.Shown
	}
	if q == nil || m.Cursor() >= len(q.Options) {
		return nil
	}
	return q.Options[m.Cursor()].Preview
}

// mark reports whether choice c of the question on view is chosen, and the sign that
// says so; empty where none does.
func mark(m *machine.Machine, c int) (chosen bool, sign string) {
	q, a, signs := m.Question(), m.Answer(m.Step()), map[bool]string{true: "✓"}
	chosen = slices.Contains(a.Choices, c) || c == len(q.Options) && a.Text != nil
	if q.Kind == form.Many {
		chosen, signs = m.Ticked(m.Step(), c), map[bool]string{true: "☑", false: "☐"}
	}
	return chosen, signs[chosen]
}

// other returns the text typed in place of the options of the question on view: what is
// meant, and what is in the entry and is not meant yet.
func other(m *machine.Machine) (meant, entered string) {
	q, said := m.Question(), m.Answer(m.Step()).Text
	switch entered = m.EntryText(m.Step()); {
	case said != nil:
		meant = *said
	case q.Kind == form.Many && m.Ticked(m.Step(), len(q.Options)):
		meant = entered // the select row is still to come
	}
	if strings.TrimSpace(entered) == "" || meant == entered {
		entered = ""
	}
	if q.Document != nil { // nobody reads all of it there
		meant = ""
		if entered != "" {
			entered = "what you edited"
		}
	}
	return text.Visible(meant), before(NotYet, entered)
}
