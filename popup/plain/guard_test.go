package plain

import (
	"reflect"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/sitting"
	"github.com/askpane/askpane/tests/person"
)

// What was typed before the question came is not an answer to it.
func TestGuard(t *testing.T) {
	s := newStage(t, "question", pair)
	s.enter("1")
	// Until the line is in the input queue.
	queue := []unix.PollFd{{Fd: int32(s.tty.Fd()), Events: unix.POLLIN}}
	if n, err := unix.Poll(queue, int(patience.Milliseconds())); n != 1 || err != nil {
		t.Fatalf("the line never came: %v", err)
	}
	person.Set(t, `{"guardMs": 5000}`)
	s.start()
	s.enter("2")
	s.see("That line came too soon")
	s.stop()
	s.over()
	s.pending()
	var d machine.Draft
	if ok, err := s.entry.Draft(&d); ok || err != nil { // nothing was said
		t.Errorf("the draft is %+v, %v, %v", d, ok, err)
	}
}

// After lines that came as the question did, an empty one, which takes what is recommended,
// is not the first that counts, unless it comes twice.
func TestGuardAfterTyping(t *testing.T) {
	t.Parallel()
	for _, lines := range [][]string{{"", ""}, {"2"}} {
		s := newStage(t, "question", `{"questions":[{"id":"c","prompt":"Colour?","options":[{"value":"r","label":"Red"},{"value":"g","label":"Green"}]}]}`)
		asked := &session{terminal: terminal{File: s.tty}, Config: s.config}
		asked.Sitting = sitting.New(t.Context(), s.entry, spool.Request{Form: s.form}, sitting.Surface{By: form.ByPopup, Name: form.ByPopup, Asks: true, Post: sitting.Into(nil)})
		asked.Req.Form.Questions[0].Recommended = []int{1}
		asked.guard.Pause = 400 * time.Millisecond
		before := time.Now().Add(-time.Hour)
		asked.guard.Start(before, before)
		asked.guard.Held = true
		for i, line := range lines {
			if done := asked.receive(line); done != (i == len(lines)-1) {
				t.Fatalf("line %d of %q: done %v\n%s", i+1, lines, done, s.output())
			}
		}
		if len(lines) == 2 {
			s.see("To answer with an empty one, type it once more.")
		}
		if r := s.result(); !reflect.DeepEqual(r.Answers, []form.Answer{form.Choose(1)}) {
			t.Errorf("%q: the answers are %+v", lines, r.Answers)
		}
	}
}

// A permission is declined for the person's own reason alone, whatever that is.
func TestPermissionIsDeclined(t *testing.T) {
	t.Parallel()
	s := newStage(t, "permission", `{"tool":"Bash","command":"ls"}`)
	asked := &session{terminal: terminal{File: s.tty}, Config: s.config}
	asked.Sitting = sitting.New(t.Context(), s.entry, spool.Request{Form: s.form}, sitting.Surface{By: form.ByPopup, Name: form.ByPopup, Asks: true, Post: sitting.Into(nil)})
	for _, line := range []string{"x", "", "x", "1"} {
		asked.receive(line)
	}
	if s.see("type your own reason; an empty line"); s.result().Reason != "1" {
		t.Errorf("it ends as %+v\n%s", s.result(), s.output())
	}
}
