package page

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/keymap"
	"github.com/askpane/askpane/popup/layout"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/preview/styled"
	"github.com/askpane/askpane/popup/record"
)

// besides are the actions that have a button beside the answer, wherever the dialect
// has a key for them.
var besides = []machine.Action{machine.Next, machine.Prev, machine.Back, machine.Leave, machine.Unanswer, machine.NoteOption, machine.NoteQuestion,
	machine.NoteForm, machine.Recommend, machine.RecommendAll, machine.Refuse, machine.ShowHelp}

// buttons are what the dialect's keys do now, in its words: first what answers, then
// the rest.
func (s *session) buttons(m *machine.Machine) (primary, others []button) {
	m, first := below(m)
	cancel, at := []button{}, map[machine.Action]int{} // where in others
	for _, b := range keymap.Of(m.Form()).Keys {
		if b.Help == "" || !b.Applies(m) {
			continue
		}
		now := button{Label: s.called(m, b), Do: do(append(first, act(named[b.Action]))...), Key: typeable(b.Keys)}
		i, there := at[b.Action]
		switch {
		case answers(m, b.Action):
			now.Key = ""
			primary = append(primary, now)
		case b.Action == machine.Cancel:
			cancel = []button{now}
		case there:
			others[i].Key = strings.TrimSpace(others[i].Key + " " + now.Key)
		case slices.Contains(besides, b.Action):
			at[b.Action] = len(others)
			others = append(others, now)
		}
	}
	switch mode := m.Mode(); {
	case mode == machine.Number || mode == machine.Closed:
		primary = append(primary, button{Label: accepting(m), Do: do(act("open"), act("accept"))})
	case mode == machine.List && m.Question().SelectRow:
		primary = append(primary, button{Label: "Select", Do: do(act("commit"))})
	}
	return primary, append(others, cancel...) // it is the last to be hit by chance
}

// below is m without the entry that stands open here all the time, where its question
// has one, and what closes that.
func below(m *machine.Machine) (*machine.Machine, []did) {
	if q := m.Question(); m.Mode() != machine.Entry || q.Kind == form.One || q.Kind == form.Many {
		return m, nil
	}
	under := *m
	under.Handle(machine.Event{Action: machine.Back})
	return &under, []did{act("back")}
}

// answers reports whether an action answers the question on view.
func answers(m *machine.Machine, a machine.Action) bool {
	return a == machine.Accept && m.Mode() != machine.Filter || a == machine.Commit && m.Question().Kind == form.Many
}

// called is what a button for one of the dialect's keys says.
func (s *session) called(m *machine.Machine, b keymap.Binding) string {
	switch {
	case b.Action == machine.Next: // the footer has one word for both ways
		return "Next"
	case b.Action == machine.Prev:
		return "Previous"
	case b.Action == machine.NoteOption:
		return "Comment on " + text.Quoted(layout.Name(m.Question(), m.Cursor()), 30)
	case b.Action == machine.Cancel && s.asker.AgentGone: // nobody is there to be told
		return "Dismiss"
	}
	return capital(b.Help)
}

// accepting is the dialect's word for answering with what an entry holds.
func accepting(m *machine.Machine) string {
	for _, b := range keymap.Of(m.Form()).Keys {
		if b.Action == machine.Accept && slices.Contains(b.Modes, machine.Entry) {
			return capital(b.Help)
		}
	}
	return "Answer"
}

