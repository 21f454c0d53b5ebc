package faults

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/askpane/askpane/tests/needs"
)

// choose is the person who answers in the form.
func (w *world) choose() bool {
	q, pid, press, id := w.formUp(func(q *question) bool { return !q.unsaved && (!q.entered || q.typed != "") })
	if q == nil {
		return false
	}
	text, n := q.wrote(), 1 // Enter on a form that nothing was typed in takes the first option
	if q.entered {
		press("\r")
	} else {
		n = 1 + w.rng.IntN(3)
		text = q.chosen(n)
		press(fmt.Sprint(n))
	}
	q.said[text] = true
	byHand := q.form != nil && !q.form.over() && q.form.cmd.Process.Pid == pid
	w.tell("%s is answered: %s", id, text)
	defer q.astray(id, text, stroke{pid, n})
	// Its process goes on if another form waits in line.
	closed := func() bool { return !w.alive(pid) || q.lost(pid, id) }
	if w.chance(35) { // and something else happens at that moment
		w.moment(15)
		struck := w.strikeAny(q, pid)
		if w.spoiled() && !struck && !needs.Within(time.Second, closed) {
			q.unsaved = true // it says so, and waits for a key
			return true
		}
		if !until(func() bool { return struck && w.gone(pid) || !struck && q.lost(pid, id) }) {
			w.fail("the form of %s does not close", id)
		}
		if struck && !byHand && w.server == nil {
			q.unread[id] = text
		}
		q.recall()
		return true
	}
	if w.spoiled() {
		if !needs.Within(time.Second, closed) {
			q.unsaved = true // it says so, and waits for a key
			return true
		}
	} else if !until(func() bool { return closed() || w.has(id, "answer.json") }) {
		w.fail("the form of %s does not close", id)
		return true
	}
	q.taken(id, text)
	return true
}

// stroke is a key that was meant for another form than the one that got it.
type stroke struct {
	popup  int // the process that got it
	option int // which it chooses
}

// astray takes note of a stroke that was not the answer to id. Where the form
// ended by itself at that moment, the next one came up in its popup, and may have
// got the key: the schedules are played without the guard (setting guardMs), which
// keeps such keys back.
func (q *question) astray(id, text string, s stroke) {
	if on, _, _ := q.w.answer(id); q.w.server != nil && on != text {
		q.w.astray = append(q.w.astray, s)
	}
}

// strayed reports whether the answer to id is such a key's. Each is one answer.
func (q *question) strayed(id, text string) bool {
	_, by, _ := q.w.answer(id)
	popup := q.w.popup(id)
	i := slices.IndexFunc(q.w.astray, func(s stroke) bool { return by == "popup" && s.popup == popup && q.chosen(s.option) == text })
	if i < 0 {
		return false
	}
	q.w.astray = slices.Delete(q.w.astray, i, i+1)
	q.said[text] = true
	return true
}

// timedOut: a call has said that the time was up.
func (q *question) timedOut() bool {
	return slices.ContainsFunc(q.calls, func(c *call) bool { return c.over() && strings.Contains(c.out(), `"outcome":"timeout"`) })
}

// hungUp: the terminal of a call has gone. So it does for the form in it where the call,
// which leads the session there, was killed.
func (q *question) hungUp() bool {
	return slices.ContainsFunc(q.calls, func(c *call) bool {
		return slices.Contains(c.sent, syscall.SIGHUP) || q.w.server == nil && slices.Contains(c.sent, syscall.SIGKILL)
	})
}

// taken: the form has closed, by which the person knows that it has the answer.
func (q *question) taken(id, text string) {
	on, by, outcome := q.w.answer(id)
	switch {
	case on == text:
		q.given[id] = text
	case outcome == "timeout" || outcome == "aborted" || by == "askpane answer":
		// somebody else was first, and the form has said so
	case by == "popup" && on != "" && on == q.unread[id]:
		// the key that the form before had not read
	case outcome == "" && q.w.spoiled() && until(q.timedOut):
		// neither could be written; the call has ended, and taken its terminal back
	case outcome == "" && q.hungUp():
		q.unread[id] = text // the form has gone with its terminal, and confirmed nothing
	default:
		q.w.fail("the form of %s closed on %q, and on the disk is %q, %s by %s", id, text, on, outcome, by)
	}
}

func (w *world) answerByCommand() bool {
	q := w.any(func(q *question) bool { return q.open() != "" })
	if q == nil {
		return false
	}
	id, n := q.open(), 1+w.rng.IntN(3)
	if id == "" {
		return false
	}
	text := q.chosen(n)
	q.said[text] = true
	out, code := w.run("answer", "--json", fmt.Sprintf(`{"answers":{"0":"v%d"}}`, n), id)
	w.tell("%s is answered by command: %s: exit %d, %s", id, text, code, out)
	switch {
	case code == 0:
		q.taken(id, text)
	case code == 6: // somebody was first
	case !w.spoiled():
		w.fail("askpane answer %s: exit %d, %s", id, code, out)
	}
	return true
}

// answerTwice is a key in the form and a command at the same moment: one of them
// is the answer, and the other is told so.
func (w *world) answerTwice() bool {
	q, pid, press, id := w.formUp(func(q *question) bool { return !q.unsaved && !q.entered })
	if q == nil || w.spoiled() {
		return false
	}
	key, other := 1+w.rng.IntN(3), 1+w.rng.IntN(3)
	q.said[q.chosen(key)], q.said[q.chosen(other)] = true, true
	late := time.Duration(w.rng.IntN(12000)) * time.Microsecond // what a command takes to start
	typed := make(chan struct{})
	time.AfterFunc(late, func() { press(fmt.Sprint(key)); close(typed) })
	out, code := w.run("answer", "--json", fmt.Sprintf(`{"answers":{"0":"v%d"}}`, other), id)
	<-typed
	w.tell("%s is answered twice: %d in the form, %d by command: exit %d, %s", id, key, other, code, out)
	if code == 0 {
		q.taken(id, q.chosen(other))
	} else if code != 6 {
		w.fail("askpane answer %s: exit %d, %s", id, code, out)
	}
	// One that was told of the other stays for a while; a key closes it.
	if !until(func() bool { press(" "); return !w.alive(pid) }) {
		w.fail("the form of %s does not close", id)
	}
	return true
}
