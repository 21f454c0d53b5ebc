package faults

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// command is an askpane command in this world.
func (w *world) command(args ...string) *exec.Cmd {
	cmd := exec.Command(binary, args...)
	cmd.Dir, cmd.Env = w.dir, w.environ()
	return cmd
}

// run runs one to its end, without a terminal.
func (w *world) run(args ...string) (out string, code int) { return w.runs(w.command(args...)) }

// runs runs a command to its end, without a terminal.
func (w *script) runs(cmd *exec.Cmd) (out string, code int) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	args := cmd.Args[1:]
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	p, err := w.start(cmd)
	if err != nil {
		w.fail("askpane %v: %v", args, err)
		return "", -1
	}
	if !p.overWithin(patience) {
		w.fail("askpane %v does not end", args)
		p.signal(syscall.SIGKILL)
		p.overWithin(patience)
		return "", -1
	}
	if stderr.Len() > 0 {
		w.tell("askpane %v says: %s", args, strings.TrimSpace(stderr.String()))
	}
	return stdout.String(), p.code()
}

// drain mends what can be mended and brings everything to its end.
func (w *world) drain() {
	w.tell("the end")
	w.free()
	w.thaw()
	for _, q := range w.questions {
		if c := q.asking(); c != nil {
			_ = c.cmd.Process.Signal(syscall.SIGCONT)
		}
	}
	for _, q := range w.questions {
		c := q.asking()
		if c == nil {
			continue
		}
		if q.open() == "" { // it has its answer, so it must bring it by itself
			w.ends(c.proc, "%s has its answer and does not return", c.name)
			continue
		}
		w.strike(c.proc, c.screen)
		w.ends(c.proc, "%s does not end", c.name)
	}
	for _, q := range w.questions {
		if q.form != nil && !q.form.over() {
			q.form.signal(syscall.SIGTERM)
			w.ends(q.form.proc, "the form of %s does not end", q.name)
		}
	}
	w.drainLeft()
}

// closeForms closes those in tmux whose agents are gone, as nobody else does, and
// what a caller left behind that was killed in the very moment of starting it:
// drainLeft saw the caller's fork.
func (w *world) closeForms() {
	for _, p := range w.left() {
		if w.server != nil && strings.Contains(p.line, "-popup ") || strings.Contains(p.line, " ask-left ") {
			_ = syscall.Kill(p.pid, syscall.SIGTERM)
		}
	}
}

// check is what must hold after every schedule.
func (w *world) check() {
	for _, q := range w.questions {
		for _, c := range q.calls {
			w.checkCall(c)
		}
	}
	// A form may just be coming up, and tmux be about to start one.
	if !until(func() bool { w.closeForms(); return len(w.left()) == 0 && w.atRest() }) {
		for _, p := range w.left() {
			w.fail("left behind: pid %d, %s", p.pid, p.line)
		}
	}
	if w.server != nil {
		w.checkPanes()
	}
	for id := range w.entries() {
		for _, name := range []string{"bridge.lock", "popup.lock"} {
			// The kernel lets go of locks last, and tmux may have been about to start
			// a form of which there was nothing to see.
			if !until(func() bool { w.closeForms(); return !w.held(id, name) }) {
				w.fail("%s of %s is still held", name, id)
			}
		}
	}
	if w.chance(50) && w.collectSlowly() {
		w.counts["collected slowly"]++
	}
	w.atOnce(1+w.rng.IntN(4), "collect", "--unread")
	if out, _ := w.run("collect", "--unread"); out != "" {
		w.fail("collected twice: %s", out)
	}
	w.checkAnswers()
	w.checkDisk()
}

// codes are the exit codes by outcome (docs/contracts.md, The envelope).
var codes = map[string]int{"answered": 0, "cancelled": 3, "timeout": 4, "unavailable": 5, "rejected": 6, "aborted": 130}

