package plain

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/machine"
)

// dangerous reports whether the question on view is answered by typing a name.
func (s *session) dangerous() bool { return s.M.Question() != nil && s.M.Dangerous(s.M.Step()) }

// takesText reports whether a line here is a text.
func (s *session) takesText() bool {
	q := s.M.Question()
	return q != nil && (q.Kind == form.Text || s.dangerous())
}

func (s *session) event(a machine.Action) { s.Handle(machine.Event{Action: a}) }

// typeText types into what is open. What has come there while something was asked in between was not shown.
func (s *session) typeText(text string) {
	if s.Met {
		s.M.KeepBeside(text)
	}
	s.Handle(machine.Event{Action: machine.Type, Text: text})
}

// pick chooses by number.
func (s *session) pick(n int) { s.Handle(machine.Event{Action: machine.Pick, N: n}) }

// handle does what one line says.
func (s *session) handle(line string) {
	step, anew := s.M.Step(), s.M.Anews()
	switch {
	case s.then != nil:
		then := s.then
		s.then = nil
		then(line)
	case s.typing:
		s.textLine(line)
	default:
		s.line(line)
	}
	if s.M.Anews() != anew { // what is typed ahead was meant for what was shown before
		s.guard.Start(time.Now(), time.Time{})
		s.page = true
	}
	s.page = s.page || s.M.Step() != step
}

// line handles a line where nothing has been asked in between.
func (s *session) line(line string) {
	if letter, about, slash, ok := split(line); ok && (slash || !s.takesText()) {
		s.command(letter, about)
		return
	}
	switch q := s.M.Question(); {
	case q == nil:
		s.reopen(line)
	case strings.TrimSpace(line) == "":
		s.empty(q)
	case s.dangerous(), q.Kind == form.Number, q.Kind == form.Text && !q.Multiline:
		s.enter(literal(line))
	case q.Kind == form.Text:
		s.textLine(literal(line))
	default:
		s.numbers(q, line)
	}
}

// literal takes away the slash that keeps a text from being a command.
func literal(line string) string {
	rest, _ := strings.CutPrefix(line, "/")
	if _, _, slash, command := split(rest); command && slash {
		return rest
	}
	return line
}

// reopen goes from the review to the question that a number names.
func (s *session) reopen(line string) {
	n, err := strconv.Atoi(strings.TrimSpace(line))
	if most := len(s.M.Form().Questions); err != nil || n < 1 || n > most {
		s.say("Type s to submit, or a number from 1 to %d to change that answer.", most)
		return
	}
	s.pick(n)
}

// numbers chooses by number, counted from 1; after an o the rest is a text of the
// person's own.
func (s *session) numbers(q *form.Question, line string) {
	line, words, own := strings.Cut(" "+line+" ", " o ")
	words = strings.TrimSpace(words)
	other := len(q.Options) + 1
	most := other
	if !takesOther(q) {
		most--
	}
	var chosen []int
	for _, word := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" ,\t", r) }) {
		n, err := strconv.Atoi(word)
		if err != nil || n < 0 || n > most || n == 0 && q.Kind == form.One {
			s.say("There is no choice %s; type a number from 1 to %d.", text.OneLine(word, 30), most)
			return
		}
		chosen = append(chosen, n)
	}
	if own {
		chosen = append(chosen, other)
	}
	switch {
	case own && !takesOther(q):
		s.say("Only the options can be chosen here.")
	case len(chosen) == 0:
		s.say("There is no number in that.")
	case q.Kind == form.Many:
		s.tick(q, chosen, words)
	case len(chosen) > 1:
		s.say("Only one can be chosen here.")
	case chosen[0] == other:
		s.other(words, false)
	default:
		s.pick(chosen[0])
		s.askRemark()
	}
}

// takesOther reports whether q may be answered in one's own words. Nobody edits a document line
// by line.
func takesOther(q *form.Question) bool { return q.Other != "" && q.Document == nil }

