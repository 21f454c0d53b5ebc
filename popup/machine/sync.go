package machine

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
)

// A form may be on several surfaces at once. Each has a machine of its own, writes its
// draft over the one on the disk (Merge), and takes from there what the others have said
// (Meet). The rule that must hold here: in whatever order they write, read and die, all
// have the same in the end, and a text goes only when somebody who had it before them,
// in the entry or beside it, says something else there.

// part is what is merged as a whole. Of question i, 2i is what is said to it, with what
// is typed and ticked, and 2i+1 the remarks on it; comment is the one on the form.
type part int

const comment part = -1

func (p part) question() int { return int(p) / 2 }
func (p part) said() bool    { return p >= 0 && p%2 == 0 }

// Stamp tells the states of a part apart.
type Stamp struct {
	By string `json:"by"` // the surface that has changed it last
	// Seen counts the changes of each surface that are in it.
	Seen map[string]int `json:"seen"`
}

// includes reports whether whoever made s had seen t.
func (s Stamp) includes(t Stamp) bool {
	for by, n := range t.Seen {
		if s.Seen[by] < n {
			return false
		}
	}
	return true
}

// parts are those of a form of n questions.
func parts(n int) (all []part) {
	for p := comment; p < part(2*n); p++ {
		all = append(all, p)
	}
	return all
}

// Merge is what is to be written over disk, which others may have changed, for what a
// machine holds. Of two who have changed a part without having seen the other's, the
// later to write it has its way.
func Merge(disk, mine Draft) Draft {
	d := mine.clone()
	for _, p := range parts(len(d.Answers)) {
		switch mine, theirs := d.Stamps[p], disk.Stamps[p]; {
		case mine.includes(theirs):
		case theirs.includes(mine):
			d.follow(disk, p)
		default:
			d.join(disk, p)
		}
	}
	d.Views = maps.Clone(disk.Views)
	if disk.By != d.By && strings.TrimSpace(disk.Note+disk.Reason) != "" {
		d.Views = with(d.Views, disk.By, disk.View)
	}
	delete(d.Views, d.By)
	return d
}

// Gather is what is to be written over disk where other is on another machine's disk. Of
// two who have changed a part without having seen the other's, the name decides, so that
// all machines have the same in the end, in whatever order they hear of each other. The
// view stays that of disk.
func Gather(disk, other Draft) Draft {
	d := other.clone()
	for _, p := range parts(len(d.Answers)) {
		mine, theirs := disk.Stamps[p], other.Stamps[p]
		older := mine.By < theirs.By || mine.By == theirs.By && mine.Seen[mine.By] < theirs.Seen[mine.By]
		switch knows, known := mine.includes(theirs), theirs.includes(mine); {
		case known && (!knows || older):
		case knows:
			d.follow(disk, p)
		case older:
			d.By = theirs.By
			d.join(disk, p)
		default:
			d.By = mine.By
			d.follow(disk, p)
			d.join(other, p)
		}
	}
	d.By, d.View, d.Views = disk.By, disk.View, disk.Views
	return d
}

// Meet takes over from d, which is on the disk now, what others have said knowing what is
// said here, and reports whether that changes anything. (What they have said without, the
// next Merge settles: those happen one at a time.) An entry that is open and was typed in
// here keeps its text until it is left, and what the others typed there is Offered. What
// is secret, and the view, are nobody else's.
func (m *Machine) Meet(d Draft) (changed bool) {
	if m.outcome != "" || m.reading {
		return false
	}
	m.offer = nil
	met, followed := m.s.clone(), []int{}
	for _, p := range parts(len(m.form.Questions)) {
		mine, theirs, i := met.Stamps[p], d.Stamps[p], p.question()
		switch {
		case p.said() && m.form.Questions[i].Secret, mine.includes(theirs), !theirs.includes(mine):
		case m.typing && p == m.entryPart() && at(d.Entries, i) != met.Entries[i]:
			m.offer, changed = &d, true
		default:
			met.follow(d, p)
			followed, changed = append(followed, i), true
		}
	}
	m.s.Stamps, m.s.Comment = met.Stamps, met.Comment
	for _, i := range followed {
		m.restoreAnswer(i, met)
	}
	m.distrust()
	return changed
}

