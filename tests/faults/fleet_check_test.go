package faults

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/askpane/askpane/bridge/address"
)

// drain mends all and brings every question to its end.
func (w *fleet) drain() {
	w.tell("the end")
	w.thaw()
	for _, m := range w.machines {
		m.mend()
	}
	w.serveHeld()
	w.keepUp()
	for _, q := range w.asked {
		if q.asking() == nil && w.chance(50) {
			q.ask()
		}
	}
	if w.chance(6) || w.lostDisk && w.chance(25) { // several heartbeats, at which nothing that waits may go
		w.tell("a while passes")
		<-time.After(time.Duration(11+w.rng.IntN(10)) * time.Second)
		w.keepUp()
	}
	for _, q := range w.asked {
		q.finish()
	}
	w.tell("all is answered")
	// A link says with its heartbeat what it has not published; that is long.
	told, unrest := w.chance(10), ""
	if !until(func() bool { w.keepUp(); unrest = w.unrest(told); return unrest == "" }) {
		w.fail("%s", unrest)
	}
	w.tell("all is at rest")
}

// keepUp starts the hub where it is down, as systemd does, and desks where there are
// none: one that a bridge has started may end.
func (w *fleet) keepUp() {
	if w.hub.over() {
		w.tell("the hub is started")
		w.counts["hub started in the end"]++
		w.startHub()
	}
	for _, m := range w.machines {
		if !m.hasDesk() {
			m.startDesk()
		}
	}
}

// finish has somebody answer what waits of a question still.
func (q *asked) finish() {
	for len(q.wrong) == 0 {
		c, open := q.asking(), q.open()
		switch {
		case len(open) > 0:
			q.answerLast(open[0])
		case c == nil:
			return
		case !until(func() bool { return c.over() || len(q.open()) > 0 }):
			q.fail("%s does not end", c.name)
		}
	}
}

// answerLast sees to an answer. Where there is one on another machine, it has to come by
// itself; else somebody gives one, on some machine, when the question has come there.
func (q *asked) answerLast(id string) {
	over := func() bool { q.keepUp(); return q.look(id).Outcome != "" }
	persons := slices.DeleteFunc(slices.Clone(q.machines), func(m *machine) bool { return m != q.machine && !m.person })
	given := slices.IndexFunc(persons, func(m *machine) bool { r := m.look(id); return r != nil && r.Outcome != "" })
	at := persons[max(0, given)]
	if given < 0 {
		at = oneOf(q.script, persons...)
		if !until(func() bool { return at.look(id) != nil || over() }) {
			q.fail("%s, which waits on %s, does not come to %s", id, q.machine.name, at.name)
			return
		}
		if r := at.look(id); r != nil && r.waits && r.Outcome == "" {
			q.knows(at.answer(q, id, 1+q.rng.IntN(3), q.chance(50)))
		}
	}
	if !until(over) {
		q.fail("%s was answered on %s, and not on %s, where it was asked", id, at.name, q.machine.name)
	}
}

// unrest is what is not over yet.
func (w *fleet) unrest(told bool) string {
	for _, m := range w.machines {
		for _, id := range m.ids() {
			r := m.look(id)
			switch {
			case r == nil:
			case r.away != "" && r.waits:
				return id + " of " + r.away + " is in the mirror of " + m.name + " still: " + r.String()
			case r.Outcome == "":
				return id + " has no answer on " + m.name
			}
		}
		var s address.LinkStatus
		if !m.linkTold() || !m.decode(m.state("link", address.LinkStatusFile), &s) || !s.Connected || told && s.Unpublished > 0 {
			return fmt.Sprintf("%s is not linked, or has something that was not published: %+v", m.name, s)
		}
	}
	return ""
}

// linkTold reports whether what stands in the file of the machine's link is of the desk that is up: one that was
// killed leaves there that it was connected.
func (m *machine) linkTold() bool {
	var up struct{ PID int }
	desk := m.state("desk", "desk.json")
	if !m.decode(desk, &up) || up.PID != m.deskLock() {
		return false
	}
	began, err := os.Stat(desk)
	said, err2 := os.Stat(m.state("link", address.LinkStatusFile))
	return err == nil && err2 == nil && !said.ModTime().Before(began.ModTime())
}

// check is what must hold after every schedule.
func (w *fleet) check() {
	for _, q := range w.asked {
		for _, c := range q.calls {
			w.checkCall(q, c)
		}
	}
	for _, m := range w.machines {
		out, _ := m.runs(m.command("collect", "--unread"))
		w.deliver(m, nil, out, "askpane collect on "+m.name, false)
		if out, _ := m.runs(m.command("collect", "--unread")); out != "" {
			w.fail("collected twice on %s: %s", m.name, out)
		}
	}
	for _, q := range w.asked {
		for _, r := range q.entries() {
			q.checkDelivered(r)
			for _, m := range w.machines {
				if m != q.machine {
					q.checkMirror(r, m)
				}
			}
		}
		for _, t := range q.given {
			q.checkGiven(t)
		}
	}
	for _, m := range w.machines {
		m.checkAlerts()
	}
}

