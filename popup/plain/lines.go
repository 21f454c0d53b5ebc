package plain

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/machine"
)

// dangerous reports whether the question on view is answered by typing a name.
func (s *session) dangerous() bool { return s.m.Question() != nil && s.m.Dangerous(s.m.Step()) }

// takesText reports whether a line here is a text.
func (s *session) takesText() bool {
	q := s.m.Question()
	return q != nil && (q.Kind == form.Text || s.dangerous())
}

func (s *session) event(a machine.Action) { s.m.Handle(machine.Event{Action: a}) }

func (s *session) typeText(text string) {
	s.m.Handle(machine.Event{Action: machine.Type, Text: text})
}

// pick chooses by number. All choices of a dropdown are on view here.
func (s *session) pick(n int) {
	s.unfold()
	s.m.Handle(machine.Event{Action: machine.Pick, N: n})
}

func (s *session) unfold() {
	if q := s.m.Question(); q != nil && q.Style == form.Dropdown && s.m.Mode() == machine.Closed {
		s.event(machine.Open)
	}
}

// handle does what one line says.
func (s *session) handle(line string) {
	step := s.m.Step()
	switch {
	case s.m.Mode() == machine.Over: // the answer is to be written again
	case s.then != nil:
		then := s.then
		s.then = nil
		then(line)
	case s.typing:
		s.textLine(line)
	default:
		s.line(line)
	}
	s.page = s.page || s.m.Step() != step
}

// line is a line where nothing has been asked in between.
func (s *session) line(line string) {
	if letter, about, slash, ok := split(line); ok && (slash || !s.takesText()) {
		s.command(letter, about)
		return
	}
	q := s.m.Question()
	switch blank := strings.TrimSpace(line) == ""; {
	case q == nil && blank:
		s.say("Type s to submit.")
	case q == nil:
		s.reopen(line)
	case blank:
		s.empty(q)
	case s.dangerous():
		s.enter(literal(line))
	case q.Kind == form.Text && q.Multiline:
		s.textLine(line)
	case q.Kind == form.Text:
		s.enter(literal(line))
	case q.Kind == form.Number:
		s.enter(line)
	default:
		s.numbers(q, line)
	}
}

// literal takes away the slash that keeps a text from being a command.
func literal(line string) string {
	if rest, ok := strings.CutPrefix(line, "/"); ok {
		if _, _, slash, command := split(rest); command && slash {
			return rest
		}
	}
	return line
}

// reopen goes from the review to the question that a number names.
func (s *session) reopen(line string) {
	n, err := strconv.Atoi(strings.TrimSpace(line))
	if most := len(s.m.Form().Questions); err != nil || n < 1 || n > most {
		s.say("Type s to submit, or a number from 1 to %d to change that answer.", most)
		return
	}
	s.pick(n)
}

// choice is what a line of numbers says.
type choice struct {
	options []int // counted from 1
	own     bool  // an answer in the person's own words
	text    string
}

