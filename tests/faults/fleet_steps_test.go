package faults

import (
	"os"
	"slices"
	"syscall"
	"time"
)

var fleetSteps = []step[*fleet]{
	{"asked on a fleet", 10, (*fleet).askNew},
	{"answered anywhere", 14, (*fleet).answerOne},
	{"answered on two surfaces", 14, (*fleet).race},
	{"answered unheard", 7, (*fleet).answerUnheard},
	{"call struck", 10, (*fleet).strikeCall},
	{"call repeated", 14, (*fleet).askAgain},
	{"desk struck", 10, (*fleet).strikeDesk},
	{"desk started", 14, (*fleet).startSomeDesk},
	{"hub's disk lost", 6, (*fleet).loseDisk},
	{"hub struck", 6, (*fleet).strikeHub},
	{"hub started", 14, (*fleet).restartHub},
	{"way cut", 7, (*fleet).cut},
	{"way muted", 5, (*fleet).mute},
	{"way slow", 4, (*fleet).slow},
	{"way mended", 14, (*fleet).mend},
	{"connections held back", 4, (*fleet).hold},
	{"connections served in another order", 8, (*fleet).serveHeld},
	{"process frozen", 4, (*fleet).freeze},
	{"process thawed", 8, (*fleet).thaw},
	{"machine joined late", 2, (*fleet).joinLate},
	{"mirror awaited", 14, (*fleet).awaitMirror},
	{"time", 14, (*fleet).letPass},
}

// some is a random question that fits; nil where none does.
func (w *fleet) some(fits func(*asked) bool) *asked { return some(w.script, w.asked, fits) }

// choice is an option, or now and then a cancel.
func (w *fleet) choice() int {
	if w.chance(10) {
		return 0
	}
	return 1 + w.rng.IntN(3)
}

// answerable is a question that can be answered somewhere, and where.
func (w *fleet) answerable() (q *asked, id string, at []*machine) {
	if q = w.some(func(q *asked) bool { return len(q.open()) > 0 }); q == nil {
		return nil, "", nil
	}
	open := q.open()
	if len(open) == 0 { // it was answered just now
		return nil, "", nil
	}
	id = oneOf(w.script, open...)
	return q, id, q.places(id)
}

func (w *fleet) answerOne() bool {
	q, id, at := w.answerable()
	if len(at) == 0 {
		return false
	}
	m := oneOf(w.script, at...)
	t := m.answer(q, id, w.choice(), w.chance(50))
	if w.chance(60) { // and something else happens at that moment
		w.moment(oneOf(w.script, 5, 60))
		switch w.rng.IntN(6) {
		case 0:
			w.loseDisk()
		case 1:
			w.strikeHub()
		case 2:
			w.strikeDeskOf(m)
		case 3:
			w.strikeDeskOf(q.machine)
		default:
			w.cutOff(oneOf(w.script, m, q.machine))
		}
	}
	q.knows(t)
	return true
}

// answerUnheard answers on another machine than that which has asked and is cut off; and
// the answer is lost on its way, perhaps.
func (w *fleet) answerUnheard() bool {
	q, id, at := w.answerable()
	at = slices.DeleteFunc(at, func(m *machine) bool { return m == q.machine })
	if len(at) == 0 {
		return false
	}
	m := oneOf(w.script, at...)
	q.way.set(func() { q.way.cut = true })
	w.tell("%s is cut off", q.machine.name)
	q.knows(m.answer(q, id, w.choice(), w.chance(50)))
	w.moment(200)
	switch w.rng.IntN(3) {
	case 0:
		w.loseDisk()
	case 1:
		w.strikeHub()
	default:
		w.strikeDeskOf(m)
	}
	return true
}

// knows waits for the end of somebody's answering, and takes note of what they know.
func (q *asked) knows(t *try) {
	if t.wait() {
		q.given = append(q.given, t)
	}
}

