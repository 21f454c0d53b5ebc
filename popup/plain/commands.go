package plain

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/keymap"
	"github.com/askpane/askpane/popup/machine"
)

// commands are all of them, in the order of the help: one letter, alone or with
// what it is about, which is s.about then.
func commands() keymap.Table[*session] {
	return keymap.Table[*session]{
		{Keys: []string{"s"}, Help: "submit", When: reviewing, Do: (*session).submit},
		{Keys: []string{"a number"}, Help: "change that answer", When: reviewing},
		{Keys: []string{"o"}, Says: "o TEXT", Help: "answer in your own words", When: ownWords, Do: func(s *session) { s.other(s.about) }},
		{Keys: []string{"r"}, Help: "take what is recommended or the default", When: recommended, Do: (*session).recommend},
		{Keys: []string{"p"}, Says: "p NUMBER", Help: "show an option's preview", When: previews, Do: (*session).preview},
		{Keys: []string{"b"}, Help: "back to the question before", When: several, Do: (*session).back},
		{Keys: []string{"f"}, Help: "forward without answering", When: followed, Do: (*session).forward},
		{Keys: []string{"n"}, Says: "n TEXT", Help: "a note on what is asked here; n - removes it", When: notes, Do: (*session).note},
		{Keys: []string{"c"}, Says: "c NUMBER TEXT", Help: "a comment on an option", When: comments, Do: (*session).comment},
		{Keys: []string{"u"}, Help: "leave it unanswered, for discussion", When: partial, Do: (*session).unanswer},
		{Keys: []string{"x"}, Help: "decline, and say why", When: always, Do: func(s *session) { s.decline(s.about) }},
		{Keys: []string{"q"}, Help: "cancel", When: always, Do: (*session).cancel},
		{Keys: []string{"?"}, Help: "this list", When: always, Do: (*session).help},

		// What is said where a row above means nothing.
		{Keys: []string{"p"}, When: asking, Do: (*session).preview},
		{Keys: []string{"b"}, When: always, Do: (*session).back},
		{Keys: []string{"f"}, When: asking, Do: (*session).forward},
		{Keys: []string{"n", "c"}, When: onForm, Do: (*session).note},
		{Keys: []string{"n"}, When: always, Do: func(s *session) { s.say("This form takes no notes here.") }},
		{Keys: []string{"c"}, When: always, Do: func(s *session) { s.say("This form takes no comments on options.") }},
	}
}

// What the conditions of rows say.
func always(*session) bool        { return true }
func asking(s *session) bool      { return s.m.Question() != nil }
func reviewing(s *session) bool   { return s.m.Question() == nil }
func several(s *session) bool     { return len(s.m.Form().Questions) > 1 || s.m.Form().Review }
func followed(s *session) bool    { return asking(s) && several(s) }
func partial(s *session) bool     { return asking(s) && s.m.Form().Partial }
func recommended(s *session) bool { return asking(s) && s.m.CanRecommend(s.m.Step()) }
func ownWords(s *session) bool    { return asking(s) && s.m.Question().Other != "" && !s.dangerous() }
func onForm(s *session) bool      { return reviewing(s) && s.m.Form().Remarks == form.Comments }
func notes(s *session) bool       { return onForm(s) || asking(s) && s.m.Form().Remarks != form.NoRemarks }
func comments(s *session) bool {
	return asking(s) && s.m.Form().Remarks == form.Comments && len(s.m.Question().Options) > 0
}
func previews(s *session) bool {
	return asking(s) && slices.ContainsFunc(s.m.Question().Options, func(o form.Option) bool { return o.Preview != nil })
}

// split takes the line of a command apart; ok is false if it is none. Where text
// is typed a command has a slash before it, since a text may be a single letter.
func split(line string) (letter, about string, slash, ok bool) {
	line, slash = strings.CutPrefix(strings.TrimSpace(line), "/")
	if line == "" || !strings.Contains("?bcfnopqrsux", line[:1]) || len(line) > 1 && line[1] != ' ' && line[1] != '\t' {
		return "", "", false, false
	}
	return line[:1], strings.TrimSpace(line[1:]), slash, true
}

func (s *session) command(letter, about string) {
	s.about = about
	if !commands().Do(s, letter) {
		s.say("%s means nothing here; ? lists what does.", letter)
	}
}