// ownAfter finds the o after which the rest of a line is a text of the person's own.
var ownAfter = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:^|[ ,\t])o(?:[ ,\t]|$)`) })

// parse reads a line of numbers; refusal says what is wrong with it.
func parse(q *form.Question, line string) (c choice, refusal string) {
	if at := ownAfter().FindStringIndex(line); at != nil {
		line, c.own, c.text = line[:at[0]], true, strings.TrimSpace(line[at[1]:])
	}
	words := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" ,\t", r) })
	if len(words) == 0 && !c.own {
		return c, "There is no number in that."
	}
	most := len(q.Options)
	if q.Other != "" {
		most++
	}
	for _, word := range words {
		n, err := strconv.Atoi(word)
		if err != nil || n < 0 || n > most || n == 0 && q.Kind == form.One {
			return c, fmt.Sprintf("There is no choice %s; type a number from 1 to %d.", text.OneLine(word, 30), most)
		}
		if n > len(q.Options) {
			c.own = true
		} else if n > 0 && !slices.Contains(c.options, n) {
			c.options = append(c.options, n)
		}
	}
	return c, c.refusal(q)
}

// refusal says why c is no answer to q; empty where it is one.
func (c choice) refusal(q *form.Question) string {
	switch n := len(c.options); {
	case c.own && q.Other == "":
		return "Only the options can be chosen here."
	case q.Kind == form.One && (n > 1 || c.own && n > 0):
		return "Only one can be chosen here."
	}
	return ""
}

// numbers chooses by number; after an o the rest is a text of one's own.
func (s *session) numbers(q *form.Question, line string) {
	c, refusal := parse(q, line)
	switch {
	case refusal != "":
		s.say("%s", refusal)
	case q.Kind == form.Many:
		s.tick(q, c)
	case c.own:
		s.other(c.text)
	default:
		s.pick(c.options[0])
	}
}

// tick makes c all that is ticked, and goes on.
func (s *session) tick(q *form.Question, c choice) {
	i, other := s.m.Step(), len(q.Options)
	for n := 1; n <= other; n++ {
		if s.m.Ticked(i, n-1) != slices.Contains(c.options, n) {
			s.pick(n)
		}
	}
	if c.own {
		s.askOther(c.text, true)
		return
	}
	if s.m.Ticked(i, other) {
		s.pick(other + 1)
	}
	s.commit(q)
}

// commit makes what is ticked the answer. On a question with no options the
// machine would open its Other instead.
func (s *session) commit(q *form.Question) {
	if len(q.Options) == 0 && !s.m.Ticked(s.m.Step(), 0) {
		s.say("Type o and your text, or f to go on without.")
		return
	}
	s.unfold()
	s.event(machine.First)
	s.event(machine.Commit)
}

// other answers in one's own words; without a text it asks for it.
func (s *session) other(text string) { s.askOther(text, false) }

// askOther is other; goOn goes on from a Many, where there may be more to tick.
func (s *session) askOther(text string, goOn bool) {
	if text != "" {
		s.enterOther(text, goOn)
		return
	}
	typed := s.m.EntryText(s.m.Step())
	s.ask("Type your own words; an empty line goes back.", "Nothing is typed.", func(line string) {
		if typed != "" && strings.TrimSpace(line) == "." {
			line = typed
		}
		s.enterOther(line, goOn)
	})
	s.sayWith("A single dot takes what you typed before:", typed)
}

func (s *session) enterOther(text string, goOn bool) {
	q, i := s.m.Question(), s.m.Step()
	row := len(q.Options) + 1
	if q.Kind == form.Many && s.m.Ticked(i, row-1) {
		s.pick(row) // off, to be opened again
	}
	s.pick(row)
	s.enter(text)
	switch {
	case q.Kind != form.Many || s.m.Mode() == machine.Over || s.m.Step() != i:
	case goOn:
		s.commit(q)
	default:
		s.sayAndShow("Chosen. An empty line goes on with what is chosen; numbers choose anew.")
	}
}

// enter types text into the entry of the question on view and accepts it. What
// is refused is said, and the entry holds what it held before.
func (s *session) enter(text string) {
	i := s.m.Step()
	old := s.m.EntryText(i)
	if m := s.m.Mode(); m == machine.Number || m == machine.Closed {
		s.event(machine.Open)
	}
	s.typeText(text)
	s.event(machine.Accept)
	refusal := s.m.Notice()
	m := s.m.Mode()
	if refusal == "" || s.m.Step() != i || m != machine.Entry && m != machine.Text && m != machine.Danger {
		return
	}
	s.say("%s", refusal)
	s.typeText(old)
	s.event(machine.Back)
}

// textLine is a line of a text that may have several. It is in the draft as soon
// as it is typed.
func (s *session) textLine(line string) {
	typed := s.m.EntryText(s.m.Step())
	first := !s.typing
	if first {
		s.typing = true
		if s.m.Mode() == machine.Closed {
			s.event(machine.Open)
		}
		if line == "+" && typed != "" {
			return // what follows is added to it
		}
		line = literal(line)
	}
	switch line {
	case ".":
		s.typing = false
		s.enter(typed)
		return
	case "..":
		line = "."
	}
	if !first {
		line = typed + "\n" + line
	}
	s.typeText(line)
}

// empty is an empty line: it takes what is chosen, typed or recommended already
// and says so, but never for a dangerous question.
func (s *session) empty(q *form.Question) {
	i := s.m.Step()
	a, typed := s.m.Answer(i), s.m.EntryText(i)
	switch {
	case s.dangerous():
		s.say("An empty line confirms nothing: type the resource name.")
	case q.Kind == form.Text || q.Kind == form.Number:
		s.sayWith("Taken:", q.Hidden(typed))
		s.enter(typed)
	case q.Kind == form.Many:
		s.sayWith("Taken:", q.Say(s.m.Ticks(), "", nil))
		s.commit(q)
	case len(a.Choices) > 0:
		s.sayWith("Taken:", q.Say(a, "", nil))
		s.pick(a.Choices[0] + 1)
	case a.Text != nil:
		s.sayWith("Taken:", *a.Text)
		s.other(*a.Text)
	case s.m.CanRecommend(i):
		s.recommend()
	default:
		s.say("Nothing is chosen yet: type a number.")
	}
}
