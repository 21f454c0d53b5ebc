package bridge

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/tests/must"
	"github.com/askpane/askpane/tests/needs"
)

// Whoever takes a form over in the spare spool is told, too, that the spool cannot
// be written.
func TestTakenOverInTheSpare(t *testing.T) {
	if runtime.GOOS != "linux" {
		needs.Cannot(t, "a spool that cannot be written", "there is no /sys, in which nobody can make a directory")
	}
	t.Setenv("ASKPANE_SPARE", filepath.Join(t.TempDir(), "spares"))
	s := newStage(t, answers)
	proper, err := spool.Open("/sys/askpane")
	must.Do(t, err)
	t.Cleanup(func() { proper.Close() })
	s.spool, s.bridge.Spool = proper, proper
	e := s.orphan(nil)
	if e.Spare() == "" {
		t.Fatal("it is not in the spare")
	}
	if got := s.ask(t.Context(), question(0)); got.ID != e.ID || !got.Recovered {
		t.Errorf("got %+v", got)
	}
	if said := fmt.Sprint(s.warnings()); !strings.Contains(said, e.Spare()) {
		t.Errorf("it warned of %s", said)
	}
}
