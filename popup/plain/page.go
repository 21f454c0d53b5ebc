package plain

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/cells"
)

// say tells the person something in our own words. What of it came from outside
// has been through text.OneLine. A write that fails is not looked at: the terminal
// is gone then, and reading from it ends.
func (s *session) say(format string, args ...any) {
	_, _ = s.tty.WriteString(text.Visible(fmt.Sprintf(format, args...)) + "\n")
}

func (s *session) prompt() {
	q := s.m.Question()
	s.hush(q != nil && q.Secret && s.then == nil)
	_, _ = s.tty.WriteString("> ")
}

// hush keeps the terminal from showing what is typed, while that is a secret.
func (s *session) hush(secret bool) {
	if s.silent == secret {
		return
	}
	raw, err := s.tty.SyscallConn()
	if err == nil {
		controlled := raw.Control(func(fd uintptr) { err = setEcho(int(fd), !secret) })
		err = errors.Join(err, controlled)
	}
	if err != nil && secret {
		s.say("What you type will show on this terminal: %v", err)
	}
	s.silent = secret
}

// tell prints a text from outside, indented: it never begins a line, not even
// where the terminal would break it, so it cannot pass for our own words.
func (s *session) tell(indent int, said string) {
	lead := strings.Repeat(" ", indent)
	width := s.width - indent
	if width < 8 { // not known, or absurd
		width = math.MaxInt
	}
	for _, row := range cells.Wrap(text.Visible(said), width) {
		_, _ = s.tty.WriteString(strings.TrimRight(lead+row, " ") + "\n")
	}
}

// intro tells once who asks and what about.
func (s *session) intro(resumed bool) {
	f, o := s.m.Form(), s.req.Origin
	who := text.Quoted(o.Agent, 60) + " asks"
	if n := len(f.Questions); n > 1 {
		who += fmt.Sprintf(" %d questions", n)
	}
	if o.Cwd != "" {
		who += ", in " + text.OneLine(o.Cwd, 80)
	}
	s.say("\n%s.", who)
	if s.req.Deadline != nil {
		s.say("Answer within %s.", max(time.Second, time.Until(*s.req.Deadline)).Round(time.Second))
	}
	if f.Title != "" {
		s.tell(2, f.Title)
	}
	if f.Intro != "" {
		s.tell(2, f.Intro)
	}
	if resumed {
		s.say("What you said before is kept.")
	}
}

// show tells what is on view.
func (s *session) show() {
	q, i := s.m.Question(), s.m.Step()
	if q == nil {
		s.review()
		return
	}
	switch n := len(s.m.Form().Questions); {
	case n > 1:
		s.say("\nQuestion %d of %d: %s", i+1, n, text.OneLine(q.Label, 60))
	case q.Named:
		s.say("\n%s", text.OneLine(q.Label, 60))
	default:
		s.say("")
	}
	if s.m.Dangerous(i) {
		s.say("⚠️  DESTRUCTIVE — %s", text.OneLine(q.Label, 60))
	}
	s.tell(2, q.Prompt)
	if q.Description != "" {
		s.tell(2, q.Description)
	}
	s.choices(i)
	s.before(i)
	s.say("%s", s.ask())
}

// choices lists what can be chosen. A dangerous question lists it too: its
// person types, but should know what is meant.
func (s *session) choices(i int) {
	q, a := s.m.Question(), s.m.Answer(i)
	if len(q.Options) > 0 { // a line of ours between what was asked and the choices: a prompt could list some itself
		s.say("Choices:")
	}
	for c, o := range q.Options {
		label := text.OneLine(o.Label, 0)
		if o.Emoji != "" {
			label = text.OneLine(o.Emoji, 0) + " " + label
		}
		marks := ""
		if slices.Contains(q.Recommended, c) {
			marks += " [recommended]"
		} else if slices.Contains(q.Initial.Choices, c) && !q.Dangerous {
			marks += " [default]"
		}
		if q.Kind == form.Many && s.m.Ticked(i, c) || slices.Contains(a.Choices, c) {
			marks += " [chosen]"
		}
		if o.Preview != nil {
			marks += fmt.Sprintf(" [p %d shows more]", c+1)
		}
		s.tell(2, fmt.Sprintf("%d. %s%s", c+1, label, marks))
		if o.Description != "" {
			s.tell(5, o.Description)
		}
		if note := a.OptionNotes[c]; note != "" {
			s.tell(5, "comment: "+note)
		}
	}
	if q.Other != "" && !s.m.Dangerous(i) {
		s.tell(2, fmt.Sprintf("%d. %s", len(q.Options)+1, text.OneLine(q.Other, 0)))
		if text := s.m.EntryText(i); text != "" {
			s.tell(5, "typed: "+text)
		}
	}
}

