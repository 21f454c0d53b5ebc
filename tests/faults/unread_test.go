package faults

import (
	"strings"
	"syscall"
	"testing"
)

// A form that is killed leaves in its terminal the key that it has not read, and
// the next form there reads it. A person who has pressed another key by then, into
// that form, must not be taken for one whose answer was lost; any other answer that
// they did not give must be.
func TestUnreadKey(t *testing.T) {
	w := &world{script: newScript(1)}
	defer w.end()
	if err := w.open(); err != nil {
		t.Fatal(err)
	}
	q := w.newQuestion()
	q.manual = false
	w.ask(q)
	c := q.asking()
	if c == nil || c.timed || len(c.sent) > 0 {
		t.Fatalf("schedule %d cannot be used for this: %s", w.number, c.proc)
	}
	var pid int
	var press func(string)
	var id string
	if !until(func() bool { pid, press, id = q.shown(); return pid != 0 }) {
		t.Fatal("the form does not come up")
	}
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if !until(func() bool { return stopped(pid) }) {
		t.Fatal("the form does not stop")
	}
	press("2")
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	on := ""
	if !until(func() bool { on, _, _ = w.answer(id); return on != "" }) || on != q.chosen(2) {
		t.Fatalf("the next form did not read the key: %q is on the disk\n%s", on, w.report(t.Name()))
	}
	for _, s := range []struct {
		unread string
		wrong  bool
	}{{q.chosen(2), false}, {q.chosen(1), true}, {"", true}} {
		w.wrong, q.unread = nil, map[string]string{id: s.unread}
		q.taken(id, q.chosen(3))
		if wrong := len(w.wrong) > 0; wrong != s.wrong {
			t.Errorf("left unread: %q; wrong is %q", s.unread, w.wrong)
		}
	}
	w.wrong = nil
	if !c.overWithin(patience) || !strings.Contains(c.out(), q.chosen(2)) {
		t.Errorf("the call has %q", c.out())
	}
}
