package popups

import (
	"context"
	"os"
	"testing"

	"github.com/askpane/askpane/bridge/popupenv"
	"github.com/askpane/askpane/bridge/spool"
)

// Of several forms for one terminal, one is on it.
func TestOneFormOnATerminal(t *testing.T) {
	t.Setenv(popupenv.Borrowed, "1")
	sp, err := spool.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer sp.Close()
	first := alone(t.Context(), sp)
	if first == nil {
		t.Fatal("the first does not get the terminal")
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if lock := alone(ended, sp); lock != nil {
		t.Error("another has it at the same time")
	}
	next := make(chan *os.File)
	go func() { next <- alone(t.Context(), sp) }()
	first.Close()
	if lock := <-next; lock == nil {
		t.Error("the next does not get it")
	} else {
		lock.Close()
	}
}