// race answers on two surfaces at the same time, mostly on two machines.
func (w *fleet) race() bool {
	q, id, at := w.answerable()
	if len(at) == 0 {
		return false
	}
	one := oneOf(w.script, at...)
	other := oneOf(w.script, at...)
	if len(at) > 1 && w.chance(80) {
		for other == one {
			other = oneOf(w.script, at...)
		}
	}
	first := one.answer(q, id, w.choice(), w.chance(50))
	w.moment(12)
	second := other.answer(q, id, w.choice(), w.chance(50))
	q.knows(first)
	q.knows(second)
	if one == other && len(q.given) > 1 && q.given[len(q.given)-2] == first && q.given[len(q.given)-1] == second {
		w.fail("two answers to %s are taken on %s", id, one.name)
	}
	return true
}

// strikeCall kills a call, or has the agent withdraw it.
func (w *fleet) strikeCall() bool {
	q := w.some(func(q *asked) bool { return q.asking() != nil })
	if q == nil {
		return false
	}
	c := q.asking()
	if c == nil {
		return false
	}
	sig := oneOf(w.script, syscall.SIGKILL, syscall.SIGKILL, syscall.SIGKILL, syscall.SIGTERM)
	w.tell("%s gets %v", c.name, sig)
	c.signal(sig)
	if sig == syscall.SIGKILL {
		w.ends(c.proc, "%s does not end", c.name)
	}
	return true
}

func (w *fleet) askAgain() bool {
	q := w.some(func(q *asked) bool { return q.asking() == nil })
	if q == nil {
		return false
	}
	q.ask()
	return true
}

func (w *fleet) strikeDesk() bool { return w.strikeDeskOf(oneOf(w.script, w.machines...)) }

// strikeDeskOf kills the desks of a machine, and waits until none of them has the lock: a
// desk that is started before ends at once, since there is one already.
func (w *fleet) strikeDeskOf(m *machine) bool {
	all := m.desks()
	for _, p := range all {
		p.kill()
	}
	w.tell("the desk of %s is killed: %v", m.name, all)
	killed := func(pid int) bool { return slices.ContainsFunc(all, func(p stray) bool { return p.pid == pid }) }
	if !until(func() bool {
		return !killed(m.deskLock()) && !slices.ContainsFunc(m.desks(), func(p stray) bool { return killed(p.pid) })
	}) {
		w.fail("the desk of %s does not end", m.name)
	}
	return len(all) > 0
}

func (w *fleet) startSomeDesk() bool {
	m := oneOf(w.script, w.machines...)
	if !m.byHand {
		return false
	}
	w.tell("the desk of %s is started", m.name)
	m.startDesk()
	return true
}

func (w *fleet) strikeHub() bool {
	if w.hub.over() {
		return false
	}
	w.hub.signal(syscall.SIGKILL)
	w.tell("the hub is killed")
	w.ends(w.hub, "the hub does not end")
	return true
}

func (w *fleet) restartHub() bool {
	if !w.hub.over() {
		return false
	}
	w.tell("the hub is started")
	w.startHub()
	return true
}

// loseDisk takes away what the hub keeps of its machines; it has its keys still.
func (w *fleet) loseDisk() bool {
	if !w.hub.over() && !w.strikeHub() {
		return false
	}
	if err := os.RemoveAll(w.machines[0].state("hub", "store")); err != nil {
		w.fail("%v", err)
	}
	w.tell("the hub has lost its disk")
	w.lostDisk = true
	return true
}

func (w *fleet) cut() bool { return w.cutOff(oneOf(w.script, w.machines...)) }

func (w *fleet) cutOff(m *machine) bool {
	m.way.set(func() { m.way.cut = true })
	w.tell("%s is cut off", m.name)
	if w.chance(50) { // for an instant
		w.moment(20)
		m.way.set(func() { m.way.cut = false })
		w.tell("%s is cut off no more", m.name)
	}
	return true
}

// mute has nothing come through in one direction, or in both; then it may be cut, or go on.
func (w *fleet) mute() bool {
	m, direction := oneOf(w.script, w.machines...), w.rng.IntN(3)
	m.way.set(func() { m.way.mute = [2]bool{direction != 1, direction != 0} })
	w.tell("nothing comes through from %s (%t), or to it (%t)", m.name, direction != 1, direction != 0)
	if w.chance(50) {
		w.moment(300)
		cut := w.chance(70)
		m.way.set(func() { m.way.cut = cut })
		m.way.set(func() { m.way.cut, m.way.mute = false, [2]bool{} })
		w.tell("%s is mute no more; cut: %t", m.name, cut)
	}
	return true
}

