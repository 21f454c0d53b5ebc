package scene

import (
	"fmt"
	"slices"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/keymap"
	"github.com/askpane/askpane/popup/machine"
)

// Action can be done to a form now, in the words of its dialect.
type Action struct {
	Label  string
	Events []machine.Event
	Keys   []string // that do it in a popup; none of what answers
}

// Effect returns the last thing that it does.
func (a Action) Effect() machine.Action { return a.Events[len(a.Events)-1].Action }

func action(label string, keys []string, does ...machine.Action) Action {
	a := Action{Label: label, Keys: keys}
	for _, one := range does {
		a.Events = append(a.Events, machine.Event{Action: one})
	}
	return a
}

// besides lists the actions that stand beside the answer, wherever the dialect has a key
// for them.
var besides = []machine.Action{machine.Next, machine.Prev, machine.Back, machine.Leave, machine.Unanswer, machine.NoteOption, machine.NoteQuestion,
	machine.NoteForm, machine.Recommend, machine.RecommendAll, machine.Refuse, machine.ShowHelp}

// actions returns what the dialect's keys do to m now: first what answers, then the rest. No two
// have the same name.
func actions(m *machine.Machine, st Status) (primary, others []Action) {
	if over := covering(m); over != nil {
		return over, nil
	}
	if m.Mode() == machine.Review {
		primary = append(primary, action(Submit, nil, machine.Last, machine.Choose))
	}
	m, first := below(m)
	cancel, at := []Action{}, map[machine.Action]int{} // where in others
	for _, b := range keymap.Of(m.Form()).Keys() {
		if b.Help == "" || !b.Applies(m) || m.DeadEnd(b.Action) {
			continue
		}
		now := Action{called(m, b, st.Gone), append(slices.Clone(first), events(m, b.Action)...), b.Keys}
		i, there := at[b.Action]
		switch {
		case answers(m, b.Action):
			now.Keys = nil
			primary = append(primary, now)
		case b.Action == machine.Cancel:
			cancel = []Action{now}
		case there:
			others[i].Keys = slices.Concat(others[i].Keys, now.Keys)
		case slices.Contains(besides, b.Action):
			at[b.Action] = len(others)
			others = append(others, now)
		}
	}
	primary = append(primary, committing(m)...)
	if m.Takes(machine.HandBack) {
		others = append(others, action(Capital(HandingBack(st.Agent)), nil, machine.HandBack))
	}
	return primary, append(others, cancel...) // it is the last to be hit by chance
}

// committing returns what sends the answer that a closed entry or a list with a row for that has.
func committing(m *machine.Machine) []Action {
	switch mode := m.Mode(); {
	case mode == machine.Number || mode == machine.Closed:
		return []Action{action("Answer", nil, machine.Open, machine.Accept)}
	case mode == machine.List && m.Question().SelectRow:
		return []Action{{Label: "Select", Events: events(m, machine.Commit)}}
	}
	return nil
}

// covering returns all that can be done while something lies over m that takes nothing else.
func covering(m *machine.Machine) []Action {
	esc := []string{"Esc"}
	switch {
	case m.Leaving():
		return []Action{action("Keep it", nil, machine.Back), action("Cancel it", esc, machine.Cancel)}
	case m.Mode() == machine.Help:
		return []Action{action("Close", esc, machine.Back)}
	case m.Mode() == machine.Over: // the answer could not be written
		return []Action{action("Try again", nil, machine.Choose)}
	}
	return nil
}

// events returns those that a button for an action sends. What is ticked is sent wherever the cursor
// is: on an Other that is not ticked, the key would open that.
func events(m *machine.Machine, a machine.Action) []machine.Event {
	if a == machine.Commit && m.Cursor() == len(m.Question().Options) && !m.Ticked(m.Step(), m.Cursor()) {
		return []machine.Event{{Action: machine.First}, {Action: a}}
	}
	return []machine.Event{{Action: a}}
}

// below closes in a copy of m the entry that stands open all the time on a surface with buttons, where
// its question has one, and returns what closes it.
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
	return a == machine.Accept && m.Typing() && m.Mode() != machine.Filter || a == machine.Commit && m.Question().Kind == form.Many && !m.Question().SelectRow
}

// called says what one of the dialect's keys does.
func called(m *machine.Machine, b keymap.Binding, agentGone bool) string {
	switch {
	case b.Action == machine.Next: // the footer has one word for both ways
		return "Next"
	case b.Action == machine.Commit && !m.DeadEnd(machine.Next): // and calls this next, which passes no question by
		return "Answer"
	case b.Action == machine.Prev:
		return "Previous"
	case b.Action == machine.NoteOption:
		return "Comment on " + text.Quoted(Name(m.Question(), m.Cursor()), 30)
	case b.Action == machine.Cancel && agentGone: // nobody is there to be told
		return Capital(Dismiss)
	}
	return Capital(b.Help)
}

// Place names what is on view of m. What was pressed on something else does not count.
func Place(m *machine.Machine) string {
	over := ""
	switch mode := m.Mode(); mode {
	case machine.Note, machine.Decline, machine.Reason, machine.Help, machine.Over:
		over = string(mode)
	case machine.Entry:
		if q := m.Question(); q.Kind == form.One || q.Kind == form.Many {
			over = string(mode)
		}
	}
	if n := m.Anews(); n > 0 {
		over += fmt.Sprint(" anew ", n)
	}
	return fmt.Sprint(m.Step(), over, m.Leaving())
}
