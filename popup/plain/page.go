package plain

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/scene"
)

func (s *session) prompt() {
	q := s.M.Question()
	s.hush(q != nil && q.Secret && s.then == nil)
	_, _ = s.WriteString("> ")
}

// sayAndShow says something after which the person needs the question again.
func (s *session) sayAndShow(words string) {
	s.say("%s", words)
	s.page = true
}

// intro says once who asks and what about.
func (s *session) intro(resumed bool) {
	f, o := s.M.Form(), s.Req.Origin
	machine, cwd, _, _ := o.Where()
	who := text.Asker(o.Agent, machine, 60) + " asks"
	if n := len(f.Questions); n > 1 {
		who += fmt.Sprintf(" %d questions", n)
	}
	if cwd != "" {
		who += ", in " + text.OneLine(cwd, 80)
	}
	if away := scene.Unreachable(s.Entry.Status()); away != "" {
		who += "; the machine is " + away
	}
	s.say("\n%s.", who)
	if s.Req.Deadline != nil {
		s.say("Answer within %s.", max(time.Second, time.Until(*s.Req.Deadline)).Round(time.Second))
	}
	s.quote(2, "", f.Title)
	s.quote(2, "", f.Intro)
	if resumed {
		s.say("What you said before is kept.")
	}
}

// show writes what is on view.
func (s *session) show() {
	q, i := s.M.Question(), s.M.Step()
	if q == nil {
		s.review()
		return
	}
	label := text.OneLine(q.Label, 60)
	switch n := len(s.M.Form().Questions); {
	case n > 1:
		s.say("\nQuestion %d of %d: %s", i+1, n, label)
	case q.Named:
		s.say("\n%s", label)
	default:
		s.say("")
	}
	if s.dangerous() {
		s.say("⚠️  DESTRUCTIVE — %s", label)
	}
	s.quote(2, "", q.Prompt)
	s.quote(2, "", q.Description)
	s.choices(q, i)
	s.saidBefore(q, i)
	s.say("%s", s.request(q))
}

// choices lists what can be chosen. A dangerous question lists it too: its
// person types, but should know what is meant.
func (s *session) choices(q *form.Question, i int) {
	a := s.M.Answer(i)
	if len(q.Options) > 0 { // a line of ours between what was asked and the choices: a prompt could list some itself
		s.say("Choices:")
	}
	for c, o := range q.Options {
		s.quote(2, fmt.Sprintf("%d. ", c+1), text.OneLine(o.Emoji+" "+o.Label, 0)+s.marks(q, i, c))
		s.quote(5, "", o.Description)
		s.quote(5, "comment: ", a.OptionNotes[c])
	}
	if q.Other != "" && !s.dangerous() {
		s.quote(2, fmt.Sprintf("%d. ", len(q.Options)+1), text.OneLine(q.Other, 0))
		s.quote(5, "typed: ", s.M.EntryText(i))
	}
}

// marks says what is special about option c of question i.
func (s *session) marks(q *form.Question, i, c int) (marks string) {
	if slices.Contains(q.Recommended, c) {
		marks += " [recommended]"
	} else if slices.Contains(q.Initial.Choices, c) && !q.Dangerous {
		marks += " [default]"
	}
	if q.Kind == form.Many && s.M.Ticked(i, c) || slices.Contains(s.M.Answer(i).Choices, c) {
		marks += " [chosen]"
	}
	if q.Options[c].Preview != nil {
		marks += fmt.Sprintf(" [p %d shows more]", c+1)
	}
	return marks
}

// saidBefore shows what was said to a question already, where the choices do not.
func (s *session) saidBefore(q *form.Question, i int) {
	a, typed := s.M.Answer(i), s.M.EntryText(i)
	switch {
	case s.dangerous() && a.Given():
		s.sayWith("Confirmed already, with:", q.Say(a, "", nil))
	case s.dangerous() || q.Kind != form.Text && q.Kind != form.Number:
	case q.Multiline && typed != "":
		s.sayWith("An empty line takes this, and a + alone adds to it:", typed)
	case typed != "":
		s.sayWith("An empty line takes:", q.Hidden(typed))
	case q.Kind == form.Text:
		s.sayWith("For example:", q.Placeholder)
	}
	s.sayWith("Your note:", a.Note)
}

// request is the line that says what to type.
func (s *session) request(q *form.Question) string {
	switch {
	case s.dangerous():
		ask := "Type the resource name to confirm:"
		if q.Expected != "" {
			ask += " " + text.Quoted(q.Expected, 0)
		}
		return ask + " What you type is sent to the agent. (/? for help)"
	case q.Kind == form.Text && q.Multiline:
		return "Type your text; a line with only a dot ends it. (/? for help)"
	case q.Secret:
		return "Type the secret, which is not shown here. The agent gets it as you type it. (/? for help)"
	case q.Kind == form.Text:
		return "Type your text. (/? for help)"
	case q.Kind == form.Number:
		return "Type a number" + bounds(q) + ". (? for help)"
	case q.Kind == form.Many:
		return "Type the numbers of all that you choose, 0 for none. (? for help)"
	default:
		return "Type a number. (? for help)"
	}
}

func bounds(q *form.Question) string {
	switch {
	case q.Min != nil && q.Max != nil:
		return fmt.Sprintf(" from %v to %v", *q.Min, *q.Max)
	case q.Min != nil:
		return fmt.Sprintf(", at least %v", *q.Min)
	case q.Max != nil:
		return fmt.Sprintf(", at most %v", *q.Max)
	}
	return ""
}

// review lists every answer with its remarks.
func (s *session) review() {
	f := s.M.Form()
	s.say("\nYour answers:")
	for i := range f.Questions {
		q, a := &f.Questions[i], s.M.Answer(i)
		s.quote(2, fmt.Sprintf("%d. %s: ", i+1, text.OneLine(q.Label, 60)), cmp.Or(q.Say(a, "", nil), "not answered"))
		s.quote(5, "note: ", a.Note)
		for _, c := range slices.Sorted(maps.Keys(a.OptionNotes)) { // the machine keeps those of options alone
			s.quote(5, "comment on "+text.OneLine(q.Options[c].Label, 60)+": ", a.OptionNotes[c])
		}
	}
	s.sayWith("Your comment:", s.M.Comment())
	if open := len(f.Missing(s.M.Answers())); open > 0 && f.Partial {
		s.say("%d left for discussion.", open)
	}
	s.say("Type s to submit, or a number to change that answer. (? for help)")
}
