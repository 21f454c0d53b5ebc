package plain

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
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
	f, sc, away := s.M.Form(), s.Scene(), s.Status().Away
	who := sc.Who
	if n := len(f.Questions); n > 1 {
		who += fmt.Sprintf(" %d questions", n)
	}
	if sc.Dir != "" {
		who += ", in " + sc.Dir
	}
	if away != "" {
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
	sc := s.Scene()
	q := sc.Question
	if q == nil {
		s.review(sc)
		return
	}
	switch n := len(sc.Form.Questions); {
	case n > 1:
		s.say("\nQuestion %d of %d: %s", sc.Step+1, n, sc.Label)
	case q.Named:
		s.say("\n%s", sc.Label)
	default:
		s.say("")
	}
	if sc.Danger {
		s.say("%s", sc.Heading)
	}
	s.quote(2, "", q.Prompt)
	s.quote(2, "", q.Description)
	if sc.Question.Subject != nil {
		s.say("%s:", scene.Subject(sc.Question.Subject, 200))
		s.quote(2, "", sc.Preview.Content)
	}
	s.document(sc)
	s.M.Seen = true
	s.choices(sc)
	s.saidBefore(sc)
	s.say("%s", request(sc))
}

// document writes what the question is about, and what was said to its lines.
func (s *session) document(sc scene.Scene) {
	d := sc.Document
	if d == nil {
		return
	}
	s.say("The document:")
	s.quote(2, "", d.Text)
	for _, r := range d.Remarks {
		s.quote(2, fmt.Sprintf("Comment on line %d: ", r.Line), r.Text)
	}
	if len(d.Changed) > 0 {
		s.say("Changed since you saw it: lines %s.", strings.Trim(strings.ReplaceAll(fmt.Sprint(slices.Sorted(maps.Keys(d.Changed))), " ", ", "), "[]"))
	}
}

// choices lists what can be chosen. A dangerous question lists it too: its
// person types, but should know what is meant.
func (s *session) choices(sc scene.Scene) {
	if len(sc.Question.Options) > 0 { // a line of ours between what was asked and the choices: a prompt could list some itself
		s.say("Choices:")
	}
	for _, c := range sc.Choices {
		if c.Selects || (sc.Danger || sc.Document != nil) && c.N == len(sc.Question.Options) {
			continue
		}
		s.quote(2, fmt.Sprintf("%d. ", c.N+1), c.Label+marks(sc.Question, c))
		s.quote(5, "", c.Description)
		s.quote(5, "", c.Note)
		s.quote(5, "typed: ", c.Meant)
		s.quote(5, "", c.Typed)
	}
}

// marks says what is special about an option.
func marks(q *form.Question, c scene.Choice) (marks string) {
	if c.N == len(q.Options) {
		return ""
	}
	if c.Advised != "" {
		marks += " " + c.Advised
	} else if slices.Contains(q.Initial.Choices, c.N) && !q.Dangerous {
		marks += " [default]"
	}
	if c.Chosen {
		marks += " [chosen]"
	}
	if q.Options[c.N].Preview != nil {
		marks += fmt.Sprintf(" [p %d shows more]", c.N+1)
	}
	return marks
}

// saidBefore shows what was said to a question already, where the choices do not.
func (s *session) saidBefore(sc scene.Scene) {
	q, a := sc.Question, sc.Answer
	switch {
	case sc.Danger && a.Given():
		s.sayWith("Confirmed already, with:", q.Say(a, "", nil))
	case sc.Danger || !sc.Typed:
	case q.Multiline && sc.Entry.Text != "":
		s.sayWith("An empty line takes this, and a + alone adds to it:", sc.Entry.Text)
	case sc.Entry.Text != "":
		s.sayWith("An empty line takes:", q.Hidden(sc.Entry.Text))
	case q.Kind == form.Text:
		s.sayWith("For example:", q.Placeholder)
	}
	s.sayWith("Your note:", a.Note)
}

// request returns the line that says what to type.
func request(sc scene.Scene) string {
	switch q := sc.Question; {
	case sc.Danger:
		ask := sc.Entry.Label
		if q.Expected != "" {
			ask += " " + text.Quoted(q.Expected, 0)
		}
		return ask + " " + sc.Entry.About + " (/? for help)"
	case q.Kind == form.Text && q.Multiline:
		return "Type your text; a line with only a dot ends it. (/? for help)"
	case q.Secret:
		return "Type the secret, which is not shown here. " + scene.GotAsTyped + " (/? for help)"
	case q.Kind == form.Text:
		return "Type your text. (/? for help)"
	case q.Kind == form.Number:
		return "Type a number" + strings.Replace(strings.TrimRight(" "+sc.Entry.Bounds, " "), " at", ", at", 1) + ". (? for help)"
	case q.Kind == form.Many:
		return "Type the numbers of all that you choose, 0 for none. (? for help)"
	default:
		return "Type a number. (? for help)"
	}
}

// review lists every answer with its remarks.
func (s *session) review(sc scene.Scene) {
	s.say("\nYour answers:")
	for i, a := range sc.Answers {
		said := sc.Form.Questions[i].Say(s.M.Answer(i), "", nil) // without signs
		s.quote(2, fmt.Sprintf("%d. %s: ", i+1, a.Label), cmp.Or(said, a.Value))
		for _, remark := range a.Remarks {
			s.quote(5, "", remark)
		}
	}
	s.quote(2, "", sc.Comment)
	if sc.Open != "" && sc.Form.Partial {
		s.say("%s.", sc.Open)
	}
	s.say("Type s to submit, or a number to change that answer. (? for help)")
}