// before tells what was said to a question already, where the choices do not show it.
func (s *session) before(i int) {
	q, a := s.m.Question(), s.m.Answer(i)
	text := s.m.EntryText(i)
	switch {
	case s.m.Dangerous(i) && a.Given():
		s.say("Confirmed already, with:")
		s.tell(2, q.Say(a, "", nil))
	case s.m.Dangerous(i):
	case q.Multiline && text != "":
		s.say("An empty line takes this, and a + alone adds to it:")
		s.tell(2, text)
	case q.Kind == form.Text && text != "", q.Kind == form.Number && text != "":
		s.say("An empty line takes:")
		s.tell(2, q.Hidden(text))
	case q.Kind == form.Text && q.Placeholder != "":
		s.say("For example:")
		s.tell(2, q.Placeholder)
	}
	if a.Note != "" {
		s.say("Your note:")
		s.tell(2, a.Note)
	}
}

// ask is the line that says what to type.
func (s *session) ask() string {
	q, i := s.m.Question(), s.m.Step()
	switch {
	case s.m.Dangerous(i):
		return "Type the resource name to confirm: (/? for help)"
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
	f := s.m.Form()
	s.say("\nYour answers:")
	for i := range f.Questions {
		q, a := &f.Questions[i], s.m.Answer(i)
		value := q.Say(a, "", nil)
		if !a.Given() {
			value = "not answered"
		}
		s.tell(2, fmt.Sprintf("%d. %s: %s", i+1, text.OneLine(q.Label, 60), value))
		if a.Note != "" {
			s.tell(5, "note: "+a.Note)
		}
		for _, c := range slices.Sorted(maps.Keys(a.OptionNotes)) {
			if c >= 0 && c < len(q.Options) {
				s.tell(5, "comment on "+text.OneLine(q.Options[c].Label, 60)+": "+a.OptionNotes[c])
			}
		}
	}
	if c := s.m.Comment(); c != "" {
		s.say("Your comment:")
		s.tell(2, c)
	}
	if open := len(f.Missing(s.m.Answers())); open > 0 && f.Partial {
		s.say("%d left for discussion.", open)
	}
	s.say("Type s to submit, or a number to change that answer. (? for help)")
}

// help lists the commands that mean something here.
func (s *session) help() {
	f, q := s.m.Form(), s.m.Question()
	slash := ""
	if s.takesText() {
		slash = "/"
	}
	show := func(on bool, command, does string) {
		if on {
			s.say("  %s%s: %s", slash, command, does)
		}
	}
	several := len(f.Questions) > 1 || f.Review
	show(q == nil, "s", "submit")
	show(q == nil, "a number", "change that answer")
	show(q != nil && q.Other != "" && !s.m.Dangerous(s.m.Step()), "o TEXT", "answer in your own words")
	show(q != nil && s.m.CanRecommend(s.m.Step()), "r", "take what is recommended or the default")
	show(q != nil && slices.ContainsFunc(q.Options, func(o form.Option) bool { return o.Preview != nil }), "p NUMBER", "show an option's preview")
	show(several, "b", "back to the question before")
	show(several && q != nil, "f", "forward without answering")
	show(f.Remarks != form.NoRemarks && (q != nil || f.Remarks == form.Comments), "n TEXT", "a note on what is asked here; n - removes it")
	show(f.Remarks == form.Comments && q != nil && len(q.Options) > 0, "c NUMBER TEXT", "a comment on an option")
	show(f.Partial && q != nil, "u", "leave it unanswered, for discussion")
	show(true, "x", "decline, and say why")
	show(true, "q", "cancel")
	show(true, "?", "this list")
	if slash != "" {
		s.say("A text that looks like one of these is typed with one more / before it.")
	}
	s.say("Ctrl+D leaves the question open.")
}