func (s *session) help() {
	slash := ""
	if s.takesText() {
		slash = "/"
	}
	for _, h := range commands().Footer(s, nil) {
		s.say("  %s%s: %s", slash, h.Keys, h.Help)
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

func (s *session) back() { s.move(machine.Prev, "There is no question before this one.") }

func (s *session) forward() {
	otherwise := "This is the last question; it has to be answered."
	if s.m.ReviewHidden() {
		otherwise = "This has to be confirmed first."
	}
	s.move(machine.Next, otherwise)
}

// move goes to another step, or says why it does not.
func (s *session) move(a machine.Action, otherwise string) {
	step := s.m.Step()
	if s.event(a); s.m.Step() == step {
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
	q, i := s.m.Question(), s.m.Step()
	s.event(machine.Recommend)
	if a := s.m.Answer(i); s.m.Notice() == "" || a.Given() {
		s.sayWith("Taken:", q.Say(a, "", nil))
	}
}

func (s *session) preview() {
	o, i, _ := s.option()
	if o == nil || o.Preview == nil {
		s.say("Type p and the number of an option that has a preview.")
		return
	}
	s.say("Preview of %d, %s:", i+1, cmp.Or(text.OneLine(o.Preview.Type, 20), "text"))
	s.quote(2, o.Preview.Content)
	if t := o.Preview.Type; t == "html" || t == "svg" {
		s.say("A browser would show this as a picture.")
	}
}

// option is the option whose number the command has; nil if there is none.
func (s *session) option() (o *form.Option, i int, rest string) {
	word, rest, _ := strings.Cut(s.about, " ")
	n, err := strconv.Atoi(word)
	if options := s.m.Question().Options; err == nil && n >= 1 && n <= len(options) {
		return &options[n-1], n - 1, strings.TrimSpace(rest)
	}
	return nil, 0, ""
}

// ask asks for the next line, which take gets; a blank one leaves things as they
// are, which otherwise says.
func (s *session) ask(words, otherwise string, take func(line string)) {
	s.say("%s", words)
	s.then = func(line string) {
		if strings.TrimSpace(line) == "" {
			s.sayAndShow(otherwise)
			return
		}
		take(line)
	}
}

func (s *session) cancel() {
	s.ask("Cancel the whole form? Type y or n.", "Not cancelled.", func(line string) {
		if yes := strings.ToLower(strings.TrimSpace(line)); yes != "y" && yes != "yes" {
			s.sayAndShow("Not cancelled.")
			return
		}
		if s.event(machine.Cancel); s.m.Mode() != machine.Over { // a dropdown that was open has folded up
			s.event(machine.Cancel)
		}
	})
}

// decline ends the form with a reason, picked or typed; without one it asks for it.
func (s *session) decline(reason string) {
	if reason != "" {
		s.refuse(len(machine.Reasons)+1, reason)
		return
	}
	words := "Decline, and say why: type a number or your own reason; an empty line goes back."
	for i, r := range machine.Reasons {
		words += fmt.Sprintf("\n  %d. %s", i+1, r)
	}
	s.ask(words, "Not declined.", func(line string) {
		line = strings.TrimSpace(line)
		n, err := strconv.Atoi(line)
		switch {
		case err != nil:
			s.refuse(len(machine.Reasons)+1, line)
		case n < 1 || n > len(machine.Reasons):
			s.sayAndShow(fmt.Sprintf("There is no reason %d; there are %d. Nothing is declined.", n, len(machine.Reasons)))
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
	if reviewing(s) {
		s.remark(machine.NoteForm, s.about)
		return
	}
	s.remark(machine.NoteQuestion, s.about)
}

func (s *session) comment() {
	o, i, text := s.option()
	if o == nil {
		s.say("Type c, the number of an option and your comment.")
		return
	}
	s.event(machine.First) // the remark goes to the choice under the cursor
	for range i {
		s.event(machine.Down)
	}
	s.remark(machine.NoteOption, text)
}

// remark writes a remark; without a text it asks for it.
func (s *session) remark(a machine.Action, text string) {
	if text == "" {
		s.ask("Type your note; an empty line changes nothing, and - removes it.", "Nothing is changed.", func(line string) { s.remark(a, strings.TrimSpace(line)) })
		return
	}
	s.event(a)
	if s.m.Mode() != machine.Note {
		s.say("This cannot be remarked on.")
		return
	}
	done := "Noted."
	if text == "-" {
		text, done = "", "Removed."
	}
	s.typeText(text)
	s.event(machine.Leave)
	s.say("%s", done)
}
