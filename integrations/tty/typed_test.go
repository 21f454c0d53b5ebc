package tty

import (
	"testing"
	"time"

	"github.com/creack/pty"
)

// Who types at another terminal is known to have done so until a second and a half after it.
func TestTyped(t *testing.T) {
	t.Parallel()
	person, terminal, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer person.Close()
	defer terminal.Close()
	for range 3 {
		if _, err := person.WriteString("x\n"); err != nil {
			t.Fatal(err)
		}
		if _, err := terminal.Read(make([]byte, 8)); err != nil {
			t.Fatal(err)
		}
		now := time.Now()
		if got := Typed(now); got.Before(now.Truncate(time.Second)) || got.After(now) {
			t.Errorf("typed at %v; said to be %v", now, got)
		}
		if later := now.Add(time.Minute); Typed(later).After(now.Add(step * time.Second)) {
			t.Errorf("typed at %v; a minute later said to be %v", now, Typed(later))
		}
	}
}