// entryPart is the part that the open entry of a question belongs to; comment where
// none is open.
func (m *Machine) entryPart() part {
	switch m.Mode() {
	case Entry, Text, Danger:
		return part(2 * m.s.Step)
	}
	return comment
}

// follow takes over a part.
func (d *Draft) follow(other Draft, p part) {
	i := p.question()
	d.Stamps = with(d.Stamps, p, other.Stamps[p])
	theirs := at(other.Answers, i)
	switch {
	case p == comment:
		d.Comment = other.Comment
	case p.said():
		theirs.Note, theirs.OptionNotes = d.Answers[i].Note, d.Answers[i].OptionNotes
		d.Answers[i], d.Entries[i], d.Checked[i] = theirs, at(other.Entries, i), at(other.Checked, i)
		d.besides(i, other.Beside[i])
	default:
		d.Answers[i].Note, d.Answers[i].OptionNotes = theirs.Note, theirs.OptionNotes
	}
}

// join keeps a part and what of other would be lost: a text that was typed is beside the
// entry, remarks follow each other.
func (d *Draft) join(other Draft, p part) {
	i, mine, theirs := p.question(), d.Stamps[p], other.Stamps[p]
	seen := maps.Clone(mine.Seen)
	for by, n := range theirs.Seen {
		seen[by] = max(seen[by], n)
	}
	d.Stamps = with(d.Stamps, p, Stamp{mine.By, seen})
	switch {
	case p == comment:
		d.Comment = both(d.Comment, other.Comment)
	case !p.said():
		a, notes := at(other.Answers, i), maps.Clone(d.Answers[i].OptionNotes)
		for o, note := range a.OptionNotes {
			notes = with(notes, o, both(notes[o], note))
		}
		d.Answers[i].Note, d.Answers[i].OptionNotes = both(d.Answers[i].Note, a.Note), notes
	default:
		beside := map[string]string{}
		maps.Copy(beside, other.Beside[i])
		for by := range other.Beside[i] {
			if mine.Seen[by] > theirs.Seen[by] { // it has said something else since
				delete(beside, by)
			}
		}
		for by, typed := range d.Beside[i] {
			if mine.Seen[by] >= theirs.Seen[by] {
				beside[by] = typed
			}
		}
		if theirs.By != d.By && mine.Seen[theirs.By] <= theirs.Seen[theirs.By] {
			beside[theirs.By] = at(other.Entries, i)
		}
		d.besides(i, beside)
	}
}

// both is two remarks as one.
func both(a, b string) string {
	switch {
	case strings.Contains(a, b):
		return a
	case strings.Contains(b, a):
		return b
	}
	return a + "\n" + b
}

// at is element i, or nothing where there is none.
func at[T any](all []T, i int) (none T) {
	if i < len(all) {
		return all[i]
	}
	return none
}

// with is a copy of all in which key has a value.
func with[M ~map[K]V, K comparable, V any](all M, key K, value V) M {
	copied := make(M, len(all)+1)
	maps.Copy(copied, all)
	copied[key] = value
	return copied
}

// same reports whether a part is the same in two states of one machine.
func (d *Draft) same(other *Draft, p part) bool {
	if p == comment {
		return d.Comment == other.Comment
	}
	i := p.question()
	a, b := d.Answers[i], other.Answers[i]
	if !p.said() {
		return a.Note == b.Note && maps.Equal(a.OptionNotes, b.OptionNotes)
	}
	return d.Entries[i] == other.Entries[i] && slices.Equal(d.Checked[i], other.Checked[i]) && maps.Equal(d.Beside[i], other.Beside[i]) &&
		reflect.DeepEqual(a.Said(), b.Said())
}

