package sitting

import (
	"fmt"
	"slices"
	"strings"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/keymap"
	"github.com/askpane/askpane/popup/layout"
	"github.com/askpane/askpane/popup/machine"
)

// Deed is something that can be done to a form now, in the words of its dialect.
type Deed struct {
	Label  string
	Events []machine.Event
	Keys   []string // which do it in a popup
}

// Does is the last thing that it does.
func (d Deed) Does() machine.Action { return d.Events[len(d.Events)-1].Action }

// besides are the actions that stand beside the answer, wherever the dialect has a key
// for them.
var besides = []machine.Action{machine.Next, machine.Prev, machine.Back, machine.Leave, machine.Unanswer, machine.NoteOption, machine.NoteQuestion,
	machine.NoteForm, machine.Recommend, machine.RecommendAll, machine.Refuse, machine.ShowHelp}

// Deeds are what the dialect's keys do to m now: first what answers, then the rest. No two
// have the same name.
func (s *Sitting) Deeds(m *machine.Machine) (primary, others []Deed) {
	m, first := below(m)
	cancel, at := []Deed{}, map[machine.Action]int{} // where in others
	for _, b := range keymap.Of(m.Form()).Keys {
		if b.Help == "" || !b.Applies(m) || m.DeadEnd(b.Action) {
			continue
		}
		now := Deed{s.called(m, b), append(slices.Clone(first), events(m, b.Action)...), b.Keys}
		i, there := at[b.Action]
		switch {
		case answers(m, b.Action):
			primary = append(primary, now)
		case b.Action == machine.Cancel:
			cancel = []Deed{now}
		case there:
			others[i].Keys = slices.Concat(others[i].Keys, now.Keys)
		case slices.Contains(besides, b.Action):
			at[b.Action] = len(others)
			others = append(others, now)
		}
	}
	switch mode := m.Mode(); {
	case mode == machine.Number || mode == machine.Closed:
		primary = append(primary, Deed{Label: accepting(m), Events: []machine.Event{{Action: machine.Open}, {Action: machine.Accept}}})
	case mode == machine.List && m.Question().SelectRow:
		primary = append(primary, Deed{Label: "Select", Events: events(m, machine.Commit)})
	}
	return primary, append(others, cancel...) // it is the last to be hit by chance
}

// events are what a button for an action does. What is ticked is sent wherever the cursor
// is: on an Other that is not ticked, the key would open that.
func events(m *machine.Machine, a machine.Action) []machine.Event {
	if a == machine.Commit && m.Cursor() == len(m.Question().Options) && !m.Ticked(m.Step(), m.Cursor()) {
		return []machine.Event{{Action: machine.First}, {Action: a}}
	}
	return []machine.Event{{Action: a}}
}

// below is m without the entry that stands open all the time on such surfaces, where its
// question has one, and what closes that.
func below(m *machine.Machine) (*machine.Machine, []machine.Event) {
	if q := m.Question(); m.Mode() != machine.Entry || q.Kind == form.One || q.Kind == form.Many {
		return m, nil
	}
	under := *m
	under.Handle(machine.Event{Action: machine.Back})
	return &under, []machine.Event{{Action: machine.Back}}
}

// answers reports whether an action answers the question on view.
func answers(m *machine.Machine, a machine.Action) bool {
	return a == machine.Accept && m.Mode() != machine.Filter || a == machine.Commit && m.Question().Kind == form.Many
}

// called is what one of the dialect's keys does, in words.
func (s *Sitting) called(m *machine.Machine, b keymap.Binding) string {
	switch {
	case b.Action == machine.Next: // the footer has one word for both ways
		return "Next"
	case b.Action == machine.Commit && !m.DeadEnd(machine.Next): // and calls this next, which passes no question by
		return "Answer"
	case b.Action == machine.Prev:
		return "Previous"
	case b.Action == machine.NoteOption:
		return "Comment on " + text.Quoted(layout.Name(m.Question(), m.Cursor()), 30)
	case b.Action == machine.Cancel && s.Asker.AgentGone: // nobody is there to be told
		return "Dismiss"
	}
	return Capital(b.Help)
}

// accepting is the dialect's word for answering with what an entry holds.
func accepting(m *machine.Machine) string {
	for _, b := range keymap.Of(m.Form()).Keys {
		if b.Action == machine.Accept && slices.Contains(b.Modes, machine.Entry) {
			return Capital(b.Help)
		}
	}
	return "Answer"
}

// Capital is words that begin a sentence.
func Capital(words string) string { return strings.ToUpper(words[:1]) + words[1:] }

// Place names what is on view. What was pressed on something else does not count.
func (s *Sitting) Place() string {
	over := ""
	switch mode := s.M.Mode(); mode {
	case machine.Note, machine.Decline, machine.Reason, machine.Help, machine.Over:
		over = string(mode)
	case machine.Entry:
		if q := s.M.Question(); q.Kind == form.One || q.Kind == form.Many {
			over = string(mode)
		}
	}
	return fmt.Sprint(s.M.Step(), over, s.M.Leaving())
}

// Leaving is the heading of a form whose cancel waits to be taken back.
func Leaving(agentGone bool) string {
	if agentGone {
		return "Dismissed in a moment"
	}
	return "Cancelled in a moment, and the agent is told so"
}
