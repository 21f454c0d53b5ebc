package inbox

import (
	"os/exec"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/tests/must"
)

// The process that has a form elsewhere is ended only where the system says that it is
// askpane: the number is from the spool.
func TestEndPopup(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("cat")
	in, err := cmd.StdinPipe()
	must.Do(t, err)
	defer in.Close()
	must.Do(t, cmd.Start())
	s := newStage(t, 80, 24)
	for _, shows := range []bool{false, true} {
		s.v.Shows = func(pid int) bool { return shows && pid == cmd.Process.Pid }
		if err := s.v.endPopup(cmd.Process.Pid); (err == nil) != shows {
			t.Errorf("a process that shows forms, %v: %v", shows, err)
		}
	}
	if err := cmd.Wait(); err == nil || cmd.ProcessState.String() != "signal: terminated" {
		t.Errorf("it ended with %v", cmd.ProcessState)
	}
}

// Between the question and the yes the form may have gone on: a popup that shows another question by
// then is left alone, and of one that was answered it is said how.
func TestTakeOverTooLate(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"Enter", "d"} {
		s := newStage(t, 80, 24)
		e := s.ask("a", "/srv", "First", "?", time.Minute)
		popup, err := s.spool.Open(e.ID)
		must.Do(t, err)
		if ok, err := popup.TakePopup(); !ok || err != nil {
			t.Fatal(ok, err)
		}
		must.Do(t, popup.Painted("@7", "/dev/pts/7"))
		s.v.Shows = func(int) bool { t.Error("a process is looked at"); return false }
		s.v.Answer = func(id string) error { _, err := s.spool.Open(id); return err }
		s.read().press(key)
		must.Do(t, popup.Settle(form.Result{Outcome: form.Answered, By: form.ByPopup, At: time.Now()}))
		must.Do(t, popup.Close())
		must.Do(t, e.Deliver())
		if s.press("y"); s.left != nil {
			s.v.Notice = s.left()
		}
		s.draw().shows("Answered in the popup: “First”.")
	}
}
