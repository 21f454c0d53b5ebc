package chat

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/machine"
)

// control is what a button or a select of the message does. With an entry it opens that
// and moves nothing, since it may never come back; do is then for what was typed.
type control struct {
	entry *Entry
	step  int  // that it belongs to
	sends bool // what was said before
	do    func(Event) (wrong string)
}

// typed ends the id of an entry.
const typed = ".typed"

// meant is the control that somebody has used, where it still does what they have seen.
func (a *asked) meant(e Event, id string, comesBack bool) (c control, known bool) {
	if given, was := a.entries[id]; comesBack && was {
		return given, !a.barred()
	}
	c, known = a.controls[id]
	if at := strings.LastIndex(id, ".") + 1; !known && e.User.ID == a.hand && slices.Contains(a.trail, id[at:]) {
		c, known = a.controls[id[:at]+a.led]
	}
	return c, known && (a.Ref == "" || e.Ref == a.Ref) // it may be there a moment before that is known
}

// take does what somebody has done, and answers them.
func (a *asked) take(e Event) {
	var r Reply
	id, comesBack := strings.CutSuffix(e.ID, typed)
	c, known := a.meant(e, id, comesBack)
	switch {
	case a.First != nil:
		r.Notice = farewell(a.Entry, a.Req, *a.First) + unsent(e)
	case known && c.entry != nil:
		entry := *c.entry
		if entry.ID = id + typed; !comesBack {
			a.entries[id], r.Entry = c, &entry
		} else if r = a.outcome(e, func() string { return a.typed(c, e) }); r.Notice != "" && a.First == nil {
			r.Entry = &entry
		}
	case known:
		r = a.outcome(e, func() string { return c.do(e) })
	default:
		r.Notice = "That was meant for what the message does not show any more; nothing was done." + unsent(e)
		if e.Ref == a.Ref { // unless we err
			a.doubt()
		}
	}
	a.tell(e, r)
	if !comesBack && a.Ref != "" && e.Ref != a.Ref {
		a.stray(e.Ref)
	}
}

// stray closes a message that nobody knows: its desk was killed, or cut off, before it heard
// that it was posted. Those of other questions stay as they are, whatever is said of them.
func (a *asked) stray(ref string) {
	for _, m := range a.kept {
		if m.Ref == ref {
			return
		}
	}
	a.bury("stray "+ref, message{Ref: ref}, "This question is in another message.")
}

// outcome is what somebody is told for whom that is done.
func (a *asked) outcome(e Event, do func() (wrong string)) Reply {
	a.Via = &form.Via{Name: text.OneLine(e.User.Name, 40), ID: text.OneLine(e.User.ID, 40)}
	before, place := a.said(), a.Place()
	wrong := do()
	if now := a.said(); now != before {
		if e.User.ID != a.hand || before != a.led || place != a.Place() {
			a.trail = nil
		}
		a.hand, a.led, a.trail = e.User.ID, now, append(a.trail, before)
	}
	switch {
	case a.First != nil && !a.Mine:
		return Reply{Notice: farewell(a.Entry, a.Req, *a.First) + unsent(e)}
	case a.First != nil:
		return Reply{}
	}
	return Reply{Notice: cmp.Or(wrong, a.Notice, a.M.Notice())}
}

func (a *asked) act(actions ...machine.Action) {
	for _, action := range actions {
		a.Handle(machine.Event{Action: action})
	}
}

func (a *asked) pick(n int) { a.Handle(machine.Event{Action: machine.Pick, N: n}) }

// typed does what an entry is for. That says by itself which question it belongs to,
// whatever the message shows meanwhile.
func (a *asked) typed(c control, e Event) (wrong string) {
	for a.M.Leaving() || a.M.Mode() == machine.Decline {
		a.act(machine.Back)
	}
	if c.step != a.M.Step() {
		a.Handle(machine.Event{Action: machine.GoTo, N: c.step})
	}
	if c.step != a.M.Step() {
		return "That question cannot be changed now." + unsent(e)
	}
	wrong = cmp.Or(c.do(e), a.Notice, a.M.Notice())
	for _, over := range []machine.Mode{machine.Entry, machine.Reason, machine.Decline} {
		if a.First == nil && a.M.Mode() == over { // it did not take the text, which stays in it
			a.act(machine.Back)
		}
	}
	return wrong
}

// typing types into what is open.
func (a *asked) typing(said string, then machine.Action) {
	a.Handle(machine.Event{Action: machine.Type, Text: said})
	a.act(then)
}

// answer answers the question on view with a text; given is what the entry held when it
// was opened.
func (a *asked) answer(given, said string) {
	q, step := a.M.Question(), a.M.Step()
	if a.M.Mode() == machine.List {
		other := len(q.Options) + 1
		if a.M.Ticked(step, other-1) {
			if a.pick(other); removed(said) { // it is taken back
				return
			}
		}
		a.pick(other)
	} else {
		a.act(machine.Open) // where it is not open
	}
	if a.M.EntryText(step) != given { // somebody has typed there since
		a.M.KeepBeside(said)
	}
	a.typing(said, machine.Accept)
}

// tick has those values ticked and no others. One that was turned by itself says what it
// was before, so that who hits it twice has turned it once.
func (a *asked) tick(values []string, turned bool) (wrong string) {
	step := a.M.Step()
	for i := range a.M.Question().Options {
		n := strconv.Itoa(i + 1)
		off := slices.Contains(values, n+was)
		on := slices.Contains(values, n) || off && !turned
		if (on || off || !turned) && a.M.Ticked(step, i) != on {
			a.pick(i + 1)
		}
	}
	return ""
}

// was ends the value of a choice that is ticked.
const was = "x"

// number chooses by what somebody has typed.
func (a *asked) number(said string) (wrong string) {
	q := a.M.Question()
	values := strings.FieldsFunc(said, func(r rune) bool { return strings.ContainsRune(",; ", r) })
	for i, v := range values {
		n, err := strconv.Atoi(v)
		if err != nil || n < 1 || n > len(q.Options) {
			return fmt.Sprintf("%s is no number from 1 to %d; nothing was done.", text.Quoted(v, 20), len(q.Options))
		}
		values[i] = strconv.Itoa(n)
	}
	switch {
	case q.Kind == form.Many && len(values) > 0:
		a.tick(values, false)
		a.act(machine.First, machine.Commit) // from no Other, which that would open
	case len(values) == 1:
		n, _ := strconv.Atoi(values[0])
		a.pick(n)
	default:
		return "Give one number; nothing was done."
	}
	return ""
}
