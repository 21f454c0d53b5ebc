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
// (Meet). The rule that must hold here: in whatever order they write, read and die, the
// same stands for all in the end, and a text goes only when somebody who had it before
// them, in its place or beside it, says something else there.

// knows reports whether whoever made d had all of other in view.
func (d Draft) knows(other Draft) bool {
	for by, revision := range other.Seen {
		if d.Seen[by] < revision {
			return false
		}
	}
	return true
}

// later reports whether d stands where neither of two drafts was made with the other in
// view. A tie goes to the surfaces of the asking machine, else the name decides.
func (d Draft) later(other Draft, asking string) bool {
	asks := strings.HasSuffix(d.Writer, "@"+asking)
	switch {
	case d.Revision != other.Revision:
		return d.Revision > other.Revision
	case asks != strings.HasSuffix(other.Writer, "@"+asking):
		return asks
	}
	return d.Writer > other.Writer
}

// Join returns the one of two drafts that was made with the other in view. If neither was,
// it returns the later one, which offers the texts of the other. asking names the machine
// that asks, where the drafts are of several.
func Join(a, b Draft, asking string) Draft {
	switch knows, known := b.knows(a), a.knows(b); {
	case knows && !known:
		return b
	case known && !knows:
		return a
	case a.later(b, asking):
		a, b = b, a
	}
	d := b.clone()
	for by, revision := range a.Seen {
		d.Seen = with(d.Seen, by, max(d.Seen[by], revision))
	}
	for i := range max(len(a.Answers), len(b.Answers)) + 1 {
		d.keep(i, a.Beside[i]...)
		if b.Seen[a.Writer] < a.Revision { // else only what a offers is new
			d.keep(i, a.texts(i)...)
		}
	}
	return d
}

// Merge returns what to write over disk, which others may have changed, for the draft of a
// machine.
func Merge(disk, mine Draft) Draft {
	d := Join(mine, disk, "")
	d.Version, d.View, d.Views = mine.Version, mine.View, maps.Clone(disk.Views)
	if disk.By != d.By && strings.TrimSpace(disk.Note+disk.Reason) != "" {
		d.Views = with(d.Views, disk.By, disk.View)
	}
	delete(d.Views, d.By)
	return d
}

// Meet takes over d, which is on the disk now, and reports whether that changes anything.
// An entry that is open and was typed in here keeps its text until it is left, and what the
// others typed there is Offered. What is secret, and the view, are nobody else's.
func (m *Machine) Meet(d Draft) (changed bool) {
	if m.outcome != "" || m.reading || m.s.knows(d) && !d.knows(m.s) {
		return false
	}
	before, offered := m.kept(), m.Offered()
	met := Join(m.Draft(), New(m.form, &d, false).s, "")
	m.offer = nil
	for i, q := range m.form.Questions {
		held := m.typing && i == m.s.Step && !q.Secret && met.Entries[i] != m.s.Entries[i]
		if held {
			m.offer = new(met.clone())
		}
		if held || q.Secret {
			met.replace(i, m.s)
		}
	}
	met.View, met.Views = m.s.View, m.s.Views
	m.s = met
	m.distrust()
	return !same(before, m.kept()) || m.Offered() != offered
}

// replace puts in the place of what is said to question i what other has. The remarks on it stay.
func (d *Draft) replace(i int, other Draft) {
	d.Answers[i], d.Entries[i], d.Checked[i] = other.Answers[i].Remarked(d.Answers[i]), other.Entries[i], other.Checked[i]
}

// texts returns what was typed to question i; behind the last question, to the form.
func (d Draft) texts(i int) []string {
	if i == len(d.Answers) {
		return []string{d.Comment}
	}
	a := at(d.Answers, i)
	return append(a.Notes(), at(d.Entries, i))
}

// keep offers texts with question i, or with the form, besides those that are offered
// there: each that does not stand there and that no other one begins with.
func (d *Draft) keep(i int, texts ...string) {
	texts = slices.Concat(texts, d.Beside[i])
	slices.Sort(texts)
	stand, kept := d.texts(i), []string{}
	for _, typed := range slices.Backward(texts) {
		typed = text.Entered(typed)
		begins := func(longer string) bool { return strings.HasPrefix(longer, typed) }
		if strings.TrimSpace(typed) != "" && !slices.Contains(stand, typed) && !slices.ContainsFunc(kept, begins) {
			kept = append(kept, typed)
		}
	}
	if _, there := d.Beside[i]; !there && len(kept) == 0 {
		return
	}
	if d.Beside = with(d.Beside, i, kept); len(kept) == 0 {
		delete(d.Beside, i)
	}
}

// at returns element i, or nothing where there is none.
func at[T any](all []T, i int) (none T) {
	if i < len(all) {
		return all[i]
	}
	return none
}

