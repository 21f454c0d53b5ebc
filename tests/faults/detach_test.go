package faults

import (
	"slices"
	"strings"
	"syscall"
)

// What ask --detach leaves behind waits as a bridge does, and is no child of ours.

// leftBehind are those of the world, or of q alone where it is not nil.
func (w *world) leftBehind(q *question) []stray {
	var all []stray
	for _, s := range w.left() {
		if strings.Contains(s.line, " ask-left ") && (q == nil || slices.ContainsFunc(q.ids(), func(id string) bool { return strings.Contains(s.line, id) })) {
			all = append(all, s)
		}
	}
	return all
}

// strikeLeft ends what waits for an answer that nobody waits to be told.
func (w *world) strikeLeft() bool {
	all := w.leftBehind(nil)
	if len(all) == 0 {
		return false
	}
	w.strikeStray(oneOf(w.script, all...))
	return true
}

func (w *world) strikeStray(s stray) {
	sig := oneOf(w.script, syscall.SIGKILL, syscall.SIGTERM, syscall.SIGHUP)
	w.tell("%s, pid %d, gets %v", s.line, s.pid, sig)
	_ = syscall.Kill(s.pid, sig) // it may end at this moment
	if !until(func() bool { return !w.alive(s.pid) }) {
		w.fail("pid %d, %s, does not end", s.pid, s.line)
	}
}

// drainLeft: where the answer is there they end by themselves. One whose caller was
// killed at once may only be about to ask.
func (w *world) drainLeft() {
	for _, q := range w.questions {
		if !until(func() bool { return q.open() != "" || len(w.leftBehind(q)) == 0 }) {
			w.fail("what waits for %s does not end, and all is answered", q.name)
		}
	}
	for _, s := range w.leftBehind(nil) {
		w.strikeStray(s)
	}
}
