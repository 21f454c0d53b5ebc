package page

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/keymap"
	"github.com/askpane/askpane/popup/layout"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/preview/styled"
	"github.com/askpane/askpane/popup/record"
	"github.com/askpane/askpane/popup/sitting"
)

// buttons are what can be done to m: first what answers, then the rest.
func (s *session) buttons(m *machine.Machine) (primary, others []button) {
	answers, rest := s.Deeds(m)
	for _, d := range answers {
		primary = append(primary, button{Label: d.Label, Do: deed(d)})
	}
	for _, d := range rest {
		others = append(others, button{Label: d.Label, Do: deed(d), Key: typeable(d.Keys)})
	}
	return primary, others
}

// deed is one as a button carries it.
func deed(d sitting.Deed) string {
	var events []did
	for _, e := range d.Events {
		events = append(events, did{Do: named[e.Action], N: e.N, Text: e.Text})
	}
	return do(events...)
}

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
	under := *s.M
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
		if s.M.Mode() == machine.Reason {
			pick = []did{act("back"), act("refuse"), pick[0]}
		}
		n := strconv.Itoa(i + 1)
		p.Choices.Rows = append(p.Choices.Rows, choice{button: button{ID: "reason" + n, Label: reason, Do: do(pick...), Key: n}, N: i + 1})
	}
	if s.M.Mode() == machine.Reason {
		p.Entry = &entry{ID: "reason", Label: "Your reason", Several: true}
	}
}

// summed is the review.
func (s *session) summed(p *formPage) {
	p.Heading = keymap.Of(s.M.Form()).Look.Review
	p.Review = reviewed(s.M)
	for i := range p.Review.Rows {
		row := &p.Review.Rows[i]
		row.Do, row.Key = do(append(s.back(), did{Do: "pick", N: i + 1})...), strconv.Itoa(i+1)
	}
	p.Review.Open = layout.Open(s.M)
	if s.M.Mode() == machine.Note { // then what answers is for the comment
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
	words := sitting.Farewell(s.Entry, *s.First)
	if !s.Mine && words == record.EndedAt(*s.First) {
		words = "already " + words
	}
	o := &over{Words: sitting.Capital(words) + "."}
	if n, next := s.board.others(s.Entry.ID); n > 0 {
		o.Next = &button{Label: "Next question", Link: "#q=" + next}
	}
	return o
}

// field is what the open entry holds. A secret is never sent.
func (s *session) field(e *entry) *field {
	value := s.M.Buffer()
	if mode := s.M.Mode(); mode == machine.Number || mode == machine.Closed {
		value = s.M.EntryText(s.M.Step())
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
