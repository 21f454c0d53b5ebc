package faults

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// terminalSteps are for forms on terminals: the caller's own, and others.
var terminalSteps = []step[*world]{
	{"form opened", 22, (*world).show},
	{"typed", 14, (*world).typing},
	{"form answered", 16, (*world).choose},
	{"answered by command", 6, (*world).answerByCommand},
	{"form struck", 9, (*world).strikeForm},
	{"bridge struck", 10, (*world).strikeBridge},
	{"asked again", 12, (*world).askAgain},
	{"collected", 3, (*world).collectOne},
	{"second form", 3, (*world).secondForm},
	{"answered twice at once", 5, (*world).answerTwice},
	{"collected twice at once", 6, (*world).collectTwice},
	{"collected slowly", 6, (*world).collectSlowly},
	{"disk filled", 5, (*world).fill},
	{"disk freed", 4, (*world).free},
	{"entry frozen", 2, (*world).freeze},
	{"entry thawed", 3, func(w *world) bool { return w.thaw() }},
	{"bridge stopped", 3, (*world).stop},
	{"bridge continued", 4, (*world).carryOn},
	{"events overflowed", 1, (*world).overflow},
}

// strike ends a process in one of the ways that processes end.
func (w *world) strike(p *proc, s *screen) {
	if s != nil && w.chance(20) {
		w.tell("the terminal of pid %d is closed", p.cmd.Process.Pid)
		p.sent = append(p.sent, syscall.SIGHUP)
		s.close()
		return
	}
	sig := oneOf(w.script, syscall.SIGKILL, syscall.SIGKILL, syscall.SIGTERM, syscall.SIGHUP)
	w.tell("pid %d gets %v", p.cmd.Process.Pid, sig)
	p.signal(sig)
	_ = p.cmd.Process.Signal(syscall.SIGCONT)
}

// show is the person who opens a question that waits.
func (w *world) show() bool {
	q := w.any(func(q *question) bool {
		pid, _, id := q.shown()
		return id != "" && pid == 0 && (q.form == nil || q.form.over()) && (q.manual || q.asking() == nil)
	})
	if q == nil {
		return w.waitForForms()
	}
	return w.openByHand(q, q.open())
}

// waitForForms waits for the forms that bridges open by themselves.
func (w *world) waitForForms() bool {
	q, c := w.anyAsking(func(q *question) bool { return !q.manual && q.open() != "" && !w.spoiled() })
	if c == nil || w.server != nil && !w.server.watched(w) {
		return false
	}
	if !until(func() bool {
		pid, _, id := q.shown()
		return pid != 0 || id == "" || c.over() || w.stopped(c) || w.server != nil && w.server.shows(w, q)
	}) {
		w.fail("the form of %s does not come up", q.name)
	}
	q.recall()
	return true
}

func (w *world) openByHand(q *question, id string) bool {
	s, err := w.newScreen()
	if err != nil {
		w.fail("%v", err)
		return true
	}
	cmd := w.command("popup", id)
	log := filepath.Join(w.dir, fmt.Sprintf("popup-%d", len(w.told)))
	said, err := os.Create(log)
	if err != nil {
		w.fail("%v", err)
		return true
	}
	defer said.Close()
	cmd.Stderr, cmd.Stdout = said, s.device
	p, err := s.start(cmd)
	if err != nil {
		w.fail("%v", err)
		return true
	}
	if q.form != nil {
		q.form.screen.close()
	}
	q.form = &hand{p, s, id}
	w.tell("%s is opened, pid %d", id, p.cmd.Process.Pid)
	up := func() bool { pid, _, _ := q.shown(); return pid == p.cmd.Process.Pid }
	if !until(func() bool { return up() || p.over() }) {
		w.fail("the form of %s does not come up", q.name)
		return true
	}
	late := w.server != nil && p.over() && p.code() == 6 // tmux was just opening one
	if p.over() && !late && q.open() != "" && !w.spoiled() {
		data, _ := os.ReadFile(log)
		w.fail("the form of %s ended at once: %s: %s", q.name, p, data)
		return true
	}
	q.recall()
	return true
}

// recall is the person who looks what the form holds. It must be all that was
// typed before and seen to be saved.
func (q *question) recall() {
	id := q.open()
	if id == "" {
		return
	}
	over, text, ok := q.w.saved(id)
	if !ok && q.open() != id {
		return // it ended meanwhile, and its draft went into the history
	}
	q.entered = ok && over == "entry"
	if q.typed != "" && text != q.typed {
		q.w.fail("the draft of %s holds %q; %q was typed and saved", id, text, q.typed)
	}
	q.typed, q.unsaved = text, false
}

// saved is what draft.json holds of the one question.
func (w *world) saved(id string) (over, text string, ok bool) {
	data, err := os.ReadFile(filepath.Join(w.entries()[id], "draft.json"))
	if err != nil {
		return "", "", false
	}
	var d struct {
		Over    string
		Entries []string
	}
	if err := json.Unmarshal(data, &d); err != nil {
		w.fail("draft.json of %s: %v: %q", id, err, data)
		return "", "", false
	}
	return d.Over, strings.Join(d.Entries, ""), true
}

