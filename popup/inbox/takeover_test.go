package inbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/askpane/askpane/tests/must"
)

// The process that has a form elsewhere is ended only where the system says that it is
// askpane: the number is from the spool.
func TestEndPopup(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	must.Do(t, err)
	cmd := exec.Command("cat")
	in, err := cmd.StdinPipe()
	must.Do(t, err)
	defer in.Close()
	must.Do(t, cmd.Start())
	s := newStage(t, 80, 24)
	for _, program := range []string{"", "/bin/cat", "/elsewhere/" + filepath.Base(self)} {
		s.v.Program = func(int) string { return program }
		if err := s.v.endPopup(cmd.Process.Pid); (err == nil) != (filepath.Base(program) == filepath.Base(self)) {
			t.Errorf("a process that runs %q: %v", program, err)
		}
	}
	if err := cmd.Wait(); err == nil || cmd.ProcessState.String() != "signal: terminated" {
		t.Errorf("it ended with %v", cmd.ProcessState)
	}
}