// checkCall: a call that had the chance says how it ended, in one envelope.
func (w *world) checkCall(c *call) {
	out := c.out()
	if c.killed() || !c.over() {
		if out != "" {
			w.deliver(out, c.name, true)
		}
		return
	}
	var e struct{ ID, Outcome string }
	if strings.Count(out, "\n") != 1 || json.Unmarshal([]byte(out), &e) != nil {
		w.fail("%s: exit %d with the envelope %q", c.name, c.code(), out)
		return
	}
	want, known := codes[e.Outcome]
	refused := w.counts["disk filled"]+w.counts["read-only disk"] > 0 && e.Outcome == "unavailable" && e.ID == "" &&
		strings.Contains(out, "the spool "+w.spool+" cannot be written")
	broken := c.code() == 1 && e.Outcome == "unavailable" && !refused
	switch {
	case c.left && e.Outcome == "pending" && c.code() == 0:
	case e.Outcome == "pending" && c.code() == codes["aborted"] && slices.Contains(c.sent, syscall.SIGHUP):
	case broken && c.left: // what it left behind was killed before it had asked
	case broken && w.counts["disk filled"]+w.counts["entry frozen"] > 0:
	case !known || want != c.code():
		w.fail("%s: exit %d with the outcome %s", c.name, c.code(), e.Outcome)
	case e.Outcome == "aborted" && len(c.sent) == 0, e.Outcome == "timeout" && !c.timed && !w.retimed(c),
		e.Outcome == "cancelled", e.Outcome == "rejected":
		w.fail("%s: ended %s by itself", c.name, e.Outcome)
	case refused:
		w.counts["not asked for lack of a spool"]++
	case w.counts["read-only disk"] > 0 && e.Outcome != "aborted":
		w.fail("%s does not say that the spool cannot be written: %s", c.name, out)
	case e.Outcome == "unavailable" && len(c.sent) == 0 && !w.struck():
		w.fail("%s: unavailable by itself: %s", c.name, out)
	}
	w.counts["outcome "+e.Outcome]++
	w.deliver(out, c.name, false)
}

// retimed: the call took a question over that an earlier one had asked with a
// deadline.
func (w *world) retimed(c *call) bool {
	for _, q := range w.questions {
		for _, other := range q.calls {
			if strings.HasPrefix(c.name, q.name) && other.timed {
				return true
			}
		}
	}
	return false
}

// struck reports whether something was ended that a call needs to show a form.
func (w *world) struck() bool {
	return w.counts["form struck"]+w.counts["form answered"]+w.counts["server struck"] > 0
}

// deliver takes note of the answers in what a process printed.
func (w *world) deliver(out, by string, killed bool) {
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
		dir, ok := w.entries()[e.ID]
		q := w.owner(dir)
		if !ok || q == nil {
			w.fail("%s: the answer to %s, which is nowhere: %s", by, e.ID, line)
			continue
		}
		if strings.Contains(by, ", call ") && !strings.HasPrefix(by, q.name) {
			w.fail("%s got the answer to %s", by, q.name)
		}
		q.got = append(q.got, delivery{e.ID, e.Text, by, killed})
		w.counts["answers delivered"]++
	}
}

// checkAnswers: every answer that is on the disk, or that the person knows is
// taken, came out once, and none that nobody gave.
func (w *world) checkAnswers() {
	for _, q := range w.questions {
		times := map[string]int{}
		sure := map[string]int{}
		for _, d := range q.got {
			times[d.id]++
			if !d.killed {
				sure[d.id]++
			}
			if !q.said[d.text] && !q.strayed(d.id, d.text) {
				w.fail("%s brought %q, which nobody said", d.by, d.text)
			}
			if on, _, _ := w.answer(d.id); on != d.text {
				w.fail("%s brought %q for %s, where %q is on the disk", d.by, d.text, d.id, on)
			}
		}
		for id, dir := range w.entries() {
			if text, _, outcome := w.answer(id); outcome == "answered" && w.owner(dir) == q {
				if times[id] == 0 {
					w.fail("lost: the answer %q to %s", text, id)
				}
				if sure[id] > 1 {
					w.fail("delivered %d times: the answer to %s", sure[id], id)
				}
			}
		}
		for id, text := range q.given {
			if times[id] == 0 {
				w.fail("lost: the person was told that %q is taken, for %s", text, id)
			}
			if on, _, _ := w.answer(id); on != text {
				w.fail("the person was told that %q is taken for %s, and on the disk is %q", text, id, on)
			}
			w.counts["answers given"]++
		}
	}
}

// checkDisk: nothing lies about but what was killed in the middle of it.
func (w *world) checkDisk() {
	killed := false
	for _, q := range w.questions {
		for _, c := range q.calls {
			killed = killed || c.killed()
		}
		killed = killed || q.form != nil && q.form.killed()
	}
	files, _ := os.ReadDir(w.spool)
	for _, f := range files {
		if strings.HasPrefix(f.Name(), ".making-") && !killed {
			w.fail("%s lies about", filepath.Join(w.spool, f.Name()))
		}
	}
	for id, dir := range w.entries() {
		pending := filepath.Base(filepath.Dir(dir)) != "history"
		// A call that is killed between saying that it was handed over and moving it
		// leaves the rest to the next pruning.
		between := killed && w.has(id, "delivered")
		if _, _, outcome := w.answer(id); pending && outcome == "answered" && !between {
			w.fail("%s is answered, was collected, and is still there", id)
		}
	}
}
