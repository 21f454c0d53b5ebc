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

// control defines what a button or a select of the message does. With an entry it opens
// that and moves nothing, since it may never come back; do is then for what was typed.
type control struct {
	entry *Entry
	step  int  // that it belongs to
	sends bool // what was said before
	do    func(Event) (wrong string)
}

// typed ends the id of an entry.
const typed = ".typed"

// lookup finds the control that somebody has used, if it still does what they have seen.
func (a *session) lookup(e Event, id string, comesBack bool) (c control, known bool) {
	if given, was := a.entries[id]; comesBack && was {
		return given, !a.barred()
	}
	c, known = a.controls[id]
	if at := strings.LastIndex(id, ".") + 1; !known && e.User.ID == a.editor && slices.Contains(a.earlier, id[at:]) {
		c, known = a.controls[id[:at]+a.current]
	}
	return c, known && (a.Ref == "" || e.Ref == a.Ref) // it may be there a moment before that is known
}

// respond carries out what somebody has done, and answers them.
func (a *session) respond(e Event) {
	var r Reply
	id, comesBack := strings.CutSuffix(e.ID, typed)
	c, known := a.lookup(e, id, comesBack)
	switch {
	case a.First != nil:
		r.Notice = howEnded(a.Entry, a.Req, *a.First) + unsent(e)
	case known && c.entry != nil:
		entry := *c.entry
		if entry.ID = id + typed; !comesBack {
			a.entries[id], r.Entry = c, &entry
		} else if r = a.perform(e, func() string { return a.typed(c, e) }); r.Notice != "" && a.First == nil {
			r.Entry = &entry
		}
	case known:
		r = a.perform(e, func() string { return c.do(e) })
	default:
		r.Notice = "That was meant for what the message does not show any more; nothing was done." + unsent(e)
		if e.Ref == a.Ref { // unless we err
			a.doubt()
		}
	}
	a.tell(e, r)
	if !comesBack && a.Ref != "" && e.Ref != a.Ref {
		a.closeDuplicate(e.Ref)
	}
}

// closeDuplicate closes a message of this question that nobody knows: its desk was killed, or
// cut off, before it heard that it was posted. Those of other questions stay as they are.
func (a *session) closeDuplicate(ref string) {
	for _, m := range a.kept {
		if m.Ref == ref {
			return
		}
	}
	a.retire("duplicate "+ref, message{Ref: ref}, "This question is in another message.")
}

// perform runs an action for a user and returns the reply they get.
func (a *session) perform(e Event, do func() (wrong string)) Reply {
	a.Via = &form.Via{Name: text.OneLine(e.User.Name, 40), ID: text.OneLine(e.User.ID, 40)}
	before, place := a.fingerprint(), a.Place()
	wrong := do()
	if now := a.fingerprint(); now != before {
		if e.User.ID != a.editor || before != a.current || place != a.Place() {
			a.earlier = nil
		}
		a.editor, a.current, a.earlier = e.User.ID, now, append(a.earlier, before)
	}
	switch {
	case a.First != nil && !a.Mine:
		return Reply{Notice: howEnded(a.Entry, a.Req, *a.First) + unsent(e)}
	case a.First != nil:
		return Reply{}
	}
	return Reply{Notice: cmp.Or(wrong, a.Notice, a.M.Notice())}
}

func (a *session) apply(actions ...machine.Action) {
	for _, action := range actions {
		a.Handle(machine.Event{Action: action})
	}
}

func (a *session) pick(n int) { a.Handle(machine.Event{Action: machine.Pick, N: n}) }

// typed applies a text to the question that its entry belongs to, whatever the message shows
// meanwhile.
func (a *session) typed(c control, e Event) (wrong string) {
	for a.M.Leaving() || a.M.Mode() == machine.Decline {
		a.apply(machine.Back)
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
			a.apply(machine.Back)
		}
	}
	return wrong
}

// typing types a text into the open entry.
func (a *session) typing(said string, then machine.Action) {
	a.Handle(machine.Event{Action: machine.Type, Text: said})
	a.apply(then)
}

// answer answers the question on view with a text; given is what the entry held when it
// was opened.
func (a *session) answer(given, said string) {
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
		a.apply(machine.Open) // where it is not open
	}
	if a.M.EntryText(step) != given { // somebody has typed there since
		a.M.KeepBeside(said)
	}
	a.typing(said, machine.Accept)
}

// tick ticks those values and no others. One that was turned by itself says what it was
// before, so that hitting it twice turns it once.
func (a *session) tick(values []string, turned bool) (wrong string) {
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

// number chooses by the numbers that somebody has typed.
func (a *session) number(said string) (wrong string) {
	q := a.M.Question()
	values := strings.FieldsFunc(said, func(r rune) bool { return strings.ContainsRune(",; \n", r) })
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
		a.apply(machine.First, machine.Commit) // from no Other, which that would open
	case len(values) == 1:
		n, _ := strconv.Atoi(values[0])
		a.pick(n)
	default:
		return "Give one number; nothing was done."
	}
	return ""
}
