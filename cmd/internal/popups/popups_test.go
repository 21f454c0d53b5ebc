package popups

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/spool"
)

// Of several forms for one terminal, one is on it.
func TestOneFormOnATerminal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	sp, err := spool.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer sp.Close()
	first := alone(t.Context(), sp)
	next, told := make(chan func()), make(chan bool)
	go func() {
		leave := alone(t.Context(), sp)
		told <- true
		next <- leave
	}()
	ended, end := context.WithTimeout(t.Context(), 500*time.Millisecond) // longer than one try
	defer end()
	alone(ended, sp)() // gives up, and takes nothing from who has it
	if ended.Err() == nil {
		t.Error("another does not wait")
	}
	select {
	case <-told:
		t.Fatal("another has it at the same time")
	default:
	}
	first()
	<-told
	(<-next)()
	left, err := filepath.Glob(filepath.Join(dir, "turns", "*"))
	if err != nil || len(left) > 0 {
		t.Errorf("there are left %q, %v", left, err)
	}
}
