package plain

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/machine"
)

// commandLine is one letter, alone or with what it is about. Where text is
// typed a command needs the slash, since a text may be a single letter.
//
// Compiled when first used: every askpane would wait for it at its start.
var commandLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(/?)([?bfncpuqxrso])(?:[ \t]+(.*))?$`)
})

// takesText reports whether a line here is a text.
func (s *session) takesText() bool {
	q := s.m.Question()
	return q != nil && (q.Kind == form.Text || s.m.Dangerous(s.m.Step()))
}

func (s *session) event(a machine.Action) { s.m.Handle(machine.Event{Action: a}) }

func (s *session) pick(n int) { s.m.Handle(machine.Event{Action: machine.Pick, N: n}) }

func (s *session) typeText(text string) {
	s.m.Handle(machine.Event{Action: machine.Type, Text: text})
}

// resume closes what a draft of the form on a screen has open. What is typed
// stays where it was; a remark that was begun is kept.
func (s *session) resume() {
	switch s.m.Mode() {
	case machine.Note:
		s.event(machine.Leave)
	case machine.Reason, machine.Decline, machine.Entry, machine.Filter:
		s.event(machine.Back)
	}
	if s.m.FilterText() != "" { // every choice has its number here
		s.event(machine.Find)
		s.event(machine.Back)
	}
}

// handle does what one line says.
func (s *session) handle(line string) {
	if s.m.Mode() == machine.Over {
		return // its answer is to be written again
	}
	step := s.m.Step()
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
	s.page = s.page || s.m.Step() != step
}

func (s *session) line(line string) {
	if m := commandLine().FindStringSubmatch(strings.TrimSpace(line)); m != nil && (m[1] != "" || !s.takesText()) {
		s.command(m[2], strings.TrimSpace(m[3]))
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
	case s.m.Dangerous(s.m.Step()):
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
	if rest, ok := strings.CutPrefix(line, "/"); ok && strings.HasPrefix(rest, "/") && commandLine().MatchString(strings.TrimSpace(rest)) {
		return rest
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

// numbers chooses by number; after an o the rest is a text of one's own.
func (s *session) numbers(q *form.Question, line string) {
	var chosen []int
	own, typed := false, ""
	for rest := strings.NewReplacer(",", " ", "\t", " ").Replace(line); ; {
		rest = strings.TrimLeft(rest, " \t")
		word, after, _ := strings.Cut(rest, " ")
		if word == "" {
			break
		}
		if word == "o" {
			// The text from the line itself, with its commas.
			own, typed = true, strings.TrimSpace(line[len(line)-len(after):])
			break
		}
		n, err := strconv.Atoi(word)
		most := len(q.Options)
		if q.Other != "" {
			most++
		}
		if err != nil || n < 0 || n > most || n == 0 && q.Kind == form.One {
			s.say("There is no choice %s; type a number from 1 to %d.", text.OneLine(word, 30), most)
			return
		}
		if n > 0 && !slices.Contains(chosen, n) {
			chosen = append(chosen, n)
		}
		rest = after
	}
	if at := slices.Index(chosen, len(q.Options)+1); at >= 0 {
		chosen, own = slices.Delete(chosen, at, at+1), true
	}
	switch {
	case len(chosen) == 0 && !own && strings.Trim(line, " \t,") == "":
		s.say("There is no number in that.")
	case own && q.Other == "":
		s.say("Only the options can be chosen here.")
	case q.Kind == form.Many:
		s.tickAll(q, chosen, own, typed)
	case len(chosen) > 1 || own && len(chosen) > 0:
		s.say("Only one can be chosen here.")
	case own:
		s.other(typed, false)
	default:
		s.unfold()
		s.pick(chosen[0])
	}
}

// unfold opens a dropdown, whose choices are all on view here.
func (s *session) unfold() {
	if q := s.m.Question(); q.Style == form.Dropdown && s.m.Mode() == machine.Closed {
		s.event(machine.Open)
	}
}

// tickAll makes chosen, and a text where own is set, all that is ticked, and
// goes on.
func (s *session) tickAll(q *form.Question, chosen []int, own bool, text string) {
	i := s.m.Step()
	s.unfold()
	for c := range q.Options {
		if s.m.Ticked(i, c) != slices.Contains(chosen, c+1) {
			s.pick(c + 1)
		}
	}
	if !own && s.m.Ticked(i, len(q.Options)) {
		s.pick(len(q.Options) + 1)
	}
	if own {
		s.other(text, true)
		return
	}
	s.commit(q)
}

// commit makes what is ticked the answer. On a question with no options the
// machine would open its Other instead.
func (s *session) commit(q *form.Question) {
	s.unfold()
	if len(q.Options) == 0 && !s.m.Ticked(s.m.Step(), 0) {
		s.say("Type o and your text, or f to go on without.")
		return
	}
	s.event(machine.First)
	s.event(machine.Commit)
}

// other answers in one's own words; without a text it asks for it. andGo goes on
// from a Many, where there may be more to tick.
func (s *session) other(text string, andGo bool) {
	q, i := s.m.Question(), s.m.Step()
	typed := s.m.EntryText(i)
	if text == "" {
		s.say("Type your own words; an empty line goes back.")
		if typed != "" {
			s.say("A single dot takes what you typed before:")
			s.tell(2, typed)
		}
		s.then = func(line string) {
			if typed != "" && strings.TrimSpace(line) == "." {
				line = typed
			}
			if strings.TrimSpace(line) == "" {
				s.say("Nothing is typed.")
				s.page = true
				return
			}
			s.other(line, andGo)
		}
		return
	}
	s.unfold()
	row := len(q.Options) + 1
	if q.Kind == form.Many && s.m.Ticked(i, row-1) {
		s.pick(row) // off, to be opened again
	}
	s.pick(row)
	s.enter(text)
	if q.Kind != form.Many || s.m.Mode() == machine.Over || s.m.Step() != i {
		return
	}
	if andGo {
		s.commit(q)
		return
	}
	s.say("Chosen. An empty line goes on with what is chosen; numbers choose anew.")
	s.page = true
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
	if !s.typing {
		if s.m.Mode() == machine.Closed {
			s.event(machine.Open)
		}
		s.typing, s.typed = true, nil
		if old := s.m.EntryText(s.m.Step()); line == "+" && old != "" {
			s.typed = strings.Split(old, "\n")
			return
		}
		line = literal(line)
	}
	switch line {
	case ".":
		text := s.m.EntryText(s.m.Step())
		if len(s.typed) > 0 {
			text = strings.Join(s.typed, "\n")
		}
		s.typing, s.typed = false, nil
		s.enter(text)
		return
	case "..":
		line = "."
	}
	s.typed = append(s.typed, line)
	s.typeText(strings.Join(s.typed, "\n"))
}

// empty is an empty line: it takes what is chosen, typed or recommended already
// and says so, but never for a dangerous question.
func (s *session) empty(q *form.Question) {
	i := s.m.Step()
	a := s.m.Answer(i)
	switch {
	case s.m.Dangerous(i):
		s.say("An empty line confirms nothing: type the resource name.")
	case q.Kind == form.Text || q.Kind == form.Number:
		s.taken(s.m.EntryText(i))
		s.enter(s.m.EntryText(i))
	case q.Kind == form.Many:
		s.taken(s.ticked(q))
		s.commit(q)
	case len(a.Choices) > 0:
		s.taken(q.Say(a, "", nil))
		s.unfold()
		s.pick(a.Choices[0] + 1)
	case a.Text != nil:
		s.taken(*a.Text)
		s.other(*a.Text, false)
	case s.m.CanRecommend(i):
		s.recommend(q)
	default:
		s.say("Nothing is chosen yet: type a number.")
	}
}

// recommend takes what the agent recommends, or has as its default.
func (s *session) recommend(q *form.Question) {
	i := s.m.Step()
	s.event(machine.Recommend)
	if a := s.m.Answer(i); s.m.Notice() == "" || a.Given() {
		s.taken(q.Say(a, "", nil))
	}
}

// taken says what an empty line stands for.
func (s *session) taken(what string) {
	if strings.TrimSpace(what) != "" {
		s.say("Taken:")
		s.tell(2, what)
	}
}

func (s *session) ticked(q *form.Question) string {
	i := s.m.Step()
	var labels []string
	for c, o := range q.Options {
		if s.m.Ticked(i, c) {
			labels = append(labels, o.Label)
		}
	}
	if q.Other != "" && s.m.Ticked(i, len(q.Options)) {
		labels = append(labels, s.m.EntryText(i))
	}
	return strings.Join(labels, ", ")
}
