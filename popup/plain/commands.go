package plain

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/scene"
)

// command binds one letter, which stands alone or before what it is about (s.about).
type command struct {
	says, help string
	here       bool // it means something now
	do         func()
}

// commands lists all of them, in the order of the help.
func (s *session) commands() []command {
	q, f := s.M.Question(), s.M.Form()
	asking := q != nil
	several := len(f.Questions) > 1 || f.Review
	comments := f.Remarks == form.Comments
	return []command{
		{"s", "submit", !asking, s.submit},
		{"a number", "change that answer", !asking, nil},
		{"o TEXT", "answer in your own words", asking && takesOther(q) && !s.dangerous(), func() { s.other(s.about, false) }},
		{"r", "take what is recommended or the default", asking && s.M.CanRecommend(s.M.Step()), s.recommend},
		{"p NUMBER", "show an option's preview", asking && slices.ContainsFunc(q.Options, func(o form.Option) bool { return o.Preview != nil }), s.preview},
		{"b", "back to the question before", several, func() { s.move(machine.Prev, "There is no question before this one.") }},
		{"f", "forward without answering", asking && several, func() { s.move(machine.Next, "This has to be answered first.") }},
		{"n TEXT", "a note on what is asked here; n - removes it", comments || asking && f.Remarks == form.Notes, s.note},
		{"c NUMBER TEXT", "a comment on an option", asking && comments && len(q.Options) > 0, s.comment},
		{"u", "leave it unanswered", s.M.Takes(machine.Unanswer), s.unanswer},
		{"x", "decline, and say why", true, s.decline},
		{"h", scene.HandingBack(s.Req.Origin.Agent), s.M.Takes(machine.HandBack), func() { s.event(machine.HandBack) }},
		{"q", "cancel", true, s.cancel},
		{"?", "this list", true, s.help},
	}
}

// command does what a letter means.
func (s *session) command(letter, about string) {
	s.about = about
	for _, c := range s.commands() {
		if c.here && c.says[:1] == letter {
			c.do()
			return
		}
	}
	s.say("%s means nothing here; ? lists what does.", letter)
}

// split takes the line of a command apart; ok is false if it is none. Where text
// is typed a command has a slash before it, since a text may be a single letter.
func split(line string) (letter, about string, slash, ok bool) {
	line, slash = strings.CutPrefix(strings.TrimSpace(line), "/")
	if line == "" || !strings.Contains("?bcfhnopqrsux", line[:1]) || len(line) > 1 && line[1] != ' ' && line[1] != '\t' {
		return "", "", false, false
	}
	return line[:1], strings.TrimSpace(line[1:]), slash, true
}

func (s *session) help() {
	slash := text.If(s.takesText(), "/", "")
	for _, c := range s.commands() {
		if c.here {
			s.say("  %s%s: %s", slash, c.says, c.help)
		}
	}
	if slash != "" {
		s.say("A text that looks like one of these is typed with one more / before it.")
	}
	s.say("Ctrl+D leaves the question open.")
}

func (s *session) submit() {
	s.event(machine.Last)
	s.event(machine.Choose)
}

// move goes to another step, or says why it does not.
func (s *session) move(a machine.Action, otherwise string) {
	step := s.M.Step()
	if s.event(a); s.M.Step() == step {
		s.say("%s", otherwise)
	}
}

func (s *session) unanswer() {
	s.event(machine.Unanswer)
	s.say("Left unanswered.")
	s.event(machine.Next)
}

// recommend takes what the agent recommends, or has as its default.
func (s *session) recommend() {
	i := s.M.Step()
	s.event(machine.Recommend)
	s.sayTaken(i)
}

func (s *session) preview() {
	o, i, _ := s.option()
	if o == nil || o.Preview == nil {
		s.say("Type p and the number of an option that has a preview.")
		return
	}
	s.say("Preview of %d, %s:", i+1, cmp.Or(text.OneLine(o.Preview.Type, 20), "text"))
	s.quote(2, "", o.Preview.Content)
}

// option returns the option whose number the command has; nil if there is none.
func (s *session) option() (o *form.Option, i int, rest string) {
	word, rest, _ := strings.Cut(s.about, " ")
	n, err := strconv.Atoi(word)
	if options := s.M.Question().Options; err == nil && n >= 1 && n <= len(options) {
		return &options[n-1], n - 1, strings.TrimSpace(rest)
	}
	return nil, 0, ""
}

// ask asks for the next line, which then gets; a blank one leaves things as they
// are, which otherwise says.
func (s *session) ask(words, otherwise string, then func(line string)) {
	s.say("%s", words)
	s.then = func(line string) {
		if line = strings.TrimSpace(line); line == "" {
			s.sayAndShow(otherwise)
			return
		}
		then(line)
	}
}

func (s *session) cancel() {
	s.ask("Cancel the whole form? Type y or n.", "Not cancelled.", func(line string) {
		if yes := strings.ToLower(line); yes != "y" && yes != "yes" {
			s.sayAndShow("Not cancelled.")
			return
		}
		s.event(machine.Cancel)
	})
}

// decline ends the form with a reason, picked or typed; without one it asks for it.
func (s *session) decline() {
	reasons := s.M.Reasons()
	own := len(reasons) + 1
	if s.about != "" {
		s.refuse(own, s.about)
		return
	}
	words := scene.Declining + ": type " + text.If(own > 1, "a number or ", "") + "your own reason; an empty line goes back."
	for i, r := range reasons {
		words += fmt.Sprintf("\n  %d. %s", i+1, r)
	}
	s.ask(words, "Not declined.", func(line string) {
		n, err := strconv.Atoi(line)
		switch {
		case err != nil || own == 1:
			s.refuse(own, line)
		case n < 1 || n >= own:
			s.sayAndShow(fmt.Sprintf("There is no reason %d; there are %d. Nothing is declined.", n, own-1))
		default:
			s.refuse(n, "")
		}
	})
}

func (s *session) refuse(n int, reason string) {
	s.event(machine.Refuse)
	s.pick(n)
	s.typeText(reason)
	s.event(machine.Accept)
}

// note writes a remark on the question, or on the form where the review is on view.
func (s *session) note() {
	about := machine.NoteQuestion
	if s.M.Question() == nil {
		about = machine.NoteForm
	}
	s.remark(about, s.about)
}

func (s *session) comment() {
	o, i, text := s.option()
	if o == nil {
		s.say("Type c, the number of an option and your comment.")
		return
	}
	s.Handle(machine.Event{Action: machine.Focus, N: i}) // the remark goes to the choice under the cursor
	s.remark(machine.NoteOption, text)
}

// remark writes a remark; without a text it asks for it.
func (s *session) remark(a machine.Action, text string) {
	if text == "" {
		s.ask("Type your note; an empty line changes nothing, and - removes it.", "Nothing is changed.", func(line string) { s.remark(a, line) })
		return
	}
	if text == "-" {
		text = ""
	}
	s.event(a)
	s.typeText(text)
	s.event(machine.Leave)
}
