package plain

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/machine"
)

// command does what a letter says, with what stands behind it.
func (s *session) command(letter, rest string) {
	q := s.m.Question()
	switch {
	case letter == "?":
		s.help()
	case letter == "q":
		s.cancel()
	case letter == "x":
		s.decline(rest)
	case letter == "b":
		s.move(machine.Prev, "There is no question before this one.")
	case letter == "f" && q != nil:
		s.move(machine.Next, "This is the last question; it has to be answered.")
	case letter == "s" && q == nil:
		s.event(machine.Last)
		s.event(machine.Choose)
	case letter == "n":
		s.note(rest)
	case letter == "c" && q != nil:
		s.comment(q, rest)
	case letter == "c":
		s.note(rest)
	case letter == "p" && q != nil:
		s.preview(q, rest)
	case letter == "u" && q != nil && s.m.Form().Partial:
		s.event(machine.Unanswer)
		s.say("Left unanswered.")
		s.move(machine.Next, "")
	case letter == "r" && q != nil && s.m.CanRecommend(s.m.Step()):
		s.recommend(q)
	case letter == "o" && q != nil && q.Other != "" && !s.m.Dangerous(s.m.Step()):
		s.other(rest, false)
	default:
		s.say("%s means nothing here; ? lists what does.", letter)
	}
}

// move goes to another step, or says why it does not.
func (s *session) move(a machine.Action, otherwise string) {
	step := s.m.Step()
	s.event(a)
	if s.m.Step() == step && otherwise != "" {
		if s.m.ReviewHidden() && a == machine.Next {
			otherwise = "This has to be confirmed first."
		}
		s.say("%s", otherwise)
	}
}

func (s *session) cancel() {
	s.say("Cancel the whole form? Type y or n.")
	s.then = func(line string) {
		if yes := strings.ToLower(strings.TrimSpace(line)); yes != "y" && yes != "yes" {
			s.say("Not cancelled.")
			s.page = true
			return
		}
		if q := s.m.Question(); q != nil && q.Style == form.Dropdown && s.m.Mode() == machine.List {
			s.event(machine.Cancel) // folds it up
		}
		s.event(machine.Cancel)
	}
}

// decline ends the form with a reason, picked or typed.
func (s *session) decline(reason string) {
	refuse := func(n int, reason string) {
		s.event(machine.Refuse)
		s.pick(n)
		if n > len(machine.Reasons) {
			s.typeText(reason)
			s.event(machine.Accept)
		}
	}
	if reason != "" {
		refuse(len(machine.Reasons)+1, reason)
		return
	}
	s.say("Decline, and say why: type a number or your own reason; an empty line goes back.")
	for i, r := range machine.Reasons {
		s.say("  %d. %s", i+1, r)
	}
	s.then = func(line string) {
		line = strings.TrimSpace(line)
		n, err := strconv.Atoi(line)
		switch {
		case line == "":
			s.say("Not declined.")
			s.page = true
		case err == nil && n >= 1 && n <= len(machine.Reasons):
			refuse(n, "")
		case err == nil:
			s.say("There is no reason %d; there are %d. Nothing is declined.", n, len(machine.Reasons))
			s.page = true
		default:
			refuse(len(machine.Reasons)+1, line)
		}
	}
}

// note writes a remark on the question, or on the form where the review is on view.
func (s *session) note(text string) {
	a := machine.NoteQuestion
	if s.m.Question() == nil {
		a = machine.NoteForm
	}
	if r := s.m.Form().Remarks; r == form.NoRemarks || a == machine.NoteForm && r != form.Comments {
		s.say("This form takes no notes here.")
		return
	}
	s.remark(a, text)
}

// remark writes a remark and asks for its text where there is none yet.
func (s *session) remark(a machine.Action, text string) {
	write := func(text string) {
		s.event(a)
		if s.m.Mode() != machine.Note {
			s.say("This cannot be remarked on.")
			return
		}
		if text == "-" {
			text = ""
		}
		s.typeText(text)
		s.event(machine.Leave)
		if text == "" {
			s.say("Removed.")
		} else {
			s.say("Noted.")
		}
	}
	if text != "" {
		write(text)
		return
	}
	s.say("Type your note; an empty line changes nothing, and - removes it.")
	s.then = func(line string) {
		if line = strings.TrimSpace(line); line == "" {
			s.say("Nothing is changed.")
			return
		}
		write(line)
	}
}

// option finds the option whose number rest begins with.
func option(q *form.Question, rest string) (i int, after string, ok bool) {
	word, after, _ := strings.Cut(rest, " ")
	n, err := strconv.Atoi(word)
	return n - 1, strings.TrimSpace(after), err == nil && n >= 1 && n <= len(q.Options)
}

func (s *session) comment(q *form.Question, rest string) {
	i, text, ok := option(q, rest)
	switch {
	case s.m.Form().Remarks != form.Comments || len(q.Options) == 0:
		s.say("This form takes no comments on options.")
		return
	case !ok:
		s.say("Type c, the number of an option and your comment.")
		return
	}
	s.event(machine.First) // the remark goes to the choice under the cursor
	for range i {
		s.event(machine.Down)
	}
	s.remark(machine.NoteOption, text)
}

func (s *session) preview(q *form.Question, rest string) {
	i, _, ok := option(q, rest)
	if !ok || q.Options[i].Preview == nil {
		s.say("Type p and the number of an option that has a preview.")
		return
	}
	p := q.Options[i].Preview
	s.say("Preview of %d, %s:", i+1, cmp.Or(text.OneLine(p.Type, 20), "text"))
	s.tell(2, p.Content)
	if p.Type == "html" || p.Type == "svg" {
		s.say("A browser would show this as a picture.")
	}
}
