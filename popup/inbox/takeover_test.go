package inbox

import (
	"os/exec"
	"testing"

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