// askRemark asks for the remark that goes with a choice, which may be empty.
func (s *session) askRemark() {
	if !s.M.Sends() {
		return
	}
	s.say("Type what should change; an empty line sends nothing more than your choice.")
	s.then = func(line string) {
		s.typeText(strings.TrimSpace(line))
		s.event(machine.Accept)
	}
}

// tick makes chosen all that is ticked of a Many, with words where the person's own
// are among it, and goes on.
func (s *session) tick(q *form.Question, chosen []int, words string) {
	other := len(q.Options) + 1
	own := slices.Contains(chosen, other)
	for n := 1; n <= other; n++ {
		if n == other && own { // a text replaces the one that is there
			s.other(words, true)
			return
		}
		if s.M.Ticked(s.M.Step(), n-1) != slices.Contains(chosen, n) {
			s.pick(n)
		}
	}
	s.commit(q)
}

// commit makes what is ticked the answer. On a question with no options the
// machine would open its Other instead.
func (s *session) commit(q *form.Question) {
	if len(q.Options) == 0 && !s.M.Ticked(s.M.Step(), 0) {
		s.say("Type o and your text, or f to go on without.")
		return
	}
	s.event(machine.First)
	s.event(machine.Commit)
}

// other answers in one's own words; without a text it asks for it. goOn goes on
// from a Many, where there may be more to tick.
func (s *session) other(text string, goOn bool) {
	if text == "" {
		s.ask("Type your own words; an empty line goes back.", "Nothing is typed.", func(line string) { s.other(line, goOn) })
		return
	}
	q := s.M.Question()
	s.event(machine.TypeOther)
	s.enter(text)
	switch {
	case q.Kind != form.Many:
	case goOn:
		s.commit(q)
	default:
		s.sayAndShow("Chosen. An empty line goes on with what is chosen; numbers choose again.")
	}
}

// enter types text into the entry of the question on view and accepts it. What
// is refused is said, and the entry holds what it held before.
func (s *session) enter(text string) {
	i := s.M.Step()
	old := s.M.EntryText(i)
	s.event(machine.Open) // where it is not open
	s.typeText(text)
	s.event(machine.Accept)
	if refusal := s.M.Notice(); refusal != "" && s.M.Step() == i && s.M.Typing() {
		s.say("%s", refusal)
		s.typeText(old)
		s.event(machine.Back)
	}
}

// textLine handles a line of a text that may have several. It is in the draft as soon
// as it is typed.
func (s *session) textLine(line string) {
	typed, first := s.M.EntryText(s.M.Step()), !s.typing
	s.typing = line != "."
	s.event(machine.Open) // where it is not open
	switch {
	case line == ".":
		s.enter(typed)
		return
	case first && line == "+" && typed != "":
		return // what follows is added to it
	case line == "..":
		line = "."
	}
	if !first {
		line = typed + "\n" + line
	}
	s.typeText(line)
}

// empty handles an empty line: it accepts what is chosen, typed or recommended already
// and says so, but never for a dangerous question.
func (s *session) empty(q *form.Question) {
	i := s.M.Step()
	a := s.M.Answer(i)
	switch {
	case s.dangerous():
		s.say("An empty line confirms nothing: type the resource name.")
		return
	case q.Kind == form.Text || q.Kind == form.Number:
		s.enter(s.M.EntryText(i))
	case q.Kind == form.Many:
		s.commit(q)
	case len(a.Choices) > 0:
		s.pick(a.Choices[0] + 1)
	case a.Text != nil:
		s.other(*a.Text, false)
	case s.M.CanRecommend(i):
		s.event(machine.Recommend)
	default:
		s.say("Nothing is chosen yet: type a number.")
	}
	s.sayTaken(i)
}

// sayTaken says what question i has been answered with, where the person has not
// just typed it.
func (s *session) sayTaken(i int) {
	s.sayWith("Taken:", s.M.Form().Questions[i].Say(s.M.Answer(i), "", nil))
}
