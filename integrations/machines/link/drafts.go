package link

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/popup/machine"
)

// typing exchanges what is typed to a question, here and on other machines. Each writes what
// is on its disk to the hub, under its own name, and joins what the others have written with
// that (docs/design.md, A form on several surfaces).
type typing struct {
	has     map[string]machine.Draft // what the hub has, by machine
	met     []machine.Draft          // what is to be joined
	merging bool
	sending bool
}

// reset forgets what the hub had.
func (t *typing) reset() {
	t.has, t.sending = map[string]machine.Draft{}, false
}

// same reports whether the same was said in two drafts. Where somebody is in the form is
// each machine's own.
func same(a, b machine.Draft) bool {
	return maps.Equal(a.Seen, b.Seen) && maps.EqualFunc(a.Beside, b.Beside, slices.Equal)
}

// typed writes to the hub what was typed here, if nobody has yet.
func (l *link) typed(q *question) {
	s := l.hub
	if s == nil || !s.synced || q.sending {
		return
	}
	var d machine.Draft
	if found, err := q.entry.Draft(&d); !found || err != nil {
		return // one that cannot be read is for a surface to put aside
	}
	d = l.qualified(d)
	for _, known := range q.has {
		if same(d, known) {
			return
		}
	}
	readers := l.readers
	if m, err := l.members.Get(q.machine); same(d, q.has[l.me()]) || err != nil {
		return
	} else if !m.Person {
		readers = append(slices.Clone(readers), m)
	}
	q.sending = true
	s.write(Drafts, q.key()+"."+l.me(), readers, d, func(uint64, error) {
		q.sending = false
		if q.entry != nil { // there may be something else by now
			q.has[l.me()] = d
			l.typed(q)
		}
	})
}

// receiveDraft handles what was typed on another machine, or here before. It reports whether
// it could.
func (l *link) receiveDraft(i item) bool {
	id, writer := i.key[1], i.key[2]
	var q *question
	if a, o := l.mirrors[id], l.locals[id]; i.key[0] != l.me() && a != nil && a.machine == i.key[0] {
		q = &a.question
	} else if i.key[0] != l.me() { // it is to come, or is over
		return !i.there
	} else if o == nil && (l.blind || l.hub.undecided(id)) {
		return false
	} else if o == nil || o.entry == nil { // it is over
		if i.there {
			l.hub.purge(time.Minute, Drafts, i.name())
		}
		return true
	} else {
		q = &o.question
	}
	l.addDraft(q, writer, i)
	return true
}

// addDraft adds a draft to a question that is here.
func (l *link) addDraft(q *question, writer string, i item) {
	var d machine.Draft
	if !i.there || json.Unmarshal(i.value, &d) != nil || d.Version > form.Version {
		return
	}
	if q.has[writer] = d; writer == l.me() {
		return
	}
	q.met = append(q.met, machine.New(&q.req.Form, &d, false).As(d.By).Draft()) // as far as it fits the form
	l.merge(q)
}

// merge writes what was typed elsewhere over the draft here.
func (l *link) merge(q *question) {
	if q.merging || len(q.met) == 0 || q.entry == nil {
		return
	}
	met, e, asking := q.met[0], q.entry, q.machine
	q.met, q.merging = q.met[1:], true
	l.rest.Go(func() {
		var disk machine.Draft
		err := e.UpdateDraft(&disk, func(found bool) (any, error) {
			if !found {
				return l.unqualified(met), nil
			}
			d := l.unqualified(machine.Join(met, l.qualified(disk), asking))
			d.View, d.Views = disk.View, disk.Views
			return d, nil
		})
		l.post(func() {
			if q.merging = false; err == nil {
				l.merge(q)
			} else if q.entry != nil && !q.entry.Status().Over() {
				q.met = slices.Insert(q.met, 0, met)
				l.log(err)
				l.retry(func() { l.merge(q) })
			}
		})
	})
}

// forget removes the drafts of a question that is over from the hub: ours, and of our own
// question all.
func (l *link) forget(q *question) {
	if l.hub == nil {
		return
	}
	for writer := range q.has {
		if writer == l.me() || q.machine == l.me() {
			l.hub.purge(time.Minute, Drafts, q.key()+"."+writer)
		}
	}
}

// qualified returns a draft of ours with the machine's name added to those of its surfaces:
// other machines have surfaces of the same names.
func (l *link) qualified(d machine.Draft) machine.Draft {
	return rename(d, func(by string) string {
		if by == "" || strings.Contains(by, "@") {
			return by
		}
		return by + "@" + l.me()
	})
}

// unqualified returns a draft with the names that its surfaces have here.
func (l *link) unqualified(d machine.Draft) machine.Draft {
	return rename(d, func(by string) string { return strings.TrimSuffix(by, "@"+l.me()) })
}

// rename returns a draft with other names for its surfaces, without views: each machine has its own.
func rename(d machine.Draft, name func(string) string) machine.Draft {
	seen := map[string]int{}
	for by, revision := range d.Seen {
		seen[name(by)] = revision
	}
	d.By, d.Writer, d.Seen, d.Views = name(d.By), name(d.Writer), seen, nil
	return d
}