// checkCall: a call that had the chance says how it ended, in one envelope.
func (w *fleet) checkCall(q *asked, c *call) {
	out := c.out()
	if c.killed() || !c.over() {
		w.deliver(q.machine, q, out, c.name, true)
		return
	}
	var e struct{ ID, Outcome string }
	if strings.Count(out, "\n") != 1 || json.Unmarshal([]byte(out), &e) != nil {
		w.fail("%s: exit %d with the envelope %q", c.name, c.code(), out)
		return
	}
	switch want, known := codes[e.Outcome]; {
	case !known || want != c.code():
		w.fail("%s: exit %d with the outcome %s", c.name, c.code(), e.Outcome)
	case e.Outcome == "aborted" && len(c.sent) == 0, e.Outcome == "unavailable" && len(c.sent) == 0, e.Outcome == "rejected",
		e.Outcome == "timeout" && !slices.ContainsFunc(q.calls, func(c *call) bool { return c.timed }),
		e.Outcome == "cancelled" && !q.said[0]:
		w.fail("%s: ended %s by itself: %s", c.name, e.Outcome, out)
	}
	w.counts["outcome "+e.Outcome]++
	w.deliver(q.machine, q, out, c.name, false)
}

// deliver takes note of the answers that a process on a machine has printed; q is what it
// has asked, nil where it has collected.
func (w *fleet) deliver(m *machine, q *asked, out, by string, killed bool) {
	for line := range strings.Lines(out) {
		var e struct{ ID, Outcome, Text string }
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			if !killed {
				w.fail("%s printed %q", by, line)
			}
			continue
		}
		if e.Outcome != "answered" {
			continue
		}
		i := slices.IndexFunc(w.asked, func(q *asked) bool {
			return slices.ContainsFunc(q.entries(), func(r *record) bool { return r.id == e.ID })
		})
		if i < 0 || w.asked[i].machine != m || q != nil && w.asked[i] != q {
			w.fail("%s got what is not for it: %s", by, line)
			continue
		}
		owner := w.asked[i]
		if r := owner.look(e.ID); r.choice == 0 || e.Text != chosenOf(owner.name, r.choice) || !owner.said[r.choice] {
			w.fail("%s brought %q, and on the disk is %v", by, e.Text, r)
		}
		owner.got = append(owner.got, delivery{e.ID, e.Text, by, killed})
		w.counts["answers delivered"]++
	}
}

// checkDelivered: an answer came out once.
func (q *asked) checkDelivered(r *record) {
	times, sure := 0, 0
	for _, d := range q.got {
		if d.id == r.id {
			if times++; !d.killed {
				sure++
			}
		}
	}
	if r.Outcome == "answered" && times == 0 {
		q.fail("lost: the answer to %s: %v", r.id, r)
	}
	if sure > 1 {
		q.fail("delivered %d times: the answer to %s", sure, r.id)
	}
}

// checkMirror: another machine's spool says of a question what that says where it was
// asked.
func (q *asked) checkMirror(r *record, m *machine) {
	there := m.look(r.id)
	if there == nil { // it was over before it could come
		return
	}
	if !m.person {
		q.fail("%s of %s is on %s, which only asks", r.id, q.machine.name, m.name)
		return
	}
	q.counts["mirrored"]++
	first := r.Machine // who was, as the asking machine says
	if first == "" {
		first = q.machine.name
	}
	said, by := *there, there.Machine
	if by == "" {
		by = m.name
	}
	if won := there.Held.Won; won != nil {
		said.Outcome, said.Answers, by = string(won.Outcome), won.Answers, won.Machine
		q.counts["told of another answer"]++
		if there.Machine != "" || there.Held.Verdict == "" {
			q.fail("%s has on %s an answer that won, and is told %q: %v", r.id, m.name, there.Held.Verdict, there)
		}
	}
	// Where the hub has lost its disk, nobody can tell how a question was over whose
	// machine knows that only in its history.
	unknown := q.lostDisk && said.Outcome == "aborted" && by == q.machine.name && there.At.After(r.At)
	if unknown {
		q.counts["ended without saying how"]++
	} else if by != first || said.Outcome != r.Outcome || !reflect.DeepEqual(said.Answers, r.Answers) {
		q.fail("%s is, on %s where it was asked, %v; and on %s %v by %s, with %+v", r.id, q.machine.name, r, m.name, there, by, there.Held)
	}
}

// checkGiven: what somebody knows is taken stands there.
func (q *asked) checkGiven(t *try) {
	r := t.look(t.id)
	if r == nil || r.choice != t.option || r.By != t.surface() {
		q.fail("somebody knows that %d to %s is taken on %s, %s; and there is %v", t.option, t.id, t.name, t.surface(), r)
	}
}

// checkAlerts: nobody was alerted twice to what was mirrored.
func (m *machine) checkAlerts() {
	data, err := os.ReadFile(m.alerts())
	if err != nil && !os.IsNotExist(err) {
		m.fail("%v", err)
	}
	times := map[string]int{}
	for line := range strings.Lines(string(data)) {
		times[strings.TrimSpace(line)]++
	}
	for id, n := range times {
		if r := m.look(id); r != nil && r.away != "" {
			m.counts["alerts on other machines"]++
			if n > 1 {
				m.fail("%d alerts on %s to %s of %s", n, filepath.Base(m.home), id, r.away)
			}
		}
	}
}