func capital(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

// typeable are those of keys that a browser keeps for nothing of its own.
func typeable(keys []string) string {
	var ours []string
	for _, k := range keys {
		switch {
		case k == "Esc":
			ours = append(ours, "Escape")
		case utf8.RuneCountInString(k) == 1:
			ours = append(ours, k)
		}
	}
	return strings.Join(ours, " ")
}

// keys are the help: those of the question or the review under it.
func (s *session) keys() (keys [][2]string) {
	under := *s.m
	under.Handle(machine.Event{Action: machine.Back}) // any event leaves the help
	if n := under.Picks(); n > 0 && under.Mode() != machine.Number && under.Mode() != machine.Closed {
		keys = append(keys, [2]string{"1–" + strconv.Itoa(min(n, 9)), "choose"})
	}
	keys = append(keys, [2]string{"Tab, Shift+Tab", "go through what can be done"}, [2]string{"Enter, Space", "do it"}, [2]string{"↑ ↓", "another choice"},
		[2]string{"Shift+Enter", "new line"})
	_, others := s.buttons(&under)
	for _, b := range others {
		if b.Key != "" {
			keys = append(keys, [2]string{strings.ReplaceAll(strings.ReplaceAll(b.Key, "Escape", "Esc"), " ", ", "), strings.ToLower(b.Label[:1]) + b.Label[1:]})
		}
	}
	return keys
}

// refusal is the reasons for declining.
func (s *session) refusal(p *formPage) {
	p.Heading = layout.Declining
	p.Choices = &choices{}
	for i, reason := range layout.Reasons() {
		pick := []did{{Do: "pick", N: i + 1}}
		if s.m.Mode() == machine.Reason {
			pick = []did{act("back"), act("refuse"), pick[0]}
		}
		n := strconv.Itoa(i + 1)
		p.Choices.Rows = append(p.Choices.Rows, choice{button: button{ID: "reason" + n, Label: reason, Do: do(pick...), Key: n}, N: i + 1})
	}
	if s.m.Mode() == machine.Reason {
		p.Entry = &entry{ID: "reason", Label: "Your reason", Several: true}
	}
}

// summed is the review.
func (s *session) summed(p *formPage) {
	p.Heading = keymap.Of(s.m.Form()).Look.Review
	p.Review = reviewed(s.m)
	for i := range p.Review.Rows {
		row := &p.Review.Rows[i]
		row.Do, row.Key = do(append(s.back(), did{Do: "pick", N: i + 1})...), strconv.Itoa(i+1)
	}
	p.Review.Open = layout.Open(s.m)
	if s.m.Mode() == machine.Note { // then what answers is for the comment
		return
	}
	p.Primary = append([]button{{ID: "submit", Label: "Submit", Do: do(act("last"), act("choose"))}}, p.Primary...)
}

// reviewed is what was said to each question.
func reviewed(m *machine.Machine) *review {
	r := &review{}
	for i, q := range m.Form().Questions {
		value, style := layout.Answer(m, i)
		row := answered{button: button{Label: layout.Label(q.Label, 40)}, Value: text.Visible(value), Class: class(styled.Span{Style: style})}
		for _, remark := range layout.Remarks(m, i) {
			row.Remarks = append(row.Remarks, text.Visible(remark))
		}
		r.Rows = append(r.Rows, row)
	}
	if c := m.Comment(); c != "" && m.Mode() != machine.Note {
		r.Said = append(r.Said, "comment: "+text.Visible(c))
	}
	return r
}

// farewell is how the form has ended, and what else waits.
func (s *session) farewell() *over {
	words := record.EndedAt(*s.first)
	switch {
	case s.first.Outcome == form.Timeout:
		words = "expired: the deadline passed"
	case s.first.Outcome == form.Aborted:
		words = "withdrawn: the agent does not wait for it any more"
	case !s.mine:
		words = "already " + words
	}
	if late := s.entry.Away().Verdict; late != "" {
		words = late
	}
	o := &over{Words: capital(words) + "."}
	if n, next := s.board.others(s.entry.ID); n > 0 {
		o.Next = &button{Label: "Next question", Link: "#q=" + next}
	}
	return o
}

// field is what the open entry holds. A secret is never sent.
func (s *session) field(e *entry) *field {
	value := s.m.Buffer()
	if mode := s.m.Mode(); mode == machine.Number || mode == machine.Closed {
		value = s.m.EntryText(s.m.Step())
	}
	if e.Secret {
		value = s.typed.Value
	}
	if s.typed.ID != e.ID {
		if e.Secret {
			value = ""
		}
		s.typed = field{e.ID, s.typed.Rev + 1, value}
	} else if s.typed.Value != value {
		s.typed = field{e.ID, s.typed.Rev + 1, value}
	}
	shown := s.typed
	if e.Secret {
		shown.Value = ""
	}
	return &shown
}