// spoiled: nothing can be expected to be written now.
func (w *world) spoiled() bool { return w.full || len(w.frozen) > 0 }

// typing is the person who types something; it must be saved. How far behind the draft was
// at most is told at the end.
func (w *world) typing() bool {
	if w.spoiled() {
		return false
	}
	q, pid, press, id := w.formUp(func(q *question) bool { return !q.unsaved })
	if q == nil {
		return false
	}
	if !q.entered {
		press("4")
		if !until(func() bool { over, _, _ := w.saved(id); return over == "entry" || q.lost(pid, id) }) {
			w.fail("the entry of %s does not open", id)
		}
		if q.lost(pid, id) {
			return true
		}
		q.entered = true
	}
	word := make([]byte, 1+w.rng.IntN(5))
	for i := range word {
		word[i] = byte('a' + w.rng.IntN(26))
	}
	before := q.typed
	q.typed += string(word)
	w.tell("%q is typed into %s", word, id)
	began := time.Now()
	press(string(word))
	done := func() bool { _, text, _ := w.saved(id); return text == q.typed }
	if !until(func() bool { return done() || q.lost(pid, id) }) {
		w.fail("%q was typed into %s and is not in the draft", q.typed, id)
	}
	if q.lost(pid, id) { // by its deadline, say, and then the draft is of no more use
		if !done() {
			q.typed = before
		}
		return true
	}
	w.draft = max(w.draft, time.Since(began))
	return true
}

// lost reports whether the form pid for the entry is not up any more.
func (q *question) lost(pid int, id string) bool {
	now, _, open := q.shown()
	return now != pid || open != id
}

// gone reports whether the process pid has ended, and shows no form: one that is
// killed has let go of its memory before its locks, and the form it shows by
// then may be another question's.
func (w *world) gone(pid int) bool {
	return !w.alive(pid) && !slices.ContainsFunc(w.questions, func(q *question) bool {
		now, _, _ := q.shown()
		return now == pid
	})
}

// alive reports whether there is such a process, and it is no zombie.
func (w *world) alive(pid int) bool {
	s, ok := process(pid, w.spool)
	return ok && s.ours()
}

// strikeAny strikes the form pid of q or its bridge.
func (w *world) strikeAny(q *question, pid int) (form bool) {
	if c := q.asking(); c != nil && w.chance(50) {
		w.strike(c.proc, c.screen)
		return false
	}
	w.strikePID(q, pid)
	return true
}

func (w *world) strikePID(q *question, pid int) {
	if q.form != nil && !q.form.over() && q.form.cmd.Process.Pid == pid {
		w.strike(q.form.proc, q.form.screen)
		return
	}
	sig := oneOf(w.script, syscall.SIGKILL, syscall.SIGTERM, syscall.SIGHUP)
	w.tell("the form pid %d gets %v", pid, sig)
	if w.alive(pid) { // else the number may be another's by now
		_ = syscall.Kill(pid, sig)
	}
}

func (w *world) strikeForm() bool {
	q, pid, _, id := w.formUp(func(*question) bool { return true })
	if q == nil {
		return false
	}
	w.strikePID(q, pid)
	if !until(func() bool { return w.gone(pid) }) {
		w.fail("the form of %s does not end", id)
	}
	q.unsaved = false // then it never was, as the form had said
	if !q.manual && q.asking() != nil && !w.spoiled() {
		return w.waitForForms() // the bridge opens it again
	}
	return true
}

func (w *world) strikeBridge() bool {
	_, c := w.anyAsking(func(*question) bool { return true })
	if c == nil {
		return false
	}
	w.strike(c.proc, c.screen)
	w.ends(c.proc, "%s does not end", c.name)
	// A form on the call's own terminal goes with it, even where it was killed, or
	// was about to come up.
	if w.server == nil && !until(func() bool { return !w.inSession(c.proc.cmd.Process.Pid) }) {
		w.fail("the form of %s stays", c.name)
	}
	return true
}

// inSession reports whether anything of the world is on the terminal that the
// process pid was started on.
func (w *world) inSession(pid int) bool {
	return slices.ContainsFunc(w.left(), func(s stray) bool {
		session, err := unix.Getsid(s.pid)
		return err == nil && session == pid
	})
}

func (w *world) askAgain() bool {
	q := w.any(func(q *question) bool { return q.asking() == nil && len(q.calls) < 6 && len(w.leftBehind(q)) == 0 })
	if q == nil {
		return false
	}
	w.ask(q)
	return true
}

// secondForm opens a form for a question that has one.
func (w *world) secondForm() bool {
	q, pid, _, id := w.formUp(func(*question) bool { return true })
	if q == nil || w.spoiled() {
		return false
	}
	s, err := w.newScreen()
	if err != nil {
		w.fail("%v", err)
		return true
	}
	defer s.close()
	cmd := w.command("popup", id)
	p, err := s.start(cmd)
	if err != nil {
		w.fail("%v", err)
		return true
	}
	if !p.overWithin(patience) {
		if !q.lost(pid, id) {
			w.fail("two forms for %s", id)
		}
		p.signal(syscall.SIGKILL)
		p.overWithin(patience)
	} else if p.code() != 6 && !q.lost(pid, id) {
		w.fail("a second form for %s: %s", id, p)
	}
	return true
}