// stamp says who has changed what is not as it was before.
func (m *Machine) stamp(before Draft) {
	for _, p := range parts(len(m.form.Questions)) {
		if !m.s.same(&before, p) {
			m.change(p)
		}
	}
}

// change stamps a part as changed here; what is said to a secret question is never met.
func (m *Machine) change(p part) {
	if i := p.question(); p.said() {
		if m.form.Questions[i].Secret {
			return
		}
		m.s.besides(i, m.s.Beside[i])
	}
	seen := m.s.Stamps[p].Seen
	m.s.Stamps = with(m.s.Stamps, p, Stamp{m.s.By, with(seen, m.s.By, seen[m.s.By]+1)})
}

// handled follows every event.
func (m *Machine) handled(e Event, before Draft) {
	m.stamp(before)
	p, stays := m.entryPart(), m.s.Step == before.Step
	if e.Action == Accept && m.offer != nil && m.s.same(&before, part(2*before.Step)) {
		m.change(part(2 * before.Step)) // it was kept against the offer
	}
	typed := p != comment && m.s.Entries[m.s.Step] != before.Entries[m.s.Step]
	m.typing = p != comment && stays && e.Action != TakeOffer && (m.typing || typed)
	if m.offer != nil && !m.typing {
		m.Meet(*m.offer)
	}
}

// Offered is what was typed to the question on view and is not what stands there: on
// another surface, while somebody typed here. It is empty where there is nothing, or
// where the question has its answer and no entry is open.
func (m *Machine) Offered() string {
	q := m.Question()
	if q == nil || q.Secret {
		return ""
	}
	switch i := m.s.Step; m.Mode() {
	case List, Number, Closed, Entry, Text, Danger:
		if m.entryPart() == comment && (m.s.Answers[i].Given() || q.Other == "" && q.Kind != form.Number && q.Kind != form.Text) {
			return ""
		}
		if m.offer != nil && at(m.offer.Entries, i) != m.s.Entries[i] {
			return text.Entered(at(m.offer.Entries, i))
		}
		for _, by := range slices.Sorted(maps.Keys(m.s.Beside[i])) {
			return m.s.Beside[i][by]
		}
	}
	return ""
}

func (m *Machine) takeOffer() {
	offered, i := m.Offered(), m.s.Step
	if offered == "" {
		m.notice = "Nothing else was typed here."
		return
	}
	kept, by := m.s.Entries[i], m.s.Stamps[part(2*i)].By
	if m.offer != nil {
		m.typing = false
		m.Meet(*m.offer)
	} else {
		m.s.Entries[i] = offered
	}
	beside := maps.Clone(m.s.Beside[i])
	maps.DeleteFunc(beside, func(_, typed string) bool { return typed == offered })
	for beside[by] != "" { // somebody's earlier one
		by += "+"
	}
	m.s.besides(i, with(beside, by, kept))
	if m.retype(); m.entryPart() == comment {
		m.s.Over = Entry
	}
}

// KeepBeside puts what somebody else has typed into the open entry beside it, where next
// is a text that was typed here without having seen it.
func (m *Machine) KeepBeside(next string) {
	p, i := m.entryPart(), m.s.Step
	if p == comment || strings.HasPrefix(next, m.s.Entries[i]) {
		return
	}
	if by := m.s.Stamps[p].By; by != "" && by != m.s.By {
		m.s.Beside = with(m.s.Beside, i, with(m.s.Beside[i], by, m.s.Entries[i]))
	}
}

// besides is what stands beside the entry of question i from now on.
func (d *Draft) besides(i int, beside map[string]string) {
	if len(beside) == 0 && d.Beside[i] == nil {
		return
	}
	clean := map[string]string{}
	for by, typed := range beside {
		if typed = text.Entered(typed); strings.TrimSpace(typed) != "" && typed != d.Entries[i] {
			clean[by] = typed
		}
	}
	d.Beside = with(d.Beside, i, clean)
	if len(clean) == 0 {
		delete(d.Beside, i)
	}
}