func (w *fleet) slow() bool {
	m, most := oneOf(w.script, w.machines...), time.Duration(1+w.rng.IntN(80))*time.Millisecond
	m.way.set(func() { m.way.slow = most })
	w.tell("%s is slow, by %v at most", m.name, most)
	return true
}

func (w *fleet) mend() bool {
	m := oneOf(w.script, w.machines...)
	broken := m.way.broken()
	m.mend()
	return broken
}

// mend mends a way. What it has kept back comes now, or is lost.
func (m *machine) mend() {
	if m.way.broken() && m.chance(50) {
		m.way.set(func() { m.way.cut = true })
	}
	m.way.set(func() { m.way.cut, m.way.slow, m.way.mute = false, 0, [2]bool{} })
	m.tell("the way of %s is mended", m.name)
}

// hold holds connections back, and has all machines connect anew.
func (w *fleet) hold() bool {
	w.net.hold()
	w.tell("connections are held back")
	for _, m := range w.machines {
		m.way.set(func() { m.way.cut = true })
		m.way.set(func() { m.way.cut = false })
	}
	w.moment(600)
	if w.chance(60) && w.serveHeld() {
		w.counts["connections served in another order"]++
	}
	return true
}

func (w *fleet) serveHeld() bool {
	served := w.net.serveHeld(w.rng)
	if served > 0 {
		w.tell("%d connections that were held back are served in another order", served)
	}
	return served > 1
}

// freeze suspends a hub or a desk, as a machine is that sleeps.
func (w *fleet) freeze() bool {
	all := oneOf(w.script, w.machines...).desks()
	if w.chance(30) && !w.hub.over() {
		all = []stray{{pid: w.hub.cmd.Process.Pid, line: "the hub"}}
	}
	for _, p := range all {
		_ = syscall.Kill(p.pid, syscall.SIGSTOP) // it may just end
		w.tell("%s, pid %d, is frozen", p.line, p.pid)
	}
	w.frozen = append(w.frozen, all...)
	return len(all) > 0
}

func (w *fleet) thaw() bool {
	for _, p := range w.frozen {
		_ = syscall.Kill(p.pid, syscall.SIGCONT)
		w.tell("%s, pid %d, goes on", p.line, p.pid)
	}
	thawed := len(w.frozen) > 0
	w.frozen = nil
	return thawed
}

// well reports whether nothing is broken between a machine and the hub.
func (m *machine) well() bool {
	return !m.way.broken() && !m.hub.over() && len(m.frozen) == 0 && m.hasDesk()
}

// joinLate has another machine of a person's join, while questions wait.
func (w *fleet) joinLate() bool {
	if len(w.machines) > 2 || !w.machines[0].well() {
		return false
	}
	w.tell("the desktop joins")
	if err := w.join("desktop", true); err != nil {
		w.fail("%v", err)
		return true
	}
	w.machines[2].byHand = true
	w.machines[2].startDesk()
	return true
}

// awaitMirror waits until a question has come to another machine, if nothing is in its way.
func (w *fleet) awaitMirror() bool {
	q := w.some(func(q *asked) bool { return q.asking() != nil && q.well() })
	if q == nil {
		return false
	}
	open := q.open()
	others := slices.DeleteFunc(slices.Clone(w.machines), func(m *machine) bool { return m == q.machine || !m.person || !m.well() })
	if len(open) == 0 || len(others) == 0 {
		return false
	}
	m, id := oneOf(w.script, others...), oneOf(w.script, open...)
	if !until(func() bool { return m.look(id) != nil || q.look(id).Outcome != "" }) {
		w.fail("%s does not come to %s", id, m.name)
	}
	w.tell("%s has come to %s: %t", id, m.name, m.look(id) != nil)
	return true
}

func (w *fleet) letPass() bool {
	w.moment(500)
	return true
}