// with returns a copy of all in which key has a value.
func with[M ~map[K]V, K comparable, V any](all M, key K, value V) M {
	copied := make(M, len(all)+1)
	maps.Copy(copied, all)
	copied[key] = value
	return copied
}

// same reports whether the same was said in two drafts.
func same(a, b Draft) bool {
	said := func(d Draft) []any { return []any{d.Answers, d.Entries, d.Checked, d.Comment, d.Beside} }
	return reflect.DeepEqual(said(a), said(b))
}

// change makes what was said a revision of this surface's.
func (m *Machine) change() {
	m.s.Revision++
	m.s.Writer = m.s.By
	m.s.Seen = with(m.s.Seen, m.s.By, m.s.Revision)
	for i := range m.s.Beside {
		m.s.keep(i)
	}
}

// handled follows every event.
func (m *Machine) handled(e Event, before Draft) {
	i := before.Step
	changed := !same(before, m.kept())
	if m.offer != nil && (changed || e.Action == Accept) { // it was kept against the offer
		own := func(typed string) bool { return typed == before.Entries[i] }
		m.s.Beside = with(m.s.Beside, i, append(slices.DeleteFunc(slices.Clone(m.s.Beside[i]), own), m.offer.Entries[i]))
		m.offer, changed = nil, true
	}
	open := m.entryOpen()
	typed := open && m.s.Entries[m.s.Step] != before.Entries[m.s.Step]
	m.typing = open && m.s.Step == i && e.Action != TakeOffer && (m.typing || typed)
	if m.offer != nil && !m.typing {
		m.s.replace(i, *m.offer)
		m.offer = nil
		m.distrust()
	}
	if changed {
		m.change()
	}
}

// entryOpen reports whether the entry of a question is open.
func (m *Machine) entryOpen() bool {
	mode := m.Mode()
	return mode == Entry || mode == Text || mode == Danger
}

// place returns where the texts are that are offered with what is on view: at which
// question, or behind the last for the form; there is none where offered is false.
func (m *Machine) place() (i int, offered bool) {
	q := m.Question()
	switch m.Mode() {
	case List, Document, Number, Closed:
		return m.s.Step, !q.Secret && !m.s.Answers[m.s.Step].Given()
	case Entry, Text, Danger:
		return m.s.Step, !q.Secret
	case Note:
		if m.s.Remark != onForm {
			return m.s.Step, true
		}
		fallthrough
	case Review:
		return len(m.form.Questions), m.form.Remarks == form.Comments
	}
	return 0, false
}

// Offered returns what was typed to what is on view and does not stand there: on another
// surface, while somebody typed here. It is empty where there is nothing, or where the
// question has its answer and nothing is open.
func (m *Machine) Offered() string {
	if m.offer == nil && len(m.s.Beside) == 0 {
		return ""
	}
	i, offered := m.place()
	switch {
	case !offered:
		return ""
	case m.offer != nil && m.offer.Entries[i] != m.s.Entries[i]:
		return m.offer.Entries[i]
	}
	all := strings.Join(m.s.Beside[i], "\n")
	if q := m.Question(); m.Mode() != Note && q != nil && (m.Dangerous(i) || q.Kind == form.Number || q.Kind == form.Text && !q.Multiline) {
		return strings.ReplaceAll(all, "\n", " ")
	}
	return all
}

func (m *Machine) takeOffer() {
	offered := m.Offered()
	i, _ := m.place()
	switch q := m.Question(); {
	case offered == "" || m.buffer() != nil:
	case q == nil:
		m.openNote(NoteForm)
	case q.Other != "" || q.Kind == form.Number || q.Kind == form.Text:
		m.s.Over = Entry
	default:
		m.openNote(NoteQuestion)
	}
	entry := m.buffer()
	if offered == "" || entry == nil {
		m.notice = "Nothing else was typed here."
		return
	}
	kept := *entry
	if m.offer != nil {
		m.s.replace(i, *m.offer)
		m.offer = nil
	} else {
		*entry = offered
		m.s.Beside = with(m.s.Beside, i, nil)
	}
	if m.entryOpen() {
		m.retype()
	} else {
		m.saveNote()
	}
	m.s.keep(i, kept)
}

// KeepBeside offers what the open entry holds, and what is saved of the open remark, where next
// is a text that was typed here without having seen it.
func (m *Machine) KeepBeside(next string) {
	m.s.Held = ""
	if i := m.s.Step; m.entryOpen() && !m.TypingSecret() && !strings.HasPrefix(next, m.s.Entries[i]) {
		m.s.Beside = with(m.s.Beside, i, append(slices.Clone(m.s.Beside[i]), m.s.Entries[i]))
	}
}

// SaidHere reports whether what was said last was said here.
func (m *Machine) SaidHere() bool { return m.s.Writer == m.s.By }
